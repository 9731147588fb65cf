"""A random game played twice, by the referee and by a model of the law, and compared after every step.

Choices are drawn from what the model knows, legal and illegal ones; the referee goes first, and what it drew from the
recorded stream the model takes over, after a look at the options. A game is repeated by its seed:

    python -m tests.properties.duel m46 17
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random
from typing import Any

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import ELECTION, EXILE, compile_board
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.holdings import holdings
from bansha.referee.judge import due
from bansha.referee.reading import Reading
from bansha.referee.refusals import Refused
from bansha.rulesets.load import load
from tests.properties.chooser import Action, Chooser
from tests.properties.model_baichibai import Baichibai
from tests.properties.model_common import NEVER, PACK, Illegal, Model
from tests.properties.model_m46 import M46
from tests.properties.model_m205 import M205

MODELS: dict[str, type[Model]] = {"m205": M205, "m46": M46, "baichibai": Baichibai}
MONDAY = 20_584 * 1440  # 2026-05-11
LONGEST = 12  # days


class Disagreement(AssertionError):
    """Referee and model differ."""


# --- one game, twice ----------------------------------------------------------------------------------------------


class Duel:
    """One game under both."""

    def __init__(self, name: str, seed: int, kind: type[Model] | None = None) -> None:
        self.name, self.seed = name, seed
        kind = kind or MODELS[name]
        self.rng = Random(f"{name} {seed}")
        options = {option: self.rng.choice(values) for option, values in kind.OPTIONS.items()}
        deal = list(kind.SEATS)
        self.rng.shuffle(deal)
        start = MONDAY + 1440 * self.rng.randrange(7) + (21 if kind.STARTS_AT_NIGHT else 9) * 60
        self.board = compile_board(load(name), options)
        self.game = Game(self.board, Dice.from_seed(seed))
        names = [f"{seat}号" for seat in range(1, len(deal) + 1)]
        self.game.do(c.Record([e.Seeded(seed)]), start - 360, "town")
        self.game.do(c.Open(options, names, deal, start, {}), start - 360, "town")
        self.model = kind(deal, options, start, self.draw)
        self.drawn: list[e.Drawn] = []
        self.trace: list[str] = [f"{options}", f"{dict(enumerate(deal, 1))}"]

    def draw(self, label: str, options: Sequence[int], count: int) -> list[int]:
        """The referee's draw, if its options were the legal ones."""
        found = next((drawn for drawn in self.drawn if drawn.label == label), None)
        if found is None:
            raise Disagreement(f"the law draws {label} from {options}, the referee does not")
        self.drawn.remove(found)
        if sorted(found.options) != sorted(options) or len(found.chosen) != count:
            raise Disagreement(f"{label}: the law draws {count} from {options}, the referee {found.chosen} from {found.options}")
        return list(found.chosen)

    def play(self) -> Model:
        """To the end, or to a day that is late enough.

        Raises:
            Disagreement: naming the seed, what differs, and the way there.
            RuntimeError: one of the two fell over; the same.
        """
        chooser = Chooser(self.model, self.rng)
        try:
            while not self.model.over and self.model.day < LONGEST:
                at = chooser.when()
                self.step(at, chooser.what(at))
        except Disagreement as found:
            raise Disagreement(self.explain(str(found))) from None
        except Exception as error:
            raise RuntimeError(self.explain(f"{type(error).__name__}: {error}")) from error
        return self.model

    def explain(self, what: str) -> str:
        """The report of a disagreement."""
        way = "\n".join(f"  {line}" for line in self.trace[:2] + self.trace[2:][-25:])
        return f"{self.name} seed {self.seed}: {what}\n{way}\nrepeat: python -m tests.properties.duel {self.name} {self.seed}"

    def step(self, at: int, action: Action) -> None:
        """Both let time pass until this minute and are asked the same."""
        model, game = self.model, self.game
        name, args = action
        before = len(game.entries)
        self.trace.append(f"{clock(at)} {name} {args}  [{model.phase} {model.day}]")
        refused = ""
        try:
            if name == "wait":
                game.advance(at)
            else:
                for _ in range(args[1] if name == "post" else 1):
                    game.do(self.command(name, args), at, "")
        except Refused as refusal:
            refused = refusal.code
        events = [(entry[0], event) for entry in game.entries[before:] for event in entry[4]]
        self.drawn = [event for _, event in events if isinstance(event, e.Drawn)]
        model.log.clear()
        model.run(at)
        illegal = ""
        try:
            if name != "wait":
                getattr(model, name)(*args)
        except Illegal as reason:
            illegal = str(reason)
        if bool(refused) != bool(illegal):
            raise Disagreement(f"{name} {args}: referee {refused or 'accepts'}, law {illegal or 'accepts'}")
        if refused:
            self.trace[-1] += f"  refused: {refused}"
        if self.drawn:
            raise Disagreement(f"the referee draws {self.drawn}, the law does not")
        if len(game.entries) > before or model.log:
            self.compare(events)

    def command(self, name: str, args: tuple[Any, ...]) -> c.Command:
        """The referee's command for a method of the model."""
        number = self.board.skill_index
        if name == "act":
            return c.Act(args[0], {number[skill]: targets for skill, targets in args[1].items()})
        if name in ("take_out", "void_vote"):
            value: Any = {"take_out": args[0], "void_vote": list(args)}[name]
            return c.Direct({"take_out": "out"}.get(name, name), value, "试")
        if name == "judge_lost":
            return c.Direct("lose", self.board.faction_index[args[0]], "试")
        if name == "direct":
            return c.Direct(args[0], True, "试")
        if name == "post":
            return c.Post(args[0], "discussion", 1, "", 0, Reading())
        makers = {
            "vote": c.Vote, "change": c.Change, "proxy": c.Proxy, "sign": c.Sign, "card": c.Card, "uncard": c.Uncard,
            "surrender": c.Surrender,
        }  # fmt: skip
        return c.LastWords(args[0], "") if name == "last_words" else makers[name](*args)

    # --- the comparison -------------------------------------------------------------------------------------------

    def compare(self, events: Sequence[tuple[int, e.Event]]) -> None:
        """Everything a director would see.

        Raises:
            Disagreement: at the first thing that differs.
        """
        said = sorted(filter(None, (self.said(at, event) for at, event in events)), key=repr)
        law = sorted(self.model.log, key=repr)
        if said != law:
            only = [item for item in said if item not in law], [item for item in law if item not in said]
            raise Disagreement(f"the referee alone says {only[0]}, the law alone says {only[1]}")
        theirs, ours = self.seen(), self.expected()
        for key, value in ours.items():
            if theirs[key] != value:
                raise Disagreement(f"{key}: referee {theirs[key]}, law {value}")

    def said(self, at: int, event: e.Event) -> tuple[Any, ...] | None:
        """An event as the model's log has it."""
        if isinstance(event, e.Announced):
            return ("announced", at, event.kind, event.value)
        if isinstance(event, e.Told):
            return ("told", at, event.seat, self.board.skill_ids[event.skill], event.value)
        if isinstance(event, e.CardProposed):
            return ("proposed", event.seat, event.colour, event.clause)
        if isinstance(event, e.Lapsed) and event.code != "out":  # the law says nothing of what someone out kept
            holder = event.holder if event.holder <= self.model.n else PACK
            return ("lapsed", at, holder, self.board.skill_ids[event.skill])
        return None

    def seen(self) -> dict[str, Any]:
        """The referee's state."""
        s, board = self.game.state, self.board
        seats = range(1, s.n + 1)
        ids = board.skill_ids
        asked = s.prompt
        day = s.phase_name().startswith("day")
        return {
            "phase": s.phase_name(),
            "out": list(s.out_order),
            "causes": dict(s.cause),
            "alive": set(s.seats(s.alive)),
            "public": set(s.seats(s.public_alive)) if s.winner is None else set(),
            "winner": None if s.winner is None else ("none" if s.winner < 0 else board.faction_ids[s.winner]),
            "lost": {board.faction_ids[faction] for faction in s.lost},
            "factions": {seat: board.faction_ids[s.faction[seat]] if s.faction[seat] >= 0 else "" for seat in seats},
            "holds": {seat: {ids[k] for k in holdings(s, seat)} for seat in seats},
            "last words": s.entitled(),
            "dens": {seat: {x for den in s.dens if den >> seat & 1 for x in s.seats(den)} for seat in seats},
            "known": {seat: {other for other, _ in s.knows[seat]} for seat in seats},
            "told": set(s.seats(s.told_out)),
            "sheriff": s.sheriff,
            "charmed": set(s.seats(s.charmed)),
            "heretics": set(s.seats(next(iter(s.heretics.values()), 0))),
            "cards": {seat: s.cards_of(seat) for seat in seats},
            "votes": [{x: target for x, target in enumerate(s.vote[b]) if target >= 0} if day else {} for b in (EXILE, ELECTION)],
            "tallies": [{seat: halves / 2 for seat, halves in s.last_count[b]} for b in (EXILE, ELECTION)],
            "day": (s.closes_at, s.sped_up) if day else None,
            "prompt": (ids[asked.skill], asked.seat, asked.until) if asked else None,
            "due": due(s),
        }

    def expected(self) -> dict[str, Any]:
        """The model's."""
        m = self.model
        day = m.phase == "day"
        dens = {seat: {x for den in m.dens() if seat in den for x in den} for seat in m.role}
        known = {seat: {x for group in m.knowing() if seat in group for x in group - {seat}} for seat in m.role}
        return {
            "phase": m.phase if m.phase in ("setup", "over") else f"{m.phase} {m.day}",
            "out": m.out,
            "causes": m.cause,
            "alive": m.alive,
            "public": m.public if not m.over else set(),
            "winner": m.winner,
            "lost": m.lost,
            "factions": m.faction,
            "holds": {seat: m.holds(seat) for seat in m.role},
            "last words": m.entitled(),
            "dens": dens,
            "known": known if m.phase != "setup" else {seat: set() for seat in m.role},
            "told": set(m.told_at) if not m.over else set(m.out),
            "sheriff": m.sheriff,
            "charmed": getattr(m, "charmed", set()),
            "heretics": getattr(m, "heretics", set()),
            "cards": {seat: m.standing(seat) for seat in m.role},
            "votes": [{seat: vote[0] for seat, vote in m.votes[b].items()} if day else {} for b in (EXILE, ELECTION)],
            "tallies": [m.counted[b] for b in (EXILE, ELECTION)],
            "day": (m.closes, m.sped_up) if day else None,
            "prompt": (m.prompt.skill, m.prompt.seat, m.prompt.until) if m.prompt else None,
            "due": m.due() if m.due() < NEVER else due(self.game.state),
        }


def clock(minute: int) -> str:
    """Day and hour for a trace."""
    return f"{'一二三四五六日'[(minute // 1440 + 3) % 7]} {minute // 60 % 24:02d}:{minute % 60:02d}"


def play(name: str, seed: int, kind: type[Model] | None = None) -> Model:
    """One game.

    Raises:
        Disagreement: referee and model differ.
    """
    return Duel(name, seed, kind).play()


if __name__ == "__main__":
    duel = Duel(sys.argv[1], int(sys.argv[2]))
    try:
        print(f"agreed: {duel.play().winner}")
    except Disagreement as found:
        print(found)
    print("\n".join(duel.trace))
