"""Who may open a page. Every view wears exactly one of these; a test walks the router and fails where one is missing.

What is not there and what is not for you answer alike: 404.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from bansha.town.models import Account, Game
from bansha.town.table import Table

View = Callable[..., HttpResponseBase]


class TownRequest(HttpRequest):
    """A request whose guard has looked who asks; `table` where the page belongs to a game."""

    table: Table
    member: Account


def account_of(request: HttpRequest) -> Account | None:
    """The signed-in account, or None."""
    user = request.user
    return user if isinstance(user, Account) and user.is_authenticated else None


def _guarded(name: str, view: View, check: Callable[[HttpRequest, dict[str, Any]], HttpResponseBase | None]) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        stopped = check(request, kwargs)
        return stopped if stopped is not None else view(request, **kwargs)

    guarded.guard = name  # type: ignore[attr-defined]
    return guarded


def _login(request: HttpRequest) -> HttpResponse:
    return redirect_to_login(request.get_full_path())


def anyone(view: View) -> View:
    """Open to all."""
    return _guarded("anyone", view, lambda _request, _kwargs: None)


def member(view: View) -> View:
    """Signed in; others are sent to sign in. `request.member` is the account."""

    def check(request: HttpRequest, _kwargs: dict[str, Any]) -> HttpResponseBase | None:
        account = account_of(request)
        if account is None:
            return _login(request)
        request.member = account  # type: ignore[attr-defined]
        return None

    return _guarded("member", view, check)


def _person(name: str, may: Callable[[Account], bool]) -> Callable[[View], View]:
    def guard(view: View) -> View:
        def check(request: HttpRequest, _kwargs: dict[str, Any]) -> HttpResponseBase | None:
            account = account_of(request)
            if account is None:
                return _login(request)
            if not may(account):
                raise Http404
            request.member = account  # type: ignore[attr-defined]
            return None

        return _guarded(name, view, check)

    return guard


def by_token(admit: Callable[[HttpRequest, dict[str, Any]], HttpResponseBase | None]) -> Callable[[View], View]:
    """A program with a token: `admit` looks it up and lets it in (None), or answers by itself (`bansha.api.guard`)."""
    return lambda view: _guarded("by_token", view, admit)


opens_games = _person("opens_games", lambda account: account.directs or account.manages)
manager = _person("manager", lambda account: account.manages)


def _table(name: str, may: Callable[[Table], bool], signed_in: bool) -> Callable[[View], View]:
    def guard(view: View) -> View:
        def check(request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase | None:
            account = account_of(request)
            if signed_in and account is None:
                return _login(request)
            try:
                game = Game.objects.get(pk=kwargs.pop("game"))
            except Game.DoesNotExist:
                raise Http404 from None
            table = Table(game, account)
            if (game.status == "draft" and not table.directs) or not may(table):
                raise Http404
            request.table = table  # type: ignore[attr-defined]
            if account is not None:
                request.member = account  # type: ignore[attr-defined]
            return None

        return _guarded(name, view, check)

    return guard


at_game = _table("at_game", lambda _table: True, False)
"""Everybody; a draft is its directors' alone."""
in_play = _table("in_play", lambda table: table.begun, False)
"""Everybody, once the game has been dealt."""
seated = _table("seated", lambda table: table.begun and table.viewer.kind in ("player", "assistant"), True)
"""A player of the game (or an assistant, who reads and submits nothing)."""
known = _table("known", lambda table: table.begun, True)
"""Anybody signed in, in a game that was dealt (tree holes)."""
directing = _table("directing", lambda table: table.directs, True)
"""A director of the game, from its draft on."""
conducting = _table("conducting", lambda table: table.begun and table.directs, True)
"""A director of a game that was dealt: whatever the desk does, and not only shows."""
revealed = _table("revealed", lambda table: table.begun and table.rooms.revealed, False)
"""Everybody, once the game is over."""
revealing = _table("revealing", lambda table: table.begun and table.rooms.revealed, True)
"""Anybody signed in, once the game is over."""
at_log = _table("at_log", lambda table: table.begun and table.rooms.log, False)
"""The directors' log: who sees all, and everybody after the end."""
at_line = _table("at_line", lambda table: table.begun and (table.sees_all or table.rooms.revealed), False)
"""A seat's private line: who sees all; after the end everybody, as far as both sides agreed (the page looks)."""
at_desk = _table("at_desk", lambda table: table.begun and table.sees_all, True)
"""The desk: a director, or a manager with an act (who reads only)."""
signing = _table("signing", lambda table: table.game.status in ("signup", "ceremony"), True)
"""Anybody signed in, while sign-up or the ceremony lasts."""
