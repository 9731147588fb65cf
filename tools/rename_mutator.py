"""Ruleset files changed in one place: every leaf for the rule sheet, every name for lint.

`leaves` changes one number, flag, policy, list or text at a time: the sheet and the differences must show each.
`names` renames or deletes one name at a time, wherever it is used or defined: lint must find each. Neither knows what
the sheet or lint know; they see types and plain data only.
"""

from __future__ import annotations

import copy
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from bansha.rulesets.load import Loaded, RulesetError, load_plain
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
        made = load_plain(self.plain, of.places, of.file)
        return Loaded(made.ruleset, of.hash, of.file, of.places)

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))}: {self.how}"


def plain_of(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as plain data, defaults included."""
    plain = msgspec.to_builtins(ruleset, str_keys=False)
    assert isinstance(plain, dict)
    return plain


def changed(plain: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The data with the value at `path` replaced."""
    result: Any = copy.deepcopy(dict(plain))
    at = result
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return typing.cast(dict[str, Any], result)


def without(plain: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The data without the value at `path`."""
    result: Any = copy.deepcopy(dict(plain))
    at = result
    for part in path[:-1]:
        at = at[part]
    del at[path[-1]]
    return typing.cast(dict[str, Any], result)


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
