"""The private line between a player and the directors, and what of it a director makes public."""

from __future__ import annotations

import secrets

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from bansha.referee.refusals import Refused
from bansha.town import acts, reveal
from bansha.town.guards import TownRequest, at_line, seated
from bansha.town.models import LogLine
from bansha.town.readable import readable


@seated
@never_cache
def line(request: TownRequest) -> HttpResponse:
    """A player's line: ask the directors, read their answers."""
    return _page(request, request.table.viewer.seat)


@at_line
@never_cache
def line_of(request: TownRequest, seat: int) -> HttpResponse:
    """The line of a seat, for the directors: answer, and publish. After the end for everybody, as far as both sides agreed."""
    table = request.table
    if seat not in table.personas:
        raise Http404
    if not table.sees_all and (request.method == "POST" or not readable(table).filter(room=f"line-{seat}").exists()):
        raise Http404
    if "publish" in request.POST:
        return _publish(request, seat)
    return _page(request, seat)


def _publish(request: TownRequest, seat: int) -> HttpResponse:
    floors = [int(x) for x in request.POST.getlist("floor") if x.isascii() and x.isdigit()]
    try:
        post = acts.publish_line(request.table, seat, floors)
    except (Refused, acts.Denied) as refusal:
        return _shown(request, seat, acts.sentence(refusal), "")
    messages.success(request, _("已公布在进程帖 %(floor)s 楼。") % {"floor": post.floor})
    return redirect("town:line_of", game=request.table.game.pk, seat=seat)


def _page(request: TownRequest, seat: int) -> HttpResponse:
    error, body = "", ""
    if request.method == "POST":
        body = request.POST.get("body", "")
        try:
            acts.whisper(request.table, f"line-{seat}", body, request.POST.get("key", ""))
            return redirect(f"{request.path}#say")
        except (Refused, acts.Denied) as refusal:
            error = acts.sentence(refusal)
    return _shown(request, seat, error, body)


def _shown(request: TownRequest, seat: int, error: str, body: str) -> HttpResponse:
    table = request.table
    posts = list(readable(table).filter(room=f"line-{seat}").order_by("floor"))
    if posts:
        acts.mark_read(table, f"line-{seat}", posts[-1].floor)
    after = table.rooms.revealed
    if table.sees_all:
        back = reverse("desk:desk", args=[table.game.pk])
    else:
        back = reverse("town:letter" if table.me is not None and table.viewer.seat == seat else "town:reveal", args=[table.game.pk])
    published = _published(table.game.pk, seat) if table.sees_all else {}
    shown = {
        "seat": seat,
        "rows": [(post, published.get(post.floor, "")) for post in posts],
        "writes": table.directs or table.seat == seat,
        "back": back,
        "agreement": next((row for row in reveal.lines(table) if row.seat == seat), None) if after else None,
        "error": error,
        "body": body,
        "key": secrets.token_hex(16),
    }
    return render(request, "town/line.html", shown, status=422 if error else 200)


def _published(game: int, seat: int) -> dict[int, str]:
    """Floor of the line → floor of the process thread where it was published."""
    found: dict[int, str] = {}
    for about, words in LogLine.objects.filter(game=game, about__startswith=f"line {seat} ").values_list("about", "words"):
        found |= dict.fromkeys(map(int, about.split(" ")[2].split(",")), words)
    return found


urls = [
    path("g/<int:game>/line/", line, name="line"),
    path("g/<int:game>/line/<int:seat>/", line_of, name="line_of"),
]
