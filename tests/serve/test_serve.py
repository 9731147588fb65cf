"""`bansha serve`: pages, stream and clock under one command; a child that dies comes back; nothing is left behind."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from bansha.site import serve, settings
from bansha.town import acts
from bansha.town.models import Account, Game, Thread
from bansha.town.table import Table
from tests.support import served
from tests.support.served import PROGRAM, family, get, until
from tests.support.town import Clock, moment, seated
from tools.kills import free_ports

pytestmark = pytest.mark.process


def children(pid: int) -> dict[str, int]:
    """The parts that run, by name."""
    found = {}
    for number in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        line = Path(f"/proc/{number}/cmdline").read_text().split("\0")
        found["pages" if "gunicorn" in line else line[line.index("--only") + 1] if "--only" in line else "?"] = int(number)
    return found


@pytest.fixture(scope="module")
def town(clock: Clock, chosen: dict[str, str]) -> Iterator[tuple[int, int, Game]]:
    """A served town: the number of its process, its port, and a game on the eve of its first day."""
    clock.at(1, 8, 59)
    game: Game = seated(seed=51)
    port = free_ports()
    process = served.child(["-c", PROGRAM, "serve", "--port", str(port)], chosen, BANSHA_TEST_CLOCK=str(clock.file))
    try:
        assert until(lambda: get(port, "/")[0] == 200), "pages"
        assert until(lambda: get(port + 1, "/stream/")[0] == 403), "stream"
        yield process.pid, port, game
    finally:
        served.end(process)


def test_the_clock_opens_the_day_and_a_post_arrives_live(town: tuple[int, int, Game], clock: Clock) -> None:
    _, port, game = town
    clock.at(1, 9, 0)
    assert until(lambda: Thread.objects.filter(game=game, room="talk-1").exists()), "the clock has opened the day"
    status, page = get(port, f"/g/{game.pk}/t/talk-1/")
    found = re.search(r'data-stream="http://localhost:(\d+)(/stream/\?t=[^"]+)"', page)
    assert status == 200 and found is not None and int(found.group(1)) == port + 1
    connection = http.client.HTTPConnection("127.0.0.1", port + 1, timeout=20)
    connection.request("GET", found.group(2))
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"], answer.headers["X-Accel-Buffering"]) == (200, "*", "no")
    arrived = threading.Event()
    got: list[str] = []

    def read() -> None:
        while not arrived.is_set():
            line = answer.readline().decode()
            got.append(line)
            if "晨雾很重" in line or not line:
                arrived.set()

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    time.sleep(0.5)
    sent = time.monotonic()
    acts.say(Table(game, Account.objects.get(username="player4")), "talk-1", "晨雾很重，各位早。")
    assert arrived.wait(20)
    took = time.monotonic() - sent
    connection.close()
    assert "id: talk-1:3\n" in got and "event: post\n" in got
    assert took < 2.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), f"{took:.2f} s"


def test_a_child_that_dies_is_started_again(town: tuple[int, int, Game], clock: Clock) -> None:
    pid, port, game = town
    before = children(pid)
    assert set(before) == {"pages", "streams", "clock", "courier"}
    os.kill(before["clock"], signal.SIGKILL)
    os.kill(before["streams"], signal.SIGKILL)
    assert until(lambda: {"pages", "streams", "clock"} <= set(children(pid)) and children(pid)["clock"] != before["clock"])
    assert until(lambda: get(port + 1, "/stream/")[0] == 403)
    clock.at(1, 21, 0)
    assert until(lambda: Table(game, None, moment(1, 21)).public.phase == "night"), "the new clock strikes"
    assert children(pid)["pages"] == before["pages"]


def test_it_ends_with_all_its_children(town: tuple[int, int, Game]) -> None:
    pid, port, _ = town
    left = family(pid)
    assert len(left) >= 6
    os.kill(pid, signal.SIGTERM)
    assert until(lambda: not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z", 20)
    assert until(lambda: not any(Path(f"/proc/{number}").exists() for number in left), 5)
    assert get(port, "/")[0] == 0


def test_an_unknown_part_and_a_town_without_tables_are_said(chosen: dict[str, str], tmp_path: Path) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        environment = {**os.environ, **chosen, "BANSHA_HOME": str(tmp_path), "DATABASE_URL": ""}
        command = [sys.executable, "-c", PROGRAM, "serve", *arguments]
        process = subprocess.run(command, cwd=served.ROOT, env=environment, capture_output=True, text=True, timeout=60)
        return process.returncode, process.stderr

    assert said("--only", "kitchen") == (2, "bansha: --only kitchen: there is no such part; pages, streams, clock, courier, company are\n")
    code, error = said("--port", str(free_ports()))
    assert code == 2 and "bansha migrate" in error


def test_how_the_parts_are_started() -> None:
    pages = serve.command("pages", "::1", 8100, workers=3, threads=5)
    assert pages[pages.index("--bind") + 1] == "[::1]:8100"
    assert (pages[pages.index("--workers") + 1], pages[pages.index("--threads") + 1]) == ("3", "5")
    streams = serve.command("streams", "127.0.0.1", 8100, 9000)
    assert streams[streams.index("--stream-port") + 1] == "9000"
    assert [child.part for child in serve.Supervisor(("pages", "clock"), "127.0.0.1", 8100).children] == ["pages", "clock"]
    assert serve.Supervisor((), "127.0.0.1", 8100, 9000).environment["BANSHA_STREAM"] == "http://localhost:9000"


def test_what_the_gates_limits_count_in() -> None:
    assert settings.cache("")["BACKEND"].endswith("FileBasedCache") and settings.cache("database")["LOCATION"] == "bansha_cache"
    with pytest.raises(ImproperlyConfigured, match="BANSHA_CACHE"):
        settings.cache("redis://localhost")
