"""A program's side of the interface (docs/api.md): plain calls over HTTP with one token. Nothing but the standard library is needed,
and nothing of the town is known but what it answers.

    client = Client(Line("http://localhost:8000"), "bansha_…")
    seen = client.view()
    client.say(f"talk-{seen['view']['public']['day']}", "各位早。")
"""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

Transport = Callable[[str, str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]
"""One call: method, path, headers, body → status, headers by their names in small letters, body."""


class Refused(Exception):
    """What was asked for is not taken, and nothing has changed. `code` is stable; `zh` and `en` say what would be right."""

    def __init__(self, status: int, code: str, zh: str, en: str) -> None:
        self.status, self.code, self.zh, self.en = status, code, zh, en
        super().__init__(f"{status} {code}: {en}")


class Gone(Refused):
    """The token opens nothing here (any more): revoked, old, of a seat that changed hands, or of another game."""


class Busy(Exception):
    """The town does not answer, or asks to wait; `seconds`: how long. Whatever was handed in may be handed in again."""

    def __init__(self, why: str, seconds: float = 1.0) -> None:
        self.seconds = seconds
        super().__init__(why)


class Line:
    """A connection that is kept open, and opened again when it was closed meanwhile. `host`: the name the town is addressed by,
    where it is not the one of the address."""

    def __init__(self, url: str, host: str = "", timeout: float = 20.0) -> None:
        self.url = url
        self.parts = urlsplit(url)
        self.host = host or self.parts.netloc
        self.timeout = timeout
        self.connection: http.client.HTTPConnection | None = None

    def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """One call; tried once more on a fresh connection, which is safe: what is written carries a key."""
        for last in (False, True):
            try:
                if self.connection is None:
                    kind = http.client.HTTPSConnection if self.parts.scheme == "https" else http.client.HTTPConnection
                    self.connection = kind(self.parts.hostname or "", self.parts.port, timeout=self.timeout)
                self.connection.request(method, self.parts.path.rstrip("/") + path, body or None, {"Host": self.host, **headers})
                answer = self.connection.getresponse()
                return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if last:
                    raise Busy(f"{self.parts.netloc} does not answer: {str(error) or type(error).__name__}") from error
        raise AssertionError

    def close(self) -> None:
        """Let go of the connection."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Event(NamedTuple):
    """A message of the event stream: post, phase, prompt, reload, ping or end (docs/live.md)."""

    name: str
    data: dict[str, Any]


class Client:
    """One token at the town. `game`: the one it is for, or, for a token that reads every game, the one to read."""

    def __init__(self, line: Transport, token: str, game: int = 0) -> None:
        self.line = line
        self.token = token
        self._game = game
        self._tag = ""
        self._seen: dict[str, Any] = {}
        self.fresh = False
        """Whether the last `view` brought anything but the time."""

    def call(self, method: str, path: str, given: object = None, **headers: str) -> tuple[int, Mapping[str, str], Any]:
        """A call of the interface.

        Raises:
            Refused, Gone, Busy: with what the town says.
        """
        sent = {"Authorization": f"Bearer {self.token}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        body = b""
        if given is not None:
            body = json.dumps(given).encode()
            sent["Content-Type"] = "application/json"
        if method != "GET":
            sent.setdefault("Idempotency-Key", secrets.token_hex(16))
        status, got, text = self.line(method, f"/api/v1{path}", sent, body)
        if status < 400:
            return status, got, json.loads(text) if text else None
        if status == 429 or status >= 500:
            raise Busy(f"{method} {path}: {status}", float(got.get("retry-after", "1")))
        problem = json.loads(text)
        kind = Gone if status in (401, 403, 404) else Refused
        raise kind(status, problem["code"], problem["zh"], problem["en"])

    @property
    def game(self) -> int:
        """The number of the game."""
        if not self._game:
            self._game = self.call("GET", "/token")[2]["game"]
        return self._game

    # --- reading --------------------------------------------------------------------------------------------------

    def me(self) -> dict[str, Any]:
        """What the token is: kind, game, seat."""
        return self.call("GET", "/token")[2]  # type: ignore[no-any-return]

    def facts(self) -> dict[str, Any]:
        """What everybody knows of the game."""
        return self.call("GET", f"/games/{self.game}")[2]  # type: ignore[no-any-return]

    def ruleset(self) -> dict[str, Any]:
        """The board."""
        return self.call("GET", f"/games/{self.game}/ruleset")[2]  # type: ignore[no-any-return]

    def view(self) -> dict[str, Any]:
        """The game as this token may see it: minute, moment, view, rooms. Asked for again, it is sent only when it has changed;
        `fresh` says whether it was."""
        status, got, seen = self.call("GET", f"/games/{self.game}/view", If_None_Match=self._tag)
        self.fresh = status == 200
        if self.fresh:
            self._seen, self._tag = seen, got["etag"]
        self._seen["minute"] = self._seen["view"]["public"]["now"] = int(got["bansha-minute"])
        return self._seen

    def posts(self, room: str, after: int = 0, limit: int = 200) -> list[dict[str, Any]]:
        """The posts of a room after a floor, all of them up to the limit."""
        found: list[dict[str, Any]] = []
        while len(found) < limit:
            asked = urlencode({"after": found[-1]["floor"] if found else after, "limit": min(200, limit - len(found))})
            page = self.call("GET", f"/games/{self.game}/rooms/{room}/posts?{asked}")[2]
            found += page["posts"]
            if not page["more"]:
                break
        return found

    def petitions(self) -> list[dict[str, Any]]:
        """The petitions as they stand."""
        return self.call("GET", f"/games/{self.game}/petitions")[2]["petitions"]  # type: ignore[no-any-return]

    # --- acting ---------------------------------------------------------------------------------------------------

    def hand_in(self, choices: Mapping[int, list[int] | bool | None]) -> None:
        """Skills in one submission: number → seats, True (no target), None (pass). Prompts are answered the same way."""
        given = [{"skill": skill, "targets": targets} for skill, targets in choices.items()]
        self.call("POST", f"/games/{self.game}/skills", {"choices": given})

    def vote(self, ballot: str, target: int, reason: str = "", change: bool = False) -> dict[str, Any]:
        """Vote (target 0: 弃权), or change the vote; returns the post."""
        given = {"ballot": ballot, "target": target, "reason": reason, "change": change}
        return self.call("POST", f"/games/{self.game}/votes", given)[2]  # type: ignore[no-any-return]

    def say(self, room: str, body: str, quote: int = 0) -> dict[str, Any]:
        """Post in a room: a thread of today, process, a den, the own line, hole; returns the post."""
        return self.call("POST", f"/games/{self.game}/rooms/{room}/posts", {"body": body, "quote": quote})[2]  # type: ignore[no-any-return]

    def sign(self, kind: str) -> None:
        """Sign a petition: speed_up, extend, abort."""
        self.call("POST", f"/games/{self.game}/signatures", {"kind": kind})

    def surrender(self, answer: str) -> None:
        """propose, agree or decline."""
        self.call("POST", f"/games/{self.game}/surrender", {"answer": answer})

    def last_words(self, text: str) -> None:
        """Hand last words in."""
        self.call("PUT", f"/games/{self.game}/last-words", {"text": text})

    # --- the event stream -------------------------------------------------------------------------------------------

    def stream(self, room: str = "", after: int | None = None) -> Iterator[Event]:
        """The event stream until it ends; then ask again. `room`: whose posts come, after a floor ("": none).

        Raises:
            Refused, Gone, Busy: there is none.
        """
        address = self.call("POST", f"/games/{self.game}/stream", {"room": room})[2]["address"]
        parts = urlsplit(address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=40)
        more = f"&after={after}" if after is not None else ""
        try:
            connection.request("GET", f"{parts.path}?{parts.query}{more}", headers={"Accept": "text/event-stream"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise Busy(f"the stream answers {answer.status}", 5.0)
            yield from _events(answer)
        except (OSError, http.client.HTTPException) as error:
            raise Busy(f"the stream broke off: {str(error) or type(error).__name__}") from error
        finally:
            connection.close()


def _events(answer: http.client.HTTPResponse) -> Iterator[Event]:
    name, data = "", ""
    while line := answer.readline():
        field, _, value = line.decode().rstrip("\r\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data = value
        elif not field and name:
            yield Event(name, json.loads(data or "{}"))
            name, data = "", ""
