"""Reading a thread: which floors stand on a page, what is unread, who has posted where. However long the thread is, a page asks for
its own posts and for the floors that came since this process last looked (`roll`).

A page holds the floors of a fixed stretch (page 1: floors 1 to 20), so that a floor's page is the same for every reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet
from django.urls import reverse

from bansha.town.models import Mark, Post, Thread
from bansha.town.readable import readable
from bansha.town.roll import Roll, roll
from bansha.town.table import Table

PAGE = 20
"""Floors of a page."""


def page_of(floor: int) -> int:
    """The page a floor stands on."""
    return max(1, (floor - 1) // PAGE + 1)


def page_query(floor: int) -> str:
    """What is asked of a thread's address for the page a floor stands on; "" for the first."""
    page = page_of(floor)
    return f"?page={page}" if page > 1 else ""


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


STOPS = 40
"""Floors of a seat that the elevator lists: its newest; the others are behind the link to that seat alone."""


class Stop(NamedTuple):
    """A floor in the elevator: where it is, whether it is new to this reader."""

    floor: int
    href: str
    new: bool


class Ride(NamedTuple):
    """A seat in the elevator: how many posts it has here, how many are new to this reader and where the first of them is; `stops`
    where the elevator stands on the page (`earlier`: posts it does not list)."""

    seat: int
    name: str
    out: bool
    mine: bool
    posts: int
    new: int
    new_href: str
    stops: tuple[Stop, ...] = ()
    earlier: int = 0


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
    return next(iter(Thread.objects.filter(game=table.game, room=room).order_by()), None)


def posts_in(table: Table, room: str) -> QuerySet[Post]:
    """What this viewer may read of a room, in the order of floors; in the reveal thread with the accounts that wrote it."""
    posts = readable(table, room).order_by("floor")
    return posts.select_related("author") if room == "reveal" else posts


def sheet(table: Table, thread: Thread, page: int = 1, only: int | None = None) -> Sheet:
    """A page of a thread."""
    kept = roll(table, thread)
    table.newest[thread.room] = kept.newest
    read = kept.newest
    if table.account is not None:
        marks = Mark.objects.filter(account=table.account, game=table.game, room=thread.room)
        read = min(read, sum(marks.values_list("floor", flat=True)))  # there is one, or none
    unread, next_unread = kept.unread(read, table.seat)
    posts = posts_in(table, thread.room)
    if only is None:
        pages = page_of(kept.newest)
        page = min(max(1, page), pages)
        posts = posts.filter(floor__gt=(page - 1) * PAGE, floor__lte=page * PAGE)
    else:
        marked = kept.of(only)
        pages = max(1, -(-marked.count(1) // PAGE))
        page = min(max(1, page), pages)
        posts = posts.filter(floor__in=kept.stretch(marked, (page - 1) * PAGE, PAGE))
    shown = list(posts)
    rides = _rides(table, thread.room, kept, read, any(post.voice == "lift" for post in shown))
    return Sheet(
        thread, shown, page, pages, only, kept.newest, kept.posts, read if table.account is not None else 0, unread, next_unread, rides
    )


def _rides(table: Table, room: str, kept: Roll, read: int, listed: bool) -> list[Ride]:
    """The elevator: those in the game, and those out who have posted here, in seat order; with their floors where it is `listed`."""
    alive = set(table.public.alive)
    here = address(table.game.pk, room)
    rides = []
    for seat in sorted(table.personas):
        posts, out, mine = kept.per_seat.get(seat, 0), seat not in alive, seat == table.seat
        if out and not posts:
            continue
        new, first = (0, 0) if mine else kept.fresh(seat, read)
        stops: tuple[Stop, ...] = ()
        if listed:
            stops = tuple(Stop(floor, f"{here}{page_query(floor)}#f{floor}", not mine and floor > read) for floor in kept.last(seat, STOPS))
        href = address(table.game.pk, room, first) if new else ""
        rides.append(Ride(seat, table.name(seat), out, mine, posts, new, href, stops, posts - len(stops)))
    return rides


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
