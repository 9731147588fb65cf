"""A ballot drawn as a flow: voters on the left, targets on the right, a line for each vote, a broken one for what was changed.

Places are those of the end, so that nothing moves while votes come in: voters stand by whom they voted for last, in order of
count, and only changed votes cross. Rows are 40 high, above ten voters 26; targets stand at least 38 apart (design/README).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bansha.sight.types import BallotView
from bansha.town.words import half

APART = 38
"""Targets stand at least so far from each other."""


@dataclass(frozen=True)
class Voter:
    """A voter's row: its height, name as it fits, and the class of its faction's sign ("": not known)."""

    seat: int
    y: int
    name: str
    whole: str
    sign: str


@dataclass(frozen=True)
class Target:
    """A target: seat 0 is 弃权."""

    seat: int
    y: int
    name: str
    whole: str
    sign: str


def fitting(name: str, wide: float) -> str:
    """A name cut to a width counted in Chinese characters."""
    taken = 0.0
    for place, character in enumerate(name):
        taken += 0.56 if character.isascii() else 1.0
        if taken > wide:
            return name[: max(1, place - 1)] + "…"
    return name


@dataclass
class Flow:
    """One ballot of one day. `key` begins the names of its lines; `closed`: the moment it was counted (or the last); `stood`: the
    ballot by moment; `last`: as it stood at the end; `may`: who could vote as it opened; `signs`: of factions that are known."""

    key: str
    title: str
    day: int
    address: str
    closed: int
    stood: Mapping[int, BallotView]
    last: BallotView
    may: list[int]
    names: Mapping[int, str]
    signs: Mapping[int, str]
    voters: list[Voter] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    high: int = 0
    _was: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Lay the drawing out."""
        ever = {pair: None for ballot in self.stood.values() for pair in ballot.votes}
        self.pairs = list(ever)
        counted = {seat for ballot in self.stood.values() for seat, halves in ballot.counts if halves}
        named = {target for _voter, target in self.pairs} | counted
        counts = dict(self.last.counts)
        order = sorted(named, key=lambda seat: (not seat, -counts.get(seat, 0), seat))
        final = dict(self.last.votes)
        voting = sorted({voter for voter, _target in self.pairs} | set(self.may))
        place = {seat: number for number, seat in enumerate(order)}
        voting.sort(key=lambda seat: (place.get(final.get(seat, -1), len(order)), seat))
        row = 40 if len(voting) <= 10 else 26
        self.voters = [
            Voter(seat, 22 + row * n, fitting(self.names[seat], 7), self.names[seat], self.signs.get(seat, ""))
            for n, seat in enumerate(voting)
        ]
        high = {voter.seat: voter.y for voter in self.voters}
        before = 22 - APART
        for seat in order:
            mine = [high[voter] for voter, target in final.items() if target == seat]
            before = max(before + APART, round(sum(mine) / len(mine)) if mine else 0)
            self.targets.append(Target(seat, before, fitting(self.names[seat], 6.4), self.names[seat], self.signs.get(seat, "")))
        self.high = max([22, *high.values(), *(target.y for target in self.targets)]) + 22

    def at(self, t: int, heavy: int = 0) -> dict[str, Any]:
        """The lines of the drawing at a moment, asked in order; `heavy`: the seat whose vote weighs more."""
        ballot = self.stood[t]
        votes, counts = dict(ballot.votes), dict(ballot.counts)
        most = max(counts.values(), default=0)
        found: dict[str, Any] = {}
        for voter, target in self.pairs:
            on = votes.get(voter, -1) == target
            if on:
                self._was.add((voter, target))
            first = target and most and counts.get(target, 0) == most
            css = "edge" + (" top" if first else "") + (" x2" if voter == heavy and target else "")
            found[f"{self.key}.{voter}-{target}"] = css if on else "edge old" if (voter, target) in self._was else "edge none"
        abstained = sum(1 for target in votes.values() if not target)
        for one in self.targets:
            leads = one.seat and most and counts.get(one.seat, 0) == most
            found[f"{self.key}.n{one.seat}"] = "node top" if leads else "node"
            found[f"{self.key}.i{one.seat}"] = "in" if leads else ""
            found[f"{self.key}.c{one.seat}"] = half(counts.get(one.seat, 0)) if one.seat else str(abstained)
        return found

    def drawn(self, value: Callable[[str], Any] | None) -> dict[str, Any]:
        """What the template draws: edges and nodes with their lines' names, and their values where somebody knows them."""
        place = {target.seat: target.y for target in self.targets}
        from_y = {voter.seat: voter.y for voter in self.voters}

        def of(name: str, blank: str) -> Any:
            return value(name) if value is not None else blank

        edges = [
            (name, of(name, "edge none"), f"M132 {from_y[voter]}C196 {from_y[voter]} 200 {place[target]} 262 {place[target]}")
            for voter, target in sorted(self.pairs, key=lambda pair: dict(self.last.votes).get(pair[0], -1) == pair[1])
            for name in [f"{self.key}.{voter}-{target}"]
        ]
        nodes = [
            (
                target,
                (f"{self.key}.n{target.seat}", of(f"{self.key}.n{target.seat}", "node")),
                (f"{self.key}.i{target.seat}", of(f"{self.key}.i{target.seat}", "")),
                (f"{self.key}.c{target.seat}", of(f"{self.key}.c{target.seat}", "0")),
            )
            for target in self.targets
        ]
        label = f"{self.key}.label"
        return {"edges": edges, "nodes": nodes, "label": (label, of(label, self.title))}


__all__ = ["Flow", "Target", "Voter", "fitting"]
