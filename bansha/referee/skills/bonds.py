"""Verbs that bind characters to each other: 认亲 雪恨 附身 (join), 异端 (heretics), 吹笛 (charm); and the den a skill opens."""

from __future__ import annotations

from collections.abc import Iterable

from bansha.referee import events as e
from bansha.referee import victory
from bansha.referee.board import SkillTable
from bansha.referee.state import SKILL_DEN
from bansha.referee.turn import Turn


def join(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """The seat joins its host's faction, or the one opposing it (G2); M4, G3, B1: it is told which."""
    s, board = t.s, t.board
    host = targets[0]
    faction = s.faction[host]
    if skill.raw.joins == "opposing":
        named = skill.raw.opposing[board.faction_ids[faction]]
        faction = board.faction_index[board.option.get(named, named)]
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.Joined(holder, skill.index, host, faction, skill.raw.joins_den))
    if board.option["hybrid_told"] == "faction":
        t.say(e.Told(holder, skill.index, board.faction_ids[faction]))


def heretics(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """异端: half of the others are marked."""
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.HereticsChosen(holder, sorted(targets)))


def charm(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """吹笛: charms for good unless the target is under tonight's mute shield; the piper is told (G5), the target is not."""
    s = t.s
    target = targets[0]
    t.say(e.Used(holder, skill.index, targets))
    blocked = any(s.marks.get(t.board.skill_index[name], 0) >> target & 1 for name in skill.raw.blocked_by)
    if not blocked and not s.charmed >> target & 1:
        t.say(e.Charmed(target))
    t.say(e.Told(holder, skill.index, not blocked))
    victory.after_charm(t)


def join_den(t: Turn, skill: SkillTable, members: Iterable[int]) -> None:
    """审判 (B10): these seats share the skill's den, which opens with the first who do."""
    s = t.s
    den = s.den_of.get(SKILL_DEN + skill.index, len(s.dens))
    for seat in members:
        if den >= len(s.dens) or not s.dens[den] >> seat & 1:
            t.say(e.DenJoined(den, seat, skill.index))
