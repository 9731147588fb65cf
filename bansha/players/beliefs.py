"""How hostile each character seems: claims, checks, vote flows and contradictions weighed into one figure a seat.

`p[seat]` lies between 0 (a friend) and 1 (an enemy through and through). Somebody who hides an allegiance reckons as an
innocent character of the town would, to say nothing that only the guilty can know (`innocent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from random import Random

from bansha.players.intents import HUNCH, Reason
from bansha.players.lore import Lore
from bansha.players.memory import Memory, Report

NOISE = 0.42  # the spread of first impressions, in log-odds
DAILY = 0.25  # and of the mood of each day


class Beliefs:
    """One player's figures; `assess` reckons them anew from memory."""

    def __init__(self, seat: int, lore: Lore, memory: Memory, rng: Random) -> None:
        self.seat = seat
        self.lore = lore
        self.memory = memory
        self.rng = rng
        n = lore.n
        self.first = [rng.gauss(0, NOISE) for _ in range(n + 1)]
        self.mood = [0.0] * (n + 1)
        self.p = [0.5] * (n + 1)
        self.why: list[Reason] = [HUNCH] * (n + 1)
        self.credit: dict[int, float] = {}
        self.prior = 0.5

    def new_day(self) -> None:
        """Impressions shift a little with every day."""
        rng = self.rng
        self.mood = [mood * 0.6 + rng.gauss(0, DAILY) for mood in self.mood]

    def assess(self, faction: str, alive: Sequence[int], innocent: bool, role: str) -> None:
        """Reckon `p`, `why` and `credit` for a member of `faction` holding `role`; `innocent`: without private knowledge."""
        lore, memory = self.lore, self.memory
        gain = lore.hostile[faction]
        known = {} if innocent else memory.exact
        never = {} if innocent else memory.never
        mass = sum((lore.weight[f] - (f == faction)) * gain[f] for f in lore.factions)
        others = max(lore.n - 1, 1)
        self.prior = prior = min(max(mass / others, 0.02), 0.98)
        odds = prior / (1 - prior)
        evidence, why = self._evidence(alive)
        p = [0.0] * (lore.n + 1)
        fixed: set[int] = set()
        for seat in range(1, lore.n + 1):
            if seat == self.seat:
                continue
            if seat in known and known[seat] in gain:
                p[seat] = gain[known[seat]]
                fixed.add(seat)
            elif seat in memory.revealed and seat in memory.exact:
                p[seat] = gain.get(memory.exact[seat], prior)
                fixed.add(seat)
            elif lore.one_enemy and seat in memory.killed:
                p[seat] = 0.06
                fixed.add(seat)
            elif seat in never:
                rest = {f: w for f, w in lore.weight.items() if f not in never[seat]}
                total = sum(rest.values()) or 1.0
                p[seat] = sum(gain[f] * w for f, w in rest.items()) / total
                fixed.add(seat)
            else:
                seen = odds * _exp(evidence[seat] + self.first[seat] + self.mood[seat])
                p[seat] = seen / (1 + seen)
        self._balance(p, fixed, mass, alive)
        self.credit = self._weigh_claims(p, fixed, faction, innocent, role, why)
        self._apply_reports(p, fixed, faction, why)
        self._balance(p, fixed, mass, alive)
        self.p = p
        self.why = why

    def _balance(self, p: list[float], fixed: set[int], mass: float, alive: Sequence[int]) -> None:
        """There are only so many enemies: who is cleared makes the others likelier, who is convicted less likely."""
        if not self.lore.one_enemy:
            return
        open_ = [seat for seat in range(1, self.lore.n + 1) if seat != self.seat and seat not in fixed]
        left = mass - sum(p[seat] for seat in fixed)
        total = sum(p[seat] for seat in open_)
        if total <= 0 or left <= 0:
            return
        factor = min(max(left / total, 0.4), 2.5)
        for seat in open_:
            p[seat] = p[seat] * factor / (1 - p[seat] + p[seat] * factor)

    def _evidence(self, alive: Sequence[int]) -> tuple[list[float], list[Reason]]:
        """Log-odds from behaviour, and for each seat the strongest reason against it."""
        memory, lore = self.memory, self.lore
        n = lore.n
        total = [0.0] * (n + 1)
        best = [0.0] * (n + 1)
        why: list[Reason] = [HUNCH] * (n + 1)

        def add(seat: int, amount: float, reason: Reason) -> None:
            total[seat] += amount
            if amount > best[seat]:
                best[seat] = amount
                why[seat] = reason

        last = self.p
        town = bool(lore.one_enemy)
        for (day, name), votes in memory.ballots.items():
            if name != "exile" or day >= memory.day or not town:
                continue
            shown = [seat for seat in set(votes.values()) if seat and last[seat] > 0.85]
            for voter, target in votes.items():
                if not target or voter == target:
                    continue
                if shown and target not in shown and voter not in shown:
                    add(voter, 0.7, Reason("spares", shown[0], day))
                if target in memory.killed or target == self.seat or last[target] < 0.12:
                    add(voter, 0.55 if target in memory.exiled else 0.5, Reason("votes", target, day))
                elif last[target] > 0.8:
                    add(voter, -0.8, Reason("votes", target, day))
                planned = memory.plans.get(day, {}).get(voter, 0)
                if planned and planned != target:
                    add(voter, 0.22, Reason("turned", planned, day))
        for seat, friends in memory.trusted.items():
            for friend in friends:
                if last[friend] > 0.8 and friend != seat:
                    add(seat, 0.3, Reason("defends", friend))
        for seat, claim in memory.claims.items():
            if claim.changed:
                add(seat, 1.0, Reason("turned", 0, claim.day))
        total[self.seat] = 0.0
        return total, why

    def _weigh_claims(
        self, p: list[float], fixed: set[int], faction: str, innocent: bool, role: str, why: list[Reason]
    ) -> dict[int, float]:
        """How far each claim is believed: alone it stands, against others it is shared out by trust."""
        memory, lore = self.memory, self.lore
        gain = lore.hostile[faction]
        by_role: dict[str, list[int]] = {}
        for seat, claim in memory.claims.items():
            by_role.setdefault(claim.role, []).append(seat)
        credit: dict[int, float] = {}
        for claimed, seats in by_role.items():
            count = lore.role_count.get(claimed, 0)
            contested = len(seats) > count
            weights = {}
            for seat in seats:
                weight = max(1 - p[seat], 0.02) ** 1.5
                if seat in memory.killed and memory.killed[seat] >= memory.claims[seat].day:
                    weight *= 5
                elif seat in memory.killed:
                    weight *= 2
                if seat not in memory.killed and contested and any(other in memory.killed for other in seats):
                    weight *= 0.3
                weight *= 1.0 - 0.09 * min(memory.claims[seat].order, 5)
                for report in memory.reports:
                    if report.by == seat:
                        weight *= self._borne_out(report, faction, innocent)
                weights[seat] = weight
            total = sum(weights.values()) or 1.0
            for seat in seats:
                if contested:
                    value = min(0.97, count * weights[seat] / total)
                    value *= min(1.0, 0.25 + weights[seat] * 1.5)
                else:
                    value = min(0.95, 0.45 + 0.55 * min(1.0, weights[seat] * 1.3))
                if seat == self.seat:
                    value = 0.97
                elif role == claimed and count == 1 and not innocent:
                    value = 0.01
                elif innocent and self.seat in seats and contested:
                    value = 0.03
                credit[seat] = value
                if seat in fixed or seat == self.seat:
                    continue
                home = gain.get(lore.faction_of[claimed], self.prior)
                doubt = max(p[seat], 0.82 if contested else p[seat])
                weight = value if lore.worth[claimed] > 0.35 or contested else value * 0.35
                p[seat] = weight * home + (1 - weight) * doubt
                if contested and p[seat] > 0.5:
                    rival = max((other for other in seats if other != seat), key=lambda x: weights[x])
                    why[seat] = Reason("counter", rival)
        return credit

    def _borne_out(self, report: Report, faction: str, innocent: bool) -> float:
        """What a report does to its author's word: it is false, it fits, or nobody can say."""
        memory, lore = self.memory, self.lore
        tells = self._tells(report.by)
        value = lore.value_of(report.value, faction, tells)
        target = report.target
        if target == self.seat:
            return 0.03 if value > 0.6 else 1.15
        if not innocent and target in memory.exact:
            true = lore.hostile[faction].get(memory.exact[target], self.prior)
            return 0.05 if abs(true - value) > 0.5 else 1.3
        if target in memory.killed and lore.one_enemy:
            return 0.15 if value > 0.6 else 1.05
        return 1.0

    def _tells(self, seat: int) -> list[str]:
        claim = self.memory.claims.get(seat)
        skill = self.lore.reading(claim.role) if claim is not None else None
        return list(skill.tells) if skill is not None else []

    def _apply_reports(self, p: list[float], fixed: set[int], faction: str, why: list[Reason]) -> None:
        """Reported checks move their subjects as far as their authors are believed, the most credible last."""
        lore = self.lore
        reports = sorted(self.memory.reports, key=lambda r: self.credit.get(r.by, 0.3))
        for report in reports:
            target = report.target
            if target in fixed or target == self.seat:
                continue
            credit = self.credit.get(report.by, 0.35)
            value = lore.value_of(report.value, faction, self._tells(report.by))
            if credit < 0.15:
                p[target] = p[target] * 0.8 if value > 0.6 else p[target] + 0.15 * (1 - p[target])
                continue
            p[target] = credit * value + (1 - credit) * p[target]
            if credit >= 0.4:
                why[target] = Reason("check" if value > 0.6 else "cleared", report.by, report.day)


def _exp(x: float) -> float:
    """e to the power of x, kept within what odds need."""
    return exp(max(-6.0, min(6.0, x)))
