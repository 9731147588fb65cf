"""The dealing as a ceremony that everybody can watch and check."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.town import ceremony, opening
from bansha.town.acts import Denied, sentence
from bansha.town.guards import TownRequest, at_game
from bansha.town.models import Contribution, LogLine, Signup, Tenure
from bansha.town.table import Table
from bansha.town.views.opening import language


@dataclass
class Share:
    """A player's contribution as everybody sees it: by number, the hash, and the text once it is opened."""

    number: int
    digest: str = ""
    text: str = ""
    opened: bool = False
    mine: bool = False


@dataclass
class Round:
    """One ceremony: its commitment, the contributions, the secret once it is open, whether it led to the deal."""

    commitment: str
    shares: dict[int, Share] = field(default_factory=dict)
    secret: str = ""
    dealt: bool = False


def rounds(game_journal: int, seats: int, mine: int) -> list[Round]:
    """The ceremonies of a game in order; the last one is in force."""
    found: list[Round] = []
    for step in doors.ceremony(game_journal):
        if step.kind == "committed":
            found.append(Round(step.value, {n: Share(n, mine=n == mine) for n in range(1, seats + 1)}))
        elif not found:  # a game dealt from a seed has no ceremony
            continue
        elif step.kind == "hashed":
            found[-1].shares[step.player].digest = step.value
        elif step.kind == "opened":
            found[-1].shares[step.player].text = step.value
            found[-1].shares[step.player].opened = True
        elif step.kind == "dealt":
            found[-1].dealt = True
        else:
            found[-1].secret = step.value
    return found


def _revealed(table: Table) -> list[dict[str, Any]]:
    """After the end: which account wore which persona, in the order of the players' numbers."""
    game = table.game
    if game.status != "over":
        return []
    seats = {tenure.account_id: tenure.seat for tenure in Tenure.objects.filter(game=game, kind="player").order_by("-since")}
    signed = Signup.objects.filter(game=game, number__gt=0).order_by("number").select_related("account")
    return [
        {"number": signup.number, "account": signup.account.username, "seat": seats[signup.account_id]}
        for signup in signed
        if signup.account_id in seats
    ]


@at_game
def deal(request: TownRequest) -> HttpResponse:
    """The three steps, where they stand, and how to check them; a player hands in and opens the contribution here."""
    table = request.table
    game, account = table.game, table.account
    number = opening.player_number(game, account) if game.status == "ceremony" else 0
    error, status = "", 200
    raw = {name: request.POST.get(name, "") for name in ("words", "digest", "text")}
    if request.method == "POST" and account is not None:
        try:
            messages.success(request, _hand_in(table, request.POST.get("do", ""), raw))
            return redirect("town:deal", game=game.pk)
        except Denied as refusal:
            error, status = sentence(refusal), 422
            game.refresh_from_db()
    held = rounds(game.journal, game.seats, number) if game.journal is not None else []
    now = held[-1] if held and game.status != "signup" else None
    own = Contribution.objects.filter(game=game, ceremony=game.ceremony, player=number).first() if number else None
    shown = {
        "number": number, "own": own, "phase_of": opening.phase(game, table.now), "round": now, "void": held[:-1] if now else [],
        "handed": sum(bool(share.digest) for share in now.shares.values()) if now else 0,
        "opened": sum(share.opened for share in now.shares.values()) if now else 0,
        "notes": LogLine.objects.filter(game=game, kind="ceremony"), "error": error, "raw": raw, "label": ceremony.label(game),
        "roles": _roles(table), "revealed": _revealed(table), "may_download": game.status == "over" or table.directs,
    }  # fmt: skip
    return render(request, "town/deal.html", shown, status=status)


def _roles(table: Table) -> str:
    rules = table.loaded.ruleset
    joined = "、" if language() == "zh" else ", "
    return joined.join(f"{role.name.get(language())} × {role.count}" for role in rules.roles.values() if role.count)


def _hand_in(table: Table, act: str, raw: dict[str, str]) -> str:
    assert table.account is not None
    if act == "words":
        ceremony.contribute(table.game, table.account, table.now, words=raw["words"])
        return _("签已添上，印已亮出。到时由镇上替你揭开。")
    if act == "digest":
        if not raw["digest"].strip():
            raise Denied("写上你算好的印。", "Write the hash that you computed.")
        ceremony.contribute(table.game, table.account, table.now, digest=raw["digest"])
        return _("印已亮出。原话自己收好，揭签时要一字不差地写来。")
    if act == "open":
        ceremony.open_own(table.game, table.account, raw["text"].replace("\r\n", "\n"), table.now)
        return _("签已揭开，与印相符。")
    raise Denied("没有这个动作。", "There is no such act.")


@at_game
def journal(request: TownRequest) -> HttpResponse:
    """The journal as a file, to be checked: for everybody after the end, for its directors before."""
    table = request.table
    game = table.game
    if game.journal is None or not (game.status == "over" or table.directs):
        raise Http404
    data = doors.lines(game.journal)
    response = HttpResponse(data, content_type="application/x-ndjson")
    response.headers["Content-Disposition"] = f'attachment; filename="{ceremony.label(game)}.jsonl"'
    response.headers["ETag"] = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    return response


urls = [
    path("g/<int:game>/deal/", deal, name="deal"),
    path("g/<int:game>/deal/journal.jsonl", journal, name="deal_journal"),
]
