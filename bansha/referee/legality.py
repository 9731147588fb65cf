"""The one legality check: every submission passes it when handed in, and again when its stage closes (C2, C5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from bansha.referee.board import PASSIVE_VERBS as PASSIVE_VERBS
from bansha.referee.board import PROMPT_VERBS as PROMPT_VERBS
from bansha.referee.board import SkillTable
from bansha.referee.refusals import Refused, clock, seats
from bansha.referee.state import DAWN, DAY, NIGHT, SETUP, Held, State, seats_of


def first_night(s: State) -> int:
    """The number of the game's first night."""
    return 0 if s.board.starts_at_night else 1


def held_names(s: State, seat: int) -> str:
    """Chinese names of what the seat could hand in, for a sentence."""
    names = [s.board.skills[k].zh for holder in (seat, *s.packs_of(seat)) for k, h in s.hands[holder].items() if not h.spent]
    return "、".join(names) or "无"


def tonight(s: State, skill: SkillTable, night: int) -> bool:
    """Whether the skill's own rule about nights allows this one."""
    rule = skill.night_rule
    return rule == "every" or (rule == "first" and night == first_night(s)) or (rule == "even" and night % 2 == 0)


def stage_limit(s: State, stage: int) -> int:
    """When a stage of this night stops taking submissions (C7): its limit, or, until the vision it waits for has been
    answered, the limit it will have if nobody holds that vision."""
    board = s.board
    after = board.window_after[stage]
    if after >= 0 and s.stage < stage and not living_holders(s, after):
        return s.night_from + board.window_without[stage][1]
    return s.limits[stage]


def living_holders(s: State, skill: int) -> list[int]:
    """Living seats that hold a skill, ascending (packs apart)."""
    hands = s.hands
    return [seat for seat in seats_of(s.alive) if skill in hands[seat]]


def holder_of(s: State, seat: int, skill: SkillTable) -> int:
    """The holder number under which this seat may hand the skill in, or 0."""
    if skill.pack >= 0:
        holder = s.n + 1 + skill.pack
        return holder if s.pack_mask(skill.pack) >> seat & 1 and skill.index in s.hands[holder] else 0
    return seat if skill.index in s.hands[seat] else 0


def legal_mask(s: State, seat: int, skill: SkillTable, held: Held) -> int:
    """Mask of the legal single targets of a skill tonight."""
    if skill.plain:
        return s.public_alive
    if skill.adjacent:
        return s.seats_mask
    mask = s.alive if skill.verb == "handover" else s.public_alive
    if skill.other:
        mask &= ~(1 << seat)
    if skill.once_per_target:
        mask &= ~held.used
    if skill.not_consecutive and held.last_night == s.day - 1:
        mask &= ~held.last
    if skill.self_first and s.day != first_night(s):
        mask &= ~(1 << seat)
    return mask


def target_need(s: State, skill: SkillTable) -> tuple[int, int]:
    """(least, most) number of targets the skill takes now."""
    if skill.share == "half":
        need = s.n // 2  # half of the n - 1 others, rounded up
        return need, need
    if s.double_night.get(skill.index, -1) == s.day:
        return 1, 2
    return skill.targets, skill.targets


def refuse_target(s: State, seat: int, skill: SkillTable, held: Held, target: int) -> NoReturn:
    """Say why this target is illegal, most telling reason first."""

    def legal() -> str:
        return seats(s.seats(legal_mask(s, seat, skill, held)))

    if not 1 <= target <= s.n:
        raise Refused("no_seat", seat=target, n=s.n)
    bit = 1 << target
    if not (s.alive if skill.verb == "handover" else s.public_alive) & bit and not skill.adjacent:
        raise Refused("target_out", target=target, legal=legal)
    if skill.other and target == seat:
        raise Refused("other", skill=skill.zh, legal=legal)
    if skill.once_per_target and held.used & bit:
        raise Refused("once_per_target", skill=skill.zh, target=target, legal=legal)
    if skill.not_consecutive and held.last & bit:
        raise Refused("not_consecutive", skill=skill.zh, target=target, legal=legal)
    raise Refused("self_first_night", skill=skill.zh, legal=legal)


def check_targets(s: State, seat: int, skill: SkillTable, held: Held, targets: Sequence[int] | bool) -> list[int]:
    """The targets as a list, if legal now.

    Raises:
        Refused: target_count, no_target, target_twice, target_out, other, once_per_target, not_consecutive, adjacent …
    """
    if skill.single and not isinstance(targets, bool) and len(targets) == 1:
        target = targets[0]
        if target < 1 or not legal_mask(s, seat, skill, held) >> target & 1:
            refuse_target(s, seat, skill, held, target)
        return list(targets)
    if isinstance(targets, bool):
        if skill.targets != 0 or skill.share:
            raise Refused("target_count", skill=skill.zh, need=target_need(s, skill)[1], got=0)
        return []
    if skill.targets == 0 and not skill.share:
        raise Refused("no_target", skill=skill.zh)
    count = len(targets)
    least, most = target_need(s, skill)
    if not least <= count <= most:
        raise Refused("target_count", skill=skill.zh, need=most, got=count)
    mask = legal_mask(s, seat, skill, held)
    for target in targets:
        if target < 1 or not mask >> target & 1:
            refuse_target(s, seat, skill, held, target)
    if len(set(targets)) != count and s.double_night.get(skill.index, -1) != s.day:
        raise Refused("target_twice", skill=skill.zh)
    if skill.adjacent and not consecutive(s, targets):
        example = "、".join(str((s.n - 1 + i) % s.n + 1) for i in range(count)) if wraps(s) else "1、2、3"
        raise Refused("adjacent", skill=skill.zh, need=count, legal=example)
    return list(targets)


def wraps(s: State) -> bool:
    """G11: whether seats wrap around."""
    return s.board.option["grudge_wrap"] == "yes"


def consecutive(s: State, targets: Sequence[int]) -> bool:
    """Whether the targets are consecutive seats (G11: wrapping around, unless the option says no)."""
    wanted = set(targets)
    count = len(wanted)
    if len(targets) != count:
        return False
    starts = range(1, s.n + 1) if wraps(s) else range(1, s.n - count + 2)
    return any(wanted == {(start - 1 + i) % s.n + 1 for i in range(count)} for start in starts)


def check_window(s: State, skill: SkillTable, seat: int) -> None:
    """Whether the skill may be handed in at this minute for the coming or current night (C5, C7).

    Raises:
        Refused: not_setup, setup_only, late.
    """
    phase = s.phase
    if phase == SETUP:
        if skill.setup < 0:
            legal = "、".join(s.board.skills[k].zh for k in s.board.setup if k in s.hands[seat]) or "无"
            raise Refused("not_setup", legal=legal)
        return
    if skill.stage < 0:
        raise Refused("setup_only", skill=skill.zh)
    if phase == DAY:
        return
    if phase == DAWN or (phase == NIGHT and s.settled):
        raise Refused("late", skill=skill.zh, limit=clock(s.limits[skill.stage]))
    limit = stage_limit(s, skill.stage)
    if skill.stage < s.stage or s.now >= limit:
        raise Refused("late", skill=skill.zh, limit=clock(limit))


def check_holding(s: State, seat: int, skill: SkillTable) -> int:
    """The holder number if the seat holds an unspent skill it may hand in.

    Raises:
        Refused: out, automatic, not_held, spent, not_tonight, frozen.
    """
    if not s.alive >> seat & 1 and s.told_out >> seat & 1:
        raise Refused("out", seat=seat)
    holder = seat if skill.pack < 0 and skill.index in s.hands[seat] else holder_of(s, seat, skill)
    if not holder:
        raise Refused("not_held", seat=seat, skill=skill.zh, legal=lambda: held_names(s, seat))
    if skill.passive:
        raise Refused("automatic", skill=skill.zh)
    held = s.hands[holder][skill.index]
    if held.spent:
        raise Refused("spent", skill=skill.zh, legal=lambda: held_names(s, seat))
    if skill.night_rule != "every" and s.phase != SETUP and skill.stage >= 0 and not tonight(s, skill, s.day):
        rule = {"first": "只在第一晚", "even": "只在偶数夜"}[skill.night_rule]
        raise Refused("not_tonight", skill=skill.zh, legal=rule)
    if s.frozen and s.frozen >> seat & 1 and not skill.forced and s.phase in (2, 3) and not s.settled:
        raise Refused("frozen", seat=seat)
    if skill.needs_last and s.phase != SETUP:
        count = wolves_left(s, skill)
        if count != 1:
            raise Refused("needs_last", skill=skill.zh, count=count)
    return holder


def wolves_left(s: State, skill: SkillTable) -> int:
    """Living characters by role of the pack's faction (M4: by role only)."""
    board = s.board
    mask = 0
    for role in board.faction_roles[board.packs[skill.pack]]:
        mask |= s.role_mask[role]
    return (mask & s.alive).bit_count()
