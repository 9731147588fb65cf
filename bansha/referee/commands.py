"""What can be asked of the referee. Commands are plain values; who sends one is checked by the journal's door."""

from __future__ import annotations

from typing import Any

import msgspec

from bansha.referee.reading import Reading

Targets = list[int] | bool | None
"""Targets of a skill: a list of seats, True for a skill without target, None for an explicit pass."""


class Command(msgspec.Struct, array_like=True, gc=False):
    """Base of all commands."""


class Open(Command, tag="open"):
    """Begin a game: options, personas in seat order, roles by seat, when setup ends, earlier games by seat."""

    options: dict[str, str]
    personas: list[str]
    roles: list[str]
    setup_ends: int
    history: dict[int, int]
    masks: list[int] = []


class Act(Command, tag="act"):
    """Skills handed in by one seat in one submission: skill number → targets."""

    seat: int
    choices: dict[int, Targets]


class Vote(Command, tag="vote"):
    """A vote by the form or read from a post: ballot 0 exile, 1 election; target 0: 弃权; `ref`: its post, 0: none."""

    seat: int
    ballot: int
    target: int
    ref: int = 0


class Change(Command, tag="change"):
    """The one change of a vote."""

    seat: int
    ballot: int
    target: int
    ref: int = 0


class Proxy(Command, tag="proxy"):
    """A director enters a vote for the seat."""

    seat: int
    ballot: int
    target: int
    ref: int = 0
    director: int = 1


class Post(Command, tag="post"):
    """A post: thread, reference, digest of the body, the quoted post (0: none), and what was read in it."""

    seat: int
    thread: str
    ref: int
    digest: str
    quote: int
    reading: Reading


class Sign(Command, tag="sign"):
    """A signature under a petition."""

    seat: int
    kind: str


class Surrender(Command, tag="surrender"):
    """投降: proposed by a seat (`answer` ""), or an answer "agree" / "decline"."""

    seat: int
    answer: str = ""


class LastWords(Command, tag="last_words"):
    """遗言: digest of the text, whether it is empty, and the markup found in it ("" if none)."""

    seat: int
    digest: str
    markup: str = ""
    empty: bool = False


class Card(Command, tag="card"):
    """The director deals a card (`lose`: and judges the player's faction lost)."""

    seat: int
    colour: str
    clause: str
    lose: bool = False


class Uncard(Command, tag="uncard"):
    """The director withdraws the latest such card."""

    seat: int
    colour: str
    clause: str


class Substitute(Command, tag="substitute"):
    """替补 for a seat."""

    seat: int


class Assistant(Command, tag="assistant"):
    """场助 for a seat's player."""

    seat: int


class Direct(Command, tag="direct"):
    """A director's act (C25, §7) with its reason: see `bansha.referee.director.ACTS`."""

    act: str
    value: Any
    reason: str
    director: int = 1


class Tick(Command, tag="tick"):
    """The clock: the next due thing happens, with its own scheduled time."""


class Record(Command, tag="record"):
    """The town hands in events that are no judgement: the dealing's ceremony and the opened secret."""

    events: list[Any]


ALL: tuple[type[Command], ...] = tuple(Command.__subclasses__())
