"""A game over HTTP while the servers are killed: every command once, in the order of the same game undisturbed.

    python tools/kills.py [--kills 40] [--database sqlite|postgresql] [--until DAY] [--seed 1]

A game of computer players is played in this process first and what each of them did is written down: who, when, what. The
same game is then dealt again and every command sent to the served town by a client that tries again with the same key until
it is acknowledged. Meanwhile the processes for pages, stream and clock (children of this one) are killed without warning at
random instants, most of them while a request is under way. In the end the two journals must tell the same, line for line; a
reader of the stream must have got every public post of the discussion, once.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PARTS = ("pages", "streams", "clock")
PATIENCE = 90.0
"""Seconds after which a command that is not acknowledged counts as lost."""


@dataclass(frozen=True)
class Command:
    """What a seat did: at a moment, by a form with these fields at this address below the game's."""

    moment: datetime
    seat: int
    address: str
    fields: dict[str, str]


def record(game: Any, until: datetime) -> list[Command]:
    """Play a game undisturbed in this process; returns what was accepted, in order: posts, votes, skills."""
    from bansha.company import troupe
    from bansha.company.client import Refused
    from bansha.company.stage import Rehearsal
    from bansha.journal import doors
    from bansha.players import intents as i
    from bansha.town.models import Account

    Account.objects.filter(tenures__game=game).update(computer=True)
    done: list[Command] = []

    class Recorder(troupe.Troupe):
        """Writes down what is accepted, as the form that would have sent it; does nothing that has no form below."""

        def say(self, actor: troupe.Actor, want: i.Say) -> dict[str, Any]:
            return self.post(actor, super().say(actor, want))

        def vote(self, actor: troupe.Actor, want: i.Vote | i.Change) -> dict[str, Any]:
            return self.post(actor, super().vote(actor, want))

        def post(self, actor: troupe.Actor, post: dict[str, Any]) -> dict[str, Any]:
            done.append(Command(stage.now, actor.seat, f"t/{post['room']}/", {"body": post["body"]}))
            return post

        def use(self, actor: troupe.Actor, wants: Any) -> None:
            super().use(actor, wants)
            fields: dict[str, Any] = {"skill": [str(want.index) for want in wants]}
            for index, targets in self.choices(wants).items():
                fields[f"t{index}"] = "pass" if targets is None else [str(x) for x in targets] if isinstance(targets, list) else ""
            done.append(Command(stage.now, actor.seat, "letter/", fields))

        def nothing(self, _actor: troupe.Actor, _want: Any) -> None:
            raise Refused(422, "", "", "")

    handed = dict(troupe.HAND_IN)
    own: dict[type, Callable[..., object]] = {
        i.Say: Recorder.say, i.Vote: Recorder.vote, i.Change: Recorder.vote, i.Answer: Recorder.answer,
        i.Sign: Recorder.nothing, i.Surrender: Recorder.nothing, i.LastWords: Recorder.nothing,
    }  # fmt: skip
    troupe.HAND_IN = own
    try:
        with doors.together(game.journal):
            stage = Rehearsal(game, game.made_at, seed=7, kind=Recorder)
            stage.play(until)
    finally:
        troupe.HAND_IN = handed
    return done


def free_ports() -> int:
    """A port that is free, with the next one free too."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port: int = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


class Servers:
    """The three processes, each killed with its own workers and started again."""

    def __init__(self, port: int, environment: dict[str, str], log: Path) -> None:
        self.port = port
        self.log = log
        self.environment = {**os.environ, **environment, "PYTHONPATH": str(ROOT)}
        self.guard = threading.Lock()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        for part in PARTS:
            self.start(part)

    def start(self, part: str) -> None:
        """Start a part, in a session of its own."""
        from bansha.site.serve import command

        with self.log.open("ab") as log:
            self.running[part] = subprocess.Popen(
                command(part, "127.0.0.1", self.port), cwd=ROOT, env=self.environment, start_new_session=True, stderr=log
            )

    def kill(self, part: str) -> None:
        """Kill a part without warning, and start it again."""
        with self.guard:
            process = self.running[part]
            os.killpg(process.pid, signal.SIGKILL)  # the session we started: the process and its workers
            process.wait()
            self.start(part)

    def end(self) -> None:
        """End all of them."""
        with self.guard:
            for process in self.running.values():
                process.terminate()
            for process in self.running.values():
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


class Client:
    """A browser of one seat: sends a form until it is acknowledged."""

    def __init__(self, port: int, account: Any) -> None:
        from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
        from django.contrib.sessions.backends.db import SessionStore

        session = SessionStore()
        session[SESSION_KEY] = str(account.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = account.get_session_auth_hash()
        session.create()
        self.port = port
        self.token = secrets.token_hex(16)
        self.headers = {
            "Host": "localhost", "Content-Type": "application/x-www-form-urlencoded", "Accept-Language": "zh-CN",
            "Cookie": f"sessionid={session.session_key}; csrftoken={self.token}",
        }  # fmt: skip

    def send(self, address: str, fields: dict[str, Any], key: str, behind: Callable[[], bool]) -> int:
        """Send a form until the answer is a redirect; returns how many tries that took. `behind`: whether something is due that
        the clock has not done yet; then a page that is not there yet is asked for again.

        Raises:
            RuntimeError: refused, or nothing came of it in time.
        """
        body = urlencode({**fields, "key": key, "csrfmiddlewaretoken": self.token}, doseq=True)
        last = time.monotonic() + PATIENCE
        tries = 0
        while time.monotonic() < last:
            tries += 1
            waiting = behind()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            try:
                connection.request("POST", address, body, self.headers)
                answer = connection.getresponse()
                text = answer.read().decode(errors="replace")
            except (OSError, http.client.HTTPException):
                time.sleep(0.03)
                continue
            finally:
                connection.close()
            if answer.status == 302:
                return tries
            if answer.status < 500 and not waiting:
                raise RuntimeError(f"{address}: {answer.status} {text[text.find('role=') :][:300]}")
            time.sleep(0.03)
        raise RuntimeError(f"{address}: not acknowledged in {PATIENCE:.0f} s")


@dataclass
class Listener:
    """Reads the stream of one room after another, coming back with the last id it has seen."""

    port: int
    rooms: dict[str, list[int]] = field(default_factory=dict)
    room: str = ""
    ticket: Callable[[], str] = str
    stop: threading.Event = field(default_factory=threading.Event)

    def follow(self, room: str, ticket: Callable[[], str]) -> None:
        """Go on with another room; `ticket` makes a fresh one, as a page does."""
        self.rooms.setdefault(room, [])
        self.ticket, self.room = ticket, room

    def run(self) -> None:
        """Read until stopped."""
        while not self.stop.is_set():
            room = self.room
            if not room:
                time.sleep(0.05)
                continue
            seen = self.rooms[room]
            headers = {"Last-Event-ID": f"{room}:{seen[-1]}"} if seen else {}
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
            try:
                connection.request("GET", f"/stream/?t={self.ticket()}&after=0", headers=headers)
                answer = connection.getresponse()
                id = b""
                while not self.stop.is_set() and self.room == room:
                    line = answer.readline()
                    if not line.endswith(b"\n"):
                        break  # an event that was cut off is none
                    if line.startswith(b"id: "):
                        id = line
                    elif line == b"\n" and id:
                        seen.append(int(id.decode().strip().rpartition(":")[2]))
                        id = b""
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
            finally:
                connection.close()


def told(journal: int) -> list[list[Any]]:
    """What a journal's lines tell, their keys (and so their hashes) apart."""
    from bansha.journal import doors

    lines = [json.loads(line) for line in doors.lines(journal).splitlines()]
    return [[line[name] for name in ("n", "at", "by", "do", "events")] for line in lines]


def main(arguments: list[str]) -> int:
    """Run it; returns 0 when nothing was lost, doubled or out of order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--until", type=int, default=30, help="the day at whose opening the game is left, if it lasts so long")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    started = time.monotonic()

    os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
    from tests.support import served

    environment = served.start(chosen.database)
    from tests.support import town

    folder = Path(tempfile.mkdtemp(prefix="bansha-kills-"))
    clock = town.Clock(folder)
    from bansha.journal import doors
    from bansha.journal.time import now
    from bansha.town.models import Account, Post, Thread

    until = town.moment(chosen.until, 9)
    alone = town.seated(seed=chosen.seed, title="undisturbed")
    script = record(alone, until)
    until = min(until, script[-1].moment + timedelta(days=5))
    doors.strike(alone.journal, until)
    undisturbed = told(alone.journal)
    game = town.seated(seed=chosen.seed, title="disturbed")
    clock.set(game.made_at)
    print(f"{len(script)} commands recorded in {time.monotonic() - started:.0f} s", flush=True)

    rng = random.Random(chosen.seed)
    moments = sorted(rng.sample(range(len(script)), min(chosen.kills, len(script))))
    port = free_ports()
    servers = Servers(port, {**environment, "BANSHA_TEST_CLOCK": str(clock.file)}, folder / "log")
    listener = Listener(port + 1)
    listening = threading.Thread(target=listener.run, daemon=True)
    clients = {seat: Client(port, Account.objects.get(username=f"player{seat}")) for seat in range(1, game.seats + 1)}
    killers: list[threading.Timer] = []

    def behind() -> bool:
        return game.journal in doors.due_games(now())

    tries = acknowledged = 0
    try:
        listening.start()
        for number, command in enumerate(script):
            clock.set(command.moment)
            if number in moments:
                victim = PARTS[len(killers) % 3] if len(killers) < 3 else rng.choice(PARTS)
                killers.append(threading.Timer(rng.random() * 0.05, servers.kill, [victim]))
                killers[-1].start()
            address = f"/g/{game.pk}/{command.address}"
            tries += clients[command.seat].send(address, command.fields, f"command {number}", behind)
            acknowledged += 1
            room = Thread.objects.filter(game=game, kind="talk").order_by("-pk").values_list("room", flat=True).first()
            if room and room != listener.room:
                _caught_up(listener, game)
                listener.follow(room, partial(_ticket, game, room))
        for killer in killers:
            killer.join()
        clock.set(until)
        last = time.monotonic() + PATIENCE
        while behind() and time.monotonic() < last:
            time.sleep(0.1)
        _caught_up(listener, game)
    finally:
        for killer in killers:
            killer.join()
        listener.stop.set()
        servers.end()
        listening.join(10)

    disturbed = told(game.journal)
    commands = sum(by.startswith("seat") for _n, _at, by, _do, _events in disturbed)
    doubled = max(0, commands - acknowledged)
    order = "undisturbed" if disturbed == undisturbed else f"different from line {_first(disturbed, undisturbed)} on"
    wanted = {room: _floors(game, room) for room in listener.rooms}
    missed = sum(len(set(wanted[room]) - set(got)) for room, got in listener.rooms.items())
    twice = sum(len(got) - len(set(got)) for got in listener.rooms.values())
    print(
        f"kills {len(killers)}, commands {acknowledged} acknowledged, {commands} in the journal, {doubled} doubled, order = {order}"
    )
    print(
        f"{chosen.database}: {tries - acknowledged} tries again; stream: {sum(map(len, wanted.values()))} posts, {missed} missed, "
        f"{twice} doubled; {Post.objects.filter(game=game).count()} posts; {time.monotonic() - started:.0f} s"
    )
    assert doors.head(game.journal) == len(disturbed)
    if disturbed == undisturbed and acknowledged == commands == len(script) and not missed and not twice:
        shutil.rmtree(folder)
        return 0
    print(f"what the servers said: {folder / 'log'}", file=sys.stderr)
    return 1


def _ticket(game: Any, room: str) -> str:
    """A visitor's ticket for a room."""
    from bansha.town import tickets
    from bansha.town.table import Table

    return tickets.make(Table(game, None), room)


def _floors(game: Any, room: str) -> list[int]:
    """The floors of a room that a stream sends."""
    return list(game.posts.filter(room=room).exclude(voice="lift").order_by("floor").values_list("floor", flat=True))


def _caught_up(listener: Listener, game: Any) -> None:
    """Wait until the reader of the stream has everything of its room."""
    last = time.monotonic() + 30
    while listener.room and set(_floors(game, listener.room)) - set(listener.rooms[listener.room]) and time.monotonic() < last:
        time.sleep(0.05)


def _first(one: list[Any], two: list[Any]) -> int:
    """The number of the first line that differs."""
    return next((n for n, (a, b) in enumerate(zip(one, two, strict=False), 1) if a != b), min(len(one), len(two)) + 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
