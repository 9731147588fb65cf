"""After the end: who was who, everything that opens now, and what is still to be agreed or appealed."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.translation import gettext as _

from bansha.journal import time
from bansha.town import appeals, reveal
from bansha.town.acts import REVEAL, Denied, may_speak, sentence
from bansha.town.guards import TownRequest, anyone, manager, revealed, revealing
from bansha.town.models import Appeal
from bansha.town.parts import beside
from bansha.town.past import outcome
from bansha.town.readable import readable
from bansha.town.views.hole import diary

CHECKER = resources.files("bansha.town").joinpath("verify.py").read_bytes()
"""The checker of deals and draws, as people download it."""


@revealed
def page(request: TownRequest) -> HttpResponse:
    """The reveal of a finished game."""
    return _page(request)


def _page(request: TownRequest, error: str = "", at: str = "", typed: str = "") -> HttpResponse:
    table = request.table
    assert table.game.journal is not None
    rows = reveal.seats(table)
    end = outcome(table.game.journal, table.look.head)
    shown: dict[str, Any] = {
        "seats": rows,
        "end": end,
        "winner": end.rules.factions.get(end.winner),
        "directors": reveal.of_kind(table, "director"),
        "crowd": [(kind, reveal.of_kind(table, kind)) for kind in ("reserve", "guest", "spectator")],
        "talk": table.game.threads.filter(room=REVEAL).first(),
        "speaks": may_speak(table),
        "holes": len(reveal.holes(table)),
        "dens": table.rooms.dens,
        "lines": reveal.lines(table),
        "cards": appeals.cards(table),
        "checker": hashlib.sha256(CHECKER).hexdigest(),
        "error": error,
        "at": at,
        "typed": typed,
    }
    return render(request, "town/reveal.html", shown, status=422 if error else 200)


def number_of(text: str) -> int:
    """A number of a form; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@revealed
def holes(request: TownRequest) -> HttpResponse:
    """Whose tree holes exist; with `?of=` a name, what stands in it."""
    table = request.table
    found = reveal.holes(table)
    rules = table.loaded.ruleset
    name = request.GET.get("of", "")
    chosen = next((hole for hole in found if hole.account.username == name), None)
    if name and chosen is None:
        raise Http404
    posts = list(readable(table).filter(room=f"hole-{chosen.account.pk}").order_by("at", "floor")) if chosen is not None else []
    shown = {
        "holes": [(hole, [words for part in hole.parts for words in beside(part, rules)]) for hole in found],
        "chosen": chosen,
        "days": [day for day in diary(table, posts) if day.notes],
    }
    return render(request, "town/holes.html", shown)


@revealing
def show_line(request: TownRequest) -> HttpResponse:
    """Agree that a private line is shown, or take it back."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    table = request.table
    seat, agree = number_of(request.POST.get("seat", "")), request.POST.get("agree") == "yes"
    try:
        reveal.consent(table, seat, agree)
    except Denied as refusal:
        return _page(request, sentence(refusal), "lines")
    messages.success(request, _("你这一方同意公开这条私信。") if agree else _("已收回，这条私信不再公开。"))
    return redirect(reverse("town:reveal", args=[table.game.pk]) + "#lines")


@revealing
def appeal(request: TownRequest) -> HttpResponse:
    """Appeal against a card to the managers."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    table = request.table
    number, words = number_of(request.POST.get("card", "")), request.POST.get("words", "")
    try:
        appeals.appeal(table, number, words)
    except Denied as refusal:
        return _page(request, sentence(refusal), f"card-{number}", words)
    messages.success(request, _("申诉交给管理员了。"))
    return redirect(reverse("town:reveal", args=[table.game.pk]) + "#cards")


@manager
def judge(request: TownRequest) -> HttpResponse:
    """The managers' appeals: those that wait, and what was decided."""
    error, at, typed = "", 0, ""
    if request.method == "POST":
        at, typed = number_of(request.POST.get("appeal", "")), request.POST.get("reason", "")
        found = Appeal.objects.select_related("game").filter(pk=at).first()
        try:
            lifted = request.POST.get("do") == "lift"
            appeals.judge(request.member, found, lifted, typed, time.now())
            messages.success(request, _("牌撤销了，理由写在揭秘页。") if lifted else _("牌维持，理由写在揭秘页。"))
            return redirect("town:appeals")
        except Denied as refusal:
            error = sentence(refusal)
    shown = {"rows": appeals.rows(request.member), "error": error, "at": at, "typed": typed}
    return render(request, "town/appeals.html", shown, status=422 if error else 200)


@anyone
def checker(request: HttpRequest) -> HttpResponse:
    """The checker as a file: it needs Python and a journal, nothing of the town."""
    response = HttpResponse(CHECKER, content_type="text/x-python; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="verify.py"'
    response.headers["ETag"] = f'"{hashlib.sha256(CHECKER).hexdigest()[:32]}"'
    return response


urls = [
    path("g/<int:game>/reveal/", page, name="reveal"),
    path("g/<int:game>/reveal/holes/", holes, name="reveal_holes"),
    path("g/<int:game>/reveal/line/", show_line, name="show_line"),
    path("g/<int:game>/reveal/appeal/", appeal, name="appeal"),
    path("managers/appeals/", judge, name="appeals"),
    path("verify.py", checker, name="checker"),
]
