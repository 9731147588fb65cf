"""The bell of PostgreSQL: whoever listens hears of a game once what was written stands, and of nothing that was taken back."""

from __future__ import annotations

import queue
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction

from bansha.journal import doors
from bansha.town import acts
from bansha.town.models import Account
from bansha.town.table import Table
from tests.support.town import MONDAY, seated


def test_it_rings_for_what_stands_and_for_nothing_else() -> None:
    game = seated(seed=91, title="钟")
    heard: queue.Queue[int] = queue.Queue()
    listener = doors.Listener(heard.put)
    listener.start()
    try:
        assert doors.rings() and listener.listening.wait(20)
        moment = MONDAY + timedelta(minutes=1)
        doors.strike(game.journal, moment)
        assert heard.get(timeout=20) == game.journal
        table = Table(game, Account.objects.get(username="player2"), moment)
        with doors.together(game.journal):
            acts.say(table, "talk-1", "收回的一帖")
            transaction.set_rollback(True)
        acts.whisper(table, "hole", "没有事件的一帖")
        assert heard.get(timeout=20) == game.journal
        doors.ring(7)
        assert heard.get(timeout=20) == 7, "the post that was taken back has not rung"
        with connection.cursor() as cursor:  # the listener's connection is lost: it listens again
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN bansha'")
        last = time.monotonic() + 30
        while time.monotonic() < last:
            doors.ring(8)
            try:
                assert heard.get(timeout=0.2) == 8
                break
            except queue.Empty:
                assert listener.is_alive()
        else:
            pytest.fail("it listens no more")
    finally:
        listener.end()
        listener.join(10)
    assert not listener.is_alive()
