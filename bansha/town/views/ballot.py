"""A ballot: the form that writes the proper post, the tally and how it came so, the posts with their receipts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from bansha.referee.refusals import Refused
from bansha.town import acts, tallies
from bansha.town.guards import TownRequest, in_play
from bansha.town.models import Draft, Post, Request, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.words import clock


@dataclass
class Limit:
    """A limit as a page says it: real seconds left, the game's time, and the viewer's own where it differs."""

    left: int
    moment: datetime
    game: str
    own: str

    @classmethod
    def at(cls, table: Table, minute: int) -> Limit:
        """The limit at a game minute."""
        moment = table.pace.moment(minute)
        local = timezone.localtime(moment)
        there = moment.astimezone(ZoneInfo(table.game.zone))
        differs = local.utcoffset() != there.utcoffset()
        own = f"{local.hour}:{local.minute:02}" if differs else ""
        if own and local.date() != there.date():
            own = f"{local.month}-{local.day} {own}"
        return cls(table.left(minute), moment, clock(minute, table.minute), own)


@dataclass
class Standing:
    """What I may do on this ballot. `mine`: my vote in force (0: 弃权, None: none); `why`: why there is no form."""

    may_vote: bool = False
    may_change: bool = False
    mine: int | None = None
    why: str = ""
    may_proxy: bool = False

    @property
    def form(self) -> bool:
        """There is a form to fill in."""
        return self.may_vote or self.may_change


def standing(table: Table, ballot: str, is_open: bool) -> Standing:
    """What this viewer may do on a ballot, and why not."""
    me, public = table.me, table.public
    if me is None or not table.seat:
        return Standing()
    if not is_open:
        why = _("这一场投票已经关门，不再收票。")
        if public.phase == "night":
            why = _("已经关门，%(limit)s 开门。") % {"limit": clock(public.opens_at, table.minute)}
        return Standing(why=why)
    found = Standing(ballot in me.may_vote, ballot in me.may_change, me.vote.get(ballot))
    frozen = table.minute >= public.freeze_at
    found.may_proxy = found.may_vote and not public.sped_up and not frozen
    if found.form:
        return found
    changed = next((view.changed for view in public.ballots if view.name == ballot), [])
    if public.paused:
        found.why = _("导演暂停了本局，恢复之后再投。")
    elif found.mine is None:
        found.why = _("你今天没有投票权：已出局、被罚下，或已用过免于放逐的技能。")
    elif table.seat in changed:
        found.why = _("你的改票已经用掉，每场投票只能改一次。")
    elif public.sped_up:
        found.why = _("今天已执行加速，票不能改；首次投票仍收到关门。")
    elif frozen:
        found.why = _("%(limit)s 起不收改票；首次投票仍收到关门。") % {"limit": clock(public.freeze_at, table.minute)}
    else:
        found.why = _("你的票已投，本场不能改票。")
    return found


@in_play
def ballot(request: TownRequest, room: str) -> HttpResponse:
    """Vote, change the vote, post by hand, ask for a proxy; read the tally and the posts."""
    table = request.table
    thread = Thread.objects.filter(game=table.game, room=room, kind__in=tallies.BALLOTS).first()
    if thread is None:
        raise Http404
    if request.method == "POST" and "preview" not in request.POST:
        try:
            return _done(request, thread)
        except (Refused, acts.Denied) as refusal:
            return _page(request, thread, acts.sentence(refusal))
    return _page(request, thread, "")


def _target(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) < 4 else None


def _done(request: TownRequest, thread: Thread) -> HttpResponse:
    """Do what was asked.

    Raises:
        Refused, Denied: nothing has changed.
    """
    table, room, posted = request.table, thread.room, request.POST
    key = posted.get("key", "")
    what = posted.get("do", "")
    if what == "say":
        return _at(request, acts.say(table, room, posted.get("body", ""), key, _target(posted.get("quote")) or 0))
    if what not in ("vote", "proxy"):
        raise Http404
    target = _target(posted.get("target"))
    if target is None:
        raise acts.Denied("还没有选投票对象。选一位，或选“弃权”。", "No target was chosen. Choose somebody, or 弃权.")
    if what == "proxy":
        acts.ask_proxy(table, tallies.BALLOTS[thread.kind], target, posted.get("words", ""))
        messages.success(request, _("已请导演代投。代投之前你自己仍可投票。"))
        return redirect(f"{request.path}#proxy")
    return _at(request, cast(table, thread, target, posted.get("reason", ""), key, bool(posted.get("change"))))


def cast(table: Table, thread: Thread, target: int, reason: str, key: str, change: bool) -> Post:
    """Vote by a form, or change the vote; the same key again gives the first post. A form that would be no vote writes none.

    Raises:
        Refused, Denied: nothing has changed.
    """
    earlier = acts.posted(table, key)
    if earlier is None:
        _need(table, thread, change)
        earlier = acts.vote(table, thread.room, target, reason, key, change)
    return earlier


def _need(table: Table, thread: Thread, change: bool) -> None:
    """The form may be sent: a form that would be no vote writes no post.

    Raises:
        Denied: with the reason.
    """
    ballot = tallies.BALLOTS[thread.kind]
    shown = next((view for view in table.public.ballots if view.name == ballot), None)
    is_open = shown is not None and shown.open and thread.day == table.public.day
    found = standing(table, ballot, is_open)
    if not is_open or table.minute >= table.public.closes_at:
        return  # the door itself says so, and the text is kept as a draft
    if change and found.mine is None:
        raise acts.Denied("你没有正生效的票可改，请先投票。", "You have no vote in force to change: vote first.")
    if not change and found.mine is not None and table.seat:
        raise acts.Denied("你已有一张有效票；要改请用改票。", "You have a vote in force already; change it instead.")
    if not (found.may_change if change else found.may_vote) and found.why:
        raise acts.Denied(found.why, found.why)


def _at(request: TownRequest, post: Post) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{request.path}#f{post.floor}")


def _page(request: TownRequest, thread: Thread, error: str) -> HttpResponse:
    table = request.table
    found = tallies.tally(table, thread)
    posts = list(readable(table).filter(room=thread.room).order_by("floor"))
    made = tallies.slips(table, posts, found)
    only = _target(request.GET.get("only")) or 0
    valid = request.GET.get("valid") == "1"
    shown = [post for post in posts if not only or post.seat == only]
    if valid:
        shown = [post for post in shown if post.floor in made and made[post.floor].state in ("vote", "change")]
    mine = standing(table, found.ballot, found.open)
    counts = {row.seat: row.halves for row in found.rows}
    posted = request.POST if request.method == "POST" else request.GET
    chosen = _target(posted.get("target"))
    reason = posted.get("reason", "")[:20_000]
    doing = posted.get("do", "") if request.method == "POST" else ""
    context = {
        "thread": thread,
        "tally": found,
        "posts": [(post, made.get(post.floor)) for post in shown],
        "only": only,
        "valid": valid,
        "mine": mine,
        "mine_floor": acts.vote_in_force(table, thread.room) if mine.mine is not None and table.seat else 0,
        "seats": [(seat, table.name(seat), seat in table.public.alive, counts.get(seat)) for seat in table.personas],
        "chosen": chosen,
        "preview": acts.vote_post(table, chosen, reason, mine.may_change) if chosen in (0, *table.personas) and mine.form else "",
        "reason": reason,
        "said": reason.strip(),
        "error": error,
        "doing": doing,
        "body": _body(request, thread, error),
        "freeze": Limit.at(table, table.public.freeze_at) if found.open else None,
        "close": Limit.at(table, table.public.closes_at) if found.open else None,
        "frozen": table.minute >= table.public.freeze_at,
        "others": _others(table, thread),
        "asked": list(_requests(table, thread, found.ballot)),
        "kept": request.POST.get("body", "") or reason if error else "",
        "words": posted.get("words", "") if doing == "proxy" else "",
        "key": request.POST.get("key") or secrets.token_hex(16),
        "writes": table.directs or (table.rooms.writes and found.open and table.seat > 0),
        "rules": table.loaded.ruleset,
    }
    if posts and not only and not valid:
        acts.mark_read(table, thread.room, posts[-1].floor)
    return render(request, "town/ballot.html", context, status=422 if error else 200)


def _body(request: TownRequest, thread: Thread, error: str) -> str:
    """What stands in the field for a post by hand: what was typed, a quote asked for, or the draft."""
    table = request.table
    if error and request.POST.get("do") == "say":
        return request.POST.get("body", "")
    floor = _target(request.GET.get("quote"))
    if floor:
        post = readable(table).filter(room=thread.room, floor=floor).first()
        if post is not None and post.seat:
            word = "改票" if post.seat == table.seat else "投票"
            return f"[quote={table.name(post.seat)};{post.ref}]{post.words}[/quote]\n{word}对象：\n{word}理由："
    draft = Draft.objects.filter(account=table.account, game=table.game, room=thread.room).first() if table.account else None
    return draft.body if draft else ""


def _others(table: Table, thread: Thread) -> list[tuple[str, str, bool]]:
    """The ballots of the same day: address, kind, whether it is this one; none where there is one only."""
    day = Thread.objects.filter(game=table.game, day=thread.day, kind__in=tallies.BALLOTS).order_by("-kind")
    found = [(reverse("town:ballot", args=[table.game.pk, other.room]), other.kind, other.room == thread.room) for other in day]
    return found if len(found) > 1 else []


def _requests(table: Table, thread: Thread, ballot: str) -> list[tuple[Request, int]]:
    """My requests for a proxy vote here, with their targets."""
    if not table.seat:
        return []
    mine = Request.objects.filter(game=table.game, seat=table.seat, kind="proxy", value__ballot=ballot, value__day=thread.day)
    return [(asked, int(asked.value["target"])) for asked in mine.order_by("pk")]


urls = [
    path("g/<int:game>/b/<slug:room>/", ballot, name="ballot"),
]
