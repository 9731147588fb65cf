"""Whose turn it is to write, on the embedded database.

SQLite lets one write at a time and makes the others look again later and later, up to a tenth of a second apart; whoever is
unlucky waits long. Here they queue at a lock of the operating system, which wakes the next one at once. The lock is a courtesy:
the database's own still decides, and a process that is killed lets go of both.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection


@contextmanager
def turn() -> Iterator[None]:
    """Wait for one's turn, and keep it while the block runs. Within a transaction it is there already."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    try:
        file = os.open(f"{settings.SQLITE}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # no room for it, or a folder that cannot be written: the database says so itself
        yield
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def settle() -> None:
    """Move what was written into the database file and on to the disk, so that no writer has to: called by a clock, every round.
    Without one a writer does it by itself after so many pages (`database` in the settings)."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
