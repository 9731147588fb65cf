"""Reading a thread: which floors stand on a page, what is unread, who has posted where. Two questions to the database for the
floors and the page's posts, however long the thread is.

A page holds the floors of a fixed stretch (page 1: floors 1 to 50), so that a floor's page is the same for every reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.urls import reverse

from bansha.town.models import Mark, Post, Thread
from bansha.town.readable import readable
from bansha.town.table import Table

PAGE = 50
"""Floors of a page."""


def page_of(floor: int) -> int:
    """The page a floor stands on."""
    return max(1, (floor - 1) // PAGE + 1)


def address(game: int, room: str, floor: int = 0, only: int | None = None, page: int = 0) -> str:
    """The address of a thread, of one of its pages or floors."""
    if room.partition("-")[0] in ("ballot", "election"):
        return (
            reverse("town:ballot", args=[game, room])
            + (f"?only={only}" if only is not None else "")
            + (f"#f{floor}" if floor else "#posts")
        )
    page = page or page_of(floor)
    asked = [f"only={only}"] if only is not None else []
    asked += [f"page={page}"] if page > 1 else []
    return reverse("town:thread", args=[game, room]) + ("?" + "&".join(asked) if asked else "") + (f"#f{floor}" if floor else "")


@dataclass
class Stop:
    """A floor in the elevator: where it is, whether it is new to this reader."""

    floor: int
    href: str
    new: bool


@dataclass
class Ride:
    """A seat in the elevator."""

    seat: int
    name: str
    out: bool
    mine: bool
    stops: list[Stop] = field(default_factory=list)

    @property
    def new(self) -> list[Stop]:
        """Its stops that are new."""
        return [stop for stop in self.stops if stop.new]


@dataclass
class Sheet:
    """A page of a thread for one reader. `only`: the seat whose posts alone are shown (0: the directors'). `read`: how far
    it had been read; `unread`: how many posts of others came after, the first at `next_unread` (0: none)."""

    thread: Thread
    posts: list[Post]
    page: int
    pages: int
    only: int | None
    newest: int
    count: int
    read: int
    unread: int
    next_unread: int
    rides: list[Ride]

    @property
    def last_shown(self) -> int:
        """The last floor on this page."""
        return self.posts[-1].floor if self.posts else 0

    @property
    def previous(self) -> int:
        """The page before."""
        return self.page - 1

    @property
    def following(self) -> int:
        """The page after."""
        return self.page + 1


def find_thread(table: Table, room: str) -> Thread | None:
    """A public thread of the game."""
    return Thread.objects.filter(game=table.game, room=room).first()


def posts_in(table: Table, room: str) -> QuerySet[Post]:
    """What this viewer may read of a room, in the order of floors."""
    return readable(table).filter(room=room).order_by("floor")


def sheet(table: Table, thread: Thread, page: int = 1, only: int | None = None) -> Sheet:
    """A page of a thread."""
    posts = posts_in(table, thread.room)
    floors: list[tuple[int, int, str]] = list(posts.values_list("floor", "seat", "voice"))
    read = 0
    if table.account is not None:
        read = Mark.objects.filter(account=table.account, game=table.game, room=thread.room).values_list("floor", flat=True).first() or 0
    new = {floor for floor, seat, _ in floors if table.account is not None and floor > read and not (seat and seat == table.seat)}
    listed = [floor for floor, seat, _ in floors if only is None or seat in (0, only)]
    stretches = max(1, page_of(listed[-1]) if listed and only is None else -(-len(listed) // PAGE))
    page = min(max(1, page), stretches)
    by_rank = listed[(page - 1) * PAGE : page * PAGE]
    shown = by_rank if only is not None else [floor for floor in listed if page_of(floor) == page]
    return Sheet(
        thread, list(posts.filter(floor__in=shown)), page, stretches, only, floors[-1][0] if floors else 0, len(floors), read, len(new),
        min(new, default=0), _rides(table, thread.room, floors, new),
    )  # fmt: skip


def _rides(table: Table, room: str, floors: list[tuple[int, int, str]], new: set[int]) -> list[Ride]:
    """The elevator: those in the game, and those out who have posted here, in seat order."""
    alive = set(table.public.alive)
    rides = {seat: Ride(seat, table.name(seat), seat not in alive, seat == table.seat) for seat in table.personas}
    for floor, seat, voice in floors:
        if voice == "seat" and seat in rides:
            rides[seat].stops.append(Stop(floor, address(table.game.pk, room, floor), floor in new))
    return [ride for seat, ride in sorted(rides.items()) if not ride.out or ride.stops]


def place_of(table: Table, room: str, floor: int) -> int:
    """The floor a jump lands on: this one, the next readable one after it, or the last (0: nothing is there)."""
    floors = posts_in(table, room).values_list("floor", flat=True)
    return floors.filter(floor__gte=floor).first() or floors.order_by("-floor").first() or 0


def next_of(table: Table, room: str, floor: int) -> int:
    """The next floor of the same voice after a floor (the same one when there is none)."""
    posts = posts_in(table, room)
    here = posts.filter(floor=floor).first()
    if here is None:
        return place_of(table, room, floor)
    after = posts.filter(floor__gt=floor, seat=here.seat).exclude(voice="lift")
    return after.values_list("floor", flat=True).first() or floor
