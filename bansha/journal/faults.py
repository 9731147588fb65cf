"""What a database error comes to for the town: no room left, out of reach, or of another form than the code; and how a loop
waits for it to pass. Nothing is lost by any of them: what was answered stands in the database, what was not has left no trace.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from django.core.signals import request_started
from django.db import InterfaceError, OperationalError, connection
from django.db.backends.signals import connection_created

Fault = Literal["full", "gone", "form"]
"""`full`: the disk, a quota or `max_page_count`; `gone`: it does not answer, is locked, or ended the connection; `form`: a table or
column is missing, so code and database are of different versions."""

SAID: dict[Fault, str] = {
    "full": "the database has no room left: free space on its disk, or raise its limit",
    "gone": "the database does not answer",
    "form": "the database has another form than this code: has `bansha migrate` been run?",
}
_FULL = frozenset({"53100"})  # disk_full
_FORM = frozenset({"42P01", "42703", "3F000"})  # undefined_table, undefined_column, invalid_schema_name
_ABSENT = ("no such table", "no such column", "has no column")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def of(error: BaseException | None) -> Fault | None:
    """Which fault an exception is, or came of; None for a mistake of ours."""
    found: Fault | None = None
    for link in _chain(error):
        if isinstance(link, OSError) and link.errno in (errno.ENOSPC, errno.EDQUOT):
            return "full"
        state = getattr(link, "sqlstate", None)
        if state in _FULL or (isinstance(link, sqlite3.Error) and getattr(link, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL):
            return "full"
        if state in _FORM or (isinstance(link, sqlite3.OperationalError) and any(words in str(link) for words in _ABSENT)):
            return "form"
        if isinstance(link, OperationalError | InterfaceError) or _driver(link):
            found = "gone"
    return found


def _driver(error: BaseException) -> bool:
    """Whether it is what PostgreSQL's driver raises when it cannot reach its server, for those who use it without Django."""
    names = [kind.__name__ for kind in type(error).__mro__ if kind.__module__.partition(".")[0] == "psycopg"]
    return "OperationalError" in names or "InterfaceError" in names


def _file() -> tuple[int, int] | None:
    """Which file stands where the embedded database belongs: its device and number, None for none."""
    name = str(connection.settings_dict["NAME"])
    path = unquote(urlsplit(name).path) if name.startswith("file:") else name
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _opened(**_: Any) -> None:
    if connection.vendor == "sqlite":
        connection.bansha_file = _file()  # type: ignore[attr-defined]


def reopen(**_: Any) -> None:
    """Let go of an embedded database whose file was moved away or exchanged, so that nothing more is written into it: at the
    beginning of every request, and of every round of a loop."""
    if connection.vendor == "sqlite" and connection.connection is not None and not connection.in_atomic_block:
        opened = getattr(connection, "bansha_file", None)
        if opened is not None and opened != _file():
            connection.close()


def connect() -> None:
    """Begin to watch over the embedded database's file."""
    connection_created.connect(_opened, dispatch_uid="bansha.faults.opened")
    request_started.connect(reopen, dispatch_uid="bansha.faults.reopen")


class Patience:
    """How a loop meets faults: it waits longer each time, up to `longest` seconds, says so at once and then once a minute, and says
    when it is over. It never gives up."""

    def __init__(self, log: logging.Logger, rest: float, longest: float = 5.0, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.log = log
        self.rest = rest
        self.longest = longest
        self.monotonic = monotonic
        self.tries = 0
        self.since = self.said = 0.0

    def met(self, error: BaseException) -> float:
        """A fault: returns the seconds to wait."""
        moment = self.monotonic()
        if not self.tries:
            self.since = moment
        if not self.tries or moment - self.said >= 60:
            self.said = moment
            fault = of(error)
            self.log.warning("%s (%s); nothing is lost, trying again", SAID[fault] if fault else "the database refuses", _short(error))
        self.tries = min(self.tries + 1, 30)
        return min(self.longest, self.rest * 2.0**self.tries)

    def passed(self) -> bool:
        """A round without a fault; whether one has just come to its end."""
        if not self.tries:
            return False
        self.log.warning("the database is well again, after %.0f s", self.monotonic() - self.since)
        self.tries = 0
        return True


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
