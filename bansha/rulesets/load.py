"""Loading ruleset files: YAML 1.2, inheritance as a difference, strict types, a content hash.

Errors name the file, the line, what was found and what would be legal.
"""

from __future__ import annotations

import hashlib
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bansha.rulesets.model import Ruleset
from bansha.rulesets.yaml12 import Document, YamlError, read

HERE = Path(__file__).parent
COMMON = HERE / "common.yaml"
FORMAT = 1
"""The format of ruleset files that this version reads, written as `bansha: 1`."""


class RulesetError(ValueError):
    """A ruleset file that cannot be used: `file`, 1-based `line`, and `what` was found and would be legal."""

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}:{line}: {what}")
        self.file = file
        self.line = line
        self.what = what


@dataclass(frozen=True)
class Loaded:
    """A ruleset with its content hash (hex SHA-256 of its merged content) and where each value was written."""

    ruleset: Ruleset
    hash: str
    file: str
    places: Mapping[tuple[str | int, ...], tuple[str, int]]

    def place(self, path: tuple[str | int, ...]) -> tuple[str, int]:
        """(file, line) where the value at `path` was written, or its nearest ancestor."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, (self.file, 1))


def bundled() -> list[str]:
    """Ids of the rulesets that come with bansha, in alphabetical order."""
    return sorted(path.stem for path in HERE.glob("*.yaml") if path != COMMON and "_" not in path.stem)


def find(name: str, beside: Path | None = None) -> Path:
    """The file of a bundled id, or of a path (relative to `beside`, a folder).

    Raises:
        RulesetError: neither exists.
    """
    if re.fullmatch(r"[\w.-]+", name) and (HERE / f"{name}.yaml").exists() and not name.endswith(".yaml"):
        return HERE / f"{name}.yaml"
    path = (beside / name) if beside else Path(name)
    if path.is_file():
        return path
    raise RulesetError(name, 1, f"no ruleset {name!r}; bundled are {', '.join(bundled())}, or give a path to a file")


def _merge(base: Any, over: Any, path: tuple[str | int, ...], replaced: set[tuple[str | int, ...]]) -> Any:
    """`over` laid on `base`: mappings key by key, anything else replaces; null deletes a key. Notes where something was replaced."""
    if isinstance(base, dict) and isinstance(over, dict):
        result = dict(base)
        for key, value in over.items():
            if value is None:
                result.pop(key, None)
            else:
                result[key] = _merge(base.get(key), value, (*path, key), replaced)
        return result
    replaced.add(path)
    return over


def _document(file: Path) -> Document:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulesetError(str(file), 1, f"cannot be read as UTF-8 text: {error}") from None
    try:
        return read(text)
    except YamlError as error:
        raise RulesetError(str(file), error.line, error.what) from None


def _merged(file: Path, seen: tuple[Path, ...] = ()) -> tuple[dict[str, Any], dict[Any, tuple[str, int]]]:
    if file in seen:
        raise RulesetError(str(file), 1, "inherits itself in a circle; end the chain with a file that inherits nothing")
    document = _document(file)
    if not isinstance(document.value, dict):
        raise RulesetError(str(file), 1, "a mapping of sections is expected")
    here = {path: (str(file), line) for path, line in document.lines.items()}
    parent = document.value.get("inherits")
    if parent is None:
        base_file = COMMON
        if file == COMMON:
            return document.value, here
    else:
        try:
            base_file = find(str(parent), file.parent)
        except RulesetError as error:
            raise RulesetError(str(file), document.line(("inherits",)), error.what) from None
    base, places = _merged(base_file, (*seen, file))
    replaced: set[tuple[str | int, ...]] = set()
    merged = _merge(base, document.value, (), replaced)
    kept = {path: place for path, place in places.items() if not any(path[:end] in replaced for end in range(len(path)))}
    return merged, {**kept, **here}


def _culprit(kind: Any, value: Any, path: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], str] | None:
    """Where in a value of this type the trouble is, and msgspec's sentence about it.

    msgspec names only the mapping when one of its values is wrong, so each part is tried by itself.
    """
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        for inner, item, key in _inside(kind, value):
            found = _culprit(inner, item, (*path, key))
            if found:
                return found
        what = re.sub(r" - at `.*`$", "", str(error))
        named = re.search(r"(?:unknown|missing required) field `(.+?)`", what)
        return ((*path, named.group(1)) if named else path), what
    return None


def _inside(kind: Any, value: Any) -> Iterator[tuple[Any, Any, str | int]]:
    """The parts of a value with the types they should have."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        for inner in args:
            if inner is not type(None):
                yield from _inside(inner, value)
    elif isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        yield from ((hints[key], item, key) for key, item in value.items() if key in hints)
    elif isinstance(value, dict) and origin is dict:
        yield from ((args[1], item, key) for key, item in value.items())
    elif isinstance(value, list) and origin is list:
        yield from ((args[0], item, index) for index, item in enumerate(value))


def content_hash(plain: Any) -> str:
    """Hex SHA-256 of the canonical JSON of a merged ruleset."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


_cache: dict[tuple[str, str, int, int], Loaded] = {}  # by the name a file was asked for, too: errors repeat it


def load(name: str, beside: Path | None = None) -> Loaded:
    """Load a bundled ruleset by id, or a file by path (relative to the folder `beside`).

    Raises:
        RulesetError: naming file, line, what was found and what would be legal.
    """
    file = find(name, beside)
    stat = file.stat()
    key = (str(file), str(file.resolve()), stat.st_mtime_ns, stat.st_size)
    if key not in _cache:
        _cache[key] = load_plain(*_merged(file), str(file))
    return _cache[key]


def load_plain(plain: dict[str, Any], places: Mapping[Any, tuple[str, int]], file: str) -> Loaded:
    """Type-check a merged ruleset.

    Raises:
        RulesetError: a value of the wrong type, an unknown key, a missing section.
    """
    try:
        ruleset = msgspec.convert(plain, Ruleset, strict=True)
    except msgspec.ValidationError as error:
        path, what = _culprit(Ruleset, plain, ()) or ((), str(error))
        at = path
        while at and at not in places:
            at = at[:-1]
        place = places.get(at, (file, 1))
        dotted = ".".join(map(str, path))
        raise RulesetError(place[0], place[1], f"{what}{f' (in {dotted})' if dotted else ''}") from None
    if ruleset.bansha != FORMAT:
        place = places.get(("bansha",), (file, 1))
        raise RulesetError(*place, f"bansha: {ruleset.bansha} is a format this version cannot read; write bansha: {FORMAT}")
    return Loaded(ruleset, content_hash(plain), file, dict(places))


__all__ = ["Loaded", "RulesetError", "bundled", "content_hash", "find", "load", "load_plain"]
