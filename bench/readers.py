"""A thousand live readers: how soon a post reaches each, and what a reader costs.

    python bench/readers.py [--database postgresql|sqlite] [--readers 1000] [--posts 20] [--every 3]

Two page processes and one stream process. The readers follow one thread: visitors in two languages, members, and the tabs of
those who play and direct there. Somebody posts every few seconds over HTTP. How long it took counts from the moment the post
was sent and from the moment it was answered, to its arrival at each reader.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import time
from typing import Any

import stand

ROOM = "talk-1"
PLAYERS, DIRECTORS = 5, 4
"""Tabs of a seat, and of a director."""


class Ear(asyncio.Protocol):
    """One reader: when each floor came."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.buffer = b""
        self.came: dict[int, float] = {}
        self.doubled = 0
        self.phases = 0
        self.here = asyncio.get_running_loop().create_future()
        self.lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        self.transport = transport
        transport.write(f"GET /stream/?{self.query} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Note the floors that came."""
        moment = time.perf_counter()
        self.buffer += data
        if not self.here.done() and b": here" in self.buffer:
            self.here.set_result(self.buffer.split(b" ", 2)[1])
        *whole, self.buffer = self.buffer.split(b"\n\n")
        for event in whole:
            place = event.find(b"id: talk-1:")
            if place >= 0:
                floor = int(event[place + 11 :].split(b"\n", 1)[0])
                self.doubled += floor in self.came
                self.came.setdefault(floor, moment)

    def connection_lost(self, _error: Exception | None) -> None:
        """The stream has ended."""
        self.lost = True
        if not self.here.done():
            self.here.set_result(self.buffer[:60])


def queries(game: Any, wanted: int) -> list[str]:
    """The readers' addresses: players' and directors' tabs first, then two members for each visitor, who read in two
    languages."""
    from django.utils import translation

    from bansha.town import tickets
    from bansha.town.models import Account
    from bansha.town.table import Table

    tabs = [f"player{seat}" for seat in range(1, game.seats + 1)] * PLAYERS + ["director", "director2"] * DIRECTORS
    named = {account.username: account for account in Account.objects.all()}
    members = Account.objects.bulk_create([Account(username=f"member{number}", password="!") for number in range(wanted)])
    found = []
    for number in range(wanted):
        who = named[tabs[number]] if number < len(tabs) else members[number] if number % 3 else None
        with translation.override("en" if who is None and number % 2 else "zh-hans"):
            found.append(f"t={tickets.make(Table(game, who), ROOM)}")
    return found


async def read(port: int, asked: list[str], poster: stand.Browser, game: int, streams: int, servers: list[int], chosen: Any) -> list[list[str]]:
    """Connect all readers, post, and tell what it came to."""
    loop = asyncio.get_running_loop()
    before_rss, before_cpu = stand.memory_of(streams), stand.cpu_of([streams])
    began = time.perf_counter()
    ears: list[Ear] = []
    for at in range(0, len(asked), 50):
        made = [loop.create_connection(lambda query=query: Ear(query), "127.0.0.1", port + 1) for query in asked[at : at + 50]]
        ears += [ear for _, ear in await asyncio.gather(*made)]
    answers = await asyncio.gather(*(ear.here for ear in ears))
    refused = sum(answer != b"200" for answer in answers)
    joined = time.perf_counter() - began
    joined_cpu = stand.cpu_of([streams]) - before_cpu
    await asyncio.sleep(2)
    rss = stand.memory_of(streams)
    idle_cpu, idle = stand.cpu_of([streams]), max(2.0, chosen.every * 3)
    await asyncio.sleep(idle)
    idle_cpu = stand.cpu_of([streams]) - idle_cpu

    # the first post warms what a process keeps, and is not counted
    await poster.post(f"/g/{game}/t/{ROOM}/", {"body": "开场。", "key": "first"})
    await asyncio.sleep(1)
    others, spent, cpu = stand.Others(), stand.cpu_of(servers), stand.cpu_of([streams])
    moments: dict[int, tuple[float, float]] = {}
    faults = 0
    for number in range(chosen.posts):
        sent = time.perf_counter()
        status, where = await poster.post(f"/g/{game}/t/{ROOM}/", {"body": f"第{number}帖，" + "雾从河上来，灯一盏盏灭。" * 8, "key": f"post {number}"})
        faults += status != 302
        moments[int(where.rpartition("#f")[2] or 0)] = (sent, time.perf_counter())
        await asyncio.sleep(max(0.0, sent + chosen.every - time.perf_counter()))
    await asyncio.sleep(2)
    cpu = stand.cpu_of([streams]) - cpu
    note = others.note(stand.cpu_of(servers) - spent)
    top = stand.memory_of(streams)
    from_start = [ear.came[floor] - sent for floor, (sent, _) in moments.items() for ear in ears if floor in ear.came]
    from_answer = [ear.came[floor] - answered for floor, (_, answered) in moments.items() for ear in ears if floor in ear.came]
    missed = len(moments) * len(ears) - len(from_start)
    doubled = sum(ear.doubled for ear in ears)
    lost = sum(ear.lost for ear in ears)
    for ear in ears:
        ear.transport.close()
    what = f"{chosen.database}, {len(ears)} readers"
    late = sum(value > 1.0 for value in from_answer)
    rows = [
        [f"{what}: from the answer to a post to each reader", figure(from_answer), f"{late} later than 1 s",
         f"{chosen.posts} posts, {len(from_answer)} arrivals, {missed} missed, {doubled} twice, {lost} cut off, {refused} refused, {faults} posts failed; {note}"],
        [f"{what}: from sending it", figure(from_start), "", ""],
        [f"{what}: memory of the stream process", f"{1024 * (rss - before_rss) / len(ears):.0f} kB a reader", f"{rss:.0f} MB", f"{before_rss:.0f} MB with none, {top:.0f} MB after the posts"],
        [f"{what}: CPU of the stream process", f"{1e6 * cpu / max(1, len(from_start)):.0f} µs a post and reader",
         f"{100 * idle_cpu / idle:.1f} % of a core while nothing happens", f"all came within {joined:.1f} s, {1000 * joined_cpu / len(ears):.1f} ms CPU each"],
    ]  # fmt: skip
    return rows if not (missed or doubled or lost or refused or faults) else [*rows, ["fault"]]


def figure(values: list[float]) -> str:
    """The shares of a list of seconds."""
    return "p99 {:.0f} ms (p50 {:.0f}, max {:.0f})".format(*(1000 * stand.share(values, part) for part in (99, 50, 100)))


def main(arguments: list[str]) -> int:
    """Measure and print rows; 1 when a reader missed something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--posts", type=int, default=20)
    parser.add_argument("--every", type=float, default=3.0)
    stand.add_first(parser)
    chosen = parser.parse_args(arguments)
    stand.first(chosen)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < chosen.readers + 200:
        print(f"{chosen.readers} readers need as many open files, and only {hard} are allowed: raise `ulimit -n`", file=sys.stderr)
        return 2
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(4096, 2 * chosen.readers)), hard))
    environment = stand.start(chosen.database)
    game = stand.opened("m46", 1, "同场")
    from bansha.town.models import Account

    asked = queries(game, chosen.readers)
    with stand.serving(environment) as (port, process):
        poster = stand.Browser(port, Account.objects.get(username="player3"))
        servers = [process.pid, *stand.postmasters(environment)]
        rows = asyncio.run(read(port, asked, poster, game.pk, stand.part(process.pid, "streams"), servers, chosen))
    for row in rows:
        if row != ["fault"]:
            print(" | ".join(row), flush=True)
    return 1 if rows[-1] == ["fault"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
