"""The two doors: `submit` is the only writer, `see` the only reader. The clock strikes through `strike`.

Everything a submission leads to is in one transaction: what was overdue, the judgement, the sealed lines, the new due
row, and what the projectors write. The same `key` twice gives the first answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from django.db import transaction

from bansha.journal import keep, projectors
from bansha.journal.models import Entry, Game, Pinned, Secret
from bansha.referee import archive
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.referee.game import Entry as Said
from bansha.referee.judge import NEVER, decide, due, tick
from bansha.referee.ledger import seal
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER
from bansha.rulesets.load import Loaded
from bansha.sight.types import View, Viewer
from bansha.sight.view import view

_encode = msgspec.json.Encoder().encode


class Answer(NamedTuple):
    """What a submission led to: its entry's number and its events; `again`: this key had been answered before."""

    n: int
    events: list[e.Event]
    again: bool = False


class Look(NamedTuple):
    """What a viewer sees of a game: the journal's number it stands at, and the view."""

    head: int
    view: View


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
        self.said: list[Said] = []
        self.rows: list[Entry] = []

    def add(self, at: int, by: str, key: str, command: c.Command, events: list[e.Event]) -> None:
        have = self.have
        line, have.hash = seal(have.hash, have.head + 1, at, by, key, _encode(command), _encode(events))
        have.head += 1
        have.notice(events)
        self.said.append((at, by, key, command, events))
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
        projectors.run(int(row.pk), have.state, self.said)


def submit(game: int, command: c.Command, now: datetime, by: str, key: str = "") -> Answer:
    """Hand a command in at a real moment. What was overdue happens first, each at its own time, and stays even when the
    command itself is refused.

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
                    return Answer(earlier[0], archive.line_of(bytes(earlier[1])).events, True)
            writer = _Writer(have, row, now)
            minute = have.pace.minute(now)
            writer.overdue(minute)
            try:
                events = decide(have.state, command, minute, have.dice())
                writer.add(minute, by, key, command, events)
                answer = Answer(have.head, events)
            except Refused as error:
                refusal = error
            writer.write()
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


def see(game: int, viewer: Viewer, until: int | None = None) -> Look:
    """What a viewer may know of a game, now or as it stood after entry number `until`.

    Raises:
        Game.DoesNotExist: no such game.
    """
    head = Game.objects.values_list("head", flat=True).get(pk=game)
    if until is not None and until < head:
        then = keep.fresh(Game.objects.select_related("pinned").get(pk=game))
        keep.catch_up(then, game, until)
        return Look(then.head, view(then.state, viewer))
    with keep.kept(game) as have:
        keep.catch_up(have, game, head)
        return Look(have.head, view(have.state, viewer))


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
            said = archive.entry_of(line)
            for project, _clear in chosen.values():
                project(game, have.state, [said])
            count += 1
    return count
