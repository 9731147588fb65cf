"""A game's hub: what phase it is, who lives, the threads, the news, and where I stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.translation import gettext as _

from bansha.town import acts, reading
from bansha.town.days import natural, openings, weeks
from bansha.town.frames import byline
from bansha.town.guards import TownRequest, at_game, known
from bansha.town.looks import skyline
from bansha.town.models import Directing, Mark, Post, Thread
from bansha.town.readable import readable
from bansha.town.roll import ANNOUNCED, Roll, rolls
from bansha.town.standing import cards, last_words_left, quota
from bansha.town.table import Table
from bansha.town.words import clock


@dataclass
class House:
    """A seat as the hub shows it: out since when and how as publicly known ("": in the game), and its office."""

    seat: int
    name: str
    out: bool
    when: str
    sheriff: bool
    mine: bool


@dataclass
class Line:
    """A thread on the list: its newest floor, who wrote it and when, how many posts are unread; shut ones are grey."""

    room: str
    href: str
    floors: int
    last: str
    unread: int
    shut: bool


def houses(table: Table) -> list[House]:
    """The seats, the dead included."""
    if not table.begun:
        return [House(seat, persona.name, False, "", False, False) for seat, persona in table.personas.items()]
    public = table.public
    when = left_when(table)
    return [
        House(seat, persona.name, seat not in public.alive, when.get(seat, ""), seat == public.sheriff, seat == table.seat)
        for seat, persona in table.personas.items()
    ]


def left_when(table: Table) -> dict[int, str]:
    """When and how each one out left, from what was announced: 第 2 日放逐, 第 1 夜, 罚下."""
    public = table.public
    opened = openings(table)

    def day_at(minute: int) -> int:
        return max((day for day, at in opened.items() if at <= minute), default=0)

    found: dict[int, str] = {}
    for said in public.announced:
        day = day_at(said.at)
        if said.kind == "放逐" and isinstance(said.value, int):
            found[said.value] = _("第 %(day)s 日放逐") % {"day": day}
        elif said.kind == "出局" and isinstance(said.value, list):
            for seat in said.value:
                found.setdefault(seat, _("第 %(night)s 夜") % {"night": max(0, day - 1)})
    for seat in public.out:
        if public.cards.get(seat, (0, 0, 0))[2]:
            found[seat] = _("罚下")
        found.setdefault(seat, _("第 %(day)s 日") % {"day": public.day})
    return found


def lines(table: Table) -> list[Line]:
    """The threads, today's first, with what this reader has not read."""
    rooms = {thread.room: thread for thread in table.threads}
    marks: dict[str, int] = {}
    if table.account is not None:
        marks = dict(Mark.objects.filter(account=table.account, game=table.game).values_list("room", "floor"))
    kept = rolls(table, list(rooms.values()))
    ends = [found.newest_post for found in kept.values()]
    last = {post.room: post for post in readable(table).filter(pk__in=ends).select_related("author")}
    newest = max((thread.day for thread in rooms.values()), default=0)
    listed = sorted(rooms.values(), key=lambda thread: _order(thread, newest))
    return [_line(table, thread, last.get(thread.room), kept[thread.room], marks.get(thread.room, 0)) for thread in listed]


def _order(thread: Thread, newest: int) -> tuple[int, int, int]:
    """The reveal thread, today's threads, the process thread, then the days before."""
    kinds = {"talk": 0, "ballot": 1, "election": 2, "process": 3, "reveal": 4}
    first = {"reveal": -1, "process": 1}.get(thread.kind, 0 if thread.day == newest else 2)
    return (first, -thread.day, kinds[thread.kind])


def _line(table: Table, thread: Thread, last: Post | None, kept: Roll, read: int) -> Line:
    public = table.public
    open_day = thread.day == public.day and public.phase == "day"
    shut = thread.kind != "reveal" and (public.phase == "over" or (thread.kind != "process" and not open_day))
    unread, _first = kept.unread(min(read, kept.newest), table.seat) if table.account is not None else (0, 0)
    said = ""
    if last is not None:
        author, _beside = byline(last, table)
        who = author or (table.name(last.seat) if last.seat else _("导演"))
        said = f"{who} {clock(last.minute, table.minute)}"
    href = reading.address(table.game.pk, thread.room)
    if unread and read:
        href = reading.address(table.game.pk, thread.room, page=reading.page_of(read + 1)) + "#unread"
    if thread.kind == "process":
        href = reverse("town:process", args=[table.game.pk])
    elif thread.kind in ("ballot", "election"):
        href = reverse("town:ballot", args=[table.game.pk, thread.room])
    return Line(thread.room, href, kept.newest, said, unread, shut)


def news(table: Table) -> list[Post]:
    """The latest announcements this viewer may read."""
    days = sorted((thread for thread in table.threads if thread.kind == "talk"), key=lambda thread: -thread.day)
    kept = rolls(table, days)
    said: list[int] = []
    for thread in days:
        said += kept[thread.room].announced if len(said) < ANNOUNCED else ()
    return list(readable(table).filter(pk__in=said).order_by("-minute", "-floor")[:ANNOUNCED])


def mine(table: Table) -> dict[str, Any]:
    """My own box: posts, vote, cards, last words."""
    me, public = table.me, table.public
    if me is None or not table.seat:
        return {}
    voted = [table.name(target) for target in me.vote.values()]
    count, left = last_words_left(table)
    return {
        "quota": quota(table),
        "voting": public.phase == "day" and bool(public.ballots) and table.seat in public.alive,
        "voted": "、".join(voted),
        "cards": cards(table, table.seat),
        "words": count,
        "words_left": left,
    }


@at_game
def hub(request: TownRequest) -> HttpResponse:
    """The hub of a game, from its sign-up on."""
    table = request.table
    game = table.game
    lived = houses(table)
    out = [house.seat for house in lived if house.out]
    shown: dict[str, Any] = {
        "houses": lived,
        "skyline": skyline(f"{game.pk}", game.seats, out, table.seat if table.begun else 0),
        "living": game.seats - len(out),
        "gone": len(out),
        "directors": Directing.objects.filter(game=game).count(),
    }
    if table.begun:
        if table.public.day:
            shown["talk"] = reading.address(game.pk, f"talk-{table.public.day}")
        shown |= {"lines": lines(table), "news": news(table), "mine": mine(table), "weeks": weeks(table), "today": natural(table.minute)}
    return render(request, "town/hub.html", shown)


@known
def all_read(request: TownRequest) -> HttpResponse:
    """Count everything in the threads as read."""
    table = request.table
    if request.method == "POST":
        posts = readable(table).filter(room__in=[thread.room for thread in table.game.threads.all()])
        for room, newest in posts.values_list("room").annotate(newest=Max("floor")):
            acts.mark_read(table, room, newest)
    return redirect("town:hub", table.game.pk)


urls = [
    path("g/<int:game>/", hub, name="hub"),
    path("g/<int:game>/read/", all_read, name="all_read"),
]
