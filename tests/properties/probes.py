"""Probes: games that tell one reading of a ruleset from another.

A probe plays something under a board and yields what a player or director could see of it: events, minutes, refusals,
what the seats hold, may hand in and may target. Two boards are told apart by the first thing that differs.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import msgspec

from bansha.cases.read import Case, read_case
from bansha.cases.run import Failed, Runner
from bansha.referee import board as boards
from bansha.referee import commands as c
from bansha.referee.board import Board
from bansha.referee.dealing import Dice, deal
from bansha.referee.game import Entry, Game
from bansha.referee.holdings import holdings, open_skills, targets
from bansha.referee.judge import due
from bansha.referee.reading import Patterns, read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import DAY, OVER, SETUP, State
from bansha.rulesets.load import Loaded, load_plain
from bansha.rulesets.model import Option, Ruleset, Text
from tests.support.random_games import MONDAY, whole

ROOT = Path(__file__).resolve().parents[2]
CASES = (ROOT / "tests" / "cases", ROOT.parent / "shared" / "cases")

At = tuple[str | int, ...]
Trace = Iterator[Any]


# --- leaves -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """One number, flag, option or policy of a ruleset file, and another value for it."""

    at: At
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.at))}: {self.old!r} → {self.new!r}"

    @property
    def shape(self) -> str:
        """What sort of leaf: its path without the names in it."""
        return f"{self.at[0]} {self.at[-1] if isinstance(self.at[-1], str) else self.at[-2]}"


def plain_of(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as plain data."""
    plain = msgspec.to_builtins(ruleset, str_keys=False)
    assert isinstance(plain, dict)
    return plain


def leaves(loaded: Loaded) -> Iterator[Leaf]:
    """Every number, flag, policy and option written in the file or one it inherits, each with every other value there is
    (numbers: one more). Texts, names and what only says where a text belongs are left out."""
    plain = plain_of(loaded.ruleset)
    for leaf in _walk(Ruleset, plain, ()):
        if leaf.at in loaded.places or leaf.at[:-1] in loaded.places and leaf.at[-1] == KEYS:
            yield leaf


KEYS = "(the number it stands at)"


def _walk(kind: Any, value: Any, at: At) -> Iterator[Leaf]:
    origin = typing.get_origin(kind)
    if at[:1] == ("clauses",) or kind is Text or value is None:
        return
    if origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
        yield from _walk(next(x for x in typing.get_args(kind) if x is not type(None)), value, at)
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for name, hint in typing.get_type_hints(kind).items():
            if kind is Option and name == "default":
                for other in ("off", "5") if value["values"] == ["off|N"] else value["values"]:
                    if other != value[name]:
                        yield Leaf((*at, name), value[name], other)
            elif kind is not Option:
                yield from _walk(hint, value[name], (*at, name))
    elif origin is dict:
        for key, item in value.items():
            yield from _walk(typing.get_args(kind)[1], item, (*at, key))
            if isinstance(key, int):
                yield Leaf((*at, key, KEYS), key, key + 1)
    elif origin is list:
        for number, item in enumerate(value):
            yield from _walk(typing.get_args(kind)[0], item, (*at, number))
    elif origin is Literal:
        for other in typing.get_args(kind):
            if other != value:
                yield Leaf(at, value, other)
    elif kind is bool:
        yield Leaf(at, value, not value)
    elif kind is int:
        yield Leaf(at, value, value + 1)
    elif kind is float:
        yield Leaf(at, value, value + 0.5)
    elif at in (("calendar", "opens"), ("calendar", "closes")):
        yield Leaf(at, value, {"09:00": "08:30", "21:00": "20:30"}[value])


def changed(loaded: Loaded, leaf: Leaf) -> Loaded:
    """The ruleset with the leaf changed; it keeps its hash, so that a sheet that prints it does not differ by that.

    Raises:
        RulesetError: it is no ruleset any more.
    """
    made = load_plain(_with(plain_of(loaded.ruleset), leaf.at, leaf.new), loaded.places, loaded.file)
    return Loaded(made.ruleset, loaded.hash, loaded.file, loaded.places)


def _with(value: Any, at: At, new: Any) -> Any:
    if not at:
        return new
    if at[1:] == (KEYS,):
        return {(new if key == at[0] else key): item for key, item in value.items()}
    if isinstance(value, list):
        assert isinstance(at[0], int)
        return [*value[: at[0]], _with(value[at[0]], at[1:], new), *value[at[0] + 1 :]]
    return {**value, at[0]: _with(value[at[0]], at[1:], new)}


# --- probes -------------------------------------------------------------------------------------------------------


@dataclass
class Probe:
    """Something to play; `play(board)` yields what can be seen. What it yields under the true board is kept."""

    name: str
    play: Callable[[Board], Trace]
    options: Mapping[str, str] = field(default_factory=dict)
    kept: list[Any] | None = None

    def differs(self, true: Loaded, other: Loaded) -> bool:
        """Whether the two rulesets are told apart. A ruleset that the referee cannot play raises what it raises."""
        if self.kept is None:
            self.kept = list(self.play(board_of(true, self.options)))
        found = self.play(board_of(other, self.options))
        return any(a != b for a, b in zip_longest(self.kept, found))


def board_of(loaded: Loaded, options: Mapping[str, str]) -> Board:
    """A board compiled anew (a changed ruleset keeps the hash of the true one); the conduct patterns only once."""
    true = boards.Patterns
    boards.Patterns = _patterns  # type: ignore[assignment, misc]
    try:
        return Board(loaded, options)
    finally:
        boards.Patterns = true  # type: ignore[misc]


def _patterns(clauses: list[tuple[str, list[str], list[str]]]) -> Patterns:
    return _compiled(tuple((id, tuple(patterns), tuple(seen)) for id, patterns, seen in clauses))


@cache
def _compiled(clauses: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]) -> Patterns:
    return Patterns(clauses)


def seen(s: State) -> Any:
    """What the seats hold, may hand in now, and may target."""
    if not s.n or s.phase == OVER:
        return None
    return [
        (holdings(s, seat), open_skills(s, seat), [(k, targets(s, seat, k)) for k in holdings(s, seat)])
        for seat in range(1, s.n + 1)
    ]


def of_case(case: Case) -> Callable[[Board], Trace]:
    """A case file: its events, and whether its expectations hold."""

    def play(board: Board) -> Trace:
        runner = Runner(replace(case, board=board))
        outcome = ""
        try:
            runner.run()
        except Failed as failure:
            outcome = str(failure)
        for at, _by, _key, _command, events in runner.game.entries:
            yield at, events
        yield outcome

    return play


def of_journal(entries: list[Entry], seed: int) -> Callable[[Board], Trace]:
    """A journal's commands given again, at their minutes."""

    def play(board: Board) -> Trace:
        game = Game(board, Dice.from_seed(seed))
        phase = -1
        for at, by, key, command, _events in entries:
            s = game.state
            yield due(s) if s.n else 0
            if command.__class__ is c.Tick:
                yield game.step() if due(s) < 1 << 59 else None
            else:
                try:
                    yield game.do(command, at, by, key)
                except Refused as refusal:
                    yield refusal.code
            if s.phase != phase:
                phase = s.phase
                yield seen(s)

    return play


def opened(board: Board, roles: list[str] | None = None, now: int | None = None) -> Game:
    """A game in setup with the roles in the ruleset's order."""
    rules = board.rules
    roles = roles or [name for name, role in rules.roles.items() for _ in range(role.count)]
    game = Game(board, Dice.from_seed(5))
    start = (MONDAY if now is None else now) + (720 if board.starts_at_night else 0)
    names = [f"{seat}号" for seat in range(1, len(roles) + 1)]
    game.do(c.Open({}, names, roles, start, {}), start - rules.calendar.setup_minutes, "town")
    return game


def dealt(board: Board) -> Trace:
    """How many seats there are, who is dealt what, when setup ends."""
    roles = [name for name, role in board.rules.roles.items() for _ in range(role.count)]
    game = opened(board, list(deal(Dice.from_seed(1), roles)))
    yield game.state.role
    yield due(game.state) - game.entries[0][0]


def flexible(board: Board) -> Trace:
    """Which deals are accepted with one seat more."""
    for name, role in board.rules.roles.items():
        yield role.flexible or name


def timetable(board: Board) -> Trace:
    """Two nights and days without anybody doing anything: who may hand in what, minute by minute."""
    game = opened(board)
    s = game.state
    for _ in range(60):
        if s.phase == OVER or s.day > 3:
            return
        yield s.phase, s.now, due(s)
        if s.phase not in (SETUP, DAY) and not s.settled:
            kept = s.now
            for minute in range(kept, due(s)):
                s.now = minute
                yield [open_skills(s, seat) for seat in range(1, s.n + 1)]
            s.now = kept
        yield game.step()
        yield seen(s)


def cards(board: Board) -> Trace:
    """Every clause in every colour, and whether the director may judge a faction lost with it."""
    game = opened(board)
    game.step()
    for clause in board.rules.conduct:
        for colour in ("blue", "yellow", "red"):
            for lose in (False, True):
                state = game.state.copy()
                try:
                    yield [clause, colour, game.do(c.Card(2, colour, clause, lose), game.state.now, "director 1")]
                except Refused as refusal:
                    yield [clause, colour, refusal.code]
                game.state = state


def looks(board: Board) -> Trace:
    """Posts that look like something: the director's red, large letters."""
    for text in ("[color=red]红字[/color]", "[size=6]大字[/size]"):
        yield read_post(text, board.patterns, False)


def probes(true: Loaded, name: str, games: int = 8) -> list[Probe]:
    """All probes of a bundled ruleset."""
    made = [Probe("the deal", dealt), Probe("accepted deals", flexible), Probe("the timetable", timetable)]
    made += [Probe("cards", cards), Probe("looks", looks)]
    for path in (path for folder in CASES if folder.is_dir() for path in sorted(folder.rglob("*.yaml"))):
        case = read_case(path)
        if case.loaded.ruleset.id == name:
            made.append(Probe(path.stem, of_case(case), case.options))
    for seed in range(games):
        game = whole(name, seed, {})
        made.append(Probe(f"random game {seed}", of_journal(game.entries, game.entries[0][4][0].seed)))
    return made
