"""What holds at every moment of every game, and over every whole game (known failures of systems of this kind)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from bansha.referee import events as e
from bansha.referee.game import Game
from bansha.referee.state import DAWN, DAY, DUSK, OVER, State
from tests.support.random_games import RULESETS, Mood, mood, new_game, play, random_options

pytestmark = pytest.mark.slow


def _mask(seats: list[int]) -> int:
    return sum(1 << seat for seat in seats)


def _broken(s: State) -> Iterator[str]:
    """What does not hold."""
    out = s.seats_mask & ~s.alive
    by_day = s.phase == DAY
    if len(set(s.out_order)) != len(s.out_order) or _mask(s.out_order) != out:
        yield f"out happens once per character: {s.out_order}, {s.seats(s.alive)} live"
    if s.alive & ~s.public_alive:
        yield "somebody lives who is publicly out"
    if by_day and s.public_alive != s.alive:
        yield "somebody is out by day and the public does not know"
    if s.told_out & s.alive or (by_day and s.told_out != out):
        yield "told of being out: not all who are, or one who is not"
    if by_day and s.sheriff != s.public_sheriff:
        yield f"the sheriff is {s.sheriff}, the public knows {s.public_sheriff}"
    if s.prompt is not None and s.phase not in (DUSK, DAWN):
        yield f"a prompt is open in {s.phase_name()}"
    if sum(mask.bit_count() for mask in s.faction_mask) != sum(faction >= 0 for faction in s.faction):
        yield "a character is of two factions, or of none it is said to be of"
    if s.phase != OVER and len(s.lost) >= len(s.board.faction_ids) - 1:
        yield "at most one faction is not lost, and the game goes on"
    voted_for = {target for ballot in s.ballots for target in s.vote[ballot][1:] if target > 0}
    if by_day and any(not (s.public_alive | s.red_today) >> target & 1 for target in voted_for):
        yield "a vote stands on somebody out"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_at_every_moment(ruleset: str) -> None:
    for number in range(12):
        rng = Random(f"moments {ruleset} {number}")
        game = new_game(ruleset, rng, random_options(ruleset, rng) if number % 3 else {})
        for _ in play(game, rng, mood(rng)):
            assert not list(_broken(game.state)), f"{ruleset} {number}, {game.state.phase_name()}"


def _finished(ruleset: str, count: int) -> Iterator[tuple[str, Game]]:
    for number in range(count):
        rng = Random(f"whole {ruleset} {number}")
        game = new_game(ruleset, rng, random_options(ruleset, rng) if number % 3 else {})
        for _ in play(game, rng, Mood(eager=0.95, passing=0.05, loyal=0.5, director=0.0)):
            pass
        yield f"{ruleset} {number}", game


@pytest.mark.parametrize("ruleset", RULESETS)
def test_over_a_whole_game(ruleset: str) -> None:
    """A limited skill is used once, a character named once where the skill says so, not twice running where it says so;
    one vote and one change a ballot; one end."""
    for name, game in _finished(ruleset, 20):
        used: Counter[int] = Counter()
        named: Counter[tuple[int, int]] = Counter()
        nights: dict[tuple[int, int, int], set[int]] = {}
        voted: Counter[tuple[int, int, int]] = Counter()
        day = 0
        for entry in game.entries:
            for event in entry[4]:
                match event:
                    case e.DayOpened():
                        day = event.day
                    case e.Used():
                        used[event.skill] += 1
                        for target in event.targets:
                            named[event.skill, target] += 1
                            nights.setdefault((event.skill, event.holder, target), set()).add(day)
                    case e.VoteCast():
                        voted[day, event.ballot, event.seat] += 1
                    case e.VoteVoided():
                        voted[day, event.ballot, event.seat] -= 1
                    case _:
                        pass
        for skill in game.board.skills:
            if skill.limited:
                assert used[skill.index] <= 1, f"{name}: {skill.id}"
            if skill.once_per_target:
                assert all(count == 1 for (index, _), count in named.items() if index == skill.index), f"{name}: {skill.id}"
            if skill.not_consecutive:
                for (index, _, target), when in nights.items():
                    assert index != skill.index or not any(night + 1 in when for night in when), f"{name}: {skill.id} {target}"
        assert max(voted.values(), default=1) <= 1, name
        assert sum(isinstance(event, e.GameEnded) for entry in game.entries for event in entry[4]) == 1, name
        assert isinstance(game.entries[-1][4][-1], e.GameEnded) or game.state.day > 30, f"{name}: something was settled after the end"
