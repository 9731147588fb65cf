"""A game's journal as a file: JSON lines sealed by `ledger`, read back with every event typed. Pure functions over bytes.

A post's words are no part of any event. Where nobody else keeps them (a demonstration), the line of the post holds them as
one element more at the end of its command; whoever decodes the command passes over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Union

import msgspec

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.evolve import evolve_all
from bansha.referee.game import Entry
from bansha.referee.ledger import START, Damaged, check_chain, seal
from bansha.referee.state import State

if TYPE_CHECKING:
    AnEvent = e.Event
    ACommand = c.Command
else:
    AnEvent = Union[e.ALL]  # noqa: UP007
    ACommand = Union[c.ALL]  # noqa: UP007


class Line(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One line: number, minute, who, key, the command as it stands there, its events, the hash."""

    n: int
    at: int
    by: str
    key: str
    do: msgspec.Raw
    events: list[AnEvent]
    hash: str


class _Loose(msgspec.Struct):
    events: list[list[Any]]


_line = msgspec.json.Decoder(Line)
_loose = msgspec.json.Decoder(_Loose)
_command = msgspec.json.Decoder(ACommand)
_encoder: Final = msgspec.json.Encoder()
_KINDS: Final = tuple(e.KINDS)
_COMMANDS: Final = tuple(str(kind.__struct_config__.tag) for kind in c.ALL)


def write(entries: Iterable[Entry], texts: Mapping[int, str] | None = None) -> bytes:
    """The journal's lines, each ended by a newline. `texts`: the words of posts by reference; by minus the seat, last words."""
    texts = texts or {}
    lines = []
    prev = START
    for n, (at, by, key, command, events) in enumerate(entries, 1):
        do = _encoder.encode(command)
        text = texts.get(_words_of(command)) if texts else None
        if text is not None:
            do = do[:-1] + b"," + _encoder.encode(text) + b"]"
        line, prev = seal(prev, n, at, by, key, do, _encoder.encode(events))
        lines.append(line)
    return b"\n".join([*lines, b""])


def _words_of(command: c.Command) -> int:
    """Under which number the words of a command are kept; 0: it has none."""
    if isinstance(command, c.Post):
        return command.ref
    return -command.seat if isinstance(command, c.LastWords) else 0


def read(data: bytes, prev: str = START, first: int = 1) -> Iterator[Line]:
    """The lines in order, each handed on once number, hash and every event in it are right.

    To read a tail alone, `prev` is the hash of the line before it and `first` the number it begins with.

    Raises:
        Damaged: the first line that is not right, what stands there and what would be legal.
    """
    *lines, rest = data.split(b"\n")
    decode = _line.decode
    for n, raw in enumerate(check_chain(lines, prev, first), first):
        try:
            yield decode(raw)
        except msgspec.DecodeError as error:
            raise _misread(n, raw, error) from None
    if rest or not lines:
        last = len(lines) + 1
        found = f"the end {ascii(rest[-20:])} without a newline" if rest else "nothing"
        raise Damaged(last, found, "lines of a journal, each ended by a newline")


def line_of(raw: bytes) -> Line:
    """One stored line by itself, its place in the chain not looked at.

    Raises:
        Damaged: it is no line of a journal.
    """
    try:
        return _line.decode(raw)
    except msgspec.DecodeError as error:
        raise _misread(0, raw, error) from None


def _misread(n: int, raw: bytes, error: Exception) -> Damaged:
    """Whether it is no JSON, no line, or holds an event of no known kind."""
    try:
        events = _loose.decode(raw).events
    except msgspec.ValidationError:
        return Damaged(n, f"no line of a journal ({error})", "the keys n, at, by, key, do, events, hash")
    except msgspec.DecodeError as wrong:
        return Damaged(n, f"no JSON ({wrong})", "one JSON object in UTF-8")
    for event in events:
        kind = event[0] if event else None
        if kind not in e.KINDS:
            return Damaged(n, f"the event kind {kind!r}", f"one of {', '.join(_KINDS)}")
    return Damaged(n, f"an event with a wrong field ({error})", "the fields that docs/reference.md lists for it")


def command_of(line: Line) -> c.Command:
    """The command of a line; events handed in with it are typed.

    Raises:
        Damaged: it is no known command.
    """
    try:
        command: c.Command = _command.decode(line.do)
        if isinstance(command, c.Record):
            command.events = [msgspec.convert(event, AnEvent) for event in command.events]
    except msgspec.DecodeError as error:
        raise Damaged(line.n, f"no command ({error})", f"an array that begins with one of {', '.join(_COMMANDS)}") from None
    return command


def text_of(line: Line, command: c.Command) -> str | None:
    """The words kept with a post or last words, None without."""
    if not isinstance(command, (c.Post, c.LastWords)):
        return None
    more = msgspec.json.decode(line.do)[len(command.__struct_fields__) + 1 :]
    return more[0] if more and isinstance(more[0], str) else None


def entry_of(line: Line) -> Entry:
    """A line as an entry of a game in memory."""
    return (line.at, line.by, line.key, command_of(line), line.events)


def opening(lines: Iterable[Line]) -> tuple[int, e.GameOpened]:
    """The line on which the game was opened, and the event that pins its ruleset.

    Raises:
        Damaged: there is none.
    """
    n = 0
    for line in lines:
        n = line.n
        for event in line.events:
            if isinstance(event, e.GameOpened):
                return n, event
    raise Damaged(max(n, 1), "a journal in which no game was opened", "an event game_opened")


def fold(state: State, lines: Iterable[Line]) -> State:
    """The state after these lines."""
    for line in lines:
        evolve_all(state, line.at, line.events)
    return state


__all__ = ["Damaged", "Line", "command_of", "entry_of", "fold", "line_of", "opening", "read", "text_of", "write"]
