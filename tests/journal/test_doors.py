"""The two doors: what is handed in is written once, in order, chained; what is refused leaves nothing."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import OperationalError, connections, transaction

from bansha.journal import doors, faults, keep, projectors
from bansha.journal.models import Entry, Game
from bansha.journal.time import Pace, local_minute
from bansha.referee import archive
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.game import snapshot
from bansha.referee.refusals import Refused
from bansha.referee.state import State
from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from tests.support import table

ZONE = "Asia/Shanghai"
MONDAY = datetime(2026, 5, 11, 1, 0, tzinfo=UTC)  # 9:00 in Shanghai


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A real moment: game day (1: Monday), local hour and minute in Shanghai."""
    return MONDAY + timedelta(days=day - 1, hours=hour - 9, minutes=minute)


def opened(name: str = "m205", seed: int = 7) -> int:
    """A game on `name`, dealt in the order of the ruleset, setup ending Monday 9:00."""
    return table.opened(name, seed, MONDAY)


def test_a_submission_is_written_and_seen() -> None:
    game = opened()
    doors.submit(game, c.Act(10, {table.skill("m205", "kin"): [4]}), at(1, 8), "seat 10")
    doors.strike(game, at(1, 9))
    look = doors.see(game, PUBLIC)
    assert (look.view.public.phase, look.view.public.day) == ("day", 1)
    answer = doors.submit(game, c.Vote(1, 1, 7), at(1, 10), "seat 1")
    assert doors.see(game, PUBLIC).view.public.ballots[0].votes == [(1, 7)]
    assert doors.see(game, PUBLIC).head == answer.n


def test_the_same_key_twice_gives_the_first_answer() -> None:
    game = opened()
    doors.strike(game, at(1, 9))
    first = doors.submit(game, c.Vote(1, 1, 7), at(1, 10), "seat 1", "k1")
    again = doors.submit(game, c.Vote(1, 1, 7), at(1, 11), "seat 1", "k1")
    assert (again.n, again.again, first.again) == (first.n, True, False)
    assert again.events == first.events
    assert Entry.objects.filter(game_id=game, key="k1").count() == 1


def test_a_refusal_writes_nothing_of_the_command_but_keeps_what_was_overdue() -> None:
    game = opened()
    with pytest.raises(Refused) as refusal:
        doors.submit(game, c.Vote(1, 1, 7), at(1, 22), "seat 1")  # the day has closed at 21:00
    assert refusal.value.code == "not_day"
    assert not [line for line in archive.read(doors.lines(game)) if isinstance(archive.command_of(line), c.Vote)]
    assert doors.see(game, DIRECTOR).view.director is not None
    assert doors.see(game, PUBLIC).view.public.phase == "night"


def test_every_deadline_has_its_own_scheduled_time_however_late_the_clock() -> None:
    game = opened()
    doors.strike(game, at(3, 12))
    stamps = [line.at for line in archive.read(doors.lines(game)) if line.by == "clock"]
    assert stamps == sorted(stamps)
    start = local_minute(MONDAY, ZONE)
    assert stamps[:2] == [start, start + 12 * 60]  # 9:00 and 21:00
    assert start + 12 * 60 + 30 in stamps and start + 12 * 60 + 60 in stamps  # 21:30, 22:00
    assert doors.strike(game, at(3, 12)) == 0


def test_the_due_row_is_the_referees_next_limit() -> None:
    game = opened()
    doors.strike(game, at(1, 9))
    assert Game.objects.get(pk=game).due_at == at(1, 21)
    assert doors.due_games(at(1, 20, 59)).count(game) == 0
    assert game in doors.due_games(at(1, 21))


def test_folding_the_rows_gives_the_state_kept_in_memory() -> None:
    rng = random.Random(5)
    for name in ("m205", "m46", "baichibai"):
        game = table.random_game(name, rng, MONDAY, days=3)
        with keep.kept(game) as have:
            again = archive.fold(State(have.board), archive.read(doors.lines(game)))
            assert snapshot(again) == snapshot(have.state)


def test_a_worker_that_kept_nothing_sees_the_same() -> None:
    game = table.random_game("baichibai", random.Random(8), MONDAY, days=2)
    viewers = [PUBLIC, DIRECTOR, Viewer("player", 1), Viewer("player", 12)]
    before = [doors.see(game, viewer) for viewer in viewers]
    keep.drop_all()
    assert [doors.see(game, viewer) for viewer in viewers] == before


def test_looking_back_shows_an_earlier_moment() -> None:
    game = opened()
    doors.strike(game, at(1, 9))
    head = doors.see(game, PUBLIC).head
    doors.submit(game, c.Vote(1, 1, 7), at(1, 10), "seat 1")
    assert doors.see(game, PUBLIC, until=head).view.public.ballots[0].votes == []
    assert doors.see(game, PUBLIC).view.public.ballots[0].votes == [(1, 7)]


def test_a_rolled_back_transaction_leaves_neither_row_nor_memory() -> None:
    game = opened()
    doors.strike(game, at(1, 9))
    before = doors.see(game, PUBLIC)

    def fail(_game: int, _said: object) -> None:
        raise RuntimeError("a projector failed")

    projectors.register("failing", fail, lambda _game: None)
    try:
        with pytest.raises(RuntimeError):
            doors.submit(game, c.Vote(1, 1, 7), at(1, 10), "seat 1", "k")
    finally:
        projectors._projectors.pop("failing")
        projectors._clear.pop("failing")
    assert doors.see(game, PUBLIC) == before
    assert not doors.submit(game, c.Vote(1, 1, 7), at(1, 10), "seat 1", "k").again


def test_what_projectors_keep_can_be_rebuilt() -> None:
    seen: dict[int, list[str]] = {}
    projectors.register(
        "kinds",
        lambda game, said: seen.setdefault(game, []).extend(x.kind for entry in said for x in entry.news),
        lambda game: seen.pop(game, None),
    )
    try:
        game = table.random_game("m205", random.Random(2), MONDAY, days=2)
        written = list(seen[game])
        assert doors.rebuild(game) > 10
        assert seen[game] == written
    finally:
        projectors._projectors.pop("kinds")
        projectors._clear.pop("kinds")


def test_a_committed_deal_is_drawn_from_the_secret_and_checked_by_the_tool(tmp_path: Path) -> None:
    secret = bytes(range(32))
    game = table.committed("m205", secret, MONDAY)
    doors.strike(game, at(2, 10))  # a silent hybrid: the kin is drawn
    doors.submit(game, c.Direct("abort", True, "the test is over"), at(2, 11), "director 1")
    assert doors.open_secret(game, at(2, 12)) is not None
    file = tmp_path / "game.jsonl"
    file.write_bytes(doors.lines(game))
    done = subprocess.run([sys.executable, "-I", "tools/verify.py", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("commitment ok, 10 contributions ok, deal ok, 1 draws ok")


def test_the_secret_is_not_opened_while_the_game_runs() -> None:
    game = table.committed("m205", bytes(32), MONDAY)
    assert doors.open_secret(game, at(1, 12)) is None


def test_many_hands_at_once_write_one_chain() -> None:
    game = opened("m46")
    doors.submit(game, c.Act(6, {table.skill("m46", "revenge"): [1]}), at(1, 4), "seat 6")
    doors.strike(game, at(2, 9))

    def hand_in(seat: int) -> int:
        try:
            keys = [doors.submit(game, c.Vote(seat, 0, 0), at(2, 10), f"seat {seat}", f"s{seat}-{i % 2}").n for i in range(2)]
            return len(set(keys))
        except Refused as refusal:
            assert refusal.code == "voted"
            return 1
        finally:
            connections.close_all()

    with ThreadPoolExecutor(7) as pool:
        list(pool.map(hand_in, list(range(1, 15)) * 2))
    lines = list(archive.read(doors.lines(game)))
    votes = [line.by for line in lines if isinstance(archive.command_of(line), c.Vote)]
    assert sorted(votes) == sorted(f"seat {seat}" for seat in range(1, 15))
    assert Game.objects.get(pk=game).head == len(lines)


def test_a_demonstration_runs_faster_and_says_when() -> None:
    pace = Pace(MONDAY, 1000, ZONE, 144)  # a day in ten minutes
    assert pace.minute(MONDAY + timedelta(minutes=10)) == 1000 + 1440
    for minute in (1001, 1440, 2440, 9999):
        moment = pace.moment(minute)
        assert pace.minute(moment) == minute
        assert pace.minute(moment - timedelta(milliseconds=1)) < minute


def test_an_event_kind_is_kept_as_it_was_written() -> None:
    game = opened()
    doors.strike(game, at(1, 9))
    assert any(isinstance(event, e.DayOpened) for line in archive.read(doors.lines(game)) for event in line.events)
    with transaction.atomic():
        assert Entry.objects.filter(game_id=game).count() == Game.objects.get(pk=game).head


# --- who waits for whom ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["somebody else's submission fails", "too many games are kept"])
def test_what_is_kept_of_a_game_may_go_while_it_is_written_and_nobody_is_held_up(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread writes, and asks again for the game it writes in; meanwhile what was kept is dropped, and another thread comes for
    the same game. They once waited for each other for ever: one had the turn, the other the game kept anew."""
    game, other = opened(), opened("m46")
    doors.strike(game, at(1, 9))
    arrived = threading.Event()
    turn = doors.turn

    @contextmanager
    def counted() -> Iterator[None]:
        if threading.current_thread() is not writing:
            arrived.set()
        with turn():
            yield

    def after(_answer: doors.Answer) -> None:
        if how.startswith("too many"):
            monkeypatch.setattr(keep, "MOST", 1)
            keep.born(other)  # nobody else plays it
            doors.see(other, PUBLIC)
        else:
            keep.drop(game)
        beside.append(pool.submit(doors.strike, game, at(1, 10)))
        arrived.wait(0.3)  # it cannot come so far any more
        seen.append(doors.see(game, PUBLIC).view.public.ballots[0].votes)

    def write() -> int:
        nonlocal writing
        writing = threading.current_thread()
        return doors.submit(game, c.Vote(1, 1, 7), at(1, 10), "seat 1", after=after).n

    writing = threading.current_thread()
    beside: list[Future[int]] = []
    seen: list[list[tuple[int, int]]] = []
    monkeypatch.setattr(doors, "turn", counted)
    with ThreadPoolExecutor(2, initializer=connections.close_all) as pool:
        assert pool.submit(write).result(20) == doors.head(game)
        assert beside[0].result(20) == 0
    assert seen == [[(1, 7)]]
    assert "ok" in doors.proved(doors.lines(game))


def test_a_game_is_not_asked_for_within_a_transaction_that_began_without_it() -> None:
    game = opened()
    for ask in (lambda: doors.see(game, PUBLIC), lambda: doors.strike(game, at(1, 9))):
        with pytest.raises(AssertionError, match="hold it first"), transaction.atomic():
            ask()
    with doors.together(game):
        assert doors.strike(game, at(1, 9)) > 0
        assert doors.see(game, PUBLIC).view.public.day == 1
    with transaction.atomic():
        doors.ruleset(game)  # never changes, so nobody has to be waited for
        assert doors.see(opened(), PUBLIC).head == 2  # nobody else can ask for it yet


def test_a_game_that_another_thread_never_lets_go_of_is_a_fault_and_no_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    game = opened()
    monkeypatch.setattr(keep, "PATIENCE", 0.05)
    has, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        with keep.held(game):
            has.set()
            may_go.wait(20)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        try:
            assert has.wait(20)
            with pytest.raises(OperationalError, match=f"game {game} is held") as found:
                doors.see(game, PUBLIC)
            assert faults.of(found.value) == "gone"
        finally:
            may_go.set()
        holding.result(20)
    assert doors.see(game, PUBLIC).head == doors.head(game)
