"""Scenes for unit tests, in the language of case files: what is refused and in which words, and what the judge records.

refusal("m205", "- act: {9: {守护之盾: 3}}")        → "not_setup: 开局准备时只能交：无。"
story(scene("vanilla", "- close: setup"))           → ["setup_ended night=True", …]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from bansha.cases.read import read_text
from bansha.cases.run import Runner
from bansha.referee import events as e
from bansha.referee.board import Board
from bansha.referee.refusals import Refused
from bansha.rulesets.load import load

SKILL_FIELDS = frozenset({"skill", "by_skill"})


def scene(ruleset: str, steps: str, more: str = "", deal: list[str] | None = None, run: bool = True) -> Runner:
    """A game with the roles in the ruleset's order (or `deal`) in which these steps have been taken; `more`: header lines."""
    rules = load(ruleset).ruleset
    roles = deal or [name for name, role in rules.roles.items() for _ in range(role.count)]
    text = f"case: scene\nruleset: {ruleset}\ndeal: [{', '.join(roles)}]\n{more}\nsteps:\n{_indented(steps)}"
    runner = Runner(read_text(text, "scene", Path()))
    if run:
        runner.run()
    return runner


def _indented(steps: str) -> str:
    lines = [line.strip() for line in steps.strip().splitlines()]
    return "\n".join(f"  {line}" if line.startswith("-") else f"    {line}" for line in lines) or "  []"


def refusal(ruleset: str, steps: str, more: str = "", lang: str = "zh") -> str:
    """The last step must be refused: its code and sentence."""
    runner = scene(ruleset, steps, more, run=False)
    *before, last = runner.case.steps
    runner.case.steps = before
    runner.run()
    try:
        runner._play(last)
    except Refused as refused:
        return f"{refused.code}: {refused.sentence(lang)}"
    raise AssertionError(f"accepted: {last.kind} {last.value}")


def story(runner: Runner, steps: int = 1) -> list[str]:
    """What was recorded in the last `steps` entries of the journal."""
    return [told(runner.case.board, event) for entry in runner.game.entries[-steps:] for event in entry[4]]


def told(board: Board, event: e.Event) -> str:
    """An event on one line, skills by id."""
    tag = str(event.__struct_config__.tag)
    return " ".join([tag, *(f"{name}={_value(board, event, name)}" for name in event.__struct_fields__)])


def _value(board: Board, event: e.Event, name: str) -> str:
    value: Any = getattr(event, name)
    number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(board.skill_ids)
    if number and (name == "skill" or (name == "by" and isinstance(event, e.Voided | e.Absorbed))):
        return board.skill_ids[value]
    if isinstance(value, list):
        return f"[{' '.join(map(str, value))}]"
    return str(msgspec.to_builtins(value))
