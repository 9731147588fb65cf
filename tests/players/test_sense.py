"""Computer players play with sense. `bansha demo m205 --games 300 --summary` shows the figures; here is the short form."""

import pytest

from bansha.lab.figures import Figures, play_many, unused
from bansha.referee.board import compile_board
from bansha.rulesets.load import load

GAMES = 60


@pytest.fixture(scope="module")
def m205() -> Figures:
    return play_many("m205", {}, range(1, GAMES + 1))


def test_no_faction_of_m205_is_without_a_chance(m205: Figures) -> None:
    assert min(m205.wins["wolves"], m205.wins["villagers"]) >= 0.18 * GAMES
    assert m205.wins["wolves"] + m205.wins["villagers"] == GAMES


def test_wolves_do_not_vote_for_wolves_without_saying_why(m205: Figures) -> None:
    assert m205.pack_votes > 5 * GAMES
    assert m205.pack_on_pack_bare <= 0.05 * m205.pack_votes
    assert m205.pack_on_pack > 0, "a doomed partner is sold now and then"


def test_an_announced_black_check_comes_out_on_top(m205: Figures) -> None:
    assert m205.blacks > GAMES / 3
    assert m205.blacks_on_top >= 0.55 * m205.blacks


def test_every_skill_of_m205_is_used(m205: Figures) -> None:
    assert unused(compile_board(load("m205")), m205) == []


def test_nobody_is_refused_or_proposed_for_a_card(m205: Figures) -> None:
    assert (m205.refused, m205.proposed) == ({}, {})


@pytest.mark.parametrize("name", ("m46", "baichibai", "standard12"))
def test_every_skill_is_used_and_every_game_ends(name: str) -> None:
    figures = play_many(name, {}, range(1, 31))
    assert figures.wins["abort"] == 0
    assert figures.days <= 30 * 12
    assert [skill for skill in unused(compile_board(load(name)), figures) if skill not in RARE] == []
    assert (figures.refused, figures.proposed) == ({}, {})


RARE = {"cult_shoot", "dance"}  # seen in 300 games, hardly ever in 30


def test_every_faction_wins_some_of_the_games_it_can_win() -> None:
    figures = play_many("baichibai", {}, range(1, 51))
    assert {faction for faction, wins in figures.wins.items() if wins} >= {"whisper", "clocktower", "zoo", "folk"}


@pytest.mark.parametrize("options", ({"first": "day"}, {"tie": "random"}))
def test_vanilla_is_played_with_its_options(options: dict[str, str]) -> None:
    figures = play_many("vanilla", options, range(1, 11))
    assert figures.wins["wolves"] + figures.wins["villagers"] == 10
