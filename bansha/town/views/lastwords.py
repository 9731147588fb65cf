"""Last words (C11): plain text, handed in by those entitled until they are due, public at the next opening."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from bansha.bbcode.tokens import codes_in
from bansha.journal import doors
from bansha.referee.refusals import Refused
from bansha.town import acts
from bansha.town.guards import TownRequest, in_play
from bansha.town.models import Post
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.words import clock


@in_play
def lastwords(request: TownRequest) -> HttpResponse:
    """Hand last words in or waive them; read those of who went before."""
    if request.method != "POST":
        return _page(request, "", None)
    table, text = request.table, request.POST.get("text", "")
    if not table.seat:
        raise Http404
    try:
        if "waive" in request.POST:
            acts.waive_last_words(table)
            messages.success(request, _("记下了：不留遗言。截止之前可以改主意。"))
        else:
            acts.last_words(table, text, request.POST.get("key", ""))
            messages.success(request, _("遗言已交，开门时张贴；截止之前可以再交，以最后一次为准。"))
    except (Refused, acts.Denied) as refusal:
        return _page(request, acts.sentence(refusal), text)
    return redirect(request.path)


def _hour(until: int, now: int) -> str:
    """When last words are due; the midnight of today is 24:00."""
    return "24:00" if until % 1440 == 0 and until - now <= 1440 else clock(until, now)


def faults(text: str) -> list[tuple[int, list[str]]]:
    """The codes of a text by line: last words take none."""
    found: dict[int, list[str]] = {}
    for line, code in codes_in(text):
        if code not in found.setdefault(line, []):
            found[line].append(code)
    return sorted(found.items())


def _page(request: TownRequest, error: str, text: str | None) -> HttpResponse:
    table = request.table
    assert table.game.journal is not None
    right = doors.farewell(table.game.journal, table.viewer.seat if table.me is not None else 0, table.minute)
    handed = readable(table).filter(room="words")
    mine = handed.filter(seat=table.viewer.seat).first() if table.me is not None else None
    context: dict[str, Any] = {
        "right": right,
        "mine": mine,
        "may": bool(table.seat and right.until),
        "until": _hour(right.until, table.minute) if right.until else "",
        "left": table.left(right.until) if right.until else 0,
        "posted": table.viewer.seat in _said(table),
        "error": error,
        "faults": faults(text or "") if error else [],
        "text": text if text is not None else mine.body if mine is not None else "",
        "gone": _gone(table),
        "held": list(handed.exclude(body="").exclude(seat__in=_said(table)).order_by("at")) if table.sees_all else [],
        "opens": clock(table.public.opens_at, table.minute),
        "key": secrets.token_hex(16),
    }
    return render(request, "town/lastwords.html", context, status=422 if error else 200)


def _published(table: Table) -> list[Post]:
    return list(readable(table).filter(note="lastwords").exclude(room="words").order_by("minute", "room", "floor"))


def _said(table: Table) -> set[int]:
    """Whose last words are public."""
    return {post.seat for post in _published(table)}


def _gone(table: Table) -> list[Post]:
    """The last words that are public, in order of out."""
    place = {seat: number for number, seat in enumerate(table.public.out)}
    return sorted(_published(table), key=lambda post: place.get(post.seat, 99))


urls = [
    path("g/<int:game>/lastwords/", lastwords, name="lastwords"),
]
