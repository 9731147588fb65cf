"""A courier that is killed between sending and marking, on SQLite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bansha.town.models import Game
from tests.browser.scenes import people
from tests.support.couriers import killed_while_sending
from tests.support.fakes import PushFake
from tests.support.town import Clock, moment, seated

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def game(clock: Clock) -> Iterator[Game]:
    """A game that things can be told about."""
    people()
    yield seated(seed=4)


def test_a_courier_killed_while_sending_is_made_good(game: Game, chosen: dict[str, str], clock: Clock, pushes: PushFake) -> None:
    keys = killed_while_sending(game, chosen, clock, pushes, moment(1, 12), ["player1"], 1)
    assert len(keys) == 2 and len(set(keys)) == 1, "sent again, under the same key"
