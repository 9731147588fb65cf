"""What a computer player remembers of what everybody could see and hear, and of what it was told and did itself."""

from __future__ import annotations

from collections.abc import Sequence

from bansha.players.intents import Act, Talk
from bansha.players.lore import Lore
from bansha.sight.types import View


class Claim:
    """A role somebody says to be: since which day, and whether something else was said before."""

    __slots__ = ("changed", "day", "order", "role")

    def __init__(self, role: str, day: int, order: int, changed: bool) -> None:
        self.role = role
        self.day = day
        self.order = order
        self.changed = changed


class Report:
    """A check somebody says to have made."""

    __slots__ = ("by", "day", "last", "night", "target", "value")

    def __init__(self, by: int, target: int, value: str, night: int, day: int, last: bool) -> None:
        self.by = by
        self.target = target
        self.value = value
        self.night = night
        self.day = day
        self.last = last


class Memory:
    """Filled by `see` and `hear`; only read by everything else."""

    def __init__(self, seat: int, lore: Lore) -> None:
        self.seat = seat
        self.lore = lore
        self.heard = 0
        self.day = 0
        self.turn = 0
        self.night_first = False
        self.claims: dict[int, Claim] = {}
        self.reports: list[Report] = []
        self.ballots: dict[tuple[int, str], dict[int, int]] = {}
        self.plans: dict[int, dict[int, int]] = {}
        self.suspected: dict[int, dict[int, int]] = {}
        self.asked: list[tuple[int, str]] = []
        self.accused: list[tuple[int, Act]] = []
        self.runs: set[int] = set()
        self.words: dict[int, int] = {}
        self.trusted: dict[int, set[int]] = {}
        self.killed: dict[int, int] = {}
        self.exiled: dict[int, int] = {}
        self.seen_out: set[int] = set()
        self.news: list[int] = []
        self.exact: dict[int, str] = {}
        self.never: dict[int, set[str]] = {}
        self.mine: list[tuple[int, int, str]] = []
        self.done: dict[tuple[int, str], list[int] | None] = {}
        self.told_seen = 0
        self.announced_seen = 0
        self.revealed: dict[int, str] = {}

    # --- what the view shows --------------------------------------------------------------------------------------

    def see(self, view: View) -> bool:
        """Take in a view; True when a new discussion day has begun since the last one."""
        me, public = view.me, view.public
        assert me is not None
        lore = self.lore
        fresh = public.day != self.day and public.phase == "day"
        news = public.announced[self.announced_seen :]
        self.announced_seen = len(public.announced)
        for item in news:
            if item.kind == "放逐" and isinstance(item.value, int):
                self.exiled[item.value] = public.day
            elif isinstance(item.value, int):
                self._reveal(item.kind, item.value)
        if fresh:
            self.day = public.day
            self.turn = 0
            self.asked = []
            self.accused = []
            self.news = [seat for seat in public.out if seat not in self.seen_out]
            for seat in self.news:
                if seat not in self.exiled and seat not in self.revealed:
                    self.killed[seat] = public.day - 1
            self.seen_out.update(public.out)
        for seat, faction in me.knows.items():
            self.exact[seat] = faction if faction in lore.factions else lore.faction_of.get(faction, "")
        den = [skill.pack for skill in me.skills if skill.pack]
        for seat in me.den:
            if den and me.faction:
                self.exact.setdefault(seat, me.faction)
        for told in me.told[self.told_seen :]:
            self._told(told.skill, told.value, told.day, me.faction, me.host)
        self.told_seen = len(me.told)
        return fresh

    def _reveal(self, kind: str, seat: int) -> None:
        """An announcement that names a seat: a shot's victim is no victim of the night, a revealed role is known."""
        for id, skill in self.lore.rules.skills.items():
            if kind in (skill.name.zh, id):
                if skill.verb == "last_shot":
                    self.revealed[seat] = ""
                elif skill.reveals:
                    self.exact[seat] = self.lore.faction_of[skill.reveals]
                    self.revealed[seat] = skill.reveals
        for id, role in self.lore.rules.roles.items():
            if role.out_announced is not None and kind == role.out_announced.zh:
                self.exact[seat] = self.lore.faction_of[id]
                self.revealed[seat] = id

    def _told(self, id: str, value: object, day: int, faction: str, host: int) -> None:
        skill = self.lore.rules.skills.get(id)
        if skill is None:
            return
        if skill.verb == "read" and isinstance(value, str):
            named = self.done.get((day, id))
            if named:
                self.learn(named[0], value, skill.tells)
                self.mine.append((day, named[0], value))
        elif skill.verb == "read_some" and isinstance(value, dict):
            for seat, name in value.items():
                if name:
                    self.learn(int(seat), str(name), skill.tells)
                    self.mine.append((day, int(seat), str(name)))
        elif skill.verb == "join" and host and isinstance(value, str):
            if skill.joins == "same":
                self.exact[host] = value
            else:
                against = [f for f, joined in skill.opposing.items() if joined == value]
                if len(against) == 1:
                    self.exact[host] = against[0]

    def learn(self, seat: int, value: str, tells: Sequence[str]) -> None:
        """A true answer about a seat."""
        if value in self.lore.factions:
            self.exact[seat] = value
        elif value == "other":
            self.never.setdefault(seat, set()).update(tells)
        else:
            self.never.setdefault(seat, set()).add(value.removeprefix("!"))

    # --- what is said ---------------------------------------------------------------------------------------------

    def hear(self, talk: Sequence[Talk]) -> None:
        """Take in what was said since the last time."""
        for item in talk[self.heard :]:
            for act in item.acts:
                self._hear(item, act)
        self.heard = len(talk)

    def _hear(self, item: Talk, act: Act) -> None:
        by, day = item.seat, item.day
        kind = act.kind
        if kind in ("vote", "change"):
            self.ballots.setdefault((day, "election" if act.topic == "election" else "exile"), {})[by] = act.target
        elif kind == "claim":
            before = self.claims.get(by)
            if before is None or before.role != act.role:
                self.claims[by] = Claim(act.role, day, len(self.claims), before is not None)
        elif kind == "report":
            known = any(r.by == by and r.target == act.target for r in self.reports)
            if not known:
                last = item.room == "last_words"
                self.reports.append(Report(by, act.target, act.value, act.night, day, last))
        elif kind == "plan":
            self.plans.setdefault(day, {})[by] = act.target
        elif kind == "suspect":
            self.suspected.setdefault(day, {})[by] = act.target
        elif kind == "trust":
            self.trusted.setdefault(by, set()).add(act.target)
        elif kind == "run":
            self.runs.add(by)
        if item.room == "discussion":
            self.words[by] = self.words.get(by, 0) + 1
        if act.target == self.seat and by != self.seat:
            if kind == "ask":
                self.asked.append((by, act.topic))
            elif kind in ("suspect", "plan", "doubt", "report"):
                self.accused.append((by, act))

    def votes_today(self, ballot: str) -> dict[int, int]:
        """Votes in force on today's ballot, by voter."""
        return self.ballots.get((self.day, ballot), {})
