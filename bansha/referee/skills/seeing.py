"""Verbs that tell: 通灵 灵通 (vision), 预言 侦测 审判 (read), 寻仇 (read_some)."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.referee.board import SkillTable
from bansha.referee.skills import bonds
from bansha.referee.turn import Turn


def vision(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """Who is under an attack: in seat order, each once (M2), or each strike in the order made (B9); nobody: []."""
    seen = [target for target, used, _ in t.s.strikes if used in skill.shows]
    t.say(e.Told(holder, skill.index, sorted(set(seen)) if skill.raw.order == "seat" else seen))


def read(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """The target's faction: exactly, or only which of some; 审判 (B10) opens a den with a member of a named faction."""
    s, board = t.s, t.board
    target = targets[0]
    faction = s.faction[target]
    name = board.faction_ids[faction] if faction >= 0 else ""
    tells = skill.raw.tells
    value = name if not tells or name in tells else ("!" + tells[0] if len(tells) == 1 else "other")
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.Told(holder, skill.index, value))
    if faction in skill.den:
        bonds.join_den(t, skill, (holder, target))


def read_some(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """寻仇 (G11): the exact factions of some of the targets, drawn from the recorded stream."""
    s, board = t.s, t.board
    t.say(e.Used(holder, skill.index, targets))
    drawn = t.draw(skill.id, targets, skill.raw.draws)
    told = {seat: board.faction_ids[s.faction[seat]] if s.faction[seat] >= 0 else "" for seat in sorted(drawn)}
    t.say(e.Told(holder, skill.index, told))
