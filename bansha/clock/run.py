"""The clock's loop: find games with something due, strike each, sleep a little."""

from __future__ import annotations

import logging
import random
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from types import FrameType

from django.conf import settings
from django.db import DatabaseError, close_old_connections

from bansha.journal import doors
from bansha.journal.time import now

log = logging.getLogger("bansha.clock")

REST = 0.5
"""Seconds between two looks when nothing was due."""
BEAT = timedelta(seconds=10)
"""How often a clock writes down that it has looked."""


def look() -> list[int]:
    """Write down that a clock has looked; after an outage (BANSHA_OUTAGE) tell the games concerned. Returns them."""
    tolerance = timedelta(minutes=settings.OUTAGE_MINUTES)
    concerned = doors.beat(now(), tolerance, timedelta(minutes=settings.GRACE_MINUTES)) if tolerance else []
    for game in concerned:
        log.warning("game %s: the town was down over a deadline or window; its time stands still for its directors", game)
    return concerned


def strike_all(shuffle: bool = True) -> int:
    """One look: strike every game that is due now. Returns the number of deadlines done.

    A game that cannot be struck is logged and left for the next look; the others are struck all the same.
    """
    moment = now()
    games = doors.due_games(moment)
    if shuffle:
        random.shuffle(games)
    done = 0
    for game in games:
        try:
            done += doors.strike(game, moment)
        except DatabaseError as error:
            log.warning("game %s: %s; trying again at the next look", game, error)
            close_old_connections()
        except Exception:
            log.exception("game %s cannot be struck; its directors must look at it", game)
    return done


def serve(rest: float = REST, beside: Callable[[], int] = lambda: 0) -> int:
    """Run until SIGTERM or SIGINT; `beside` is called at every look, for deadlines that are no game's. Returns the number of
    deadlines done."""
    stop = Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    done = 0
    looked = datetime.min.replace(tzinfo=UTC)
    while not stop.is_set():
        try:
            if abs(now() - looked) >= BEAT:
                look()
                looked = now()
            struck = strike_all() + beside()
        except DatabaseError as error:
            log.warning("the database does not answer (%s); trying again", error)
            close_old_connections()
            struck = 0
        done += struck
        if not struck:
            stop.wait(rest)
    return done
