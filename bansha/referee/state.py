"""The state of one game. Only `evolve` writes it; everything else reads.

Seats are 1..n and index lists of length n + 1 (index 0 unused); sets of seats are bitmasks with bit `1 << seat`.
Hands are indexed by holder: seats 1..n, then one holder per pack (n + 1, …). Minutes are game-local.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bansha.referee.board import Board

SETUP, DAY, DUSK, NIGHT, DAWN, OVER = range(6)
PHASES = ("setup", "day", "dusk", "night", "dawn", "over")
NONE = -1
SKILL_DEN = 1000
"""Dens that a skill opens (审判) stand in `den_of` under SKILL_DEN + the skill's number."""


@lru_cache(maxsize=1 << 16)
def seats_of(mask: int) -> tuple[int, ...]:
    """The seats of a mask, ascending."""
    return tuple(seat for seat in range(1, mask.bit_length()) if mask >> seat & 1)


class Held:
    """A skill in a hand, with its own counters (architecture: a skill is a value held by a seat)."""

    __slots__ = ("last", "last_night", "night", "passed", "spent", "stage", "used")

    def __init__(self) -> None:
        self.spent = False
        self.used = 0  # mask of targets named so far
        self.last = 0  # mask of the targets named last
        self.last_night = -9  # the night of that
        self.night = -1  # usable from this night …
        self.stage = -1  # … and this stage on
        self.passed = False  # came by 枪决's passing on: passes no further (B15)

    def counters(self) -> list[int]:
        """The counters as numbers, for an event that hands the skill on as it is."""
        return [int(self.spent), self.used, self.last, self.last_night, int(self.passed)]


class Prompt:
    """An open prompt: for whom, which skill, which aftermath line, when opened, until when."""

    __slots__ = ("line", "opened", "seat", "skill", "until")

    def __init__(self, seat: int, skill: int, line: int, opened: int, until: int) -> None:
        self.seat = seat
        self.skill = skill
        self.line = line
        self.opened = opened
        self.until = until


# Every field of a state, for copies and comparisons.
FIELDS = (
    "aborted",
    "agreed",
    "alive",
    "announced",
    "answered",
    "asked",
    "assistants",
    "awaiting",
    "badge_lost",
    "ballots",
    "board",
    "card_list",
    "cause",
    "changed",
    "changes",
    "charm_hold",
    "charmed",
    "closes_at",
    "counter_of",
    "cursed",
    "day",
    "declined",
    "den_of",
    "dens",
    "doomed",
    "double_night",
    "draws",
    "dusk_end",
    "elected",
    "entered",
    "entry_fresh", "entry_barred",
    "exile_due",
    "exiles_settled",
    "faction",
    "faction_mask",
    "faded",
    "flag_log",
    "frozen",
    "full_at",
    "handed",
    "hands",
    "heretics",
    "history",
    "hold",
    "host",
    "joint",
    "kept_handover",
    "knows",
    "last_count",
    "last_due",
    "last_given",
    "limits",
    "lost",
    "marks",
    "n",
    "night_from",
    "night_told",
    "no_vote",
    "notices",
    "now",
    "opened_at",
    "opens_at",
    "ordered",
    "out_at",
    "out_order",
    "out_since",
    "outage",
    "passed_kinds",
    "paused_at",
    "pending",
    "personas",
    "phase",
    "postponed",
    "posts",
    "prompt",
    "proposal",
    "proposed_log",
    "public_alive",
    "public_sheriff",
    "quiet",
    "red_pending",
    "red_today",
    "reds_dealt",
    "role",
    "role_mask",
    "seats_mask",
    "seq",
    "settled",
    "setup_ends",
    "sheriff",
    "sheriff_since",
    "sig",
    "sped_up",
    "stage",
    "strikes",
    "substituted",
    "swaps",
    "told",
    "told_out",
    "torches",
    "undoable",
    "voided",
    "vote",
    "vote_ref",
    "vote_seq",
    "wards",
    "winner",
)  # fmt: skip


class State:
    """Everything the referee knows of one game."""

    __slots__ = FIELDS

    def __init__(self, board: Board) -> None:
        self.board = board
        self.n = 0
        self.now = 0
        self.phase = SETUP
        self.day = 0
        self.entry_fresh = True
        self.entry_barred = False
        self.undoable: list[list[Any]] = []
        self.draws = 0

    def open(self, personas: list[str], roles: list[int], setup_ends: int, history: dict[int, int]) -> None:
        """Fill in a fresh game (called by evolve for GameOpened and Dealt)."""
        board = self.board
        n = self.n = len(roles)
        self.personas = ["", *personas]
        self.history = history
        self.setup_ends = setup_ends
        self.role = [NONE, *roles]
        self.faction = [NONE, *[board.role_faction[r] for r in roles]]
        everyone = self.seats_mask = (1 << (n + 1)) - 2
        self.alive = everyone
        self.public_alive = everyone
        self.role_mask = [0] * len(board.role_ids)
        self.faction_mask = [0] * len(board.faction_ids)
        for seat, role in enumerate(roles, 1):
            self.role_mask[role] |= 1 << seat
            if self.faction[seat] >= 0:
                self.faction_mask[self.faction[seat]] |= 1 << seat
        self.hands: list[dict[int, Held]] = [{}]
        for role in roles:
            self.hands.append({skill: Held() for skill in board.role_skills[role]})
        for skills in board.pack_skills:
            self.hands.append({skill: Held() for skill in skills})
        # dens: one per faction with a den (its members by role), then those that open in play
        self.den_of: dict[int, int] = {}
        self.dens: list[int] = []
        for index, faction in enumerate(board.rules.factions.values()):
            if faction.acquaint == "den":
                self.den_of[index] = len(self.dens)
                self.dens.append(self.faction_mask[index])
        self.knows: list[list[tuple[int, int]]] = [[] for _ in range(n + 1)]
        self.host: dict[int, int] = {}
        self.heretics: dict[int, int] = {}
        # outs
        self.out_order: list[int] = []
        self.cause: dict[int, str] = {}
        self.out_at: dict[int, int] = {}
        self.out_since: list[int] = []
        self.told_out = 0
        self.last_due: dict[int, int] = {}
        self.last_given: set[int] = set()
        self.lost: list[int] = []
        self.winner: int | None = None
        self.aborted = False
        # day
        self.closes_at = 0
        self.opens_at = 0
        self.opened_at = 0
        self.sped_up = False
        self.vote = [[NONE] * (n + 1), [NONE] * (n + 1)]
        self.vote_ref = [[0] * (n + 1), [0] * (n + 1)]
        self.vote_seq = [[0] * (n + 1), [0] * (n + 1)]
        self.seq = 0
        self.changes: dict[tuple[int, int], int] = {}
        self.changed = [0, 0]
        self.voided = [0, 0]
        self.no_vote = 0
        self.ballots: tuple[int, ...] = ()
        self.last_count: list[list[tuple[int, int]]] = [[], []]
        self.posts = [0] * (n + 1)
        self.quiet = [0] * (n + 1)
        self.sig: dict[str, int] = {}
        self.passed_kinds: set[str] = set()
        self.sheriff = 0
        self.sheriff_since = 0
        self.elected = 0
        self.badge_lost = board.badge is None
        self.public_sheriff = 0
        self.postponed: list[tuple[str, Any]] = []
        self.exile_due = 0
        self.exiles_settled = 0
        self.red_pending: list[int] = []
        self.red_today = 0
        self.reds_dealt = False
        self.cursed: list[tuple[int, int]] = []
        self.swaps: list[tuple[int, int, int]] = []
        # night
        self.night_from = 0
        self.dusk_end = 0
        self.entered = 0
        self.stage = 0
        self.limits: list[int] = []
        self.full_at = 0
        self.settled = True
        self.night_told = True
        self.pending: dict[tuple[int, int], tuple[tuple[int, ...] | None, int]] = {}
        self.handed: dict[tuple[int, int], tuple[tuple[int, ...] | None, int]] = {}
        self.answered = 0
        self.marks: dict[int, int] = {}
        self.torches: list[tuple[int, int]] = []
        self.wards = 0
        self.strikes: list[tuple[int, int, int]] = []
        self.counter_of: dict[int, int] = {}
        self.frozen = 0
        self.doomed = 0
        self.ordered = 0
        self.double_night: dict[int, int] = {}
        self.charmed = 0
        self.charm_hold = False
        # dusk and dawn
        self.awaiting: list[tuple[int, int, int]] = []
        self.prompt: Prompt | None = None
        self.joint: dict[int, int] = {}
        self.kept_handover: dict[int, int] = {}
        # people
        self.card_list: list[list[tuple[str, str]]] = [[] for _ in range(n + 1)]
        self.substituted: dict[int, int] = {}
        self.assistants = 0
        self.proposal = 0
        self.asked = 0
        self.agreed = 0
        self.declined = False
        self.paused_at = -1
        self.hold = False
        self.outage = False
        # what was said, for views: (minute, event); private answers with the day's number, notices by holder
        self.announced: list[tuple[int, Any]] = []
        self.told: list[list[tuple[int, Any, int]]] = [[] for _ in range(n + 1)]
        self.notices: list[list[tuple[int, Any]]] = [[] for _ in self.hands]
        self.faded: dict[int, list[tuple[int, Held]]] = {}
        self.proposed_log: list[tuple[int, Any]] = []
        self.flag_log: list[tuple[int, Any]] = []

    def copy(self) -> State:
        """An independent copy (a case's refused step, a what-if on the desk); the board is shared."""
        twin = State.__new__(State)
        for name in FIELDS:
            if hasattr(self, name):
                value = getattr(self, name)
                setattr(twin, name, value.copy() if name in _SHALLOW else _twin(value))
        return twin

    # --- questions ------------------------------------------------------------------------------------------------

    def seats(self, mask: int) -> list[int]:
        """The seats of a mask, ascending."""
        return list(seats_of(mask))

    def packs_of(self, seat: int) -> list[int]:
        """Holder numbers of the packs the seat belongs to by its den."""
        return [
            self.n + 1 + i
            for i, faction in enumerate(self.board.packs)
            if self.dens[self.den_of[faction]] >> seat & 1
        ]

    def pack_mask(self, pack: int) -> int:
        """Mask of the members of pack number `pack` (0-based), those out included."""
        return self.dens[self.den_of[self.board.packs[pack]]]

    def members(self, holder: int) -> int:
        """Mask of the seats behind a holder number."""
        return 1 << holder if holder <= self.n else self.pack_mask(holder - self.n - 1)

    def night_number(self) -> int:
        """The night that submissions are for now: the coming or the current one."""
        return self.day

    def phase_name(self) -> str:
        """The directors' phase: 'setup', 'day 2', 'dusk 2', 'night 2', 'dawn 2', 'over'."""
        if self.phase in (SETUP, OVER):
            return PHASES[self.phase]
        return f"{PHASES[self.phase]} {self.day}"

    def cards_of(self, seat: int) -> tuple[int, int, int]:
        """(blue, yellow, red) as they stand after conversion (section 5)."""
        cards = self.board.rules.cards
        blue = yellow = red = 0
        for colour, _clause in self.card_list[seat]:
            if colour == "blue":
                blue += 1
            elif colour == "yellow":
                yellow += 1
            else:
                red += 1
        yellow += blue // cards.blue_per_yellow
        red += yellow // cards.yellow_per_red
        return blue % cards.blue_per_yellow, yellow % cards.yellow_per_red, red

    def had_yellow(self, seat: int) -> bool:
        """Whether a yellow stands or has become part of a red (M8)."""
        blue = sum(1 for colour, _ in self.card_list[seat] if colour == "blue")
        yellow = sum(1 for colour, _ in self.card_list[seat] if colour == "yellow")
        return yellow + blue // self.board.rules.cards.blue_per_yellow > 0

    def entitled(self) -> list[int]:
        """Seats entitled to last words so far, in order of out (C11)."""
        ranked = [seat for seat in self.out_order if self.cause[seat] != "red_card"]
        return ranked[: self.board.rules.last_words.count]


def _twin(value: Any) -> Any:
    """A copy as deep as anything in a state that changes; events, tuples and numbers never do."""
    if isinstance(value, list):
        return [_twin(item) if isinstance(item, _CHANGING) else item for item in value]
    if isinstance(value, dict):
        return {key: _twin(item) if isinstance(item, _CHANGING) else item for key, item in value.items()}
    if isinstance(value, set):
        return value.copy()
    if isinstance(value, Held):
        held = Held()
        held.spent, held.used, held.last, held.last_night = value.spent, value.used, value.last, value.last_night
        held.night, held.stage, held.passed = value.night, value.stage, value.passed
        return held
    if isinstance(value, Prompt):
        return Prompt(value.seat, value.skill, value.line, value.opened, value.until)
    return value


_CHANGING = (list, dict, set, Held, Prompt)
_SHALLOW = {
    "announced", "proposed_log", "flag_log", "out_order", "out_since", "lost", "strikes", "faction", "role", "posts", "quiet",
    "personas", "cause", "pending", "sig", "last_due", "limits", "marks",
}  # fmt: skip
