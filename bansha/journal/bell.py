"""A bell between the processes of a town on PostgreSQL: who writes rings, and whoever listens need not wait for its next look.

It carries a game's number and nothing else, and only ever means "look now": where no bell is heard (SQLite, a connection that
was lost) everything still arrives by looking.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from django.db import Error, connection, connections

from bansha.journal.faults import Patience

log = logging.getLogger("bansha.bell")

NAME = "bansha"
TURN = 2.0
"""Seconds after which a listener asks whether it is to end."""


def ring(game: int) -> None:
    """Ring for a game, once the present transaction stands."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [NAME, str(game)])


def rings() -> bool:
    """Whether this town's database has a bell."""
    return connection.vendor == "postgresql"


class Listener(Thread):
    """Listens on a connection of its own until told to end; `heard(game)` is called in this thread."""

    def __init__(self, heard: Callable[[int], None]) -> None:
        super().__init__(name="bansha-bell", daemon=True)
        self.heard = heard
        self.over = Event()
        self.listening = Event()

    def run(self) -> None:
        """Listen, and again when the connection is lost."""
        patience = Patience(log, 0.5)
        while not self.over.is_set():
            wrapper = connections["default"].copy()
            try:
                with wrapper.cursor() as cursor:
                    cursor.execute(f"LISTEN {NAME}")
                patience.passed()
                self.listening.set()
                with wrapper.wrap_database_errors:
                    while not self.over.is_set():
                        for note in wrapper.connection.notifies(timeout=TURN):
                            self.heard(int(note.payload))
            except Error as error:
                self.over.wait(patience.met(error))
            finally:
                self.listening.clear()
                wrapper.close()

    def end(self) -> None:
        """End soon."""
        self.over.set()
