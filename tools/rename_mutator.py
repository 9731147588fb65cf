"""Ruleset files changed in one place: every leaf for the rule sheet, every name for lint.

`leaves` changes one number, flag, policy, list or text at a time: the sheet and the differences must show each.
`names` renames or deletes one name at a time, wherever it is used or defined: lint must find each. Neither knows what
the sheet or lint know; they see types and plain data only.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from bansha.rulesets.load import Loaded, load_plain
from bansha.rulesets.model import Option, Ruleset, Text

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutant:
    """A changed ruleset: where (`path`), what was done (`how`), and the plain data to load."""

    path: Path
    how: str
    plain: dict[str, Any]

    def load(self, of: Loaded) -> Loaded:
        """The mutant as a loaded ruleset that keeps the hash and the places of `of`.

        Raises:
            RulesetError: it is no ruleset any more.
        """
        try:
            ruleset = msgspec.convert(self.plain, Ruleset, strict=True)
        except msgspec.ValidationError:
            ruleset = load_plain(self.plain, of.places, of.file).ruleset  # for the error with its place
        return Loaded(ruleset, of.hash, of.file, of.places)

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))}: {self.how}"


def plain_of(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as plain data, defaults included."""
    plain = msgspec.to_builtins(ruleset, str_keys=False)
    assert isinstance(plain, dict)
    return plain


def changed(plain: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The data with the value at `path` replaced; what does not lead there is shared."""

    def within(at: Any, path: Path) -> Any:
        if not path:
            return value
        copied: Any = list(at) if isinstance(at, list) else dict(at)
        copied[path[0]] = within(at[path[0]], path[1:])
        return copied

    return typing.cast(dict[str, Any], within(plain, path))


def without(plain: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The data without the value at `path`."""
    at = _at(plain, path[:-1])
    if isinstance(at, list):
        return changed(plain, path[:-1], [item for index, item in enumerate(at) if index != path[-1]])
    return changed(plain, path[:-1], {key: item for key, item in at.items() if key != path[-1]})


# ── every leaf ───────────────────────────────────────────────────────────────────────────────────────────────────────


def leaves(ruleset: Ruleset, texts: bool = True) -> Iterator[Mutant]:
    """Every number, flag, policy, option default and list of a ruleset changed in turn, with `texts` every text too.

    Patterns of conduct clauses are left alone: they are the referee's, and the sheet only counts them.
    """
    plain = plain_of(ruleset)
    for path, how, value in _walk(Ruleset, plain, (), texts):
        yield Mutant(path, how, changed(plain, path, value))


def _walk(kind: Any, value: Any, path: Path, texts: bool) -> Iterator[tuple[Path, str, Any]]:
    origin = typing.get_origin(kind)
    if origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
        inner = [one for one in typing.get_args(kind) if one is not type(None)]
        if value is not None:
            yield from _walk(inner[0], value, path, texts)
    elif kind is Text:
        if texts:
            for lang in ("zh", "en"):
                yield (*path, lang), "text changed", value[lang] + "改"
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        for name, hint in hints.items():
            if kind is Option and name == "default":
                yield from _default(value, (*path, name))
            elif not (name == "patterns" or (kind is Option and name == "values")):
                yield from _walk(hint, value[name], (*path, name), texts)
    elif origin is dict:
        inner = typing.get_args(kind)[1]
        for key, item in value.items():
            yield from _walk(inner, item, (*path, key), texts)
            if inner is str:
                yield path, f"{key} taken out", {k: v for k, v in value.items() if k != key}
    elif origin is list:
        (inner,) = typing.get_args(kind)
        for index, item in enumerate(value):
            yield from _walk(inner, item, (*path, index), texts)
            yield path, f"item {index} taken out", [*value[:index], *value[index + 1 :]]
        if len(value) > 1:
            yield path, "turned round", value[::-1]
    elif origin is Literal:
        for other in typing.get_args(kind):
            if other != value:
                yield path, f"{value!r} → {other!r}", other
    elif kind is bool:
        yield path, f"{value} → {not value}", not value
    elif kind is int:
        yield path, f"{value} → {value + 1}", value + 1
    elif kind is float:
        yield path, f"{value} → {value + 0.5}", value + 0.5
    elif kind is str and path[-1] not in ("zh", "en") and (texts or value):
        yield path, f"{value!r} changed", _other(value)


def _other(value: str) -> str:
    """Another string of the same sort: a time stays a time."""
    return "08:30" if len(value) == 5 and value[2] == ":" and value != "08:30" else f"{value}x"


def _default(option: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str, Any]]:
    for value in option["values"]:
        for other in ["off", "5"] if value == "off|N" else [value]:
            if other != option["default"]:
                yield path, f"{option['default']!r} → {other!r}", other


# ── every name ───────────────────────────────────────────────────────────────────────────────────────────────────────

# Strings that are no names: written for people, or a matter of the board's own.
_NO_NAMES: Final = frozenset(
    {"zh", "en", "seed", "as_of", "id", "sign", "aliases", "date", "word", "patterns", "opens", "closes", "inherits"}
)
# Mappings whose keys are names.
_DEFINED: Final = ("factions", "roles", "skills", "options", "conduct")
# A shorter list here is another board, not a mistake: what a vision shows, what a use costs, who has to be out …
_OPTIONAL: Final = frozenset(
    {
        *("loses", "shows", "tells", "den", "leaves", "not_after", "doubles", "option", "values", "colours"),
        *("detectors", "vote_clause", "opposing", "explain", "verb", "line", "when", "moment", "quorum"),
    }
)
_OPTIONAL_ITEMS: Final = frozenset({"roles", "factions", "takes", "kinds", "first_day", "later", "declared_empty"})


def names(ruleset: Ruleset) -> Iterator[Mutant]:
    """Every name of a ruleset renamed where it is used, renamed or deleted where it is defined, and every reference
    deleted that the board cannot do without.
    """
    plain = plain_of(ruleset)
    for path, value in _strings(plain, ()):
        yield Mutant(path, f"{value!r} renamed where it is used", changed(plain, path, f"{value}_x"))
        if _needed(plain, path):
            yield Mutant(path, f"{value!r} deleted where it is used", _unlisted(plain, path))
    for path in _keys(plain):
        name = str(path[-1])
        yield Mutant(path, f"{name!r} renamed where it is defined", _rekeyed(plain, path, f"{name}_x"))
        if path[-2] != "explain" and (path[0] != "options" or _uses_option(plain, name)):
            yield Mutant(path, f"{name!r} deleted where it is defined", without(plain, path))


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every string that is a name or one of a few legal words."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in _NO_NAMES and not (key == "name" and path == ()):
                yield from _strings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, (*path, index))
    elif isinstance(value, str) and value:
        yield path, value


def _at(plain: Any, path: Path) -> Any:
    for part in path:
        plain = plain[part]
    return plain


def _needed(plain: Mapping[str, Any], path: Path) -> bool:
    """Whether the board is broken without this reference (and not only another board)."""
    field = next(part for part in reversed(path) if isinstance(part, str))
    if field in _OPTIONAL or path[0] in ("clauses", "options", "declared_empty", "ballots", "petitions", "calendar"):
        return False
    if path[0] in ("badge", "cards", "last_words", "surrender"):
        return False
    if field in ("acquaint", "nights", "order", "share", "joins", "silence", "overlap", "pack") and path[0] != "victory":
        return False
    if field in _OPTIONAL_ITEMS and len(_at(plain, path[:-1])) > 1:
        return False
    if field == "skills" and path[0] == "settlement":
        return False
    name = _at(plain, path)
    if path[0] == "setup":
        return not any(name in stage["stage"] for stage in plain["night"])
    if path[0] == "night" and field == "stage":
        return name not in plain["setup"]
    return True


def _unlisted(plain: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The data without one reference: out of its list or mapping, or empty."""
    if isinstance(path[-1], int):
        return without(plain, path)
    return changed(plain, path, "")


def _keys(plain: Mapping[str, Any]) -> Iterator[Path]:
    """Every name that is defined, where something uses it."""
    for kind in _DEFINED:
        for name in plain[kind]:
            if kind == "roles" and not _uses_role(plain, name):
                continue
            if kind == "conduct" and name not in plain["attendance"].values():
                continue
            yield kind, name
    for id, skill in plain["skills"].items():
        for faction in skill["opposing"]:
            yield "skills", id, "opposing", faction
    for faction in plain["victory"]["factions"]:
        yield "victory", "factions", faction
    for id, option in plain["options"].items():
        for value in option["explain"]:
            yield "options", id, "explain", value


def _uses_role(plain: Mapping[str, Any], name: str) -> bool:
    conditions = [c for ends in plain["victory"]["factions"].values() for c in (*ends["wins"], *ends["lost"])]
    return (
        any(name in condition["roles"] for condition in conditions)
        or any(line["role"] == name for line in plain["aftermath"])
        or any(skill["reveals"] == name for skill in plain["skills"].values())
    )


def _uses_option(plain: Mapping[str, Any], name: str) -> bool:
    opposing = [opposite for skill in plain["skills"].values() for opposite in skill["opposing"].values()]
    return name in opposing or any(ruling["option"] == name for ruling in plain["rulings"].values())


def _rekeyed(plain: Mapping[str, Any], path: Path, name: str) -> dict[str, Any]:
    """The data with a key renamed, at its place."""
    mapping = _at(plain, path[:-1])
    renamed = {(name if key == path[-1] else key): item for key, item in mapping.items()}
    return changed(plain, path[:-1], renamed)
