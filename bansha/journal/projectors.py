"""Reactions to what was written: threads, posts, permissions, outbox. They run inside the writing transaction, write only
rows of their own, and can be rebuilt from the first entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bansha.referee.game import Entry
from bansha.referee.state import State

Project = Callable[[int, State, Sequence[Entry]], None]
"""Called with the game's number, its state after the entries, and the new entries in order."""

_projectors: dict[str, Project] = {}
_clear: dict[str, Callable[[int], None]] = {}


def register(name: str, project: Project, clear: Callable[[int], None]) -> None:
    """Register a projector once; `clear(game)` drops its rows of a game before a rebuild."""
    _projectors[name] = project
    _clear[name] = clear


def run(game: int, state: State, entries: Sequence[Entry]) -> None:
    """Let every projector see the new entries, in order of registration."""
    for project in _projectors.values():
        project(game, state, entries)


def registered() -> dict[str, tuple[Project, Callable[[int], None]]]:
    """All projectors with what clears their rows."""
    return {name: (project, _clear[name]) for name, project in _projectors.items()}
