"""Writes docs/reference.md from the code: verbs, flags, lines, conditions, policies, options, events, commands, refusal codes.

    python tools/reference.py          write the page
    python tools/reference.py --check  exit 1 if the page is not what the code says
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from pathlib import Path

import msgspec

from bansha.referee import commands, director, events, settlement, skills, victory
from bansha.referee.aftermath import ON_OUT
from bansha.referee.refusals import SENTENCES
from bansha.referee.vocabulary import OPTION_VALUES
from bansha.rulesets import model, phrases

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"


def first_line(thing: object) -> str:
    """The first paragraph of a docstring, on one line."""
    text = inspect.getdoc(thing) or ""
    return " ".join(text.split("\n\n")[0].split())


def type_name(kind: object) -> str:
    """A field's type as a reader wants it: `list of words`, `number`, `a | b`."""
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        return " \\| ".join(f"`{value or '(empty)'}`" for value in typing.get_args(kind))
    if origin in (types.UnionType, typing.Union):
        return " or ".join(type_name(arg) for arg in typing.get_args(kind) if arg is not type(None)) + ", or absent"
    if origin is list:
        return f"list of {type_name(typing.get_args(kind)[0])}"
    if origin is dict:
        key, value = typing.get_args(kind)
        return f"mapping {type_name(key)} → {type_name(value)}"
    names = {str: "word", int: "number", float: "number", bool: "yes/no", model.Text: "text {zh, en}"}
    return names.get(kind, getattr(kind, "__name__", str(kind)))  # type: ignore[call-overload, no-any-return]


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table."""
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows), ""]


def struct_rows(struct: type[msgspec.Struct]) -> list[list[str]]:
    """Field, type, default of a struct of the ruleset model."""
    rows = []
    hints = typing.get_type_hints(struct)
    for info in msgspec.structs.fields(struct):
        default = "needed" if info.required else _default(info)
        rows.append([f"`{info.name}`", type_name(hints[info.name]), default])
    return rows


def _default(info: msgspec.structs.FieldInfo) -> str:
    if info.default_factory is not msgspec.NODEFAULT:
        return "empty"
    value = info.default
    words = {True: "yes", False: "no", "": "empty", None: "absent"}
    return str(words.get(value, value)) if isinstance(value, (bool, str, int, float, type(None))) else "empty"


def page() -> str:
    """The whole page."""
    out = ["# Reference", "", "Generated from the code by `tools/reference.py`; `make check` fails when it is out of date.", ""]
    out += ["## Verbs of skills", "", "What `verb:` may name, and the function that keeps it.", ""]
    rows = []
    for name in [*skills.VERBS, *skills.PASSIVE]:
        function = skills.VERBS.get(name)
        place = first_line(function) if function else "read by the settlement, the aftermath or a prompt"
        zh, en = phrases.VERBS[name]
        rows.append([f"`{name}`", zh, en, place])
    out += table(["verb", "规则页", "rule sheet", "code"], rows)
    out += ["## Flags of skills", "", first_line(model.Skill), ""]
    out += table(["flag", "type", "default"], struct_rows(model.Skill))
    for title, words, doc_of in (
        ("Settlement lines", settlement.LINES, settlement.LINES),
        ("Aftermath lines", ON_OUT, ON_OUT),
        ("Conditions of winning and losing", victory.CONDITIONS, victory.CONDITIONS),
    ):
        out += [f"## {title}", ""]
        out += table(["name", "what it does"], [[f"`{name}`", first_line(doc_of[name])] for name in words])
    out += ["## Sections and policies", ""]
    for struct in (
        model.Ruleset, model.Faction, model.Role, model.Stage, model.Line, model.Condition, model.Victory, model.Ballots,
        model.Badge, model.Calendar, model.Petitions, model.LastWords, model.Surrender, model.Substitutes, model.Assistants,
        model.Cards, model.Attendance, model.Clause, model.Ruling, model.Option, model.Rule, model.Reward, model.LeftOver,
        model.Revision,
    ):  # fmt: skip
        out += [f"### {struct.__name__}", "", first_line(struct), ""]
        out += table(["field", "type", "default"], struct_rows(struct))
    out += ["## Options", ""]
    out += table(["option", "values"], [[f"`{name}`", ", ".join(f"`{v}`" for v in sorted(vs))] for name, vs in OPTION_VALUES.items()])
    out += ["## Commands", "", first_line(commands), ""]
    rows = [
        [f"`{kind.__struct_config__.tag}`", first_line(kind), ", ".join(f"`{f}`" for f in kind.__struct_fields__)] for kind in commands.ALL
    ]
    out += table(["command", "what it asks", "fields"], rows)
    out += ["## Acts of the director", ""]
    out += table(["act", "what it does"], [[f"`{name}`", first_line(function)] for name, function in director.ACTS.items()])
    out += ["## Events", "", "Visible to the directors alone unless another audience is named.", ""]
    rows = [
        [f"`{kind.__struct_config__.tag}`", kind.audience, first_line(kind), ", ".join(f"`{f}`" for f in kind.__struct_fields__)]
        for kind in events.ALL
    ]
    out += table(["event", "audience", "what happened", "fields"], rows)
    out += ["## Refusal codes", ""]
    out += table(["code", "中文", "English"], [[f"`{code}`", zh, en] for code, (zh, en) in sorted(SENTENCES.items())])
    return "\n".join(out)


def main(arguments: list[str]) -> int:
    """Write the page, or check it."""
    text = page()
    if "--check" in arguments:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print("docs/reference.md is out of date: run python tools/reference.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
