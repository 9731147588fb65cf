"""What the benchmarks of the served town stand on: a town with its own settings for production on a database of its own,
`bansha serve` as a child, sessions without sign-in, a small HTTP client, and what processes have cost.

Time is real: a game's zone is chosen so that its day has just opened.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

TICK = os.sysconf("SC_CLK_TCK")


def add_first(parser: argparse.ArgumentParser) -> None:
    """The option `--first`."""
    parser.add_argument("--first", action="store_true", help="go before all other programs, as on a machine of one's own (as root)")


def first(chosen: argparse.Namespace) -> None:
    """Let this process and its children go before all others, so that what else runs on a shared machine is not measured; what
    they need themselves they share as ever."""
    if chosen.first:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def start(kind: str) -> dict[str, str]:
    """Set Django up in this process on a fresh, migrated database: `sqlite`, or a PostgreSQL that keeps what it has said it
    has. Returns the environment for children."""
    from tests.support import served

    chosen = served.environment("sqlite") | {"BANSHA_DEBUG": "0", "BANSHA_SECRET": secrets.token_hex(32), "BANSHA_OUTAGE": "5", "BANSHA_FORMS": "0"}
    chosen["DATABASE_URL"] = served.postgresql(durable=True) if kind == "postgresql" else ""
    os.environ.update(chosen)
    for name in ("BANSHA_TEST_CLOCK", "BANSHA_QUICK_PASSWORDS", "BANSHA_HOSTS", "BANSHA_STREAM"):
        os.environ.pop(name, None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    if kind == "postgresql":
        _settled()
    return chosen


def _settled() -> None:
    """Bring a fresh PostgreSQL to where one is that has run for a day: it has log files to use again, and makes none while it is
    measured."""
    from django.db import connection

    with connection.cursor() as cursor:
        for _ in range(8):
            cursor.execute("SELECT pg_logical_emit_message(false, 'bench', 'a log file more')")
            cursor.execute("SELECT pg_switch_wal()")
        cursor.execute("CHECKPOINT")
        cursor.execute("ANALYZE")


def opened(name: str, seed: int, title: str, day: int = 1) -> Any:
    """A game whose day `day` has opened this morning in its own zone, with hours left. Nobody did anything before."""
    from bansha.journal import doors
    from bansha.rulesets.load import load
    from bansha.town.models import ZONES
    from tests.support import town

    moment = datetime.now(UTC)
    zone = next(zone for zone in ZONES if 9 <= moment.astimezone(ZoneInfo(zone)).hour < 19)
    morning = moment.astimezone(ZoneInfo(zone)).replace(hour=9, minute=0, second=0, microsecond=0)
    calendar = load(name).ruleset.calendar
    ends = morning - timedelta(hours=12 if calendar.start == "night" else 0)
    game = town.seated(name, seed, title, setup_ends=ends.astimezone(UTC) - timedelta(days=day - 1), zone=zone)
    doors.strike(game.journal, moment)
    return game


def cookie(account: Any) -> tuple[str, str]:
    """A session of an account: the Cookie header, and the token that its forms carry."""
    from importlib import import_module

    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(account.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = account.get_session_auth_hash()
    session.save()
    token = secrets.token_hex(16)
    return f"sessionid={session.session_key}; csrftoken={token}", token


class Browser:
    """One kept-alive connection that sends a signed-in account's forms."""

    def __init__(self, port: int, account: Any) -> None:
        self.port = port
        self.cookie, self.token = cookie(account)
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, fields: dict[str, str]) -> tuple[int, str]:
        """Send a form; returns the status and where it leads."""
        body = urlencode({**fields, "csrfmiddlewaretoken": self.token}).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {self.cookie}\r\nAccept-Language: zh-CN\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        status, headers, _ = await self.ask(head.encode() + body)
        return status, headers.get("location", "")

    async def ask(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a request as it stands; a kept connection that the server has closed is opened anew."""
        for _ in range(2):
            kept = self.writer is not None
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            assert self.reader is not None
            try:
                self.writer.write(request)
                head = await self.reader.readuntil(b"\r\n\r\n")
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                if kept:
                    continue
                raise
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
            body = await self.reader.readexactly(int(headers.get("content-length", "0")))
            if headers.get("connection", "").lower() == "close":
                self.close()
            return int(first.split()[1]), headers, body
        raise OSError("the server closed a fresh connection twice")

    def close(self) -> None:
        """Hang up."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


@contextmanager
def serving(chosen: dict[str, str], *options: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """`bansha serve` as a child until the block ends; gives the pages' port and the process."""
    from tools.kills import free_ports

    port = free_ports()
    code = "import sys; from bansha.cli import main; sys.exit(main())"
    environment = {**os.environ, **chosen, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", code, "serve", "--port", str(port), *options], cwd=ROOT, env=environment)
    try:
        wait_for(port)
        wait_for(port + 1)
        yield port, process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(port: int, seconds: float = 60.0) -> None:
    """Wait until somebody listens.

    Raises:
        RuntimeError: nobody does.
    """
    import socket

    last = time.monotonic() + seconds
    while time.monotonic() < last:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"nobody listens at port {port}")


def family(pid: int) -> list[int]:
    """A process and its children's children."""
    try:
        own = [int(number) for number in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [pid, *(number for child in own for number in family(child))]


def part(pid: int, name: str) -> int:
    """The process of one part of `bansha serve`."""
    for number in family(pid)[1:]:
        line = Path(f"/proc/{number}/cmdline").read_text().split("\0")
        if "--only" in line and line[line.index("--only") + 1] == name:
            return number
    raise RuntimeError(f"no {name} among the children of {pid}")


def postmasters(chosen: dict[str, str]) -> list[int]:
    """The process of our throw-away PostgreSQL, [] on SQLite."""
    if not chosen["DATABASE_URL"]:
        return []
    home = chosen["DATABASE_URL"].rpartition("host=")[2]
    return [int(Path(home, "data", "postmaster.pid").read_text().split()[0])]


def cpu_of(pids: Sequence[int]) -> float:
    """CPU seconds of these processes, their children that live, and those they have waited for."""
    total = 0
    for pid in {number for head in pids for number in family(head)}:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(fields[place]) for place in (11, 12, 13, 14))
    return total / TICK


def memory_of(pid: int) -> float:
    """MB of memory a process holds."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def share(values: Sequence[float], of_hundred: float) -> float:
    """The value that so many of a hundred do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * of_hundred / 100))] if ordered else 0.0


class Others:
    """What else ran on the machine meanwhile: of all cores' time, the share that was neither ours nor idle."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.busy, self.all = self._read()
        self.own = sum(os.times()[:4])

    def _read(self) -> tuple[float, float]:
        fields = [int(value) for value in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return (sum(fields) - fields[3] - fields[4]) / TICK, sum(fields) / TICK

    def note(self, ours: float) -> str:
        """"load 1.9; others took 40 % of the cores": `ours` are the CPU seconds of the processes measured."""
        busy, total = self._read()
        own = sum(os.times()[:4]) - self.own
        others = max(0.0, busy - self.busy - ours - own) / max(0.01, total - self.all)
        first = "measured before all other programs, " if os.sched_getscheduler(0) == os.SCHED_RR else ""
        return f"{first}load {os.getloadavg()[0]:.1f}, other programs on {100 * others:.0f} % of the cores"
