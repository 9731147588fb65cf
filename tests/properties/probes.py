"""Probes: games that tell one reading of a ruleset from another.

A probe plays something under a board and yields what a player or director could see of it: events, minutes, refusals,
what the seats hold, may hand in and may target. Two boards are told apart by the first thing that differs.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import msgspec

from bansha.cases.read import Case, Malformed, read_text
from bansha.cases.run import Failed, Runner
from bansha.referee import board as boards
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import ELECTION, EXILE, Board
from bansha.referee.dealing import Dice, deal
from bansha.referee.game import Entry, Game
from bansha.referee.holdings import holdings, open_skills, targets
from bansha.referee.judge import NEVER, due
from bansha.referee.reading import Patterns, Reading, read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import DAY, DUSK, NIGHT, OVER, SETUP, State
from bansha.rulesets.load import Loaded, bundled, load, load_plain
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
        if leaf.at in loaded.places or (leaf.at[-1] == KEYS and leaf.at[:-1] in loaded.places):
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
                yield game.step() if due(s) < NEVER else None
            else:
                try:
                    yield game.do(command, at, by, key)
                except Refused as refusal:
                    yield refusal.code
            if s.phase != phase:
                phase = s.phase
                yield seen(s)

    return play


# --- what every board can be asked --------------------------------------------------------------------------------


class Table:
    """A game whose steps are tried one after the other; what comes of each is kept to be compared."""

    def __init__(self, board: Board, history: Mapping[int, int] | None = None) -> None:
        rules = board.rules
        roles = [name for name, role in rules.roles.items() for _ in range(role.count)]
        self.game = Game(board, Dice.from_seed(5))
        start = MONDAY + (720 if board.starts_at_night else 0)
        names = [f"{seat}号" for seat in range(1, len(roles) + 1)]
        opening = c.Open({}, names, roles, start, dict(history or {}))
        self.seen: list[Any] = [self.game.do(opening, start - rules.calendar.setup_minutes, "town")]

    @property
    def s(self) -> State:
        """The state."""
        return self.game.state

    def do(self, command: c.Command, at: int | None = None) -> None:
        """Give a command, now or at a minute."""
        try:
            self.seen.append(self.game.do(command, self.s.now if at is None else at, ""))
        except Refused as refusal:
            self.seen.append(refusal.code)

    def would(self, command: c.Command, at: int | None = None) -> None:
        """Give a command and take it back."""
        kept, entries = self.s.copy(), len(self.game.entries)
        self.do(command, at)
        self.game.state = kept
        del self.game.entries[entries:]

    def until(self, *phases: int) -> None:
        """Let time run until one of these phases begins."""
        for _ in range(60):
            if self.s.phase == OVER or due(self.s) >= NEVER:
                return
            self.seen.append((due(self.s), self.game.step()))
            if self.s.phase in phases:
                return

    def votes(self, targets: Mapping[int, int], ballot: int = -1) -> None:
        """Votes on the day's ballot (the exile, where there are two)."""
        ballot = ballot if ballot >= 0 else (EXILE if EXILE in self.s.ballots else ELECTION)
        for seat, target in targets.items():
            self.do(c.Vote(seat, ballot, target))

    def second_day(self, sheriff: int = 2) -> None:
        """To the first day that exiles and has a sheriff, if there ever is one."""
        self.until(DAY)
        if ELECTION in self.s.ballots:
            self.votes(dict.fromkeys(range(1, 6), sheriff), ELECTION)
            self.until(DAY)


def asked(*questions: Callable[[Table], None]) -> Callable[[Board], Trace]:
    """A probe that puts these questions, each to a table of its own."""

    def play(board: Board) -> Trace:
        for question in questions:
            table = Table(board)
            question(table)
            yield from table.seen

    return play


def direct(act: str, value: Any = True) -> c.Direct:
    """A director's act."""
    return c.Direct(act, value, "改判")


def dealt(board: Board) -> Trace:
    """How many seats there are, who is dealt what, when setup ends, who counts as a newcomer."""
    roles = [name for name, role in board.rules.roles.items() for _ in range(role.count)]
    yield deal(Dice.from_seed(1), roles)
    yield [name for name, role in board.rules.roles.items() if role.flexible]
    table = Table(board, {seat: seat - 1 for seat in range(1, 9)})
    yield due(table.s) - table.game.entries[0][0]
    for seat in range(1, 9):
        table.do(c.Assistant(seat))
    for _ in range(3):
        table.do(c.Substitute(1))
    yield table.seen


def timetable(table: Table) -> None:
    """Two nights and days without anybody doing anything, whatever could be gained gained: who may hand in what, minute by
    minute."""
    s, board = table.s, table.s.board
    table.until(DAY if not board.starts_at_night else NIGHT)
    for skill in board.skills:
        if skill.pack < 0 and skill.setup < 0 and not any(skill.index in hand for hand in s.hands):
            table.do(c.Record([e.SkillGained(s.n, skill.index, "probe", 0, 0, [])]))
    for _ in range(40):
        if s.phase == OVER or s.day > 3:
            return
        if s.phase not in (SETUP, DAY) and not s.settled:
            kept = s.now
            for minute in range(kept, due(s)):
                s.now = minute
                table.seen.append([open_skills(s, seat) for seat in range(1, s.n + 1)])
            s.now = kept
        table.seen.append((due(s), table.game.step(), seen(s)))


def all_cards(table: Table) -> None:
    """Every clause in every colour, to someone out, whom no card moves; whether the director may judge a faction lost."""
    table.until(DAY)
    table.do(direct("out", 2))
    board = table.s.board
    for clause in board.rules.conduct:
        silence = clause == board.rules.attendance.silence_clause  # its colour hangs on the role
        for colour in ("blue", "yellow", "red"):
            for seat in range(1, table.s.n + 1) if silence else (2,):
                table.do(c.Card(seat, colour, clause))
                table.do(c.Uncard(seat, colour, clause))
    for colour in ("blue", "yellow", "red"):
        table.would(c.Card(3, colour, _clause(table.s, colour), True))


def _clause(s: State, colour: str) -> str:
    return next((id for id, clause in s.board.rules.conduct.items() if colour in clause.colours), "")


def conversions(table: Table) -> None:
    """Cards of one colour, one after the other; who gets no award."""
    table.until(DAY)
    s = table.s
    for seat, colour in ((3, "blue"), (4, "yellow")):
        for _ in range(5):
            table.do(c.Card(seat, colour, _clause(s, colour)))
            table.seen.append([s.cards_of(seat), s.had_yellow(seat) and s.board.rules.cards.yellow_excludes])
    for seat in (1, 2):
        table.do(c.Card(seat, "red", _clause(s, "red")))
    table.seen.append(list(s.lost))


def red_by_day(table: Table) -> None:
    """A red card after votes by and for its holder."""
    table.second_day()
    s = table.s
    table.votes({3: 5, 4: 3, 5: 3})
    table.do(c.Card(3, "red", _clause(s, "red")))
    table.votes({6: 3, 7: 5, 3: 4})
    table.until(NIGHT)


def late_votes(table: Table) -> None:
    """Until when votes can be changed, and how often."""
    table.until(DAY)
    s = table.s
    ballot = s.ballots[0]
    table.votes({1: 2, 2: 3}, ballot)
    for minute in range(s.closes_at - 70, s.closes_at - 50):
        table.would(c.Change(1, ballot, 3), minute)
    for target in (3, 4, 5):
        table.do(c.Change(1, ballot, target))


def petitions(table: Table) -> None:
    """Until when petitions are signed, and by how many they pass, with an odd and an even number of living."""
    table.until(DAY)
    s = table.s
    for kind in ("speed_up", "extend", "abort"):
        for minute in range(s.closes_at - 190, s.closes_at - 170):
            table.would(c.Sign(4, kind), minute)
    table.do(c.Card(4, "red", _clause(s, "red")))
    for out in (6, 7, 8):
        for kind in ("extend", "speed_up", "abort"):
            for seat in s.seats(s.alive):
                if s.phase == DAY and s.sig.get(kind, 0).bit_count() < (s.alive.bit_count() - 1) // 2:
                    table.do(c.Sign(seat, kind))
            table.would(c.Sign(max(s.seats(s.alive)), kind))
        table.until(DAY)
        table.do(direct("out", out))


def restored(table: Table) -> None:
    """Out by the director, with what that sets off, restored, and out again: each seat in turn."""
    table.second_day()
    for seat in range(1, table.s.n + 1):
        other = 1 + seat % table.s.n
        kept, entries = table.s.copy(), len(table.game.entries)
        for _ in range(2):
            table.do(direct("out", seat))
            table.until(DUSK)
            for _ in range(4):
                if table.s.prompt is not None:
                    table.do(c.Act(seat, {table.s.prompt.skill: [other]}))
            table.do(direct("restore", seat))
            table.until(DAY)
        table.game.state = kept
        del table.game.entries[entries:]


def farewells(table: Table) -> None:
    """Who has last words when many are out, by day and by night, and until when."""
    table.second_day()
    s = table.s
    seats = [seat for seat in (5, 1, 7, 9, 4, 6, 3) if seat <= s.n]
    for seat in seats[:2]:
        table.do(direct("out", seat))
    table.until(NIGHT)
    table.do(direct("out", seats[2]), s.now + 100)
    for seat in seats[3:]:
        if s.alive.bit_count() > 4:
            table.do(direct("out", seat), s.now + 75)
    table.seen.append([s.entitled(), sorted(s.last_due.items())])
    table.until(DAY)
    table.seen.append([s.entitled(), sorted(s.last_due.items())])


def attendance(table: Table) -> None:
    """Each seat as many posts as its number, three days and a sped-up one; one does not vote."""
    table.until(DAY)
    s = table.s
    for day in range(5):
        for seat in s.seats(s.alive):
            for _ in range(seat - 1):
                table.do(c.Post(seat, "discussion", 1, "", 0, Reading()))
        for ballot in s.ballots:
            table.votes(dict.fromkeys(s.seats(s.alive)[1:], 0), ballot)
        if day == 3:
            table.do(direct("speed_up"))
        table.until(DAY)


def silent_sheriff(table: Table) -> None:
    """The sheriff is exiled and hands nothing over."""
    table.second_day()
    table.votes(dict.fromkeys(range(3, 8), 2))
    table.until(DUSK)
    table.would(c.Act(2, {table.s.board.handover: None}))
    table.would(c.Act(2, {table.s.board.handover: [4]}))
    table.until(NIGHT)


def carded_sheriff(table: Table) -> None:
    """The sheriff is sent off."""
    table.second_day()
    table.do(c.Card(2, "red", _clause(table.s, "red")))
    table.until(NIGHT)


def tied(sheriffs_vote: int) -> Callable[[Table], None]:
    """3 and 4 are tied; the sheriff (2) votes for someone."""

    def question(table: Table) -> None:
        table.second_day()
        votes = {1: 3, 5: 3, 6: 4, 7: 4} if sheriffs_vote not in (3, 4) else {1: 3, 5: 4, 6: 4}
        table.votes({**votes, 2: sheriffs_vote})
        table.until(NIGHT)
        table.until(DAY)

    return question


def weights(table: Table) -> None:
    """The sheriff against one, two and three others."""
    table.second_day()
    table.votes({2: 5, 1: 6, 3: 7, 4: 7})
    table.until(NIGHT)


def tied_election(table: Table) -> None:
    """3 and 4 are tied on the first day's first ballot."""
    table.until(DAY)
    table.votes({1: 4, 2: 3, 5: 3, 6: 4}, table.s.ballots[0])
    table.until(NIGHT, DAY)


def looks(board: Board) -> Trace:
    """Posts that look like something: the director's red, large letters."""
    for text in ("[color=red]红字[/color]", "[size=6]大字[/size]"):
        yield read_post(text, board.patterns, False)


QUESTIONS: dict[str, tuple[Callable[[Table], None], ...]] = {
    "the timetable": (timetable,),
    "every card": (all_cards,),
    "conversions": (conversions,),
    "red by day": (red_by_day,),
    "late votes": (late_votes,),
    "petitions": (petitions,),
    "farewells": (farewells,),
    "restored": (restored,),
    "attendance": (attendance,),
    "the sheriff": (silent_sheriff, carded_sheriff, tied(3), tied(5), tied(0), weights, tied_election),
}


def probes(true: Loaded, name: str, games: int = 8) -> list[Probe]:
    """All probes of a bundled ruleset; cases of the boards it shares its skills with are played, too."""
    made = [Probe("the deal", dealt), Probe("looks", looks)]
    made += [Probe(title, asked(*questions)) for title, questions in QUESTIONS.items()]
    others = [other for other in bundled() if load(other).ruleset.inherits == name or true.ruleset.inherits == other]
    for path in (path for folder in CASES if folder.is_dir() for path in sorted(folder.rglob("*.yaml"))):
        text = path.read_text(encoding="utf-8")
        found = re.search(r"^ruleset: *([\w-]+) *$", text, re.MULTILINE)
        if found and (found[1] == name or found[1] in others):
            with suppress(Malformed):
                case = read_text(text.replace(found[0], f"ruleset: {name}"), str(path), path.parent)
                made.append(Probe(path.stem, of_case(case), case.options))
    for seed in range(games):
        game = whole(name, seed, {})
        first = game.entries[0][4][0]
        assert isinstance(first, e.Seeded)
        made.append(Probe(f"random game {seed}", of_journal(game.entries, first.seed)))
    return made
