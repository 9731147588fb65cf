"""The two doors: `submit` is the only writer, `see` the only reader. The clock strikes through `strike`.

Everything a submission leads to is in one transaction: what was overdue, the judgement, the sealed lines, the new due
row, and what the projectors write. The same `key` twice gives the first answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from django.db import transaction

from bansha.journal import keep, projectors
from bansha.journal.models import Entry, Game, Pinned, Secret
from bansha.journal.time import Pace
from bansha.referee import archive, dealing
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.referee.judge import NEVER, decide, due, tick
from bansha.referee.ledger import seal
from bansha.referee.reading import Reading, read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER
from bansha.rulesets.load import Loaded
from bansha.sight.explain import Question, explain, lines_in
from bansha.sight.news import News, news
from bansha.sight.rooms import Rooms, rooms
from bansha.sight.types import View, Viewer
from bansha.sight.view import view

_encode = msgspec.json.Encoder().encode


class Answer(NamedTuple):
    """What a submission led to: its entry's number and its events, the same as news; `again`: this key had been answered
    before."""

    n: int
    events: list[e.Event]
    again: bool = False
    news: list[News] = []  # noqa: RUF012


class Look(NamedTuple):
    """What a viewer sees of a game: the journal's number it stands at, the view, and the rooms it may read."""

    head: int
    view: View
    rooms: Rooms


class Seats(NamedTuple):
    """A game under its lock, for who prepares a command there: its number, the journal's head, the game-local minute."""

    game: int
    head: int
    minute: int


Prepared = c.Command | Callable[[Seats], c.Command]
"""A command, or what makes it under the game's lock: it resolves an account to its seat and writes the rows that must stand
or fall with the command. What it raises refuses the submission."""


def found(
    loaded: Loaded, options: Mapping[str, str], real_start: datetime, game_start: int, zone: str = "Asia/Shanghai", pace: int = 1,
    secret: bytes | None = None,
) -> int:  # fmt: skip
    """Open a journal for a new game: the ruleset is pinned by its content hash. Returns the game's number.

    Raises:
        BadOption: an option the ruleset does not have.
    """
    compile_board(loaded, options)
    with transaction.atomic():
        pinned, _ = Pinned.objects.get_or_create(
            hash=loaded.hash, defaults={"name": loaded.ruleset.id, "content": _encode(loaded.ruleset).decode()}
        )
        row = Game.objects.create(
            pinned=pinned, options=dict(options), zone=zone, pace=pace, real_start=real_start, game_start=game_start
        )
        if secret is not None:
            Secret.objects.create(game=row, secret=secret)
    return int(row.pk)


def _lock(game: int) -> Game:
    return Game.objects.select_for_update().get(pk=game)


class _Writer:
    """Collects the entries of one transaction and seals them onto the chain."""

    def __init__(self, have: keep.Kept, row: Game, received: datetime) -> None:
        self.have = have
        self.row = row
        self.received = received
        self.said: list[projectors.Said] = []
        self.rows: list[Entry] = []

    def add(self, at: int, by: str, key: str, command: c.Command, events: list[e.Event]) -> None:
        have = self.have
        line, have.hash = seal(have.hash, have.head + 1, at, by, key, _encode(command), _encode(events))
        have.head += 1
        have.notice(events)
        self.said.append(projectors.Said(have.head, at, self.received, news(have.state, at, events)))
        self.rows.append(Entry(game=self.row, n=have.head, at=at, key=key or None, line=line, received=self.received))

    def overdue(self, minute: int, most: int = 1 << 30) -> int:
        """Do what is due up to `minute`, each at its own minute; returns how many strokes that took."""
        have = self.have
        strokes = 0
        while strokes < most and due(have.state) <= minute:
            at, events = tick(have.state, have.dice())
            self.add(at, "clock", "", c.Tick(), events)
            strokes += 1
        return strokes

    def write(self) -> None:
        """Append the rows, move the head and the due row, let the projectors react."""
        if not self.said:
            return
        have, row = self.have, self.row
        Entry.objects.bulk_create(self.rows)
        at = due(have.state)
        row.head, row.head_hash = have.head, have.hash
        row.due_at = None if at >= NEVER else have.pace.moment(at)
        row.over = have.state.n > 0 and have.state.phase == OVER
        row.save(update_fields=["head", "head_hash", "due_at", "over"])
        projectors.run(int(row.pk), self.said)


def submit(
    game: int, command: Prepared, now: datetime, by: str, key: str = "", after: Callable[[Answer], None] | None = None
) -> Answer:
    """Hand a command in at a real moment. What was overdue happens first, each at its own time, and stays even when the
    command itself is refused. `after` is called with the answer in the same transaction, once the projectors have run.

    Raises:
        Refused: with a code and a sentence; of the command nothing is written.
        Game.DoesNotExist: no such game.
    """
    refusal: Refused | None = None
    answer: Answer | None = None
    with keep.kept(game) as have:
        keep.catch_up(have, game, Game.objects.values_list("head", flat=True).get(pk=game))
        with transaction.atomic():
            row = _lock(game)
            keep.catch_up(have, game, row.head)
            if key:
                earlier = Entry.objects.filter(game=row, key=key).values_list("n", "line").first()
                if earlier is not None:
                    line = archive.line_of(bytes(earlier[1]))
                    return Answer(earlier[0], line.events, True, news(have.state, line.at, line.events))
            writer = _Writer(have, row, now)
            minute = have.pace.minute(now)
            writer.overdue(minute)
            try:
                with transaction.atomic():  # the rows that were prepared go with a refused command
                    made = command if isinstance(command, c.Command) else command(Seats(game, have.head, minute))
                    events = decide(have.state, made, minute, have.dice())
                writer.add(minute, by, key, made, events)
                answer = Answer(have.head, events, False, news(have.state, minute, events))
            except Refused as error:
                refusal = error
            writer.write()
            if after is not None and answer is not None:
                after(answer)
    if refusal is not None:
        raise refusal
    assert answer is not None
    return answer


def strike(game: int, now: datetime, most: int = 1 << 30) -> int:
    """Do what is due in a game up to a real moment, each deadline with its own scheduled time, exactly once however many
    clocks strike. Returns how many deadlines that were."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, Game.objects.values_list("head", flat=True).get(pk=game))
        with transaction.atomic():
            row = _lock(game)
            keep.catch_up(have, game, row.head)
            writer = _Writer(have, row, now)
            strokes = writer.overdue(have.pace.minute(now), most)
            writer.write()
    return strokes


def due_games(now: datetime, most: int = 100) -> list[int]:
    """Games in which something is due by now, the longest overdue first."""
    return list(Game.objects.filter(due_at__lte=now).order_by("due_at", "pk").values_list("pk", flat=True)[:most])


def see(game: int, viewer: Viewer, until: int | None = None, now: int | None = None) -> Look:
    """What a viewer may know of a game, at game minute `now`, or as it stood after entry number `until`.

    Raises:
        Game.DoesNotExist: no such game.
    """
    head = Game.objects.values_list("head", flat=True).get(pk=game)
    if until is not None and until < head:
        then = keep.fresh(Game.objects.select_related("pinned").get(pk=game))
        keep.catch_up(then, game, until)
        return Look(then.head, view(then.state, viewer), rooms(then.state, viewer))
    with keep.kept(game) as have:
        keep.catch_up(have, game, head)
        return Look(have.head, view(have.state, viewer, now), rooms(have.state, viewer))


def head(game: int) -> int:
    """The number of the newest entry. Who sees it change has learned that something happened: for our own processes only."""
    return int(Game.objects.values_list("head", flat=True).get(pk=game))


def heads(games: Sequence[int]) -> dict[int, int]:
    """The newest entries' numbers of several games in one question."""
    return dict(Game.objects.filter(pk__in=games).values_list("pk", "head"))


def pace(game: int) -> Pace:
    """How a game's time runs."""
    row = Game.objects.get(pk=game)
    return Pace(row.real_start, row.game_start, row.zone, row.pace)


def ruleset(game: int) -> Loaded:
    """The ruleset a game has pinned."""
    with keep.kept(game) as have:
        board = have.board
        return Loaded(board.rules, board.hash, board.id, {})


def read(game: int, text: str, ballot: bool) -> Reading:
    """What the referee reads in a post: suspicions, and in a ballot thread the vote (C18). Pure; made before the lock."""
    with keep.kept(game) as have:
        return read_post(text, have.board.patterns, ballot)


def why(game: int, viewer: Viewer, question: Question, lang: str = "zh") -> list[str]:
    """An explanation in the words of the rules with clause ids, of what this viewer may know."""
    with keep.kept(game) as have:
        board = have.board
    entries = [archive.entry_of(line) for line in archive.read(lines(game))]
    return list(lines_in(explain(entries, board, viewer, question), lang))


def commit(game: int, label: str, personas: Sequence[str], roles: Sequence[str], options: Mapping[str, str], now: datetime) -> str:
    """Begin the ceremony of docs/dealing.md: publish the commitment to the game's secret. Returns it."""
    with keep.kept(game) as have:
        if have.secret is None:
            raise RuntimeError("a ceremony needs a secret; give `found` one")
        value = dealing.commit(have.secret, label, have.board.hash, dict(options), list(personas), list(roles))
        hash = have.board.hash
    submit(game, c.Record([e.Committed(value, label, hash, dict(options), list(personas), list(roles))]), now, "town")
    return value


def contribute(game: int, player: int, digest: str, now: datetime) -> None:
    """A player's contribution, hashed (docs/dealing.md)."""
    submit(game, c.Record([e.ContributionHashed(player, digest)]), now, "town")


def open_contribution(game: int, player: int, text: str, now: datetime) -> None:
    """A player's contribution, opened."""
    submit(game, c.Record([e.ContributionOpened(player, text)]), now, "town")


def contribution_hash(player: int, text: str) -> str:
    """The hash a contribution is handed in by."""
    return dealing.contribution_hash(player, text)


def deal(
    game: int, personas: Sequence[str], roles: Sequence[str], options: Mapping[str, str], setup_ends: int, history: Mapping[int, int],
    now: datetime, after: Callable[[Answer], None] | None = None, key: str = "deal",
) -> list[int]:  # fmt: skip
    """Deal, when every contribution is open: roles to seats, seats to players, from the recorded stream. Returns the masks:
    the seat of each player, in the players' order."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        dice = have.dice()
        assert isinstance(dice, dealing.Dice)
        dealt = list(dealing.deal(dice, list(roles)))
        masks = list(dealing.masks(dice, len(roles)))
    by_seat = {masks[player - 1]: count for player, count in history.items()}
    submit(game, c.Open(dict(options), list(personas), dealt, setup_ends, by_seat, masks), now, "town", key, after)
    return masks


class Coming(NamedTuple):
    """What would come out if nobody handed in anything more: minute and the news of each stroke, to the next opening."""

    at: int
    news: list[News]


def what_if(game: int) -> list[Coming]:
    """For the directors: what would come out if it settled now. Nothing is written; draws are made with dice of their own,
    so that the real ones stay unknown."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        copy = have.state.copy()
    dice = dealing.Dice.from_seed(0)
    coming: list[Coming] = []
    day = copy.day
    while due(copy) < NEVER and copy.day == day and len(coming) < 60:
        at, events = tick(copy, dice)
        coming.append(Coming(at, news(copy, at, events)))
    return coming


def lines(game: int) -> bytes:
    """The whole journal of a game as a file; for its directors, and for everybody after the end."""
    rows = Entry.objects.filter(game_id=game).order_by("n").values_list("line", flat=True)
    return b"".join(bytes(line) + b"\n" for line in rows)


def open_secret(game: int, now: datetime) -> Answer | None:
    """After the end: open the directors' secret, once, so that everybody can check the deal and every draw."""
    secret = Secret.objects.filter(game_id=game, game__over=True).values_list("secret", flat=True).first()
    if secret is None:
        return None
    return submit(game, c.Record([e.SecretOpened(bytes(secret).hex())]), now, "town", "secret")


def rebuild(game: int, names: Sequence[str] = ()) -> int:
    """Drop and write anew what the projectors keep of a game, from the first entry. Returns the number of entries."""
    with transaction.atomic():
        _lock(game)
        have = keep.fresh(Game.objects.select_related("pinned").get(pk=game))
        chosen = {name: pair for name, pair in projectors.registered().items() if not names or name in names}
        for _project, clear in chosen.values():
            clear(game)
        count = 0
        for line in archive.read(lines(game)):
            archive.fold(have.state, [line])
            at, _by, _key, _command, events = archive.entry_of(line)
            received = Entry.objects.values_list("received", flat=True).get(game_id=game, n=line.n)
            heard = projectors.Said(line.n, at, received, news(have.state, at, events))
            for project, _clear in chosen.values():
                project(game, [heard])
            count += 1
    return count
