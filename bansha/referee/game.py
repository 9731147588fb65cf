"""A game kept in memory: state, dice and the entries of its journal. Used by cases, demonstrations, the lab and tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import Board
from bansha.referee.evolve import evolve_all
from bansha.referee.judge import NEVER, due, judge, tick
from bansha.referee.state import DAY, FIELDS, OVER, State
from bansha.referee.turn import Dice

Entry = tuple[int, str, str, c.Command, list[e.Event]]
"""(minute, by, key, command, events)."""

TICK = c.Tick()


class Game:
    """One game: `do` a command at a minute, or `advance` the clock; `entries` is the journal in memory."""

    __slots__ = ("board", "dice", "entries", "state")

    def __init__(self, board: Board, dice: Dice) -> None:
        self.board = board
        self.dice = dice
        self.state = State(board)
        self.entries: list[Entry] = []

    def advance(self, now: int) -> list[e.Event]:
        """Do everything due up to and including `now`, each at its own minute."""
        happened: list[e.Event] = []
        while due(self.state) <= now:
            happened.extend(self.step())
        return happened

    def step(self) -> list[e.Event]:
        """Do the next due thing."""
        at, events = tick(self.state, self.dice)
        self.entries.append((at, "clock", "", TICK, events))
        return events

    def do(self, command: c.Command, now: int, by: str = "", key: str = "") -> list[e.Event]:
        """Do what is due until `now`, then judge the command.

        Raises:
            Refused: the command was refused; what was due has happened all the same.
        """
        state = self.state
        if state.phase == DAY:  # most submissions are votes: `due` is asked only when it can say yes
            if now >= state.closes_at:
                self.advance(now)
        elif state.n and due(state) <= now:
            self.advance(now)
        events = judge(state, command, now, self.dice)
        self.entries.append((now, by, key, command, events))
        return events

    def refold(self) -> State:
        """A fresh state folded from the entries."""
        state = State(self.board)
        for at, _by, _key, _command, events in self.entries:
            evolve_all(state, at, events)
        return state

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.phase == OVER


def snapshot(state: State) -> dict[str, Any]:
    """Every field of a state as plain values, for comparing a refolded state with a live one."""
    return {name: _plain(getattr(state, name, None)) for name in FIELDS if name not in ("board", "entry_fresh", "entry_barred")}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    slots = getattr(value.__class__, "__slots__", None)
    if slots and not isinstance(value, (int, str, float)):
        return {name: _plain(getattr(value, name)) for name in slots}
    return value


def all_events(entries: Iterable[Entry]) -> list[e.Event]:
    """The events of a journal in order."""
    return [event for entry in entries for event in entry[4]]


__all__ = ["NEVER", "Entry", "Game", "all_events", "snapshot"]
