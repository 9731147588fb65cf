"""The two doors: `submit` is the only writer, `see` the only reader. The clock strikes through `strike`.

Everything a submission leads to is in one transaction: what was overdue, the judgement, the sealed lines, the new due
row, and what the projectors write. The same `key` twice gives the first answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from bansha.journal import keep, projectors
from bansha.journal.bell import Listener as Listener
from bansha.journal.bell import ring as ring
from bansha.journal.bell import rings as rings
from bansha.journal.models import Beat, Entry, Game, Instance, Pinned, Secret
from bansha.journal.time import Pace
from bansha.journal.turn import settle as settle
from bansha.journal.turn import turn
from bansha.referee import archive, dealing, proof
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.referee.judge import NEVER, decide, due, tick
from bansha.referee.ledger import START, check_chain, seal
from bansha.referee.reading import Reading, read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER, State
from bansha.rulesets.load import Loaded, bundled, load
from bansha.sight import forms
from bansha.sight.explain import Question, explain, lines_in
from bansha.sight.forms import Farewell as Farewell
from bansha.sight.forms import Petition as Petition
from bansha.sight.news import News, news
from bansha.sight.replay import Moment as Moment
from bansha.sight.replay import moments
from bansha.sight.rooms import Rooms, rooms
from bansha.sight.types import DIRECTOR, PUBLIC, View, Viewer
from bansha.sight.view import view

log = logging.getLogger("bansha.journal")

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


After = Callable[[Answer], None]
"""What is done with the answer in the same transaction, once the projectors have run."""


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
        keep.born(int(row.pk))
    return int(row.pk)


@contextmanager
def together(game: int) -> Iterator[None]:
    """What is asked of a game within the block, and what the caller writes there, stand or fall together: nobody else writes in that
    game meanwhile. In the order that everybody keeps: the game, one's turn, the transaction, the game's row.

    Raises:
        Game.DoesNotExist: no such game.
    """
    with keep.held(game), turn(), transaction.atomic():
        _lock(game)
        yield


def _lock(game: int) -> Game:
    return Game.objects.select_for_update().get(pk=game)


def _minute(have: keep.Kept, row: Game, now: datetime) -> int:
    """The game-local minute things are judged at: the present one, or where the game's time stands still after an outage. A clock
    that was moved back moves no game back: its time stands until the clock has come by again."""
    have.pace = keep.pace_of(row)  # an outage moves a demonstration's
    return max(row.still_at if _still(row, now) else have.pace.minute(now), have.state.now)


def _still(row: Game, now: datetime) -> bool:
    return row.still_until is not None and now < row.still_until


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

    def write(self, projected: bool = True) -> None:
        """Append the rows, move the head and the due row, let the projectors react."""
        if not self.said:
            return
        have = self.have
        if len(self.rows) == 1:
            self.rows[0].save_base(raw=True, force_insert=True)  # as a bulk of one, in half the time
        else:
            Entry.objects.bulk_create(self.rows, batch_size=2000)
        at = due(have.state)
        Game.objects.filter(pk=self.row.pk).update(
            head=have.head,
            head_hash=have.hash,
            due_at=None if at >= NEVER else have.pace.moment(at),
            over=have.state.n > 0 and have.state.phase == OVER,
        )
        if projected:
            projectors.run(int(self.row.pk), self.said)
        ring(int(self.row.pk))


def submit(
    game: int, command: Prepared, now: datetime, by: str, key: str = "", after: After | None = None
) -> Answer:
    """Hand a command in at a real moment. What was overdue happens first, each at its own time, and stays even when the
    command itself is refused. `after` is called with the answer in the same transaction, once the projectors have run.

    Raises:
        Refused: with a code and a sentence; of the command nothing is written.
        Game.DoesNotExist: no such game.
    """
    refusal: Refused | None = None
    answer: Answer | None = None
    head, due_at = Game.objects.values_list("head", "due_at").get(pk=game)
    _look_first(due_at, now)
    with keep.kept(game) as have:
        keep.catch_up(have, game, head)
        with turn(), transaction.atomic():
            row = _lock(game)
            keep.catch_up(have, game, row.head, row.head_hash)
            if key:
                earlier = Entry.objects.filter(game=row, key=key).values_list("n", "line").first()
                if earlier is not None:
                    line = archive.line_of(bytes(earlier[1]))
                    return Answer(earlier[0], line.events, True, news(have.state, line.at, line.events))
            writer = _Writer(have, row, now)
            minute = _minute(have, row, now)
            writer.overdue(minute)
            try:
                # the rows that were prepared go with a refused command; a savepoint is needed only where something else stays
                with transaction.atomic() if writer.said else nullcontext():
                    made = command if isinstance(command, c.Command) else command(Seats(game, have.head, minute))
                    events = decide(have.state, made, minute, have.dice())
                writer.add(minute, by, key, made, events)
                answer = Answer(have.head, events, False, news(have.state, minute, events))
            except Refused as error:
                refusal = error
                if not writer.said:
                    transaction.set_rollback(True)
            writer.write()
            if after is not None and answer is not None:
                after(answer)
    if refusal is not None:
        raise refusal
    assert answer is not None
    return answer


def append(game: int, commands: Iterable[tuple[str, c.Command]], now: datetime) -> int:
    """Hand many commands in at one moment under one lock, for a town that is filled to be measured: each (by, command) is judged
    and sealed like any other, and the whole stands or falls together. Projectors are not told; the caller writes what they would.
    Returns the head.

    Raises:
        Refused: by the first command that is; nothing is written.
    """
    strike(game, now)
    with keep.kept(game) as have, turn(), transaction.atomic():
        row = _lock(game)
        keep.catch_up(have, game, row.head, row.head_hash)
        writer = _Writer(have, row, now)
        at = _minute(have, row, now)
        for by, command in commands:
            writer.add(at, by, "", command, decide(have.state, command, at, have.dice()))
        writer.write(projected=False)
        return have.head


def copied(game: int, times: int) -> list[int]:
    """The journal of a game under so many new numbers, for a town that is filled to be measured: the same lines, so each chain
    holds, and what is due in it is due in them. Returns the numbers."""
    row = Game.objects.get(pk=game)
    secret = Secret.objects.filter(game=row).values_list("secret", flat=True).first()
    lines = list(Entry.objects.filter(game=row).order_by("n"))
    fields = [field.attname for field in Game._meta.concrete_fields if not field.primary_key]
    made = Game.objects.bulk_create([Game(**{name: getattr(row, name) for name in fields}) for _ in range(times)], batch_size=500)
    Entry.objects.bulk_create(
        (Entry(game=new, n=line.n, at=line.at, key=line.key, line=line.line, received=line.received) for new in made for line in lines),
        batch_size=2000,
    )
    if secret is not None:
        Secret.objects.bulk_create([Secret(game=new, secret=secret) for new in made])
    return [int(new.pk) for new in made]


def strike(game: int, now: datetime, most: int = 1 << 30) -> int:
    """Do what is due in a game up to a real moment, each deadline with its own scheduled time, exactly once however many
    clocks strike. Returns how many deadlines that were."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, Game.objects.values_list("head", flat=True).get(pk=game))
        with turn(), transaction.atomic():
            row = _lock(game)
            keep.catch_up(have, game, row.head, row.head_hash)
            writer = _Writer(have, row, now)
            strokes = writer.overdue(_minute(have, row, now), most)
            writer.write()
    return strokes


def due_games(now: datetime, most: int = 100) -> list[int]:
    """Games in which something is due by now, the longest overdue first."""
    awake = Q(still_until=None) | Q(still_until__lte=now)
    return list(Game.objects.filter(awake, due_at__lte=now).order_by("due_at", "pk").values_list("pk", flat=True)[:most])


def beat(now: datetime, tolerance: timedelta, grace: timedelta) -> list[int]:
    """A clock looks, and says so. When none has looked for longer than `tolerance`, the town was down: each game in earnest in
    which a deadline or a window fell into the gap has the outage recorded (no silence of that night is proposed for
    punishment), and its time stands still for `grace`, so that its directors can move the deadlines before the clock catches
    up. A demonstration's time has not run meanwhile. Returns the games in earnest concerned.

    A look that lies more than `tolerance` before the last one means that the machine's clock was moved back: no game goes back,
    demonstrations go on from where they were, and time that stands still after a leap ahead runs again.
    """
    by_day = _by_day(now, tolerance)
    with transaction.atomic():
        row, _new = Beat.objects.select_for_update().get_or_create(pk=1, defaults={"at": now})
        last = row.at
        Beat.objects.filter(pk=1).update(at=now)
        if tolerance and now < last - tolerance:
            _moved_back(last, now, grace)
            return []
        if not timedelta() < tolerance < now - last:
            return []
        running = list(Game.objects.select_for_update().filter(over=False, due_at__isnull=False).order_by("pk"))
        for game in running:
            if game.pace > 1:
                gap = now - last
                Game.objects.filter(pk=game.pk).update(real_start=game.real_start + gap, due_at=F("due_at") + gap)
        concerned = [game for game in running if game.pace == 1 and _touched(game, now, by_day)]
        for game in concerned:
            Game.objects.filter(pk=game.pk).update(still_until=now + grace, still_at=keep.pace_of(game).minute(last))
    for game in concerned:
        span = [keep.pace_of(game).minute(last), keep.pace_of(game).minute(now)]
        submit(int(game.pk), c.Direct("outage", span, "停机 / the town was down", 0), now, "clock", f"outage {span[0]}")
    return [int(game.pk) for game in concerned]


def _moved_back(last: datetime, now: datetime, grace: timedelta) -> None:
    noticed(now, now - last)
    Game.objects.filter(still_until__gt=now + grace).update(still_until=None)
    for game in Game.objects.select_for_update().filter(over=False, due_at__isnull=False, pace__gt=1).order_by("pk"):
        Game.objects.filter(pk=game.pk).update(real_start=game.real_start + (now - last), due_at=F("due_at") + (now - last))


def noticed(now: datetime, by: timedelta) -> None:
    """The machine's clock was found moved: written down, so that managers and directors are told, and said in the log."""
    seconds = round(by.total_seconds())
    Beat.objects.filter(pk=1).update(moved_at=now, moved_by=max(-(1 << 31), min(seconds, (1 << 31) - 1)))
    log.warning("the clock of this machine was moved %s by %s; nothing happens twice, no game goes back; set it by NTP",
                "back" if seconds < 0 else "ahead", abs(by))  # fmt: skip


class Moved(NamedTuple):
    """When the machine's clock was found moved, and by how much."""

    at: datetime
    by: timedelta

    @property
    def back(self) -> bool:
        """Whether it was moved back."""
        return self.by < timedelta()

    @property
    def minutes(self) -> int:
        """How far, in minutes."""
        return round(abs(self.by) / timedelta(minutes=1))


def moved(now: datetime, within: timedelta = timedelta(days=1)) -> Moved | None:
    """When the machine's clock was last found moved, and by how much; None when that was not lately."""
    found = Beat.objects.filter(pk=1, moved_at__gt=now - within, moved_at__lt=now + within).values_list("moved_at", "moved_by").first()
    return None if found is None or found[0] is None else Moved(found[0], timedelta(seconds=found[1]))


def last_beat() -> datetime | None:
    """When a clock last looked; None where none ever has."""
    return Beat.objects.filter(pk=1).values_list("at", flat=True).first()


def _look_first(due_at: datetime | None, now: datetime) -> None:
    """A page may be the first to look after an outage, or after a leap of the machine's clock: then it does what a clock would
    have done first, so that nobody's deadline passes unseen."""
    tolerance = timedelta(minutes=settings.OUTAGE_MINUTES)
    if not tolerance or due_at is None or now - due_at <= tolerance:
        return
    last = last_beat()
    if last is not None and now - last > tolerance:
        beat(now, tolerance, timedelta(minutes=settings.GRACE_MINUTES))


def instance(identity: str, key_print: str, now: datetime) -> tuple[str, str]:
    """Which town this database is and the fingerprint of its signing key; the first to ask writes its own down."""
    row, _new = Instance.objects.get_or_create(pk=1, defaults={"identity": identity, "key_print": key_print, "made_at": now})
    return row.identity, row.key_print


def adopt(key_print: str) -> None:
    """The town has another signing key from now on."""
    Instance.objects.filter(pk=1).update(key_print=key_print)


class Head(NamedTuple):
    """Where a game's chain stands: the newest entry's number and its hash."""

    n: int
    hash: str


def all_heads() -> dict[int, Head]:
    """Where every chain stands, by game."""
    return {game: Head(n, hash) for game, n, hash in Game.objects.order_by("pk").values_list("pk", "head", "head_hash")}


def followed(lines: Iterable[bytes]) -> Head:
    """Follow a chain of stored lines from its first; returns where it ends.

    Raises:
        ValueError: the first line that is not the one that was sealed, and what would be right.
    """
    head = Head(0, START)
    for line in check_chain(lines):
        head = Head(head.n + 1, line[-66:-2].decode("ascii"))
    return head


def proved(data: bytes) -> str:
    """A game's journal checked whole: chain, events, the deal and every draw. Returns the verdict.

    Raises:
        ValueError: the first line that does not hold, and what would be right.
    """
    return proof.verify(data)


def _by_day(now: datetime, tolerance: timedelta) -> set[int]:
    """After an outage, the games in which it is day; asked before the transaction, which must wait for no game."""
    last = Beat.objects.values_list("at", flat=True).first()
    if last is None or not timedelta() < tolerance < now - last:
        return set()
    running = Game.objects.filter(over=False, due_at__isnull=False, pace=1).values_list("pk", flat=True)
    return {game for game in running if see(game, PUBLIC).view.public.phase == "day"}


def _touched(game: Game, now: datetime, by_day: set[int]) -> bool:
    """Whether a deadline fell into the gap, or any window but the day's was open in it."""
    return (game.due_at is not None and game.due_at <= now) or game.pk not in by_day


class Stand(NamedTuple):
    """Where a game stands at a moment: the newest entry's number and hash (for our own processes only), how its time runs, its
    game-local minute, and until when its time stands still after an outage (None: it runs)."""

    head: int
    hash: str
    pace: Pace
    minute: int
    still_until: datetime | None


STOOD = ("head", "head_hash", "real_start", "game_start", "zone", "pace", "still_until", "still_at")


def stand(game: int, now: datetime) -> Stand:
    """Where a game stands, in one question to the database.

    Raises:
        Game.DoesNotExist: no such game.
    """
    return _stood(Game.objects.only(*STOOD).get(pk=game), now)


def stands(games: Sequence[int], now: datetime) -> dict[int, Stand]:
    """Where several games stand, in one question."""
    return {int(row.pk): _stood(row, now) for row in Game.objects.only(*STOOD).filter(pk__in=games)}


def _stood(row: Game, now: datetime) -> Stand:
    pace, still = keep.pace_of(row), _still(row, now)
    return Stand(row.head, row.head_hash, pace, row.still_at if still else pace.minute(now), row.still_until if still else None)


def minute(game: int, now: datetime) -> int:
    """The game-local minute of a real moment; where its time stands still after an outage, that minute."""
    return stand(game, now).minute


def still_until(game: int, now: datetime) -> datetime | None:
    """Until when a game's time stands still after an outage; None when it runs."""
    return stand(game, now).still_until


def see(game: int, viewer: Viewer, until: int | None = None, now: int | None = None, at: Stand | None = None) -> Look:
    """What a viewer may know of a game, at game minute `now`, or as it stood after entry number `until`. `at`: where the game
    stands, for who has asked already.

    Raises:
        Game.DoesNotExist: no such game.
    """
    head, hash = (at.head, at.hash) if at is not None else Game.objects.values_list("head", "head_hash").get(pk=game)
    if until is not None and until < head:
        then = keep.fresh(Game.objects.select_related("pinned").get(pk=game))
        keep.catch_up(then, game, until)
        return Look(then.head, view(then.state, viewer), rooms(then.state, viewer))
    with keep.kept(game) as have:
        keep.catch_up(have, game, head, hash)
        moment = None if now is None else max(now, have.state.now)
        return Look(have.head, view(have.state, viewer, moment), rooms(have.state, viewer))


def before(game: int, viewer: Viewer, minute: int) -> Look:
    """What a viewer knew of a game when this game minute began: all that was earlier, nothing of the minute itself.

    Raises:
        Game.DoesNotExist: no such game.
    """
    earlier = Entry.objects.filter(game_id=game, at__lt=minute).order_by("-n").values_list("n", flat=True).first()
    return see(game, viewer, until=earlier or 0)


def heard(game: int, viewer: Viewer) -> list[News]:
    """The news this viewer may hear, in order: what is public, what was said to its seat or to a pack it belonged to then;
    an assistant hears what its player hears, dens excepted; directors, and everybody after the end, hear all."""
    said = keep.listen(game)
    if viewer.kind == "director" or any(news.kind == "ended" for news in said):
        return said
    seat = viewer.seat if viewer.kind in ("player", "assistant") else 0
    return [news for news in said if news.public or (seat in news.seats and (news.kind != "den" or viewer.kind == "player"))]


def head(game: int) -> int:
    """The number of the newest entry. Who sees it change has learned that something happened: for our own processes only."""
    return int(Game.objects.values_list("head", flat=True).get(pk=game))


def heads(games: Sequence[int]) -> dict[int, int]:
    """The newest entries' numbers of several games in one question."""
    return dict(Game.objects.filter(pk__in=games).values_list("pk", "head"))


def pace(game: int) -> Pace:
    """How a game's time runs."""
    return keep.pace_of(Game.objects.get(pk=game))


def prepare() -> None:
    """Compile the rulesets that come with the town before anybody asks for a game of them."""
    for name in bundled():
        compile_board(load(name))


def ruleset(game: int) -> Loaded:
    """The ruleset a game has pinned."""
    board = keep.board(game)
    return Loaded(board.rules, board.hash, board.id, {})


def read(game: int, text: str, ballot: bool) -> Reading:
    """What the referee reads in a post: suspicions, and in a ballot thread the vote (C18). Pure; made before the lock."""
    return read_post(text, keep.board(game).patterns, ballot)


def refusal_sentence(game: int, seat: int, code: str, target: str, lang: str = "zh") -> str:
    """Why a post in a ballot thread is no vote (`vote_refused` news), as a sentence that names what would be one."""
    with keep.kept(game) as have:
        return forms.vote_refusal(have.state, seat, code, target, lang)


def petitions(game: int, seat: int, minute: int) -> list[Petition]:
    """The petitions of a game at a game minute, and whether this seat (0: nobody's) may sign them."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        return forms.petitions(have.state, seat, minute)


def farewell(game: int, seat: int, minute: int) -> Farewell:
    """A seat's last words, as far as it has been told that it is out."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        return forms.farewell(have.state, seat, minute)


def why(game: int, viewer: Viewer, question: Question, lang: str = "zh") -> list[str]:
    """An explanation in the words of the rules with clause ids, of what this viewer may know."""
    board = keep.board(game)
    entries = [archive.entry_of(line) for line in archive.read(lines(game))]
    return list(lines_in(explain(entries, board, viewer, question), lang))


def replay(game: int, viewer: Viewer) -> list[Moment]:
    """After the end: every moment of a game as this viewer saw it then, from one fold of the journal.

    Raises:
        ValueError: the game is not over, or there is no such seat.
    """
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        if have.state.phase != OVER:
            raise ValueError(f"game {game} is not over; it is replayed after its end only")
        board = have.board
    return list(moments([archive.entry_of(line) for line in archive.read(lines(game))], board, viewer))


Beside = Callable[[], None]
"""Writes rows of the town that stand or fall with a step of the ceremony, under the game's lock; what it raises stops the step."""


def _recorded(game: int, make: Callable[[], list[e.Event]], now: datetime, beside: Beside | None) -> Answer:
    def made(_seats: Seats) -> c.Command:
        if beside is not None:
            beside()
        return c.Record(make())

    return submit(game, made, now, "town")


def commit(
    game: int, label: str, personas: Sequence[str], roles: Sequence[str], options: Mapping[str, str], now: datetime,
    secret: bytes | None = None, beside: Beside | None = None,
) -> str:  # fmt: skip
    """Begin the ceremony of docs/dealing.md: publish the commitment to the game's secret. Returns it. With a new `secret` the
    ceremony starts anew: the former one is opened in the same entry, and every contribution so far is void."""
    values: list[str] = []

    def make() -> list[e.Event]:
        kept_secret = bytes(Secret.objects.values_list("secret", flat=True).get(game_id=game))
        hash = str(Game.objects.values_list("pinned_id", flat=True).get(pk=game))
        events: list[e.Event] = []
        if secret is not None:
            events.append(e.SecretOpened(kept_secret.hex()))
            Secret.objects.filter(game_id=game).update(secret=secret)
        value = dealing.commit(secret or kept_secret, label, hash, dict(options), list(personas), list(roles))
        values.append(value)
        return [*events, e.Committed(value, label, hash, dict(options), list(personas), list(roles))]

    _recorded(game, make, now, beside)
    return values[0]


def contribute(game: int, player: int, digest: str, now: datetime, beside: Beside | None = None) -> None:
    """A player's contribution, hashed (docs/dealing.md)."""
    _recorded(game, lambda: [e.ContributionHashed(player, digest)], now, beside)


def open_contribution(game: int, player: int, text: str, now: datetime, beside: Beside | None = None) -> None:
    """A player's contribution, opened."""
    _recorded(game, lambda: [e.ContributionOpened(player, text)], now, beside)


def contribution_hash(player: int, text: str) -> str:
    """The hash a contribution is handed in by."""
    return dealing.contribution_hash(player, text)


def deal(
    game: int, personas: Sequence[str], roles: Sequence[str], options: Mapping[str, str], setup_ends: int, history: Mapping[int, int],
    now: datetime, after: Callable[[list[int]], None] | None = None, key: str = "deal",
) -> list[int]:  # fmt: skip
    """Deal, when every contribution is open: roles to seats, seats to players, from the recorded stream. Returns the masks:
    the seat of each player, in the players' order. `after` is called with them in the same transaction, once."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        dice = have.dice()
        assert isinstance(dice, dealing.Dice)
        dealt = list(dealing.deal(dice, list(roles)))
        masks = list(dealing.masks(dice, len(roles)))
    by_seat = {masks[player - 1]: count for player, count in history.items()}
    bind = None if after is None else lambda _answer: after(masks)
    submit(game, c.Open(dict(options), list(personas), dealt, setup_ends, by_seat, masks), now, "town", key, bind)
    return masks


class Step(NamedTuple):
    """A step of the ceremony as everybody may see it: `kind` committed, hashed, opened, dealt, secret; the player's number
    (0: none), and the commitment, hash, text or secret. Who wears what is not told here."""

    minute: int
    kind: str
    player: int
    value: str


def ceremony(game: int) -> list[Step]:
    """The steps of a game's dealing, in order; a ceremony that started anew is told in full, the void one first."""
    steps: list[Step] = []
    entries = Entry.objects.filter(game_id=game).order_by("n").values_list("line", flat=True)
    for data in entries.iterator(50):
        steps.extend(_steps(bytes(data)))
        if steps and steps[-1].kind == "dealt":
            break
    for data in entries.filter(key="secret"):
        steps.extend(_steps(bytes(data)))
    return steps


def _steps(data: bytes) -> Iterator[Step]:
    line = archive.line_of(data)
    for event in line.events:
        match event:
            case e.Committed():
                yield Step(line.at, "committed", 0, event.commitment)
            case e.ContributionHashed():
                yield Step(line.at, "hashed", event.player, event.digest)
            case e.ContributionOpened():
                yield Step(line.at, "opened", event.player, event.text)
            case e.Dealt():
                yield Step(line.at, "dealt", 0, "")
            case e.SecretOpened():
                yield Step(line.at, "secret", 0, event.secret)


class Coming(NamedTuple):
    """What would come out if nobody handed in anything more: minute and the news of each stroke, to the next opening."""

    at: int
    news: list[News]


def what_if(game: int) -> list[Coming]:
    """For the directors: what would come out if it settled now. Nothing is written; draws are made with dice of their own,
    so that the real ones stay unknown."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        state, strokes = _ahead(have)
        return [Coming(at, news(state, at, events)) for at, events in strokes]


def _ahead(have: keep.Kept) -> tuple[State, list[tuple[int, list[e.Event]]]]:
    """The strokes of the clock to the next opening, on a copy of the state."""
    copy = have.state.copy()
    dice = dealing.Dice.from_seed(0)
    strokes: list[tuple[int, list[e.Event]]] = []
    day = copy.day
    while due(copy) < NEVER and copy.day == day and len(strokes) < 60:
        strokes.append(tick(copy, dice))
    return copy, strokes


def why_if(game: int, question: Question, lang: str = "zh") -> list[str]:
    """For the directors: the explanation of what would come out if it settled now, see `what_if`."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        board = have.board
        _state, strokes = _ahead(have)
    entries = [archive.entry_of(line) for line in archive.read(lines(game))]
    entries += [(at, "clock", "", c.Tick(), events) for at, events in strokes]
    return list(lines_in(explain(entries, board, DIRECTOR, question), lang))


class Noted(NamedTuple):
    """An entry as directors read it: number, game minute, real moment, who handed it in, its news."""

    n: int
    at: int
    received: datetime
    by: str
    news: list[News]


def record(game: int, since: int = 0) -> list[Noted]:
    """For the directors: the entries from game minute `since` on, in order, as news with who handed each in."""
    with keep.kept(game) as have:
        keep.catch_up(have, game, head(game))
        rows = Entry.objects.filter(game_id=game, at__gte=since).order_by("n").values_list("n", "received", "line")
        noted = []
        for n, received, data in rows:
            line = archive.line_of(bytes(data))
            noted.append(Noted(n, line.at, received, line.by, news(have.state, line.at, line.events)))
    return noted


def stored(game: int) -> Iterator[bytes]:
    """The lines of a game one by one, without holding them all."""
    rows = Entry.objects.filter(game_id=game).order_by("n").values_list("line", flat=True)
    return (bytes(line) for line in rows.iterator(1000))


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
    with together(game):
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
        for name in chosen:
            projectors.finish(name, game)
    return count
