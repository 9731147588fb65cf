"""Random choices for a duel, legal and illegal, drawn from what the model knows."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tests.properties.model_common import ELECTION, EXILE, PACK, Model, Targets
from tests.properties.model_m46 import M46

Action = tuple[str, tuple[Any, ...]]
"""A method of the model and its arguments; ("wait", ()) lets time pass."""

PROMPTS = ("play_dumb", "last_shot", "handover")
WORTH = frozenset(  # roles that much hangs on are named more often
    ("seer", "witch", "guard", "hunter", "piper", "avenger", "swordsman", "saint", "hecate", "grandpa", "shadow", "gaslighter")
)


@dataclass
class Mood:
    """How one game is played: shares of the choices that are of a sort."""

    red: float
    out: float
    passing: float
    wild: float  # targets and seats without looking
    busy: float  # how much is done before the clock runs on
    others: float  # petitions, proxies, posts, last words, surrenders
    fewer: int  # whom the director takes out on the first day, so that the end is near


class Chooser:
    """Draws what to do next, from what the model knows."""

    def __init__(self, model: Model, rng: Random) -> None:
        self.m, self.rng = model, rng
        self.mood = Mood(
            red=rng.choice((0, 0, 0.01, 0.04)), out=rng.choice((0, 0, 0.01, 0.03, 0.06)), passing=rng.choice((0.03, 0.1, 0.3)),
            wild=rng.choice((0.02, 0.1, 0.25)), busy=rng.choice((0.4, 1, 1, 2)), others=rng.choice((0.05, 0.12, 0.3)),
            fewer=rng.choice((0, 0, 0, 2, 3, 4)),
        )  # fmt: skip
        self.day = -1
        self.hot: list[int] = []
        self.worth = [seat for seat, role in model.role.items() if role in WORTH]
        self.butt = [rng.choice(self.worth)]  # whom everything hits at night in this game

    def when(self) -> int:
        """The minute of the next thing."""
        m, rng = self.m, self.rng
        due = m.due()
        if m.phase == "night" and m.settled and rng.random() < 0.8:
            return due
        if rng.random() < 0.08:
            return max(m.now, due - rng.randint(0, 1))
        spans = {"setup": 70, "day": (m.closes - m.opened) / 30, "dusk": 4, "dawn": 6, "night": 60 if m.settled else 2.2}
        return m.now + round(rng.expovariate(1) * spans[m.phase] / self.mood.busy)

    def what(self, at: int) -> Action:
        """What is tried at that minute."""
        m, rng, mood = self.m, self.rng, self.mood
        if at >= m.due() and rng.random() < 0.9:
            return ("wait", ())
        if m.day != self.day:
            self.day = m.day
            kept = [seat for seat in self.hot[1:3] if seat in m.alive]
            others = sorted(m.alive - set(kept))
            self.hot = kept + rng.sample(others, min(2, len(others)))
        roll = rng.random()
        if m.phase == "day" and mood.fewer:
            mood.fewer -= 1
            return ("take_out", (rng.choice(sorted(m.alive - set(self.butt))),))
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
        among = self.butt if roll < 0.35 else self.hot[:3] if roll < 0.6 else self.worth if roll < 0.75 else sorted(self.m.public)
        return self.rng.choice([seat for seat in among if seat in self.m.public] or [1])

    # --- votes ----------------------------------------------------------------------------------------------------

    def vote(self) -> Action:
        """A vote or a change."""
        m, rng = self.m, self.rng
        ballot = rng.choice(m.ballots) if rng.random() < 0.97 else rng.choice((EXILE, ELECTION))
        free = [seat for seat in sorted(m.alive) if seat not in m.votes[ballot]]
        seat = rng.choice(free) if free and rng.random() < 0.8 else self.anyone()
        near = [x for x in (self.butt if ballot == ELECTION else self.hot[:2]) if x in m.public]
        target = rng.choice(near) if near and rng.random() < 0.65 else (0 if rng.random() < 0.15 else self.anyone())
        name = "vote" if seat not in m.votes[ballot] else rng.choice(("change", "change", "vote"))
        if rng.random() < 0.03:
            name = rng.choice(("change", "proxy"))
        return (name, (seat, ballot, target))

    # --- skills ---------------------------------------------------------------------------------------------------

    def act(self) -> Action:
        """One skill, or two, of a seat."""
        m, rng = self.m, self.rng
        hands = {seat: self.hand(seat) for seat in sorted(m.alive)}
        able = [seat for seat, hand in hands.items() if hand]
        silent = [seat for seat in able if all((holder, skill) not in m.kept for holder in (seat, PACK) for skill in hands[seat])]
        among = silent if silent and rng.random() < 0.75 else able
        seat = rng.choice(among) if among and rng.random() > self.mood.wild / 2 else self.anyone()
        hand = hands.get(seat) or []
        if not hand or rng.random() < self.mood.wild / 4:
            hand = sorted(m.RULES)
        skills = rng.sample(hand, 2 if len(hand) > 1 and rng.random() < 0.15 else 1)
        return ("act", (seat, {skill: self.targets(skill) for skill in skills}))

    def hand(self, seat: int) -> list[str]:
        """What the seat could hand in at this time of the game, as far as a glance tells."""
        m = self.m
        hands = [m.hands[seat], m.hands[PACK] if m.in_pack(seat) else {}]
        held = [skill for hand in hands for skill, own in hand.items() if not own.spent and not m.RULES[skill].automatic]
        if m.phase == "setup":
            return [skill for skill in held if skill in m.SETUP]
        return [skill for skill in held if m.phase not in ("dusk", "night") or m.stage_of(skill) >= m.stage]

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
        others = [skill for skill in PROMPTS if skill in self.m.RULES]
        skill = prompt.skill if rng.random() > self.mood.wild / 4 else rng.choice(others)
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
        near = [seat for seat in self.hot[:2] if seat in m.alive]  # those who have most votes
        near = m.news if m.news and rng.random() < 0.15 else near
        seat = rng.choice(near) if near and rng.random() < 0.5 else self.anyone()
        return ("card", (seat, colour or "yellow", clause, colour == "red" and rng.random() < 0.15))

    def surrender(self, m: M46) -> Action:
        """A proposal, or mostly an answer."""
        rng = self.rng
        if m.proposed and rng.random() < 0.9:
            return ("surrender", (rng.choice(sorted(m.asked)), "agree" if rng.random() < 0.8 else "decline"))
        return ("surrender", (self.anyone(), rng.choice(("", "", "", "agree", "decline"))))

    def rare(self, seat: int) -> Action:
        """A director's act that no game has often."""
        m, rng = self.m, self.rng
        if rng.random() < 0.5 and m.cards[seat]:
            return ("uncard", (seat, *rng.choice([*m.cards[seat], ("red", "8.1")])))
        if rng.random() < 0.1 and m.MAY_JUDGE:
            return ("judge_lost", (rng.choice(m.ORDER),))
        if rng.random() < 0.3:
            return ("direct", (rng.choice(("speed_up", "extend")),))
        return self.card()

    def other(self) -> Action:
        """Something that is neither vote nor skill."""
        m, rng = self.m, self.rng
        name = rng.choice(("post", "post", "sign", "sign", "proxy", "void_vote", "card", "last_words", "surrender", "rare"))
        if isinstance(m, M46) and m.proposed and rng.random() < 0.5:
            name = "surrender"
        seat = self.anyone()
        if name == "sign":
            kinds = [kind for kind, signed in m.signed.items() if signed and kind not in m.passed]
            kind = rng.choice(kinds) if kinds and rng.random() < 0.7 else rng.choice(("speed_up", "speed_up", "extend", "abort"))
            fresh = sorted(m.alive - m.signed.get(kind, set()))
            return (name, (rng.choice(fresh) if fresh and rng.random() < 0.8 else seat, kind))
        if name == "proxy":
            return (name, (seat, rng.choice(m.ballots or (EXILE,)), self.target()))
        if name == "void_vote":
            return (name, (seat, rng.choice(m.ballots or (EXILE,))))
        if name == "card":
            return self.card()
        if name == "last_words":
            return (name, (rng.choice(m.out) if m.out and rng.random() < 0.9 else seat,))
        if name == "surrender" and isinstance(m, M46):
            return self.surrender(m)
        if name == "rare":
            return self.rare(seat)
        return ("post", (seat, rng.randint(1, 12)))
