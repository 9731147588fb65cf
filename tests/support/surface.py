"""Everything a viewer can fetch of the town, as bytes: the surface that secrecy is proved on (docs/security.md).

The list of addresses comes from the router; every parameter gets samples of what is there, what is there but hidden, and what
is not there at all. Of each answer all counts: status, body, size, headers, names of cookies. Beside plain GETs: HEAD,
conditional GETs, the forms of the fetched pages sent off, forged forms sent to every address, the live stream.
`VOLATILE` lists what differs between two fetches of the same thing; nothing else may.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from html import escape
from itertools import islice, product
from random import Random
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from tests.support import router
from tests.support.forms import forms
from tests.support.played import Eye, Played
from tests.support.town import one_transaction

VOLATILE = (
    (re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"'), b"csrf"),
    (re.compile(rb'name="key" value="(?:[0-9a-f]{32}[a-z_]*|[0-9A-Za-z]{32})"'), b"key"),
    (re.compile(rb'"challenge": "[^"]*"'), b"challenge"),
)
"""What differs between two fetches of the same page: tokens that are made anew."""
RANDOM_COOKIES = ("csrftoken", "sessionid")
"""Cookies whose values are made anew; of others the value counts, without the time and the signature at its end."""
UNCOUNTED = ("Expires",)
"""Headers told by the machine's own clock."""

NOWHERE = 999_999
"""The number of a game that is not there."""
WORDS = ("灯", "秘密", "暗号", "守灯塔的老海", "投票对象")
"""What is searched for: words of public posts, of hidden ones, of both."""
TURNS = ("?page=2", "?only=2", "?quote=1", "?floor=2", "?all=1", "?of=2", "?valid=1", "?day=1", "?as=bbcode", "?draft=talk-1")
"""Questions that pages of the game are asked beside their address: each page one of these, drawn."""
FORGED: dict[str, Any] = {
    "body": "投票对象：弃权\n投票理由：试一试", "target": "2", "reason": "试一试", "floor": "1", "skill": "0", "t0": "2", "key": "forged",
    "answer": "agree", "seat": "2", "hours": "2", "kind": "speed_up", "right": "directs", "act": "give", "words": "试一试",
    "password": "not the password", "zone": "Asia/Tokyo", "language": "zh-hans",
}  # fmt: skip
"""What a forged form sends to every address."""
FORGED_DOES = ("vote", "say", "proxy", "withdraw")
TYPED = {"text": "试一试", "textarea": "这一句是试探。", "number": "2", "search": "灯", "datetime-local": "2026-11-24T21:00"}
"""What is typed into the fields of a page's own forms, by kind."""


class Reader:
    """One viewer at one moment, with a browser. `cap`: how many paths of one address are tried at most (with 1, two
    where the guard lets more than directors in); it also says how many forms are sent, and how much is asked for again."""

    def __init__(self, played: Played, eye: Eye, seed: int, cap: int = 4) -> None:
        from tests.support.town import client

        self.played = played
        self.eye = eye
        self.seed = seed
        self.cap = cap
        self.again = min(0.1 * cap, 0.4)
        self.fetches = 0
        self.browser = client(eye.account)
        self.secrets = self._secrets()
        self.browser.raise_request_exception = False
        self.validators: dict[str, dict[str, str]] = {}
        self.pages: dict[str, str] = {}

    def _secrets(self) -> dict[str, str]:
        """The viewer's own secret texts, made for this reader: the token of its program, the addresses of its calendar and of the
        link that stops its mails. They are made anew, so that they are volatile."""
        from bansha.journal.time import now
        from bansha.notify import diary, mail
        from bansha.notify.models import Ways
        from bansha.town.models import Account
        from tests.support.tokens import token_of

        account = Account.objects.filter(username=self.eye.account).first()
        if account is None:
            return {"program": "bansha_nobody", "calendar": "nothing", "stop": "nothing"}
        way = Ways.objects.get_or_create(account=account)[0]
        made = {"program": token_of(self.eye.account, self.played.game.pk)}
        return made | {"calendar": diary.token_of(diary.renew(account, now())), "stop": mail.stop_token(way)}

    def _headers(self, address: router.Address) -> dict[str, str]:
        """What a call of the interface for programs shows."""
        return {"HTTP_AUTHORIZATION": f"Bearer {self.secrets['program']}"} if address.route.startswith("api/") else {}

    # --- addresses ----------------------------------------------------------------------------------------------------

    def paths(self) -> list[tuple[router.Address, str]]:
        """Every address of the router with its paths at this moment: the first of each, and others as drawn, at most `cap`."""
        found = []
        for address in router.addresses():
            first, *rest = product(*(self.samples(address, parameter) for parameter in address.parameters))
            rng = self.drawn(address.name)
            rng.shuffle(rest)
            ways = [first, *rest]
            if address.name == "town:avatar":
                ways = [way for way in ways if way[0] == self.played.game.pk]
            elif self.cap == 1 and rest:
                ways = [first, *(way for way in rest if way[0] == first[0])][: 1 if _closed(address) else 2]
            else:
                ways = ways[: self.cap]
            found += [(address, _reverse(address, way)) for way in ways]
            if address.ours and "game" in address.parameters and rng.random() < 0.2 * (1 + self.cap):
                found.append((address, f"{_reverse(address, ways[0])}{rng.choice(TURNS)}"))
            if address.name.endswith("search"):
                found += [(address, f"{_reverse(address, first)}?q={word}") for word in WORDS]
        return found

    def drawn(self, what: str) -> Random:
        """Chance of this reader's own, the same in both twins."""
        return Random(f"{self.seed} {what}")

    def samples(self, address: router.Address, parameter: str) -> list[Any]:
        """What to put in place of a parameter: what is there, what is hidden, what is not there.

        Raises:
            KeyError: a parameter nobody has given a sample for (tests/support/router.py).
        """
        game = self.played.game
        seat = self.eye.viewer.seat
        match parameter:
            case "game":
                return [game.pk, NOWHERE]
            case "room":
                first = ("ballot", "election") if address.name.endswith("ballot") else ("talk",)
                return sorted(self.rooms(), key=lambda room: not room.startswith(first))
            case "seat":
                every = list(range(1, game.seats + 1))
                return [*dict.fromkeys([seat or 1, *(every if address.name == "town:avatar" else every[:2]), game.seats]), 0, 99]
            case "den":
                return [0, 1, 2, 99]
            case "number" | "floor":
                return [1, 2, 9999]
            case "name" if address.name != "desk:act":
                return [*(person.username for person in self.played.hidden[:2]), self.played.people["outsider"].username, "nobody"]
            case "name":
                return list(router.desk_acts())
            case "token":
                return [self.secrets.get(address.name.split(":")[-1], "nothing"), "nothing"]
        return list(router.SAMPLES[parameter])

    def rooms(self) -> list[str]:
        """Rooms of the game, the newest first; hidden ones; one that is not there."""
        from bansha.town.models import Thread

        there = list(Thread.objects.filter(game=self.played.game).order_by("-pk").values_list("room", flat=True))
        hidden = ["den-0", "hole", f"hole-{self.played.hidden[0].pk}", "line-1", f"line-{self.eye.viewer.seat or 2}", "log", "words", "new"]
        return [*there[:3], *hidden, *there[3:], "talk-99"]

    def glance(self) -> None:
        """Open the pages whose live stream is listened to."""
        game = self.played.game.pk
        for path in (f"/g/{game}/", f"/g/{game}/process/", f"/g/{game}/hole/", f"/g/{game}/letter/", f"/g/{game}/den/0/", *self._latest()):
            answer = self.browser.get(path)
            if answer.status_code == 200:
                self.pages[path] = answer.content.decode()

    def _latest(self) -> list[str]:
        game = self.played.game.pk
        return [f"/g/{game}/{'b' if room[0] in 'be' else 't'}/{room}/" for room in self.rooms()[:3] if room[:4] in ("talk", "ball", "elec")]

    # --- fetching -----------------------------------------------------------------------------------------------------

    def fetch(self, earlier: dict[str, dict[str, str]] | None = None) -> dict[str, bytes]:
        """Every address. `earlier`: the validators another sweep was given, for conditional GETs."""
        found: dict[str, bytes] = {}
        for address, path in self.paths():
            headers = self._headers(address)
            answer = self.browser.get(path, **headers)
            label = self.labelled(path)
            found[f"GET {label}"] = self.told(answer)
            tags = {name: answer.headers[name] for name in ("ETag", "Last-Modified") if name in answer.headers}
            if tags:
                self.validators[label] = tags
            for name, value in (earlier or self.validators).get(label, {}).items():
                ask = {"HTTP_IF_NONE_MATCH": value} if name == "ETag" else {"HTTP_IF_MODIFIED_SINCE": value}
                found[f"GET {label} unless {name}"] = self.told(self.browser.get(path, **ask, **headers))
            if self.drawn(f"head {label}").random() < self.again:
                found[f"HEAD {label}"] = self.told(self.browser.head(path, **headers))
                found[f"GET {label} again, warm"] = self.told(self.browser.get(path, **headers))
            if answer.status_code == 200 and answer.headers.get("Content-Type", "").startswith("text/html") and address.ours:
                self.pages[path] = answer.content.decode()
        return found

    def labelled(self, path: str) -> str:
        """A path without what is secret in it."""
        for name, secret in self.secrets.items():
            path = path.replace(secret, name) if len(secret) > 20 else path
        return path

    def told(self, answer: Any) -> bytes:
        """All that an answer tells."""
        self.fetches += 1
        body = answer.getvalue() if hasattr(answer, "getvalue") else answer.content
        for pattern, stands_for in VOLATILE:
            body = pattern.sub(stands_for, body)
        for name, secret in self.secrets.items():
            body = body.replace(secret.encode(), name.encode()) if len(secret) > 20 else body
        headers = sorted((name, value) for name, value in answer.headers.items() if name not in UNCOUNTED)
        cookies = sorted((name, "" if name in RANDOM_COOKIES else _unsigned(jar.value)) for name, jar in answer.cookies.items())
        return self.labelled(f"{answer.status_code} {len(body)} {headers} {cookies}\n").encode() + body

    # --- sending ------------------------------------------------------------------------------------------------------

    def send(self) -> dict[str, bytes]:
        """The forms of the pages as somebody would send them, and forged forms to every address. Each is taken back, so that
        the next finds the same town."""
        found: dict[str, bytes] = {}
        for path, page in [*self.pages.items()]:
            if "?" not in path:
                for number, (action, data) in enumerate(islice(_filled(page, path, self.drawn(f"forms {path}")), 1 + self.cap // 2)):
                    found[f"FORM {number} {self.labelled(path)} → {self.labelled(action)}"] = self.posted(action, data)
        tried: set[str] = set()
        for address, path in self.paths():
            if "?" in path or address.name in tried or self.drawn(f"forged {address.name}").random() > 0.3 * (1 + self.cap):
                continue
            tried.add(address.name)
            does = FORGED_DOES if address.name.endswith("ballot") else FORGED_DOES[:1]
            for do in does:
                names = {"game": self.played.game.pk, "login": self.played.hidden[1].username, "username": self.played.hidden[1].username,
                         "name": self.played.hidden[1].username, "email": f"{self.played.hidden[1].username}@mail.example"}  # fmt: skip
                found[f"POST {self.labelled(path)} {do}"] = self.posted(path, {**FORGED, **names, "do": do}, **self._headers(address))
        return found

    def posted(self, path: str, data: dict[str, Any], **headers: str) -> bytes:
        """What a POST answers; nothing of it stays."""
        cookies = self.browser.cookies.copy()
        try:
            with taken_back(self.played):
                kind = {"content_type": "application/json"} if headers else {}
                return self.told(self.browser.post(path, data, **kind, **headers))
        finally:
            self.browser.cookies = cookies

    # --- the live stream ----------------------------------------------------------------------------------------------

    def tickets(self) -> list[str]:
        """The tickets of the pages, each once."""
        found = {}
        for page in self.pages.values():
            for ticket in re.findall(r'/stream/\?t=([^"&]*)', page):
                found[unquote(ticket)] = None
        return list(found)

    def listen(self) -> Callable[[], dict[str, bytes]]:
        """Join the stream with every ticket the pages gave; what is given back looks what has come since."""
        from bansha.journal.time import now
        from bansha.site.stream import Ask, Watch
        from bansha.town import tickets

        watch, found = Watch(), {}
        asked = [ticket for ticket in (tickets.check(text, now()) for text in self.tickets()) if ticket is not None]
        asks = {}
        for number, missed in enumerate(watch.join([Ask(ticket, 0) for ticket in asked])):
            found[f"STREAM {asked[number].room} joined"] = b"refused" if missed is None else b"".join(one.wire for one in missed)
            asks[number] = Ask(asked[number], max((message.floor for message in missed or ()), default=0))

        def look() -> dict[str, bytes]:
            for every in (False, True):
                for number, messages in watch.look(asks, every).messages.items():
                    found[f"STREAM {asks[number].ticket.room} looked, all {every}"] = b"".join(one.wire for one in messages)
            self.fetches += len(found)
            return found

        return look

    # --- notices ------------------------------------------------------------------------------------------------------

    def waiting(self) -> dict[str, bytes]:
        """What waits in the outbox for the viewer, and what a courier carries to it now."""
        from bansha.journal.time import now
        from tests.support.notices import carried, queued

        if not self.eye.account:
            return {}
        with taken_back(self.played):
            lines = queued(self.eye.account)
            went = [one for one in carried(now()) if one.to == self.eye.account]
        self.fetches += 2
        return {
            "NOTICES queued": "\n".join(map(repr, lines)).encode(),
            "NOTICES carried": "\n".join(f"{one.channel} {one.subject} {one.text} {one.link}" for one in went).encode(),
        }


def _unsigned(value: str) -> str:
    """A signed cookie without what says when it was made."""
    return value.rsplit(":", 2)[0]


def _closed(address: router.Address) -> bool:
    """Whether the guard sends everybody but directors away, whatever is asked for."""
    return getattr(address.view, "guard", "") in ("directing", "at_desk", "conducting")


def _reverse(address: router.Address, way: Iterable[Any]) -> str:
    from django.urls import reverse

    return reverse(address.name, kwargs=dict(zip(address.parameters, way, strict=True)))


def _filled(page: str, path: str, rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """The POST forms of a page, each with every button: where it goes and what is sent."""
    for form in forms(page):
        if form.method.lower() != "post":
            continue
        chosen = {}
        for control in form.controls:
            if control.kind in TYPED and control.name:
                chosen[control.name] = TYPED[control.kind]
            elif control.kind in ("radio", "checkbox") and not control.off and rng.random() < 0.4:
                chosen[control.name] = control.value
        data = form.data(None, **chosen)
        action = urlsplit(form.action).path or urlsplit(path).path
        buttons = [control for control in form.controls if control.kind == "submit" and control.name]
        for button in buttons or [None]:
            yield action, data | ({button.name: [button.value]} if button is not None else {})


# --- worlds -----------------------------------------------------------------------------------------------------------


def forget() -> None:
    """Let this process keep nothing, as a fresh one does: rows that were taken back give their numbers to others."""
    from django.core.cache import cache

    from bansha.journal import keep
    from bansha.town import limits, memo

    keep.drop_all()
    memo.forget()
    cache.clear()
    limits._leases.clear()
    for name, module in [*sys.modules.items()]:
        if name.startswith("bansha.town."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def world(played: Played) -> Iterator[None]:
    """A town as it stands at this moment, with cold caches; whatever is done in it is undone at its end."""
    from unittest import mock

    from django.db import transaction
    from django.test import override_settings

    from bansha.journal import time

    unhurried = override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", FORMS_A_MINUTE=0)
    with unhurried, mock.patch("django.utils.timezone.now", time.now), one_transaction():
        forget()
        then = time.now()
        try:
            yield
        finally:
            transaction.set_rollback(True)
            played.clock.set(then)
            forget()


@contextmanager
def taken_back(played: Played) -> Iterator[None]:
    """What is done here is undone: rows, and what is kept of the journal in memory."""
    from django.db import transaction

    from bansha.journal import keep
    from bansha.town import memo

    journal = played.game.journal
    with keep.kept(journal) as have:
        state, head, hash = have.state.copy(), have.head, have.hash
    ear = keep._ears.get(journal)
    said = (ear.kept.head, ear.kept.hash, ear.kept.state.copy(), list(ear.news)) if ear is not None else None
    with one_transaction():
        try:
            yield
        finally:
            transaction.set_rollback(True)
    memo.forget()  # numbers of rows are given anew
    after = keep._kept.get(journal)
    if after is not have or have.head != head:
        have.state, have.head, have.hash = state, head, hash
        keep._kept[journal] = have
        if ear is not None and said is not None:
            ear.kept.head, ear.kept.hash, ear.kept.state, ear.news = said
            keep._ears[journal] = ear
        else:
            keep._ears.pop(journal, None)


# --- what answers give away -------------------------------------------------------------------------------------------


def named(found: dict[str, bytes], played: Played, eye: Eye) -> list[str]:
    """Answers in which an account of a running game is named, or its number stands, plain or wrapped. A viewer's own name and
    number are its own."""
    own = next((person for person in played.people.values() if person.username == eye.account), None)
    marks: dict[bytes, str] = {}
    for person in played.hidden:
        if own is not None and person.pk == own.pk:
            continue
        for form in (person.username, str(person.pk), f"{person.pk:x}", _base36(person.pk)):
            marks[form.encode()] = person.username
    pattern = re.compile(b"|".join(map(re.escape, marks)), re.IGNORECASE)
    faults = []
    for what, answer in found.items():
        for text in (answer, *_unwrapped(answer)):
            hit = pattern.search(text)
            if hit and not _typed(what, hit.group().decode()):
                around = text[max(0, hit.start() - 80) : hit.end() + 40].decode(errors="replace")
                faults.append(f"{what}: names {hit.group().decode()}: …{around}…")
                break
    return faults


def _typed(what: str, name: str) -> bool:
    """Whether the viewer itself wrote this name: in the address, or into a forged form that is shown again."""
    return name in unquote(what) or what.startswith("POST ")


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def _unwrapped(answer: bytes) -> Iterator[bytes]:
    """The texts inside base64 (tickets, tokens, pictures in the page)."""
    for found in set(re.findall(rb"[A-Za-z0-9_\-+/]{16,}", answer)):
        try:
            yield base64.b64decode(found.replace(b"-", b"+").replace(b"_", b"/") + b"=" * (-len(found) % 4), validate=True)
        except binascii.Error:
            continue


def broken(found: dict[str, bytes]) -> list[str]:
    """Answers that are mistakes of the town's: what they would have told is not known."""
    return [f"{what}: {answer[:3].decode()}" for what, answer in found.items() if answer[:1] == b"5"]


def unlike(found: dict[str, bytes], reader: Reader) -> list[str]:
    """Addresses that say "there is no such thing" and "this is not for you" in two ways: all refusals of one address in one
    game must be the same, but for the address that was asked for."""
    by_path = {path: address.name for address, path in reader.paths()}
    ways: dict[tuple[str, bool], dict[bytes, str]] = {}
    for what, answer in found.items():
        path = what.removeprefix("GET ")
        if path not in by_path or answer[:3] not in (b"401", b"403", b"404", b"410"):
            continue
        plain = path.partition("?")[0]
        told = re.sub(rb"^(...) \d+ |'Content-Length', '\d+'|/stream/\?t=[^\"&]*", rb"\1", answer)
        for asked in sorted({path, plain, quote(path), quote(plain), quote(path, ""), escape(path)}, key=len, reverse=True):
            told = told.replace(asked.encode(), b"...")
        ways.setdefault((by_path[path], f"/{NOWHERE}/" in path), {}).setdefault(told, path)
    return [f"{name}: refused in {len(told)} ways: {list(told.values())}" for (name, _), told in ways.items() if len(told) > 1]
