"""The judge's two doors: `decide` a submission, `tick` what is due. Both advance the state they are given.

`decide(state, command, now, dice)` returns the events that followed, already applied; a `Refused` leaves the state as it
was. Whoever keeps a state across an unexpected error drops it and folds the journal again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bansha.referee import aftermath, ballots, cards, day, director, night, people, settlement
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.refusals import Refused
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, OVER, SETUP, State
from bansha.referee.turn import Dice, Turn

NEVER = 1 << 60


def due(s: State) -> int:
    """When the next thing falls due (game-local minute), or NEVER: pure, a projection of the state."""
    phase = s.phase
    if phase == DAY:
        return NEVER if s.paused_at >= 0 else s.closes_at
    if phase == OVER or s.n == 0 or s.paused_at >= 0:
        return NEVER
    if phase == SETUP:
        return s.setup_ends
    if phase == DUSK:
        return s.prompt.until if s.prompt is not None else s.now
    if phase == NIGHT and not s.settled:
        return max(s.limits[s.stage], s.entered, s.dusk_end)
    at = s.prompt.until if phase == DAWN and s.prompt is not None else max(s.opens_at, s.full_at)
    return at if s.night_told else min(at, s.full_at)


def tick(s: State, dice: Dice) -> tuple[int, list[e.Event]]:
    """Do the next due thing at its own scheduled minute; returns that minute and the events.

    Raises:
        RuntimeError: nothing is due.
    """
    at = due(s)
    if at >= NEVER:
        raise RuntimeError("nothing is due")
    t = Turn(s, at, dice)
    phase = s.phase
    if phase == DAY:
        day.close_day(t)
    elif phase == NIGHT and not s.settled:
        # stages that share a limit close together, in their order
        night.close_stage(t)
        while night.stage_due(s, at):
            night.close_stage(t)
    elif phase == SETUP:
        night.end_setup(t)
        if not t.over and not s.board.starts_at_night:
            day.open_day(t)
    elif s.prompt is not None and at >= s.prompt.until:
        aftermath.expire(t)
    elif not s.night_told and at >= s.full_at:
        settlement.tell_out(t)
    elif phase in (DUSK, DAWN):
        aftermath.run(t)
    else:
        day.open_day(t)
    if t.board.close_early:
        close_early(t)
    return at, t.out


def close_early(t: Turn) -> None:
    """C8 with `close_early: yes`: stages whose holders have all answered close at once, in their order."""
    if t.board.close_early and t.s.n:
        while t.s.paused_at < 0 and night.may_close_early(t.s):
            night.close_stage(t)


def _open(t: Turn, command: c.Open) -> None:
    if t.s.n:
        raise Refused("phase", legal="游戏已经发牌")
    hash_ = t.board.hash
    given = dict(command.options)
    t.say(e.GameOpened(t.board.id, hash_, given, command.personas, command.setup_ends, command.history))
    t.say(e.Dealt(command.roles, command.masks))


def _record(t: Turn, command: c.Record) -> None:
    for event in command.events:
        t.say(event)


DECIDE: dict[type[c.Command], Callable[[Turn, Any], None]] = {
    c.Open: _open,
    c.Record: _record,
    c.Act: night.submit,
    c.Vote: ballots.vote,
    c.Change: ballots.change,
    c.Proxy: ballots.proxy,
    c.Post: day.post,
    c.Sign: day.sign,
    c.Surrender: people.surrender,
    c.LastWords: people.last_words,
    c.Card: cards.deal,
    c.Uncard: cards.withdraw,
    c.Substitute: people.substitute,
    c.Assistant: people.assistant,
    c.Direct: director.direct,
}

SEATED = frozenset(kind for kind in DECIDE if "seat" in kind.__struct_fields__)
_ALWAYS = frozenset({c.Open, c.Record, c.Direct, c.Card, c.Uncard, c.Substitute, c.Assistant})


def decide(s: State, command: c.Command, now: int, dice: Dice) -> list[e.Event]:
    """Judge one submission at minute `now`; nothing may be overdue (run `tick` until `due(s) > now` first).

    Raises:
        Refused: with a code and a sentence; the state is unchanged.
        RuntimeError: something is overdue.
    """
    if command.__class__ is c.Tick:
        return tick(s, dice)[1]
    if s.n and due(s) <= now:
        raise RuntimeError("overdue: run tick until due(state) > now")
    return judge(s, command, now, dice)


def judge(s: State, command: Any, now: int, dice: Dice) -> list[e.Event]:
    """`decide` for a caller that has just run everything due.

    Raises:
        Refused: as `decide`.
    """
    kind = command.__class__
    if s.n:
        if s.phase == OVER and kind is not c.Record:
            raise Refused("over")
        if kind in SEATED and not 1 <= command.seat <= s.n:
            raise Refused("no_seat", seat=command.seat, n=s.n)
        if s.paused_at >= 0 and kind not in _ALWAYS:
            raise Refused("paused", who="导演")
    elif kind is not c.Open and kind is not c.Record:
        raise Refused("not_begun")
    before = s.now
    t = Turn(s, now, dice)
    try:
        DECIDE[kind](t, command)
    except Refused:
        s.now = before
        raise
    if t.board.close_early:
        close_early(t)
    return t.out
