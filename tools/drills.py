"""Drills: what a town must live through, with real disks, real servers and real minutes.

    python tools/drills.py [--only NAME ...] [--database sqlite|postgresql] [--short]

full      the database's disk is a small one that fills up: a memory file system, which only root can mount (else: skipped)
gone      the database is away for a minute (`--short`: five seconds) while clients post
trees     two whole `bansha serve` of one town on one database: a game is played through both in turn
backup    `bansha backup` while five posts a second go on over HTTP, then `bansha restore` elsewhere

Each runs on both databases, prints a line with what was counted, and ends with 0 only if nothing was lost, doubled or different.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.served import PROGRAM, get, until  # noqa: E402
from tools import kills  # noqa: E402

DATABASES = ("sqlite", "postgresql")
SIZE = 48
"""Megabytes of the small disk."""


class Skipped(Exception):
    """Why a drill could not be held here."""


class Failed(Exception):
    """What was not as it must be."""


def need(holds: bool, what: str) -> None:
    """Fail unless it holds."""
    if not holds:
        raise Failed(what)


@dataclass
class Town:
    """A town for one drill: what its processes are told, and a game on its first morning."""

    kind: str
    environment: dict[str, str]
    folder: Path
    clock: Any
    game: Any = None
    served: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def serve(self) -> int:
        """Serve it once more, whole; returns the port."""
        port = kills.free_ports()
        log = (self.folder / "log").open("ab")
        command = [sys.executable, "-c", PROGRAM, "serve", "--port", str(port)]
        environment = {**os.environ, **self.environment, "BANSHA_TEST_CLOCK": str(self.clock.file)}
        self.served.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True))
        need(until(lambda: get(port, "/health/")[0] == 200), f"the town is not served; see {self.folder / 'log'}")
        return port

    def end(self) -> None:
        """End what was served."""
        for process in self.served:
            process.send_signal(signal.SIGTERM)
        for process in self.served:
            process.wait(30)

    def run(self, *arguments: str, **more: str) -> str:
        """A command of ours; what it printed."""
        done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], cwd=ROOT, env={**os.environ, **self.environment, **more},
                              capture_output=True, text=True, check=False)  # fmt: skip
        need(done.returncode == 0, f"bansha {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def said(self) -> str:
        """What the served town said."""
        return (self.folder / "log").read_text(errors="replace")


def begin(kind: str, seed: int = 1) -> Town:
    """Set up a town on this kind of database, in this process too."""
    os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
    from tests.support import served

    environment = served.start(kind)
    from bansha.site import identity
    from tests.support import town as support

    folder = Path(tempfile.mkdtemp(prefix="bansha-drill-", dir=os.environ.get("TMPDIR", "/tmp")))
    clock = support.Clock(folder)
    clock.at(1, 9, 1)
    identity.check()
    town = Town(kind, environment, folder, clock)
    town.game = support.seated(seed=seed)
    from bansha.journal import doors

    doors.strike(town.game.journal, support.moment(1, 9, 1))
    return town


def clients(town: Town, port: int) -> dict[int, kills.Client]:
    """A browser for each seat."""
    from bansha.town.models import Account

    return {seat: kills.Client(port, Account.objects.get(username=f"player{seat}")) for seat in range(1, town.game.seats + 1)}


def proved(town: Town) -> int:
    """Entries of the town's game, proved."""
    from bansha.journal import doors

    doors.proved(doors.lines(town.game.journal))
    return doors.head(town.game.journal)


def bodies(town: Town) -> list[str]:
    """What players wrote in the day's thread, in order."""
    from bansha.town.models import Post

    rows = Post.objects.filter(game=town.game, room="talk-1", seat__gt=0).order_by("floor").values_list("body", flat=True)
    return [body[:40] for body in rows]


@dataclass
class Posting:
    """A seat that posts, each with its key until it is answered. `refused`: answers of 503."""

    town: Town
    client: kills.Client
    rate: float
    words: str = ""
    answered: list[tuple[float, str]] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)
    refused: int = 0
    other: list[int] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in a thread."""
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def end(self) -> None:
        """No more after the one under way."""
        self.stop.set()
        if self.thread is not None:
            self.thread.join(120)

    def _run(self) -> None:
        from urllib.parse import urlencode

        due = time.monotonic()
        number = 0
        while not self.stop.is_set():
            body = f"第{number}帖" + self.words
            fields = urlencode({"body": body, "key": f"post {number}", "csrfmiddlewaretoken": self.client.token})
            self.begun.append(time.time())
            while True:
                status = self._send(fields)
                if status == 302:
                    self.answered.append((time.time(), body[:40]))
                    break
                if status == 503:
                    self.refused += 1
                elif status:
                    self.other.append(status)
                if self.stop.wait(0.3) and status != 302:
                    break
            number += 1
            due += 1 / self.rate
            self.stop.wait(max(0.0, due - time.monotonic()))

    def _send(self, fields: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.client.port, timeout=60)
        try:
            connection.request("POST", f"/g/{self.town.game.pk}/t/talk-1/", fields, self.client.headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


# --- full -------------------------------------------------------------------------------------------------------------


@contextmanager
def small_disk() -> Iterator[Path]:
    """A disk of few megabytes."""
    if os.getuid() != 0:
        raise Skipped("only root can mount a small disk")
    folder = Path(tempfile.mkdtemp(prefix="bansha-small-"))
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}m,mode=0755", "tmpfs", str(folder)], capture_output=True, text=True)
    if done.returncode:
        raise Skipped(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
        folder.rmdir()


def fill(disk: Path) -> Path:
    """Leave no room on a disk."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as out, suppress(OSError):
        while True:
            out.write(bytes(4096))
    return filler


def full(kind: str, _seconds: float) -> str:
    """The disk fills up while a client posts; once there is room again everything that was answered is there, once."""
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk())
        if kind == "sqlite":
            tempfile.tempdir = str(disk)  # where a test's town has its home
            try:
                town = begin(kind)
            finally:
                tempfile.tempdir = None
        else:
            town = begin(kind)
            from django.db import connection

            shutil.chown(_made(disk / "tables"), "postgres", "postgres")
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE TABLESPACE small LOCATION '{disk / 'tables'}'")
                for table in connection.introspection.table_names(cursor):
                    cursor.execute(f'ALTER TABLE "{table}" SET TABLESPACE small')
        stack.callback(town.end)
        if kind == "postgresql":
            stack.callback(_drop_tablespace)
        port = town.serve()
        posting = Posting(town, clients(town, port)[3], 5, "雾" * 3000)
        posting.start()
        need(until(lambda: len(posting.answered) >= 3), "nothing is posted")
        filler = fill(disk)
        need(until(lambda: posting.refused >= 5), "the full disk was not noticed")
        reading = get(port, f"/g/{town.game.pk}/t/talk-1/")[0]
        town.clock.at(1, 9, 2)
        filler.unlink()
        had = len(posting.answered)
        need(until(lambda: len(posting.answered) >= had + 3), "nothing is posted once there is room again")
        posting.end()
        written = bodies(town)
        need(written == [body for _, body in posting.answered], "what was answered is not what is there")
        need(not posting.other, f"other answers than 302 and 503: {posting.other[:5]}")
        need(reading == 200, f"reading on a full disk: {reading}")
        need("no room left" in town.said(), "the town did not say so")
        return (f"{len(posting.answered)} posts answered and written once, {posting.refused} refused with 503, "
                f"{proved(town)} entries proved, reading went on")  # fmt: skip


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _drop_tablespace() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'ALTER TABLE "{table}" SET TABLESPACE pg_default')
        cursor.execute("DROP TABLESPACE small")
    connection.close()


# --- gone -------------------------------------------------------------------------------------------------------------


def gone(kind: str, seconds: float) -> str:
    """The database is away for a while; pages say so, a stream goes on afterwards, nothing is started anew."""
    town = begin(kind)
    try:
        port = town.serve()
        posting = Posting(town, clients(town, port)[3], 5)
        posting.start()
        need(until(lambda: len(posting.answered) >= 5), "nothing is posted")
        before = _children(town.served[0].pid)
        began = time.monotonic()
        with _away(town):
            need(until(lambda: posting.refused > 0, 30), "nobody is told")
            status, page = get(port, "/")
            need(status == 503 and "镇上的账房一时敲不开" in page, f"the front page answers {status}")
            time.sleep(max(0.0, seconds - (time.monotonic() - began)))
            away = time.monotonic() - began
        had = len(posting.answered)
        need(until(lambda: len(posting.answered) >= had + 10), "nothing is posted afterwards")
        need({get(port, "/")[0] for _ in range(20)} == {200}, "a page answers with an error afterwards")
        posting.end()
        town.clock.at(1, 21, 0)
        from bansha.town.table import Table
        from tests.support.town import moment

        need(until(lambda: Table(town.game, None, moment(1, 21)).public.phase == "night"), "the clock does not strike afterwards")
        need(bodies(town) == [body for _, body in posting.answered], "what was answered is not what is there")
        need(not posting.other, f"other answers than 302 and 503: {posting.other[:5]}")
        need(_children(town.served[0].pid) == before, "a part was started anew")
        return (f"away {away:.0f} s: {len(posting.answered)} posts answered and written once, {posting.refused} refused with 503, "
                f"no part started anew, {proved(town)} entries proved")  # fmt: skip
    finally:
        town.end()


def _children(pid: int) -> list[str]:
    return sorted(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


@contextmanager
def _away(town: Town) -> Iterator[None]:
    """The database is not there."""
    from django.db import connection

    connection.close()
    if town.kind == "postgresql":
        from tests.support.outages import Server

        server = Server(town.environment["DATABASE_URL"])
        server.stop()
        try:
            yield
        finally:
            server.start()
        return
    home = Path(town.environment["BANSHA_HOME"])
    aside = Path(tempfile.mkdtemp(prefix="bansha-aside-"))
    names = [f"bansha.sqlite3{end}" for end in ("", "-wal", "-shm")]
    for name in names:
        if (home / name).exists():
            shutil.move(home / name, aside / name)
    try:
        yield
        need(not (home / names[0]).exists(), "an empty database was begun in place of the one that is away")
    finally:
        for name in names:
            if (aside / name).exists():
                shutil.move(aside / name, home / name)
        shutil.rmtree(aside)


# --- two trees --------------------------------------------------------------------------------------------------------


def trees(kind: str, _seconds: float) -> str:
    """Two whole servers of one town: a game's commands go to one and the other in turn, and each is sent to both with its key."""
    town = begin(kind, seed=7)
    try:
        from bansha.journal import doors
        from bansha.town.models import Account
        from tests.support import town as support

        last = support.moment(2, 9)
        alone = support.seated(seed=1, title="undisturbed")
        script = kills.record(alone, last)
        doors.strike(alone.journal, last)
        Account.objects.update(computer=False)  # they have played; from here on only what is sent happens
        game = support.seated(seed=1, title="in both")
        town.game = game
        town.clock.set(game.made_at)
        ports = [town.serve(), town.serve()]
        both = [clients(town, port) for port in ports]

        def behind() -> bool:
            from bansha.journal.time import now

            return game.journal in doors.due_games(now())

        for number, command in enumerate(script):
            town.clock.set(command.moment)
            address = f"/g/{game.pk}/{command.address}"
            for port in (number % 2, 1 - number % 2):  # the second is told that it was done before
                both[port][command.seat].send(address, command.fields, f"command {number}", behind)
        town.clock.set(last)
        need(until(lambda: not behind()), "the clocks do not catch up")
        here, there = kills.told(game.journal), kills.told(alone.journal)
        first = kills._first(here, there)
        need(here == there, f"different from line {first} on: {here[first - 1 : first]}, undisturbed {there[first - 1 : first]}")
        refused = subprocess.run(
            [sys.executable, "-c", PROGRAM, "serve", "--port", str(kills.free_ports())], cwd=ROOT, capture_output=True, text=True,
            timeout=60,
            env={**os.environ, **town.environment, "BANSHA_SECRET": "the key of another town"}, check=False,
        )  # fmt: skip
        need(refused.returncode == 2 and "Two towns never share a database" in refused.stderr, f"another town: {refused.stderr}")
        return (f"{len(script)} commands sent to both of two servers: {len(here)} entries, 0 doubled, the same as undisturbed; "
                "a town with another key did not start")  # fmt: skip
    finally:
        town.end()


# --- backup -----------------------------------------------------------------------------------------------------------


def backup(kind: str, _seconds: float) -> str:
    """A backup while five posts a second go on; restored into an empty town of either kind, every chain ends where it says."""
    town = begin(kind)
    posting = None
    try:
        from tests.support import town as support

        noon = support.moment(1, 12)
        port = town.serve()
        ticking = threading.Event()

        def tick() -> None:
            began = time.time()
            while not ticking.wait(0.01):
                town.clock.set(noon + timedelta(seconds=time.time() - began))

        ticker = threading.Thread(target=tick, daemon=True)
        began = time.time()
        ticker.start()
        posting = Posting(town, clients(town, port)[4], 5)
        posting.start()
        need(until(lambda: len(posting.answered) >= 15), "nothing is posted")
        file = town.folder / "town.bansha"
        environment = {"BANSHA_TEST_CLOCK": str(town.clock.file)}
        started = time.monotonic()
        said = town.run("backup", str(file), **environment)
        took = time.monotonic() - started
        need(until(lambda: len(posting.answered) >= 40), "posting stopped")
        posting.end()
        ticking.set()
        ticker.join()
        found = re.search(r"the town at (\S+), version", said)
        need(found is not None, said)
        assert found is not None
        stated = began + (datetime.fromisoformat(found[1]) - noon).total_seconds()
        town.run("backup", "--check", str(file))
        heads, posts = _restored(town, file)
        where = "SQLite and PostgreSQL" if kind == "postgresql" else "SQLite"
        from bansha.journal import doors

        live = doors.lines(town.game.journal).splitlines()
        n, hash = heads[str(town.game.journal)]
        need(hash.encode() in live[n - 1], "the restored head is no moment of this chain")
        before = sum(at < stated - 0.05 for at, _ in posting.answered)
        after = sum(at > stated + 0.05 for at in posting.begun)
        need(before <= posts <= len(posting.begun) - after, f"{before} posts were answered by then, {posts} are in it")
        rate = len(posting.answered) / (posting.answered[-1][0] - posting.answered[0][0])
        return (f"{len(posting.answered)} posts at {rate:.1f} a second, backup in {took:.1f} s, {len(heads)} chains restored "
                f"into {where} end where the manifest says; {posts} of the posts in it, {before} answered by then")  # fmt: skip
    finally:
        if posting is not None:
            posting.end()
        town.end()


def _restored(town: Town, file: Path) -> tuple[dict[str, Any], int]:
    """Restore into an empty town of each kind; returns where the chains end there, and the player's posts."""
    import json
    import zipfile

    from django.db import connection

    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        columns, *rows = (json.loads(line) for line in archive.read("rows/town.post.jsonl").splitlines())
    room, seat = columns.index("room"), columns.index("seat")
    posts = sum(row[room] == "talk-1" and row[seat] > 0 for row in rows)
    places: list[dict[str, str]] = [{"DATABASE_URL": "", "BANSHA_HOME": str(town.folder / "home")}]
    if town.kind == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE restored")
        places.append({"DATABASE_URL": town.environment["DATABASE_URL"].replace("/bansha?", "/restored?")})
    for place in places:
        town.run("restore", str(file), **place)
        again = town.folder / f"again-{len(place)}.bansha"
        town.run("backup", str(again), **place)
        with zipfile.ZipFile(again) as archive:
            need(json.loads(archive.read("manifest.json"))["heads"] == manifest["heads"], f"other heads in {place}")
    return manifest["heads"], posts


DRILLS: dict[str, Callable[[str, float], str]] = {"full": full, "gone": gone, "trees": trees, "backup": backup}


def main(arguments: list[str]) -> int:
    """Hold the drills, each in a process of its own; returns 0 when all that could be held held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=DRILLS, action="append")
    parser.add_argument("--database", choices=DATABASES, action="append")
    parser.add_argument("--short", action="store_true", help="an outage of five seconds instead of a minute")
    chosen = parser.parse_args(arguments)
    names, kinds = chosen.only or list(DRILLS), chosen.database or list(DATABASES)
    if len(names) == len(kinds) == 1:
        return one(names[0], kinds[0], 5.0 if chosen.short else 60.0)
    code = 0
    for name in names:
        for kind in kinds:
            more = ["--short"] if chosen.short else []
            code |= subprocess.run([sys.executable, __file__, "--only", name, "--database", kind, *more], cwd=ROOT, check=False).returncode
    return code


def one(name: str, kind: str, seconds: float) -> int:
    """Hold one drill and say what came of it."""
    started = time.monotonic()
    try:
        said, code = DRILLS[name](kind, seconds), 0
    except Skipped as why:
        said, code = f"skipped: {why}", 0
    except Failed as what:
        said, code = f"FAILED: {what}", 1
    print(f"{name} on {kind}: {said} ({time.monotonic() - started:.0f} s)", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
