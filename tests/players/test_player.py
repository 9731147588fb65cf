"""A computer player: from its view alone, and always the same."""

import ast
from pathlib import Path
from typing import Any

import msgspec
import pytest

import bansha.players
from bansha.lab.play import Play
from bansha.players import Player
from bansha.players.intents import Intent
from bansha.referee.board import compile_board
from bansha.rulesets.load import load
from bansha.sight.types import View, Viewer
from bansha.sight.view import view

BOARDS = ("m205", "m46", "baichibai", "vanilla", "m205-2026-summer", "standard12")


def board(name: str) -> Any:
    return compile_board(load(name))


def lines(play: Play) -> list[Any]:
    return [(at, by, msgspec.to_builtins(command), msgspec.to_builtins(events)) for at, by, _, command, events in play.game.entries]


def played(name: str, seed: int, speaks: bool = False) -> Play:
    play = Play(board(name), seed, speaks)
    play.run()
    return play


@pytest.mark.parametrize("name", BOARDS)
def test_the_same_seed_plays_the_same_game(name: str) -> None:
    assert lines(played(name, 5)) == lines(played(name, 5))


def test_another_seed_plays_another_game() -> None:
    assert lines(played("m205", 5)) != lines(played("m205", 6))


@pytest.mark.parametrize("name", ("m205", "m46", "baichibai"))
def test_a_game_is_the_same_whether_anybody_reads_it(name: str) -> None:
    spoken, silent = played(name, 3, speaks=True), played(name, 3)
    assert [talk.acts for talk in spoken.talk] == [talk.acts for talk in silent.talk]
    assert [entry[4] for entry in spoken.game.entries if entry[1] == "clock"] == [
        entry[4] for entry in silent.game.entries if entry[1] == "clock"
    ]


@pytest.mark.parametrize("name", BOARDS)
def test_nothing_that_players_hand_in_is_refused(name: str) -> None:
    for seed in range(6):
        play = played(name, seed)
        assert [(seat, want, refusal.code) for seat, want, refusal in play.refusals] == []
        assert play.game.over


@pytest.mark.parametrize(
    ("name", "option", "value"),
    (
        ("m205", "close_early", "yes"),
        ("m205", "first_night_shield", "automatic"),
        ("m205", "hybrid_told", "nothing"),
        ("m46", "grudge_wrap", "no"),
        ("m46", "charm_check", "settlement"),
        ("baichibai", "close_early", "yes"),
        ("baichibai", "freeze_scope", "all"),
        ("vanilla", "first", "day"),
    ),
)
def test_players_play_with_every_option(name: str, option: str, value: str) -> None:
    for seed in range(2):
        play = Play(compile_board(load(name), {option: value}), seed, speaks=False)
        play.run()
        assert play.game.over
        assert [refusal.code for _, _, refusal in play.refusals] == []


class Copying(Play):
    """Hands each player a view that was taken apart into plain values and put together again."""

    def ask(self, seat: int, now: int) -> None:
        player = self.players[seat]
        decide = player.decide

        def copied(seen: View, talk: Any) -> list[Intent]:
            return decide(msgspec.convert(msgspec.to_builtins(seen), View), talk)

        player.decide = copied  # type: ignore[method-assign]
        try:
            super().ask(seat, now)
        finally:
            player.decide = decide  # type: ignore[method-assign]


def test_a_view_of_plain_values_is_all_a_player_needs() -> None:
    copying = Copying(board("m205"), 4, speaks=False)
    copying.run()
    assert lines(copying) == lines(played("m205", 4))


def test_a_player_refuses_the_view_of_another_seat() -> None:
    play = Play(board("m205"), 1, speaks=False)
    play.open()
    with pytest.raises(ValueError, match="a view of seat 3 is needed"):
        Player(3, 1, load("m205").ruleset).decide(view(play.game.state, Viewer("player", 4)), [])


def test_the_room_imports_sight_types_and_rulesets_alone() -> None:
    allowed = ("bansha.players", "bansha.sight.types", "bansha.rulesets")
    for file in Path(bansha.players.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert not name.startswith("bansha") or name.startswith(allowed), f"{file.name} imports {name}"
