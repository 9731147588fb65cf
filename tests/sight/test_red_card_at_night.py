"""A red card dealt at night to someone already out unseen: the public sees the same as for someone alive."""

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.rulesets.load import load
from bansha.sight.types import PUBLIC
from bansha.sight.view import view

START = 29_641_500


def game_after_night(killed: int) -> Game:
    """m205, night 1 settled at 22:00 with one of the civilians killed, a minute later."""
    loaded = load("m205")
    game = Game(compile_board(loaded), Dice.from_seed(1))
    roles = [role for role, spec in loaded.ruleset.roles.items() for _ in range(spec.count)]
    game.do(c.Record([e.Seeded(1)]), START - 360)
    game.do(c.Open({}, [f"{i}号" for i in range(1, 11)], roles, START, {}), START - 360)
    game.do(c.Act(10, {list(loaded.ruleset.skills).index("kin"): [6]}), START - 60)
    game.advance(START + 720)
    game.do(c.Act(1, {list(loaded.ruleset.skills).index("kill"): [killed]}), START + 725)
    game.advance(START + 781)
    return game


def test_the_public_cannot_tell_whether_the_carded_one_was_killed() -> None:
    views = []
    for killed in (4, 5):
        game = game_after_night(killed)
        game.do(c.Card(4, "red", "作弊"), START + 790, "director 1")
        seen = view(game.state, PUBLIC, START + 790).public
        views.append((seen.alive, seen.out, seen.cards, [(x.kind, x.value) for x in seen.announced]))
    assert views[0] == views[1]
    assert 4 not in views[0][0]
