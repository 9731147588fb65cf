"""Searching a game: only in what the viewer may read, so that neither hits nor their number tell more."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.translation import gettext as _

from bansha.town import searching
from bansha.town.guards import TownRequest, in_play
from bansha.town.models import Post
from bansha.town.readable import readable
from bansha.town.table import Table

PAGE = 20
LONGEST = 200
PUBLIC_ROOMS = ("talk", "ballot", "election", "process", "reveal")


@dataclass
class Found:
    """A hit: the post, where it is read, its words around the first hit in pieces, and after the end whose own name it bears."""

    post: Post
    href: str
    pieces: list[tuple[str, bool]]
    author: str = ""


def address(table: Table, post: Post) -> str:
    """Where a post is read ("": nowhere but here)."""
    game, (kind, _sep, number) = table.game.pk, post.room.partition("-")
    if kind in PUBLIC_ROOMS:
        return reverse("town:floor", args=[game, post.room, post.floor])
    if kind == "den":
        return reverse("town:den", args=[game, int(number)])
    if kind == "line":
        own = number == str(table.viewer.seat)
        return reverse("town:line", args=[game]) if own else reverse("town:line_of", args=[game, int(number)])
    if kind == "words" and table.seat:
        return reverse("town:lastwords", args=[game])
    if kind == "hole" and table.account is not None and number == str(table.account.pk):
        return reverse("town:hole", args=[game])
    if kind == "hole" and post.author is not None:
        return reverse("town:reveal_holes", args=[game]) + "?" + urlencode({"of": post.author.username})
    if kind == "log":
        return reverse("desk:log", args=[game])
    return ""


def _chosen(table: Table, value: str) -> int | None:
    """The persona asked for (0: the directors), or none."""
    seat = int(value) if value.isdecimal() and len(value) < 4 else None
    return seat if seat == 0 or seat in table.personas else None


def _hit(table: Table, post: Post, asked: list[searching.Term]) -> Found:
    named = table.rooms.revealed and post.voice == "account" and post.author is not None
    author = post.author.username if named and post.author is not None else ""
    return Found(post, address(table, post), searching.excerpt(post.words, asked), author)


@in_play
def search(request: TownRequest) -> HttpResponse:
    """The posts that hold all words of a query, the newest first."""
    table = request.table
    query = request.GET.get("q", "").strip()[:LONGEST]
    asked = searching.terms(query)
    seat = _chosen(table, request.GET.get("by", ""))
    error = ""
    if query and not asked:
        error = _("这里只能搜字、词和数字，不能只搜标点。")
    elif searching.too_much(asked):
        error = _("一次最多搜 %(terms)s 个词，每个词最多 %(letters)s 字。") % {
            "terms": searching.MOST_TERMS, "letters": searching.MOST_TOKENS,
        }  # fmt: skip
    posts = searching.found_in(readable(table).exclude(voice="lift"), asked)
    if seat is not None:
        posts = posts.filter(seat=seat)
        if not seat:  # the directors
            posts = posts.exclude(voice="account")
    count = posts.count()
    pages = max(1, -(-count // PAGE))
    asked_page = request.GET.get("page", "")
    page = min(pages, max(1, int(asked_page))) if asked_page.isdecimal() and len(asked_page) < 6 else 1
    listed = posts.select_related("author").order_by("-minute", "-at", "room", "-floor")[(page - 1) * PAGE : page * PAGE]
    shown = {
        "query": query,
        "error": error,
        "count": count,
        "found": [_hit(table, post, asked) for post in listed],
        "by": seat,
        "sheet": {"page": page, "pages": pages, "previous": page - 1, "following": page + 1},
        "personas": table.personas.values(),
    }
    return render(request, "town/search.html", shown, status=422 if error else 200)


urls = [
    path("g/<int:game>/search/", search, name="search"),
]
