"""Who may call: the token is looked up, its calls are counted, and what it does not open is answered here. Whatever is refused is
a `Problem` with a stable code and a sentence in both languages."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from bansha.api import tokens
from bansha.api.models import Token
from bansha.api.shapes import Problem
from bansha.journal import time
from bansha.town import guards, limits, people
from bansha.town.acts import Denied
from bansha.town.models import Game
from bansha.town.table import Table

MOMENT = "bansha.moment"
"""A key of the WSGI environment: the moment of a call from inside this process. No header of a request can set it."""
READS, WRITES = 600, 60
"""Calls of a token a minute."""
MINUTE = timedelta(minutes=1)
LEASE = 20
"""Readings a process counts by itself."""

NO_TOKEN = Denied(
    "没有可用的令牌：带上 Authorization: Bearer 和你的令牌；收回的、过期的、已换人的座位的，都不再有效。",
    "No live token: send Authorization: Bearer with yours; one that is revoked, old, or of a seat that changed hands opens nothing.",
)
READ_ONLY = Denied("这个令牌只能读。要行动，请为你的座位另做一个。", "This token only reads. Make one for your seat to act.")
OTHER_GAME = Denied("这个令牌不是这一局的。", "This token is of another game.")
NOTHING = Denied("没有这一项，或不是给你看的。", "There is nothing here, or nothing for you.")
WRONG_METHOD = Denied("这个地址不接受这种请求；可用的见 Allow。", "This address does not take that method; see Allow.")
TOO_MANY = Denied("请求太多；过了 Retry-After 秒再来。", "Too many calls; come back after Retry-After seconds.")


class ApiRequest(HttpRequest):
    """A call whose token was looked up; `table` where it is about a game that was dealt."""

    token: Token
    moment: datetime
    game: Game
    table: Table


def said(value: object, status: int = 200) -> HttpResponse:
    """An answer."""
    return HttpResponse(msgspec.json.encode(value), status=status, content_type="application/json")


def problem(status: int, code: str, words: Denied, at: list[str] | None = None) -> HttpResponse:
    """An answer that says why not."""
    return said(Problem(code, words.zh, words.en, at or []), status)


def nothing() -> HttpResponse:
    """Not there, or not for you."""
    return problem(404, "nothing", NOTHING)


def presented(request: HttpRequest) -> str:
    """The token a request shows."""
    scheme, _, text = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


def guarded(view: guards.View, methods: Set[str], facts: bool = False, reads: bool = False) -> guards.View:
    """A view of the interface behind its guard. `facts`: what everybody may know of a game, with any token; `reads`: whatever the
    method, nothing is written."""

    def admit(request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase | None:
        if request.method not in methods:
            answer = problem(405, "method", WRONG_METHOD)
            answer["Allow"] = ", ".join(sorted(methods))
            return answer
        inside: datetime | None = request.META.get(MOMENT)
        now = inside or time.now()
        token = tokens.find(presented(request), now)
        if token is None:
            answer = problem(401, "no_token", NO_TOKEN)
            answer["WWW-Authenticate"] = "Bearer"
            return answer
        reading = reads or request.method == "GET"
        wait = _counted(token, reading, now) if inside is None else 0
        if wait:
            answer = problem(429, "too_many", TOO_MANY)
            answer["Retry-After"] = str(wait)
            return answer
        if not reading and token.kind != "seat":
            return problem(403, "read_only", READ_ONLY)
        request.token, request.moment = token, now  # type: ignore[attr-defined]
        return _game(request, token, kwargs["game"], now, facts) if "game" in kwargs else None

    return _private(guards.by_token(admit)(view))


def _counted(token: Token, reading: bool, now: datetime) -> int:
    """Count a call; the seconds to wait when there were too many."""
    if reading:
        return limits.take(f"api read {token.pk}", now, READS, MINUTE, LEASE)
    return limits.take(f"api write {token.pk}", now, WRITES, MINUTE)


def _game(request: HttpRequest, token: Token, number: int, now: datetime, facts: bool) -> HttpResponse | None:
    """The game a call is about, if this token opens it."""
    if not facts and token.game_id is not None and token.game_id != number:
        return problem(403, "other_game", OTHER_GAME)
    game = token.game if token.game_id == number else Game.objects.filter(pk=number).first()
    if game is None or game.status == "draft":
        return nothing()
    request.game = game  # type: ignore[attr-defined]
    if not facts:
        tenure = token.tenure  # looked up with the token: it is open
        place = people.seated(tenure) if tenure is not None else None
        table = Table(game, token.account if token.game_id is not None else None, now, place)
        if not table.begun:
            return nothing()
        request.table = table  # type: ignore[attr-defined]
    return None


def _private(view: guards.View) -> guards.View:
    """What a token is answered is its holder's alone."""

    def answered(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        answer = view(request, **kwargs)
        answer.headers.setdefault("Cache-Control", "private, no-cache")
        answer["Vary"] = "Authorization"
        return answer

    answered.guard = view.guard  # type: ignore[attr-defined]
    answered.csrf_exempt = True  # type: ignore[attr-defined]  # no cookie is looked at
    return answered
