"""Demonstration games and their journals for the tests of the command line, made once."""

from functools import lru_cache

from bansha.lab.play import Play
from bansha.referee import archive
from bansha.referee.board import compile_board
from bansha.rulesets.load import load


@lru_cache(maxsize=8)
def game(name: str = "m205", seed: int = 16) -> Play:
    """A game played to its end, with words."""
    play = Play(compile_board(load(name)), seed)
    play.run()
    return play


@lru_cache(maxsize=8)
def journal(name: str = "m205", seed: int = 16) -> bytes:
    """Its journal."""
    play = game(name, seed)
    return archive.write(play.game.entries, play.texts)
