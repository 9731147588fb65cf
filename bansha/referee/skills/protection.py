"""Verbs that protect or hinder: shields, potions of life, 火炬, 防反, 守护, 圣光, 盾控, 冰冻."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.referee.board import SkillTable
from bansha.referee.turn import Turn


def mark(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """Tonight the target (without one: the holder) stands under this skill; what it costs is lost with it."""
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.Marked(holder, skill.index, targets[0] if targets else holder))
    hand = t.s.hands[holder]
    for lost in skill.loses:
        if lost in hand:
            t.say(e.SkillLost(holder, lost, skill.id))


def ward(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """守护: stands by itself once gained, if its stage had not closed when it came (B14)."""
    held = t.s.hands[holder][skill.index]
    if held.night < t.s.day or skill.stage >= held.stage:
        t.say(e.Marked(holder, skill.index, holder))


def holy_light(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """圣光: an "other" target takes no strike tonight; a clocktower one is out when the night is settled; a folk one: nothing."""
    board = t.board
    target = targets[0]
    faction = board.faction_ids[t.s.faction[target]] if t.s.faction[target] >= 0 else ""
    t.say(e.Used(holder, skill.index, targets))
    if faction in skill.raw.dooms:
        t.say(e.Doomed(target))
    elif faction not in skill.raw.leaves:
        t.say(e.Marked(holder, skill.index, target))


def order(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """盾控 (M17): final at once; the holder of the ordered skill is told, a pass before it is void; nobody: spent without effect."""
    s, board = t.s, t.board
    ordered = board.skill_index[skill.raw.orders]
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.ShieldOrdered(ordered))
    for seat in range(1, s.n + 1):
        if ordered in s.hands[seat] and s.alive >> seat & 1:
            t.say(e.Told(seat, skill.index, True))
            kept = s.pending.get((seat, ordered))
            if kept is not None and kept[0] is None:
                t.say(e.Withdrawn(seat, ordered))


def freeze(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """冰冻 (B8): told when its stage closes; non-forced skills of later stages fail tonight."""
    target = targets[0]
    t.say(e.Used(holder, skill.index, targets))
    t.say(e.Froze(target))
    t.say(e.Told(target, skill.index, True))
