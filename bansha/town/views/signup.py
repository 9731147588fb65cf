"""Signing up, and the directors' page of who plays."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from bansha.rulesets.brief import brief
from bansha.rulesets.sheet import clause_ids
from bansha.rulesets.words import Words
from bansha.town import calendar, ceremony, opening
from bansha.town.acts import Denied, sentence
from bansha.town.guards import TownRequest, at_game, directing
from bansha.town.models import Account, Contribution, Directing, Game, Signup
from bansha.town.table import Table
from bansha.town.views.opening import language


def number_in(text: str, most: int = 10**9) -> int:
    """A number a form sent (0: none)."""
    return int(text) if text.isascii() and text.isdigit() and int(text[:12]) <= most else 0


def changed_options(table: Table) -> list[str]:
    """What this game plays otherwise than the ruleset's defaults, in words."""
    words = Words(table.loaded.ruleset, language(), table.game.options)
    options = table.loaded.ruleset.options
    return [words.begin(words.option(name)) for name, option in options.items() if words.value(name) != option.default]


def conduct(table: Table) -> list[str]:
    """The clauses a player has to know before all others: attendance, and what is said of the personas."""
    rules = table.loaded.ruleset
    said = clause_ids(rules)
    known = [f"conduct.{id}" for id in (rules.attendance.posts_clause, rules.attendance.vote_clause, rules.attendance.streak_clause) if id]
    return [said[id].get(language()) for id in dict.fromkeys(known) if id in said]


def about(table: Table) -> dict[str, Any]:
    """What the bill says of a game before its deal."""
    game = table.game
    chosen = Signup.objects.filter(game=game, kind="player").count()
    preview = None
    if game.open_until is not None:
        preview = calendar.preview(table.loaded, game.options, game.open_until, game.zone, game.pace, language())
    panes = [seat <= chosen for seat in range(1, game.seats + 1)]
    return {
        "players": chosen, "reserves": Signup.objects.filter(game=game, kind="reserve").count(), "free": max(0, game.seats - chosen),
        "directors": Directing.objects.filter(game=game).count(), "preview": preview, "houses": houses(panes),
        "board": table.loaded.ruleset.name.get(language()),
        "brief": brief(table.loaded, language(), game.options), "changed": changed_options(table),
        "rulings": len(table.loaded.ruleset.rulings), "newcomers": table.loaded.ruleset.assistants.games,
    }  # fmt: skip


def houses(panes: list[bool]) -> list[dict[str, Any]]:
    """A row of houses, one a seat, with a lit window for each that is taken: x in units of a picture 720 wide."""
    width = 720 / max(1, len(panes))
    found = []
    for number, lit in enumerate(panes):
        left, roof = number * width, 62 + 12 * (number * 5 % 3)
        wide = width * 0.78
        x = left + (width - wide) / 2
        eave, middle = wide * 0.09, x + wide / 2
        roofline = (
            f"M{x:.1f} 132V{roof + 14}H{x - eave:.1f}Q{x + wide * 0.2:.1f} {roof + 10} {middle - wide * 0.16:.1f} {roof}"
            f"H{middle + wide * 0.16:.1f}Q{x + wide * 0.8:.1f} {roof + 10} {x + wide + eave:.1f} {roof + 14}H{x + wide:.1f}V132Z"
        )
        found.append({"path": roofline, "x": f"{middle - 7:.1f}", "y": roof + 24, "lit": lit})
    return found


@at_game
def signup(request: TownRequest) -> HttpResponse:
    """The bill, and the form to sign up by."""
    table = request.table
    game, account = table.game, table.account
    error, status = "", 200
    mine = Signup.objects.filter(game=game, account=account).first() if account is not None else None
    raw = {
        "kind": mine.kind if mine else ("player" if game.status == "signup" else "reserve"),
        "words": mine.words if mine else "",
        "history": str(mine.history) if mine else "0",
    }
    if request.method == "POST" and account is None:
        return redirect_to_login(request.path)
    if request.method == "POST" and account is not None:
        raw = {name: request.POST.get(name, "") for name in ("kind", "words", "history")}
        try:
            if request.POST.get("do") == "withdraw":
                opening.withdraw(game, account, table.now)
                messages.success(request, _("已退出报名。"))
            else:
                read = bool(request.POST.get("read1") and request.POST.get("read2") and request.POST.get("read3"))
                opening.sign_up(game, account, raw["kind"], read, raw["words"], number_in(raw["history"], 1000), table.now)
                messages.success(request, _("已报名。导演选定之后，在发牌礼里见。"))
            return redirect("town:signup", game=game.pk)
        except Denied as refusal:
            error, status = sentence(refusal), 422
    shown = {
        **about(table), "mine": mine, "raw": raw, "error": error, "number": opening.player_number(game, account),
        "phase_of": opening.phase(game, table.now), "conduct": conduct(table),
    }  # fmt: skip
    return render(request, "town/signup.html", shown, status=status)


def _people(table: Table) -> dict[str, Any]:
    game: Game = table.game
    signed = list(Signup.objects.filter(game=game).select_related("account"))
    handed = set(Contribution.objects.filter(game=game, ceremony=game.ceremony).values_list("player", flat=True))
    return {
        "players": [signup for signup in signed if signup.kind == "player"],
        "reserves": [signup for signup in signed if signup.kind == "reserve"],
        "others": [signup for signup in signed if signup.kind in ("guest", "spectator", "assistant")],
        "cast": sorted((signup for signup in signed if signup.number), key=lambda signup: signup.number), "handed": handed,
        "spare": [signup for signup in signed if not signup.chosen and signup.acknowledged],
        "chosen": sum(signup.chosen for signup in signed),
        "unapproved": [persona for persona in table.personas.values() if not persona.approved],
    }  # fmt: skip


@directing
def people(request: TownRequest) -> HttpResponse:
    """Who has signed up; the director chooses, closes sign-up, and replaces players during the ceremony."""
    table = request.table
    error, status = "", 200
    ticked = {number_in(value) for value in request.POST.getlist("chosen")}
    if request.method == "POST":
        try:
            said = _conduct(table, request, ticked)
            messages.success(request, said)
            return redirect("town:deal" if request.POST.get("do") in ("close", "anew") else "town:people", game=table.game.pk)
        except Denied as refusal:
            error, status = sentence(refusal), 422
            table.game.refresh_from_db()
    shown = {**_people(table), "error": error, "ticked": ticked if error else None, "reason": request.POST.get("reason", "")}
    return render(request, "town/people.html", shown, status=status)


def _conduct(table: Table, request: TownRequest, ticked: set[int]) -> str:
    match request.POST.get("do", ""):
        case "choose":
            return _("已记下：选了 %(n)s 人。") % {"n": opening.choose(table, sorted(ticked))}
        case "close":
            opening.choose(table, sorted(ticked))
            opening.close_signup(table)
            return _("报名已截止，种子已封存。入选的人现在添签。")
        case "publish":
            opening.publish(table)
            return _("戏单已挂出，报名开始。")
        case "replace":
            account = Account.objects.filter(pk=number_in(request.POST.get("account", ""))).first()
            if account is None:
                raise Denied("选一位换上的人。", "Choose who steps in.")
            ceremony.replace(table, number_in(request.POST.get("number", "")), account)
            return _("已换人；接上的人重新添签，时限随之后移。")
        case "anew":
            opening.begin_anew(table, request.POST.get("reason", ""))
            return _("发牌礼已重来：新的种子已封存。")
    raise Denied("没有这个动作。", "There is no such act.")


urls = [
    path("g/<int:game>/signup/", signup, name="signup"),
    path("g/<int:game>/people/", people, name="people"),
]
