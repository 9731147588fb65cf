"""The town was down over a deadline: recorded, time stands still for the directors, then the clock catches up."""

from __future__ import annotations

from datetime import datetime, timedelta

from bansha.journal import doors
from bansha.journal.models import Beat
from bansha.referee import commands as c
from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from tests.journal.test_doors import MONDAY, at
from tests.support import table

TOLERANCE, GRACE = timedelta(minutes=5), timedelta(minutes=30)


def down(last: datetime, back: datetime) -> list[int]:
    """No clock has looked between these moments."""
    Beat.objects.update_or_create(pk=1, defaults={"at": last})
    return doors.beat(back, TOLERANCE, GRACE)


def test_a_night_that_fell_into_an_outage_waits_for_its_directors() -> None:
    game = table.opened("m205", 3, MONDAY)
    doors.strike(game, at(1, 20))
    concerned = down(at(1, 20, 50), at(1, 21, 40))
    assert game in concerned
    assert doors.still_until(game, at(1, 21, 45)) == at(1, 22, 10)
    assert game not in doors.due_games(at(1, 21, 45))
    assert doors.strike(game, at(1, 21, 45)) == 0
    doors.submit(game, c.Vote(1, 1, 7), at(1, 21, 46), "seat 1")  # its time stands at 20:50
    moved = doors.see(game, DIRECTOR).view.public.closes_at + 60
    doors.submit(game, c.Direct("deadline", moved, "停机一小时", 1), at(1, 21, 50), "director 1")
    assert doors.see(game, PUBLIC).view.public.closes_at == moved
    assert doors.strike(game, at(1, 22, 10)) == 1  # the day closed at 22:00, its own minute
    assert doors.see(game, PUBLIC).view.public.phase == "night"


def test_no_silence_of_such_a_night_is_proposed_for_punishment() -> None:
    def silences(game: int) -> int:
        doors.strike(game, at(2, 9))
        full = doors.see(game, DIRECTOR).view.director
        assert full is not None
        return sum("夜间超时" in row for row in full.proposed)

    usual = silences(table.opened("m205", 3, MONDAY))
    spared = table.opened("m205", 3, MONDAY)
    doors.strike(spared, at(1, 21, 5))
    assert spared in down(at(1, 21, 5), at(1, 21, 50))
    assert (usual > 1, silences(spared)) == (True, 1)  # the silence at setup was before


def test_an_hour_down_by_day_is_no_outage_of_the_game() -> None:
    game = table.opened("m205", 3, MONDAY)
    doors.strike(game, at(1, 10))
    assert game not in down(at(1, 12), at(1, 13))
    assert doors.still_until(game, at(1, 13)) is None
    assert down(at(1, 13), at(1, 13, 4)) == []


def test_a_demonstration_does_not_run_while_the_town_is_down() -> None:
    real = at(1, 0)
    game = table.opened("m205", 3, MONDAY, pace=180, real_start=real)
    doors.strike(game, real + timedelta(minutes=2, seconds=10))
    before = doors.see(game, Viewer("public"), now=doors.pace(game).minute(real + timedelta(minutes=3))).view
    down(real + timedelta(minutes=3), real + timedelta(hours=8))
    assert doors.still_until(game, real + timedelta(hours=8)) is None
    assert doors.strike(game, real + timedelta(hours=8)) == 0
    after = doors.see(game, Viewer("public"), now=doors.pace(game).minute(real + timedelta(hours=8))).view
    assert after == before
