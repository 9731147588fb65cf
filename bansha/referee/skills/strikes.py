"""Verbs that harm: 杀人 虚刀 毒药 枪决 蓄力斩 彼岸圆舞 (attack), 终夜雾 (fog)."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.referee.board import SkillTable
from bansha.referee.turn import Turn


def attack(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """A kill, feint, poison or strike is made; the settlement's lines say what comes of it."""
    t.say(e.Used(holder, skill.index, targets))
    for target in targets:
        t.say(e.Struck(holder, skill.index, target))


def fog(t: Turn, holder: int, skill: SkillTable, targets: list[int]) -> None:
    """终夜雾 (M16): living holders of those roles are told, whatever they hold; the skills are lost, kept choices lapse."""
    s, board = t.s, t.board
    t.say(e.Used(holder, skill.index, targets))
    taken = [board.skill_index[name] for name in skill.raw.takes]
    for seat in range(1, s.n + 1):
        if not s.alive >> seat & 1 or not any(lost in board.role_skills[s.role[seat]] for lost in taken):
            continue
        for lost in taken:
            if lost in s.hands[seat]:
                t.say(e.SkillLost(seat, lost, skill.id))
            if (seat, lost) in s.pending:
                t.say(e.Lapsed(seat, lost, "not_held"))
        t.say(e.Told(seat, skill.index, True))
