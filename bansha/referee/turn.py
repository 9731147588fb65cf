"""One submission being judged: the state, the recorded dice, the minute, and the events so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from bansha.referee import events as e
from bansha.referee.board import Board
from bansha.referee.evolve import APPLY
from bansha.referee.state import OVER, State


class Dice(Protocol):
    """The recorded random stream (bansha.referee.dealing.Dice, or a replay of recorded draws)."""

    def draw(self, label: str, counter: int, n: int, k: int = 1) -> tuple[int, ...]:
        """`k` distinct indices of range(n)."""
        ...


class Turn:
    """Verbs and rules say what happened; each event is applied as it is said, so the next rule sees it."""

    __slots__ = ("board", "dice", "leaving", "now", "out", "s")

    def __init__(self, state: State, now: int, dice: Dice) -> None:
        self.s = state
        self.board: Board = state.board
        self.now = now
        self.dice = dice
        self.out: list[e.Event] = []
        self.leaving: dict[int, str] = {}
        state.now = now
        state.entry_fresh = True
        state.entry_barred = False

    def say(self, event: e.Event) -> None:
        """Record an event and apply it."""
        self.out.append(event)
        APPLY[event.__class__](self.s, event)

    def draw(self, label: str, options: Sequence[Any], k: int = 1) -> list[Any]:
        """Draw `k` of the options (in order) from the recorded stream; the draw is an event."""
        counter = self.s.draws + 1
        chosen = [options[i] for i in self.dice.draw(label, counter, len(options), k)]
        self.say(e.Drawn(label, counter, list(options), chosen))
        return chosen

    @property
    def over(self) -> bool:
        """Whether the game has ended (C14: then nothing further is settled)."""
        return self.s.phase == OVER

    def announce(self, kind: str, value: Any) -> None:
        """A public announcement at this moment."""
        self.say(e.Announced(kind, value))
