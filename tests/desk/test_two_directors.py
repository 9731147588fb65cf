"""Two directors press the same proposed card within 50 ms: one card each time, and the other sees who did it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.pressing import both_press
from tests.support.town import Clock

pytestmark = pytest.mark.slow


def test_both_deal_the_same_card_fifty_times(clock: Clock, says: Callable[[str], None]) -> None:
    done = both_press(clock, 50)
    assert done == 50
    says(f"two directors: {done} cards pressed twice within 50 ms, {done} dealt once, {done} times the other saw who did it")


def test_one_deals_what_the_other_dismisses(clock: Clock) -> None:
    assert both_press(clock, 10, dismissing=True) == 10
