"""Tokens for tests: a program of an account at a game, and its calls from inside this process."""

from __future__ import annotations

import json
from typing import Any


def token_of(name: str, game: int = 0, kind: str = "") -> str:
    """A new token of this account: for its seat where it has one (`kind` "": what it can), else for reading the game; without a
    game for reading what everybody may."""
    from bansha.api import tokens
    from bansha.journal import time
    from bansha.town.models import Account, Game, Tenure

    account = Account.objects.get(username=name)
    found = Game.objects.get(pk=game) if game else None
    sits = Tenure.objects.filter(game=found, account=account, until=None, kind="player").exists()
    return tokens.make(account, found, kind or ("seat" if sits else "read"), "tests", time.now())[1]


def bearer(name: str, game: int = 0, kind: str = "") -> dict[str, str]:
    """The header of this account's calls; none for a visitor (""). The same token each time, as long as it lives."""
    from bansha.api import tokens
    from bansha.journal import time

    if not name:
        return {}
    if tokens.find(_made.get((name, game, kind), ""), time.now()) is None:
        _made[name, game, kind] = token_of(name, game, kind)
    return {"Authorization": f"Bearer {_made[name, game, kind]}"}


_made: dict[tuple[str, int, str], str] = {}


class Program:
    """A program with one token: its calls through the whole town, middleware and all."""

    def __init__(self, token: str) -> None:
        from django.test import Client

        self.client = Client(headers={"host": "localhost", **({"Authorization": f"Bearer {token}"} if token else {})})

    def call(self, method: str, path: str, given: object = None, **headers: str) -> tuple[int, Any]:
        """A call: status and what was answered."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        body = {"data": json.dumps(given), "content_type": "application/json"} if given is not None else {}
        answer = self.client.generic(method, f"/api/v1{path}", headers=named, **body)
        self.headers = answer.headers
        return answer.status_code, json.loads(answer.content) if answer.content else None

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """A reading."""
        return self.call("GET", path, **headers)

    def post(self, path: str, given: object, **headers: str) -> tuple[int, Any]:
        """A writing."""
        return self.call("POST", path, given, **headers)
