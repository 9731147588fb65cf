"""Whole games with uniformly random legal choices, through the referee's public doors: every ballot cast, every event made."""

from __future__ import annotations

from collections.abc import Callable

from bansha.referee.board import Board
from bansha.referee.commands import Act, Open, Vote
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.holdings import choices, open_prompt, prompt_targets
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, OVER, SETUP, seats_of

Rand = Callable[[], float]


def _hand_in(game: Game, rand: Rand) -> None:
    """Every living holder answers everything it may tonight (or in setup) with a uniformly random legal choice or a pass."""
    state = game.state
    skills = game.board.skills
    for seat, offers in choices(state):
        chosen: dict[int, list[int] | bool | None] = {}
        for index, mask, least, most, may_pass in offers:
            if any(other in chosen and chosen[other] is not None for other in skills[index].excludes):
                continue
            if most == 0:
                chosen[index] = True if not may_pass or rand() < 0.5 else None
                continue
            legal = seats_of(mask)
            if len(legal) < least:
                continue
            pick = int(rand() * (len(legal) + may_pass))
            if pick == len(legal):
                chosen[index] = None
            elif most == 1:
                chosen[index] = [legal[pick]]
            elif skills[index].adjacent:
                chosen[index] = [(legal[pick] - 1 + i) % state.n + 1 for i in range(most)]
            else:
                left = list(legal)
                targets = []
                for _ in range(least):
                    targets.append(left.pop(int(rand() * len(left))))
                chosen[index] = targets
        if chosen:
            game.do(Act(seat, chosen), state.now, f"seat {seat}")


def _vote(game: Game, rand: Rand) -> None:
    state = game.state
    now = state.now
    alive = seats_of(state.public_alive)
    count = len(alive) + 1
    for ballot in state.ballots:
        for seat in alive:
            if state.no_vote >> seat & 1:
                continue
            pick = int(rand() * count)
            game.do(Vote(seat, ballot, alive[pick] if pick < count - 1 else 0), now, "")


def play(board: Board, roles: list[str], rand: Rand, seed: int, talk: Callable[[Game], bool] | None = None) -> Game:
    """One whole game; returns it with its journal in memory. `talk` is called each day before the votes; True ends it there."""
    game = Game(board, Dice.from_seed(seed))
    state = game.state
    game.do(Open({}, PERSONAS[: len(roles)], roles, START, {}), START - board.rules.calendar.setup_minutes, "town")
    handed = -1
    while state.phase != OVER:
        phase = state.phase
        if phase == SETUP:
            _hand_in(game, rand)
        elif phase == DAY:
            if talk is not None and talk(game):
                return game
            _vote(game, rand)
        elif state.prompt is not None and phase in (DUSK, DAWN):
            _answer(game, rand)
            continue
        elif phase == NIGHT and handed != state.day and not state.settled:
            handed = state.day
            _hand_in(game, rand)
        game.step()
    return game


def _answer(game: Game, rand: Rand) -> None:
    state = game.state
    assert state.prompt is not None
    seat = state.prompt.seat
    index = open_prompt(state, seat)
    mask, may_pass = prompt_targets(state, seat, index)
    legal = seats_of(mask)
    pick = int(rand() * (len(legal) + may_pass))
    target: list[int] | bool | None = [legal[pick]] if pick < len(legal) else None
    if not mask:
        target = True if rand() < 0.5 else None
    game.do(Act(seat, {index: target}), state.now, "")


START = 29_641_500  # a Monday, 9:00, in minutes since 1970-01-01
PERSONAS = [f"{i}号" for i in range(1, 31)]
