"""A game in memory: what is due happens first, every entry is kept, and what is kept folds to the same state."""

from __future__ import annotations

import pytest

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.game import Game, all_events, snapshot
from bansha.referee.judge import due
from bansha.referee.refusals import Refused
from bansha.referee.state import DAY, FIELDS, NIGHT, SETUP
from tests.support.random_games import whole
from tests.support.stage import BAICHIBAI, M205, Stage


def opened() -> Stage:
    return Stage("m205", M205)


def test_what_is_due_at_the_very_minute_happens_before_a_command() -> None:
    stage = opened()
    setup_ends = due(stage.s)
    with pytest.raises(Refused):
        stage.game.do(c.Vote(1, 1, 2), setup_ends - 1)
    assert stage.s.phase == SETUP
    stage.game.do(c.Vote(1, 1, 2), setup_ends, "seat 1", "k")
    assert stage.s.phase == DAY
    ticked, voted = stage.game.entries[-2:]
    assert ticked[:4] == (setup_ends, "clock", "", c.Tick())
    assert voted == (setup_ends, "seat 1", "k", c.Vote(1, 1, 2), [e.VoteCast(1, 1, 2, 0, 0)])


def test_a_command_gives_back_its_events_and_a_refused_one_leaves_no_entry() -> None:
    stage = opened()
    stage.game.advance(due(stage.s))
    entries = len(stage.game.entries)
    assert stage.game.do(c.Vote(1, 1, 2), stage.s.now) == [e.VoteCast(1, 1, 2, 0, 0)]
    with pytest.raises(Refused, match="voted"):
        stage.game.do(c.Vote(1, 1, 3), stage.s.now)
    assert len(stage.game.entries) == entries + 1


def test_time_advances_up_to_and_including_a_minute() -> None:
    stage = opened()
    game = stage.game
    assert game.advance(due(game.state) - 1) == []
    opening = due(game.state)
    happened = game.advance(opening)
    assert isinstance(happened[-2], e.DayOpened) and happened == game.entries[-1][4]
    before = len(game.entries)
    several = game.advance(opening + 720 + 30)
    assert game.state.phase == NIGHT and len(game.entries) == before + 2  # the close, and three stages at one minute
    assert several == all_events(game.entries[before:])


def test_a_step_is_the_next_due_thing() -> None:
    stage = opened()
    at = due(stage.s)
    events = stage.game.step()
    assert stage.game.entries[-1] == (at, "clock", "", c.Tick(), events)


@pytest.mark.parametrize("ruleset", ["m205", "m46", "baichibai", "vanilla"])
def test_the_entries_fold_to_the_same_state(ruleset: str) -> None:
    game = whole(ruleset, 5)
    assert game.over
    fresh = game.refold()
    assert fresh is not game.state
    assert snapshot(fresh) == snapshot(game.state)
    assert not Game(game.board, game.dice).over


def test_a_snapshot_shows_every_field_but_what_folding_alone_needs() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.act(13, possess=7)
    shown = snapshot(stage.s)
    assert set(FIELDS) - set(shown) == {"board", "entry_fresh", "entry_barred"}
    assert shown["pending"] == {(13, stage.board.skill_index["possess"]): [[7], 13]}
    assert shown["hands"][8][stage.board.skill_index["counter"]] == {
        "last": 0, "last_night": -9, "night": -1, "passed": False, "spent": False, "stage": -1, "used": 0,
    }  # fmt: skip
    assert (shown["last_given"], shown["prompt"], shown["n"]) == ([], None, 13)
    stage.game.advance(due(stage.s))
    assert snapshot(stage.s)["announced"] == [[stage.s.now, ["announced", "出局", []]]]
    stage.s.passed_kinds |= {"b", "a"}
    assert snapshot(stage.s)["passed_kinds"] == ["a", "b"]


def test_all_events_of_a_journal_in_order() -> None:
    first, second = e.HoldSet(True), e.HoldSet(False)
    tick = c.Tick()
    assert all_events([(1, "clock", "", tick, [first]), (2, "clock", "", tick, [second, first])]) == [first, second, first]
