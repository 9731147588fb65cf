"""The ruleset file as typed values: what a director writes, and nothing else.

Data holds names, numbers, flags, lists, times and texts, never a condition; the moment a rule needs an "if", it is
a function of the referee that the data names (`verb`, `line`, `when`, a policy). Minutes are game-local minutes;
seats are 1-based; texts may hold placeholders such as ``{last_words.count}`` that the rule sheet fills from the data.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages."""

    zh: str
    en: str

    def get(self, lang: str) -> str:
        """The text in `lang` ("zh" or "en")."""
        return self.en if lang == "en" else self.zh


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which rule thread a ruleset reads (`seed`: the thread's number) and as of when."""

    seed: str = ""
    as_of: str = ""


class Faction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """阵营. `acquaint`: how members stand to each other: a shared `den` (互知共群), `known` (互知), or `strangers`."""

    name: Text
    acquaint: Literal["den", "known", "strangers"] = "strangers"
    sign: str = "◆"


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """身份: an initial hand of skills. `faction` is empty for a role that joins one in setup."""

    name: Text
    count: int
    faction: str = ""
    skills: list[str] = []
    flexible: bool = False
    out_announced: Text | None = None
    text: Text | None = None


class Skill(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """技能: a verb with flags. See docs/reference for each verb and flag; the rule sheet prints them."""

    name: Text
    verb: str
    text: Text
    seed: str = ""
    aliases: list[str] = []
    # who and how often
    pack: str = ""
    forced: bool = False
    limited: bool = False
    automatic: bool = False
    immediate: bool = False
    nights: Literal["every", "first", "even"] = "every"
    # targets
    targets: int = 1
    share: Literal["", "half"] = ""
    other: bool = False
    not_consecutive: bool = False
    once_per_target: bool = False
    adjacent: bool = False
    self_only_first_night: bool = False
    # relations to other skills and factions
    excludes: list[str] = []
    loses: list[str] = []
    becomes: str = ""
    shows: list[str] = []
    order: Literal["", "made", "seat"] = ""
    tells: list[str] = []
    den: list[str] = []
    blocked_by: list[str] = []
    orders: str = ""
    takes: list[str] = []
    dooms: list[str] = []
    leaves: list[str] = []
    gains: dict[int, str] = {}
    counts: str = ""
    reveals: str = ""
    joins: Literal["", "same", "opposing"] = ""
    joins_den: bool = False
    opposing: dict[str, str] = {}
    amount: int = 0
    draws: int = 0
    not_after: list[str] = []
    unless_last: bool = False
    ends_vote: bool = False
    doubles: str = ""
    lost_with_faction: bool = False
    silence: Literal["", "blue", "yellow"] = ""


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the night: skills that close together, in the order in which they are executed.

    `window`: minutes after the close, half-open. `after`: the window opens when that skill has answered and lasts as
    long as `window` is wide. `without`: the window when nobody alive holds the skill named by `after`.
    """

    stage: list[str]
    window: list[int]
    after: str = ""
    without: list[int] = []


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the settlement or of the aftermath: a named function with its parameters."""

    line: str
    skill: str = ""
    skills: list[str] = []
    voided_by: list[str] = []
    overlap: Literal["one", "kills"] = "one"
    immune: list[str] = []
    moved_by: str = ""
    absorbed_by: list[str] = []
    role: str = ""
    dusk: int = 0
    dawn: int = 0


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One condition of winning or losing: a named function with its parameters."""

    when: str
    roles: list[str] = []
    factions: list[str] = []
    count: int = 0
    day: int = 0
    skill: str = ""


class Ends(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a faction wins and when it is judged lost."""

    wins: list[Condition] = []
    lost: list[Condition] = []


class Victory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`order`: which faction wins alone when several could. `moment`: after each out, or after each settlement."""

    order: list[str]
    factions: dict[str, Ends]
    moment: Literal["each_out", "settlement"] = "each_out"


class Ballots(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """投票. `first_day` and `later`: which ballots run ("election", "exile"). Ties are named policies."""

    first_day: list[Literal["election", "exile"]]
    later: list[Literal["election", "exile"]]
    exile_tie: Literal["nobody", "sheriff_vote", "random"]
    election_tie: Literal["no_sheriff", "first_reached"] = "no_sheriff"
    changes: int = 1
    freeze_minutes: int = 60


class Badge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """警徽. `weight`: what the sheriff's exile vote counts (halves allowed)."""

    weight: float = 1
    silence: Literal["torn", "random"] = "torn"
    red_card: Literal["torn", "random"] = "torn"
    lost_on_tie: bool = False
    announced_daily: bool = False


class Calendar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """日程. `first_day`, `later_days`: natural days a discussion day lasts. Times are "HH:MM"."""

    start: Literal["day", "night"]
    opens: str
    closes: str
    setup_minutes: int
    first_day: int
    later_days: int


class Petitions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """申请: kinds among speed_up, extend, abort; signing stops `closing_minutes` before the close."""

    kinds: list[Literal["speed_up", "extend", "abort"]]
    closing_minutes: int
    quorum: Literal["half", "majority"] = "half"


class LastWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """遗言: how many, and with a deadline at midnight the least minutes after being told."""

    count: int
    least_minutes: int = 0


class Surrender(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """投降: which faction may."""

    faction: str


class Substitutes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """替补: how often per persona (0: any number). The rest is text."""

    times: int
    text: Text


class Assistants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """场助: for players with at most `games` earlier games."""

    games: int
    text: Text


class Cards(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """蓝黄红牌. `red`: the red card's timing, a named policy. `faction_lost_at`: red cards that lose a faction (0: never)."""

    blue_per_yellow: int
    yellow_per_red: int
    red: Literal["voids_votes", "bars_exile", "after_ballot"]
    faction_lost_at: int = 0
    director_may_judge: bool = False
    yellow_excludes: bool = False


class Attendance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the platform sees by itself and proposes: too few posts, a run of quiet days, no vote, a silent night."""

    posts: int = 0
    posts_clause: str = ""
    streak_posts: int = 0
    streak_days: int = 0
    streak_clause: str = ""
    vote_clause: str = ""
    silence_clause: str = ""


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One conduct clause: colours it may be dealt in, text, example, and what raises a suspicion of it."""

    colours: list[Literal["blue", "yellow", "red"]]
    text: Text
    example: Text
    patterns: list[str] = []
    detectors: list[Literal["director_red", "enlarged"]] = []
    group: Text | None = None


class Ruling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """裁定: a question the source left open, our answer, and the option it sets, if any."""

    question: Text
    answer: Text
    option: str = ""
    seed: str = ""


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A setting of the ruleset. `values`: the legal ones ("off|N" accepts off or a number); `explain` one text a value."""

    values: list[str]
    default: str
    question: Text
    explain: dict[str, Text] = {}


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A clause of the rule text: in our own words, with the seed it comes from; `section` places it on the sheet."""

    text: Text
    section: str
    seed: str = ""
    beyond: bool = False


class Reward(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """奖励: who gets what; figures stand in `coins`, the text names them by placeholder {coins}."""

    text: Text
    coins: int = 0


class LeftOver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A word of the source that no role of this board owns."""

    word: str
    text: Text


class Revision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the dated revision log."""

    date: str
    change: Text
    why: Text
    asked_by: Text


class Ruleset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole board. Loaded by `bansha.rulesets.load`; compiled for play by `bansha.referee.board`."""

    bansha: int
    id: str
    name: Text
    about: Text
    factions: dict[str, Faction]
    roles: dict[str, Role]
    skills: dict[str, Skill]
    setup: list[str]
    night: list[Stage]
    settlement: list[Line]
    aftermath: list[Line]
    victory: Victory
    ballots: Ballots
    calendar: Calendar
    petitions: Petitions
    last_words: LastWords
    substitutes: Substitutes
    assistants: Assistants
    cards: Cards
    attendance: Attendance
    conduct: dict[str, Clause]
    options: dict[str, Option]
    rulings: dict[str, Ruling]
    clauses: dict[str, Rule]
    revisions: list[Revision]
    source: Source = Source()
    badge: Badge | None = None
    surrender: Surrender | None = None
    rewards: list[Reward] = []
    etiquette: list[Text] = []
    left_overs: list[LeftOver] = []
    declared_empty: list[str] = []
    inherits: str = ""

    @property
    def seats(self) -> int:
        """Number of seats: the sum of the roles' counts (flexible roles count as given)."""
        return sum(role.count for role in self.roles.values())
