"""How long a submission holds its game's lock: what can be done before is done before (reading, rendering, folding)."""

from __future__ import annotations

import statistics
import time as real
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from bansha.journal import doors
from bansha.town import acts
from bansha.town.models import Account
from bansha.town.table import Table
from tests.support.town import Clock, seated

MOST = 16
"""Questions to the database under the lock, in the median. How long they take is told beside it (4 ms on an idle machine): a
test that measures time would fail whenever others share the machine."""


@pytest.mark.slow
def test_little_is_done_under_the_lock(clock: Clock, monkeypatch: pytest.MonkeyPatch, says: Callable[[str], None]) -> None:
    game = seated(seed=31, title="锁")
    doors.strike(game.journal, clock.at(1, 9, 1))
    held: list[float] = []
    asked: list[int] = []
    depth, locked = 0, False
    atomic, lock = doors.transaction.atomic, doors._lock

    @contextmanager
    def timed(*given: Any, **named: Any) -> Iterator[None]:
        nonlocal depth, locked
        depth += 1
        with atomic(*given, **named):
            started, began = real.perf_counter(), len(connection.queries_log)
            yield
        depth -= 1
        if not depth and locked:
            if connection.force_debug_cursor:
                asked.append(len(connection.queries_log) - began)
            else:
                held.append(real.perf_counter() - started)
            locked = False

    def taken(number: int) -> Any:
        nonlocal locked
        locked = True
        return lock(number)

    monkeypatch.setattr(doors.transaction, "atomic", timed)
    monkeypatch.setattr(doors, "_lock", taken)
    for number in range(60):
        connection.force_debug_cursor = number % 3 == 0  # what counts the questions takes time itself: these are not timed
        clock.at(1, 10, number)
        table = Table(game, Account.objects.get(username=f"player{number % 10 + 1}"))
        acts.say(table, "talk-1", f"第{number}帖，" + "雾从河上来，灯一盏盏灭。" * 20)
        if number < 10:
            acts.vote(table, "election-1", 3, "稳")
    assert len(held) >= 40 and len(asked) >= 20
    connection.force_debug_cursor = False
    median, worst, questions = statistics.median(held), sorted(held)[int(len(held) * 0.95)], statistics.median(asked)
    figures = f"{1000 * median:.1f} ms in the median, {1000 * worst:.1f} ms in 95 of 100, {questions:.0f} questions"
    says(f"lock held: {figures}, over {len(held) + len(asked)} posts and votes")
    assert 0 < questions <= MOST
