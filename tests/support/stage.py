"""A game set up by hand, for tests that look at one moment: roles by seat, acts by skill id, time by phase.

stage = Stage("m205", M205)
stage.act(10, kin=4)
stage.until("day 1")
"""

from __future__ import annotations

from collections.abc import Mapping

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import EXILE, compile_board
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.judge import NEVER, due
from bansha.referee.reading import read_post
from bansha.referee.state import OVER, State
from bansha.rulesets.load import load
from bansha.sight.explain import Line, Question, explain
from bansha.sight.types import MeView, PublicView, SkillView, View, Viewer
from bansha.sight.view import view

MONDAY = 20_584 * 1440 + 9 * 60

M205 = ["wolf"] * 3 + ["civilian"] * 3 + ["seer", "witch", "guard", "hybrid"]
M46 = ["wolf"] * 4 + ["piper", "avenger", "seer", "witch", "guard", "hunter"] + ["villager"] * 4
BAICHIBAI = [
    "hunter", "prophet", "idiot", "witch", "hecate", "crow", "penguin", "swordsman", "priest", "saint", "gaslighter",
    "grandpa", "shadow",
]  # fmt: skip


class Stage:
    """One game under hand."""

    def __init__(self, ruleset: str, roles: list[str], options: Mapping[str, str] | None = None) -> None:
        self.board = compile_board(load(ruleset), options or {})
        self.game = Game(self.board, Dice.from_seed(0))
        start = MONDAY + (720 if self.board.starts_at_night else 0)
        self.now = start - self.board.rules.calendar.setup_minutes
        names = [f"{seat}号" for seat in range(1, len(roles) + 1)]
        self.game.do(c.Record([e.Seeded(0)]), self.now, "town")
        self.game.do(c.Open(dict(options or {}), names, roles, start, {}), self.now, "town")
        self.ref = 0

    @property
    def s(self) -> State:
        """The state."""
        return self.game.state

    def do(self, command: c.Command) -> list[e.Event]:
        """Any command at the present minute."""
        return self.game.do(command, self.now)

    def act(self, seat: int, **skills: c.Targets | int) -> None:
        """Hand skills in by their ids; a number is one target."""
        number = self.board.skill_index
        choices = {number[name]: [given] if type(given) is int else given for name, given in skills.items()}
        self.do(c.Act(seat, choices))  # type: ignore[arg-type]

    def vote(self, votes: Mapping[int, int], ballot: int | None = None) -> None:
        """Votes by the form; 0 abstains."""
        for seat, target in votes.items():
            self.do(c.Vote(seat, ballot if ballot is not None else EXILE if EXILE in self.s.ballots else 1, target))

    def post(self, seat: int, thread: str, text: str, quote: int = 0) -> int:
        """A post; its reference."""
        self.ref += 1
        ballot = thread in ("ballot", "election")
        self.do(c.Post(seat, thread, self.ref, "", quote, read_post(text, self.board.patterns, ballot)))
        return self.ref

    def direct(self, act: str, value: object) -> None:
        """A director's act."""
        self.do(c.Direct(act, value, "理由"))

    def until(self, phase: str) -> None:
        """Let time run until the directors' phase is this one."""
        while self.s.phase_name() != phase and self.s.phase != OVER and due(self.s) < NEVER:
            self.game.step()
            self.now = max(self.now, self.s.now)
        assert self.s.phase_name() == phase, f"{self.s.phase_name()} instead of {phase}"

    def wait(self, minutes: int) -> None:
        """Let minutes pass, and do what falls due."""
        self.now += minutes
        self.game.advance(self.now)

    def view(self, viewer: Viewer) -> View:
        """A view at the present minute."""
        return view(self.s, viewer, self.now)

    def public(self) -> PublicView:
        """What everybody sees."""
        return self.view(Viewer("public")).public

    def me(self, seat: int) -> MeView:
        """What a seat sees."""
        me = self.view(Viewer("player", seat)).me
        assert me is not None
        return me

    def skill(self, seat: int, name: str) -> SkillView:
        """One skill as its holder sees it."""
        return next(skill for skill in self.me(seat).skills if skill.id == name)

    def why(self, viewer: Viewer, question: Question) -> list[Line]:
        """A trace."""
        return explain(self.game.entries, self.board, viewer, question)

    def trace(self, viewer: Viewer, question: Question) -> str:
        """A trace as one Chinese text."""
        return " ".join(line.text.zh for line in self.why(viewer, question))
