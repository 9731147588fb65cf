"""Several machines, played by one: each serves pages, streams and a clock of its own, all on one database. It makes no difference
which of them anybody is led to, and whatever is due happens once."""

from __future__ import annotations

import http.client
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest
from django.core.management import call_command
from django.db import connection

from bansha.journal import doors, keep
from bansha.journal.time import now
from bansha.referee import archive
from bansha.referee.rejudge import rejudge
from bansha.sight.types import PUBLIC
from bansha.town.models import Game, Post, Thread
from tests.support import served
from tests.support.served import PROGRAM, family, get, until
from tests.support.town import Clock, seated
from tools.kills import free_ports

pytestmark = [pytest.mark.process, pytest.mark.slow]


class Machine(NamedTuple):
    """Where one machine's pages and streams are, and the number of the process that keeps its parts."""

    port: int
    stream: int
    pid: int


class Browser:
    """Somebody with cookies, who is led to any machine's pages."""

    def __init__(self) -> None:
        self.cookies: SimpleCookie = SimpleCookie()

    def ask(self, port: int, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        """A page, or a form sent; gives the status and the page, or where it leads."""
        sent = dict(fields or {})
        headers = {"Host": "localhost", "Accept-Language": "zh-CN", "Content-Type": "application/x-www-form-urlencoded"}
        headers["Cookie"] = "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items())
        if "csrftoken" in self.cookies:
            sent["csrfmiddlewaretoken"] = self.cookies["csrftoken"].value
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            line.request("POST" if fields is not None else "GET", path, urlencode(sent) if fields is not None else None, headers)
            answer = line.getresponse()
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie":
                    self.cookies.load(value)
            return answer.status, answer.headers.get("Location", "") or answer.read().decode()
        finally:
            line.close()


class Following:
    """A reader of a live stream: the ids it has got."""

    def __init__(self, page: str) -> None:
        found = re.search(r'data-(?:stream|live)="(http://localhost:\d+/stream/\?t=[^"]+)"', page)
        assert found is not None
        parts = urlsplit(found.group(1))
        assert parts.port is not None
        self.port = parts.port
        self.ids: list[str] = []
        self.line = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
        self.line.request("GET", f"{parts.path}?{parts.query}")
        self.answer = self.line.getresponse()
        assert self.answer.status == 200
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while line := self.answer.readline():
                if line.startswith(b"id: "):
                    self.ids.append(line.decode().strip().removeprefix("id: "))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # hung up

    def close(self) -> None:
        """Hang up."""
        if self.line.sock is not None:
            self.line.sock.shutdown(2)
        self.line.close()


@pytest.fixture(scope="module")
def town(
    clock: Clock, chosen: dict[str, str], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[Game, Machine, Machine]]:
    """A game on the eve of its first day, and two machines on its database. Each names the other's streams in its pages, so that
    pages and streams always differ."""
    if connection.vendor == "sqlite" and not request.config.getoption("--long"):
        pytest.skip("on PostgreSQL in tests/journal_postgresql/; here with --long")
    call_command("createcachetable", "bansha_cache", verbosity=0)
    ports = [free_ports() for _ in range(2)]
    clock.at(1, 8, 59)
    game: Game = seated(seed=71)
    processes = []
    for number, port in enumerate(ports):
        own: dict[str, str] = {"BANSHA_TEST_CLOCK": str(clock.file), "BANSHA_STREAM": f"http://localhost:{ports[1 - number] + 1}"}
        if connection.vendor == "postgresql":  # machines that have nothing in common but the database and the key
            own |= {"BANSHA_HOME": str(tmp_path_factory.mktemp(f"machine{number}")), "BANSHA_CACHE": "database"}
        options = ["--only", "pages,streams,clock", "--port", str(port), "--stream-port", str(port + 1), "--workers", "1", "--threads", "2"]
        processes.append(served.child(["-c", PROGRAM, "serve", *options], chosen, **own))
    try:
        for port in ports:
            assert until(lambda port=port: get(port, "/health/")[0] == 200), "pages"  # type: ignore[misc]
            assert until(lambda port=port: get(port + 1, "/stream/")[0] == 403), "stream"  # type: ignore[misc]
        one, other = (Machine(port, port + 1, process.pid) for port, process in zip(ports, processes, strict=True))
        yield game, one, other
    finally:
        served.end(*processes)


def test_a_game_is_played_over_two_machines(town: tuple[Game, Machine, Machine], clock: Clock, says: Callable[[str], None]) -> None:
    game, one, other = town
    assert game.journal is not None
    machines = (one, other)
    assert [len(family(machine.pid)) for machine in machines] == [4, 4], "pages and their worker, stream, clock"
    clock.at(1, 9, 0)
    assert until(lambda: Thread.objects.filter(game=game, room="talk-1").exists()), "a clock has opened the day"

    # signed in at one machine, known at the other
    player = Browser()
    assert player.ask(one.port, "/accounts/login/")[0] == 200
    status, _ = player.ask(one.port, "/accounts/login/", {"login": "player4", "password": "lamplight-lamplight"})
    assert status == 302
    status, page = player.ask(other.port, f"/g/{game.pk}/t/talk-1/")
    assert status == 200 and 'name="body"' in page, "the form of a player"

    # a post handed in at one machine comes to readers of both machines' streams
    visitor = Browser()
    readers = [Following(visitor.ask(machine.port, f"/g/{game.pk}/t/talk-1/")[1]) for machine in machines] + [Following(page)]
    assert {reader.port for reader in readers} == {one.stream, other.stream}
    sent = time.monotonic()
    assert player.ask(one.port, f"/g/{game.pk}/t/talk-1/", {"body": "从这边发的。", "key": "a"})[0] == 302
    assert player.ask(other.port, f"/g/{game.pk}/t/talk-1/", {"body": "从那边发的。", "key": "b"})[0] == 302
    again = player.ask(other.port, f"/g/{game.pk}/t/talk-1/", {"body": "从这边发的。", "key": "a"})
    assert again[0] == 302 and again[1].endswith("#f3"), "the same key at the other machine is the same post"
    assert until(lambda: all(reader.ids == ["talk-1:3", "talk-1:4"] for reader in readers)), [reader.ids for reader in readers]
    arrived = time.monotonic() - sent

    # a vote handed in at one counts at the other
    assert player.ask(other.port, f"/g/{game.pk}/b/election-1/", {"do": "vote", "target": "2", "reason": "稳", "key": "v"})[0] == 302
    vote = Post.objects.get(game=game, room="election-1", receipt__state="vote")
    assert vote.seat == 4 and vote.receipt is not None and vote.receipt["target"] == 2
    assert f'id="f{vote.floor}"' in visitor.ask(one.port, f"/g/{game.pk}/b/election-1/")[1]
    second = player.ask(one.port, f"/g/{game.pk}/b/election-1/", {"do": "vote", "target": "3", "reason": "", "key": "w"})
    assert second[0] == 422, "it has one already"

    # what is due happens once, whichever clock is first
    clock.at(1, 21, 0)
    assert until(lambda: doors.see(game.journal or 0, PUBLIC).view.public.phase == "night" and not doors.due_games(now()))

    # one machine goes, the other goes on
    kept = [reader for reader in readers if reader.port == other.stream]
    processes = family(one.pid)
    _end(one.pid)
    assert until(lambda: not any(Path(f"/proc/{number}").exists() and _runs(number) for number in processes), 20)
    clock.at(2, 9, 0)
    assert until(lambda: Thread.objects.filter(game=game, room="talk-2").exists()), "the clock that is left"
    status, page = player.ask(other.port, f"/g/{game.pk}/t/talk-2/")
    assert status == 200 and kept
    assert player.ask(other.port, f"/g/{game.pk}/t/talk-1/", {"body": "太晚了", "key": "late"})[0] == 422, "yesterday's thread is closed"
    for reader in readers:
        reader.close()
    lines = list(archive.read(doors.lines(game.journal)))
    with keep.kept(game.journal) as have:
        rejudge(have.board, lines, have.dice())  # every stroke of a clock was due then, and is there once
    strokes = [line for line in lines if line.by == "clock"]
    assert len(strokes) >= 4 and not doors.due_games(now())
    says(f"{connection.vendor}: two machines, posts at either with readers at both {arrived:.2f} s, {len(strokes)} strokes, each once")


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)


def _runs(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
