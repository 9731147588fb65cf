"""Judging a journal again: every command through the referee, and every event that follows compared with what stands there.

With the opened secret or the seed the dice are the game's own; before that the recorded draws are taken as they stand. In
both cases the referee says anew what could be drawn, so that the options of each draw are proved to be the legal ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.archive import Line, command_of
from bansha.referee.board import Board
from bansha.referee.judge import NEVER, decide, due, tick
from bansha.referee.ledger import Damaged
from bansha.referee.refusals import Refused
from bansha.referee.state import State
from bansha.referee.turn import Dice


class Recorded:
    """Dice that give what a line's draws gave, whatever they are asked to draw from."""

    def __init__(self) -> None:
        self.draws: list[e.Drawn] = []

    def draw(self, label: str, counter: int, n: int, k: int = 1) -> tuple[int, ...]:
        """The places of what was recorded; too few records, or other options, show in the comparison."""
        drawn = next((d for d in self.draws if d.counter == counter), None)
        options = list(drawn.options) if drawn is not None else []
        places: list[int] = []
        for choice in drawn.chosen if drawn is not None else ():
            if choice in options:
                place = options.index(choice)
                options[place] = None
                places.append(place)
        rest = [i for i in range(n) if i not in places]
        return tuple([*[i for i in places if i < n], *rest][:k])


def rejudge(board: Board, lines: Sequence[Line], dice: Dice | None) -> str:
    """One line that says what came out the same.

    Raises:
        Damaged: the first line that does not: what stands there and what the referee says.
    """
    state = State(board)
    recorded = Recorded()
    draws = 0
    for line in lines:
        recorded.draws = [event for event in line.events if isinstance(event, e.Drawn)]
        draws += len(recorded.draws)
        command = command_of(line)
        happened = _again(state, line, command, dice if dice is not None else recorded)
        _compare(line, happened)
    chance = f"{draws} draws with legal options" + ("" if dice is not None else ", their chance not checked yet (the secret is not opened)")
    return f"{len(lines)} commands judged again, {sum(len(line.events) for line in lines)} events the same, {chance}"


def _again(state: State, line: Line, command: c.Command, dice: Dice) -> list[e.Event]:
    """What the referee says to a line's command at a line's minute."""
    try:
        if isinstance(command, c.Tick):
            at = due(state)
            if at != line.at:
                right = f"minute {at}" if at < NEVER else "no line of the clock: nothing is due"
                raise Damaged(line.n, f"the clock at minute {line.at}", right)
            return tick(state, dice)[1]
        if state.n and due(state) <= line.at:
            raise Damaged(line.n, f"a command at minute {line.at}", f"the clock first: something is due at minute {due(state)}")
        if line.at < state.now:
            raise Damaged(line.n, f"minute {line.at}", f"a minute not before {state.now}")
        return decide(state, command, line.at, dice)
    except Refused as refusal:
        raise Damaged(line.n, f"a command that the referee refuses ({refusal})", "no such line") from None
    except (RuntimeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, Damaged):
            raise
        raise Damaged(line.n, f"a command that cannot be judged ({type(error).__name__}: {error})", "no such line") from None


def _compare(line: Line, happened: Sequence[e.Event]) -> None:
    for place in range(max(len(happened), len(line.events))):
        found = _text(line.events[place]) if place < len(line.events) else "nothing more"
        right = _text(happened[place]) if place < len(happened) else "nothing more"
        if found != right:
            raise Damaged(line.n, f"event {place + 1}: {found}", right)


def _text(event: e.Event) -> str:
    return msgspec.json.encode(event).decode()


__all__ = ["Recorded", "rejudge"]
