"""The tree hole: a diary nobody else reads before the end, its directors included."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from bansha.referee.refusals import Refused
from bansha.town import acts
from bansha.town.guards import TownRequest, known
from bansha.town.letters import Heard, Span, span_name
from bansha.town.models import Draft, Post
from bansha.town.progress import count
from bansha.town.readable import readable
from bansha.town.table import Table


class Note(NamedTuple):
    """A note and where in the game it was written."""

    post: Post
    where: str


class Day(NamedTuple):
    """A day of the diary: its name, its notes, the latest first."""

    name: str
    notes: list[Note]


def diary(table: Table, posts: list[Post]) -> list[Day]:
    """Notes by day of the game, the latest first; days without a note stand there too."""
    heard = Heard(table)
    days: dict[str, list[Note]] = {}
    for span in heard.spans:
        days.setdefault(_day_name(span), [])
    for post in posts:
        span = heard.span(post.minute)
        if heard.ended and post.minute >= heard.ended:
            days.setdefault(_("结束之后"), []).append(Note(post, ""))
        else:
            days[_day_name(span)].append(Note(post, _where(table, span, post)))
    return [Day(name, notes[::-1]) for name, notes in reversed(days.items())]


def _day_name(span: Span) -> str:
    return span_name(span) if span.kind == "setup" or not span.day else _("第%(n)s日") % {"n": count(span.day)}


def _where(table: Table, span: Span, post: Post) -> str:
    if span.kind == "night":
        return _("关门之后")
    if span.kind != "day":
        return ""
    talk = readable(table).filter(room=f"talk-{span.day}", at__lte=post.at).order_by("-floor").values_list("floor", flat=True).first()
    return _("讨论帖 %(floor)s 楼之后") % {"floor": talk} if talk else ""


@known
@never_cache
def hole(request: TownRequest) -> HttpResponse:
    """Write into it and read it; those of the others are read on the reveal's page, after the end."""
    table, member = request.table, request.member
    error, body = "", ""
    if request.method == "POST":
        body = request.POST.get("body", "")
        try:
            acts.whisper(table, "hole", body, request.POST.get("key", ""))
            Draft.objects.filter(account=member, game=table.game, room="hole").delete()
            return redirect("town:hole", game=table.game.pk)
        except (Refused, acts.Denied) as refusal:
            error = acts.sentence(refusal)
    posts = readable(table).filter(room=f"hole-{member.pk}")
    draft = Draft.objects.filter(account=member, game=table.game, room="hole").first()
    shown = {
        "days": diary(table, list(posts.order_by("at", "floor"))),
        "error": error,
        "body": body or (draft.body if draft else ""),
        "draft": draft,
        "key": secrets.token_hex(16),
    }
    return render(request, "town/hole.html", shown, status=422 if error else 200)


urls = [
    path("g/<int:game>/hole/", hole, name="hole"),
]
