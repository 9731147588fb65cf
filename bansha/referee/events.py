"""What happened, in the past tense. The docstring of each event is its documentation; `audience` says who may see it.

An event is visible to the directors alone unless its class names another audience:
`public` — everyone, at once; `seat` — the seat in its field `seat`; `holder` — the seat or every member of the pack
that holds the skill; `den` — the members of the den. Events are arrays in JSON, the kind first; seats are 1-based,
0 stands for nobody or for 弃权; minutes are game-local minutes since 1970-01-01T00:00.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec


class Event(msgspec.Struct, array_like=True, gc=False):
    """Base of all events."""

    audience: ClassVar[str] = "directors"


# --- the deal -----------------------------------------------------------------------------------------------------


class Seeded(Event, tag="seeded"):
    """The recorded random stream comes from a plain seed (case files, demonstrations): nothing was committed."""

    audience: ClassVar[str] = "public"
    seed: int


class Committed(Event, tag="committed"):
    """The dealing was committed to before accounts were bound (docs/dealing.md)."""

    audience: ClassVar[str] = "public"
    commitment: str
    game: str
    ruleset_hash: str
    options: dict[str, str]
    personas: list[str]
    roles: list[str]


class ContributionHashed(Event, tag="contribution_hashed"):
    """A player's contribution to the stream arrived, hashed."""

    audience: ClassVar[str] = "public"
    player: int
    digest: str


class ContributionOpened(Event, tag="contribution_opened"):
    """A player opened the contribution."""

    audience: ClassVar[str] = "public"
    player: int
    text: str


class SecretOpened(Event, tag="secret_opened"):
    """The directors' secret was opened after the end: everybody can check the deal and every draw."""

    audience: ClassVar[str] = "public"
    secret: str


class GameOpened(Event, tag="game_opened"):
    """A game began: ruleset pinned by content hash, options, personas in seat order, times, earlier games by seat."""

    audience: ClassVar[str] = "public"
    ruleset: str
    hash: str
    options: dict[str, str]
    personas: list[str]
    setup_ends: int
    history: dict[int, int]


class Dealt(Event, tag="dealt"):
    """The roles by seat, and which seat each player wears (empty where nobody is behind the seats)."""

    roles: list[str]
    masks: list[int]


class Drawn(Event, tag="drawn"):
    """A draw of the recorded stream: label, running counter, the options in order, and what was chosen, in order."""

    label: str
    counter: int
    options: list[Any]
    chosen: list[Any]


# --- setup --------------------------------------------------------------------------------------------------------


class Joined(Event, tag="joined"):
    """认亲, 雪恨, 附身: the seat joined a faction by the host it chose; `den`: with its knowledge and den."""

    seat: int
    skill: int
    host: int
    faction: int
    den: bool


class HereticsChosen(Event, tag="heretics_chosen"):
    """异端: the seats the grandpa marked."""

    seat: int
    targets: list[int]


class Acquainted(Event, tag="acquainted"):
    """互知: the seat was told who shares its faction."""

    audience: ClassVar[str] = "seat"
    seat: int
    others: list[int]
    faction: int


class SetupEnded(Event, tag="setup_ended"):
    """Setup is over; `night`: play starts with night 0."""

    audience: ClassVar[str] = "public"
    night: bool


# --- the day ------------------------------------------------------------------------------------------------------


class DayOpened(Event, tag="day_opened"):
    """开门: a discussion day began and closes at `closes_at`."""

    audience: ClassVar[str] = "public"
    day: int
    closes_at: int
    extended: bool


class DayClosed(Event, tag="day_closed"):
    """关门: ballots are counted; night windows count from here."""

    audience: ClassVar[str] = "public"
    day: int


class DayMoved(Event, tag="day_moved"):
    """The close of the day moved (加速, 延时, or the director)."""

    audience: ClassVar[str] = "public"
    closes_at: int
    sped_up: bool
    why: str


class Announced(Event, tag="announced"):
    """A public announcement: its kind (the skill's or fact's Chinese name) and value."""

    audience: ClassVar[str] = "public"
    kind: str
    value: Any


class PostMade(Event, tag="post_made"):
    """A post: thread, its reference, digest of the body (never the body), the post it quotes (0: none)."""

    audience: ClassVar[str] = "public"
    seat: int
    thread: str
    ref: int
    digest: str
    quote: int


class Flagged(Event, tag="flagged"):
    """A post is suspected of breaking a clause: the words that matched. For the directors only."""

    seat: int
    clause: str
    words: str
    ref: int


class VoteCast(Event, tag="vote_cast"):
    """A vote in force. `ballot`: 0 exile, 1 election; `target` 0: 弃权; `ref`: its post (0: form); `by` 0: the seat, else a director."""

    audience: ClassVar[str] = "public"
    seat: int
    ballot: int
    target: int
    ref: int
    by: int


class VoteChanged(Event, tag="vote_changed"):
    """改票: the seat's one change."""

    audience: ClassVar[str] = "public"
    seat: int
    ballot: int
    target: int
    ref: int


class VoteRefused(Event, tag="vote_refused"):
    """A post in a ballot thread that is no vote: why (a refusal code) and the words the sentence needs."""

    audience: ClassVar[str] = "seat"
    seat: int
    ballot: int
    ref: int
    code: str
    target: str


class VoteVoided(Event, tag="vote_voided"):
    """A vote became void (C19, C25); its voter is told and may vote afresh without using the change."""

    audience: ClassVar[str] = "seat"
    seat: int
    ballot: int
    why: str


class Counted(Event, tag="counted"):
    """A ballot as counted: [seat, count in halves] pairs by seat, and the seats with the most."""

    audience: ClassVar[str] = "public"
    ballot: int
    tally: list[tuple[int, int]]
    top: list[int]


class SheriffChanged(Event, tag="sheriff_changed"):
    """The badge moved: to a seat, or 0 when it is lost or torn; `lost`: for good. The public learns it by an announcement."""

    seat: int
    why: str
    lost: bool


class ExileDue(Event, tag="exile_due"):
    """The ballot would exile this seat (after 隐患); it may still stay by a prompt."""

    seat: int


class ExileMoved(Event, tag="exile_moved"):
    """隐患 moved the exile from one seat to the other."""

    seat: int
    to: int
    by: int


class TieBroken(Event, tag="tie_broken"):
    """A tie was broken by the sheriff's vote (M1) or by a recorded draw; `to` 0: nobody."""

    tied: list[int]
    to: int
    why: str


class ExileSettled(Event, tag="exile_settled"):
    """The exile of this day, its triggers and the day's red cards are settled (B13)."""

    day: int


# --- petitions and surrender --------------------------------------------------------------------------------------


class Signed(Event, tag="signed"):
    """A signature under a petition of this discussion day."""

    audience: ClassVar[str] = "public"
    seat: int
    kind: str


class PetitionPassed(Event, tag="petition_passed"):
    """A petition reached its quorum."""

    audience: ClassVar[str] = "public"
    kind: str
    signatures: int
    living: int


class SurrenderProposed(Event, tag="surrender_proposed"):
    """投降: proposed; every member of the den is asked."""

    audience: ClassVar[str] = "den"
    seat: int
    asked: list[int]


class SurrenderAnswered(Event, tag="surrender_answered"):
    """投降: an answer."""

    audience: ClassVar[str] = "den"
    seat: int
    agree: bool


class SurrenderEnded(Event, tag="surrender_ended"):
    """投降: the proposal ended: agreed, declined, or lapsed at the close."""

    audience: ClassVar[str] = "den"
    why: str


# --- leaving and ending -------------------------------------------------------------------------------------------


class Out(Event, tag="out"):
    """出局: once per character. `cause`: a skill id, or exile, red_card, director. Public at once by day and dusk."""

    seat: int
    cause: str


class ToldOut(Event, tag="told_out"):
    """Those out this night were told so (C13, C27)."""

    seats: list[int]


class FactionLost(Event, tag="faction_lost"):
    """A faction was judged lost; not announced (C15). `why`: the clause id of the condition."""

    faction: int
    why: str


class GameEnded(Event, tag="game_ended"):
    """The end: the winning faction (-1: nobody, 流局 included). `why`: the clause id."""

    audience: ClassVar[str] = "public"
    faction: int
    why: str


class LastWordsHanded(Event, tag="last_words_handed"):
    """遗言 handed in; the text is not in the journal."""

    audience: ClassVar[str] = "seat"
    seat: int
    digest: str


# --- the night ----------------------------------------------------------------------------------------------------


class Submitted(Event, tag="submitted"):
    """A choice handed in, kept until its stage closes: holder (a seat, or a pack's number), targets, by whom. None: an explicit pass."""

    audience: ClassVar[str] = "holder"
    holder: int
    skill: int
    targets: list[int] | None
    by: int


class Withdrawn(Event, tag="withdrawn"):
    """A kept choice was taken back by its holder or replaced by an excluding one."""

    audience: ClassVar[str] = "holder"
    holder: int
    skill: int


class Lapsed(Event, tag="lapsed"):
    """A kept choice became illegal before its stage closed (C5); its holder is told why (a refusal code)."""

    audience: ClassVar[str] = "holder"
    holder: int
    skill: int
    code: str


class Stopped(Event, tag="stopped"):
    """A choice failed because its holder is frozen; nothing is spent (B8)."""

    audience: ClassVar[str] = "holder"
    holder: int
    skill: int


class Used(Event, tag="used"):
    """A skill was executed on its targets: counters move."""

    holder: int
    skill: int
    targets: list[int]


class Told(Event, tag="told"):
    """A private answer: the skill and its value."""

    audience: ClassVar[str] = "seat"
    seat: int
    skill: int
    value: Any
    corrects: bool = False


class Marked(Event, tag="marked"):
    """Tonight the target stands under this skill (shield, antidote, mute shield, holy light, torch …)."""

    holder: int
    skill: int
    target: int


class Struck(Event, tag="struck"):
    """A kill, feint or strike was made on the target; settled later, seen by visions now."""

    holder: int
    skill: int
    target: int


class Charmed(Event, tag="charmed"):
    """吹笛: charmed for good."""

    seat: int


class ShieldOrdered(Event, tag="shield_ordered"):
    """盾控: tonight the named skill cannot be passed."""

    skill: int


class Froze(Event, tag="froze"):
    """冰冻: the target's non-forced skills of later stages fail tonight."""

    seat: int


class Doomed(Event, tag="doomed"):
    """圣光 on a clocktower character: out when the night is settled, not by a strike."""

    seat: int


class Cursed(Event, tag="cursed"):
    """诅咒: the target's exile count of the next discussion day rises."""

    target: int
    amount: int


class Swapped(Event, tag="swapped"):
    """隐患: on the next discussion day these two exchange exile."""

    holder: int
    first: int
    second: int


class SkillGained(Event, tag="skill_gained"):
    """A skill came into a hand: why (a skill id), usable from this night and stage on; with the counters it had."""

    seat: int
    skill: int
    why: str
    night: int
    stage: int
    counters: list[int]


class SkillLost(Event, tag="skill_lost"):
    """A skill left a hand: why (a skill id)."""

    holder: int
    skill: int
    why: str


class DenJoined(Event, tag="den_joined"):
    """A den opened to this seat by a skill; `den` is its number."""

    audience: ClassVar[str] = "den"
    den: int
    seat: int
    skill: int


class StageClosed(Event, tag="stage_closed"):
    """A stage of the night closed (numbered from 0)."""

    stage: int


class StageTimed(Event, tag="stage_timed"):
    """A stage whose window hangs on a vision was entered: its limit (C7)."""

    stage: int
    until: int


class NightSettled(Event, tag="night_settled"):
    """The night was settled; dawn prompts follow if any."""

    night: int


class Voided(Event, tag="strike_voided"):
    """A kill or strike did nothing: by which skill."""

    skill: int
    target: int
    by: int


class Absorbed(Event, tag="absorbed"):
    """A strike was absorbed by a torch or a ward of this holder."""

    skill: int
    target: int
    by: int
    holder: int


class StrikeMoved(Event, tag="strike_moved"):
    """防反: a strike moved from the holder to the one chosen."""

    skill: int
    holder: int
    target: int


# --- dusk and dawn ------------------------------------------------------------------------------------------------


class Awaited(Event, tag="awaited"):
    """Something follows this out: an aftermath line for this seat, in its turn."""

    seat: int
    line: int


class PromptOpened(Event, tag="prompt_opened"):
    """A prompt reached its holder: skill, and until when."""

    audience: ClassVar[str] = "seat"
    seat: int
    skill: int
    until: int


class PromptAnswered(Event, tag="prompt_answered"):
    """A prompt was answered: the target, -1 for a pass, 0 for yes; `silent`: nobody answered."""

    audience: ClassVar[str] = "seat"
    seat: int
    skill: int
    target: int
    silent: bool


class HandoverKept(Event, tag="handover_kept"):
    """A handover handed in with, or after, the same character's last shot waits for its turn (0: torn)."""

    audience: ClassVar[str] = "seat"
    seat: int
    target: int


class Postponed(Event, tag="postponed"):
    """A fact that is announced with the next opening (C13)."""

    kind: str
    value: Any


class RedsSettled(Event, tag="reds_settled"):
    """B19: the day's red cards take effect now, after the ballot's triggers."""


class Consequence(Event, tag="consequence_done"):
    """An aftermath line for a seat is dealt with."""

    seat: int
    line: int


class Stayed(Event, tag="stayed"):
    """装唐: the seat stayed and votes no more."""

    seat: int
    skill: int


class TwilightEnded(Event, tag="twilight_ended"):
    """Dusk or dawn is over."""

    dawn: bool


# --- cards and people ---------------------------------------------------------------------------------------------


class CardProposed(Event, tag="card_proposed"):
    """The platform proposes a card with its clause; nothing is dealt (section 5)."""

    seat: int
    colour: str
    clause: str
    why: str


class CardDealt(Event, tag="card_dealt"):
    """The director dealt a card; conversions follow from it at once."""

    audience: ClassVar[str] = "public"
    seat: int
    colour: str
    clause: str


class CardWithdrawn(Event, tag="card_withdrawn"):
    """The latest such card was withdrawn; a red card's consequences stay."""

    audience: ClassVar[str] = "public"
    seat: int
    colour: str
    clause: str


class RedPending(Event, tag="red_pending"):
    """B19: a red card by day: no posts or votes from now on; out after the ballot."""

    audience: ClassVar[str] = "public"
    seat: int


class Substituted(Event, tag="substituted"):
    """替补: another player took the persona over."""

    seat: int


class AssistantGiven(Event, tag="assistant_given"):
    """场助: the seat's player has an adviser."""

    seat: int


class QuietDays(Event, tag="quiet_days"):
    """G12: running number of quiet discussion days by seat after this close."""

    runs: list[int]


# --- the directors ------------------------------------------------------------------------------------------------


class DirectorActed(Event, tag="director_acted"):
    """An act of the director with its reason; what it did follows in events of its own."""

    act: str
    value: Any
    reason: str


class ChoiceVoided(Event, tag="choice_voided"):
    """The director voided a kept choice; the holder is told and may hand in anew while the window is open."""

    audience: ClassVar[str] = "holder"
    holder: int
    skill: int


class LimitMoved(Event, tag="limit_moved"):
    """The director moved an open limit: setup, day, stages (first to last) or the open prompt."""

    audience: ClassVar[str] = "public"
    what: str
    first: int
    last: int
    until: int


class Restored(Event, tag="restored"):
    """The director undid an out, not what it had set off."""

    audience: ClassVar[str] = "public"
    seat: int


class Paused(Event, tag="paused"):
    """The game stands still."""

    audience: ClassVar[str] = "public"


class Resumed(Event, tag="resumed"):
    """The game goes on: open limits moved by the paused minutes, openings and closes as §7 says."""

    audience: ClassVar[str] = "public"
    minutes: int
    closes_at: int
    opens_at: int


class HoldSet(Event, tag="hold_set"):
    """Stages wait for their limits (or may again close early)."""

    on: bool


class OutageRecorded(Event, tag="outage_recorded"):
    """The platform was down over a window: no silence of this night is proposed for punishment."""

    start: int
    end: int


class Undone(Event, tag="undone"):
    """A compensating event: the last undoable entry is taken back; `records` hold what stood before, in order."""

    records: list[list[Any]]


ALL: tuple[type[Event], ...] = tuple(Event.__subclasses__())
KINDS: dict[str, type[Event]] = {str(cls.__struct_config__.tag): cls for cls in ALL}
AnyEvent = Event
