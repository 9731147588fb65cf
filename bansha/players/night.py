"""What to do with each skill, by its verb: whom to kill, save, check, freeze, charm, curse or join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from bansha.players.beliefs import Beliefs
from bansha.players.intents import Use
from bansha.players.lore import Lore
from bansha.players.memory import Memory
from bansha.sight.types import MeView, SkillView, View

PASS: list[int] | None = None
Choice = list[int] | None
"""Targets, or None for a pass."""


class Night:
    """One seat's choices for one setup or night. `choose` names targets for a skill, None to pass, or WAIT."""

    def __init__(
        self, seat: int, lore: Lore, memory: Memory, beliefs: Beliefs, view: View, rng: Random, allies: frozenset[int]
    ) -> None:
        assert view.me is not None
        self.seat = seat
        self.lore = lore
        self.memory = memory
        self.b = beliefs
        self.view = view
        self.me: MeView = view.me
        self.rng = rng
        self.allies = allies
        self.night = view.public.day
        self.alive = view.public.alive
        self.nights = self.night - (0 if view.public.day == 0 else 1)
        self.victim = 0  # whom the pack kills tonight

    def intents(self) -> list[Use]:
        """Everything that can be handed in now; what is kept already stays."""
        ready = ("open",) if self.view.public.phase == "setup" else ("open", "early")
        skills = [s for s in self.me.skills if s.state in ready and not s.has_kept]
        chosen: dict[str, tuple[SkillView, Choice]] = {}
        for skill in skills:
            raw = self.lore.skill(skill.id)
            if raw.automatic or any(other in chosen and chosen[other][1] is not None for other in raw.excludes):
                continue
            choice = self.choose(skill)
            if choice is WAIT:
                continue
            if choice is None and not skill.may_pass:
                choice = self._any(skill)
            if choice is None or skill.least <= len(choice) <= skill.most:
                chosen[skill.id] = (skill, choice)
        used = [Use(s.id, s.index, choice) for s, choice in chosen.values() if choice is not None]
        passed = [Use(s.id, s.index, None) for s, choice in chosen.values() if choice is None and s.may_pass]
        return used + passed

    def choose(self, skill: SkillView) -> Choice:
        """Targets for a skill, PASS, or WAIT for what will be known later tonight."""
        decide = VERBS.get(skill.verb)
        return decide(self, skill) if decide is not None else WAIT

    def _any(self, skill: SkillView) -> Choice:
        if len(skill.targets) < skill.most:
            return [] if not skill.most else None
        return sorted(self.rng.sample(skill.targets, skill.most))

    # --- helpers --------------------------------------------------------------------------------------------------

    def worst(self, targets: Sequence[int], spread: float = 0.08) -> tuple[int, float]:
        """The likeliest enemy among the targets, with a little chance, and how likely."""
        b, rng = self.b, self.rng
        foes = [seat for seat in targets if seat not in self.allies and seat != self.seat]
        if not foes:
            return 0, 0.0
        best = max(foes, key=lambda seat: b.p[seat] + rng.random() * spread)
        return best, b.p[best]

    def standing(self, seat: int) -> float:
        """What a character seems worth to its side: the role it claims, the badge, and how well it is trusted."""
        claim = self.memory.claims.get(seat)
        worth = 0.35
        if claim is not None:
            worth = self.lore.worth.get(claim.role, 0.3) * self.b.credit.get(seat, 0.5) + 0.1
        if seat == self.view.public.sheriff:
            worth += 0.2
        return worth

    # --- setup ----------------------------------------------------------------------------------------------------

    def join(self, skill: SkillView) -> Choice:
        """A host: anyone, nothing is known yet."""
        return [self.rng.choice(skill.targets)] if skill.targets else PASS

    def heretics(self, skill: SkillView) -> Choice:
        """Half of the others: who talks of nothing can still be marked."""
        return sorted(self.rng.sample(skill.targets, skill.least))

    # --- protection -----------------------------------------------------------------------------------------------

    def mark(self, skill: SkillView) -> Choice:
        """Shields, mute shields, a shield on oneself, or the antidote."""
        raw = self.lore.skill(skill.id)
        if skill.most == 0:
            return [] if self.rng.random() < 0.93 else PASS
        if skill.id in self.lore.mutes:
            return self._mute(skill)
        if raw.limited:
            return self._antidote(skill)
        return self._protect(skill)

    def _mute(self, skill: SkillView) -> Choice:
        own = self.seat in skill.targets and self.rng.random() < 0.4
        pool = [seat for seat in skill.targets if self.b.p[seat] < 0.6] or skill.targets
        return [self.seat if own else self.rng.choice(pool)] if pool else PASS

    def _protect(self, skill: SkillView) -> Choice:
        """Whom the others will want to kill: the believed seer, the sheriff, oneself; never somebody one takes for a foe."""
        if not skill.targets or (self.rng.random() < 0.04 and skill.may_pass):
            return PASS

        def need(seat: int) -> float:
            if seat == self.seat:
                return 0.34 + self.rng.random() * 0.3 + 0.4 * self._claimed(seat)
            if seat in self.allies:
                return 0.7 + self.rng.random() * 0.3
            return self.standing(seat) * (1 - self.b.p[seat]) + self.rng.random() * 0.25

        return [max(skill.targets, key=need)]

    def _claimed(self, seat: int) -> float:
        claim = self.memory.claims.get(seat)
        return self.lore.worth.get(claim.role, 0.0) if claim is not None else 0.0

    def _antidote(self, skill: SkillView) -> Choice:
        """Save who is seen under a kill and worth it; wait for tonight's vision while one is to come."""
        seen = self._vision()
        if seen is None:
            return WAIT if any(s.verb == "vision" for s in self.me.skills) else PASS
        in_reach = [seat for seat in dict.fromkeys(seen) if seat in skill.targets]
        if not in_reach:
            return PASS
        if self.seat in in_reach:
            return [self.seat] if self.rng.random() < 0.92 else PASS
        best = max(in_reach, key=lambda seat: self.standing(seat) - self.b.p[seat])
        claim = self._claimed(best)
        if self.b.p[best] > 0.7 and best not in self.allies:
            return PASS
        chance = 0.9 if best in self.allies else max(0.55 if self.nights <= 1 else 0.4, claim * 0.95)
        return [best] if self.rng.random() < chance else PASS

    def _vision(self) -> list[int] | None:
        for told in reversed(self.me.told):
            raw = self.lore.rules.skills.get(told.skill)
            if raw is not None and raw.verb == "vision" and told.day == self.night and isinstance(told.value, list):
                return [int(seat) for seat in told.value]
        return None

    def torch(self, skill: SkillView) -> Choice:
        """Shelter oneself or a friend by turns."""
        friends = [seat for seat in skill.targets if seat in self.allies or seat == self.seat]
        return [self.rng.choice(friends or skill.targets)] if skill.targets else PASS

    def counter(self, skill: SkillView) -> Choice:
        """Whoever strikes me shall strike the likeliest enemy."""
        target, _ = self.worst(skill.targets, 0.3)
        return [target] if target else PASS

    def holy_light(self, skill: SkillView) -> Choice:
        """Doom a known member of the faction it dooms, else shelter oneself when the nights grow dangerous."""
        raw = self.lore.skill(skill.id)
        for seat in skill.targets:
            if self.memory.exact.get(seat) in raw.dooms and seat not in self.allies:
                return [seat]
        if self.nights >= 1 and self.rng.random() < 0.3 and self.seat in skill.targets:
            return [self.seat]
        return PASS

    def order(self, skill: SkillView) -> Choice:
        """Force the guard's hand: worth most on a night after the guard has protected who must go next."""
        return [] if self.rng.random() < 0.3 else PASS

    def freeze(self, skill: SkillView) -> Choice:
        """Stop somebody dangerous: who claims a role with skills, or the likeliest enemy."""
        foes = [seat for seat in skill.targets if seat not in self.allies and seat != self.seat]
        if not foes:
            return PASS
        return [max(foes, key=lambda seat: self.standing(seat) + 0.6 * self.b.p[seat] + self.rng.random() * 0.4)]

    # --- harm -----------------------------------------------------------------------------------------------------

    def attack(self, skill: SkillView) -> Choice:
        """A pack's kill or feint, a poison kept for the surest enemy, or a strike."""
        if skill.id in self.lore.feints:
            return self._feint(skill)
        if skill.pack:
            return self._kill(skill)
        raw = self.lore.skill(skill.id)
        if raw.limited:
            return self._poison(skill, bool(raw.excludes))
        target, sure = self.worst(skill.targets, 0.15)
        if not target or sure < min(0.55, self.b.prior):
            return PASS
        if skill.most > 1:
            second, also = self.worst([seat for seat in skill.targets if seat != target], 0.15)
            return [target, second] if also > 0.6 else [target]
        return [target]

    def _kill(self, skill: SkillView) -> Choice:
        """The pack's victim: a believed seer first, then whom the town trusts; who is doubted is left to the ballot."""
        memory, b, rng = self.memory, self.b, self.rng
        foes = [seat for seat in skill.targets if seat not in self.allies and seat != self.seat]
        if not foes:
            return PASS
        survived = self.memory.done.get((self.night - 1, skill.id)) or []
        accusers = {r.by for r in memory.reports if r.target in self.allies or r.target == self.seat}

        def prey(seat: int) -> float:
            score = self.standing(seat) + 0.45 * (1 - b.p[seat]) + rng.random() * 0.5
            if seat in accusers:
                score += 0.5
            if seat in survived:
                score -= 0.2
            claim = memory.claims.get(seat)
            if claim is not None and "last_shot" in self.lore.verbs(claim.role):
                score -= 0.3
            return score

        self.victim = max(foes, key=prey)
        return [self.victim]

    def _feint(self, skill: SkillView) -> Choice:
        """A false victim for the witch's eyes: one of the pack now and then, else anybody but the true one."""
        roll = self.rng.random()
        pack = [seat for seat in skill.targets if seat in self.allies or seat == self.seat]
        if roll < 0.35 and pack:
            return [self.rng.choice(pack)]
        others = [seat for seat in skill.targets if seat != self.victim]
        return [self.rng.choice(others)] if roll < 0.75 and others else PASS

    def _poison(self, skill: SkillView, waits: bool) -> Choice:
        """Once a game: on somebody all but convicted, or when time runs out."""
        if waits and self._vision() is None and any(s.verb == "vision" for s in self.me.skills):
            return WAIT
        target, sure = self.worst(skill.targets, 0.03)
        late = len(self.alive) <= max(5, self.lore.n // 2)
        need = 0.5 if late else 0.6
        if not self.lore.one_enemy:
            need = min(0.75, self.b.prior) if self.nights >= 1 else 0.95
        return [target] if target and sure >= need else PASS

    def fog(self, skill: SkillView) -> Choice:
        """The last of the pack has nothing to save it for."""
        return [] if self.rng.random() < 0.9 else PASS

    # --- knowledge and the rest -----------------------------------------------------------------------------------

    def charm(self, skill: SkillView) -> Choice:
        """Somebody not charmed yet who will live long: neither hunted by the pack nor by the ballot."""
        held = {targets[0] for (_, id), targets in self.memory.done.items() if id == skill.id and targets}
        pool = [seat for seat in skill.targets if seat not in held] or skill.targets
        if not pool:
            return PASS
        return [min(pool, key=lambda seat: abs(self.b.p[seat] - 0.4) + 0.3 * self.standing(seat) + self.rng.random())]

    def read(self, skill: SkillView) -> Choice:
        """Whom to check: the most doubtful whose answer will matter."""
        known = {seat for _, seat, _ in self.memory.mine} | set(self.memory.exact)
        pool = [seat for seat in skill.targets if seat not in known and seat != self.seat]
        if not pool:
            pool = [seat for seat in skill.targets if seat != self.seat]
        if not pool:
            return PASS
        claims, b = self.memory.claims, self.b

        def interest(seat: int) -> float:
            doubt = b.p[seat] + (0.15 if seat == self.view.public.sheriff else 0.0)
            stands = 0.3 if seat in claims and b.credit.get(seat, 0.5) > 0.7 else 0.0
            return doubt - stands + self.rng.random() * 0.35

        return [max(pool, key=interest)]

    def read_some(self, skill: SkillView) -> Choice:
        """A row of seats as unknown and as much alive as possible, once there is something to compare it with."""
        if self.nights < 1 and self.rng.random() < 0.7:
            return PASS
        n, need, alive = self.lore.n, skill.most, set(self.alive)
        legal = set(skill.targets)
        rows = [[(start + i - 1) % n + 1 for i in range(need)] for start in range(1, n + 1)]
        if self.view.public.options.get("grudge_wrap", "yes") == "no":
            rows = rows[: n - need + 1]
        rows = [row for row in rows if legal.issuperset(row) and self.seat not in row]
        if not rows:
            return PASS

        def fresh_in(row: list[int]) -> float:
            fresh = sum(1 for seat in row if seat in alive and seat not in self.memory.exact)
            return fresh + self.rng.random()

        best: list[int] = max(rows, key=fresh_in)
        return sorted(best)

    def curse(self, skill: SkillView) -> Choice:
        """The likeliest enemy."""
        target, _ = self.worst(skill.targets, 0.25)
        return [target] if target else PASS

    def swap(self, skill: SkillView) -> Choice:
        """Somebody likely to be exiled whom I would keep, against an enemy; else two whose exchange can only help."""
        target, _ = self.worst(skill.targets, 0.2)
        if not target:
            return PASS
        friends = [seat for seat in skill.targets if (seat in self.allies or seat == self.seat) and seat != target]
        rest = [seat for seat in skill.targets if seat != target]
        if friends:
            return [self.rng.choice(friends), target]
        return [self.rng.choice(rest), target] if rest else PASS


WAIT: Choice = [-1]

VERBS: dict[str, Callable[[Night, SkillView], Choice]] = {
    "join": Night.join,
    "heretics": Night.heretics,
    "mark": Night.mark,
    "torch": Night.torch,
    "counter": Night.counter,
    "holy_light": Night.holy_light,
    "order": Night.order,
    "freeze": Night.freeze,
    "attack": Night.attack,
    "fog": Night.fog,
    "charm": Night.charm,
    "read": Night.read,
    "read_some": Night.read_some,
    "curse": Night.curse,
    "swap": Night.swap,
}
