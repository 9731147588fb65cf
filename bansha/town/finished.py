"""Finished pages of threads for visitors, kept by each process. A visitor's page is made of public facts alone, and its key is
those facts themselves: the public view, the thread's newest floor, the minute. Nothing hidden stands in the key, so that a page is
made anew, or not, no matter what happens where a visitor cannot see (docs/speed.md)."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import NamedTuple

import msgspec
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from bansha.town.memo import Memo
from bansha.town.models import Thread
from bansha.town.table import Table

ASKED = {"page", "only"}
"""What a visitor may ask of a thread's address to be given a finished page."""
_encode = msgspec.json.Encoder().encode


class Page(NamedTuple):
    """A page as it goes out, plain and compressed."""

    plain: bytes
    small: bytes


_pages: Memo[Page] = Memo(300)


def page(request: HttpRequest, table: Table, thread: Thread, place: Hashable, make: Callable[[], HttpResponse]) -> HttpResponse:
    """The page of a thread at a `place` (which page of it, which seat alone), finished or made now. `make` makes it; for members
    it is asked every time, and whenever the address asks for more or something is to be said only once."""
    if table.account is not None or not ASKED.issuperset(request.GET) or thread.kind == "reveal" or len(get_messages(request)):
        return make()
    minute = table.now.replace(second=0, microsecond=0)
    table.told_at = minute + timedelta(minutes=1)
    key = (place, minute, *_facts(request, table, thread))
    found = _pages.get(key)
    if found is None:
        response = make()
        if response.status_code != 200:
            return response
        found = _pages.put(key, Page(response.content, gzip.compress(response.content, 6, mtime=0)))
    small = re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")) is not None
    answer = HttpResponse(found.small if small else found.plain)
    if small:
        answer["Content-Encoding"] = "gzip"
    patch_vary_headers(answer, ("Accept-Encoding",))
    return answer


def _facts(request: HttpRequest, table: Table, thread: Thread) -> tuple[Hashable, ...]:
    """What a visitor's page is made of, the minute apart: all of it is told to everybody."""
    game = table.game
    return (
        request.get_host(), get_language(), request.COOKIES.get("sky", ""), thread.pk, thread.opened_at, thread.floors, game.pk, game.title,
        game.status, table.minute, table.pace, table.still_until is None, table.rooms, _encode(table.public), table.faces,
    )  # fmt: skip
