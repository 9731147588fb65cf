"""Replays: at every moment the view of that moment, the same moments for everybody, steps told from what was witnessed alone."""

from __future__ import annotations

import pytest

from bansha.referee import events as e
from bansha.referee.evolve import evolve_all
from bansha.referee.game import Game
from bansha.referee.state import State
from bansha.rulesets.sheet import clause_ids
from bansha.sight.replay import QUIET, Moment, moments
from bansha.sight.story import _TELL, KINDS
from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from bansha.sight.view import view
from tests.support.long_game import LongGame
from tests.support.random_games import RULESETS, Mood, whole

SILENT = {
    e.Seeded, e.Committed, e.ContributionHashed, e.ContributionOpened, e.GameOpened, e.Drawn, e.PostMade, e.Used, e.Awaited, e.StageTimed,
    e.Postponed, e.RedsSettled, e.Consequence, e.TwilightEnded, e.ExileSettled, e.QuietDays, e.HoldSet, e.OutageRecorded,
}  # fmt: skip
"""What no step says: draws and counters, what only schedules, and what is told by the act beside it."""


def eyes(game: Game) -> list[Viewer]:
    """Everything, the public, and every seat."""
    return [DIRECTOR, PUBLIC, *(Viewer("player", seat) for seat in range(1, game.state.n + 1))]


def told(game: Game, viewer: Viewer) -> list[Moment]:
    """The replay of a game for a viewer."""
    return list(moments(game.entries, game.board, viewer))


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_moment_is_the_view_of_that_moment(ruleset: str, seed: int) -> None:
    game = whole(ruleset, seed, mind=Mood(director=0.1, chatter=0.2))
    clauses = clause_ids(game.board.rules)
    seen = {viewer: told(game, viewer) for viewer in (DIRECTOR, PUBLIC, Viewer("player", seed), Viewer("player", game.state.n))}
    state = State(game.board)
    places = {moment.n: place for place, moment in enumerate(seen[DIRECTOR])}
    for n, (at, _by, _key, _command, events) in enumerate(game.entries, 1):
        evolve_all(state, at, events)
        loud = state.n > 0 and any(not isinstance(event, QUIET) for event in events)
        assert loud == (n in places)
        for viewer, found in seen.items() if loud else ():
            moment = found[places[n]]
            assert (moment.n, moment.at) == (n, at)
            assert moment.view == view(state, viewer)
    for found in seen.values():
        for moment in found:
            for line in [*moment.step.lines, *moment.step.why] if moment.step is not None else ():
                assert line.text.zh and line.text.en
                assert set(line.clauses) <= set(clauses)
            assert moment.step is None or (moment.step.kind in KINDS and moment.step.title.zh and moment.step.title.en)


def test_every_event_is_told_or_named_silent() -> None:
    assert set(_TELL) | SILENT == set(e.ALL)
    assert not set(_TELL) & SILENT


def test_a_seat_is_told_what_it_witnessed_and_nothing_of_the_others() -> None:
    game = LongGame().play().game
    everything, public, seer, wolf = (told(game, viewer) for viewer in (DIRECTOR, PUBLIC, Viewer("player", 7), Viewer("player", 1)))

    def lines(found: list[Moment], kinds: tuple[str, ...]) -> list[str]:
        return [line.text.zh for m in found if m.step is not None and m.step.kind in kinds for line in [*m.step.lines, *m.step.why]]

    running = [[moment for moment in found if moment.view.public.phase != "over"] for found in (everything, public, seer, wolf)]
    assert lines(running[1], ("handed", "told", "stage", "settled", "answer", "prompt")) == []
    assert {line.split("，")[1][:2] for line in lines(running[2], ("handed",)) if "交【" in line} == {"7号"}
    assert all("狼人阵营" in line for line in lines(running[3], ("handed",)) if "交【" in line)
    for found in (running[1], running[2]):
        for moment in found:
            text = "".join(line.text.zh for line in [*moment.step.lines, *moment.step.why]) if moment.step is not None else ""
            assert "（狼人）" not in text and "（吹笛者）" not in text and "判负" not in text
    assert any("（狼人）" in line for line in lines(running[0], KINDS))
    votes = [[m.step.title.zh for m in found if m.step is not None and m.step.kind in ("vote", "change")] for found in running]
    assert len(votes[0]) > 150 and votes[0] == votes[1] == votes[2] == votes[3]


def test_what_became_of_it_is_explained() -> None:
    found = told(LongGame().play().game, DIRECTOR)
    steps = [moment.step for moment in found if moment.step is not None]
    exile = next(step for step in steps if any("12号（村民）出局" in line.text.zh for line in step.lines))
    assert exile.kind == "counted" and any("关门计票" in line.text.zh and "C16" in line.clauses for line in exile.why)
    stage = next(step for step in steps if step.kind == "stage")
    assert stage.title.zh.startswith("守护之盾") and stage.stage >= 0 and any("属" in line.text.zh for line in stage.why)
    assert [arrow.by for arrow in stage.arrows][:2] == [9, 9]
    assert "victory" in str(steps[-1].why) or "C15" in str(steps[-1].why)
    cards = [step.lines[0] for step in steps if step.kind == "card"]
    assert [line.clauses[0] for line in cards] == ["conduct.2.4", "conduct.5.1", "conduct.5.1"]


def test_nobody_sits_there() -> None:
    game = whole("m205", 1)
    with pytest.raises(ValueError, match="no seat 11; seats are 1 to 10"):
        told(game, Viewer("player", 11))
    assert len({tuple(moment.n for moment in told(game, viewer)) for viewer in eyes(game)}) == 1
