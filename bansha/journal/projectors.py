"""Reactions to what was written: threads, posts, permissions, outbox. They run inside the writing transaction, write only
rows of their own, and can be rebuilt from the first entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from bansha.sight.news import News


class Said(NamedTuple):
    """One new entry as projectors get it: its number, game minute, the real moment it was written, and what happened."""

    n: int
    at: int
    received: datetime
    news: list[News]


Project = Callable[[int, Sequence[Said]], None]
"""Called with the game's number and its new entries in order."""

_projectors: dict[str, Project] = {}
_clear: dict[str, Callable[[int], None]] = {}
_finish: dict[str, Callable[[int], None]] = {}


def register(name: str, project: Project, clear: Callable[[int], None], finish: Callable[[int], None] | None = None) -> None:
    """Register a projector once; `clear(game)` drops its rows of a game before a rebuild, `finish(game)` is called after it."""
    _projectors[name] = project
    _clear[name] = clear
    if finish is not None:
        _finish[name] = finish


def run(game: int, said: Sequence[Said]) -> None:
    """Let every projector see the new entries, in order of registration."""
    for project in _projectors.values():
        project(game, said)


def registered() -> dict[str, tuple[Project, Callable[[int], None]]]:
    """All projectors with what clears their rows."""
    return {name: (project, _clear[name]) for name, project in _projectors.items()}


def finish(name: str, game: int) -> None:
    """A projector has seen every entry of a game again."""
    if name in _finish:
        _finish[name](game)
