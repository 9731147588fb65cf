"""A thread: reading it page by page, posting, previewing, keeping a draft."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.translation import gettext as _

from bansha.referee.refusals import Refused
from bansha.town import acts, reading, tallies
from bansha.town.frames import frame
from bansha.town.guards import TownRequest, in_play
from bansha.town.models import Draft, Post, Thread
from bansha.town.readable import readable
from bansha.town.standing import quota
from bansha.town.table import Table
from bansha.town.words import clock

BACK_TICK = "[/quote"


@dataclass
class Door:
    """Whether a thread takes this one's posts (`writes`) or at least a draft (`drafts`); else `why` not, and where today is."""

    writes: bool
    drafts: bool
    why: str
    today: str


@dataclass
class Item:
    """A post on the page: its frame, and whether the unread line stands before it."""

    post: Post
    html: str
    first_unread: bool


def door_of(table: Table, thread: Thread) -> Door:
    """Who may write here now, and why not (C26)."""
    todays = thread.room == "process" or thread.day == table.public.day
    if table.directs:
        return Door(True, True, "", "")
    if todays and table.rooms.writes and not table.place.visiting:
        return Door(True, True, "", "")
    reason = table.rooms.why
    if table.public.phase == "over":
        return Door(False, False, _("本局已经结束，帖子只读。"), "")
    if reason == "no_seat" or table.place.visiting:
        return Door(False, False, _("在座的演员才在这里发帖，你可以看。"), "")
    if reason == "out":
        return Door(False, False, _("你已出局，不再发帖；共群与树洞照常。"), "")
    if not todays:
        room = "" if thread.kind == "process" or not table.public.day else f"{_todays(table, thread.kind)}-{table.public.day}"
        found = reverse("town:thread", args=[table.game.pk, room]) if room else ""
        return Door(False, False, _("这一日的帖子已经关门，只读。"), found)
    if reason == "red_carded":
        return Door(False, True, _("你今天已被红牌罚下，今天不再发帖。"), "")
    if table.public.paused:
        return Door(False, True, _("本局暂停中，继续后再开门。可以先写草稿。"), "")
    opens = clock(table.public.opens_at, table.minute)
    return Door(False, True, _("现在关着门，%(opens)s 开门。可以先写草稿。") % {"opens": opens}, "")


def _todays(table: Table, kind: str) -> str:
    """The kind of today's thread that answers to an older one."""
    open_now = {"exile": "ballot", "election": "election"}
    ballots = [open_now[ballot.name] for ballot in table.public.ballots]
    return kind if kind == "talk" or kind in ballots or not ballots else ballots[0]


def quote_of(table: Table, post: Post) -> str:
    """A post as a quote to be answered: its own words, and the number the journal knows it by."""
    name = table.name(post.seat) if post.seat else "导演"
    who = f"{name};{post.ref}" if post.ref else name
    return f"[quote={who}]{post.words.strip().replace(BACK_TICK, '［/quote')}[/quote]\n"


def _number(request: TownRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 9 else None


@in_play
def thread(request: TownRequest, room: str) -> HttpResponse:
    """Read and post."""
    table = request.table
    found = reading.find_thread(table, room)
    if found is None:
        raise Http404
    leap = _number(request, "floor")
    if leap is not None:
        return redirect(reading.address(table.game.pk, room, reading.place_of(table, room, leap)))
    if request.method == "POST":
        return _written(request, found)
    if found.kind in ("ballot", "election"):  # a ballot has a page of its own
        quoted = _number(request, "quote")
        at = reverse("town:ballot", args=[table.game.pk, room])
        return redirect(f"{at}?quote={quoted}#raw" if quoted else reading.address(table.game.pk, room, only=_number(request, "only")))
    return _page(request, found, _prepared(request, found))


def _prepared(request: TownRequest, found: Thread) -> str:
    """What stands in the field at first: the draft kept here or asked for, and the quote asked for."""
    table = request.table
    body = ""
    if table.account is not None:
        wanted = Draft.objects.filter(account=table.account, game=table.game, room=request.GET.get("draft") or found.room).first()
        body = wanted.body if wanted is not None else ""
    floor = _number(request, "quote")
    quoted = reading.posts_in(table, found.room).filter(floor=floor).exclude(voice="lift").first() if floor else None
    if quoted is not None:
        body = (body.rstrip("\n") + "\n" if body.strip() else "") + quote_of(table, quoted)
    return body


def _written(request: TownRequest, found: Thread) -> HttpResponse:
    """A post, a preview or a draft; what was typed comes back whenever it was not posted."""
    table = request.table
    body = request.POST.get("body", "").replace("\r\n", "\n")
    door = door_of(table, found)
    try:
        if "preview" in request.POST:
            looks, fault = acts.preview(table, body)
            return _page(request, found, body, error=fault, preview=looks)
        if "save" in request.POST and table.account is not None and (door.writes or door.drafts):
            acts.keep_draft(table, found.room, body)
            messages.success(request, _("草稿存下了，没有发出。") if body.strip() else _("草稿删掉了。"))
            return redirect(reverse("town:thread", args=[table.game.pk, found.room]) + "#reply")
        post = acts.say(table, found.room, body, request.POST.get("key", ""))
    except (Refused, acts.Denied) as refusal:
        return _page(request, found, body, error=_refused(table, door, body, refusal))
    taken = request.POST.get("from", "")
    if taken and taken != found.room:
        acts.keep_draft(table, taken, "")
    return redirect(reading.address(table.game.pk, found.room, post.floor))


def _refused(table: Table, door: Door, body: str, refusal: Refused | acts.Denied) -> str:
    """Why a post was not taken, that it is kept, and when the door opens."""
    said = acts.sentence(refusal)
    if table.account is None or not body.strip():
        return said
    said += _(" 这一帖没有发出，已存为草稿。")
    if not door.writes and door.drafts and table.public.phase != "day" and not table.public.paused:
        said += _("%(opens)s 开门。") % {"opens": clock(table.public.opens_at, table.minute)}
    return said


def _page(request: TownRequest, found: Thread, body: str, error: str = "", preview: str = "") -> HttpResponse:
    """A page of the thread, as far as it had been read before; what it shows counts as read from now on."""
    table = request.table
    only = _number(request, "only")
    if only is not None and only and only not in table.personas:
        raise Http404
    sheet = reading.sheet(table, found, _number(request, "page") or 1, only)
    line = next((post.floor for post in sheet.posts if post.floor >= sheet.next_unread), 0) if sheet.next_unread and sheet.read else 0
    slips: dict[int, tallies.Slip] = {}
    if found.kind in ("ballot", "election"):
        votes = list(reading.posts_in(table, found.room).filter(receipt__isnull=False))
        slips = tallies.slips(table, votes, tallies.tally(table, found))
    items = [Item(post, frame(post, table, slips.get(post.floor)), post.floor == line) for post in sheet.posts]
    if table.account is not None and only is None and sheet.last_shown > sheet.read:
        acts.mark_read(table, found.room, sheet.last_shown)
    drafts = list(Draft.objects.filter(account=table.account, game=table.game)) if table.account is not None else []
    door = door_of(table, found)
    owed = quota(table) if found.kind == "talk" and found.day == table.public.day else None
    shown: dict[str, Any] = {
        "thread": found,
        "sheet": sheet,
        "items": items,
        "door": door,
        "body": body,
        "error": error,
        "preview": preview,
        "key": request.POST.get("key") or secrets.token_hex(16),
        "has_lift": found.kind == "talk",
        "unread_href": reading.address(table.game.pk, found.room, page=reading.page_of(sheet.next_unread)) + "#unread",
        "draft": next((draft for draft in drafts if draft.room == found.room), None),
        "drafts": [] if body.strip() else [draft for draft in drafts if draft.room != found.room and draft.room.startswith(found.kind)],
        "taken_from": request.POST.get("from") or request.GET.get("draft", ""),
        "quota": owed,
        "short": owed.short if owed is not None else 0,
    }
    return render(request, "town/thread.html", shown, status=422 if error else 200)


@in_play
def floor(request: TownRequest, room: str, number: int) -> HttpResponse:
    """The permanent address of a floor: the page it stands on, at its place."""
    if reading.find_thread(request.table, room) is None:
        raise Http404
    return redirect(reading.address(request.table.game.pk, room, reading.place_of(request.table, room, number)))


@in_play
def next_floor(request: TownRequest, room: str, number: int) -> HttpResponse:
    """The next post of whoever wrote this floor."""
    if reading.find_thread(request.table, room) is None:
        raise Http404
    return redirect(reading.address(request.table.game.pk, room, reading.next_of(request.table, room, number)))


@in_play
def ref(request: TownRequest, number: int) -> HttpResponse:
    """The post that a quote names, by the journal's number."""
    table = request.table
    post = readable(table).filter(ref=number, ref__gt=0).first()
    if post is None or reading.find_thread(table, post.room) is None:
        raise Http404
    return redirect(reading.address(table.game.pk, post.room, post.floor))


urls = [
    path("g/<int:game>/t/<slug:room>/", thread, name="thread"),
    path("g/<int:game>/t/<slug:room>/p/<int:number>/", floor, name="floor"),
    path("g/<int:game>/t/<slug:room>/p/<int:number>/next/", next_floor, name="next_floor"),
    path("g/<int:game>/r/<int:number>/", ref, name="ref"),
]
