"""How many ways one night can end: all choices of a few holders on four targets, from a stated position.

Each count is pinned, and cross-checked: a function of a dozen lines, written from rules.md and not from the referee, says
for every combination of choices what must come out. Counts alone would not tell a rule that moved from one that broke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

import pytest

from bansha.referee import commands as c
from bansha.referee.board import compile_board
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.judge import due
from bansha.referee.state import DAY, NIGHT, OVER
from bansha.rulesets.load import load
from tests.support.random_games import MONDAY

Choice = dict[str, int]  # skill → target; {} is a pass
Outcome = tuple[object, ...]


def night(ruleset: str, setup: Mapping[int, Mapping[str, list[int]]]) -> Game:
    """The first night of a game with the roles in the ruleset's order; by day nobody has done anything."""
    board = compile_board(load(ruleset))
    rules = board.rules
    roles = [name for name, role in rules.roles.items() for _ in range(role.count)]
    game = Game(board, Dice.from_seed(0))
    start = MONDAY + (720 if board.starts_at_night else 0)
    names = [f"{seat}号" for seat in range(1, len(roles) + 1)]
    game.do(c.Open({}, names, roles, start, {}), start - rules.calendar.setup_minutes)
    for seat, choices in setup.items():
        game.do(c.Act(seat, {board.skill_index[name]: targets for name, targets in choices.items()}), game.state.now)
    while game.state.phase != NIGHT:
        game.step()
    return game


def outcomes(game: Game, holders: Mapping[int, list[Choice]], see: Callable[[Game], Outcome]) -> dict[tuple[Choice, ...], Outcome]:
    """What is seen after the settlement, for every combination of one choice a holder (seats in order)."""
    found = {}
    start, entries = game.state, len(game.entries)
    index = game.board.skill_index
    for choices in product(*holders.values()):
        game.state = start.copy()
        for seat, choice in zip(holders, choices, strict=True):
            if choice:
                game.do(c.Act(seat, {index[name]: [target] for name, target in choice.items()}), game.state.now)
        while not game.state.settled and game.state.phase not in (DAY, OVER):
            assert due(game.state) >= game.state.now
            game.step()
        found[tuple(tuple(choice.items()) for choice in choices)] = see(game)
        del game.entries[entries:]
    game.state = start
    return found


def on(skill: str, targets: Iterable[int]) -> list[Choice]:
    return [{skill: target} for target in targets]


def hand(game: Game, seat: int) -> frozenset[str]:
    """Skills that are held and not spent."""
    return frozenset(game.board.skill_ids[k] for k, held in game.state.hands[seat].items() if not held.spent)


def told(game: Game, seat: int) -> tuple[object, ...]:
    return tuple(str(entry[1].value) for entry in game.state.told[seat])


def check(found: Mapping[tuple[Choice, ...], Outcome], by_hand: Callable[..., Outcome], ways: int, ends: int) -> None:
    """Every combination comes out as computed by hand; the numbers of both are as pinned."""
    for choices, outcome in found.items():
        assert outcome == by_hand(*(dict(choice) for choice in choices)), choices
    assert (len(found), len(set(found.values()))) == (ways, ends)


def test_m205() -> None:
    """Guard, wolves, witch and seer on 4 (civilian), 7 (seer), 8 (witch), 9 (guard).

    5 · 5 · 8 · 5 = 1000 ways: the witch cannot poison herself, so she has a pass, 4 antidotes and 3 poisons. Ends: the
    seer's answer is 村民阵营 or nothing: 2. The rest hangs on the witch. A pass: she saw nobody, or one of four, who dies or
    was shielded: 1 + 4 · 2 = 9. An antidote: the same 9, whoever it was for. A poison on one of three: 9 each, for the one
    both killed and poisoned dies of the kill, or shielded of the poison. (1 + 1 + 3) · 9 · 2 = 90.
    """
    game = night("m205", {10: {"kin": [4]}})
    targets = (4, 7, 8, 9)

    def see(game: Game) -> Outcome:
        s = game.state
        return tuple(s.out_order), tuple(s.cause.items()), hand(game, 8), told(game, 7), told(game, 8)

    def by_hand(guard: Choice, wolves: Choice, witch: Choice, seer: Choice) -> Outcome:
        killed, poisoned = wolves.get("kill", 0), witch.get("poison", 0)
        dead = []
        if killed and killed not in (guard.get("shield"), witch.get("antidote")):
            dead.append((killed, "kill"))
        if poisoned and (poisoned, "kill") not in dead:
            dead.append((poisoned, "poison"))
        left = {"vision", "antidote", "poison"}
        left -= {"antidote", "vision"} if "antidote" in witch else set()
        left -= {"poison"} if "poison" in witch else set()
        seen = (str([killed] if killed else []),)
        return tuple(x for x, _ in dead), tuple(dead), frozenset(left), ("villagers",) if seer else (), seen

    holders = {
        9: [{}, *on("shield", targets)],
        1: [{}, *on("kill", targets)],
        8: [{}, *on("antidote", targets), *on("poison", (4, 7, 9))],
        7: [{}, *on("check", targets)],
    }
    check(outcomes(game, holders, see), by_hand, 1000, 90)


def test_m46() -> None:
    """Guard with both shields, piper, wolves and witch on 8 (witch), 9 (guard), 10 (hunter), 11 (villager), in night 0.

    9 · 5 · 5 · 9 = 2025 ways (one shield a night here; the witch may poison herself). What wolves and witch make of it, with
    a shield anywhere or nowhere: no potion, nobody seen or one of four, who dies or not: 9; an antidote: 9; a poison on one
    of four: 9 each (the one both killed and poisoned dies of the kill, or shielded of the poison): 54. No charm, or one of
    four charmed: 5 times that. A blocked charm needs the mute shield, so nothing is shielded: 5, 9 and 4 · 5. Together
    5 · 54 + 34 = 304.
    """
    game = night("m46", {6: {"revenge": [1]}})
    targets = (8, 9, 10, 11)

    def see(game: Game) -> Outcome:
        s = game.state
        prompt = s.prompt.seat if s.prompt is not None else 0
        told_both = told(game, 5), told(game, 8)
        return tuple(s.cause.items()), s.charmed, hand(game, 8), *told_both, prompt

    def by_hand(guard: Choice, piper: Choice, wolves: Choice, witch: Choice) -> Outcome:
        killed, poisoned, charmed = wolves.get("kill", 0), witch.get("poison", 0), piper.get("charm", 0)
        dead = []
        if killed and killed not in (guard.get("shield"), witch.get("antidote")):
            dead.append((killed, "kill"))
        if poisoned and (poisoned, "kill") not in dead:
            dead.append((poisoned, "poison"))
        held = charmed and guard.get("mute_shield") != charmed
        left = {"vision", "antidote", "poison"}
        left -= {"antidote", "vision"} if "antidote" in witch else set()
        left -= {"poison"} if "poison" in witch else set()
        answer = (str(bool(held)),) if charmed else ()
        shoots = 10 if 10 in (x for x, _ in dead) else 0
        return tuple(dead), 1 << charmed if held else 0, frozenset(left), answer, (str([killed] if killed else []),), shoots

    holders = {
        9: [{}, *on("shield", targets), *on("mute_shield", targets)],
        5: [{}, *on("charm", targets)],
        1: [{}, *on("kill", targets)],
        8: [{}, *on("antidote", targets), *on("poison", targets)],
    }
    check(outcomes(game, holders, see), by_hand, 2025, 304)


def test_baichibai() -> None:
    """Hecate, swordsman, hunter and witch on 2 (prophet), 4 (witch), 8 (swordsman), 10 (saint), in night 1.

    5 · 4 · 5 · 9 = 900 ways: the swordsman's counter names another, the witch may give herself the antidote in night 1. The
    97 ends are those that the function below tells apart: strikes that are moved, absorbed and voided meet too often for a
    sum that a reader could follow.
    """
    game = night("baichibai", {13: {"possess": [7]}, 12: {"heretics": [1, 3, 6, 7, 9, 11]}})
    targets = (2, 4, 8, 10)

    def see(game: Game) -> Outcome:
        return tuple(game.state.cause.items()), hand(game, 5), hand(game, 8), hand(game, 4), told(game, 4)

    def by_hand(hecate: Choice, swordsman: Choice, hunter: Choice, witch: Choice) -> Outcome:
        safe = {10, witch.get("antidote", 0)}
        torch, counter = hecate.get("torch", 0), swordsman.get("counter", 0)
        fifth, eighth = {"torch"}, {"counter", "slash"}
        struck: dict[int, str] = {}
        for cause, target in (("shoot", hunter.get("shoot", 0)), ("poison", witch.get("poison", 0))):
            if not target or target in safe:
                continue
            if target == 8 and counter and "counter" in eighth:
                eighth.discard("counter")
                target = counter
                if target in safe:
                    continue
            if target == torch and "torch" in fifth:
                fifth = {"dance"}
            else:
                struck.setdefault(target, cause)
        left = {"vision", "antidote", "poison"}
        left -= {"antidote", "vision"} if "antidote" in witch else set()
        left -= {"poison"} if "poison" in witch else set()
        seen = (str([hunter["shoot"]] if hunter else []),)
        return tuple(sorted(struck.items())), frozenset(fifth), frozenset(eighth), frozenset(left), seen

    holders = {
        5: [{}, *on("torch", targets)],
        8: [{}, *on("counter", (2, 4, 10))],
        1: [{}, *on("shoot", targets)],
        4: [{}, *on("antidote", targets), *on("poison", targets)],
    }
    check(outcomes(game, holders, see), by_hand, 900, 97)


def test_vanilla() -> None:
    """The pack on four targets, one of its own among them, and a pass: five ways, five ends."""
    game = night("vanilla", {})

    def by_hand(wolves: Choice) -> Outcome:
        return tuple((target, "kill") for target in wolves.values())

    holders = {1: [{}, *on("kill", (1, 3, 4, 5))]}
    check(outcomes(game, holders, lambda game: tuple(game.state.cause.items())), by_hand, 5, 5)


@pytest.mark.parametrize("ruleset", ["m205", "m46", "baichibai", "vanilla"])
def test_the_position_is_left_as_it_was(ruleset: str) -> None:
    game = night(ruleset, {})
    before = game.state.now, game.state.alive, len(game.entries)
    outcomes(game, {1: [{}]}, lambda game: (game.state.now,))
    assert (game.state.now, game.state.alive, len(game.entries)) == before
