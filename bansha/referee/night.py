"""The night: submissions, stages in order, what each does when it closes, and the settlement that follows the last."""

from __future__ import annotations

from bansha.referee import aftermath, cards, settlement, victory
from bansha.referee import events as e
from bansha.referee.board import SkillTable
from bansha.referee.commands import Act, Targets
from bansha.referee.legality import (
    check_holding,
    check_targets,
    check_window,
    holder_of,
    legal_mask,
    living_holders,
    target_need,
    tonight,
)
from bansha.referee.refusals import Refused, seats
from bansha.referee.skills import VERBS
from bansha.referee.state import DAY, DUSK, NIGHT, OVER, SETUP, State
from bansha.referee.turn import Turn


def submit(t: Turn, act: Act) -> None:
    """Take a submission: prompts are answered at once, everything else is kept until its stage closes (C4).

    Raises:
        Refused: any choice is illegal; then nothing of the submission counts.
    """
    s, board = t.s, t.board
    seat = act.seat
    choices = act.choices
    if not choices:
        raise Refused("nothing")
    prompts: dict[int, Targets] = {}
    checked: list[tuple[int, SkillTable, list[int] | None]] = []
    for index, targets in choices.items():
        if not 0 <= index < len(board.skills):
            raise Refused("unknown_skill", skill=index, legal="、".join(table.zh for table in board.skills))
        skill = board.skills[index]
        if skill.prompted:
            prompts[index] = targets
            continue
        for other in skill.excludes if targets is not None else ():
            if choices.get(other) is not None:
                raise Refused("excludes", skill=skill.zh, other=board.skills[other].zh)
        checked.append(_checked(s, seat, skill, targets))
    if prompts:
        aftermath.answer(t, seat, prompts)
    for holder, skill, chosen in checked:
        _keep(t, holder, skill, chosen, seat)


def _checked(s: State, seat: int, skill: SkillTable, targets: Targets) -> tuple[int, SkillTable, list[int] | None]:
    """One choice through the legality check."""
    if skill.immediate and s.phase != DAY and s.pending.get((holder_of(s, seat, skill), skill.index), (None, 0))[0] is not None:
        raise Refused("final", skill=skill.zh)
    holder = check_holding(s, seat, skill)
    check_window(s, skill, seat)
    held = s.hands[holder][skill.index]
    if targets is None or targets is False:
        if skill.forced:
            raise Refused("forced", skill=skill.zh, legal=lambda: seats(s.seats(legal_mask(s, seat, skill, held))))
        if s.ordered >> skill.index & 1:
            raise Refused("ordered", skill=skill.zh, legal=lambda: seats(s.seats(legal_mask(s, seat, skill, held))))
        return holder, skill, None
    return holder, skill, check_targets(s, seat, skill, held, targets)


def _keep(t: Turn, holder: int, skill: SkillTable, chosen: list[int] | None, seat: int) -> None:
    s = t.s
    if chosen is not None:
        for other in skill.excludes:
            kept = s.pending.get((holder, other))
            if kept is not None and kept[0] is not None:
                t.say(e.Withdrawn(holder, other))
    t.say(e.Submitted(holder, skill.index, chosen, seat))
    if skill.immediate and s.phase in (DUSK, NIGHT) and chosen is not None:
        VERBS[skill.verb](t, holder, skill, chosen)


def begin(t: Turn) -> None:
    """What happens at the close itself: choices handed in by day that take effect when submitted (盾控, M17); M3's automatic shield."""
    s, board = t.s, t.board
    for skill in board.skills if s.pending else ():
        if skill.immediate:
            for (holder, index), (targets, _by) in sorted(s.pending.items()):
                if index == skill.index and targets is not None and s.members(holder) & s.alive:
                    VERBS[skill.verb](t, holder, skill, list(targets))
    if board.auto_shield >= 0 and tonight(s, board.skills[board.auto_shield], s.day):
        for seat in range(1, s.n + 1):
            if board.role_auto_shield[s.role[seat]] and s.alive >> seat & 1:
                t.say(e.Marked(seat, board.auto_shield, seat))


def execute(t: Turn, holder: int, skill: SkillTable) -> None:
    """Execute a kept choice if it is still legal; otherwise it lapses and its holder is told (C2, C5)."""
    s = t.s
    kept = s.pending.get((holder, skill.index))
    alive = s.alive >> holder & 1 if holder <= s.n else s.members(holder) & s.alive
    if kept is not None and kept[0] is not None:
        held = s.hands[holder].get(skill.index)
        if not alive:
            t.say(e.Lapsed(holder, skill.index, "out"))
        elif held is None:
            t.say(e.Lapsed(holder, skill.index, "not_held"))
        elif s.frozen and holder <= s.n and s.frozen >> holder & 1 and not skill.forced:
            t.say(e.Stopped(holder, skill.index))
        else:
            targets = list(kept[0])
            code = _still_illegal(s, holder, skill, targets)
            if not code:
                VERBS[skill.verb](t, holder, skill, targets)
                return
            t.say(e.Lapsed(holder, skill.index, code))
    if s.ordered >> skill.index & 1 and alive and holder <= s.n and not (s.frozen >> holder & 1):
        _at_random(t, holder, skill)


def _still_illegal(s: State, holder: int, skill: SkillTable, targets: list[int]) -> str:
    held = s.hands[holder][skill.index]
    if skill.plain and len(targets) == 1:
        return "" if s.public_alive >> targets[0] & 1 else "target_out"
    if held.spent:
        return "spent"
    try:
        seat = holder if holder <= s.n else 0
        if skill.needs_last:
            check_holding(s, s.seats(s.members(holder) & s.alive)[0], skill)
        check_targets(s, seat, skill, held, targets if skill.targets or skill.share else True)
    except Refused as refusal:
        return refusal.code
    return ""


def _at_random(t: Turn, holder: int, skill: SkillTable) -> None:
    """C3: a forced skill not answered is executed on a random legal target of the recorded stream."""
    s = t.s
    held = s.hands[holder].get(skill.index)
    if held is None:
        return
    options = s.seats(legal_mask(s, holder, skill, held))
    need = target_need(s, skill)[1]
    if len(options) < need or not options:
        return
    VERBS[skill.verb](t, holder, skill, t.draw(skill.id, options, need))


def end_setup(t: Turn) -> None:
    """Setup's skills in order, silent forced ones at random (B16, C3); then acquaintance; play starts."""
    s, board = t.s, t.board
    for index in board.setup:
        skill = board.skills[index]
        for holder in living_holders(s, index):
            kept = s.pending.get((holder, index))
            if kept is not None and kept[0] is not None:
                code = _still_illegal(s, holder, skill, list(kept[0]))
                if not code:
                    VERBS[skill.verb](t, holder, skill, list(kept[0]))
                    continue
                t.say(e.Lapsed(holder, index, code))
            if skill.forced:
                if kept is None and skill.silence:
                    cards.propose(t, holder, skill.silence, board.rules.attendance.silence_clause, skill.id)
                _at_random(t, holder, skill)
        if board.setup.index(index) == _last_bond(t):
            _acquaint(t)
    if not board.setup:
        _acquaint(t)
    if any(board.skills[k].verb == "join" for k in board.setup) and board.each_out:
        victory.check(t)
    if t.over:
        return
    t.say(e.SetupEnded(board.starts_at_night))
    if board.starts_at_night:
        begin(t)


def _last_bond(t: Turn) -> int:
    """Position in setup after which factions are settled."""
    board = t.board
    bonds = [i for i, k in enumerate(board.setup) if board.skills[k].verb in ("join", "heretics")]
    return bonds[-1] if bonds else 0


def _acquaint(t: Turn) -> None:
    """Members of a faction who know each other are told so; one who joined without its den is not among them (M4, G2, B1)."""
    s, board = t.s, t.board
    for index, faction in enumerate(board.rules.factions.values()):
        if faction.acquaint == "strangers":
            continue
        mask = 0
        for seat in range(1, s.n + 1):
            by_role = board.role_faction[s.role[seat]] == index
            joined = s.faction[seat] == index and not by_role and _joins_den(t, seat)
            if by_role or joined:
                mask |= 1 << seat
        members = s.seats(mask)
        for seat in members:
            others = [other for other in members if other != seat]
            if others:
                t.say(e.Acquainted(seat, others, index))


def _joins_den(t: Turn, seat: int) -> bool:
    return any(t.board.skills[k].raw.joins_den for k in t.board.role_skills[t.s.role[seat]])


def enter(t: Turn, stage: int) -> None:
    """A stage is entered: visions answer; a window that hangs on a vision is timed from it (C7)."""
    s, board = t.s, t.board
    for index in board.stage_automatic[stage]:
        skill = board.skills[index]
        for holder in living_holders(s, index):
            VERBS[skill.verb](t, holder, skill, [])
    after = board.window_after[stage]
    if after < 0:
        return
    window = board.windows[stage]
    if living_holders(s, after):
        limit = max(s.limits[stage], s.now + window[1] - window[0])
    else:
        limit = s.night_from + board.window_without[stage][1]
    if limit != s.limits[stage]:
        t.say(e.StageTimed(stage, limit))


def stage_due(s: State, at: int) -> bool:
    """Whether another stage closes at this minute too."""
    return s.phase == NIGHT and not s.settled and s.limits[s.stage] <= at


def close_stage(t: Turn) -> None:
    """The next stage closes: its skills are executed in order; after the last the night is settled."""
    s, board = t.s, t.board
    stage = s.stage
    for skill in board.stage_closing[stage]:
        index = skill.index
        if skill.automatic:
            for holder in living_holders(s, index):
                VERBS[skill.verb](t, holder, skill, [])
            continue
        waiting = []  # mostly one or none: the frame of a comprehension would cost more than the loop
        for holder, kept in s.pending:
            if kept == index:
                waiting.append(holder)
        if s.ordered >> index & 1:
            waiting.extend(holder for holder in living_holders(s, index) if holder not in waiting)
        if len(waiting) > 1:
            waiting.sort()
        for holder in waiting:
            execute(t, holder, skill)
            if s.phase == OVER:
                return
    t.say(e.StageClosed(stage))
    if stage + 1 < len(board.stages):
        if board.stage_enters[stage + 1]:
            enter(t, stage + 1)
        return
    silence(t)
    settlement.settle(t)


def silence(t: Turn) -> None:
    """M6: a holder who answered nothing tonight, though something was usable, is proposed a card; once a night and holder."""
    s, board = t.s, t.board
    clause = board.rules.attendance.silence_clause
    if not clause or s.outage:
        return
    answered = s.answered
    for holder, hand in enumerate(s.hands):
        if answered >> holder & 1 or not hand:
            continue
        living = s.members(holder) & s.alive
        if not living:
            continue
        for index, held in hand.items():
            skill = board.skills[index]
            if skill.silence and skill.stage >= 0 and not held.spent and tonight(s, skill, s.day):
                for seat in s.seats(living):
                    cards.propose(t, seat, skill.silence, clause, skill.id)
                break


def may_close_early(s: State) -> bool:
    """C8 with `close_early: yes`: everyone who may act in the next stage has answered everything they may."""
    board = s.board
    if s.hold or s.phase != NIGHT or s.settled:
        return False
    for index in board.stages[s.stage]:
        skill = board.skills[index]
        if skill.automatic or not tonight(s, skill, s.day):
            continue
        for holder in range(1, len(s.hands)):
            held = s.hands[holder].get(index)
            if held is None or held.spent or not s.members(holder) & s.alive:
                continue
            if s.frozen and holder <= s.n and s.frozen >> holder & 1 and not skill.forced:
                continue
            if skill.needs_last and (s.members(holder) & s.alive).bit_count() != 1:
                continue
            if (holder, index) not in s.pending and not any((holder, x) in s.pending for x in skill.excludes):
                return False
    return True


def opens_now(s: State, skill: SkillTable) -> bool:
    """Whether the skill's window is open at this minute (setup, or tonight's stage)."""
    if s.phase == SETUP:
        return skill.setup >= 0
    if s.phase not in (DUSK, NIGHT) or s.settled or skill.stage < s.stage or skill.stage < 0:
        return False
    start = s.night_from + s.board.windows[skill.stage][0]
    if s.board.window_after[skill.stage] >= 0 and not living_holders(s, s.board.window_after[skill.stage]):
        start = s.night_from + s.board.window_without[skill.stage][0]
    return start <= s.now < s.limits[skill.stage]
