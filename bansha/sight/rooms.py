"""Which rooms of a game a viewer may read, and where it may write now. Whatever lists posts is built on this."""

from __future__ import annotations

import msgspec

from bansha.referee.state import DAY, OVER, SETUP, State
from bansha.sight.types import Viewer


class Den(msgspec.Struct, frozen=True):
    """A den the viewer may read: its number, its members (those out included), and whether the viewer talks there."""

    den: int
    members: tuple[int, ...]
    writes: bool


class Rooms(msgspec.Struct, frozen=True):
    """What a viewer may read beside the public threads, and whether the doors are open to it.

    `writes`: discussion, ballot and process threads take its posts now; else `why` (not_day, out, red_carded, no_seat).
    `dens`: from the end of setup on. `line`: the private line of this seat with the directors (0: none; directors read all).
    `log`: the directors' log. `all`: everything but tree holes (directors); `revealed`: the game is over.
    """

    writes: bool
    why: str
    dens: tuple[Den, ...]
    line: int
    log: bool
    all: bool
    revealed: bool


def rooms(s: State, viewer: Viewer) -> Rooms:
    """The rooms of a viewer (rules.md §7, C6, C26). An assistant sees what its player sees, den talk excepted."""
    if not s.n:
        return Rooms(False, "no_seat", (), 0, viewer.kind == "director", viewer.kind == "director", False)
    over = s.phase == OVER
    everything = viewer.kind == "director"
    seat = viewer.seat if viewer.kind in ("player", "assistant") else 0
    dens = []
    for den, members in enumerate(s.dens if s.phase != SETUP else []):
        mine = viewer.kind == "player" and bool(members >> seat & 1)
        if (everything or over or mine) and members:
            dens.append(Den(den, tuple(s.seats(members)), mine and not over))
    if everything:
        writes, why = not over, ""
    elif viewer.kind != "player":
        writes, why = False, "no_seat"
    elif s.phase != DAY or s.paused_at >= 0:
        writes, why = False, "not_day"
    elif not s.public_alive >> seat & 1:
        writes, why = False, "out"
    elif s.red_today >> seat & 1:
        writes, why = False, "red_carded"
    else:
        writes, why = True, ""
    return Rooms(writes, why, tuple(dens), seat, everything or over, everything, over)
