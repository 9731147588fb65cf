"""A finished game once more, moment by moment, as one viewer saw it then: everything, the public, or a seat.

A journal is folded once; at each moment the view is the one `bansha.sight.view.view` gave then, and the step is told from what
the viewer had witnessed by then. Nothing here asks who may see a replay: only a finished game is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from bansha.referee import events as e
from bansha.referee.board import Board
from bansha.referee.evolve import evolve
from bansha.referee.game import Entry
from bansha.referee.state import OVER, State
from bansha.sight.rooms import Den, rooms
from bansha.sight.story import Step, told
from bansha.sight.types import View, Viewer
from bansha.sight.view import view
from bansha.sight.witness import Witness, heard, recorded

QUIET = (e.PostMade, e.QuietDays, e.Drawn)
"""Events that make no moment of their own: talk, counters, draws (what came of a draw is told)."""


class Moment(msgspec.Struct):
    """A moment of a game: the entry's number, its minute, the span it ends in (`phase`: setup, day, night, over; `day`), how many
    posts of the discussion came since the moment before, the view as of this entry, the dens that were open to the viewer, and what
    it witnessed at this entry."""

    n: int
    at: int
    phase: str
    day: int
    posts: int
    view: View
    dens: tuple[Den, ...]
    step: Step | None


def moments(entries: Iterable[Entry], board: Board, viewer: Viewer) -> Iterator[Moment]:
    """The moments of a journal for a viewer, in order: one an entry from the deal on at which something but talk happened. They
    are the same entries for every viewer; a step is there only where this one witnessed something.

    Raises:
        ValueError: no such seat.
    """
    s = State(board)
    all_along = viewer.kind == "director"
    seat = viewer.seat if viewer.kind in ("player", "assistant") else 0
    seen = Witness(board, all_along, seat, 0, [])
    posts = 0
    for n, (at, _by, _key, _command, events) in enumerate(entries, 1):
        s.now, s.entry_fresh, s.entry_barred = at, True, False
        first = len(seen.records)
        for event in events:
            if all_along or s.phase == OVER:
                evolve(s, event)
                known: e.Event | None = event
            else:
                known = heard(s, seat, event)
            if known is not None:
                seen.records.append(recorded(s, at, known, all_along))
        if not s.n:
            continue
        if not seen.n:
            _dealt(seen, s, all_along)
        posts += sum(1 for event in events if isinstance(event, e.PostMade) and event.thread == "discussion")
        if any(not isinstance(event, QUIET) for event in events):
            looked = view(s, viewer)
            dens = rooms(s, viewer).dens
            yield Moment(n, at, looked.public.phase, looked.public.day, posts, looked, dens, told(seen, seen.records[first:]))
            posts = 0


def _dealt(seen: Witness, s: State, full: bool) -> None:
    """What a witness knows from the deal on: the personas, the roles it was dealt or told."""
    if not 0 <= seen.seat <= s.n:
        raise ValueError(f"no seat {seen.seat}; seats are 1 to {s.n}")
    seen.n, seen.personas = s.n, s.personas
    seen.roles = {seat: s.board.role_ids[s.role[seat]] for seat in range(1, s.n + 1) if full or seat == seen.seat}


__all__ = ["Moment", "moments"]
