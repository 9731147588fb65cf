"""Reading a case file: every name is resolved and every number checked before anything is played.

Errors name the file, the line, what was found and what would have been legal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bansha.referee.board import ABSTAIN, BadOption, Board, compile_board
from bansha.rulesets.load import Loaded, RulesetError, load
from bansha.rulesets.yaml12 import Document, YamlError, read

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (game-local minutes carry no zone)
PHASES = ("setup", "day", "dusk", "night", "dawn")
THREADS = {"讨论": "discussion", "投票": "ballot", "竞选": "election", "进程": "process"}
THREADS |= {id: id for id in THREADS.values()} | {f"{zh}帖": id for zh, id in list(THREADS.items())}
KINDS = {"加速": "speed_up", "延时": "extend", "流局": "abort", "speed_up": "speed_up", "extend": "extend", "abort": "abort"}
COLOURS = {"blue": "blue", "yellow": "yellow", "red": "red", "蓝": "blue", "黄": "yellow", "红": "red"}
COLOURS |= {"蓝牌": "blue", "黄牌": "yellow", "红牌": "red"}
STEPS = (
    "act", "vote", "elect", "change", "change_elect", "close", "clock", "post", "card", "uncard", "proxy", "petition",
    "surrender", "last_words", "substitute", "assistant", "director", "refuse", "expect",
)  # fmt: skip
ACTS = (
    "void_vote", "void_act", "deadline", "out", "restore", "lose", "speed_up", "extend", "abort", "correct", "undo", "pause",
    "resume", "hold",
)  # fmt: skip
CAUSES = {"放逐": "exile", "红牌": "red_card", "导演": "director"}
CAUSES |= {id: id for id in CAUSES.values()}
EXPECT = (
    "phase", "now", "closes_at", "alive", "out", "causes", "winner", "lost", "sheriff", "feedback", "announced", "tally",
    "elect_tally", "ballot", "holds", "faction", "den", "knows", "charmed", "cards", "proposed", "last_words", "open",
    "sped_up", "flagged", "awards_excluded",
)  # fmt: skip
MANY = 1000  # posts a single step may make, or a quote count up to
HEADER = ("case", "ruleset", "options", "seed", "start", "names", "deal", "history", "steps")


class Malformed(ValueError):
    """A case file that cannot be run: file, 1-based line, and what was found and would be legal."""

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}:{line}: {what}")
        self.file = file
        self.line = line
        self.what = what


@dataclass
class Step:
    """One step: its number, line, kind, resolved value, its `expect`, and for a refusal the wrapped step and code."""

    number: int
    line: int
    kind: str
    value: Any
    expect: dict[str, Any] = field(default_factory=dict)
    inner: Step | None = None
    code: str = ""


@dataclass
class Case:
    """A case file, read."""

    file: str
    title: str
    loaded: Loaded
    board: Board
    options: dict[str, str]
    seed: int
    start: int
    names: list[str]
    deal: list[str]
    history: dict[int, int]
    steps: list[Step]


def minutes(text: Any) -> int:
    """Game-local minutes since 1970 of "2026-05-13T09:00".

    Raises:
        ValueError: not such a time.
    """
    legal = "a local time like 2026-05-13T09:00, of the years 1970 to 2199, is expected"
    if not isinstance(text, str) or not re.fullmatch(r"(19[7-9]|2[01]\d)\d-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?", text, re.ASCII):
        raise ValueError(legal)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{legal} ({error})") from None
    return int((moment - EPOCH).total_seconds() // 60)


def local(minute: int) -> str:
    """The local time of a game minute, as a case file writes it."""
    return (EPOCH + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M")


class _Reader:
    def __init__(self, file: str, document: Document) -> None:
        self.file = file
        self.document = document
        self.board: Board
        self.n = 0

    def fail(self, path: tuple[str | int, ...], what: str) -> Malformed:
        return Malformed(self.file, self.document.line(path), what)

    def mapping(self, value: Any, path: tuple[str | int, ...], what: str) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise self.fail(path, f"{what}: a mapping is expected, found {value!r}")
        return dict(value)

    def keys(self, value: dict[Any, Any], legal: Iterable[str], path: tuple[str | int, ...], what: str) -> None:
        legal = list(legal)
        for key in value:
            if key not in legal:
                raise self.fail((*path, key), f"{what}: unknown key {key!r}; legal are {', '.join(legal)}")

    def seat(self, value: Any, path: tuple[str | int, ...], what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= self.n:
            raise self.fail(path, f"{what}: {value!r} is no seat; seats are 1 to {self.n}")
        return value

    def seat_list(self, value: Any, path: tuple[str | int, ...], what: str) -> list[int]:
        if not isinstance(value, list):
            raise self.fail(path, f"{what}: a list of seats is expected, found {value!r}")
        return [self.seat(item, (*path, i), what) for i, item in enumerate(value)]

    def skill(self, name: Any, path: tuple[str | int, ...]) -> list[int]:
        found = self.board.names_skill.get(name) if isinstance(name, str) else None
        if not found:
            legal = "、".join(dict.fromkeys(table.zh for table in self.board.skills))
            raise self.fail(path, f"unknown skill {name!r}; skills here are {legal}")
        return found

    def faction(self, name: Any, path: tuple[str | int, ...]) -> str:
        if not isinstance(name, str) or name not in self.board.names_faction:
            legal = "、".join(f.name.zh for f in self.board.rules.factions.values())
            raise self.fail(path, f"unknown faction {name!r}; factions here are {legal}")
        return self.board.faction_ids[self.board.names_faction[name]]

    def time(self, value: Any, path: tuple[str | int, ...]) -> int:
        try:
            return minutes(value)
        except ValueError as error:
            raise self.fail(path, f"{value!r} is no time: {error}") from None

    def one_of(self, value: Any, legal: dict[str, str], path: tuple[str | int, ...], what: str) -> str:
        if not isinstance(value, str) or value not in legal:
            raise self.fail(path, f"{what}: {value!r} is not one of {', '.join(legal)}")
        return legal[value]

    def text(self, value: Any, path: tuple[str | int, ...], what: str) -> str:
        if not isinstance(value, str):
            raise self.fail(path, f"{what}: a text is expected (quote it), found {value!r}")
        return value

    def targets(self, value: Any, path: tuple[str | int, ...]) -> Any:
        if value == "pass" or value is None:
            if value is None:
                raise self.fail(path, "a target is missing; write a seat, a list of seats, true, or pass")
            return None
        if value is True:
            return True
        if isinstance(value, list):
            return self.seat_list(value, path, "targets")
        return [self.seat(value, path, "a target is a seat, a list of seats, true, or pass")]

    # --- steps ----------------------------------------------------------------------------------------------------

    def step(self, raw: Any, number: int, path: tuple[str | int, ...]) -> Step:
        raw = self.mapping(raw, path, f"step {number}")
        kinds = [key for key in raw if key not in ("expect", "reason")]
        if "expect" in raw and not kinds:
            kinds = ["expect"]
        if len(kinds) != 1 or kinds[0] not in STEPS:
            found = ", ".join(map(str, kinds)) or "nothing"
            what = f"step {number}: exactly one of {', '.join(STEPS)} is expected, found {found}"
            raise self.fail((*path, kinds[0]) if kinds else path, what)
        kind = kinds[0]
        here = (*path, kind)
        if "reason" in raw and kind != "refuse":
            what = f"step {number}: reason stands beside refuse only (a director's reason goes inside director)"
            raise self.fail((*path, "reason"), what)
        expect = self.expect(raw["expect"], (*path, "expect")) if "expect" in raw else {}
        step = Step(number, self.document.line(here), kind, None, expect)
        if kind == "refuse":
            inner = self.mapping(raw["refuse"], here, "refuse")
            code = raw.get("reason", "")
            if "reason" in inner and "director" not in inner:
                inner = dict(inner)
                code = inner.pop("reason")
            step.code = self.text(code, (*path, "reason"), "reason")
            if set(inner) & {"close", "clock", "expect", "refuse"}:
                raise self.fail(here, "refuse: wraps one step that somebody submits, not close, clock, expect or refuse")
            step.inner = self.step(inner, number, here)
        elif kind != "expect":
            step.value = getattr(self, f"_{kind}")(raw[kind], here)
        return step

    def _act(self, value: Any, path: tuple[str | int, ...]) -> Any:
        result = []
        for seat, choices in self.mapping(value, path, "act").items():
            at = (*path, seat)
            self.seat(seat, at, "act")
            chosen = []
            for name, targets in self.mapping(choices, at, "act").items():
                chosen.append((self.skill(name, (*at, name)), self.targets(targets, (*at, name))))
            result.append((seat, chosen))
        return result

    def _vote(self, value: Any, path: tuple[str | int, ...]) -> Any:
        result = []
        for seat, target in self.mapping(value, path, "vote").items():
            at = (*path, seat)
            self.seat(seat, at, "vote")
            if target in (ABSTAIN, "abstain"):
                result.append((seat, 0))
            else:
                result.append((seat, self.seat(target, at, f"vote: a seat or {ABSTAIN}")))
        return result

    _elect = _change = _change_elect = _proxy = _vote

    def _close(self, value: Any, path: tuple[str | int, ...]) -> str:
        return self.one_of(value, {p: p for p in PHASES}, path, "close")

    def _clock(self, value: Any, path: tuple[str | int, ...]) -> int:
        return self.time(value, path)

    def _post(self, value: Any, path: tuple[str | int, ...]) -> Any:
        value = self.mapping(value, path, "post")
        self.keys(value, ("by", "thread", "text", "quote", "times"), path, "post")
        for need in ("by", "thread", "text"):
            if need not in value:
                raise self.fail(path, f"post: {need} is missing; a post has by, thread, text, and may have quote, times")
        quote = value.get("quote", 0)
        times = value.get("times", 1)
        for name, number in (("quote", quote), ("times", times)):
            if name in value and (not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MANY):
                raise self.fail((*path, name), f"post: {name} is a number from 1 to {MANY}, found {number!r}")
        return (
            self.seat(value["by"], (*path, "by"), "post"),
            self.one_of(value["thread"], THREADS, (*path, "thread"), "thread"),
            self.text(value["text"], (*path, "text"), "text"),
            quote,
            times,
        )

    def _card(self, value: Any, path: tuple[str | int, ...]) -> Any:
        value = self.mapping(value, path, "card")
        self.keys(value, ("seat", "colour", "clause"), path, "card")
        for need in ("seat", "colour"):
            if need not in value:
                raise self.fail(path, f"card: {need} is missing; a card has seat, colour, clause")
        clause = value.get("clause", "")
        if not isinstance(clause, str):
            raise self.fail((*path, "clause"), f'card: clause ids are strings, quote them: "{clause}"')
        return (
            self.seat(value["seat"], (*path, "seat"), "card"),
            self.one_of(value["colour"], COLOURS, (*path, "colour"), "colour"),
            clause,
        )

    _uncard = _card

    def _petition(self, value: Any, path: tuple[str | int, ...]) -> Any:
        value = self.mapping(value, path, "petition")
        self.keys(value, ("kind", "by"), path, "petition")
        if "kind" not in value or "by" not in value:
            raise self.fail(path, "petition: kind and by are needed")
        by = value["by"]
        by = self.seat_list(by if isinstance(by, list) else [by], (*path, "by"), "petition")
        return self.one_of(value["kind"], KINDS, (*path, "kind"), "kind"), by

    def _surrender(self, value: Any, path: tuple[str | int, ...]) -> Any:
        value = self.mapping(value, path, "surrender")
        self.keys(value, ("by", "agree", "decline"), path, "surrender")
        if len(value) != 1:
            raise self.fail(path, "surrender: exactly one of by, agree, decline")
        key, seat = next(iter(value.items()))
        return ("" if key == "by" else key), self.seat(seat, (*path, key), "surrender")

    def _last_words(self, value: Any, path: tuple[str | int, ...]) -> Any:
        return [
            (self.seat(seat, (*path, seat), "last_words"), self.text(text, (*path, seat), "last_words"))
            for seat, text in self.mapping(value, path, "last_words").items()
        ]

    def _substitute(self, value: Any, path: tuple[str | int, ...]) -> int:
        value = self.mapping(value, path, "substitute")
        self.keys(value, ("seat",), path, "substitute")
        return self.seat(value.get("seat"), (*path, "seat"), "substitute")

    _assistant = _substitute

    def _director(self, value: Any, path: tuple[str | int, ...]) -> Any:
        value = self.mapping(value, path, "director")
        acts = [key for key in value if key != "reason"]
        if len(acts) != 1 or acts[0] not in ACTS:
            found = ", ".join(map(str, acts)) or "nothing"
            raise self.fail(path, f"director: exactly one of {', '.join(ACTS)} beside reason, found {found}")
        act = acts[0]
        raw = value[act]
        at = (*path, act)
        reason = self.text(value.get("reason", ""), (*path, "reason"), "reason")
        if act in ("void_vote", "out", "restore"):
            parsed: Any = self.seat(raw, at, act)
        elif act == "void_act":
            pairs = list(self.mapping(raw, at, act).items())
            if len(pairs) != 1:
                raise self.fail(at, "void_act: {seat: skill}, one of them")
            seat, name = pairs[0]
            parsed = (self.seat(seat, (*at, seat), act), self.skill(name, (*at, seat)))
        elif act == "deadline":
            parsed = self.time(raw, at)
        elif act == "lose":
            parsed = self.board.names_faction[self.faction(raw, at)]
        elif act == "correct":
            pairs = list(self.mapping(raw, at, act).items())
            if len(pairs) != 1 or not isinstance(pairs[0][1], dict) or len(pairs[0][1]) != 1:
                raise self.fail(at, "correct: {seat: {skill: value}}, one of them")
            seat, answers = pairs[0]
            name, answer = next(iter(answers.items()))
            if isinstance(answer, str) and answer in self.board.names_faction:
                answer = self.faction(answer, at)
            parsed = (self.seat(seat, (*at, seat), act), self.skill(name, (*at, seat)), answer)
        elif raw is not True and not (act == "hold" and raw is False):
            raise self.fail(at, f"director: {act}: {'true or false' if act == 'hold' else 'true'} is expected, found {raw!r}")
        else:
            parsed = raw
        return act, parsed, reason

    # --- expectations ---------------------------------------------------------------------------------------------

    def expect(self, value: Any, path: tuple[str | int, ...]) -> dict[str, Any]:
        value = self.mapping(value, path, "expect")
        self.keys(value, EXPECT, path, "expect")
        for key in ("causes", "holds", "faction", "den", "knows", "cards", "proposed", "open", "flagged", "feedback"):
            if key in value:
                for seat, item in self.mapping(value[key], (*path, key), key).items():
                    self.seat(seat, (*path, key, seat), key)
                    if key in ("holds", "open"):
                        for i, name in enumerate(self._list(item, (*path, key, seat))):
                            self.skill(name, (*path, key, seat, i))
                    elif key == "feedback":
                        for name in self.mapping(item, (*path, key, seat), key):
                            self.skill(name, (*path, key, seat, name))
                    elif key == "den":
                        self.seat_list(item, (*path, key, seat), key)
                    elif key == "faction":
                        if item is not None and item != "none":
                            self.faction(item, (*path, key, seat))
                    elif key == "knows":
                        for other, name in self.mapping(item, (*path, key, seat), key).items():
                            self.seat(other, (*path, key, seat, other), key)
                            if not isinstance(name, str) or name not in self.board.names_role:
                                self.faction(name, (*path, key, seat, other))
                    elif key == "cards":
                        item = self.mapping(item, (*path, key, seat), key)
                        self.keys(item, ("blue", "yellow", "red"), (*path, key, seat), key)
                        for colour, count in item.items():
                            self.count(count, (*path, key, seat, colour), key)
                    elif key in ("proposed", "flagged"):
                        for i, clause in enumerate(self._list(item, (*path, key, seat))):
                            self.clause(clause, (*path, key, seat, i), key)
                    elif key == "causes":
                        self.cause(item, (*path, key, seat))
        for key in ("alive", "out", "charmed", "last_words", "awards_excluded"):
            if key in value:
                self.seat_list(value[key], (*path, key), key)
        for key in ("tally", "elect_tally", "ballot"):
            if key in value:
                for seat, item in self.mapping(value[key], (*path, key), key).items():
                    self.seat(seat, (*path, key, seat), key)
                    if key != "ballot":
                        self.count(item, (*path, key, seat), key)
                    elif item != ABSTAIN:
                        self.seat(item, (*path, key, seat), f"ballot: a seat or {ABSTAIN}")
        if "sheriff" in value and value["sheriff"] not in (None, "none"):
            self.seat(value["sheriff"], (*path, "sheriff"), "sheriff: a seat or none")
        if "sped_up" in value and not isinstance(value["sped_up"], bool):
            raise self.fail((*path, "sped_up"), f"sped_up: true or false is expected, found {value['sped_up']!r}")
        if "lost" in value:
            for i, name in enumerate(self._list(value["lost"], (*path, "lost"))):
                self.faction(name, (*path, "lost", i))
        if "winner" in value and value["winner"] not in (None, "none"):
            self.faction(value["winner"], (*path, "winner"))
        if "announced" in value:
            self.mapping(value["announced"], (*path, "announced"), "announced")
        for key in ("now", "closes_at"):
            if key in value:
                self.time(value[key], (*path, key))
        if "phase" in value:
            phase = value["phase"]
            if not isinstance(phase, str) or not re.fullmatch(r"setup|over|(day|dusk|night|dawn) \d+", phase):
                raise self.fail((*path, "phase"), f"phase: {phase!r} is none of setup, day K, dusk K, night K, dawn K, over")
        return dict(value)

    def count(self, value: Any, path: tuple[str | int, ...], what: str) -> None:
        if not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0:
            raise self.fail(path, f"{what}: a number from 0 on is expected, found {value!r}")

    def clause(self, name: Any, path: tuple[str | int, ...], what: str) -> None:
        known = self.board.rules.conduct
        if not isinstance(name, str):
            raise self.fail(path, f'{what}: clause ids are strings, quote them: "{name}"')
        if name not in known:
            raise self.fail(path, f"{what}: unknown clause {name!r}; clauses here are {', '.join(known) or 'none'}")

    def cause(self, name: Any, path: tuple[str | int, ...]) -> None:
        if name is None or name == "none" or (isinstance(name, str) and name in CAUSES):
            return
        if not isinstance(name, str) or name not in self.board.names_skill:
            skills = "、".join(dict.fromkeys(table.zh for table in self.board.skills))
            raise self.fail(path, f"causes: {name!r} is none of 放逐、红牌、导演 and the skills {skills}")

    def _list(self, value: Any, path: tuple[str | int, ...]) -> list[Any]:
        if not isinstance(value, list):
            raise self.fail(path, f"a list is expected, found {value!r}")
        return value


def read_case(path: Path) -> Case:
    """Read and check a case file.

    Raises:
        Malformed: naming file, line, what was found and what would be legal.
    """
    name = str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Malformed(name, 1, f"cannot be read as UTF-8 text: {error}") from None
    return read_text(text, name, path.parent)


def read_text(text: str, name: str, beside: Path) -> Case:
    """Read a case from its text; `name` stands in messages, `beside` is where a ruleset path starts."""
    try:
        document = read(text)
    except YamlError as error:
        raise Malformed(name, error.line, error.what) from None
    r = _Reader(name, document)
    raw = r.mapping(document.value, (), "a case file")
    r.keys(raw, HEADER, (), "header")
    for need in ("case", "ruleset", "deal", "steps"):
        if need not in raw:
            raise r.fail((), f"{need} is missing; a case file has {', '.join(HEADER)}")
    try:
        loaded = load(r.text(raw["ruleset"], ("ruleset",), "ruleset"), beside)
    except RulesetError as error:
        raise r.fail(("ruleset",), str(error)) from None
    options = r.mapping(raw.get("options") or {}, ("options",), "options")
    for key in options:
        if not isinstance(key, str):
            raise r.fail(("options", key), f"options: {key!r} is no option; options are {', '.join(loaded.ruleset.options)}")
    given = {key: ({True: "yes", False: "no"}[v] if isinstance(v, bool) else str(v)) for key, v in options.items()}
    try:
        board = compile_board(loaded, given)
        if board.close_early:  # C8: in case files a stage closes at its limit
            board = compile_board(loaded, given | {"close_early": "no"})
    except BadOption as error:
        raise r.fail(("options",), str(error)) from None
    r.board = board
    deal = r._list(raw["deal"], ("deal",))
    roles: list[str] = []
    for i, role in enumerate(deal):
        if not isinstance(role, str) or role not in board.names_role:
            legal = "、".join(x.name.zh for x in loaded.ruleset.roles.values())
            raise r.fail(("deal", i), f"deal: unknown role {role!r}; roles here are {legal}")
        roles.append(board.role_ids[board.names_role[role]])
    for id, role_ in loaded.ruleset.roles.items():
        count = roles.count(id)
        if count != role_.count and not role_.flexible:
            raise r.fail(("deal",), f"deal: {role_.name.zh} stands {count} times; the ruleset has {role_.count}")
        if role_.flexible and not count:
            raise r.fail(("deal",), f"deal: at least one {role_.name.zh} is needed")
    r.n = len(roles)
    names = raw.get("names")
    if names is None:
        names = [f"{i}号" for i in range(1, r.n + 1)]
    names = [r.text(x, ("names", i), "names") for i, x in enumerate(r._list(names, ("names",)))]
    problem = persona_problem(names, r.n)
    if problem:
        raise r.fail(("names",), problem)
    seed = raw.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise r.fail(("seed",), f"seed: a whole number is expected, found {seed!r}")
    start = raw.get("start", "2026-05-11T21:00" if board.starts_at_night else "2026-05-11T09:00")
    history = r.mapping(raw.get("history") or {}, ("history",), "history")
    for seat, games in history.items():
        r.seat(seat, ("history", seat), "history")
        if not isinstance(games, int) or isinstance(games, bool) or games < 0:
            raise r.fail(("history", seat), f"history: a number of games is expected, found {games!r}")
    steps = [r.step(item, i + 1, ("steps", i)) for i, item in enumerate(r._list(raw["steps"], ("steps",)))]
    title = raw.get("case", "")
    return Case(
        name, title if isinstance(title, str) else str(title), loaded, board, given, seed, r.time(start, ("start",)), names, roles,
        dict(history), steps,
    )  # fmt: skip


def persona_problem(names: list[str], n: int) -> str:
    """Why these persona names cannot be used ("" if they can): C18."""
    if len(names) != n:
        return f"names: {len(names)} names for {n} seats"
    if len(set(names)) != n:
        return "names: persona names are unique"
    for name in names:
        if not name.strip() or name != name.strip():
            return f"names: {name!r} is empty or has blanks at its ends"
        if name == ABSTAIN or any(label in name for label in ("投票对象", "投票理由", "改票对象", "改票理由", "\n", "\r")):
            return f"names: {name!r} would be read as something else in a vote (弃权, a label or a line break)"
    return ""
