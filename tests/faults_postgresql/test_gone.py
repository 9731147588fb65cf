"""PostgreSQL is ended and started again under a served town: the town says so, and goes on by itself."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from bansha.journal import doors
from bansha.town import acts
from bansha.town.models import Account, Game, Post, Thread
from bansha.town.table import Table
from tests.serve.test_serve import children
from tests.support import served
from tests.support.broken import form_in
from tests.support.outages import Server
from tests.support.served import PROGRAM, get, until
from tests.support.town import Clock, client, moment, seated
from tools.kills import free_ports

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def town(clock: Clock, chosen: dict[str, str]) -> Iterator[tuple[int, int, Game]]:
    """A served town: the number of its process, its port, and a game on its first morning."""
    clock.at(1, 9, 0)
    game: Game = seated(seed=51)
    port = free_ports()
    process = served.child(["-c", PROGRAM, "serve", "--port", str(port)], chosen, BANSHA_TEST_CLOCK=str(clock.file))
    try:
        assert until(lambda: get(port, "/")[0] == 200), "pages"
        assert until(lambda: get(port + 1, "/stream/")[0] == 403), "stream"
        assert until(lambda: Thread.objects.filter(game=game, room="talk-1").exists()), "the clock has opened the day"
        yield process.pid, port, game
    finally:
        served.end(process)


class Browser:
    """Somebody signed in."""

    def __init__(self, port: int, name: str) -> None:
        cookies = client(name).cookies
        self.port = port
        self.token = "c" * 32
        self.headers = {
            "Host": "localhost", "Origin": "http://localhost", "Accept-Language": "zh-CN",
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": f"sessionid={cookies['sessionid'].value}; csrftoken={self.token}",
        }  # fmt: skip

    def send(self, address: str, fields: dict[str, str] | None = None) -> tuple[int, str | None, str]:
        """A page, or a form: status, Retry-After, text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            if fields is None:
                connection.request("GET", address, headers=self.headers)
            else:
                connection.request("POST", address, urlencode({"csrfmiddlewaretoken": self.token, **fields}), self.headers)
            answer = connection.getresponse()
            return answer.status, answer.headers["Retry-After"], answer.read().decode()
        finally:
            connection.close()


def follow(port: int, address: str, got: list[str]) -> Callable[[], None]:
    """Read a stream in a thread; returns what ends it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", address)
    answer = connection.getresponse()
    assert answer.status == 200

    def read() -> None:
        try:
            while line := answer.readline():
                got.append(line.decode())
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return

    threading.Thread(target=read, daemon=True).start()
    return connection.close


def test_gone_and_back(town: tuple[int, int, Game], clock: Clock, chosen: dict[str, str]) -> None:
    from django.db import connection

    pid, port, game = town
    assert game.journal is not None
    before = children(pid)
    who = Browser(port, "player3")
    thread = f"/g/{game.pk}/t/talk-1/"
    status, _, page = who.send(thread)
    found = re.search(r'data-stream="http://localhost:\d+(/stream/\?t=[^"]+)"', page)
    assert status == 200 and found is not None
    got: list[str] = []
    end = follow(port + 1, found[1], got)
    assert who.send(thread, {"body": "停电以前的一帖", "key": "before"})[0] == 302
    assert until(lambda: any("停电以前的一帖" in line for line in got))
    for _ in range(12):  # every thread of the pages has a connection
        get(port, "/")
    connection.close()
    server = Server(chosen["DATABASE_URL"])
    server.stop()
    stopped = time.monotonic()
    try:
        status, retry, page = who.send(thread)
        assert (status, retry) == (503, "15") and "镇上的账房一时敲不开" in page
        status, retry, page = who.send(thread, {"body": "停电时写的一帖", "key": "during"})
        assert (status, retry) == (503, "15") and "停电时写的一帖" in page
        status, health = get(port, "/health/")
        assert status == 503 and json.loads(health)["database"] == "gone"
        assert get(port, "/static/bansha/lamp.svg")[0] == 200
        assert get(port + 1, found[1])[0] == 503
        time.sleep(max(0.0, 3.0 - (time.monotonic() - stopped)))
    finally:
        server.start()
    assert {get(port, "/")[0] for _ in range(16)} == {200}, "no connection of before costs anybody an error"
    assert json.loads(get(port, "/health/")[1])["status"] == "ok"
    address, fields = form_in(page)
    for _ in range(2):
        assert who.send(address, fields)[0] == 302
    bodies = list(Post.objects.filter(game=game, seat=3).order_by("floor").values_list("body", flat=True))
    assert bodies == ["停电以前的一帖", "停电时写的一帖"]
    acts.say(Table(game, Account.objects.get(username="player4")), "talk-1", "又亮了")
    assert until(lambda: any("又亮了" in line for line in got), 15), "an open stream goes on"
    assert sum("停电时写的一帖" in line for line in got) == 1
    end()
    clock.at(1, 21, 0)
    assert until(lambda: Table(game, None, moment(1, 21)).public.phase == "night", 15), "the clock strikes again"
    assert children(pid) == before, "nothing was started anew"
    assert "ok" in doors.proved(doors.lines(game.journal))


def test_the_state_after_is_the_one_written(town: tuple[int, int, Any]) -> None:
    _, _, game = town
    minutes = [json.loads(line)["at"] for line in doors.lines(game.journal).splitlines()]
    assert minutes == sorted(minutes)
