"""The clock's loop: find games with something due, strike each, sleep a little."""

from __future__ import annotations

import logging
import random
import signal
from threading import Event
from types import FrameType

from django.db import DatabaseError, close_old_connections

from bansha.journal import doors
from bansha.journal.time import now

log = logging.getLogger("bansha.clock")

REST = 0.5
"""Seconds between two looks when nothing was due."""


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


def serve(rest: float = REST) -> int:
    """Run until SIGTERM or SIGINT. Returns the number of deadlines done."""
    stop = Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    done = 0
    while not stop.is_set():
        try:
            struck = strike_all()
        except DatabaseError as error:
            log.warning("the database does not answer (%s); trying again", error)
            close_old_connections()
            struck = 0
        done += struck
        if not struck:
            stop.wait(rest)
    return done
