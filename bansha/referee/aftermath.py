"""Going out and what follows it, in the order of the ruleset's aftermath list (C22): prompts run one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bansha.referee import events as e
from bansha.referee import settlement, victory
from bansha.referee.board import SkillTable
from bansha.referee.commands import Targets
from bansha.referee.legality import check_targets, legal_mask
from bansha.referee.refusals import Refused, seats
from bansha.referee.skills import bonds
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, SETUP, Held, State
from bansha.referee.turn import Turn
from bansha.rulesets.model import Line

PROMPT_LINES = frozenset({"play_dumb", "last_shot", "handover"})


# --- going out ----------------------------------------------------------------------------------------------------


def leave(t: Turn, leaving: Sequence[int], cause: str) -> None:
    """These seats are out by one cause, at one moment, in this order."""
    leave_together(t, [(seat, cause) for seat in leaving])


def leave_together(t: Turn, causes: Sequence[tuple[int, str]]) -> None:
    """All of these are out at the same moment: first every out, then what each sets off, then the victory check (C14)."""
    s = t.s
    gone = [seat for seat, _ in causes if s.alive >> seat & 1]
    for seat, cause in causes:
        if s.alive >> seat & 1:
            t.say(e.Out(seat, cause))
    for seat in gone:
        _void_votes(t, seat)
        announce_role(t, seat)
        _queue(t, seat, gone)
    if gone:
        victory.after_out(t)


def _void_votes(t: Turn, seat: int) -> None:
    """C19: votes for someone out before the close are void; its own too after a red card (m205). G8, B19 differ."""
    s = t.s
    if s.phase != DAY:
        return
    red = s.cause[seat] == "red_card"
    for ballot in s.ballots:
        votes = s.vote[ballot]
        if votes[seat] >= 0 and red and t.board.reds in ("voids_votes", "bars_exile"):
            t.say(e.VoteVoided(seat, ballot, "red_card"))
        if red and t.board.reds == "bars_exile":
            continue
        for voter in range(1, s.n + 1):
            if votes[voter] == seat:
                t.say(e.VoteVoided(voter, ballot, "out"))


def announce_role(t: Turn, seat: int) -> None:
    """G4: a role whose leaving is announced as such, with the first announcement of that out: by night with the opening."""
    role = t.board.role_list[t.s.role[seat]]
    if role.out_announced is not None and t.s.public_alive >> seat & 1 == 0:
        t.announce(role.out_announced.zh, seat)


def _queue(t: Turn, seat: int, gone: Sequence[int]) -> None:
    """What this out sets off, line by line of the aftermath: at once, or in its turn."""
    s, board = t.s, t.board
    if s.sheriff == seat and s.cause[seat] == "red_card":
        _badge_after_red(t)
    for number, line in enumerate(board.aftermath):
        if ON_OUT[line.line](t, board.after_skills[number], line, seat, gone):
            t.say(e.Awaited(seat, number))


def _no_wait(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """装唐 stands before the exile, not after an out."""
    return False


def _awaits_shot(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """最后一枪: held, unspent, not after a cause that forbids it, nor as the last of the faction where the skill says so."""
    s = t.s
    held = s.hands[seat].get(skill.index)
    if held is None or held.spent or s.cause[seat] in skill.raw.not_after:
        return False
    if skill.raw.unless_last and not s.faction_mask[s.faction[seat]] & s.alive:
        return False
    frozen = s.frozen >> seat & 1 and s.phase in (NIGHT, DAWN)
    return not (frozen and t.board.option["freeze_scope"] == "all")


def _awaits_passing(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """枪决 (B15): the hunter of old is out and still holds it."""
    return t.board.role_index[line.role] == t.s.role[seat] and skill.index in t.s.hands[seat]


def _awaits_heir(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """附身 (B18): a living shadow has this host; one out at the same moment gains nothing."""
    s = t.s
    return any(
        host == seat and s.alive >> shadow & 1 and skill.index in t.board.role_skills[s.role[shadow]]
        for shadow, host in s.host.items()
    )


def _awaits_handover(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """殉职: the sheriff is out."""
    return t.s.sheriff == seat


def _reveal(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """圣洁 (B21): the persona of that role is announced at once, even if out; an inherited one does nothing (B18)."""
    if skill.index not in t.board.role_skills[t.s.role[seat]]:
        return False
    role = t.board.role_index[skill.raw.reveals]
    for named in t.s.seats(t.s.role_mask[role]):
        t.announce(skill.zh, named)
    return False


def _executions(t: Turn, skill: SkillTable, line: Line, seat: int, gone: Sequence[int]) -> bool:
    """异端处决 (B14, B18): as the heretics out reach a count, its living holder gains the skill of that count."""
    s, board = t.s, t.board
    out = s.seats_mask & ~s.alive
    before = out
    for other in gone[list(gone).index(seat):]:
        before &= ~(1 << other)
    for holder in range(1, s.n + 1):
        if skill.index not in s.hands[holder] or not s.alive >> holder & 1:
            continue
        owner = holder if holder in s.heretics else s.host.get(holder, 0)
        marked = s.heretics.get(owner, 0)
        if not marked >> seat & 1:
            continue
        count = (marked & (before | 1 << seat)).bit_count()
        gained = skill.raw.gains.get(count)
        if gained is not None:
            fresh = s.phase in (SETUP, DAY)
            t.say(e.SkillGained(holder, board.skill_index[gained], skill.id, s.day, 0 if fresh else s.stage, []))
    return False


def _badge_after_red(t: Turn) -> None:
    """M10, G16: a red-carded sheriff's badge is torn, or goes to a random living character, at once."""
    s = t.s
    badge = t.board.badge
    if badge is not None and badge.red_card == "random" and s.alive:
        successor = t.draw("badge", s.seats(s.alive))[0]
        _give_badge(t, successor, "red_card")
    else:
        _give_badge(t, 0, "red_card")


def _give_badge(t: Turn, successor: int, why: str) -> None:
    t.say(e.SheriffChanged(successor, why, successor == 0))
    _tell_public(t, "警长", successor or "none")


# --- the queue ----------------------------------------------------------------------------------------------------


def run(t: Turn) -> None:
    """Go on with what is awaited until a prompt is open or nothing is left; then dusk or dawn is over at once (C22)."""
    s = t.s
    while s.awaiting and s.prompt is None:
        number, _order, seat = s.awaiting[0]
        if not _in_turn(t, seat, number):
            _open_prompt(t, seat, number)
        if t.over:
            return
    if s.prompt is None and not s.awaiting:
        _twilight_over(t)


def _in_turn(t: Turn, seat: int, number: int) -> bool:
    """Do an awaited line that needs no prompt; False when it needs one."""
    s, board = t.s, t.board
    line = board.aftermath[number]
    if line.line in PROMPT_LINES and not (line.line == "handover" and s.sheriff != seat):
        return False
    t.say(e.Consequence(seat, number))
    if line.line in IN_TURN:
        IN_TURN[line.line](t, seat, board.skills[board.skill_index[line.skill]])
    return True


def run_if_free(t: Turn) -> None:
    """After an out by day or at night: what needs no prompt happens at once; with a prompt all wait for the next dusk or
    dawn (C25: also after this night's dawn is over)."""
    s = t.s
    if s.phase in (DUSK, DAWN):
        if s.prompt is None:
            run(t)
        return
    if any(t.board.aftermath[number].line in PROMPT_LINES for number, _, _ in s.awaiting):
        return
    while s.awaiting and not t.over:
        number, _order, seat = s.awaiting[0]
        _in_turn(t, seat, number)


def _open_prompt(t: Turn, seat: int, number: int) -> None:
    """Open a prompt: 10 minutes at dusk (last shot and handover of one character share them), at dawn as the line says."""
    s, board = t.s, t.board
    line = board.aftermath[number]
    skill = board.skill_index[line.skill]
    dusk = s.phase == DUSK
    until = t.now + (line.dusk if dusk else line.dawn)
    if line.line == "handover":
        kept = s.kept_handover.get(seat)
        if kept is not None and (kept == -1 or s.alive >> kept & 1):
            t.say(e.PromptOpened(seat, skill, until))
            _hand_over(t, seat, kept, False)
            return
        if dusk and seat in s.joint:
            until = max(t.now, s.joint[seat])
    t.say(e.PromptOpened(seat, skill, until))


def expire(t: Turn) -> None:
    """Nobody answered in time: 装唐 declines, a shot is not fired, the badge is torn or goes at random."""
    s = t.s
    prompt = s.prompt
    assert prompt is not None
    line = t.board.aftermath[prompt.line]
    if line.line == "play_dumb":
        _stay(t, prompt.seat, False, True)
    elif line.line == "last_shot":
        t.say(e.PromptAnswered(prompt.seat, prompt.skill, -1, True))
        t.say(e.Consequence(prompt.seat, prompt.line))
        victory_after_shot(t)
    else:
        badge = t.board.badge
        if badge is not None and badge.silence == "random" and s.alive:
            successor = t.draw("handover", s.seats(s.alive))[0]
            _hand_over(t, prompt.seat, successor, True)
        else:
            _hand_over(t, prompt.seat, -1, True)
    if not t.over and s.prompt is None:
        run(t)


def answer(t: Turn, seat: int, choices: Mapping[int, Targets]) -> None:
    """Answer the seat's open prompt; the handover may come with the last shot (C22).

    Raises:
        Refused: no_prompt, forced, successor_shot, target_out, other, target_count, no_target.
    """
    s, board = t.s, t.board
    prompt = s.prompt
    shot = 0
    plans: list[tuple[SkillTable, int]] = []
    for index in sorted(choices, key=lambda k: board.skills[k].verb == "handover"):
        targets = choices[index]
        skill = board.skills[index]
        handover = skill.verb == "handover"
        open_now = prompt is not None and prompt.seat == seat and prompt.skill == index
        waits = handover and any(
            item[2] == seat and board.aftermath[item[0]].line == "handover" for item in s.awaiting
        )
        early = waits and (any(p.verb == "last_shot" for p, _ in plans) or _shot_answered(s, seat))
        if not open_now and not early:
            raise Refused("no_prompt", seat=seat, skill=skill.zh)
        if targets is None or targets is False:
            if skill.forced:
                raise Refused("forced", skill=skill.zh, legal=lambda: seats(s.seats(s.alive)))
            plans.append((skill, -1))
            continue
        if skill.targets == 0:
            check_targets(s, seat, skill, s.hands[seat][index], targets)
            plans.append((skill, 0))
            continue
        held = s.hands[seat].get(index) or _BARE
        chosen = check_targets(s, seat, skill, held, targets)
        if handover:
            if chosen[0] == shot:
                legal = s.seats(legal_mask(s, seat, skill, held) & ~(1 << shot))
                raise Refused("successor_shot", target=shot, legal=seats(legal))
        else:
            shot = chosen[0]
        plans.append((skill, chosen[0]))
    for skill, target in plans:
        if t.over:
            return
        if skill.verb == "play_dumb":
            _stay(t, seat, target == 0, False)
        elif skill.verb == "last_shot":
            _shoot(t, seat, skill, target)
        elif s.prompt is not None and s.prompt.seat == seat and s.prompt.skill == skill.index:
            _hand_over(t, seat, target, False)
        elif any(item[2] == seat and board.aftermath[item[0]].line == "handover" for item in s.awaiting):
            t.say(e.HandoverKept(seat, target))
    if not t.over and s.prompt is None and s.phase in (DUSK, DAWN):
        run(t)


_BARE = Held()
"""Counters of a skill that is an office's, not a hand's (殉职)."""


def _shot_answered(s: State, seat: int) -> bool:
    """Whether this seat's last shot of this dusk or dawn has been answered already."""
    line = s.board.after_line.get("last_shot", -1)
    open_now = s.prompt is not None and s.prompt.seat == seat and s.prompt.line == line
    waits = any(item[0] == line and item[2] == seat for item in s.awaiting)
    return seat in s.joint and not open_now and not waits


# --- each answer --------------------------------------------------------------------------------------------------


def _stay(t: Turn, seat: int, stays: bool, silent: bool) -> None:
    """装唐 (B20): stay, announced; or the exile takes effect now, with its own prompts."""
    s, board = t.s, t.board
    prompt = s.prompt
    assert prompt is not None
    line, skill = prompt.line, prompt.skill
    t.say(e.PromptAnswered(seat, skill, 0 if stays else -1, silent))
    t.say(e.Consequence(seat, line))
    if stays:
        t.say(e.Used(seat, skill, []))
        t.say(e.Stayed(seat, skill))
        t.announce(board.skills[skill].zh, seat)
        t.announce("放逐", "none")
    else:
        exile(t, seat)


def exile(t: Turn, seat: int) -> None:
    """The exile takes effect: announced at once."""
    t.announce("放逐", seat)
    leave(t, [seat], "exile")


def _shoot(t: Turn, seat: int, skill: SkillTable, target: int) -> None:
    """最后一枪: the target is out at once (C24: if already out tonight, spent without effect); at dawn in a game of strikes
    it meets what still stands (B4)."""
    s = t.s
    prompt = s.prompt
    assert prompt is not None
    t.say(e.PromptAnswered(seat, skill.index, target, False))
    t.say(e.Consequence(seat, prompt.line))
    if target < 0:
        victory_after_shot(t)
        return
    t.say(e.Used(seat, skill.index, [target]))
    if s.phase == DUSK:
        t.announce(skill.zh, target)
    landed = target
    line = settlement.strike_line(s)
    if s.phase == DAWN and line is not None and s.alive >> target & 1:
        t.say(e.Struck(seat, skill.index, target))
        landed = settlement.resolve(t, line, target, skill.index)
    if landed and s.alive >> landed & 1:
        leave(t, [landed], skill.id)
    if not t.over:
        victory_after_shot(t)


def victory_after_shot(t: Turn) -> None:
    """G17: with `settled` the outs that waited for this shot are checked now."""
    if t.board.after_shots:
        victory.after_out(t)


def _hand_over(t: Turn, seat: int, successor: int, silent: bool) -> None:
    """殉职: to a living character, or torn."""
    prompt = t.s.prompt
    assert prompt is not None
    t.say(e.PromptAnswered(seat, prompt.skill, successor, silent))
    t.say(e.Consequence(seat, prompt.line))
    _give_badge(t, max(successor, 0), "handover" if successor > 0 else "torn")


def _pass_on(t: Turn, seat: int, skill: SkillTable) -> None:
    """枪决 (B15): once, to the shadow whose host the hunter is, else to a random other living member of the folk."""
    s = t.s
    held = s.hands[seat].get(skill.index)
    if held is None or held.passed:
        return
    counters = held.counters()
    counters[4] = 1
    shadows = [x for x, host in s.host.items() if host == seat and s.alive >> x & 1]
    options = s.seats(s.faction_mask[s.faction[seat]] & s.alive & ~(1 << seat))
    if shadows:
        heir = shadows[0]
    elif options:
        heir = t.draw(skill.id, options)[0]
    else:
        return
    t.say(e.SkillLost(seat, skill.index, "pass_on"))
    _gain(t, heir, skill.index, "pass_on", counters)


def _gain(t: Turn, heir: int, skill: int, why: str, counters: list[int]) -> None:
    s = t.s
    fresh = s.phase in (SETUP, DAY, DUSK)
    t.say(e.SkillGained(heir, skill, why, s.day, 0 if fresh else s.stage, counters))


def _inherit(t: Turn, host: int, skill: SkillTable) -> None:
    """附身 (B18): the shadow gains the host's skills as they then are; setup skills, 枪决 and what it holds already apart."""
    s, board = t.s, t.board
    for shadow, its_host in sorted(s.host.items()):
        if its_host != host or not s.alive >> shadow & 1 or skill.index not in board.role_skills[s.role[shadow]]:
            continue
        passed = {board.skill_index[line.skill] for line in board.aftermath if line.line == "pass_on"}
        for index, held in list(s.hands[host].items()):
            table = board.skills[index]
            if (table.setup >= 0 and table.stage < 0) or index in passed:
                continue
            if index in s.hands[shadow] and not held.spent:
                continue
            t.say(e.SkillGained(shadow, index, "inherit", *_usable_from(t), held.counters()))
            if table.den:
                bonds.join_den(t, table, (host, shadow))
        _tell_public(t, skill.zh, True)


def _usable_from(t: Turn) -> tuple[int, int]:
    s = t.s
    return s.day, 0 if s.phase in (SETUP, DAY, DUSK) else s.stage


def _tell_public(t: Turn, kind: str, value: object) -> None:
    """C13: at once by day and at dusk; what happens at night or at dawn is announced with the next opening."""
    if t.s.phase <= DUSK:
        t.announce(kind, value)
    else:
        t.say(e.Postponed(kind, value))


# --- the end of dusk and dawn -------------------------------------------------------------------------------------


def _twilight_over(t: Turn) -> None:
    """Dusk: the check after the exile, the day's red cards and the check after them, then the night. Dawn: the check.
    B13: the exile counts as settled only when none of the day's red cards is left, the last check of that close."""
    s = t.s
    if s.phase == DUSK:
        pending = [seat for seat in s.red_pending if s.alive >> seat & 1]
        if not pending:
            t.say(e.ExileSettled(s.day))
        victory.after_settlement(t)
        if t.over:
            return
        if pending:
            t.say(e.RedsSettled())
            leave_together(t, [(seat, "red_card") for seat in pending])
            if not t.over:
                run(t)
            return
        t.say(e.TwilightEnded(False))
    elif s.phase in (DAWN, NIGHT) and s.settled:
        victory.after_settlement(t)
        if s.phase == DAWN:
            t.say(e.TwilightEnded(True))


def await_stay(t: Turn, seat: int) -> bool:
    """装唐: whether a prompt stands before this exile; if so it is queued."""
    s, board = t.s, t.board
    for number, line in enumerate(board.aftermath):
        if line.line == "play_dumb":
            held = s.hands[seat].get(board.skill_index[line.skill])
            if held is not None and not held.spent:
                t.say(e.ExileDue(seat))
                t.say(e.Awaited(seat, number))
                return True
    return False


OnOut = Callable[[Turn, SkillTable, Line, int, Sequence[int]], bool]

# What a line of the aftermath does at the moment of an out; True: the seat awaits the line's turn.
ON_OUT: dict[str, OnOut] = {
    "reveal": _reveal,
    "executions": _executions,
    "play_dumb": _no_wait,
    "last_shot": _awaits_shot,
    "pass_on": _awaits_passing,
    "inherit": _awaits_heir,
    "handover": _awaits_handover,
}
AFTERMATH = frozenset(ON_OUT)

# Awaited lines that need no prompt.
IN_TURN: dict[str, Callable[[Turn, int, SkillTable], None]] = {"pass_on": _pass_on, "inherit": _inherit}
