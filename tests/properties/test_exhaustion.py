"""Everything that can happen to a skill happens: random legal games until, for every skill of every ruleset, it has been
used, passed, refused, let run out, lapsed, and where it applies frozen, lost, gained, inherited; and nothing else has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.exhaustion import empty, impossible, search, table
from tests.support.random_games import RULESETS


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_legal_cell_is_empty(ruleset: str, says: Callable[[str], None]) -> None:
    tally = search(ruleset)
    says(f"exhaustion {ruleset}: {tally.games} games")
    for line in table(tally):
        says(line)
    assert not impossible(tally), "what is said to be illegal has happened"
    assert not empty(tally), "a legal cell that never happened"


def test_too_few_games_leave_cells_empty() -> None:
    """The failing twin."""
    assert empty(search("baichibai", games=1))
