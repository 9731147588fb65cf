"""Games for computer players and one or two people: opened, dealt and played through by the town's own acts, with the time of
each handed in."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bansha.api import tokens
from bansha.api.inside import Inside
from bansha.company.client import Client, Transport
from bansha.company.troupe import IDLE, Troupe
from bansha.journal import doors
from bansha.rulesets.load import load
from bansha.town import opening
from bansha.town.models import Account, Contribution, Game, Signup, Tenure
from bansha.town.table import Table

LONGEST = timedelta(days=40)
"""A game that has not ended by then is not worth waiting for."""
MINUTE = timedelta(minutes=1)
FAR = 1 << 26
"""A minute a century away."""
LASTS = timedelta(days=1)
"""How long a computer player's token lasts; then it is given another."""
WISHES = ("风起时落子", "愿今夜无雨", "桂花开了", "给灯添油", "茶在左边", "听见海", "梨花落", "半块月饼", "看云去", "雪落无声")


@dataclass
class Bill:
    """What is on: title, script, note, names of the personas, how fast its time runs, and in which zone."""

    title: str
    script: str
    note: str
    names: Sequence[str]
    ruleset: str = "m205"
    pace: int = 1
    zone: str = "Asia/Shanghai"


def announce(bill: Bill, director: Account, accounts: Sequence[Account], made: datetime, deal_at: datetime) -> Game:
    """A game open for sign-up, for which these accounts have signed up, one a minute."""
    plan = opening.Plan(
        bill.ruleset, bill.title, script=bill.script, note=bill.note, pace=bill.pace, zone=bill.zone,
        hash_until=deal_at - MINUTE, deal_at=deal_at, personas=[opening.Mask(name, approved=True) for name in bill.names],
    )  # fmt: skip
    game = opening.open_game(director, plan, made)
    for number, account in enumerate(accounts, 1):
        opening.sign_up(game, account, "player", True, now=made + number * MINUTE)
    return game


def deal(game: Game, director: Account, accounts: Sequence[Account], closed: datetime, dealt: datetime) -> None:
    """Close sign-up with these players and hold the ceremony. The last of them keeps the text of the own contribution, and opens
    it at the moment `dealt`: then it deals."""
    table = Table(game, director, closed)
    opening.choose(table, [account.pk for account in accounts])
    opening.close_signup(table)
    game.refresh_from_db()
    last = max(accounts, key=lambda account: opening.player_number(game, account))
    for account in accounts:
        if account != last:
            add_words(game, account, closed)
    text = f"{WISHES[0]} {secrets.token_hex(8)}"
    digest = doors.contribution_hash(opening.player_number(game, last), text)
    opening.contribute(game, last, closed, digest=digest)
    game.refresh_from_db()
    opening.open_own(game, last, text, dealt)
    game.refresh_from_db()


def add_words(game: Game, account: Account, now: datetime) -> None:
    """A contribution to the dealing, kept and opened by the town."""
    opening.contribute(game, account, now, WISHES[account.pk % len(WISHES)])


def contribute_all(now: datetime) -> int:
    """Let computer players who were chosen for a game hand in their contributions. Returns how many did."""
    chosen = Signup.objects.filter(game__status="ceremony", chosen=True, account__computer=True).select_related("game", "account")
    done = 0
    for signup in chosen.order_by("game", "number"):
        game = signup.game
        if opening.phase(game, now) != "hash":
            continue
        if not Contribution.objects.filter(game=game, ceremony=game.ceremony, player=signup.number).exists():
            add_words(game, signup.account, now)
            done += 1
    return done


def begin(bill: Bill, director: Account, accounts: Sequence[Account], now: datetime) -> Game:
    """A fast game that is dealt now and opens as soon as its setup may end: the ceremony is dated back a little."""
    deal_at = now - timedelta(seconds=_half_setup(bill) / bill.pace)
    made = deal_at - timedelta(hours=1)
    game = announce(bill, director, accounts, made, deal_at)
    deal(game, director, accounts, deal_at - 2 * MINUTE, now)
    return game


def _half_setup(bill: Bill) -> int:
    """Game seconds before the deal that setup may lose and still end at the first opening, and a few to spare."""
    return load(bill.ruleset).ruleset.calendar.setup_minutes * 60 // 2 - 15 * 60


def seats(game: Game) -> dict[int, Account]:
    """The seats of a game that computer players hold now."""
    open_ = Tenure.objects.filter(game=game, until=None, kind="player", account__computer=True).select_related("account")
    return {tenure.seat: tenure.account for tenure in open_.order_by("seat")}


def client(line: Transport, game: Game, account: Account, now: datetime, lasts: timedelta = LASTS) -> Client:
    """A computer player's own way to its seat, with a token that is new."""
    tokens.clear(account, now)
    _, text = tokens.make(account, game, "seat", "company", now, lasts)
    return Client(line, text, game.pk)


def play_through(bill: Bill, director: Account, accounts: Sequence[Account], deal_at: datetime) -> Game:
    """A whole game of computer players that was dealt in the past, played to its end with time handed in, its secret opened."""
    made = deal_at - timedelta(days=3)
    game = announce(bill, director, accounts, made, deal_at)
    deal(game, director, accounts, deal_at - timedelta(days=1), deal_at - 2 * MINUTE)
    opening.advance(game, Rehearsal(game, deal_at).play(deal_at + LONGEST))
    game.tokens.all().delete()
    game.refresh_from_db()
    return game


class Rehearsal:
    """A game of computer players whose time is handed in: they call the interface from inside this process.

    Args:
        game: one that was dealt.
        now: the moment it begins at.
        seed: of its players' tempers.
        kind: what plays.
    """

    def __init__(self, game: Game, now: datetime, seed: int = 0, kind: type[Troupe] = Troupe) -> None:
        assert game.journal is not None
        self.journal = game.journal
        self.pace = doors.pace(self.journal)
        self.now = now
        line = Inside(lambda: self.now)
        self.troupe = kind({seat: client(line, game, account, now, LONGEST) for seat, account in seats(game).items()}, seed, IDLE)
        self.head = -1

    def look(self) -> int:
        """Let what is due happen, and one look of the players, if anything came of it or it is time. Returns how many acts were
        handed in."""
        doors.strike(self.journal, self.now)
        head = doors.head(self.journal)
        if head == self.head and self.pace.minute(self.now) < self.troupe.wake:
            return 0
        done = self.troupe.step(nudge=head != self.head)
        self.head = head
        return done

    def play(self, limit: datetime, step: timedelta = timedelta(minutes=10)) -> datetime:
        """Play until the game is over, or a moment has come; returns when that was. `step`: between two looks at most."""
        while self.now < limit:
            self.look()
            if self.troupe.stamp[0] == "over":
                return self.now
            self.now = max(self.now + MINUTE, min(self.now + step, self.pace.moment(min(self.troupe.wake, FAR))))
        return self.now
