"""The town's front page, the sky, and the language of the pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from bansha.journal import time
from bansha.town.context import THEMES
from bansha.town.guards import account_of, anyone
from bansha.town.models import Account, Directing, Game, Signup, Tenure
from bansha.town.past import playbills, said
from bansha.town.progress import progress
from bansha.town.table import Table, tables

SHOWN = 20
"""Games of a kind on the front page at most."""
YEAR = 365 * 86400


def back(request: HttpRequest, otherwise: str = "/") -> HttpResponse:
    """Where the request came from, when that is ours."""
    came = request.META.get("HTTP_REFERER", "")
    return redirect(came if url_has_allowed_host_and_scheme(came, {request.get_host()}) else otherwise)


@dataclass
class Bill:
    """A game on the front page. `panes`: classes of its windows (me, "", off). `todo` with its act: what waits for me."""

    game: Game
    board: str
    panes: list[str]
    line: str
    directors: str = ""
    href: str = ""
    until: str = ""
    left: int = 0
    ends: datetime | None = None
    mask: str = ""
    role: str = ""
    todo: str = ""
    todo_more: str = ""
    todo_href: str = ""
    todo_act: str = ""
    wants: bool = False


def _panes(total: int, on: int, me: bool) -> list[str]:
    own = ["me"] if me else []
    return own + [""] * (on - len(own)) + ["off"] * (total - on)


def playing_bill(table: Table) -> Bill:
    """A game in play as everybody sees it; with what waits, for who sits in it."""
    found, public = progress(table), table.public
    seats, alive = table.game.seats, len(public.alive)
    mine = table.seat in public.alive if table.seat else False
    there = _("全员在场") if alive == seats else _("%(alive)s / %(seats)s 人在场") % {"alive": alive, "seats": seats}
    bill = Bill(table.game, said(table.loaded.ruleset.name), _panes(seats, alive, mine), f"{found.name} · {there}")
    bill.href = reverse("town:hub", args=[table.game.pk])
    if found.until:
        bill.until, bill.left = found.until, found.left
        bill.ends = table.now + timedelta(seconds=found.left + 30)  # seconds are cut off: to the minute it is the limit
    if table.seat:
        bill.mask, bill.role = table.name(table.seat), _("演员")
        bill.todo, bill.todo_more, bill.todo_href, bill.todo_act = found.todo, found.todo_more, found.todo_href, found.todo_act
    elif table.viewer.kind == "assistant":
        bill.mask, bill.role = table.name(table.viewer.seat), _("场助")
    elif table.directs:
        bill.role, bill.todo_href, bill.todo_act = _("导演"), reverse("desk:desk", args=[table.game.pk]), _("上导演台")
    return bill


def waiting_bill(table: Table, come: int) -> Bill:
    """A game whose sign-up or ceremony is under way."""
    game = table.game
    line = _("已到 %(come)s / %(seats)s 人") % {"come": min(come, game.seats), "seats": game.seats}
    bill = Bill(game, said(table.loaded.ruleset.name), _panes(game.seats, min(come, game.seats), False), line)
    bill.href = reverse("town:signup" if game.status == "signup" else "town:deal", args=[game.pk])
    bill.wants = game.status == "signup"
    return bill


def _directors(bills: list[Bill]) -> None:
    names: dict[int, list[str]] = {}
    rows = Directing.objects.filter(game__in=[bill.game.pk for bill in bills]).order_by("number")
    for pk, name in rows.values_list("game", "account__username"):
        names.setdefault(pk, []).append(name)
    for bill in bills:
        bill.directors = "、".join(names.get(bill.game.pk, []))


def _mine(account: Account) -> tuple[list[Bill], list[Bill], list[Game]]:
    """What I play and direct, what I wait for, and my drafts."""
    sits = Q(pk__in=Tenure.objects.filter(account=account, until=None).values("game"))
    directs = Q(pk__in=Directing.objects.filter(account=account).values("game"))
    running = list(Game.objects.filter(sits | directs, status="running").order_by("-pk"))
    signed = Q(pk__in=Signup.objects.filter(account=account).values("game"))
    waiting = list(Game.objects.filter(signed | directs, status__in=("signup", "ceremony")).annotate(come=_come()).order_by("start"))
    bills = [playing_bill(table) for table in tables(running, account)]
    bills.sort(key=lambda bill: (not bill.todo, bill.left or 1 << 40))
    coming = [waiting_bill(table, game.come) for game, table in zip(waiting, tables(waiting, account), strict=True)]
    for bill in coming:
        bill.wants = False
    return bills, coming, list(Game.objects.filter(directs, status="draft").order_by("-pk"))


def _come() -> Count:
    return Count("signups", filter=Q(signups__kind="player"))


def _first_step(account: Account | None, mine: bool, sign_ups: list[Bill]) -> tuple[str, str, str, str]:
    """What a newcomer does first: words, more words, where, and the act; empty when there is nothing to say."""
    if account is None:
        more = _("登记只要一个名字和一个密码；只想看看，不用登记。")
        return _("先登记一个站内名字，再去报名一场"), more, reverse("account_signup"), _("去登记")
    if mine:
        return "", "", "", ""
    if sign_ups:
        first = sign_ups[0]
        return _("报名一场，领一个马甲"), _("《%(title)s》正在等人") % {"title": first.game.title}, first.href, _("去看戏单")
    return "", "", "", ""


@anyone
def front(request: HttpRequest) -> HttpResponse:
    """What is on in town: my games, games in play, sign-ups, finished ones; and what a newcomer does first."""
    account = account_of(request)
    bills, coming, drafts = _mine(account) if account is not None else ([], [], [])
    own = [bill.game.pk for bill in (*bills, *coming)]
    running = Game.objects.filter(status="running").order_by("-pk")
    waiting = Game.objects.filter(status__in=("signup", "ceremony")).annotate(come=_come()).order_by("start")
    others = [playing_bill(table) for table in tables(list(running.exclude(pk__in=own)[:SHOWN]), account)]
    signing = list(waiting.exclude(pk__in=own)[:SHOWN])
    open_ones = [waiting_bill(table, game.come) for game, table in zip(signing, tables(signing, account), strict=True)]
    _directors([*bills, *coming, *others, *open_ones])
    over = Game.objects.filter(status="over").order_by("-start", "-pk")
    lit = next((bill for bill in bills if bill.todo), None)
    words, more, href, act = _first_step(account, bool(bills or coming or drafts), [b for b in open_ones if b.wants])
    context = {
        "account": account, "bills": bills, "coming": coming, "drafts": drafts, "others": others, "open_ones": open_ones,
        "past": playbills(list(over[:5])), "past_count": over.count(), "running_count": running.count(), "waiting_count": waiting.count(),
        "lit": lit, "now": time.now(), "first": words, "first_more": more, "first_href": href, "first_act": act,
        "directs": account is not None and (account.directs or account.manages), "watch": next(iter([*others, *bills]), None),
    }  # fmt: skip
    return render(request, "town/front.html", context)


def _from_elsewhere(request: HttpRequest) -> bool:
    """Whether a form was sent from another site's page."""
    came = request.headers.get("Origin", "")
    return bool(came) and urlsplit(came).netloc != request.get_host()


@anyone
@csrf_exempt
def sky(request: HttpRequest) -> HttpResponse:
    """Choose day or night for all pages (kept in a cookie). The form stands on every page and carries no token, so that a page is
    the same for all visitors; a browser says where it was sent from."""
    if _from_elsewhere(request):
        return HttpResponseForbidden()
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    response = back(request)
    theme = request.POST.get("theme", "auto")
    if theme in THEMES:
        response.set_cookie("sky", theme, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response


@anyone
def lang(request: HttpRequest) -> HttpResponse:
    """Choose the language of the pages: a visitor's is kept in a cookie, a member's with the account too."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    response = back(request)
    language = request.POST.get("language", "")
    if language in dict(settings.LANGUAGES):
        name = settings.LANGUAGE_COOKIE_NAME
        response.set_cookie(name, language, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
        account = account_of(request)
        if account is not None:
            Account.objects.filter(pk=account.pk).update(language=language)
    return response


urls = [
    path("", front, name="front"),
    path("sky", sky, name="sky"),
    path("lang", lang, name="lang"),
]
