"""What a viewer gets: plain values, built from allow-lists. Seats are 1-based; minutes are game-local since 1970.

These types are all that computer players and pages know of a game. Nothing here refers to the referee's state.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Viewer(msgspec.Struct, frozen=True):
    """Who looks (rules.md §7): `public` (visitor, member, spectator, guest, former player after a substitution, manager
    without an act), `player` of a seat, `assistant` of a seat (what its player sees, den talk apart), `director`."""

    kind: Literal["public", "player", "assistant", "director"]
    seat: int = 0


PUBLIC = Viewer("public")
DIRECTOR = Viewer("director")


class Announcement(msgspec.Struct):
    """A public announcement: minute, kind (Chinese name), value."""

    at: int
    kind: str
    value: Any


class BallotView(msgspec.Struct):
    """A ballot open today, or the last one counted. `votes`: (voter, target or 0 for 弃权) in the order in which they came
    into force; `counts`: (seat, halves), curses and weights in, as publicly known now."""

    name: Literal["exile", "election"]
    open: bool
    votes: list[tuple[int, int]]
    counts: list[tuple[int, int]]
    changed: list[int]


class PublicView(msgspec.Struct):
    """What everybody knows.

    `now`: the minute handed to `view`; without one the minute of the latest opening, close or announcement (the minute of
    the latest submission would tell that there was one). `day`: k of day k and night k. `opens_at`: the next opening as it
    now stands. `sheriff`: as publicly known (0: none, or not yet); `badge_lost`: publicly known to be lost for good, or no
    badge on this board. `out`: publicly, in order of out. `ballots`: open ones by day, the counted ones by night.
    `petitions`: signatures of the day by kind. `cards`: seat → (blue, yellow, red) as they stand. `barred`: red-carded today.
    `winner`: faction id, "none" when nobody won, None while the game runs. `roles`, `factions`, `lost`: after the end only.
    All factions, roles and skills are named by their ids.
    """

    ruleset: str
    hash: str
    options: dict[str, str]
    now: int
    phase: Literal["setup", "day", "night", "over"]
    day: int
    opens_at: int
    closes_at: int
    freeze_at: int
    sped_up: bool
    paused: bool
    personas: list[str]
    alive: list[int]
    out: list[int]
    sheriff: int
    badge_lost: bool
    ballots: list[BallotView]
    last_counts: dict[str, list[tuple[int, int]]]
    petitions: dict[str, list[int]]
    passed: list[str]
    cards: dict[int, tuple[int, int, int]]
    barred: list[int]
    announced: list[Announcement]
    winner: str | None
    roles: dict[int, str]
    factions: dict[int, str]
    lost: list[str]


class SkillView(msgspec.Struct):
    """A skill in my hand (or my pack's). `state`: open (its window is open), early (may be kept for the coming night),
    shut (not now), frozen, spent, prompt (waits for my answer now), automatic. `why_not`: seat → refusal code.

    `name`: Chinese. `opens`, `until`: minutes of its window, half-open (0, 0: none ahead). `targets`, `why_not`: filled while
    it can be handed in (open, early, prompt; else empty). `kept`: the targets handed in for this night, None for a pass
    or when nothing was (`has_kept`); `kept_by`: who of the pack did (0: nobody). `why`: refusal code while shut, frozen or
    spent. `joint`: a handover that may come in one submission with the open last shot, not alone.
    """

    id: str
    name: str
    index: int
    verb: str
    state: Literal["open", "early", "shut", "frozen", "spent", "prompt", "automatic"]
    forced: bool
    may_pass: bool
    opens: int
    until: int
    targets: list[int]
    least: int
    most: int
    why_not: dict[int, str]
    pack: bool
    kept: list[int] | None
    has_kept: bool
    kept_by: int
    why: str = ""
    joint: bool = False


class Told(msgspec.Struct):
    """A private answer: minute, night or day number it came in, skill, value, whether it corrects an earlier one."""

    at: int
    day: int
    skill: str
    value: Any
    corrects: bool


class MeView(msgspec.Struct):
    """What a seat knows beside the public. `out`: I have been told that I am out.

    `faction`: "" where the seat has not been told. `knows`: seat → faction, of those it shares one with as told at the end
    of setup. `den`: the others of my dens, those out included. `prompt`: skill id or ""; `prompt_outs`: for a handover, who
    is out tonight beyond what the public knows. `vote`: ballot → target of my vote in force (0: 弃权). `sheriff`: publicly
    me. `last_words`: I may hand in last words until `last_words_until`. `heretics`, `host`: whom I chose. `notices`: minute,
    kind (lapsed, stopped, withdrawn, choice_voided, vote_voided, vote_refused, undone), and words: skill or ballot, then the
    refusal code, and for a refused post its reference.
    """

    seat: int
    role: str
    faction: str
    out: bool
    knows: dict[int, str]
    den: list[int]
    skills: list[SkillView]
    told: list[Told]
    prompt: str
    prompt_until: int
    prompt_outs: list[int]
    vote: dict[str, int]
    may_vote: list[str]
    may_change: list[str]
    sheriff: bool
    last_words: bool
    last_words_until: int
    surrender: Literal["", "asked", "proposed", "may"]
    heretics: list[int]
    host: int
    posts_today: int
    notices: list[tuple[int, str, str]]


class SeatTruth(msgspec.Struct):
    """A seat as its directors see it."""

    seat: int
    role: str
    faction: str
    alive: bool
    cause: str
    skills: dict[str, Any]
    charmed: bool
    den: list[int]
    posts: int
    quiet: int
    substituted: int
    host: int
    heretics: list[int]


class DirectorView(msgspec.Struct):
    """Everything but tree holes, which the referee does not know.

    `opened_at`: the latest opening. `night_from`: the minute this night's windows count from. `packs`: holder number, faction,
    living members, hand.
    `asked`: (holder, skill) that may be handed in for this or the coming night, or in setup; with `pending` it tells who is
    missing. `flagged`: minute, seat, clause, words, reference of the post.
    """

    phase: str
    stage: int
    limits: list[int]
    due: int
    opened_at: int
    night_from: int
    seats: list[SeatTruth]
    out: list[tuple[int, str]]
    lost: list[str]
    winner: str | None
    pending: list[tuple[int, str, list[int] | None, int]]
    prompts: list[tuple[int, str, int]]
    awaiting: list[tuple[int, str]]
    proposed: list[tuple[int, int, str, str, str]]
    flagged: list[tuple[int, int, str, str, int]]
    packs: list[tuple[int, str, list[int], dict[str, Any]]]
    asked: list[tuple[int, str]]
    sheriff: int
    effects: dict[str, Any]
    undoable: bool


class View(msgspec.Struct):
    """One viewer's view of a game."""

    viewer: Viewer
    public: PublicView
    me: MeView | None = None
    director: DirectorView | None = None
