"""A warm view is cheap: what it costs beside a reference loop in the same run, so that a slow machine fails nobody."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter

import pytest

from bansha.sight.types import Viewer
from bansha.sight.view import view
from tests.support.random_games import RULESETS, Mood, new_game, play

REFERENCE = 20_000
"""Additions that take about 0.4 ms where a warm view takes 0.04 ms."""


def _best(call: Callable[[], object], times: int = 30) -> float:
    """Seconds of the fastest of some calls."""
    best = 1.0
    for _ in range(times):
        started = perf_counter()
        call()
        best = min(best, perf_counter() - started)
    return best


def _add() -> int:
    total = 0
    for number in range(REFERENCE):
        total += number
    return total


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_warm_view_costs_less_than_a_few_thousand_additions(ruleset: str, says: Callable[[str], None]) -> None:
    rng = Random(f"speed {ruleset}")
    game = new_game(ruleset, rng)
    for _ in play(game, rng, Mood(eager=0.9, politics=False)):
        if game.state.day == 2 and game.state.posts:
            break
    s = game.state
    slowest = max(_best(lambda seat=seat: view(s, Viewer("player", seat))) for seat in range(1, s.n + 1))  # type: ignore[misc]
    says(f"view {ruleset}: {slowest * 1000:.3f} ms, the slowest seat on day 2")
    assert slowest < 0.75 * _best(_add)
    assert slowest < 0.003
