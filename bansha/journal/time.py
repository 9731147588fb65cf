"""Game time and real time. The referee lives in game-local minutes; rows and people live in UTC.

In earnest (pace 1) a game minute is a minute of the wall clock of the game's zone. Faster games (demonstrations) run
evenly from their start.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (game-local minutes carry no zone)
TEST_CLOCK = "BANSHA_TEST_CLOCK"
"""Names a file whose text is the present moment (seconds since 1970, UTC); settings for production refuse it."""


def now() -> datetime:
    """The present moment, UTC; read from the test clock's file where one is set."""
    file = os.environ.get(TEST_CLOCK)
    if file:
        return datetime.fromtimestamp(float(Path(file).read_text(encoding="ascii") or 0), UTC)
    return datetime.now(UTC)


class Pace(NamedTuple):
    """How one game's time runs: a common moment in both times, the zone, and game minutes per real minute."""

    real_start: datetime
    game_start: int
    zone: str
    pace: int

    def minute(self, moment: datetime) -> int:
        """The game-local minute of a real moment (floored: a limit at a full minute is late from that minute on)."""
        if self.pace == 1:
            local = moment.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)
            return int((local - EPOCH) // timedelta(minutes=1))
        return self.game_start + int((moment - self.real_start) * self.pace // timedelta(minutes=1))

    def moment(self, minute: int) -> datetime:
        """The first real moment at which the game-local minute has come, UTC."""
        if self.pace == 1:
            return (EPOCH + timedelta(minutes=minute)).replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC)
        seconds = (minute - self.game_start) * 60 / self.pace
        exact = self.real_start + timedelta(seconds=seconds)
        return exact if self.minute(exact) >= minute else exact + timedelta(microseconds=self.pace)


def local_minute(moment: datetime, zone: str) -> int:
    """The game-local minute of a real moment in a zone, for a game that starts then."""
    return Pace(moment, 0, zone, 1).minute(moment)
