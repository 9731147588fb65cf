"""The twin property of notices, feeds' neighbours and calendars: what a viewer was not told is edited, and everything that waits
for that viewer, everything a courier would bring, and their calendar stay the same, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from bansha.journal import doors, keep
from bansha.journal.projectors import Said
from bansha.notify import diary, projector, texts
from bansha.notify.kinds import KINDS
from bansha.notify.models import Heard, Limit, Notice, Ways
from bansha.referee import archive
from bansha.referee.game import Entry
from bansha.referee.judge import NEVER, due
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER, State
from bansha.rulesets.load import bundled, load
from bansha.sight.news import news
from bansha.sight.types import PUBLIC, Viewer
from bansha.town import acts
from bansha.town.models import Account, Signup
from bansha.town.table import Table
from tests.browser.scenes import people
from tests.support.notices import carried, queued, wants
from tests.support.random_games import choose, mood, pace
from tests.support.town import NAMES, Clock, moment, one_transaction, seated
from tests.support.twins import twin_entries, twin_state

LOOKS = (0, 5, 11, 25, 40, 70, 200, 800)
"""Minutes after the moment at which a courier looks."""


def played(board: str, seed: int, rng: Random, steps: int) -> Any:
    """A random game by the doors, stopped at a random moment while it runs."""
    game = seated(board, seed=seed)
    mind = mood(rng)
    real = doors.pace(game.journal)
    for _ in range(steps):
        with keep.kept(game.journal) as have:
            s = have.state
            at, until = s.now + pace(s, rng, mind), due(s)
            kept, s.now = s.now, at
            found = choose(s, rng, mind) if at < until else None
            s.now = kept
        if s.phase == OVER:
            break
        if found is None:
            if until < NEVER:
                doors.strike(game.journal, real.moment(until), 1)
            continue
        try:
            doors.submit(game.journal, found[0], real.moment(at), found[1])
        except Refused:
            continue
    return game


def told_anew(game: Any, entries: Sequence[Entry], state: State) -> None:
    """Write the outbox anew from these entries, every look at limits by this state."""
    for model in (Notice, Heard, Limit):
        model.objects.filter(game=game).delete()
    Heard.objects.create(game=game)
    real = doors.pace(game.journal)
    with standing(game, state), one_transaction():
        for n, (at, _by, _key, _command, events) in enumerate(entries, 1):
            projector.project(game.journal, [Said(n, at, real.moment(at), news(state, at, events))])


@contextmanager
def standing(game: Any, state: State) -> Iterator[None]:
    """Let the doors show this state instead of the game's."""
    with keep.kept(game.journal) as have:
        kept, have.state = have.state, state
        try:
            yield
        finally:
            have.state = kept


def gets(name: str, game: Any, state: State) -> list[str]:
    """Everything this account gets: what waits, what a courier brings hour by hour, and its calendar."""
    found = [repr(row) for row in queued(name, game)]
    at = doors.pace(game.journal).moment(state.now)
    with standing(game, state), one_transaction():
        for later in LOOKS:
            went = [message for message in carried(at + timedelta(minutes=later)) if message.to == name]
            found += [f"{later} {message}" for message in went]
        found.append(diary.calendar(Account.objects.get(username=name)).decode())
    return found


def compared(boards: Sequence[str], clock: Clock, games: int = 1) -> tuple[int, int, list[str]]:
    """Play, edit, compare: how many twins were compared, how many lines they got, and where they differ."""
    people()
    twins = lines = 0
    leaks: list[str] = []
    for board in boards:
        for number in range(games):
            rng = Random(f"{board} {number}")
            Ways.objects.all().delete()
            Notice.objects.all().delete()
            clock.set(moment(1, 9))
            game = played(board, number + 1, rng, rng.randint(30, 100))
            if Table(game, None).public.phase == "over":
                continue
            looker = wants("onlooker").account
            Signup.objects.create(game=game, account=looker, kind="guest", at=moment(1, 1))
            entries = [archive.entry_of(line) for line in archive.read(doors.lines(game.journal))]
            with keep.kept(game.journal) as have:
                state = have.state.copy()
            seats = rng.sample(range(1, game.seats + 1), 2)
            for seat in seats:
                wants(f"player{seat}")
            for name, viewer in [("onlooker", PUBLIC), *((f"player{seat}", Viewer("player", seat)) for seat in seats)]:
                told_anew(game, entries, state)
                real = gets(name, game, state)
                told_anew(game, twin_entries(list(entries), state, viewer, rng), twin := twin_state(state, viewer, rng)[0])
                other = gets(name, game, twin)
                twins, lines = twins + 1, lines + len(real)
                leaks += [f"{board} {number} {name}: {one} ≠ {two}" for one, two in zip(real, other, strict=False) if one != two]
                leaks += [f"{board} {number} {name}: {len(real)} ≠ {len(other)}"] if len(real) != len(other) else []
            keep.drop(game.journal)
    return twins, lines, leaks


def test_notices_and_calendars_hold_nothing_a_viewer_was_not_told(
    clock: Clock, says: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    long = request.config.getoption("--long")
    boards = sorted(bundled()) if long else ["baichibai", "m205"]
    twins, lines, leaks = compared(boards, clock, 8 if long else 1)
    assert not leaks, leaks[:3]
    assert twins >= 2 * len(boards) and lines > 10 * len(boards)
    says(f"notices: {twins} twins of random games on {len(boards)} boards, {lines} lines compared, 0 differ")


def test_the_property_bites(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    told = projector._Teller.entry

    def leaking(self: Any, entry: Any) -> None:
        told(self, entry)
        if any(piece.kind == "day" for piece in entry.news):
            full = doors.see(self.journal, Viewer("director")).view.director
            assert full is not None
            what = projector.What("opened", f"leak {entry.n}", f"/{len(full.pending)}/", entry.received)
            projector.plan.queue(self.game, what, self.everybody, entry.received)

    monkeypatch.setattr(projector._Teller, "entry", leaking)
    assert compared(["m205"], clock, 2)[2], "a link that counts what was handed in is found"


def test_talk_elsewhere_tells_nobody_else(clock: Clock) -> None:
    people()
    clock.set(moment(1, 10))
    game = seated("m205", seed=4)
    doors.strike(game.journal, moment(1, 9, 1))
    for seat in range(1, 11):
        wants(f"player{seat}", push=["den", "line", "quoted"])
    wolves = [truth.seat for truth in doors.see(game.journal, Viewer("director")).view.director.seats if truth.role == "wolf"]  # type: ignore[union-attr]
    before = {f"player{seat}": queued(f"player{seat}", game) for seat in range(1, 11)}
    table = Table(game, Account.objects.get(username=f"player{wolves[0]}"))
    acts.whisper(table, "den-0", "今晚谁？")
    acts.whisper(table, f"line-{wolves[0]}", "导演在吗？")
    acts.whisper(table, "hole", "只有我知道。")
    after = {name: queued(name, game) for name in before}
    assert {name for name in before if before[name] != after[name]} == {f"player{seat}" for seat in wolves[1:]}


def test_words_name_no_role_persona_seat_or_account() -> None:
    secrets = set(NAMES)
    for board in bundled():
        rules = load(board).ruleset
        for named in (rules.roles, rules.skills, rules.factions):
            secrets |= {text for value in named.values() for text in (value.name.zh, value.name.en)}
    said = {texts.line(kind.id, "书名", day) for kind in KINDS for day in (0, 3)}
    for text in said:
        assert not [secret for secret in secrets if secret in text], text
    own = {texts.line(kind.id, "书名", 0) for kind in KINDS if kind.whom == "own"}
    assert len(own) == 1, "what is one's own always reads the same"
    assert not re.search(r"\d", "".join(said)), "nor a number but the day's, which is written out"
