"""The town's pages about the interface: a member's tokens, and the reference made from the OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from bansha.api import tokens
from bansha.api.models import Token
from bansha.journal import time
from bansha.town.acts import Denied, sentence
from bansha.town.guards import TownRequest, anyone, member
from bansha.town.models import Account, Directing, Game, Tenure

LASTS = {"week": timedelta(days=7), "season": timedelta(days=90), "": None}
SHOWN = 30


@dataclass
class Choice:
    """What a token can be for: its value in the form, the game (None: all of them), and whether it acts."""

    value: str
    game: Game | None
    acts: bool
    seat: int = 0


def choices(account: Account) -> list[Choice]:
    """What this member can make a token for: each seat, each game it plays or directs, and reading what everybody may."""
    found = []
    for tenure in Tenure.objects.filter(account=account, until=None).select_related("game").order_by("-pk")[:SHOWN]:
        if tenure.kind == "player":
            found.append(Choice(f"seat {tenure.game_id}", tenure.game, True, tenure.seat))
        found.append(Choice(f"read {tenure.game_id}", tenure.game, False, tenure.seat))
    directed = Q(pk__in=Directing.objects.filter(account=account).values("game"))
    found += [Choice(f"read {game.pk}", game, False) for game in Game.objects.filter(directed).order_by("-pk")[:SHOWN]]
    return [*found, Choice("read", None, False)]


@member
@never_cache
def own(request: TownRequest) -> HttpResponse:
    """My tokens: make one, which is shown this once; revoke one."""
    if request.method != "POST":
        return _page(request)
    now = time.now()
    if "revoke" in request.POST:
        number = request.POST["revoke"]
        if number.isdecimal() and len(number) < 10 and tokens.revoke(request.member, int(number), now):
            messages.success(request, _("令牌已收回，从现在起不再有效。"))
        return redirect("api:own")
    try:
        return _page(request, _made(request, now))
    except Denied as why:
        return _page(request, error=sentence(why))


def _made(request: TownRequest, now: Any) -> tuple[Token, str]:
    """Make the token that was asked for.

    Raises:
        Denied: none of those that can be.
    """
    wish, lasts = request.POST.get("for", ""), request.POST.get("lasts", "")
    choice = next((choice for choice in choices(request.member) if choice.value == wish), None)
    if choice is None or lasts not in LASTS:
        raise Denied("选一项令牌的用处和期限。", "Choose what the token is for, and how long it lasts.")
    return tokens.make(request.member, choice.game, "seat" if choice.acts else "read", request.POST.get("label", ""), now, LASTS[lasts])


def _page(request: TownRequest, made: tuple[Token, str] | None = None, error: str = "") -> HttpResponse:
    shown = {
        "choices": choices(request.member),
        "live": tokens.live(request.member, time.now()),
        "made": made,
        "error": error,
        "typed": request.POST,
    }
    return render(request, "api/own.html", shown, status=422 if error else 200)


# --- the reference ----------------------------------------------------------------------------------------------------


@dataclass
class Call:
    """A call of the reference: parameters as (name, where, kind, words), the body's schema, answers as (code, words, schema)."""

    method: str
    path: str
    summary: str
    words: str
    parameters: list[tuple[str, str, str, str]]
    body: str
    answers: list[tuple[str, str, str]]

    @property
    def anchor(self) -> str:
        """Its place on the page."""
        return f"{self.method.lower()}-{self.path.strip('/').replace('/', '-').replace('{', '').replace('}', '')}"


@dataclass
class Shape:
    """A schema of the reference: its words, and its fields as (name, kind, words)."""

    name: str
    words: str
    fields: list[tuple[str, str]]


def kind(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return str(schema["const"]).lower()
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(kind(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        inner = ", ".join(kind(one) for one in schema["prefixItems"]) if "prefixItems" in schema else kind(schema.get("items", {}))
        return f"[{inner}]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"{{… : {kind(values) if isinstance(values, dict) else 'any'}}}"
    return str(schema.get("type", "any"))


def calls(document: dict[str, Any]) -> list[Call]:
    """Every call of the document."""
    found = []
    for route, methods in document["paths"].items():
        for method, call in methods.items():
            parameters = [
                (one["name"], one["in"], kind(one["schema"]), one.get("description", "")) for one in call.get("parameters", [])
            ]
            body = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            answers = [
                (code, answer["description"], kind(answer["content"]["application/json"]["schema"]) if "content" in answer else "")
                for code, answer in call["responses"].items()
            ]
            taken = kind(body) if body else ""
            found.append(Call(method.upper(), route, call["summary"], call.get("description", ""), parameters, taken, answers))
    return found


def shapes(document: dict[str, Any]) -> list[Shape]:
    """Every schema of the document."""
    found = []
    for name, schema in sorted(document["components"]["schemas"].items()):
        fields = [(field, kind(value)) for field, value in schema.get("properties", {}).items()]
        found.append(Shape(name, schema.get("description", ""), fields))
    return found


@anyone
def reference(request: HttpRequest) -> HttpResponse:
    """The reference, made from the document."""
    from bansha.api.calls import document

    made = document()
    return render(request, "api/reference.html", {"calls": calls(made), "shapes": shapes(made), "version": made["info"]["version"]})


urls = [
    path("programs/", own, name="own"),
    path("programs/reference/", reference, name="reference"),
]
