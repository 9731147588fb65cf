"""A random game played twice, by the referee and by a model of the law, and compared after every step.

Choices are drawn from what the model knows, legal and illegal ones; the referee goes first, and what it drew from the
recorded stream the model takes over, after a look at the options. A game is repeated by its seed:

    python -m tests.properties.duel m46 17
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
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
from tests.properties.model_baichibai import Baichibai
from tests.properties.model_common import NEVER, PACK, Illegal, Model, Targets
from tests.properties.model_m46 import M46
from tests.properties.model_m205 import M205

MODELS: dict[str, type[Model]] = {"m205": M205, "m46": M46, "baichibai": Baichibai}
MONDAY = 20_584 * 1440  # 2026-05-11
LONGEST = 12  # days

Action = tuple[str, tuple[Any, ...]]
"""A method of the model and its arguments; ("wait", ()) lets time pass."""


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
        """
        chooser = Chooser(self.model, self.rng)
        try:
            while not self.model.over and self.model.day < LONGEST:
                at = chooser.when()
                self.step(at, chooser.what(at))
        except Disagreement as found:
            raise Disagreement(self.explain(str(found))) from None
        except Exception as error:
            raise Disagreement(self.explain(f"{type(error).__name__}: {error}")) from error
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
        if name == "direct":
            return c.Direct(args[0], True, "试")
        if name == "post":
            return c.Post(args[0], "discussion", 1, "", 0, Reading())
        makers = {
            "vote": c.Vote, "change": c.Change, "proxy": c.Proxy, "sign": c.Sign, "card": c.Card, "surrender": c.Surrender,
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


# --- random choices -----------------------------------------------------------------------------------------------


@dataclass
class Mood:
    """How one game is played: shares of the choices that are of a sort."""

    red: float
    out: float
    passing: float
    wild: float  # targets and seats without looking
    busy: float
    others: float = 0.12  # petitions, proxies, posts, last words, surrenders
    lore: dict[str, float] = field(default_factory=dict)


class Chooser:
    """Draws what to do next, from what the model knows."""

    def __init__(self, model: Model, rng: Random) -> None:
        self.m, self.rng = model, rng
        self.mood = Mood(
            red=rng.choice((0, 0, 0.01, 0.04)), out=rng.choice((0, 0, 0.01, 0.03)), passing=rng.choice((0.03, 0.1, 0.3)),
            wild=rng.choice((0.02, 0.1, 0.25)), busy=rng.choice((0.4, 1, 1, 2)),
        )  # fmt: skip
        self.day = -1
        self.hot: list[int] = []

    def when(self) -> int:
        """The minute of the next thing."""
        m, rng = self.m, self.rng
        due = m.due()
        if m.phase == "night" and m.settled and rng.random() < 0.8:
            return due
        if rng.random() < 0.08:
            return max(m.now, due - rng.randint(0, 1))
        spans = {"setup": 70, "day": (m.closes - m.opened) / 30, "dusk": 4, "dawn": 6, "night": 60 if m.settled else 2.6}
        return m.now + round(rng.expovariate(1) * spans[m.phase] / self.mood.busy)

    def what(self, at: int) -> Action:
        """What is tried at that minute."""
        m, rng, mood = self.m, self.rng, self.mood
        if at >= m.due():
            m_due: Action = ("wait", ())
            return m_due if rng.random() < 0.9 else self.act()
        if m.day != self.day:
            self.day = m.day
            self.hot = rng.sample(sorted(m.role), 4)
        roll = rng.random()
        if m.phase != "setup":
            if roll < mood.red:
                return self.card("red")
            if roll < mood.red + mood.out:
                return ("take_out", (self.anyone(),))
            if rng.random() < mood.others:
                return self.other()
        if m.prompt and rng.random() < 0.8:
            return self.reply()
        if m.phase == "day" and rng.random() < 0.62:
            return self.vote()
        return self.act()

    def anyone(self) -> int:
        """A seat, mostly a living one."""
        among = self.m.alive if self.m.alive and self.rng.random() > self.mood.wild else set(self.m.role)
        return self.rng.choice(sorted(among))

    def target(self) -> int:
        """A target, mostly a living one and one of few."""
        roll = self.rng.random()
        if roll < self.mood.wild:
            return self.rng.randint(0, self.m.n + 1)
        near = [seat for seat in self.hot if seat in self.m.public]
        return self.rng.choice(near) if near and roll < 0.6 else self.rng.choice(sorted(self.m.public) or [1])

    # --- votes ----------------------------------------------------------------------------------------------------

    def vote(self) -> Action:
        """A vote or a change."""
        m, rng = self.m, self.rng
        ballot = rng.choice(m.ballots) if rng.random() < 0.97 else rng.choice((EXILE, ELECTION))
        free = [seat for seat in sorted(m.alive) if seat not in m.votes[ballot]]
        seat = rng.choice(free) if free and rng.random() < 0.8 else self.anyone()
        near = [x for x in self.hot[:2] if x in m.public]
        target = rng.choice(near) if near and rng.random() < 0.6 else (0 if rng.random() < 0.15 else self.target())
        name = "vote" if seat not in m.votes[ballot] else rng.choice(("change", "change", "vote"))
        if rng.random() < 0.03:
            name = rng.choice(("change", "proxy"))
        return (name, (seat, ballot, target))

    # --- skills ---------------------------------------------------------------------------------------------------

    def act(self) -> Action:
        """One skill, or two, of a seat."""
        m, rng = self.m, self.rng
        seat = self.anyone()
        hand = [*m.hands[seat], *(m.hands[PACK] if m.in_pack(seat) else ())]
        if not hand or rng.random() < self.mood.wild / 4:
            hand = sorted(m.RULES)
        if m.phase == "setup" and rng.random() < 0.8:
            hand = [skill for skill in hand if skill in m.SETUP] or hand
        skills = rng.sample(hand, 2 if len(hand) > 1 and rng.random() < 0.15 else 1)
        return ("act", (seat, {skill: self.targets(skill) for skill in skills}))

    def targets(self, skill: str) -> Targets:
        """Targets of a skill, or a pass."""
        m, rng, wild = self.m, self.rng, self.mood.wild / 4
        rule = m.RULES.get(skill)
        if rng.random() < self.mood.passing:
            return None
        count = rule.targets if rule else 1
        if skill == "shoot" and rng.random() < 0.3:
            count = 2
        if rng.random() < wild:
            count += rng.choice((-1, 1))
        if count <= 0:
            return True
        if skill == "grudge" and rng.random() < 0.7:
            first = rng.randrange(m.n)
            return [(first + i) % m.n + 1 for i in range(count)]
        if skill == "heretics" and rng.random() < 0.9:
            return rng.sample(sorted(m.role), count)
        return [self.target() for _ in range(count)]

    def reply(self) -> Action:
        """An answer to the open prompt."""
        prompt, rng = self.m.prompt, self.rng
        assert prompt is not None
        skill = prompt.skill if rng.random() > self.mood.wild / 4 else rng.choice([id for id in ("play_dumb", "last_shot", "handover") if id in self.m.RULES])
        choices: dict[str, Targets] = {skill: True if skill == "play_dumb" else self.targets(skill)}
        if skill == "last_shot" and "handover" in self.m.RULES and rng.random() < 0.4:
            choices["handover"] = self.targets("handover")
        return ("act", (prompt.seat if rng.random() > self.mood.wild / 4 else self.anyone(), choices))

    # --- the rest -------------------------------------------------------------------------------------------------

    def card(self, colour: str = "") -> Action:
        """A card."""
        m, rng = self.m, self.rng
        clause = rng.choice(sorted(m.COLOURS))
        if colour:
            clause = rng.choice([id for id, colours in sorted(m.COLOURS.items()) if colour in colours])
        elif rng.random() < 0.9:
            colour = m.COLOURS[clause][0]
        return ("card", (self.anyone(), colour or "yellow", clause, colour == "red" and rng.random() < 0.15))

    def other(self) -> Action:
        """Something that is neither vote nor skill."""
        m, rng = self.m, self.rng
        name = rng.choice(("post", "post", "sign", "sign", "proxy", "void_vote", "card", "last_words", "surrender", "direct"))
        seat = self.anyone()
        if name == "sign":
            return (name, (seat, rng.choice(("speed_up", "speed_up", "extend", "abort"))))
        if name == "proxy":
            return (name, (seat, rng.choice(m.ballots or (EXILE,)), self.target()))
        if name == "void_vote":
            return (name, (seat, rng.choice(m.ballots or (EXILE,))))
        if name == "card":
            return self.card()
        if name == "last_words":
            return (name, (rng.choice(m.out) if m.out and rng.random() < 0.9 else seat,))
        if name == "surrender" and hasattr(m, "surrender"):
            return (name, (seat, rng.choice(("", "", "agree", "agree", "agree", "decline"))))
        if name == "direct" and rng.random() < 0.2:
            return (name, (rng.choice(("speed_up", "extend")),))
        return ("post", (seat, rng.randint(1, 12)))


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
