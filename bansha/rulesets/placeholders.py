"""Filling the placeholders of a text: ``{last_words.count}`` is the number itself, so no text can disagree with it.

A placeholder is a dotted path into the ruleset (a list's items by number), optionally with ``|`` and a form:

- ``{path}`` a number, a name where the path ends at a role, skill, faction, stage or text, a list in words;
- ``{path|hours}`` minutes as hours, ``{path|minutes}`` minutes as they are, without the unit;
- ``{skills.X|window}`` the clock times in which a skill's stage is open, ``{night.N|window}`` those of a stage;
- ``{seats}`` the number of seats, ``{options.X}`` what the option means at the value in force.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from bansha.rulesets.model import Option, Ruleset, Stage, Text
from bansha.rulesets.words import Words, number

FORMS: Final = ("hours", "minutes", "window")
_HOLDER: Final = re.compile(r"\{([^{}]*)\}")


class PlaceholderError(ValueError):
    """A placeholder that names nothing: `placeholder` as written, `what` was found and legal, `where` it stands."""

    def __init__(self, placeholder: str, what: str, where: str = "") -> None:
        super().__init__(f"{where + ': ' if where else ''}{{{placeholder}}}: {what}")
        self.placeholder = placeholder
        self.what = what
        self.where = where


def placeholders(text: str) -> Iterator[str]:
    """The placeholders of a text, without their braces, in order."""
    return (match.group(1) for match in _HOLDER.finditer(text))


def fill(text: Text | str, words: Words, where: str = "", own: Mapping[str, object] | None = None, quiet: bool = False) -> str:
    """The text in the language of `words`, its placeholders filled.

    `own` gives names that only this text may use, such as a reward's ``{coins}``; `where` is said in errors. `quiet`
    leaves a placeholder that names nothing as it is written.

    Raises:
        PlaceholderError: a placeholder names nothing.
    """

    def one(match: re.Match[str]) -> str:
        holder = match.group(1)
        if own and holder in own:
            return str(own[holder])
        try:
            return _say(holder, words)
        except PlaceholderError as error:
            if quiet:
                return match.group(0)
            raise PlaceholderError(error.placeholder, error.what, where) from None

    return _HOLDER.sub(one, text if isinstance(text, str) else words.pick(text))


def _say(holder: str, words: Words) -> str:
    path, bar, form = holder.partition("|")
    if bar and form not in FORMS:
        raise PlaceholderError(holder, f"the form {form!r} is not one of {', '.join(FORMS)}")
    value = resolve(words.ruleset, path, holder)
    if form == "window":
        return _window(path, value, words, holder)
    if form:
        if isinstance(value, bool) or not isinstance(value, int):
            raise PlaceholderError(holder, f"|{form} wants a number of minutes, {path} is {_kind(value)}")
        return number(round(value / 60, 2)) if form == "hours" else number(value)
    return _plain(path, value, words, holder)


def _plain(path: str, value: Any, words: Words, holder: str) -> str:
    rules = words.ruleset
    if isinstance(value, Text):
        return words.pick(value)
    if isinstance(value, Option):
        return words.option(path.removeprefix("options."))
    if isinstance(value, Stage):
        return words.join((words.skill(name) for name in value.stage), "")
    if isinstance(value, bool):
        return words.pick(("是", "yes") if value else ("否", "no"))
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        names: dict[str, Text] = {id: skill.name for id, skill in rules.skills.items()}
        names |= {id: role.name for id, role in rules.roles.items()}
        names |= {id: faction.name for id, faction in rules.factions.items()}
        return words.join((words.pick(names[item]) if item in names else str(item) for item in value), "")
    name = getattr(value, "name", None)
    if isinstance(name, Text):
        return words.pick(name)
    raise PlaceholderError(holder, f"{path} is {_kind(value)}; go on to one of {', '.join(_keys(value)) or 'nothing'}")


def _window(path: str, value: Any, words: Words, holder: str) -> str:
    stages = words.ruleset.night
    if isinstance(value, Stage):
        return words.clocks(value.window)
    if path.startswith("skills.") and "." not in path.removeprefix("skills."):
        name = path.removeprefix("skills.")
        for stage in stages:
            if name in stage.stage:
                return words.clocks(stage.window)
        raise PlaceholderError(holder, f"the skill {name!r} stands in no stage of the night")
    raise PlaceholderError(holder, "|window wants skills.X or night.N")


def resolve(ruleset: Ruleset, path: str, holder: str = "") -> Any:
    """The value at a dotted path; keys may hold dots themselves (``conduct.5.1.text``).

    Raises:
        PlaceholderError: the path leads nowhere; says what would.
    """
    if not path:
        raise PlaceholderError(holder, "a placeholder names a value, such as {last_words.count}")
    if path == "seats":
        return ruleset.seats
    value: Any = ruleset
    rest = path
    walked: list[str] = []
    while rest:
        keys = _keys(value)
        fitting = [key for key in keys if rest == key or rest.startswith(f"{key}.")]
        if not fitting:
            legal = ", ".join(keys[:40]) or "nothing more"
            at = ".".join(walked) or "a ruleset"
            raise PlaceholderError(holder or path, f"{rest.partition('.')[0]!r} is not in {at}; it has {legal}")
        key = max(fitting, key=len)
        value = _step(value, key)
        walked.append(key)
        rest = rest[len(key) + 1 :]
        if value is None:
            raise PlaceholderError(holder or path, f"{'.'.join(walked)} is not set on this board")
    return value


def _keys(value: Any) -> list[str]:
    if isinstance(value, msgspec.Struct):
        return list(value.__struct_fields__)
    if isinstance(value, dict):
        return [str(key) for key in value]
    if isinstance(value, list):
        return [str(index) for index in range(len(value))]
    return []


def _step(value: Any, key: str) -> Any:
    if isinstance(value, msgspec.Struct):
        return getattr(value, key)
    if isinstance(value, dict):
        return next(item for name, item in value.items() if str(name) == key)
    return value[int(key)]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "yes or no"
    if isinstance(value, msgspec.Struct):
        return f"a {type(value).__name__.lower()}"
    return {list: "a list", dict: "a mapping", str: "a text", int: "a number", float: "a number"}.get(type(value), "no value")
