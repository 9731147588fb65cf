"""How cost grows: with the posts of a thread, the events of a journal, the games in play.

    python bench/growth.py [--database sqlite|postgresql] [--most 100000]

Each town is filled by what `bansha populate` runs. Figures are CPU milliseconds of one request (or question) in this process, the
median, and its questions to the database; `first` is the first one of a process that has just started.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import stand

THREADS = (100, 1_000, 10_000, 100_000)
EVENTS = (10, 100, 1_000, 10_000)
TOWNS = (10, 100, 1_000)
SERVERS: list[int] = []
"""PostgreSQL, where it is measured."""


class Asked:
    """Counts questions to the database."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:
        """One of them."""
        self.count += 1
        return execute(sql, parameters, many, context)


@contextmanager
def asked() -> Any:
    """Count questions in a block."""
    from django.db import connection

    counter = Asked()
    with connection.execute_wrapper(counter):
        yield counter


def cost(work: Callable[[], object], rounds: int = 20) -> tuple[float, int, float]:
    """Median CPU milliseconds of one call, after one that is not counted; the questions of the last; and what PostgreSQL took for
    one, on average."""
    work()
    times = []
    number = 0
    before = stand.cpu_of(SERVERS)
    for _ in range(rounds):
        with asked() as counter:
            begin = time.process_time()
            work()
            times.append(1000 * (time.process_time() - begin))
        number = counter.count
    return statistics.median(times), number, 1000 * (stand.cpu_of(SERVERS) - before) / rounds


def swept() -> None:
    """What PostgreSQL would sweep up by itself after so many new rows, it sweeps up before it is measured."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def told(measured: tuple[float, int, float]) -> str:
    """A figure of the table."""
    mine, number, theirs = measured
    return f"{mine:.1f}{f' + {theirs:.1f}' if SERVERS else ''} ms, {number} questions"


def browser(name: str) -> Any:
    """A browser of an account ("": a visitor)."""
    from tests.support import town

    return town.client(name)


def got(client: Any, path: str) -> Callable[[], object]:
    """Something that fetches a page."""

    def work() -> None:
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        b"".join(answer) if answer.streaming else answer.content

    return work


def first(environment: dict[str, str], path: str) -> str:
    """The first page of a process that has just been started as `bansha serve` starts one."""
    code = (
        "import time, bansha.site.wsgi\nfrom django.test import Client\nclient = Client(headers={'host': 'localhost'})\n"
        f"begin = time.process_time()\nanswer = client.get({path!r})\nassert answer.status_code == 200\n"
        "print(1000 * (time.process_time() - begin))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=stand.ROOT, env={**os.environ, **environment, "PYTHONPATH": str(stand.ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return f"{float(done.stdout.split()[-1]):.0f} ms"


def threads(environment: dict[str, str], most: int) -> list[list[str]]:
    """A row for each length of a thread."""
    from bansha.company.populate import fill
    from bansha.town.models import Tenure

    rows = []
    for size in (size for size in THREADS if size <= most):
        began = time.perf_counter()
        (game,) = fill(1, size, 0, datetime.now(UTC))
        seconds = time.perf_counter() - began
        swept()
        name = Tenure.objects.get(game=game, seat=3, until=None).account.username
        path, last = f"/g/{game.pk}/t/talk-1/", f"/g/{game.pk}/t/talk-1/?page={(size + 2 - 1) // 20 + 1}"
        opening = first(environment, last)
        member, visitor = browser(name), browser("")
        number = iter(range(1000))

        def post(member: Any = member, path: str = path, number: Any = number) -> None:
            answer = member.post(path, {"body": "雾散了一点。", "key": str(next(number))})
            assert answer.status_code == 302

        rows.append([
            f"thread of {size:,} posts", f"page: member {told(cost(got(member, last)))}; visitor {told(cost(got(visitor, last)))}",
            f"post: {told(cost(post))}",
            f"page 1, member {told(cost(got(member, path)))}; first page of a process {opening}; "
            f"search of a rare word {told(cost(got(member, f'/g/{game.pk}/search/?q=%E5%8F%A4%E4%BA%95')))}, "
            f"of one in a twelfth of the posts {told(cost(got(member, f'/g/{game.pk}/search/?q=%E9%93%9C%E9%93%83'), 5))}; "
            f"filled in {seconds:.0f} s",
        ])  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
    return rows


def journals(environment: dict[str, str], most: int) -> list[list[str]]:
    """A row for each length of a journal."""
    from bansha.company.populate import count_events, fill
    from bansha.journal import doors, keep
    from bansha.sight.types import Viewer
    from bansha.town import acts
    from bansha.town.models import Tenure
    from bansha.town.table import Table

    rows = []
    for size in (size for size in EVENTS if size <= most):
        (game,) = fill(1, 0, size, datetime.now(UTC))
        swept()
        account = Tenure.objects.get(game=game, seat=3, until=None).account
        viewer, journal = Viewer("player", 3), game.journal
        assert journal is not None
        day = doors.see(journal, viewer).view.public.day
        events, lines = count_events(game), doors.head(journal)

        def cold(journal: int = journal, viewer: Viewer = viewer) -> None:
            keep.drop_all()
            doors.see(journal, viewer)

        def heard(journal: int = journal, viewer: Viewer = viewer) -> None:
            keep.drop_all()
            doors.heard(journal, viewer)

        def say(game: Any = game, account: Any = account, day: int = day) -> None:
            acts.say(Table(game, account), f"talk-{day}", "雾散了一点。")

        minute = doors.minute(journal, datetime.now(UTC))
        rows.append([
            f"journal of {events:,} events ({lines:,} lines, day {day})",
            f"view: {told(cost(lambda journal=journal, viewer=viewer: doors.see(journal, viewer)))}; a submission {told(cost(say))}",
            f"folded anew {told(cost(cold, 7))}",
            f"petitions {told(cost(lambda journal=journal, minute=minute: doors.petitions(journal, 3, minute)))}; all news from the first entry "
            f"{told(cost(heard, 5))}, again {told(cost(lambda journal=journal, viewer=viewer: doors.heard(journal, viewer)))}; "
            f"the game's page, member {told(cost(got(browser(account.username), f'/g/{game.pk}/')))}; "
            f"first page of a process {first(environment, f'/g/{game.pk}/')}",
        ])  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
    return rows


def towns(most: int) -> list[list[str]]:
    """A row for each number of games in play."""
    from bansha.clock import run as clock
    from bansha.company.populate import fill
    from bansha.journal import doors
    from bansha.journal.time import now
    from bansha.site.stream import Ask, Watch
    from bansha.town import acts, ceremony, tickets
    from bansha.town.models import Account, Game, Tenure
    from bansha.town.table import Table

    rows = []
    there = Game.objects.count()
    for size in (size for size in TOWNS if size <= most):
        began = time.perf_counter()
        made = fill(size - (Game.objects.count() - there), 0, 0, datetime.now(UTC))
        seconds = time.perf_counter() - began
        swept()
        seat = Tenure.objects.get(game=made[-1], seat=3, until=None)
        member = browser(seat.account.username)
        watch = Watch()
        asks = {number: Ask(_ticket(tickets, Table(game, None)), 99) for number, game in enumerate(Game.objects.order_by("-pk")[:size])}
        joined = time.process_time()
        watch.join(list(asks.values()))
        joined = 1000 * (time.process_time() - joined) / size

        def busy(seat: Any = seat, made: Any = made, watch: Watch = watch, asks: dict[int, Any] = asks) -> None:
            acts.say(Table(made[-1], seat.account), "talk-1", "雾散了一点。")
            watch.look(asks, False)

        alone = cost(lambda seat=seat, made=made: acts.say(Table(made[-1], seat.account), "talk-1", "雾散了一点。"))
        both = cost(busy)
        rows.append([
            f"{size:,} games in play",
            f"front page: visitor {told(cost(got(browser(''), '/')))}, member {told(cost(got(member, '/')))}",
            f"a look of the clock: {told(cost(lambda: clock.strike_all() + ceremony.advance_all(now())))}",
            f"a look of the stream with a reader in every game: {told(cost(lambda watch=watch, asks=asks: watch.look(asks, False)))}, "
            f"where one of them has a new post {both[0] - alone[0]:.1f} ms, {both[1] - alone[1]} questions; admitting a reader {joined:.1f} ms; "
            f"search in one game {told(cost(got(member, f'/g/{made[-1].pk}/search/?q=%E7%81%AF%E5%A1%94')))}; filled in {seconds:.0f} s",
        ])  # fmt: skip
        print(" | ".join(rows[-1]), flush=True)
    assert not doors.due_games(now())
    assert Account.objects.count() > there
    return rows


def _ticket(tickets: Any, table: Any) -> Any:
    found = tickets.check(tickets.make(table, "talk-1"), table.now)
    assert found is not None
    return found


def main(arguments: list[str]) -> int:
    """Measure and print rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--most", type=int, default=100_000, help="no town, thread or journal larger than this")
    stand.add_first(parser)
    chosen = parser.parse_args(arguments)
    stand.first(chosen)
    environment = stand.start(chosen.database)
    SERVERS.extend(stand.postmasters(environment))
    threads(environment, chosen.most)
    journals(environment, chosen.most)
    towns(chosen.most)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
