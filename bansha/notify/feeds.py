"""Atom feeds of a game and of its threads: what a guest may read, the same for whoever asks.

Everything comes from `readable` for nobody in particular, so a feed, its size, its validators and its times hang on public facts
alone. An announcement under review is in it from the moment it shows (C28).
"""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256

from django.conf import settings
from django.db.models import Max, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from bansha.rulesets.words import minutes_of
from bansha.town import reading
from bansha.town.guards import TownRequest, at_game, in_play
from bansha.town.models import LogLine, Post, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.templatetags.town import room_name

MOST = 50
"""Entries of a feed, the newest."""
OWN_LINK = re.compile(r'(\b(?:href|src)=")/')
UNSPEAKABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML has no way to say."""
KINDS = ("talk", "ballot", "election", "process", "reveal")
TYPE = "application/atom+xml; charset=utf-8"


def _moments(posts: QuerySet[Post]) -> list[tuple[datetime, int]]:
    """When each post could be read first, with its row, in that order: a floor is never earlier than the one before it, for an
    announcement that waited for its release took its floor only then (C28)."""
    found = []
    latest: dict[str, datetime] = {}
    for row, room, at in posts.order_by("room", "floor").values_list("pk", "room", "at"):
        latest[room] = max(at, latest.get(room, at))
        found.append((latest[room], row))
    return sorted(found, key=lambda pair: pair[0])


def _hour(table: Table) -> datetime:
    """The latest hour of opening, at which whatever still waited for a review shows (every game's, reviewed or not)."""
    opens = minutes_of(table.loaded.ruleset.calendar.opens)
    return table.pace.moment(table.minute - (table.minute - opens) % 1440)


def atom(table: Table, title: str, path: str, own: str, only: Q) -> tuple[bytes, datetime]:
    """A feed of a game's public posts of one choice, and when it last changed. `table`: nobody's. `path`: the page it belongs to;
    `own`: its own address."""
    game = table.game
    moments: list[tuple[datetime, int]] = []
    changed = game.made_at
    if table.begun:  # before the deal there is nothing to read
        rooms = list(Thread.objects.filter(game=game, kind__in=KINDS).values_list("room", flat=True))
        moments = _moments(readable(table).filter(only, room__in=rooms).exclude(voice="lift"))[-MOST:]
        released = LogLine.objects.filter(game=game, kind="worded").aggregate(at=Max("at"))["at"]
        changed = max(at for at in (changed, _hour(table), released, *(at for at, _row in moments)) if at is not None)
    posts = Post.objects.in_bulk([row for _at, row in moments])
    guid = _id(game.made_at, path)
    feed = Atom1Feed(_plain(title), settings.ADDRESS + path, "", language="zh-Hans", feed_url=settings.ADDRESS + own, feed_guid=guid)
    for at, row in reversed(moments):
        post = posts[row]
        address = reading.address(game.pk, post.room, post.floor)
        place = room_name(post.room)
        feed.add_item(
            _("%(place)s %(floor)s 楼") % {"place": place, "floor": post.floor},
            settings.ADDRESS + address,
            _plain(OWN_LINK.sub(rf"\g<1>{settings.ADDRESS}/", post.html)),
            author_name=_plain(_author(table, post)),
            unique_id=_id(game.made_at, reverse("town:floor", args=[game.pk, post.room, post.floor])),
            pubdate=post.at,
            updateddate=at,
        )
    feed.latest_post_date = lambda: moments[-1][0] if moments else game.made_at  # type: ignore[method-assign]
    return feed.writeString("utf-8").encode(), changed


def _author(table: Table, post: Post) -> str:
    """A persona, the directors, or somebody who writes under their own name after the end: who is not named in a feed."""
    if post.voice == "seat" and post.seat:
        return table.name(post.seat)
    return _("镇上的人") if post.voice == "account" else _("导演")


def _plain(text: str) -> str:
    return UNSPEAKABLE.sub("", text)


def _id(made: datetime, path: str) -> str:
    """An id for ever (RFC 4151): the town's name, the day the game was made, and the place."""
    return f"tag:{settings.TOWN},{made:%Y-%m-%d}:{path}"


def _answer(request: HttpRequest, body: bytes, changed: datetime) -> HttpResponse:
    """The feed, or that it has not changed."""
    etag = f'"{sha256(body).hexdigest()[:32]}"'
    whole = changed.replace(microsecond=0)
    response = get_conditional_response(request, etag, int(whole.timestamp())) or HttpResponse(body, content_type=TYPE)
    response["ETag"] = etag
    response["Last-Modified"] = format_datetime(whole, usegmt=True)
    response["Cache-Control"] = "public, max-age=60"
    return response


@at_game
def game_feed(request: TownRequest) -> HttpResponse:
    """What is said in a game by its directors and its referee: openings, announcements, counts, the end."""
    table = Table(request.table.game, None, request.table.now)
    if table.game.status == "draft":
        raise Http404
    with translation.override("zh-hans"):
        home = reverse("town:hub", args=[table.game.pk])
        return _answer(request, *atom(table, table.game.title, home, request.path, Q(voice__in=("referee", "director"))))


@in_play
def thread_feed(request: TownRequest, room: str) -> HttpResponse:
    """All posts of a public thread."""
    table = Table(request.table.game, None, request.table.now)
    found = reading.find_thread(table, room)
    if found is None or found.kind not in KINDS:
        raise Http404
    with translation.override("zh-hans"):
        title = f"{table.game.title} · {room_name(room)}"
        return _answer(request, *atom(table, title, reading.address(table.game.pk, room), request.path, Q(room=room)))
