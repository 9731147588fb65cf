"""The process thread: petitions with their signatures and the close they would lead to, requests, announcements."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.referee.refusals import Refused
from bansha.town import acts
from bansha.town.guards import TownRequest, in_play
from bansha.town.models import Post, Request, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.words import clock

DAY = 1440
SHOWN = 40
"""Posts on the page at most, the newest; the thread has them all."""


@dataclass
class Shift:
    """From this close to the one a petition would lead to, drawn on a line: places in per cent and how words are anchored."""

    now: str
    close: str
    aim: str
    close_anchor: str
    aim_anchor: str
    aim_at: str
    close_at: str
    begins: str
    sooner: bool


@dataclass
class Card:
    """A petition as the page shows it."""

    kind: str
    name: str
    petition: doors.Petition
    slots: range
    missing: int
    until: str
    close: str
    shift: Shift | None
    why: str
    lit: bool = False


def per_cent(part: float) -> str:
    """A place on a line."""
    return f"{100 * min(1.0, max(0.0, part)):.1f}%"


def anchored(part: float) -> str:
    """How words at a place are anchored, so that they stay inside."""
    return "start" if part < 0.2 else "end" if part > 0.6 else "middle"


def shift(table: Table, petition: doors.Petition) -> Shift | None:
    """The drawing of a petition that moves the close."""
    now, close, aim = table.minute, table.public.closes_at, petition.close
    if not aim or aim == close:
        return None
    begins = now - now % DAY + 540 if now % DAY >= 540 else now - now % DAY
    span = max(1, max(close, aim) - begins)
    parts = [(minute - begins) / span for minute in (now, close, aim)]
    at = [per_cent(part) for part in parts]
    return Shift(
        at[0], at[1], at[2], anchored(parts[1]), anchored(parts[2]), clock(aim, now), clock(close, now), clock(begins, now), aim < close
    )


def cards(table: Table) -> list[Card]:
    """The petitions of this board as this viewer sees them."""
    assert table.game.journal is not None
    names = {"speed_up": _("加速"), "extend": _("延时"), "abort": _("流局")}
    found = []
    for petition in doors.petitions(table.game.journal, table.seat, table.minute):
        missing = max(0, petition.quorum - len(petition.signed))
        why = acts.sentence(petition.refusal) if petition.refusal is not None else ""
        close = clock(petition.close, table.minute) if petition.close else ""
        until, drawn = clock(petition.until, table.minute), None if petition.passed else shift(table, petition)
        found.append(Card(petition.kind, names[petition.kind], petition, range(missing), missing, until, close, drawn, why))
    ready = [card for card in found if table.seat and card.petition.refusal is None]
    if ready:
        min(ready, key=lambda card: card.missing).lit = True
    return found


@in_play
def process(request: TownRequest) -> HttpResponse:
    """Sign, ask the directors, post; read the petitions and the thread."""
    if request.method == "POST":
        try:
            return _done(request)
        except (Refused, acts.Denied) as refusal:
            return _page(request, acts.sentence(refusal))
    return _page(request, "")


def _done(request: TownRequest) -> HttpResponse:
    """Do what was asked.

    Raises:
        Refused, Denied: nothing has changed.
    """
    table, posted = request.table, request.POST
    key = posted.get("key", "")
    match posted.get("do", ""):
        case "sign":
            acts.sign(table, posted.get("kind", ""), key)
            messages.success(request, _("签名有效，已记在进程帖。"))
            return redirect(request.path)
        case "say":
            post = acts.say(table, "process", posted.get("body", ""), key)
            return HttpResponseRedirect(f"{request.path}#f{post.floor}")
        case "ask":
            acts.ask(table, posted.get("words", ""), key)
            messages.success(request, _("请求已交给导演。"))
            return redirect(f"{request.path}#ask")
    raise Http404


def _page(request: TownRequest, error: str) -> HttpResponse:
    table = request.table
    posts = list(readable(table).filter(room="process").order_by("floor"))
    today = _opened(table)
    only_today = request.GET.get("day") == "1"
    signed = [post for post in posts if post.note == "sign" and post.minute >= today]
    counted: dict[str, int] = {}
    for post in signed:
        kind = post.words.partition("：")[2]
        counted[kind] = counted.get(kind, 0) + 1
        post.signed = f"{kind} {counted[kind]}"  # type: ignore[attr-defined]
    mine = Request.objects.filter(game=table.game, seat=table.seat, kind__in=("other", "action")) if table.seat else Request.objects.none()
    doing = request.POST.get("do", "") if request.method == "POST" else ""
    context = {
        "cards": cards(table) if table.public.phase == "day" else [],
        "posts": [post for post in posts if not only_today or post.minute >= today][-SHOWN:],
        "more": len(posts) > SHOWN,
        "only_today": only_today,
        "signed": signed[::-1],
        "earlier": [post for post in posts if post.note == "sign" and post.minute < today][-12:][::-1],
        "asked": list(mine.order_by("pk")),
        "error": error,
        "doing": doing,
        "body": request.POST.get("body", "") if doing == "say" else "",
        "words": request.POST.get("words", "") if doing == "ask" else "",
        "writes": table.directs or (table.rooms.writes and table.seat > 0),
        "key": request.POST.get("key") or secrets.token_hex(16),
    }
    if posts and not only_today:
        acts.mark_read(table, "process", posts[-1].floor)
    return render(request, "town/process.html", context, status=422 if error else 200)


def _opened(table: Table) -> int:
    """The minute the latest day opened."""
    room = Thread.objects.filter(game=table.game, kind="talk").order_by("-day").values_list("room", flat=True).first()
    found = Post.objects.filter(game=table.game, room=room, floor=1).values_list("minute", flat=True).first() if room else None
    return found or 0


urls = [
    path("g/<int:game>/process/", process, name="process"),
]
