"""Drafts: kept while somebody writes, listed on a page of their own."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from bansha.town import acts
from bansha.town.guards import TownRequest, known, member
from bansha.town.models import Account, Draft, Thread
from bansha.town.table import Table
from bansha.town.words import clock


@dataclass
class Kept:
    """A draft on the list: where it can be taken up again, and when that door opens ("": open, or not known)."""

    draft: Draft
    href: str
    opens: str


def _taken_up(draft: Draft, account: Account) -> Kept:
    """Where a draft goes on: its own thread, or today's of the same kind when that one is shut."""
    table = Table(draft.game, account)
    room = draft.room
    kind, _sep, day = room.partition("-")
    href = opens = ""
    if table.begun and Thread.objects.filter(game=draft.game, room=room).exists():
        if day and kind in ("talk", "ballot", "election") and int(day) < table.public.day:
            todays = f"{kind}-{table.public.day}"
            room = todays if Thread.objects.filter(game=draft.game, room=todays).exists() else room
        href = reverse("town:thread", args=[draft.game_id, room]) + (f"?draft={draft.room}" if room != draft.room else "") + "#reply"
        if not table.rooms.writes and table.rooms.why == "not_day" and table.public.phase != "over":
            opens = clock(table.public.opens_at, table.minute)
    return Kept(draft, href, opens)


@member
def drafts(request: HttpRequest) -> HttpResponse:
    """My drafts in every game; each can be taken up again or dropped."""
    account: Account = request.member  # type: ignore[attr-defined]
    mine = Draft.objects.filter(account=account).select_related("game").order_by("-at", "room")
    if request.method == "POST":
        game, _sep, room = request.POST.get("drop", "").partition(" ")
        dropped = mine.filter(game=int(game), room=room).first() if game.isdecimal() else None
        if dropped is None:
            raise Http404
        dropped.delete()
        messages.success(request, _("草稿删掉了。"))
        return redirect("town:drafts")
    return render(request, "town/drafts.html", {"kept": [_taken_up(draft, account) for draft in mine]})


@known
def keep_draft(request: TownRequest, room: str) -> HttpResponse:
    """Keep what is being written in a public thread (the page's script calls this while one writes)."""
    table = request.table
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    writes = acts.may_speak(table) if room == acts.REVEAL else bool(table.seat or table.directs)
    if not writes or not Thread.objects.filter(game=table.game, room=room).exists():
        raise Http404
    acts.keep_draft(table, room, request.POST.get("body", "").replace("\r\n", "\n"))
    return JsonResponse({"saved": timezone.localtime(table.now).strftime("%H:%M")})


urls = [
    path("drafts/", drafts, name="drafts"),
    path("g/<int:game>/t/<slug:room>/draft/", keep_draft, name="keep_draft"),
]
