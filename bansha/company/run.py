"""The computer players' loop: every game with one of them in a seat is looked at about once a second."""

from __future__ import annotations

import logging
import signal
from datetime import datetime
from threading import Event
from types import FrameType

from django.db import DatabaseError, close_old_connections

from bansha.company.seed import keep_on
from bansha.company.stage import contribute_all
from bansha.company.troupe import Troupe
from bansha.journal.time import now
from bansha.town.models import Account, Game

log = logging.getLogger("bansha.company")

REST = 1.0
"""Seconds between two looks."""


def needed() -> bool:
    """Whether the town has computer players at all."""
    return Account.objects.filter(computer=True).exists()


class Company:
    """All troupes of the town."""

    def __init__(self) -> None:
        self.troupes: dict[int, Troupe] = {}

    def look(self, moment: datetime) -> int:
        """One look at every game. A game in which something goes wrong is taken up anew at the next look, the others go on."""
        games = {
            game.pk: game
            for game in Game.objects.filter(status="running", tenures__account__computer=True, tenures__until=None).distinct()
        }
        for gone in set(self.troupes) - set(games):
            del self.troupes[gone]
        done = 0
        for number, game in games.items():
            try:
                if number not in self.troupes:
                    self.troupes[number] = Troupe(game)
                done += self.troupes[number].step(moment)
            except DatabaseError as error:
                self.troupes.pop(number, None)
                log.warning("game %s: %s; trying again at the next look", number, error)
                close_old_connections()
            except Exception:
                self.troupes.pop(number, None)
                log.exception("the computer players of game %s stumbled; they begin again", number)
        return done


def serve(rest: float = REST) -> int:
    """Run until SIGTERM or SIGINT. Returns how many acts were handed in."""
    stop = Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    company = Company()
    done = 0
    while not stop.is_set():
        try:
            done += company.look(now()) + contribute_all(now())
            if not company.troupes:
                keep_on(now())
        except DatabaseError as error:
            log.warning("the database does not answer (%s); trying again", error)
            close_old_connections()
        stop.wait(rest)
    return done
