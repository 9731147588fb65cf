"""Everything is down for a day: when it is up again, what was due happens once each, in order, at its own scheduled time."""

from __future__ import annotations

import pytest

from bansha.journal import doors
from bansha.journal.models import Entry
from bansha.journal.time import now
from bansha.referee import archive
from tests.support import served
from tests.support.served import PROGRAM, until
from tests.support.town import Clock, moment, seated


@pytest.mark.process
def test_a_day_with_everything_down(clock: Clock, chosen: dict[str, str]) -> None:
    clock.at(1, 9, 0)
    game, alone = seated(seed=61, title="down"), seated(seed=61, title="up")
    doors.strike(game.journal, moment(1, 12))
    last = doors.head(game.journal)
    clock.at(2, 12, 0)  # nobody has looked since yesterday noon
    for minute in range(0, 27 * 60 + 1, 10):
        doors.strike(alone.journal, moment(1, 9, minute))
    clocks = [served.child(["-c", PROGRAM, "serve", "--only", "clock"], chosen, BANSHA_TEST_CLOCK=str(clock.file)) for _ in range(2)]
    try:
        assert until(lambda: not doors.due_games(now()))
    finally:
        codes = served.end(*clocks)
    assert set(codes) <= {0, -15}  # -15: ended before it had begun to listen for the end, the other clock did the work

    pace = doors.pace(game.journal)
    done = []
    for entry in Entry.objects.filter(game_id=game.journal, n__gt=last).order_by("n"):
        line = archive.line_of(bytes(entry.line))
        done.append((entry.n, line.at, line.by, [type(event).__name__ for event in line.events]))
        print(f"scheduled {pace.moment(line.at):%m-%d %H:%M}, done {entry.received:%m-%d %H:%M:%S} UTC: {', '.join(done[-1][3])}")
        assert entry.received == moment(2, 12)
    assert [n for n, *_ in done] == list(range(last + 1, last + 1 + len(done)))
    minutes = [at for _, at, *_ in done]
    assert minutes == sorted(minutes) and len(done) >= 4 and {by for _, _, by, _ in done} == {"clock"}
    assert doors.lines(game.journal) == doors.lines(alone.journal), "exactly as with a clock that never stopped"
