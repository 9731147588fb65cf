"""The machine's clock is moved back and ahead: nothing happens twice, no game goes back, deadlines are late and not different."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings

from bansha.clock import run
from bansha.journal import doors
from bansha.journal.models import Beat, Entry, Game
from bansha.referee import archive
from bansha.referee import commands as c
from bansha.referee.rejudge import rejudge
from bansha.sight.types import PUBLIC
from tests.journal.test_doors import MONDAY, at
from tests.support import table

TOLERANCE, GRACE = timedelta(minutes=5), timedelta(minutes=60)


def beat(now: datetime) -> list[int]:
    """A clock looks."""
    return doors.beat(now, TOLERANCE, GRACE)


@pytest.fixture(autouse=True)
def alone() -> None:
    """No game of another test is in play, and no clock has looked."""
    Game.objects.update(over=True)
    Beat.objects.all().delete()


def minutes(game: int) -> list[int]:
    """When the entries of a journal happened."""
    return [line.at for line in archive.read(doors.lines(game))]


def test_an_hour_back_moves_no_game_back() -> None:
    game = table.opened("m205", 3, MONDAY)
    beat(at(1, 20, 50))
    doors.strike(game, at(1, 20, 50))
    doors.submit(game, c.Vote(1, 1, 7), at(1, 20, 58), "seat 1", "before")
    before = doors.see(game, PUBLIC, now=doors.minute(game, at(1, 20, 58))).view
    beat(at(1, 19, 59))  # and then the clock says an hour less
    assert doors.strike(game, at(1, 19, 59)) == 0 and game not in doors.due_games(at(1, 20, 30))
    doors.submit(game, c.Vote(2, 1, 7), at(1, 19, 59), "seat 2", "after")
    assert doors.submit(game, c.Vote(1, 1, 7), at(1, 20, 0), "seat 1", "before").again
    assert doors.see(game, PUBLIC, now=doors.minute(game, at(1, 20, 0))).view.public.day == before.public.day
    found = minutes(game)
    assert found == sorted(found), "game minutes never go back"
    doors.strike(game, at(1, 21, 0))
    assert doors.see(game, PUBLIC).view.public.phase == "night"
    assert minutes(game)[-1] == doors.minute(game, at(1, 21, 0)), "the deadline is at its own minute"
    with doors.keep.kept(game) as have:
        rejudge(have.board, list(archive.read(doors.lines(game))), have.dice())  # and a judge who reads it again agrees
    assert doors.moved(at(1, 20)) == (at(1, 19, 59), -timedelta(minutes=51))


def test_a_day_ahead_stands_still_and_runs_again_when_the_clock_is_right() -> None:
    game, undisturbed = table.opened("m205", 3, MONDAY), table.opened("m205", 3, MONDAY)
    beat(at(1, 20, 50))
    doors.strike(game, at(1, 20, 50))
    assert game in beat(at(2, 20, 50))
    assert doors.strike(game, at(2, 20, 51)) == 0 and game not in doors.due_games(at(2, 20, 51)), "nothing is over before its time"
    doors.submit(game, c.Vote(1, 1, 7), at(2, 20, 51), "seat 1")
    assert beat(at(1, 20, 52)) == [] and doors.still_until(game, at(1, 20, 52)) is None
    doors.strike(game, at(1, 21, 0))
    doors.strike(undisturbed, at(1, 21, 0))
    assert minutes(game)[-1] == minutes(undisturbed)[-1] and doors.see(game, PUBLIC).view.public.phase == "night"
    assert minutes(game) == sorted(minutes(game))


def test_a_page_that_is_the_first_to_see_the_leap_ends_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "OUTAGE_MINUTES", 5)
    game = table.opened("m205", 3, MONDAY)
    beat(at(1, 20, 50))
    doors.strike(game, at(1, 20, 50))
    day = doors.see(game, PUBLIC).view.public.day
    doors.submit(game, c.Vote(1, 1, 7), at(2, 20, 51), "seat 1")
    public = doors.see(game, PUBLIC).view.public
    assert (public.phase, public.day) == ("day", day) and doors.still_until(game, at(2, 20, 51)) == at(2, 21, 51)


def test_a_demonstration_goes_on_where_it_was() -> None:
    real = at(1, 0)
    game = table.opened("m205", 3, MONDAY, pace=180, real_start=real)
    beat(real + timedelta(minutes=3))
    doors.strike(game, real + timedelta(minutes=3))
    minute, due = doors.minute(game, real + timedelta(minutes=3)), Game.objects.get(pk=game).due_at
    for by in (timedelta(days=1), timedelta(0), -timedelta(hours=5), timedelta(0)):
        beat(real + timedelta(minutes=3) + by)
        assert doors.minute(game, real + timedelta(minutes=3) + by) == minute
    assert Game.objects.get(pk=game).due_at == due


def test_the_clock_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(settings, "OUTAGE_MINUTES", 5)
    table.opened("m205", 3, MONDAY)
    wall, steady = [at(1, 12)], [1000.0]
    monkeypatch.setattr(run, "now", lambda: wall[0])
    loop = run.Loop(0.5, lambda: 0, lambda: steady[0])

    def passes(real: timedelta, shown: timedelta) -> list[str]:
        steady[0] += real.total_seconds()
        wall[0] += shown
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            while loop.round() == 0.0:
                pass
        return [record.message for record in caplog.records if "clock of this machine" in record.message]

    second, day = timedelta(seconds=15), timedelta(days=1)
    assert passes(second, second) == []
    assert ["ahead by 1 day" in said for said in passes(second, day + second)] == [True]
    found = doors.moved(wall[0])
    assert found is not None and found[1] == day
    assert passes(second, second) == []
    assert ["back by 1 day" in said for said in passes(second, -day)] == [True]
    assert passes(second, second) == []
    assert passes(timedelta(hours=2), timedelta(hours=2)) == [], "two hours in which nobody looked are an outage, no leap"
    assert doors.moved(wall[0] + 2 * day) is None, "old news is not told"


def test_what_is_kept_of_entries_that_were_rolled_back_is_folded_anew() -> None:
    game = table.opened("m205", 3, MONDAY)
    doors.strike(game, at(1, 12))
    head = doors.head(game)
    with pytest.raises(ZeroDivisionError), doors.together(game):
        doors.submit(game, c.Vote(1, 1, 7), at(1, 12), "seat 1")
        raise ZeroDivisionError
    assert doors.see(game, PUBLIC).head == head
    with pytest.raises(ZeroDivisionError), doors.together(game):
        doors.submit(game, c.Vote(1, 1, 7), at(1, 12), "seat 1")
        raise ZeroDivisionError
    assert doors.submit(game, c.Vote(2, 1, 7), at(1, 12), "seat 2").n == head + 1
    assert "ok" in doors.proved(doors.lines(game)) and Entry.objects.filter(game_id=game).count() == head + 1


def test_moments_are_in_utc() -> None:
    beat(datetime(2026, 11, 30, 1, tzinfo=UTC))
    assert doors.last_beat() == datetime(2026, 11, 30, 1, tzinfo=UTC)
