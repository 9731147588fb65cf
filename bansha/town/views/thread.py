"""A thread: reading it page by page, posting, previewing, keeping a draft."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bansha.referee.refusals import Refused
from bansha.town import acts, finished, reading, tallies
from bansha.town.frames import REVEALED, byline, frame
from bansha.town.guards import TownRequest, in_play
from bansha.town.memo import Memo
from bansha.town.models import Draft, Post, Thread
from bansha.town.readable import readable
from bansha.town.standing import quota
from bansha.town.table import Table
from bansha.town.words import clock

BACK_TICK = "[/quote"


@dataclass
class Door:
    """Whether a thread takes this one's posts (`writes`) or at least a draft (`drafts`); else `why` not, where one may go on
    (`today`), and how that link is called ("": to today's thread)."""

    writes: bool
    drafts: bool
    why: str
    today: str
    onward: str = ""


def door_of(table: Table, thread: Thread) -> Door:
    """Who may write here now, and why not (C26)."""
    todays = thread.room == "process" or thread.day == table.public.day
    if thread.room == acts.REVEAL:
        return _after_the_end(table)
    if table.directs:
        return Door(True, True, "", "")
    if todays and table.rooms.writes and not table.place.visiting:
        return Door(True, True, "", "")
    reason = table.rooms.why
    if table.public.phase == "over":
        onward = reverse("town:thread", args=[table.game.pk, acts.REVEAL]) if reading.find_thread(table, acts.REVEAL) else ""
        return Door(False, False, _("本局已经结束，帖子只读。"), onward, _("到揭秘帖里接着聊"))
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


def _after_the_end(table: Table) -> Door:
    """Who may write in the reveal thread, and why not."""
    if acts.may_speak(table):
        return Door(True, True, "", "")
    if table.account is None:
        here = reverse("town:thread", args=[table.game.pk, acts.REVEAL])
        return Door(False, False, _("登录之后，可以用自己的名字在这里说话。"), f"{reverse('account_login')}?next={here}", _("去登录"))
    return Door(False, False, _("这一局开局时没有开放旁观：揭秘帖由参加过的人来写，你可以看。"), "")


def _todays(table: Table, kind: str) -> str:
    """The kind of today's thread that answers to an older one."""
    open_now = {"exile": "ballot", "election": "election"}
    ballots = [open_now[ballot.name] for ballot in table.public.ballots]
    return kind if kind == "talk" or kind in ballots or not ballots else ballots[0]


def quote_of(table: Table, post: Post) -> str:
    """A post as a quote to be answered: its own words, and the number the journal knows it by."""
    author, _beside = byline(post, table)
    name = author or (table.name(post.seat) if post.seat else "导演")
    number = REVEALED + post.floor if author else post.ref
    who = f"{name};{number}" if number else name
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
    page, only = _number(request, "page") or 1, _number(request, "only")
    place = (max(1, page if only is not None else min(page, reading.page_of(found.floors))), only)
    return finished.page(request, table, found, place, lambda: _page(request, found, None))


def _prepared(request: TownRequest, found: Thread, drafts: Sequence[Draft]) -> str:
    """What stands in the field at first: the draft kept here or asked for, and the quote asked for."""
    table = request.table
    room = request.GET.get("draft") or found.room
    body = next((draft.body for draft in drafts if draft.room == room), "")
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


def _page(request: TownRequest, found: Thread, body: str | None, error: str = "", preview: str = "") -> HttpResponse:
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
    owed = quota(table) if found.kind == "talk" and found.day == table.public.day else None
    short = owed.short if owed is not None else 0
    posts = []
    for post in sheet.posts:
        if post.floor == line:
            said = _("上次读到这里 · %(n)s 帖未读") % {"n": sheet.unread}
            posts.append(f'<p class="unread" id="unread">{said}</p>')
        posts.append(_lift(table, post, sheet.rides, short) if post.voice == "lift" else frame(post, table, slips.get(post.floor)))
    if table.account is not None and only is None and sheet.last_shown > sheet.read:
        acts.mark_read(table, found.room, sheet.last_shown)
    door = door_of(table, found)
    drafts = list(Draft.objects.filter(account=table.account, game=table.game)) if door.writes or door.drafts else []
    if body is None:
        body = _prepared(request, found, drafts) if door.writes or door.drafts else ""
    shown: dict[str, Any] = {
        "thread": found,
        "sheet": sheet,
        "posts": mark_safe("".join(posts)),  # frames, each made by its template
        "rail": _rail(table, found, sheet.rides) if found.kind == "talk" else "",
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
    }
    return render(request, "town/thread.html", shown, status=422 if error else 200)


_lifts: Memo[str] = Memo(500)


def _lift(table: Table, post: Post, rides: list[reading.Ride], short: int) -> str:
    """The elevator's floor. `short`: posts I still owe today."""
    shown = {"table": table, "post": post, "rides": rides, "short": short, "read": table.account is not None}
    key = ("lift", get_language(), post.pk, post.floor, tuple(rides), short, shown["read"], table.faces)
    return _lifts.made(key, lambda: render_to_string("town/_lift.html", shown))


def _rail(table: Table, thread: Thread, rides: list[reading.Ride]) -> SafeString:
    """The elevator beside the thread: how many posts of each seat there are, and how many are new."""
    rides = [ride._replace(stops=(), earlier=0) for ride in rides]
    key = ("rail", get_language(), thread.pk, tuple(rides), table.faces)
    return mark_safe(_lifts.made(key, lambda: render_to_string("town/_rail.html", {"table": table, "thread": thread, "rides": rides})))


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
    """The post that a quote names: by the journal's number, or one of the reveal thread by its floor beyond `REVEALED`."""
    table = request.table
    if number > REVEALED:
        floors = reading.posts_in(table, acts.REVEAL).filter(floor=number - REVEALED)
        if not floors.exists():
            raise Http404
        return redirect(reading.address(table.game.pk, acts.REVEAL, number - REVEALED))
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
