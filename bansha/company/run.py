"""The computer players' loop: every game with one of them in a seat is looked at about once a second, over HTTP."""

from __future__ import annotations

import logging
import signal
from datetime import datetime
from threading import Event
from types import FrameType

from django.db import Error, close_old_connections

from bansha.company.client import Busy, Client, Gone, Line, Transport
from bansha.company.seed import keep_on
from bansha.company.stage import client, contribute_all
from bansha.company.troupe import Troupe
from bansha.journal.faults import Patience, reopen
from bansha.journal.time import now
from bansha.town.models import Account, Game, Tenure

log = logging.getLogger("bansha.company")

REST = 1.0
"""Seconds between two looks."""
SAID, PATIENT = 60, 10
"""Tries between two words about pages that do not answer, and before the first: pages that begin take a moment."""


def needed() -> bool:
    """Whether the town has computer players at all."""
    return Account.objects.filter(computer=True).exists()


class Company:
    """All troupes of the town. They see and act through the interface alone; which seats they hold, the town says, and it gives
    each a token.

    Args:
        line: how the interface is called.
    """

    def __init__(self, line: Transport) -> None:
        self.line = line
        self.troupes: dict[int, Troupe] = {}
        self.casts: dict[int, dict[int, tuple[Account, Client]]] = {}
        self.fault: Error | None = None
        """What the database refused at the last look; its games are taken up again at the next."""
        self.busy: Busy | None = None
        """What kept the pages from answering at the last look."""

    def look(self, moment: datetime) -> int:
        """One look at every game. A game in which something goes wrong is taken up anew at the next look, the others go on."""
        done = 0
        self.fault = self.busy = None
        open_ = Tenure.objects.filter(game__status="running", until=None, kind="player", account__computer=True)
        playing: dict[Game, dict[int, Account]] = {}
        for tenure in open_.select_related("game", "account").order_by("game", "seat"):
            playing.setdefault(tenure.game, {})[tenure.seat] = tenure.account
        for over in set(self.casts) - {game.pk for game in playing}:
            self.forget(over)
        for game, cast in playing.items():
            try:
                done += self.troupe(game, cast, moment).step()
            except Busy as busy:
                self.troupes.pop(game.pk, None)
                self.busy = busy
                return done
            except Gone as gone:
                self.forget(game.pk)
                log.info("game %s: %s; its players are given new tokens", game.pk, gone)
            except Error as error:
                self.troupes.pop(game.pk, None)
                self.fault = error
                close_old_connections()
            except Exception:
                self.troupes.pop(game.pk, None)
                log.exception("the computer players of game %s stumbled; they begin again", game.pk)
        return done

    def troupe(self, game: Game, cast: dict[int, Account], moment: datetime) -> Troupe:
        """The troupe of a game, with whoever sits there now: a substitution takes a seat from a computer player, or gives it one."""
        known = self.casts.setdefault(game.pk, {})
        gone = [seat for seat, (account, _) in known.items() if cast.get(seat) != account]
        for seat in gone:
            del known[seat]
        come = [seat for seat in cast if seat not in known]
        for seat in come:
            known[seat] = (cast[seat], client(self.line, game, cast[seat], moment))
        troupe = self.troupes.get(game.pk)
        if troupe is None:
            troupe = self.troupes[game.pk] = Troupe({seat: own for seat, (_, own) in known.items()})
            return troupe
        for seat in gone:
            troupe.leave(seat)
        for seat in come:
            troupe.join(seat, known[seat][1])
        return troupe

    def forget(self, game: int) -> None:
        """Let go of a game and of the tokens for it."""
        self.troupes.pop(game, None)
        self.casts.pop(game, None)


def serve(pages: str, host: str, rest: float = REST) -> int:
    """Run until SIGTERM or SIGINT. `pages`: where the pages answer; `host`: the name the town is addressed by. Returns how many
    acts were handed in."""
    stop = Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    company = Company(Line(pages, host))
    waiting = 0
    patience = Patience(log, rest)
    done = 0
    while not stop.is_set():
        try:
            reopen()
            done += company.look(now()) + contribute_all(now())
            if not company.troupes:
                keep_on(now())
            fault = company.fault
        except Error as error:
            fault = error
            close_old_connections()
        if fault is None:
            patience.passed()
        if company.busy is None:
            waiting = 0
        elif waiting % SAID == PATIENT:
            log.warning("%s; trying again", company.busy)
        waiting += company.busy is not None
        stop.wait(patience.met(fault) if fault is not None else company.busy.seconds if company.busy is not None else rest)
    return done
