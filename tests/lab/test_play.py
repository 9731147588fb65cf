"""A game among computer players as a journal: the ceremony, the acts, the end."""

import pytest

from bansha.lab.ceremony import draw_personas, hold
from bansha.lab.figures import Figures, wilson
from bansha.lab.play import LAST_DAY, Play
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.referee.game import snapshot
from bansha.rulesets.load import load
from bansha.sight.types import Viewer
from bansha.sight.view import view


def played(name: str, seed: int) -> Play:
    play = Play(compile_board(load(name)), seed, speaks=False)
    play.run()
    return play


def test_the_ceremony_stands_before_the_deal_and_the_secret_behind_the_end() -> None:
    happened = [event for entry in played("m205", 2).game.entries for event in entry[4]]
    kinds = [type(event) for event in happened]
    assert kinds[0] is e.Committed
    assert kinds[1:21] == [e.ContributionHashed] * 10 + [e.ContributionOpened] * 10
    assert kinds[21:23] == [e.GameOpened, e.Dealt]
    assert kinds[-1] is e.SecretOpened
    assert kinds.count(e.GameEnded) == 1


def test_roles_and_masks_come_from_the_stream() -> None:
    board = compile_board(load("m205"))
    held = hold(board, 2)
    assert sorted(held.roles) == sorted(id for id, role in board.rules.roles.items() for _ in range(role.count))
    assert sorted(held.masks) == list(range(1, 11))
    assert hold(board, 3).roles != held.roles


def test_personas_of_a_game_are_distinct_however_many() -> None:
    assert len(set(draw_personas(1, 60))) == 60


@pytest.mark.parametrize("name", ("m205", "m46", "baichibai"))
def test_refolding_the_entries_gives_the_state(name: str) -> None:
    game = played(name, 9).game
    assert snapshot(game.refold()) == snapshot(game.state)


def test_everybody_posts_enough_every_day() -> None:
    play = Play(compile_board(load("m205")), 4, speaks=False)
    play.open()
    while not play.game.over:
        if play.game.state.phase == 1:
            day = play.game.state.day
            play.step()
            said = [entry[3].seat for entry in play.game.entries if isinstance(entry[3], c.Post) and entry[3].thread == "discussion"]
            before = [talk.seat for talk in play.talk if talk.room == "discussion" and talk.day == day]
            assert len(said) >= len(before)
            assert all(before.count(seat) >= 5 for seat in set(before))
        else:
            play.step()


def test_a_game_without_end_is_ended_by_the_director() -> None:
    play = Play(compile_board(load("vanilla")), 1, speaks=False)
    play.open()
    while play.game.state.phase != 1:
        play.step()
    play.game.state.day = LAST_DAY + 1
    play.step()
    assert play.game.over
    assert play.game.state.winner == -1


def test_players_see_nothing_but_their_view() -> None:
    """Each decision is handed a view of the player's own seat, without the directors' part."""
    play = Play(compile_board(load("m205")), 1, speaks=False)
    play.open()
    seen = view(play.game.state, Viewer("player", 2))
    assert seen.director is None
    assert seen.me is not None
    assert seen.me.seat == 2


def test_figures_add_up() -> None:
    one, two = Figures(games=1, days=3), Figures(games=2, days=4)
    one.wins["wolves"] = 1
    both = one + two
    assert (both.games, both.days, both.wins["wolves"]) == (3, 7, 1)


@pytest.mark.parametrize(("hits", "of", "low", "high"), ((0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (100, 300, 0.2823, 0.3885)))
def test_wilson_intervals(hits: int, of: int, low: float, high: float) -> None:
    assert wilson(hits, of) == pytest.approx((low, high), abs=2e-3)


def test_nothing_counted_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
