"""Verbs whose effect falls on the next discussion day's exile: 诅咒 (curse), 隐患 (swap)."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.referee.board import SkillTable
from bansha.referee.turn import Turn


def curse(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """诅咒: the target's exile count of the next discussion day rises, announced at its opening."""
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.Cursed(targets[0], skill.amount))


def swap(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """隐患 (B6): the two exchange exile on the next discussion day; they are told nothing."""
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.Swapped(holder, targets[0], targets[1]))
