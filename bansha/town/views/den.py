"""A den: its talk, and who of the pack handed what in."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from bansha.journal import doors
from bansha.referee.refusals import Refused
from bansha.town import acts
from bansha.town.guards import TownRequest, in_play
from bansha.town.letters import words_of
from bansha.town.models import Post
from bansha.town.readable import readable
from bansha.town.table import Table

SHOWN = 200
"""Lines on a page; the rest stands behind a link."""


class Entry(NamedTuple):
    """A line of a den: a post, or a choice that was handed in (`skill`, `targets` in words; `old`: replaced since)."""

    minute: int
    seat: int
    post: Post | None
    skill: str = ""
    targets: str = ""
    passed: bool = False
    again: bool = False
    old: bool = False


def entries(table: Table, den: int) -> list[Entry]:
    """The talk of a den this viewer may read and the choices of its pack, in order of time."""
    lines = [Entry(post.minute, post.seat, post) for post in readable(table).filter(room=f"den-{den}").order_by("floor")]
    lines += _acts(table, den)
    lines.sort(key=lambda line: (line.minute, line.post is None))
    return lines


def _acts(table: Table, den: int) -> list[Entry]:
    assert table.game.journal is not None
    words = words_of(table)
    found: list[Entry] = []
    latest: dict[str, int] = {}
    for news in doors.heard(table.game.journal, table.viewer):
        if news.kind == "day":
            latest = {}
        if news.kind != "submitted" or news.value["den"] != den:
            continue
        value = news.value
        before = latest.get(value["skill"])
        if before is not None:
            found[before] = found[before]._replace(old=True)
        targets = _("、").join(f"{seat} {table.name(seat)}" for seat in value["targets"] or ())
        latest[value["skill"]] = len(found)
        passed = value["targets"] is None
        found.append(Entry(news.at, value["by"], None, words.skill(value["skill"]), targets, passed, before is not None))
    for view in table.me.skills if table.me is not None else ():
        if view.pack and not view.has_kept and view.id in latest:  # taken back by a director
            found[latest[view.id]] = found[latest[view.id]]._replace(old=True)
    return found


@in_play
@never_cache
def den(request: TownRequest, den: int) -> HttpResponse:
    """Read from joining on, also when out; talk while the game runs."""
    table = request.table
    room = next((room for room in table.rooms.dens if room.den == den), None)
    if room is None:
        raise Http404
    error, body = "", ""
    if request.method == "POST":
        body = request.POST.get("body", "")
        try:
            acts.whisper(table, f"den-{den}", body, request.POST.get("key", ""))
            return redirect(f"{request.path}#say")
        except (Refused, acts.Denied) as refusal:
            error = acts.sentence(refusal)
    lines = entries(table, den)
    posts = [line.post.floor for line in lines if line.post is not None]
    if posts:
        acts.mark_read(table, f"den-{den}", posts[-1])
    everything = "all" in request.GET
    alive = set(table.public.alive)
    shown = {
        "den": den,
        "members": room.members,
        "alive": len(alive & set(room.members)),
        "lines": lines if everything else lines[-SHOWN:],
        "earlier": 0 if everything else max(0, len(lines) - SHOWN),
        "writes": room.writes,
        "error": error,
        "body": body,
        "key": secrets.token_hex(16),
    }
    return render(request, "town/den.html", shown, status=422 if error else 200)


urls = [
    path("g/<int:game>/den/<int:den>/", den, name="den"),
]
