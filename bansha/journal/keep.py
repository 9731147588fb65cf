"""What a worker keeps of each game between requests: number, hash, state, dice. Only the tail is folded anew."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock, local

import msgspec
from django.conf import settings
from django.db import OperationalError, connection, transaction

from bansha.journal.models import Entry, Game, Pinned, Secret
from bansha.journal.time import Pace
from bansha.referee import archive, dealing
from bansha.referee import events as e
from bansha.referee.board import Board, compile_board
from bansha.referee.ledger import Damaged
from bansha.referee.state import State
from bansha.referee.turn import Dice
from bansha.rulesets.load import Loaded
from bansha.rulesets.model import Ruleset
from bansha.sight.news import News, news

log = logging.getLogger("bansha.journal")

PATIENCE = 30.0
"""Seconds to wait for a game that another thread holds; it takes milliseconds."""
MOST = 200
"""Games kept at most; the one unused longest goes first."""


class _NoDice:
    """Dice of a game that was neither seeded nor given a secret: no draw can be made."""

    def draw(self, label: str, counter: int, n: int, k: int = 1) -> tuple[int, ...]:
        """Never: say what is missing."""
        raise RuntimeError(f"draw {counter} ({label}): the game has neither a secret nor a seed; give `found` a secret")


NO_DICE = _NoDice()


@dataclass
class Kept:
    """One game in memory. `head` entries are folded into `state`; `hash` is the chain's head there."""

    board: Board
    pace: Pace
    state: State
    head: int = 0
    hash: str = "0" * 64
    contributions: dict[int, str] = field(default_factory=dict)
    seed: int | None = None
    secret: bytes | None = None
    recommitted: bool = False

    def fold(self, lines: list[bytes]) -> None:
        """Fold stored lines that follow `head`."""
        data = b"\n".join([*lines, b""])
        for line in archive.read(data, self.hash, self.head + 1):
            archive.fold(self.state, [line])
            self.head = line.n
            self.hash = line.hash
            self.notice(line.events)

    def forget(self) -> None:
        """Back to before the first entry: what is kept here is not what the database holds."""
        self.state = State(self.board)
        self.head, self.hash = 0, "0" * 64
        self.contributions, self.seed = {}, None
        self.recommitted = True

    def notice(self, events: list[e.Event]) -> None:
        """Remember what the dice are made of."""
        for event in events:
            if isinstance(event, e.ContributionOpened):
                self.contributions[event.player] = event.text
            elif isinstance(event, e.Seeded):
                self.seed = event.seed
            elif isinstance(event, e.Committed):
                self.contributions = {}
                self.recommitted = True  # a ceremony that starts anew has a new secret

    def dice(self) -> Dice:
        """The game's recorded stream: from its seed, or from the secret and the opened contributions."""
        if self.seed is not None:
            return dealing.Dice.from_seed(self.seed)
        if self.secret is None:
            return NO_DICE
        texts = [self.contributions[player] for player in sorted(self.contributions)]
        return dealing.Dice(dealing.stream_key(self.secret, texts))


@dataclass
class Ear:
    """The news of one game up to `kept.head`, each by the state of its moment."""

    kept: Kept
    news: list[News] = field(default_factory=list)


_kept: dict[int, Kept] = {}
_ears: dict[int, Ear] = {}
_guard = Lock()


def drop(game: int) -> None:
    """Forget a game; the next use folds it from the first entry."""
    with _guard:
        _kept.pop(game, None)


def drop_all() -> None:
    """Forget every game (tests, a restored database)."""
    with _guard:
        _kept.clear()
        _ears.clear()


def board_of(pinned: Pinned, options: dict[str, str]) -> Board:
    """The compiled board of a pinned ruleset."""
    ruleset = msgspec.json.decode(pinned.content, type=Ruleset)
    return compile_board(Loaded(ruleset, pinned.hash, pinned.name, {}), options)


def board(game: int) -> Board:
    """A game's board, which never changes: nobody has to be waited for.

    Raises:
        Game.DoesNotExist: no such game.
    """
    with _guard:
        found = _kept.get(game)
    if found is not None:
        return found.board
    row = Game.objects.select_related("pinned").only("options", "pinned").get(pk=game)
    return board_of(row.pinned, row.options)


def pace_of(row: Game) -> Pace:
    """How a game's time runs, by its row."""
    return Pace(row.real_start, row.game_start, row.zone, row.pace)


def fresh(row: Game) -> Kept:
    """A game before its first entry, nothing folded yet."""
    board = board_of(row.pinned, row.options)
    secret = Secret.objects.filter(game_id=row.pk).values_list("secret", flat=True).first()
    pace = pace_of(row)
    return Kept(board, pace, State(board), secret=bytes(secret) if secret is not None else None)


class _Mine(local):
    """The games this thread holds, each as often as it has asked for it."""

    def __init__(self) -> None:
        self.games: dict[int, int] = {}
        self.born: set[int] = set()


_mine = _Mine()
_locks: dict[int, RLock] = {}


@contextmanager
def held(game: int) -> Iterator[None]:
    """A game for this thread alone, in this process; within the block it can be asked for again.

    The order is: the game, one's turn, the transaction. Who asked for a game within a transaction could wait for somebody who has
    it and waits for that transaction to end; in development that is an error at once, even if nobody waits.

    Raises:
        OperationalError: somebody has had it for PATIENCE seconds.
    """
    with _guard:
        lock = _locks.setdefault(game, RLock())
    mine = _mine.games
    if settings.DEVELOPMENT and game not in mine and game not in _mine.born and connection.in_atomic_block:
        raise AssertionError(f"game {game} is asked for within a transaction that has begun without it: hold it first")
    if not lock.acquire(timeout=PATIENCE):
        raise OperationalError(f"game {game} is held by another thread")
    mine[game] = mine.get(game, 0) + 1
    try:
        yield
    finally:
        mine[game] -= 1
        if not mine[game]:
            del mine[game]
        lock.release()


def born(game: int) -> None:
    """A game was founded in this thread's transaction: until that ends nobody else can ask for it."""
    _mine.born.add(game)
    transaction.on_commit(lambda: _mine.born.discard(game))


@contextmanager
def kept(game: int) -> Iterator[Kept]:
    """The game as kept here, held (`held`); dropped when anything goes wrong while it is used."""
    with held(game):
        with _guard:
            found = _kept.pop(game, None)
            if found is not None:
                _kept[game] = found
        if found is None:
            found = fresh(Game.objects.select_related("pinned").get(pk=game))
            with _guard:
                _kept[game] = found
                while len(_kept) > MOST:
                    _kept.pop(next(iter(_kept)))
        try:
            yield found
        except BaseException:
            drop(game)
            raise


def catch_up(have: Kept, game: int, head: int, hash: str = "") -> None:
    """Fold what was written since, up to number `head` (whose hash is `hash`, where the caller knows it).

    A state that is ahead of the database, or on another chain, comes of a transaction that was rolled back after all, or of a
    restored database: it is folded anew.

    Raises:
        Damaged: a stored line is not the one that was sealed.
    """
    if have.head > head or (hash and have.head == head and have.hash != hash):
        head, hash = Game.objects.values_list("head", "head_hash").get(pk=game)  # somebody may have been here since it was read
        if have.head > head or (have.head == head and have.hash != hash):
            log.warning("game %s: kept here at entry %s, written up to %s; folded anew", game, have.head, head)
            have.forget()
    if have.head < head:
        try:
            have.fold(_lines(game, have.head, head))
        except Damaged:
            if have.head == 0:
                raise
            log.warning("game %s: what is kept here is of another chain; folded anew", game)
            have.forget()
            have.fold(_lines(game, 0, head))
    if have.recommitted:
        secret = Secret.objects.filter(game_id=game).values_list("secret", flat=True).first()
        have.secret = bytes(secret) if secret is not None else None
        have.recommitted = False


def _lines(game: int, after: int, to: int) -> list[bytes]:
    rows = Entry.objects.filter(game_id=game, n__gt=after, n__lte=to).order_by("n").values_list("line", flat=True)
    return [bytes(line) for line in rows]


def listen(game: int) -> list[News]:
    """All news of a game so far, in order; only what was said since the last time is folded anew."""
    newest, hash = Game.objects.values_list("head", "head_hash").get(pk=game)
    with _guard:
        ear = _ears.pop(game, None)
    if ear is None or ear.kept.head > newest or (ear.kept.head == newest and ear.kept.hash != hash):  # as in `catch_up`
        ear = Ear(fresh(Game.objects.select_related("pinned").get(pk=game)))
    have = ear.kept  # nobody else's while it is out
    heard = have.head
    if have.head < newest:
        rows = Entry.objects.filter(game_id=game, n__gt=have.head, n__lte=newest).order_by("n").values_list("line", flat=True)
        for row in rows:
            try:
                have.fold([bytes(row)])
            except Damaged:
                if not heard:
                    raise
                return listen(game)  # what was kept here is forgotten already
            line = archive.line_of(bytes(row))
            ear.news.extend(news(have.state, line.at, line.events))
    said = list(ear.news)
    with _guard:
        _ears[game] = ear
        while len(_ears) > MOST:
            _ears.pop(next(iter(_ears)))
    return said
