"""What a ruleset means to somebody who plays it: who is whose enemy, what each skill is good for. Compiled once a file."""

from __future__ import annotations

from bansha.rulesets.model import Ruleset, Skill

READS = frozenset({"read", "read_some"})


class Lore:
    """Read off the ruleset's data alone, so that a board made of known verbs needs no line here."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.n = rules.seats
        self.factions = list(rules.factions)
        self.faction_of = {id: role.faction for id, role in rules.roles.items()}
        self.role_count = {id: role.count for id, role in rules.roles.items()}
        self.members = {f: sum(r.count for r in rules.roles.values() if r.faction == f) for f in self.factions}
        joiners = sum(role.count for role in rules.roles.values() if not role.faction)
        fixed = max(sum(self.members.values()), 1)
        self.weight = {f: count * (1 + joiners / fixed) for f, count in self.members.items()}
        self.hostile = {f: self._hostility(f) for f in self.factions}
        self.packs = {skill.pack for skill in rules.skills.values() if skill.pack}
        largest = max(self.factions, key=lambda f: self.members[f])
        self.town = largest if 2 * self.members[largest] >= fixed and largest not in self.packs else ""
        self.one_enemy = len(self.packs) == 1 and bool(self.town)
        settled = {line.skill for line in rules.settlement} | {s for line in rules.settlement for s in line.skills}
        self.kills = {id for id, skill in rules.skills.items() if skill.verb == "attack" and id in settled}
        self.feints = {id for id, skill in rules.skills.items() if skill.verb == "attack" and id not in settled}
        self.mutes = {id for skill in rules.skills.values() if skill.verb == "charm" for id in skill.blocked_by}
        self.readers = [r for r in rules.roles if self.reading(r) is not None]
        self.worth = {role: self._worth(role) for role in rules.roles}
        self.plain_roles = [r for r, role in rules.roles.items() if not role.skills and role.faction == self.town]
        self.vital = self._vital()

    def skill(self, id: str) -> Skill:
        """The skill as the ruleset file has it."""
        return self.rules.skills[id]

    def hands_of(self, role: str) -> list[Skill]:
        """The skills a role starts with."""
        return [self.rules.skills[id] for id in self.rules.roles[role].skills]

    def reading(self, role: str) -> Skill | None:
        """The check that a role may use every night, if it has one."""
        return next((s for s in self.hands_of(role) if s.verb == "read" and not s.limited), None)

    def verbs(self, role: str) -> set[str]:
        """The verbs in a role's hand."""
        return {skill.verb for skill in self.hands_of(role)}

    def _hostility(self, faction: str) -> dict[str, float]:
        """How much a member of `faction` gains when one of each faction is out: 0 nothing, 1 what it lives for."""
        ends = self.rules.victory.factions[faction]
        gain = {f: 0.0 if f == faction else 0.6 for f in self.factions}
        others = [f for f in self.factions if f != faction]
        if not ends.wins:
            gain.update(dict.fromkeys(others, 1.0))
        for condition in ends.wins:
            if condition.when == "roles_out":
                gain.update({f: 1.0 for role in condition.roles if (f := self.faction_of[role]) and f != faction})
            elif condition.when == "factions_out":
                gain.update({f: 1.0 for f in condition.factions if f != faction})
            elif condition.when in ("parity", "alive_exactly"):
                gain.update(dict.fromkeys(others, 1.0 if condition.when == "parity" else 0.8))
        for other in others:
            for condition in self.rules.victory.factions[other].wins:
                if faction in condition.factions or any(self.faction_of[r] == faction for r in condition.roles):
                    gain[other] = 1.0
        return gain

    def _vital(self) -> list[list[str]]:
        """Groups of roles whose end ends a faction: a pack wants to finish the smallest of them."""
        groups = []
        for ends in self.rules.victory.factions.values():
            for condition in ends.lost:
                if condition.when == "roles_out" and not any(self.faction_of[r] in self.packs for r in condition.roles):
                    groups.append(list(condition.roles))
        return groups

    def _worth(self, role: str) -> float:
        """How much the others would miss a role: checks first, then potions and shields."""
        verbs = self.verbs(role)
        worth = 0.3
        if self.reading(role) is not None:
            worth = 1.0
        elif "vision" in verbs:
            worth = 0.8
        elif verbs & {"mark", "torch"}:
            worth = 0.7
        elif verbs & {"attack", "freeze", "charm"}:
            worth = 0.6
        elif "last_shot" in verbs:
            worth = 0.25
        return worth

    def value_of(self, value: str, faction: str, tells: list[str]) -> float:
        """How hostile somebody is to `faction` of whom a check told `value`."""
        gain = self.hostile[faction]
        if value in gain:
            return gain[value]
        excluded = set(tells) if value == "other" else {value.removeprefix("!")}
        rest = {f: self.weight[f] for f in self.factions if f not in excluded and self.weight[f] > 0}
        total = sum(rest.values())
        return sum(gain[f] * weight for f, weight in rest.items()) / total if total else 1.0

    def black(self, value: str, faction: str, tells: list[str]) -> bool:
        """Whether such an answer speaks against its subject in the eyes of `faction`."""
        return self.value_of(value, faction, tells) >= 0.75


_known: dict[int, Lore] = {}


def lore_of(rules: Ruleset) -> Lore:
    """The lore of a ruleset, compiled once."""
    lore = _known.get(id(rules))
    if lore is None or lore.rules is not rules:
        lore = _known[id(rules)] = Lore(rules)
    return lore
