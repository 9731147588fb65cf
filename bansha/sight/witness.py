"""What of a journal a viewer has witnessed: the records an explanation may use, cut at the exit like a view.

Directors, and everybody after the end, have witnessed everything. Anybody else: public events at their moment, those of
the own seat, of its packs and dens from joining on; nights outs as they became public. What an event would tell beyond
its audience is left out here, so that whatever is said from these records can be said aloud (C9, C13, C27, V8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from bansha.referee import events as e
from bansha.referee.board import Board
from bansha.referee.evolve import evolve
from bansha.referee.game import Entry
from bansha.referee.state import DAY, OVER, SETUP, State
from bansha.sight.types import Viewer


class Seen(NamedTuple):
    """One witnessed event: minute, number and public phase (setup, day, night) of the day, and the event.

    `votes`: with a count, the votes that were in force, by seat (-1: none). `factions`: with a private answer, for those
    who know everything, the factions at that moment by seat (-1: none).
    """

    at: int
    day: int
    phase: str
    event: e.Event
    votes: list[int] = []  # noqa: RUF012
    factions: list[int] = []  # noqa: RUF012


class Witness:
    """What one viewer has witnessed. `full`: everything; `seat`: the own seat or 0; `roles`: seat → role as known."""

    def __init__(self, board: Board, full: bool, seat: int, n: int, personas: list[str]) -> None:
        self.board = board
        self.full = full
        self.seat = seat
        self.n = n
        self.personas = personas
        self.roles: dict[int, str] = {}
        self.over = False
        self.records: list[Seen] = []

    def of(self, kind: type[Any], upto: int | None = None) -> Iterator[tuple[int, Seen, Any]]:
        """(index, record, event) of every witnessed event of a kind, in order, before index `upto`."""
        for index, record in enumerate(self.records[:upto]):
            if record.event.__class__ is kind:
                yield index, record, record.event


def witness(entries: Iterable[Entry], board: Board, viewer: Viewer) -> Witness:
    """Fold a journal and keep what `viewer` has witnessed of it.

    Raises:
        ValueError: a seat that does not exist.
    """
    entries = list(entries)
    over = any(event.__class__ is e.GameEnded for entry in entries for event in entry[4])
    full = over or viewer.kind == "director"
    seat = viewer.seat if viewer.kind in ("player", "assistant") else 0
    s = State(board)
    seen = Witness(board, full, seat, 0, [])
    for at, _by, _key, _command, events in entries:
        s.now = at
        s.entry_fresh, s.entry_barred = True, False
        for event in events:
            known = _folded(s, event) if full else heard(s, seat, event)
            if known is not None:
                seen.records.append(recorded(s, at, known, full))
    if seat > s.n or seat < 0:
        raise ValueError(f"no seat {seat}; seats are 1 to {s.n}")
    seen.n = s.n
    seen.over = over
    if s.n:
        seen.personas = s.personas
        seen.roles = {x: board.role_ids[s.role[x]] for x in range(1, s.n + 1) if full or x == seat}
    return seen


def recorded(s: State, at: int, event: e.Event, full: bool) -> Seen:
    """A witnessed event with the day and phase it stands in, by the state after it."""
    phase = "setup" if not s.n or s.phase == SETUP else "day" if s.phase == DAY else "night"
    if s.phase == OVER and s.night_from < s.opened_at:
        phase = "day"
    votes = list(s.vote[event.ballot]) if isinstance(event, e.Counted) else []
    factions = list(s.faction) if full and isinstance(event, (e.Told, e.Joined, e.Doomed)) else []
    return Seen(at, s.day, phase, event, votes, factions)


def heard(s: State, seat: int, event: e.Event) -> e.Event | None:
    """Fold one event of a running game, and hand over what `seat` (0: the public) sees of it, or None."""
    known = _before(s, seat, event)
    evolve(s, event)
    return known if known is not None or not s.n else _after(s, seat, event)


def _folded(s: State, event: e.Event) -> e.Event:
    evolve(s, event)
    return event


def _before(s: State, seat: int, event: e.Event) -> e.Event | None:
    """What is seen of an event by the state before it: the undoing of an out that was known."""
    if isinstance(event, e.Restored) and s.n:
        known = not s.public_alive >> event.seat & 1 or (event.seat == seat and s.told_out >> seat & 1)
        return event if known else None
    return None


def _after(s: State, seat: int, event: e.Event) -> e.Event | None:
    """What is seen of an event by the state after it."""
    match event:
        case e.Out():
            return event if not s.public_alive >> event.seat & 1 else None
        case e.ToldOut():
            return e.ToldOut([seat]) if seat in event.seats else None
        case e.LimitMoved():
            return event if event.what in ("setup", "day") else None
        case e.Restored():
            return None
        case e.TieBroken():  # follows from the count, the sheriff's vote and the exile, all public
            return event
        case e.Joined() | e.HereticsChosen() | e.SkillGained():
            return event if seat and event.seat == seat else None
        case e.DenJoined():
            return event if seat and s.dens[event.den] >> seat & 1 else None
        case e.SurrenderProposed() | e.SurrenderAnswered() | e.SurrenderEnded():
            return event if seat and _surrenders(s, seat, event) else None
    match event.audience:
        case "public":
            return event
        case "seat":
            return event if seat and event.seat == seat else None  # type: ignore[attr-defined]
        case "holder":
            return event if seat and s.members(event.holder) >> seat & 1 else None  # type: ignore[attr-defined]
    return None


def _surrenders(s: State, seat: int, event: e.Event) -> bool:
    rule = s.board.rules.surrender
    inside = rule is not None and bool(s.dens[s.den_of[s.board.faction_index[rule.faction]]] >> seat & 1)
    return inside or (isinstance(event, e.SurrenderProposed) and event.seat == seat)
