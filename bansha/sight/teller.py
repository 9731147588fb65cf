"""How a trace is told: names and numbers in both languages, and the lines they are put into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from bansha.referee import events as e
from bansha.referee.refusals import clock
from bansha.rulesets.model import Text
from bansha.rulesets.sheet import clause_ids
from bansha.rulesets.words import Words
from bansha.sight.witness import Seen, Witness

Pair = tuple[str, str]
"""The same words in Chinese and in English."""

REDS: Final = {"voids_votes": "M15", "bars_exile": "G8", "after_ballot": "B19"}
"""The ruling on a red card's timing, by the ruleset's policy."""


class Line(msgspec.Struct):
    """One step of a trace: its sentence in both languages, and the ids of the clauses it rests on."""

    text: Text
    clauses: list[str]


class Teller:
    """Turns witnessed records into lines."""

    def __init__(self, seen: Witness) -> None:
        self.seen = seen
        self.board = seen.board
        self.rules = seen.board.rules
        cached: tuple[dict[str, Text], Words, Words] | None = self.board.extra.get("explain")
        if cached is None:
            options = {name: self.board.option[name] for name in self.rules.options}
            ids = clause_ids(self.rules)
            cached = ids, Words(self.rules, "zh", options), Words(self.rules, "en", options)
            self.board.extra["explain"] = cached
        self.ids, self.zh, self.en = cached
        self.lines: list[Line] = []

    def say(self, zh: str, en: str, *clauses: str) -> None:
        """A line; clauses this ruleset does not have are left out."""
        known = list(dict.fromkeys(id for id in clauses if id in self.ids))
        self.lines.append(Line(Text(zh, en), known))

    # names

    def skill(self, index: int) -> Pair:
        """A skill's name inside a sentence."""
        name = self.board.skill_ids[index]
        return self.zh.quoted(name), self.en.quoted(name)

    def faction(self, name: str) -> Pair:
        """A faction's name."""
        return (self.zh.faction(name), self.en.faction(name)) if name else ("无阵营", "no faction")

    def role(self, seat: int) -> Pair:
        """（狼人） after a seat whose role the asker knows."""
        name = self.seen.roles.get(seat)
        return (f"（{self.zh.role(name)}）", f" ({self.en.role(name)})") if name else ("", "")

    def who(self, holder: int) -> Pair:
        """A holder: a seat, or a pack."""
        n = self.seen.n
        if holder <= n:
            zh, en = self.role(holder)
            return f"{holder}号{zh}", f"seat {holder}{en}"
        zh, en = self.faction(self.board.faction_ids[self.board.packs[holder - n - 1]])
        return zh, en

    def ruling(self, option: str) -> str:
        """The ruling that sets an option, or ""."""
        return next((id for id, ruling in self.rules.rulings.items() if ruling.option == option), "")

    def value(self, value: Any) -> Pair:
        """A private answer in words."""
        if isinstance(value, bool):
            return ("是", "yes") if value else ("否", "no")
        if isinstance(value, list):
            return (seats_zh(value), seats_en(value)) if value else ("没有人", "nobody")
        if isinstance(value, dict):
            told = [(seat, self.faction(name)) for seat, name in value.items()]
            return "，".join(f"{x}号{f[0]}" for x, f in told), ", ".join(f"seat {x}: {f[1]}" for x, f in told)
        if value == "other":
            return "其他阵营", "another faction"
        if isinstance(value, str) and value.startswith("!"):
            zh, en = self.faction(value[1:])
            return f"非{zh}", f"not {en}"
        return self.faction(str(value))

    def tonight(self, index: int) -> int:
        """Index of the record with which the submissions of this night began: the opening before it, or setup's end."""
        start = 0
        for i, record in enumerate(self.seen.records[:index]):
            if isinstance(record.event, (e.DayOpened, e.SetupEnded)):
                start = i
        return start

    def chosen(self, record: Seen, event: e.Submitted, replaced: int = 0) -> None:
        """A choice as it was handed in."""
        zh, en = moment(record)
        name = self.skill(event.skill)
        targets = event.targets or []
        by = self.who(event.by)
        if event.holder > self.seen.n:
            pack = self.who(event.holder)
            by = f"{by[0]}替{pack[0]}", f"{by[1]} for the {pack[1]}"
        again = (f"（此前交过{replaced}次，以最后一次为准）", f" (after {replaced} earlier; the last counts)") if replaced else ("", "")
        self.say(
            f"{zh}，{by[0]}交{name[0]}：{seats_zh(targets) if targets else '不指目标'}{again[0]}；到它那一段截止时执行。",
            f"{en}: {by[1]} handed in {name[1]} on {seats_en(targets) if targets else 'no target'}{again[1]}; "
            "executed when its stage closed.",
            f"skill.{self.board.skill_ids[event.skill]}",
            "C4",
            "C6" if event.holder > self.seen.n else "",
        )

    def stood(self, record: Seen, event: e.Submitted) -> bool:
        """Whether this is the last the holder handed in for the skill that night, and it did not lapse."""
        last: e.Event | None = None
        for other in self.seen.records:
            said = other.event
            if other.day != record.day or not isinstance(said, (e.Submitted, e.Lapsed, e.Stopped, e.Withdrawn, e.ChoiceVoided)):
                continue
            if (said.holder, said.skill) == (event.holder, event.skill):
                last = said
        return last is event

    def after(self, line: str) -> list[str]:
        """Clause ids of the aftermath lines of this function."""
        return [f"after.{number}" for number, item in enumerate(self.board.aftermath, 1) if item.line == line]


# --- numbers in sentences -----------------------------------------------------------------------------------------


def moment(record: Seen) -> Pair:
    """When a record stands: 第2夜21:05, night 2 (21:05)."""
    at = clock(record.at)
    if record.phase == "setup":
        return f"准备{at}", f"Setup ({at})"
    zh, en = ("天", "Day") if record.phase == "day" else ("夜", "Night")
    return f"第{record.day}{zh}{at}", f"{en} {record.day} ({at})"


def half(halves: int) -> str:
    """A count kept in halves: 2, 1.5."""
    return str(halves // 2) if halves % 2 == 0 else str(halves / 2)


def seats_zh(seats: Sequence[int]) -> str:
    """1、3、5号."""
    return "、".join(map(str, seats)) + "号"


def seats_en(seats: Sequence[int]) -> str:
    """Seat 1 / seats 1, 3, 5."""
    return ("seat " if len(seats) == 1 else "seats ") + ", ".join(map(str, seats))
