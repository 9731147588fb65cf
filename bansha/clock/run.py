"""The clock's loop: find games with something due, strike each, sleep a little."""

from __future__ import annotations

import logging
import random
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from types import FrameType

from django.conf import settings
from django.db import Error, close_old_connections

from bansha.journal import doors
from bansha.journal.faults import Patience, reopen
from bansha.journal.time import now

log = logging.getLogger("bansha.clock")

REST = 0.5
"""Seconds between two looks when nothing was due."""
BEAT = timedelta(seconds=10)
"""How often a clock writes down that it has looked."""


def look(moment: datetime) -> list[int]:
    """Write down that a clock has looked; after an outage (BANSHA_OUTAGE) tell the games concerned. Returns them."""
    tolerance = timedelta(minutes=settings.OUTAGE_MINUTES)
    concerned = doors.beat(moment, tolerance, timedelta(minutes=settings.GRACE_MINUTES)) if tolerance else []
    for game in concerned:
        log.warning("game %s: the town was down over a deadline or window; its time stands still for its directors", game)
    return concerned


def strike_all(moment: datetime | None = None, met: Callable[[Error], object] | None = None) -> int:
    """One look: strike every game that is due at a moment (now). Returns the number of deadlines done.

    A game that cannot be struck is left for the next look and said (a fault of the database to `met`, where given); the others
    are struck all the same.
    """
    moment = moment or now()
    games = doors.due_games(moment)
    random.shuffle(games)
    done = 0
    for game in games:
        try:
            done += doors.strike(game, moment)
        except Error as error:
            if met is None:
                log.warning("game %s: %s; trying again at the next look", game, error)
            else:
                met(error)
            close_old_connections()
        except Exception:
            log.exception("game %s cannot be struck; its directors must look at it", game)
    return done


def steady() -> float:
    """Seconds of a clock that nobody can set and that runs while the machine sleeps, where there is one."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Loop:
    """The clock's loop, a round at a time. `seconds`: of a clock that nobody can set, to tell a leap of the machine's own."""

    def __init__(self, rest: float, beside: Callable[[], int], seconds: Callable[[], float] = steady) -> None:
        self.rest = rest
        self.beside = beside
        self.seconds = seconds
        self.patience = Patience(log, rest)
        self.looked = datetime.min.replace(tzinfo=UTC)
        self.mark: tuple[datetime, float] | None = None
        self.done = 0

    def round(self) -> float:
        """One look at everything. Returns the seconds to rest; 0 when something was done."""
        moment = now()
        faults: list[Error] = []
        try:
            reopen()
            if abs(moment - self.looked) >= BEAT:
                look(moment)
                self._leapt(moment)
                self.looked = moment
            struck = strike_all(moment, faults.append) + self.beside()
        except Error as error:
            faults.append(error)
            close_old_connections()
            struck = 0
        self.done += struck
        if faults:
            return self.patience.met(faults[-1])
        self.patience.passed()
        return 0.0 if struck else self.rest

    def _leapt(self, moment: datetime) -> None:
        """Say it when the machine's clock went another way than time did since the last look; `beat` sees to the rest."""
        before, self.mark = self.mark, (moment, self.seconds())
        if before is None or not settings.OUTAGE_MINUTES:
            return
        ahead = (moment - before[0]) - timedelta(seconds=self.mark[1] - before[1])
        if ahead > timedelta(minutes=settings.OUTAGE_MINUTES):
            doors.noticed(moment, ahead)


def serve(rest: float = REST, beside: Callable[[], int] = lambda: 0) -> int:
    """Run until SIGTERM or SIGINT; `beside` is called at every look, for deadlines that are no game's. Returns the number of
    deadlines done."""
    stop = Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    loop = Loop(rest, beside)
    while not stop.is_set():
        pause = loop.round()
        if pause:
            stop.wait(pause)
    return loop.done
