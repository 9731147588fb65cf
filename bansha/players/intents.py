"""What a computer player wants and what it says: plain values. The driver of a game turns them into commands.

Seats are 1-based, 0 stands for nobody or for 弃权. Nothing here refers to the referee.
"""

from __future__ import annotations

from typing import Literal

import msgspec

ReasonKind = Literal[
    "check", "counter", "votes", "turned", "defends", "hunch", "cleared", "claim", "killed", "answer", "follow", "self",
    "sheriff", "spares", "",
]  # fmt: skip
"""Why: a black check by `seat`; claims the same as `seat`; voted for the good `seat` on `day`; said one name and voted
another; spoke for `seat`; a mere feeling; cleared by `seat`; its claim stands alone; attacked at night; gave a good
answer; goes along with `seat`; to save oneself; for the badge; did not vote for `seat` on `day` when all could see."""


class Reason(msgspec.Struct, frozen=True):
    """Why somebody is suspected, trusted or voted for."""

    kind: ReasonKind = ""
    seat: int = 0
    day: int = 0


HUNCH = Reason("hunch")

ActKind = Literal[
    "news", "chat", "run", "claim", "report", "saved", "suspect", "trust", "doubt", "ask", "reply", "plan", "plead",
    "agree", "vote", "change", "farewell",
]  # fmt: skip


class Act(msgspec.Struct, frozen=True):
    """One thing done with words: claim a role, report a check, suspect, trust, ask, reply, …

    `role`: the role claimed. `value`: what a check told (a faction id, "!" with a faction id, or "other"). `night`:
    the night of a check or a rescue. `topic`: what is asked about or chatted of.
    """

    kind: ActKind
    target: int = 0
    role: str = ""
    value: str = ""
    night: int = -1
    why: Reason = Reason()
    topic: str = ""


class Talk(msgspec.Struct, frozen=True):
    """One post that everybody may read: the day, who, where, what it does, and its words ("" where nobody reads)."""

    day: int
    seat: int
    room: Literal["discussion", "ballot", "election", "last_words"]
    acts: tuple[Act, ...]
    text: str = ""


class Use(msgspec.Struct, frozen=True):
    """Hand in a skill: targets ([] for one without), or None for an explicit pass. `index` is the skill's number."""

    skill: str
    index: int
    targets: list[int] | None


class Answer(msgspec.Struct, frozen=True):
    """Answer the open prompt: targets ([] for yes), or None for no."""

    skill: str
    index: int
    targets: list[int] | None


class Vote(msgspec.Struct, frozen=True):
    """A first vote on a ballot ("exile" or "election"); target 0: 弃权. `text`: its reason in words."""

    ballot: str
    target: int
    why: Reason
    text: str = ""


class Change(msgspec.Struct, frozen=True):
    """The one change of a vote."""

    ballot: str
    target: int
    why: Reason
    text: str = ""


class Say(msgspec.Struct, frozen=True):
    """A post in the discussion thread. `filler`: words that move nothing, left out where space is short."""

    acts: tuple[Act, ...]
    text: str = ""
    filler: bool = False


class Sign(msgspec.Struct, frozen=True):
    """A signature under a petition."""

    kind: str


class Surrender(msgspec.Struct, frozen=True):
    """投降: "" proposes, "agree" or "decline" answers."""

    answer: str = ""


class LastWords(msgspec.Struct, frozen=True):
    """遗言, plain text."""

    acts: tuple[Act, ...]
    text: str = ""


Intent = Use | Answer | Vote | Change | Say | Sign | Surrender | LastWords
