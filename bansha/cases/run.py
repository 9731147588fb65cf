"""Running a case: its steps through the judge's doors, its expectations against what a director would see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bansha.bbcode import has_markup
from bansha.cases.read import CAUSES, KINDS, Case, Malformed, Step, local, minutes, read_case
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import ABSTAIN, ELECTION, EXILE
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.holdings import holdings, open_skills
from bansha.referee.judge import NEVER, due
from bansha.referee.legality import PROMPT_VERBS, holder_of
from bansha.referee.reading import read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import DAWN, DAY, DUSK, OVER, SETUP

ORDERED = frozenset({"out", "last_words"})


class Failed(Exception):
    """A step did not come out as the case says."""


class Runner:
    """One case being played. `run` raises Failed at the first step that does not hold."""

    def __init__(self, case: Case) -> None:
        self.case = case
        board = case.board
        self.game = Game(board, Dice.from_seed(case.seed))
        self.now = case.start - board.rules.calendar.setup_minutes
        opening = c.Open(case.options, case.names, case.deal, case.start, case.history)
        self.game.do(c.Record([e.Seeded(case.seed)]), self.now, "town")
        self.game.do(opening, self.now, "town")
        self.marks = [0]
        self.posts: dict[tuple[str, int], list[int]] = {}
        self.ref = 0

    @property
    def state(self) -> Any:
        """The state of the game."""
        return self.game.state

    def happened(self) -> list[tuple[int, e.Event]]:
        """(minute, event) since the end of the close or clock step before the latest one."""
        start = self.marks[-2] if len(self.marks) > 1 else 0
        return [(entry[0], event) for entry in self.game.entries[start:] for event in entry[4]]

    def run(self) -> None:
        """Play all steps.

        Raises:
            Failed: naming the step, what was expected and what came.
        """
        for step in self.case.steps:
            try:
                if step.kind == "refuse":
                    self._refuse(step)
                elif step.kind != "expect":
                    self._submit(step)
                self._expect(step)
            except Failed as failure:
                raise Failed(f"step {step.number}: {failure}") from None

    # --- submissions ----------------------------------------------------------------------------------------------

    def _refuse(self, step: Step) -> None:
        assert step.inner is not None
        kept = self._keep()
        try:
            self._play(step.inner)
        except Refused as refusal:
            self._back(kept)
            if step.code and refusal.code != step.code:
                raise Failed(f"refuse: expected {step.code}, got {refusal.code} ({refusal.zh})") from None
            return
        self._back(kept)
        raise Failed(f"refuse: expected a refusal of {step.inner.kind}, but it was accepted")

    def _submit(self, step: Step) -> None:
        if step.kind in ("close", "clock"):
            self._play(step)
            self.marks.append(len(self.game.entries))
            return
        several = step.kind not in ("card", "uncard", "director", "surrender", "substitute", "assistant")
        kept = self._keep() if several else None
        try:
            self._play(step)
        except Refused as refusal:
            if kept is not None:
                self._back(kept)
            raise Failed(f"{step.kind}: refused: {refusal.code} ({refusal.zh})") from None

    def _keep(self) -> tuple[Any, int, dict[tuple[str, int], list[int]], int]:
        return self.game.state.copy(), len(self.game.entries), {k: list(v) for k, v in self.posts.items()}, self.ref

    def _back(self, kept: tuple[Any, int, dict[tuple[str, int], list[int]], int]) -> None:
        self.game.state, count, self.posts, self.ref = kept
        del self.game.entries[count:]

    def _do(self, command: c.Command, by: str) -> list[e.Event]:
        return self.game.do(command, self.now, by)

    def _play(self, step: Step) -> None:
        getattr(self, f"_{step.kind}")(step.value)

    def _ballot(self, election: bool) -> int:
        if election:
            return ELECTION
        ballots = self.state.ballots
        return EXILE if EXILE in ballots or not ballots else ballots[0]

    def _act(self, value: Any) -> None:
        for seat, choices in value:
            named: dict[int, Any] = {}
            for candidates, targets in choices:
                named[self._which(seat, candidates)] = targets
            self._do(c.Act(seat, named), f"seat {seat}")

    def _which(self, seat: int, candidates: Sequence[int]) -> int:
        """Of skills that share a name, the one this seat can hand in."""
        s, skills = self.state, self.case.board.skills
        if len(candidates) == 1:
            return candidates[0]
        for index in candidates:
            skill = skills[index]
            holder = holder_of(s, seat, skill)
            if skill.verb in PROMPT_VERBS or (holder and not s.hands[holder][index].spent):
                return index
        return candidates[0]

    def _vote(self, value: Any) -> None:
        for seat, target in value:
            self._do(c.Vote(seat, self._ballot(False), target), f"seat {seat}")

    def _elect(self, value: Any) -> None:
        for seat, target in value:
            self._do(c.Vote(seat, ELECTION, target), f"seat {seat}")

    def _change(self, value: Any) -> None:
        for seat, target in value:
            self._do(c.Change(seat, self._ballot(False), target), f"seat {seat}")

    def _change_elect(self, value: Any) -> None:
        for seat, target in value:
            self._do(c.Change(seat, ELECTION, target), f"seat {seat}")

    def _proxy(self, value: Any) -> None:
        for seat, target in value:
            ballot = self._ballot(False)
            self._do(c.Proxy(seat, ballot, target, self._new_ref("ballot" if ballot == EXILE else "election")), "director 1")

    def _new_ref(self, thread: str) -> int:
        self.ref += 1
        if self.state.ballots == (ELECTION,) and thread == "ballot":
            thread = "election"
        self.posts.setdefault((thread, self.state.day), []).append(self.ref)
        return self.ref

    def _post(self, value: Any) -> None:
        seat, thread, text, quote, times = value
        for _ in range(times):
            where = "election" if self.state.ballots == (ELECTION,) and thread == "ballot" else thread
            made = self.posts.get((where, self.state.day), [])
            quoted = made[quote - 1] if 0 < quote <= len(made) else 0
            reading = read_post(text, self.case.board.patterns, thread in ("ballot", "election"))
            ref = self._new_ref(thread)
            self._do(c.Post(seat, thread, ref, "", quoted, reading), f"seat {seat}")

    def _card(self, value: Any) -> None:
        self._do(c.Card(*value), "director 1")

    def _uncard(self, value: Any) -> None:
        self._do(c.Uncard(*value), "director 1")

    def _petition(self, value: Any) -> None:
        kind, by = value
        for seat in by:
            self._do(c.Sign(seat, kind), f"seat {seat}")

    def _surrender(self, value: Any) -> None:
        answer, seat = value
        self._do(c.Surrender(seat, answer), f"seat {seat}")

    def _last_words(self, value: Any) -> None:
        for seat, text in value:
            markup = "BBCode" if has_markup(text) else ""
            self._do(c.LastWords(seat, "", markup, not text.strip()), f"seat {seat}")

    def _substitute(self, value: Any) -> None:
        self._do(c.Substitute(value), "director 1")

    def _assistant(self, value: Any) -> None:
        self._do(c.Assistant(value), "director 1")

    def _director(self, value: Any) -> None:
        act, parsed, reason = value
        if act == "void_act":
            parsed = [parsed[0], self._which(*parsed)]
        elif act == "correct":
            parsed = [parsed[0], self._which(parsed[0], parsed[1]), parsed[2]]
        self._do(c.Direct(act, parsed, reason), "director 1")

    # --- time -----------------------------------------------------------------------------------------------------

    def _clock(self, value: int) -> None:
        self.game.advance(value)
        self.now = max(self.now, value)

    def _until(self, done: Callable[[], bool]) -> None:
        while not done() and due(self.state) < NEVER:
            self.game.step()
            self.now = max(self.now, self.state.now)

    def _close(self, phase: str) -> None:
        s = self.state
        if s.phase == OVER:
            return
        if phase == "setup":
            self._until(lambda: s.phase != SETUP)
        elif phase == "day":
            self._until(lambda: s.phase in (DAY, OVER))
            self._until(lambda: s.phase != DAY)
        elif phase == "dusk":
            self._until(lambda: s.phase != DUSK)
        elif phase == "dawn" or s.phase == DAWN:
            self._until(lambda: s.phase in (DAY, OVER))
        else:
            if s.phase in (SETUP, DAY):
                self._until(lambda: s.phase not in (SETUP, DAY))
            self._until(lambda: s.phase in (DAY, DAWN, OVER))

    # --- expectations ---------------------------------------------------------------------------------------------

    def _expect(self, step: Step) -> None:
        for key, expected in step.expect.items():
            getattr(self, f"_see_{key}")(key, expected)

    def _same(self, key: str, expected: Any, got: Any) -> None:
        if expected != got:
            raise Failed(f"{key}: expected {_show(expected)}, got {_show(got)}")

    def _as_set(self, key: str, expected: Iterable[Any], got: Iterable[Any]) -> None:
        if set(expected) != set(got):
            raise Failed(f"{key}: expected {_show(sorted(expected, key=str))}, got {_show(sorted(got, key=str))}")

    def _see_phase(self, key: str, expected: Any) -> None:
        self._same(key, expected, self.state.phase_name())

    def _see_now(self, key: str, expected: Any) -> None:
        self._same(key, local(minutes(expected)), local(self.now))

    def _see_closes_at(self, key: str, expected: Any) -> None:
        self._same(key, local(minutes(expected)), local(self.state.closes_at))

    def _see_alive(self, key: str, expected: Any) -> None:
        self._as_set(key, expected, self.state.seats(self.state.alive))

    def _see_out(self, key: str, expected: Any) -> None:
        self._same(key, expected, self.state.out_order)

    def _see_causes(self, key: str, expected: Any) -> None:
        for seat, cause in expected.items():
            id = self.state.cause.get(seat, "none")
            skill = self.case.board.skill_index.get(id, -1)
            same = CAUSES.get(cause, cause or "none") == id or skill in self.case.board.names_skill.get(cause, [])
            if not same:
                got = self.case.board.skill_zh(skill) if skill >= 0 else next((zh for zh, x in CAUSES.items() if x == id), id)
                raise Failed(f"{key}: {seat}: expected {cause}, got {got}")

    def _faction(self, name: Any) -> Any:
        index = self.case.board.names_faction.get(name) if isinstance(name, str) else None
        return self.case.board.faction_zh(index) if index is not None else name

    def _see_winner(self, key: str, expected: Any) -> None:
        winner = self.state.winner
        got = None if winner is None else ("none" if winner < 0 else self.case.board.faction_zh(winner))
        self._same(key, self._faction(expected), got)

    def _see_lost(self, key: str, expected: Any) -> None:
        self._as_set(key, [self._faction(x) for x in expected], [self.case.board.faction_zh(f) for f in self.state.lost])

    def _see_sheriff(self, key: str, expected: Any) -> None:
        self._same(key, None if expected == "none" else expected, self.state.sheriff or None)

    def _value(self, value: Any) -> Any:
        """A private answer as a case file writes it."""
        if isinstance(value, str):
            if value == "other":
                return "其他阵营"
            if value.startswith("!"):
                return f"非{self._faction(value[1:])}"
            return self._faction(value)
        if isinstance(value, dict):
            return {int(seat): self._faction(name) for seat, name in value.items()}
        return value

    def _see_feedback(self, key: str, expected: Any) -> None:
        board = self.case.board
        got: dict[int, dict[str, Any]] = {}
        for _, event in self.happened():
            if isinstance(event, e.Told):
                got.setdefault(event.seat, {})[board.skill_zh(event.skill)] = self._value(event.value)
        for seat, answers in expected.items():
            wanted = {}
            for name, value in answers.items():
                if isinstance(value, str):
                    value = self._faction(value)
                elif isinstance(value, dict):
                    value = {other: self._faction(f) for other, f in value.items()}
                wanted[board.skill_zh(board.names_skill[name][0])] = value
            if wanted != got.get(seat, {}):
                raise Failed(f"{key}: {seat}: expected {_show(wanted)}, got {_show(got.get(seat, {}))}")

    def _see_announced(self, key: str, expected: Any) -> None:
        got: dict[str, list[Any]] = {}
        for _, event in self.happened():
            if isinstance(event, e.Announced):
                got.setdefault(event.kind, []).append(event.value)
        for name, value in expected.items():
            kind = name
            if name not in got and name in self.case.board.names_skill:
                kind = self.case.board.skill_zh(self.case.board.names_skill[name][0])
            values = got.get(kind, [])
            if value is None:
                if values:
                    raise Failed(f"{key}: {name}: expected nothing announced, got {_show(values[-1])}")
                continue
            if not values or (values[-1] != value and values != value and value not in (values if kind != "出局" else ())):
                raise Failed(f"{key}: {name}: expected {_show(value)}, got {_show(values[-1] if values else None)}")

    def _counts(self, ballot: int) -> dict[int, Any]:
        return {seat: (halves // 2 if halves % 2 == 0 else halves / 2) for seat, halves in self.state.last_count[ballot]}

    def _see_tally(self, key: str, expected: Any) -> None:
        self._same(key, expected, self._counts(EXILE))

    def _see_elect_tally(self, key: str, expected: Any) -> None:
        self._same(key, expected, self._counts(ELECTION))

    def _see_ballot(self, key: str, expected: Any) -> None:
        votes = self.state.vote[self._ballot(False)]
        got = {seat: (target or ABSTAIN) for seat, target in enumerate(votes) if target >= 0}
        self._same(key, expected, got)

    def _skills(self, names: Iterable[str]) -> set[str]:
        board = self.case.board
        return {board.skill_zh(board.names_skill[name][0]) for name in names}

    def _see_holds(self, key: str, expected: Any) -> None:
        board = self.case.board
        for seat, names in expected.items():
            got = {board.skill_zh(k) for k in holdings(self.state, seat)}
            if self._skills(names) != got:
                raise Failed(f"{key}: {seat}: expected {_show(sorted(names))}, got {_show(sorted(got))}")

    def _see_open(self, key: str, expected: Any) -> None:
        board = self.case.board
        for seat, names in expected.items():
            got = {board.skill_zh(k) for k in open_skills(self.state, seat)}
            if self._skills(names) != got:
                raise Failed(f"{key}: {seat}: expected {_show(sorted(names))}, got {_show(sorted(got))}")

    def _see_faction(self, key: str, expected: Any) -> None:
        for seat, name in expected.items():
            index = self.state.faction[seat]
            got = self.case.board.faction_zh(index) if index >= 0 else None
            wanted = None if name in (None, "none") else self._faction(name)
            if wanted != got:
                raise Failed(f"{key}: {seat}: expected {name}, got {got}")

    def _see_den(self, key: str, expected: Any) -> None:
        for seat, others in expected.items():
            mask = 0
            for den in self.state.dens:
                if den >> seat & 1:
                    mask |= den
            self._as_set(f"{key}: {seat}", others, [x for x in self.state.seats(mask) if x != seat])

    def _see_knows(self, key: str, expected: Any) -> None:
        board = self.case.board
        for seat, others in expected.items():
            got = {other: board.faction_zh(f) for other, f in self.state.knows[seat]}
            wanted = {other: self._faction(name) for other, name in others.items()}
            for other, name in others.items():
                if other in got and board.names_role.get(name) == self.state.role[other]:
                    wanted[other] = got[other]
            if wanted != got:
                raise Failed(f"{key}: {seat}: expected {_show(wanted)}, got {_show(got)}")

    def _see_charmed(self, key: str, expected: Any) -> None:
        self._as_set(key, expected, self.state.seats(self.state.charmed))

    def _see_cards(self, key: str, expected: Any) -> None:
        for seat, cards in expected.items():
            blue, yellow, red = self.state.cards_of(seat)
            got = {"blue": blue, "yellow": yellow, "red": red}
            wanted = {"blue": 0, "yellow": 0, "red": 0, **cards}
            if wanted != got:
                raise Failed(f"{key}: {seat}: expected {_show(wanted)}, got {_show(got)}")

    def _clauses(self, kind: type[e.Event], key: str, expected: Any) -> None:
        got: dict[int, set[str]] = {}
        for _, event in self.happened():
            if isinstance(event, kind):
                got.setdefault(event.seat, set()).add(event.clause)  # type: ignore[attr-defined]
        for seat, clauses in expected.items():
            if set(map(str, clauses)) != got.get(seat, set()):
                raise Failed(f"{key}: {seat}: expected {_show(clauses)}, got {_show(sorted(got.get(seat, set())))}")

    def _see_proposed(self, key: str, expected: Any) -> None:
        self._clauses(e.CardProposed, key, expected)

    def _see_flagged(self, key: str, expected: Any) -> None:
        self._clauses(e.Flagged, key, expected)

    def _see_last_words(self, key: str, expected: Any) -> None:
        self._same(key, expected, self.state.entitled())

    def _see_sped_up(self, key: str, expected: Any) -> None:
        self._same(key, expected, self.state.sped_up)

    def _see_awards_excluded(self, key: str, expected: Any) -> None:
        s = self.state
        excludes = self.case.board.rules.cards.yellow_excludes
        got = [seat for seat in range(1, s.n + 1) if s.had_yellow(seat)] if excludes else []
        self._as_set(key, expected, got)


def _show(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_show(x) for x in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_show(v)}" for k, v in value.items()) + "}"
    return str(value)


def files(paths: Iterable[Path]) -> list[Path]:
    """Case files named, and those in folders named, in order."""
    found: list[Path] = []
    for path in paths:
        found.extend(sorted(path.rglob("*.yaml")) if path.is_dir() else [path])
    return found


def run_files(paths: Iterable[Path], say: Callable[[str], None]) -> int:
    """Run case files; one line a file, a closing line; 0 all hold, 1 one failed, 2 a file is malformed."""
    passed = failed = malformed = 0
    for path in files(paths):
        try:
            case = read_case(path)
        except Malformed as error:
            malformed += 1
            say(f"BAD   {error.file}:{error.line}  {error.what}")
            continue
        try:
            Runner(case).run()
        except Failed as failure:
            failed += 1
            say(f"FAIL  {path}  {failure}")
            continue
        passed += 1
        say(f"ok  {path}  {case.title}")
    say(f"{passed} passed, {failed + malformed} failed")
    return 2 if malformed else (1 if failed else 0)


__all__ = ["KINDS", "Failed", "Runner", "files", "run_files"]
