"""Sixteen writers over HTTP: how long a post or a vote takes.

    python bench/writers.py [--database sqlite|postgresql] [--seconds 120] [--closed 20] [--in one|two]

The open loop: each writer's moments are drawn beforehand, every half second on average (exponentially); how long a write
took counts from its moment, also where the writer was still busy with the one before. The closed loop: each writer sends
the next as soon as the last is done. One write in eight goes to the ballot: a vote by the form, later a change, then posts
in the form of a vote. `--in one`: all sixteen in one game (fourteen seats and two directors), so that they meet at one lock.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import stand

WRITERS = 16
EVERY = 0.5
LINES = (
    "昨晚的雾太大，我只听见船尾有水声。", "先把前两天的票摆出来看，谁跟谁走的一目了然。", "我不同意楼上，他改票的时间卡得太巧。",
    "[b]重点[/b]：三号的发言和他的票对不上。", "各位别急着归票，还有人没说话。", "灯塔的光每转一圈是十二秒，我数过。",
    "[quote=摆渡人;1]先听完再说[/quote]听完了，还是信不过。", "如果真是狼，何必在白天跳得这么高。",
)  # fmt: skip


@dataclass
class Writer:
    """Somebody who writes in a game: `votes` counts what went to the ballot."""

    browser: stand.Browser
    game: int
    ballot: str
    names: list[str]
    seat: int
    rng: random.Random
    number: int = 0
    votes: int = 0
    took: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    async def write(self, moment: float) -> None:
        """One post or vote; `moment` is when it was due."""
        self.number += 1
        key = f"{self.number}"
        target = self.seat % len(self.names) + 1 if self.seat else 0
        if self.number % 8 or not self.seat:
            text = "\n".join(self.rng.choices(LINES, k=self.rng.randint(1, 4)))
            path, fields = f"/g/{self.game}/t/talk-1/", {"body": text, "key": key}
        elif self.votes < 2:
            fields = {"do": "vote", "target": str(target), "reason": "票型说话", "key": key}
            if self.votes:
                fields |= {"change": "1", "target": str(target % len(self.names) + 1)}
            path = f"/g/{self.game}/b/{self.ballot}/"
            self.votes += 1
        else:
            text = f"投票对象：{self.names[target - 1]}\n投票理由：{self.rng.choice(LINES)}"
            path, fields = f"/g/{self.game}/b/{self.ballot}/", {"do": "say", "body": text, "key": key}
        try:
            status, _ = await asyncio.wait_for(self.browser.post(path, fields), 20)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            status = 0
            self.faults.append(f"{path}: {type(error).__name__} {error}")
        else:
            if status != 302:
                self.faults.append(f"{path}: {status}")
        self.took.append(time.perf_counter() - moment)

    async def open_loop(self, begin: float, seconds: float) -> None:
        """Write at moments drawn beforehand."""
        moment = begin
        while True:
            moment += self.rng.expovariate(1 / EVERY)
            if moment > begin + seconds:
                return
            await asyncio.sleep(max(0.0, moment - time.perf_counter()))
            await self.write(moment)

    async def closed_loop(self, begin: float, seconds: float) -> None:
        """Write as fast as it goes."""
        while time.perf_counter() < begin + seconds:
            await self.write(time.perf_counter())


def writers(port: int, games: list[Any]) -> list[Writer]:
    """Sixteen writers over these games, as evenly as seats allow; directors where there are too few seats."""
    from bansha.town.models import Account, Thread

    places = [(game, f"player{seat}", seat) for seat in range(1, 15) for game in games if seat <= game.seats]
    places += [(games[0], name, 0) for name in ("director", "director2")]
    made = []
    for number, (game, name, seat) in enumerate(places[:WRITERS]):
        ballot = Thread.objects.filter(game=game, kind__in=("ballot", "election")).order_by("-day", "kind").values_list("room", flat=True)[0]
        names = list(game.personas.order_by("seat").values_list("name", flat=True))
        browser = stand.Browser(port, Account.objects.get(username=name))
        made.append(Writer(browser, game.pk, ballot, names, seat, random.Random(number)))
    return made


def measured(everybody: list[Writer], servers: list[int], seconds: float, closed: bool) -> tuple[list[float], float, str]:
    """Let them all write; returns how long each write took, the servers' CPU seconds, and what else ran."""

    async def together() -> None:
        for writer in everybody:
            writer.browser.close()
        begin = time.perf_counter()
        await asyncio.gather(*(writer.closed_loop(begin, seconds) if closed else writer.open_loop(begin, seconds) for writer in everybody))
        for writer in everybody:
            writer.browser.close()

    before, others = stand.cpu_of(servers), stand.Others()
    asyncio.run(together())
    spent = stand.cpu_of(servers) - before
    took = [value for writer in everybody for value in writer.took]
    for writer in everybody:
        writer.took.clear()
    return took, spent, others.note(spent)


def row(what: str, took: list[float], seconds: float, spent: float, faults: int, note: str) -> list[str]:
    """A row of the table."""
    p50, p95, p99, worst = (1000 * stand.share(took, part) for part in (50, 95, 99, 100))
    figure = f"p99 {p99:.0f} ms (p50 {p50:.0f}, p95 {p95:.0f}, max {worst:.0f})"
    more = f"{len(took)} writes, {faults} failed, servers {1000 * spent / max(1, len(took)):.1f} ms CPU each; {note}"
    return [what, figure, f"{len(took) / seconds:.1f} writes/s", more]


def main(arguments: list[str]) -> int:
    """Measure and print rows; 1 when a write failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--closed", type=float, default=20.0)
    parser.add_argument("--in", dest="where", choices=("one", "two"), default="one")
    stand.add_first(parser)
    chosen = parser.parse_args(arguments)
    stand.first(chosen)
    environment = stand.start(chosen.database)
    if chosen.where == "one":
        games, where = [stand.opened("m46", 1, "同场")], "in one game"
    else:
        games, where = [stand.opened("m205", seed, f"分场{seed}") for seed in (1, 2)], "in two games"
    failed = 0
    with stand.serving(environment) as (port, process):
        everybody = writers(port, games)
        servers = [process.pid, *stand.postmasters(environment)]
        measured(everybody, servers, min(3.0, chosen.seconds / 4), closed=False)  # each worker has folded the game, and has its connection
        for closed, seconds in ((False, chosen.seconds), (True, chosen.closed)):
            if seconds:
                took, spent, note = measured(everybody, servers, seconds, closed)
                faults = [fault for writer in everybody for fault in writer.faults]
                what = f"{chosen.database}, 16 writers {where}, {'closed loop' if closed else 'every 0.5 s'}"
                print(" | ".join(row(what, took, seconds, spent, len(faults) - failed, note)), flush=True)
                failed = len(faults)
                if faults:
                    print("\n".join(faults[:10]), file=sys.stderr)
    told = _told(games)
    if told:
        print(told, file=sys.stderr)
    return 1 if failed or told else 0


def _told(games: list[Any]) -> str:
    """What is wrong with the journals afterwards ("": nothing): each chain must verify, each floor stand once."""
    from bansha.journal import doors
    from bansha.referee import archive

    for game in games:
        lines = list(archive.read(doors.lines(game.journal)))
        floors = list(game.posts.filter(room="talk-1").order_by("floor").values_list("floor", flat=True))
        if len(lines) != doors.head(game.journal) or floors != list(range(1, len(floors) + 1)):
            return f"game {game.pk}: {len(lines)} lines at head {doors.head(game.journal)}; floors {floors[:3]}…{floors[-1]} of {len(floors)}"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
