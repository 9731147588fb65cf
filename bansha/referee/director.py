"""What a director does besides the ordinary course (C25, §7): each act has a reason and is logged with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bansha.referee import aftermath, day, victory
from bansha.referee import events as e
from bansha.referee.board import DAY_MINUTES, EXILE
from bansha.referee.commands import Direct
from bansha.referee.legality import holder_of
from bansha.referee.refusals import Refused, clock
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, SETUP, State
from bansha.referee.turn import Turn


def direct(t: Turn, command: Direct) -> None:
    """Carry out a director's act.

    Raises:
        Refused: unknown_act, needs_reason, and what the act itself refuses.
    """
    act = ACTS.get(command.act)
    if act is None:
        raise Refused("unknown_act", act=command.act, legal="、".join(ACTS))
    if not command.reason.strip():
        raise Refused("needs_reason")
    before = len(t.out)
    act(t, command.value)
    t.out.insert(before, e.DirectorActed(command.act, command.value, command.reason))


def _seat(s: State, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= s.n:
        raise Refused("no_seat", seat=value, n=s.n)
    return value


def void_vote(t: Turn, value: Any) -> None:
    """The seat's vote is void: it may vote afresh without using the change and is not punished (C25)."""
    s = t.s
    seat = _seat(s, value[0] if isinstance(value, list) else value)
    wanted = [value[1]] if isinstance(value, list) else ([EXILE] if EXILE in s.ballots else list(s.ballots))
    for ballot in wanted:
        if s.phase == DAY and ballot in s.ballots and s.vote[ballot][seat] >= 0:
            t.say(e.VoteVoided(seat, ballot, "director"))
            return
    raise Refused("nothing_to_void", seat=seat, what="有效票")


def void_act(t: Turn, value: Any) -> None:
    """A kept choice of the seat's skill is void; it may hand in anew while the window is open."""
    s = t.s
    seat, index = value
    seat = _seat(s, seat)
    skill = t.board.skills[index]
    holder = holder_of(s, seat, skill)
    closed = s.phase in (DUSK, NIGHT) and 0 <= skill.stage < s.stage
    if not holder or (holder, index) not in s.pending or s.hands[holder][index].spent or closed:
        raise Refused("nothing_to_void", seat=seat, what=f"待执行的“{skill.zh}”")
    t.say(e.ChoiceVoided(holder, index))


def deadline(t: Turn, value: Any) -> None:
    """Move the limit of what is open: setup, the day, the open prompt, or the open stages of the night."""
    s = t.s
    if not isinstance(value, int) or value <= t.now:
        raise Refused("bad_time", time=value if not isinstance(value, int) else clock(value), now=clock(t.now))
    if s.prompt is not None:
        t.say(e.LimitMoved("prompt", 0, 0, value))
    elif s.phase == SETUP:
        t.say(e.LimitMoved("setup", 0, 0, value))
    elif s.phase == DAY:
        t.say(e.LimitMoved("day", 0, 0, value))
    elif s.phase in (DUSK, NIGHT) and not s.settled:
        first = s.stage
        last = first
        for stage in range(first, len(s.limits)):
            if s.night_from + t.board.windows[stage][0] <= t.now and s.limits[stage] == s.limits[first]:
                last = stage
            else:
                break
        t.say(e.LimitMoved("stage", first, last, value))
    else:
        raise Refused("nothing_open")


def out(t: Turn, value: Any) -> None:
    """The character is out, with triggers and last words; prompts open with the next dusk or dawn (C25)."""
    s = t.s
    seat = _seat(s, value)
    if not s.alive >> seat & 1:
        raise Refused("is_out", seat=seat)
    aftermath.leave(t, [seat], "director")
    if t.over:
        return
    aftermath.run_if_free(t)
    victory.after_lone_out(t)


def restore(t: Turn, value: Any) -> None:
    """Undo an out, not what it set off (C25)."""
    s = t.s
    seat = _seat(s, value)
    if s.alive >> seat & 1:
        raise Refused("not_out", seat=seat)
    waiting = s.prompt is not None and s.prompt.seat == seat
    t.say(e.Restored(seat))
    if waiting or (s.phase in (DUSK, DAWN) and s.prompt is None):
        aftermath.run(t)


def lose(t: Turn, value: Any) -> None:
    """Judge a faction lost; not announced (C15)."""
    s, board = t.s, t.board
    if not isinstance(value, int) or not 0 <= value < len(board.faction_ids):
        legal = "、".join(f.name.zh for f in board.rules.factions.values())
        raise Refused("unknown_faction", faction=value, legal=legal)
    if value in s.lost:
        raise Refused("faction_lost")
    victory.lose(t, value, "director")
    victory.check(t)


def speed_up(t: Turn, value: Any) -> None:
    """What a passed 加速 does."""
    day.need_day(t.s, "加速")
    day.carry(t, "speed_up", "director")


def extend(t: Turn, value: Any) -> None:
    """What a passed 延时 does."""
    day.need_day(t.s, "延时")
    day.carry(t, "extend", "director")


def abort(t: Turn, value: Any) -> None:
    """流局."""
    t.say(e.GameEnded(-1, "abort"))


def correct(t: Turn, value: Any) -> None:
    """A new private answer that says it corrects the earlier one."""
    s = t.s
    seat, index, answer = value
    seat = _seat(s, seat)
    if not any(told.skill == index for _, told, _day in s.told[seat]):
        raise Refused("nothing_told", seat=seat, skill=t.board.skills[index].zh)
    t.say(e.Told(seat, index, answer, True))


def undo(t: Turn, value: Any) -> None:
    """Take back the last undoable entry: a director's act, or the last submission since the latest stage end."""
    s = t.s
    if not s.undoable:
        raise Refused("nothing_to_undo", why="最近一次阶段结束之后没有可撤销的提交，或结果已经告知、抽签或结算")
    t.say(e.Undone([list(record) for record in s.undoable]))


def pause(t: Turn, value: Any) -> None:
    """Everything stands still until `resume`."""
    if t.s.paused_at >= 0:
        raise Refused("paused", who="导演")
    t.say(e.Paused())


def resume(t: Turn, value: Any) -> None:
    """Open limits move by the paused time; openings and closes to the next 9:00 or 21:00 that leaves at least what was left."""
    s, board = t.s, t.board
    if s.paused_at < 0:
        raise Refused("not_paused")
    gone = t.now - s.paused_at
    closes, opens = s.closes_at, s.opens_at
    if s.phase == DAY:
        closes = _next_clock(t.now + s.closes_at - s.paused_at, board.closes)
    elif s.phase in (DUSK, NIGHT, DAWN):
        opens = _next_clock(t.now + s.opens_at - s.paused_at, board.opens)
    t.say(e.Resumed(gone, closes, opens))


def _next_clock(least: int, time: int) -> int:
    at = least - least % DAY_MINUTES + time
    return at if at >= least else at + DAY_MINUTES


def hold(t: Turn, value: Any) -> None:
    """Stages wait for their limits (True), or may again close early where the option says so."""
    t.say(e.HoldSet(bool(value)))


def outage(t: Turn, value: Any) -> None:
    """The platform was down over a window: no silence of this night is proposed for punishment."""
    start, end = value
    t.say(e.OutageRecorded(start, end))


ACTS: dict[str, Callable[[Turn, Any], None]] = {
    "void_vote": void_vote,
    "void_act": void_act,
    "deadline": deadline,
    "out": out,
    "restore": restore,
    "lose": lose,
    "speed_up": speed_up,
    "extend": extend,
    "abort": abort,
    "correct": correct,
    "undo": undo,
    "pause": pause,
    "resume": resume,
    "hold": hold,
    "outage": outage,
}
