"""The day: what to say, what to claim, whom to vote for, when to give way."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bansha.players.beliefs import Beliefs
from bansha.players.intents import HUNCH, Act, Change, Intent, Reason, Say, Sign, Vote
from bansha.players.lore import Lore
from bansha.players.memory import Memory
from bansha.players.temper import Temper
from bansha.players.words import Words
from bansha.sight.types import MeView, View

VOTING = 250  # minutes before the close from which votes are cast
LONG = 1440 + 300  # minutes a day must still last for a speed-up to be worth a signature


class Day:
    """One seat on one discussion day; `hides`: its side is not the town's, and it knows it."""

    def __init__(
        self,
        seat: int,
        lore: Lore,
        memory: Memory,
        beliefs: Beliefs,
        temper: Temper,
        view: View,
        rng: Random,
        words: Words | None,
        allies: frozenset[int],
        hides: bool,
    ) -> None:
        assert view.me is not None
        self.seat = seat
        self.lore = lore
        self.memory = memory
        self.b = beliefs
        self.temper = temper
        self.view = view
        self.me: MeView = view.me
        self.rng = rng
        self.words = words
        self.allies = allies
        self.hides = hides
        self.alive = view.public.alive
        self.others = [seat_ for seat_ in self.alive if seat_ != seat]
        self.day = view.public.day
        self.said = 0

    def intents(self) -> list[Intent]:
        """What to do at this moment of the day."""
        memory, public = self.memory, self.view.public
        turn = memory.turn
        memory.turn += 1
        left = public.closes_at - public.now
        out: list[Intent] = []
        late = left <= VOTING or public.sped_up
        if turn == 0:
            out.extend(self.morning())
        elif not late:
            out.extend(self.noon())
            out.extend(self.petitions(left))
        if not late:
            return out
        if self.me.may_vote:
            out.extend(self.vote(self.me.may_vote))
        elif self.temper.chatted == self.day:
            out.extend(self.reconsider())
        if self.temper.chatted != self.day:
            self.temper.chatted = self.day
            out.extend(self.small_talk())
        return out

    # --- words ----------------------------------------------------------------------------------------------------

    def say(self, *acts: Act, filler: bool = False) -> Say:
        """A post with these acts, in words if anybody reads them."""
        self.said += 1
        return Say(acts, self.words.post(acts, self.view) if self.words is not None else "", filler)

    def because(self, target: int, why: Reason, change: bool = False) -> str:
        """The reason of a vote in words."""
        return self.words.vote(target, why, self.view, change) if self.words is not None else ""

    def small_talk(self) -> list[Intent]:
        """Posts that keep one in the conversation, as many as the board asks for."""
        rule = self.lore.rules.attendance
        quiet = self.temper.quiet_days
        done = self.me.posts_today + self.said
        need = max(rule.posts, 3)
        if rule.streak_days and quiet >= rule.streak_days - 2:
            need = max(need, rule.streak_posts)
        self.temper.quiet_days = 0 if not rule.streak_posts or max(need, done) >= rule.streak_posts else quiet + 1
        return [self.say(Act("chat"), filler=True) for _ in range(need - done)]

    # --- morning --------------------------------------------------------------------------------------------------

    def morning(self) -> list[Intent]:
        """The news, claims that cannot wait, and a first opinion."""
        out: list[Intent] = [self.say(Act("news", topic="first" if self.day == 1 else ""))]
        if "election" in self.me.may_vote and self.temper.leads:
            out.append(self.say(Act("run")))
        claim = self.claim(early=True)
        if claim:
            out.append(self.say(*claim))
        elif self.rng.random() < self.temper.talkative:
            opinion = self.opinion()
            if opinion is not None:
                out.append(self.say(opinion))
        return out

    def opinion(self) -> Act | None:
        """Somebody suspected, or trusted."""
        if self.rng.random() < 0.72:
            target, why = self.suspect()
            if target:
                return Act("suspect", target, why=why)
        friend = self.friend()
        return Act("trust", friend, why=self._trusting(friend)) if friend else None

    def suspect(self) -> tuple[int, Reason]:
        """Whom to suspect aloud: never an ally, unless everybody can see it."""
        pool = [seat for seat in self.others if seat not in self.allies]
        if not pool:
            return 0, HUNCH
        target = max(pool, key=lambda seat: self.b.p[seat] + self.rng.random() * 0.12)
        return target, self._against(target)

    def friend(self) -> int:
        """Whom to speak for."""
        pool = [seat for seat in self.others if self.b.p[seat] < self.b.prior]
        if self.hides:
            lent = [seat for seat in self.allies if seat in self.alive and self.b.p[seat] < 0.6]
            if lent and self.rng.random() < 0.3:
                return self.rng.choice(lent)
        return min(pool, key=lambda seat: self.b.p[seat] + self.rng.random() * 0.2) if pool else 0

    def _against(self, target: int) -> Reason:
        """A reason that may be said aloud: what only private knowledge tells is a feeling."""
        if self.temper.honest and target in self.temper.told and any(s == target and self._bad(v) for _, s, v in self.memory.mine):
            return Reason("check", self.seat)
        why = self.b.why[target]
        return why if why.kind in ("check", "counter", "votes", "turned", "defends", "spares") else HUNCH

    def _trusting(self, target: int) -> Reason:
        why = self.b.why[target]
        if why.kind == "cleared":
            return why
        if target in self.memory.claims and self.b.credit.get(target, 0) > 0.5:
            return self._claimed(target)
        return HUNCH

    def _claimed(self, seat: int) -> Reason:
        """Why a claim is believed: it stands alone, or against a rival who convinces less."""
        claim = self.memory.claims[seat]
        rival = next((s for s, c in self.memory.claims.items() if c.role == claim.role and s != seat), 0)
        return Reason("counter", rival) if rival and self._rival(claim.role) else Reason("claim", seat)

    # --- claims ---------------------------------------------------------------------------------------------------

    def danger(self) -> float:
        """How close to being exiled: who spoke or voted against me today, as a share of the living."""
        against = {by for by, act in self.memory.accused if by in self.alive}
        against |= {by for by, target in self.memory.votes_today("exile").items() if target == self.seat}
        share = len(against) / max(len(self.alive), 1)
        if any(act.kind == "report" and self._black(act) for _, act in self.memory.accused):
            share += 0.35
        return share

    def _black(self, act: Act) -> bool:
        home = self.lore.town or self.me.faction
        if home not in self.lore.hostile:
            return False
        return self.lore.value_of(act.value, home, []) >= 0.6

    def claim(self, early: bool) -> list[Act]:
        """Claim a role and report checks, if now is the time; with a claim made, report what is new."""
        temper = self.temper
        if temper.claimed:
            return self.reports()
        role = self.me.role
        wanted = self._bluff(early) if self.hides else self._true_claim(role, early)
        if not wanted:
            return []
        temper.claimed = wanted
        temper.honest = wanted == role
        acts = [Act("claim", role=wanted)]
        rival = self._rival(wanted)
        if rival:
            acts.append(Act("doubt", rival, why=Reason("counter", rival)))
        return acts + self.reports()

    def _rival(self, role: str) -> int:
        if self.lore.role_count.get(role, 0) != 1:
            return 0
        return next((s for s, c in self.memory.claims.items() if c.role == role and s != self.seat), 0)

    def _true_claim(self, role: str, early: bool) -> str:
        lore, rng = self.lore, self.rng
        danger = self.danger()
        if self._rival(role):
            return role if rng.random() < 0.95 else ""
        if lore.reading(role) is not None:
            black = [s for _, s, value in self.memory.mine if s in self.alive and self._bad(value)]
            if black or danger >= 0.25:
                return role
            cleared = sum(1 for _, s, _ in self.memory.mine if s in self.alive)
            return role if cleared >= 2 and rng.random() < 0.3 else ""
        if early and danger < 0.35:
            return ""
        if lore.hands_of(role):
            return role if danger >= 0.35 and rng.random() < 0.85 else ""
        return role if danger >= 0.3 and rng.random() < 0.5 else ""

    def _bad(self, value: str) -> bool:
        faction = self.me.faction if self.me.faction in self.lore.hostile else self.lore.town
        skill = self.lore.reading(self.me.role)
        return self.lore.black(value, faction, list(skill.tells) if skill is not None else [])

    def _bluff(self, early: bool) -> str:
        """A false claim: planned by the pack, or to save one's skin."""
        lore, rng, temper = self.lore, self.rng, self.temper
        taken = {claim.role for seat, claim in self.memory.claims.items()}
        danger = self.danger()
        readers = [role for role in lore.readers if lore.faction_of[role] == lore.town]
        if temper.bluffs and readers and self.day >= temper.bluffs and self._nights():
            temper.bluffs = 0
            allied = any(claim.role in readers for seat, claim in self.memory.claims.items() if seat in self.allies)
            if not allied:
                return rng.choice(readers)
        if danger < 0.35:
            return ""
        accused = [by for by, act in self.memory.accused if act.kind == "report" and self._black(act)]
        if accused and readers and self._nights() and rng.random() < 0.22:
            return self.memory.claims[accused[0]].role if accused[0] in self.memory.claims else rng.choice(readers)
        roll = rng.random()
        others = [role for role in lore.rules.roles if lore.faction_of[role] == lore.town and role not in readers]
        free = [role for role in others if role not in taken and lore.hands_of(role)]
        if roll < 0.3 and free:
            return rng.choice(free)
        if roll < 0.6 and lore.plain_roles:
            return lore.plain_roles[0]
        return ""

    def _nights(self) -> list[int]:
        start = 0 if self.memory.night_first else 1
        return list(range(start, self.day))

    def reports(self) -> list[Act]:
        """Checks not told yet: true ones, or those that belong to a false claim."""
        temper, memory = self.temper, self.memory
        skill = self.lore.reading(temper.claimed)
        acts: list[Act] = []
        if temper.honest:
            for night, seat, value in memory.mine:
                if seat not in temper.told:
                    temper.told.add(seat)
                    acts.append(Act("report", seat, value=value, night=night))
            for (night, id), targets in memory.done.items():
                raw = self.lore.rules.skills[id]
                if targets and raw.limited and raw.verb == "mark" and -night not in temper.told and night < self.day:
                    temper.told.add(-night)
                    acts.append(Act("saved", targets[0], night=night))
        elif skill is not None:
            acts.extend(self._invented(skill.tells))
        return acts

    def _invented(self, tells: Sequence[str]) -> list[Act]:
        """Checks that never were: friends for the pack, and one the pack wants exiled."""
        temper, rng, lore = self.temper, self.rng, self.lore
        home = lore.town or lore.factions[0]
        black = f"!{tells[0]}" if len(tells) == 1 else next((f for f in lore.factions if f != home), home)
        acts = []
        for night in self._nights():
            if night in temper.invented:
                continue
            temper.invented.add(night)
            pool = [seat for seat in self.others if seat not in temper.told]
            foes = [seat for seat in pool if seat not in self.allies]
            friends = [seat for seat in pool if seat in self.allies and self.b.p[seat] < 0.75]
            rival = self._rival(temper.claimed)
            last = night == self.day - 1
            if last and foes and (rival in foes or rng.random() < 0.6):
                target = rival if rival in foes and rng.random() < 0.5 else self._frame(foes)
                acts.append(Act("report", target, value=black, night=night))
            elif friends and rng.random() < 0.3:
                target = rng.choice(friends)
                acts.append(Act("report", target, value=home, night=night))
            elif foes:
                target = rng.choice(foes)
                acts.append(Act("report", target, value=home, night=night))
            else:
                continue
            temper.told.add(target)
        return acts

    def _frame(self, foes: Sequence[int]) -> int:
        """Somebody who can be brought down: doubted already, not a believed claimant."""
        return max(foes, key=lambda s: self.b.p[s] - 0.5 * self.b.credit.get(s, 0.0) + self.rng.random() * 0.3)

    # --- noon -----------------------------------------------------------------------------------------------------

    def noon(self) -> list[Intent]:
        """Answers first, then what has changed since the morning."""
        out: list[Intent] = []
        memory, rng = self.memory, self.rng
        claim = self.claim(early=False)
        if claim:
            out.append(self.say(*claim))
        elif self.danger() >= 0.25 and self.temper.pleaded != self.day:
            self.temper.pleaded = self.day
            by = memory.accused[-1][0] if memory.accused else 0
            out.append(self.say(Act("plead", by)))
        for by, topic in memory.asked[:2]:
            target, why = self.suspect()
            named = target if target != by else 0
            out.append(self.say(Act("reply", by, topic=topic, why=Reason(why.kind, named, why.day))))
        memory.asked = []
        comment = self._comment()
        if comment is not None:
            out.append(self.say(comment))
        elif rng.random() < self.temper.talkative * 0.6:
            target, why = self.suspect()
            if target and why.kind == "hunch" and rng.random() < 0.6:
                out.append(self.say(Act("ask", target, topic=rng.choice(("view", "vote") if self.day > 1 else ("view",)))))
            elif target:
                out.append(self.say(Act("suspect", target, why=why)))
        return out

    def _comment(self) -> Act | None:
        """What to make of a claim not commented on yet."""
        for seat in self.memory.claims:
            if seat in self.temper.judged or seat == self.seat:
                continue
            self.temper.judged.add(seat)
            if self.rng.random() > 0.45 or seat not in self.alive:
                continue
            credit = self.b.credit.get(seat, 0.5)
            useful = self.lore.worth.get(self.memory.claims[seat].role, 0.0) > 0.35
            if credit >= 0.55 and useful and self.b.p[seat] < self.b.prior:
                return Act("agree", seat, why=self._claimed(seat))
            if credit <= 0.3 and seat not in self.allies:
                return Act("doubt", seat, why=self._against(seat))
        return None

    def petitions(self, left: int) -> list[Intent]:
        """A long day with nothing left to say is worth a signature."""
        petitions = self.view.public.petitions
        kinds = self.lore.rules.petitions.kinds
        passed = self.view.public.passed
        if "speed_up" in kinds and "speed_up" not in passed and left > LONG and left % 1440 > 200 and self.rng.random() < 0.28:
            return [Sign("speed_up")]
        signed = petitions.get("extend", [])
        if "extend" in kinds and "extend" not in passed and left <= LONG and self.seat not in signed:
            torn = any(0.3 < credit < 0.6 for credit in self.b.credit.values())
            if torn and self.rng.random() < (0.3 if signed else 0.02):
                return [Sign("extend")]
        return []

    # --- ballots --------------------------------------------------------------------------------------------------

    def vote(self, ballots: Sequence[str]) -> list[Intent]:
        """The vote, now and then announced in a sentence before."""
        out: list[Intent] = []
        for name in ballots:
            if name == "election":
                target, why = self.sheriff()
            else:
                target, why = self.exile()
                if target and target != self.seat and self.rng.random() < 0.4:
                    out.append(self.say(Act("plan", target, why=why)))
            out.append(Vote(name, target, why, self.because(target, why)))
        return out

    def sheriff(self) -> tuple[int, Reason]:
        """Whom to give the badge."""
        votes = self.memory.votes_today("election")
        counts = _count(votes)
        runs = [seat for seat in self.alive if seat in self.memory.runs] or self.alive

        def fit(seat: int) -> float:
            score = -self.b.p[seat] + 0.09 * counts.get(seat, 0) + self.rng.random() * 0.25
            if seat == self.seat:
                score = 0.15 if self.temper.leads else -1.0
            if self.hides and seat in self.allies:
                score += 0.25
            return score

        best = max(runs, key=fit)
        return best, Reason("sheriff", best)

    def exile(self) -> tuple[int, Reason]:
        """Whom to exile, and why one says so."""
        counts = self._pressure()
        alive = len(self.alive)
        pool = [seat for seat in self.others if seat not in self.allies]
        if self.hides:
            doomed = self._doomed(counts, alive)
            if doomed:
                return doomed, self._against(doomed)
        if not pool:
            return 0, HUNCH
        leading = max(counts, key=lambda seat: counts[seat], default=0)
        shield = self.hides and (leading in self.allies or leading == self.seat)

        def score(seat: int) -> float:
            value = self.b.p[seat] + self.temper.herd * counts.get(seat, 0) / alive + self.rng.random() * 0.1
            if shield:
                value += 0.35 * counts.get(seat, 0) / alive
            return value

        best = max(pool, key=score)
        weak = self.b.p[best] < self.b.prior * 0.9 and counts.get(best, 0) < 2
        if weak and self.day == 1 and self.rng.random() < 0.2:
            return 0, HUNCH
        why = self._against(best)
        if why.kind == "hunch" and counts.get(best, 0) >= 2:
            follow = [by for by, target in self.memory.plans.get(self.day, {}).items() if target == best and by != self.seat]
            if follow:
                why = Reason("follow", follow[0])
        return best, why

    def _pressure(self) -> dict[int, int]:
        """Votes and announced votes by target, as known now."""
        heard = dict(self.memory.plans.get(self.day, {}))
        voted = self.memory.votes_today("exile")
        counts = _count({by: target for by, target in heard.items() if by not in voted and by != self.seat})
        for ballot in self.view.public.ballots:
            if ballot.name == "exile":
                for seat, halves in ballot.counts:
                    counts[seat] = counts.get(seat, 0) + halves // 2
        return counts

    def _doomed(self, counts: dict[int, int], alive: int) -> int:
        """An ally that is lost anyway: to vote for it, with the reason everybody sees, buys trust."""
        for seat in self.allies:
            if seat in self.alive and seat != self.seat:
                why = self._against(seat)
                lost = counts.get(seat, 0) >= 0.4 * alive or (why.kind == "check" and self.b.p[seat] > 0.85)
                if why.kind in ("check", "counter") and self.b.p[seat] > 0.75 and lost and self.temper.sells:
                    return seat
        return 0

    def reconsider(self) -> list[Intent]:
        """The one change: to gather votes where they count, or to save oneself or a friend."""
        if "exile" not in self.me.may_change:
            return []
        votes = dict(self.memory.votes_today("exile"))
        mine = votes.get(self.seat, self.me.vote.get("exile", 0))
        counts = _count(votes)
        if not counts:
            return []
        order = sorted(counts, key=lambda seat: (-counts[seat], seat))
        top = [seat for seat in order if counts[seat] >= counts[order[0]] - 1]
        target, why = 0, HUNCH
        mates = self.allies | {self.seat} if self.hides else frozenset({self.seat})
        if order[0] in mates and mine not in mates:
            rivals = [seat for seat in order if seat not in mates]
            reach = [seat for seat in rivals if counts[seat] >= counts[order[0]] - 2]
            if reach and reach[0] != mine:
                target = reach[0]
                why = self._against(target) if self._against(target).kind != "hunch" else Reason("self")
        elif mine not in top or (len(top) > 1 and mine in top):
            pool = [seat for seat in top if seat not in mates]
            if pool:
                best = max(pool, key=lambda seat: self.b.p[seat])
                mine_p = self.b.p[mine] if mine else self.b.prior * 0.8
                if best != mine and self.b.p[best] >= mine_p - (0.2 if mine not in top else -0.1):
                    target, why = best, self._against(best)
                    if why.kind == "hunch":
                        by = next((v for v, t in votes.items() if t == best and v != self.seat), 0)
                        why = Reason("follow", by) if by else HUNCH
        if not target or target == mine:
            return []
        text = self.because(target, why, change=True)
        return [Change("exile", target, why, text)]


def _count(votes: dict[int, int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for target in votes.values():
        if target > 0:
            counts[target] = counts.get(target, 0) + 1
    return counts
