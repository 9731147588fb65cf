"""The page of a thread beside a bare Django page (bench/bare_page), in one run: both served by gunicorn with the same two
workers, asked by turns; what counts is the CPU time of the workers.

    python bench/pages.py [ROUNDS] [REQUESTS]

The town has a game of m205 on its first day with a thread of 300 posts; the page read is the eighth, twenty posts. The bare
page is the reference as it was given, 20 of 300 stored posts.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORKERS = 2
POSTS = 300
TICK = os.sysconf("SC_CLK_TCK")
COOKIE = "sessionid"


# --- servers ----------------------------------------------------------------------------------------------------------


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


def _children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                stat = (folder / "stat").read_text()
                if int(stat.rpartition(")")[2].split()[1]) == pid:
                    found.append(int(folder.name))
    return found


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far: user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@dataclass
class Served:
    """A server of ours. `port` on 127.0.0.1; `pid` of gunicorn, whose children are the workers."""

    pid: int
    port: int

    def cpu(self) -> float:
        """CPU seconds of its workers so far."""
        return sum(_cpu(worker) for worker in _children(self.pid))

    def settle(self) -> None:
        """Wait until its workers have done what they do at their start."""
        used, still = -1.0, 0
        while still < 3:
            time.sleep(0.2)
            before, used = used, self.cpu()
            still = still + 1 if used == before else 0

    def get(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """One request on a connection of its own, as the workers close it."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        asked.request("GET", path, headers={"Host": "localhost", **headers})
        answer = asked.getresponse()
        body = answer.read()
        asked.close()
        return answer.status, body


@contextmanager
def serve(application: str, folder: Path, environment: Mapping[str, str], workers: int = WORKERS) -> Iterator[Served]:
    """Serve an application with gunicorn until the block ends."""
    port = _free()
    arguments = [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", "--workers", str(workers), "--preload",
                 "--log-level", "warning", "--no-control-socket"]  # fmt: skip
    if application.startswith("bansha."):
        arguments += ["--config", "python:bansha.site.workers"]  # as `bansha serve` does
    process = subprocess.Popen(arguments, cwd=folder, env={**os.environ, **environment})
    try:
        last = time.monotonic() + 120
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if process.poll() is not None or time.monotonic() > last:
                raise RuntimeError(f"{application} is not served")
            time.sleep(0.05)
        yield Served(process.pid, port)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


# --- the two towns ----------------------------------------------------------------------------------------------------


def bare(home: Path) -> str:
    """The reference's database in `home`. Returns the session of its user."""
    shutil.copytree(HERE / "bare_page", home, dirs_exist_ok=True)
    made = subprocess.run([sys.executable, "ref.py", "init"], cwd=home, capture_output=True, text=True, check=True)
    return made.stdout.split()[-1]


def environment(home: Path) -> dict[str, str]:
    """What a town in `home` is served with."""
    return {
        "BANSHA_HOME": str(home),
        "BANSHA_SECRET": "bench " * 10,
        "BANSHA_HOSTS": "localhost",
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "bansha.site.settings",
        "BANSHA_TEST_CLOCK": "",
        "BANSHA_DEBUG": "",
        "PYTHONPATH": str(ROOT),
    }


def midday() -> tuple[str, datetime]:
    """A zone in which it is between one and two in the afternoon, and the moment of its nine o'clock."""
    now = datetime.now(UTC)
    ahead = (13 - now.hour + 11) % 24 - 11
    nine = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=4)
    return f"Etc/GMT{-ahead:+d}", nine


def body(n: int) -> str:
    """A post of the length of the reference's."""
    quote = f"[quote={n % 7 + 1} 号]我怀疑 3 号是狼，昨晚的刀法很奇怪。[/quote]\n" if n % 2 else ""
    talk = f"这是第 {n} 楼的发言，我认为场上的票型说明 4 号和 7 号同边，女巫应该报出银水。" * 4
    return f"[b]排序[/b] {n * 7 % 10 + 1} 号\n{quote}{talk}[color=green]出 {n % 10 + 1} 号[/color]"


@dataclass
class Town:
    """What is measured: the address of the page and the sessions of who asks."""

    path: str
    sessions: dict[str, str] = field(default_factory=dict)


def town(posts: int = POSTS) -> Town:
    """Fill the database of this process's environment: a game of m205 by day with a thread of so many posts of its players, a
    member who reads it, and the sessions of both."""
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from bansha.journal import doors
    from bansha.town import acts
    from bansha.town.models import Account
    from bansha.town.table import Table
    from tests.support.town import account, seated

    call_command("migrate", verbosity=0)
    zone, nine = midday()
    game = seated(seed=1, zone=zone, setup_ends=nine)
    doors.strike(game.journal, nine + timedelta(minutes=1))
    people = {seat: Account.objects.get(username=f"player{seat}") for seat in range(1, game.seats + 1)}
    step = (datetime.now(UTC) - nine - timedelta(minutes=5)) / posts
    for n in range(posts):
        at = nine + timedelta(minutes=2) + n * step
        acts.say(Table(game, people[n % game.seats + 1], at), "talk-1", body(n), f"bench {n}")
    account("onlooker")
    made = Town(f"/g/{game.pk}/t/talk-1/?page=8")
    for name in ("onlooker", "player3", "director"):
        browser = Client(headers={"host": "localhost"})
        browser.force_login(Account.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
        made.sessions[name] = browser.cookies[COOKIE].value
    return made


def make(home: Path, posts: int = POSTS) -> Town:
    """A town in `home`, made by a process of its own."""
    code = (
        "import json, sys, pages; town = pages.town(int(sys.argv[1]));"
        "print(json.dumps([town.path, town.sessions]), file=sys.stderr)"
    )
    home.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", code, str(posts)], env={**os.environ, **environment(home)}, cwd=HERE, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    import json

    path, sessions = json.loads(done.stderr.strip().splitlines()[-1])
    return Town(path, sessions)


# --- measuring --------------------------------------------------------------------------------------------------------


@dataclass
class Who:
    """A kind of request: which server, which page, with what session; and what it cost, round by round."""

    name: str
    server: Served
    path: str
    session: str = ""
    cpu: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    bytes: int = 0

    @property
    def headers(self) -> dict[str, str]:
        """What the browser sends: it takes compressed pages, as browsers do."""
        cookie = {"Cookie": f"{COOKIE}={self.session}"} if self.session else {}
        return {"Accept-Encoding": "gzip, br", "Accept-Language": "zh-CN,zh;q=0.9", **cookie}

    def ask(self, requests: int) -> None:
        """So many requests, one after the other; noted is CPU a request, and requests a second."""
        before, start = self.server.cpu(), time.perf_counter()
        for _ in range(requests):
            status, page = self.server.get(self.path, self.headers)
            if status != 200:
                raise RuntimeError(f"{self.name}: {self.path} answers {status}")
        self.bytes = len(page)
        self.rate.append(requests / (time.perf_counter() - start))
        self.cpu.append((self.server.cpu() - before) / requests)

    @property
    def cost(self) -> float:
        """CPU milliseconds a request, the median of the rounds."""
        return 1000 * statistics.median(self.cpu)


def ratio(one: Who, other: Who) -> float:
    """How many times the cost, the median of the rounds' own ratios: each round's pair was measured side by side."""
    return statistics.median(a / b for a, b in zip(one.cpu, other.cpu, strict=True))


def cold(home: Path, path: str, session: str, times: int = 5) -> list[float]:
    """Milliseconds of CPU and of time of the first page that a fresh worker makes, of a game it has not seen: medians."""
    used, waited = [], []
    for _ in range(times):
        with serve("bansha.site.wsgi:application", ROOT, environment(home), workers=1) as server:
            server.settle()
            before, start = server.cpu(), time.perf_counter()
            status, _page = server.get(path, {"Cookie": f"{COOKIE}={session}", "Accept-Language": "zh-CN"})
            waited.append(time.perf_counter() - start)
            used.append(server.cpu() - before)
            if status != 200:
                raise RuntimeError(f"{path} answers {status}")
    return [1000 * statistics.median(used), 1000 * statistics.median(waited)]


def measure(rounds: int = 7, requests: int = 150) -> tuple[dict[str, Who], list[float]]:
    """Everything, by turns: the bare page's user and guest, the town's member, player, director and guest."""
    folder = Path(tempfile.mkdtemp(prefix="bansha-bench-"))
    try:
        session = bare(folder / "bare")
        made = make(folder / "town")
        reference = serve("ref:application", folder / "bare", {"PYTHONPATH": str(folder / "bare")})
        ours = serve("bansha.site.wsgi:application", ROOT, environment(folder / "town"))
        with reference as bare_page, ours as pages:
            kinds = [
                Who("bare user", bare_page, "/t/1/?page=8", session),
                Who("member", pages, made.path, made.sessions["onlooker"]),
                Who("guest", pages, made.path),
                Who("player", pages, made.path, made.sessions["player3"]),
                Who("director", pages, made.path, made.sessions["director"]),
                Who("bare guest", bare_page, "/t/1/?page=8"),
            ]
            for who in kinds:  # warm
                for _ in range(20):
                    who.server.get(who.path, who.headers)
            for _ in range(rounds):
                for who in kinds:
                    who.ask(requests)
        return {who.name: who for who in kinds}, cold(folder / "town", made.path, made.sessions["onlooker"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def rows(rounds: int = 7, requests: int = 150) -> list[tuple[str, str, str, str]]:
    """The lines of bench/results.md."""
    found, (used, waited) = measure(rounds, requests)
    user = found["bare user"]
    lines = []
    for name, limit in (("bare user", "the reference"), ("bare guest", ""), ("member", "at most 1.5, aim 1.2"), ("player", ""),
                        ("director", ""), ("guest", "at most 0.5")):  # fmt: skip
        who = found[name]
        note = f"{statistics.median(who.rate):.0f} requests/s, {who.bytes / 1000:.1f} kB" + (f"; {limit}" if limit else "")
        lines.append((f"page of 20 posts: {name}", f"{who.cost:.1f} ms CPU", f"{ratio(who, user):.2f} × bare user", note))
    lines.append(("first page of a fresh worker", f"{used:.0f} ms CPU, {waited:.0f} ms", "", "a game it has not seen; under 60 ms"))
    return lines


if __name__ == "__main__":
    if not re.fullmatch(r"[\d ]*", " ".join(sys.argv[1:])):
        sys.exit(__doc__)
    for row in rows(*map(int, sys.argv[1:3])):
        print(" | ".join(row), flush=True)
