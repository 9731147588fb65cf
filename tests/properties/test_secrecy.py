"""Secrecy: edit what a viewer was not told, and everything that viewer can fetch is byte for byte the same (rules.md §7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bansha.referee.state import State
from bansha.sight import view as sight
from bansha.sight.types import PublicView
from tests.support.random_games import RULESETS
from tests.support.secrecy import run
from tests.support.twins import EDITS

ENOUGH = 360


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_a_viewer_was_not_told_changes_nothing_it_can_fetch(ruleset: str, says: Callable[[str], None]) -> None:
    found = run(ruleset, ENOUGH)
    says(f"secrecy {ruleset}: {found.checked} checked")
    assert not found.leaks
    assert found.checked >= 300
    assert {edit.__name__.lstrip("_") for edit in EDITS} <= set(found.edits), "an edit that never happened proves nothing"


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The failing twin: the truth about who lives, shown to the public (`make leaks` plants eleven more)."""
    public = sight._public

    def leaking(s: State, now: int) -> PublicView:
        result = public(s, now)
        result.alive = s.seats(s.alive)
        return result

    monkeypatch.setattr(sight, "_public", leaking)
    assert run("m205", ENOUGH).leaks


def test_a_run_is_the_same_every_time() -> None:
    assert run("vanilla", 20) == run("vanilla", 20)
