"""§0 of the law written a second time, for tests: what all boards share, from the law's text alone.

No line of it comes from bansha. Plain sets and lists, one state, the hour handed in; slow and short on purpose. §1 to §3
stand in model_m205, model_m46 and model_baichibai; duel plays a model against the referee. Skills, roles and factions go
by their ids in the law; seats are 1-based, minutes count from 1970-01-01T00:00, the pack is holder 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

NEVER = 1 << 60
DAY = 24 * 60
HOUR = 60
OPENS, CLOSES = 9 * HOUR, 21 * HOUR
PACK = 0
EXILE, ELECTION = 0, 1
NOBODY = 0
RED, DIRECTOR = "red_card", "director"  # causes that the rules look at

Targets = list[int] | bool | None
Draw = Callable[[str, Sequence[int], int], list[int]]
"""A draw of the recorded stream: what for, the legal options, how many."""


class Illegal(Exception):
    """The law refuses this submission."""


def need(legal: bool, why: str) -> None:
    """Refuse what is not legal.

    Raises:
        Illegal: it is not.
    """
    if not legal:
        raise Illegal(why)


@dataclass(frozen=True)
class Rule:
    """What the table of a board says of a skill."""

    targets: int = 1
    other: bool = False  # not oneself
    forced: bool = False
    limited: bool = False  # once per game
    automatic: bool = False  # nothing to hand in
    pack: bool = False
    once_each: bool = False  # each character once
    not_running: bool = False  # not the same one on two consecutive nights
    excludes: str = ""


@dataclass
class Skill:
    """A skill in a hand, and what has become of it."""

    spent: bool = False
    used: set[int] = field(default_factory=set)
    last: int = NOBODY
    last_night: int = -9

    def copy(self) -> Skill:
        """The same, as it is now."""
        return Skill(self.spent, set(self.used), self.last, self.last_night)


@dataclass
class Prompt:
    """C22: an open prompt."""

    skill: str
    seat: int
    opened: int
    until: int


class Model:
    """One game under the law. `run` lets time pass; the other public methods are what may be handed in."""

    ROLES: ClassVar[dict[str, tuple[str, tuple[str, ...]]]]  # role → faction, skills
    RULES: ClassVar[dict[str, Rule]]
    SETUP: ClassVar[tuple[str, ...]]
    STAGES: ClassVar[tuple[tuple[int, tuple[str, ...]], ...]]  # limit in minutes after the close, skills in order
    STARTS_AT_NIGHT = False
    LAST_WORDS = 3
    FIRST_DAY, LATER_DAYS = 1, 1  # in natural days
    PETITIONS: ClassVar[tuple[str, ...]] = ("speed_up", "extend")
    COLOURS: ClassVar[dict[str, tuple[str, ...]]]  # the conduct list, §5: clause → colours
    MAY_JUDGE = True  # §5: with a red card the director may judge the faction lost
    ORDER: ClassVar[tuple[str, ...]]  # of the factions, where several win
    WEEKEND = "extend"
    SPARES = True  # C21 sped_up_spares
    FEW_POSTS, NO_VOTE = "5.1", "5.3"
    AFTERMATH: ClassVar[dict[str, tuple[int, int]]] = {  # C22: in this order; minutes at dusk, at dawn; 0: no prompt
        "play_dumb": (10, 10), "last_shot": (10, 30), "passing_on": (0, 0), "inheritance": (0, 0), "handover": (10, 10),
    }  # fmt: skip

    def __init__(self, deal: Sequence[str], options: dict[str, str], setup_ends: int, draw: Draw) -> None:
        self.n = len(deal)
        self.role = dict(enumerate(deal, 1))
        self.options = options
        self.draw = draw
        self.now = setup_ends - 6 * HOUR
        self.setup_ends = setup_ends
        self.faction = {seat: self.ROLES[role][0] for seat, role in self.role.items()}
        hands = {seat: {skill: Skill() for skill in self.ROLES[role][1]} for seat, role in self.role.items()}
        self.hands: dict[int, dict[str, Skill]] = hands
        self.hands[PACK] = {skill: Skill() for skill, rule in self.RULES.items() if rule.pack}
        self.phase, self.day = "setup", 0
        self.log: list[tuple[Any, ...]] = []
        # out
        self.alive, self.public = set(self.role), set(self.role)
        self.out: list[int] = []
        self.cause: dict[int, str] = {}
        self.out_at: dict[int, int] = {}
        self.news: list[int] = []  # out since the last opening
        self.out_day: dict[int, int] = {}
        self.told_at: dict[int, int] = {}
        self.later: list[tuple[str, Any]] = []  # announced with the next opening
        self.lost = set[str]()
        self.winner: str | None = None
        # the day
        self.opened = self.closes = self.opens = 0
        self.sped_up = False
        self.ballots: tuple[int, ...] = ()
        self.votes: dict[int, dict[int, tuple[int, int]]] = {EXILE: {}, ELECTION: {}}  # seat → target, running number
        self.counted: dict[int, dict[int, int]] = {EXILE: {}, ELECTION: {}}
        self.serial = 0
        self.changed = set[tuple[int, int]]()
        self.excused = set[tuple[int, int]]()
        self.mute = set[int]()  # may not vote any more (装唐)
        self.red_today = set[int]()
        self.posts: dict[int, int] = {}
        self.quiet = dict.fromkeys(self.role, 0)
        self.signed: dict[str, set[int]] = {}
        self.passed = set[str]()
        self.sheriff = NOBODY
        self.cards: dict[int, list[tuple[str, str]]] = {seat: [] for seat in self.role}
        # the night
        self.stage = 0
        self.night_from = self.dusk_end = 0
        self.settled = self.all_told = True
        self.kept: dict[tuple[int, str], Targets] = {}
        self.answered = set[int]()
        self.frozen = NOBODY
        # dusk and dawn
        self.awaiting: list[tuple[str, int]] = []
        self.prompt: Prompt | None = None
        self.shot_opened: dict[int, int] = {}
        self.successor: dict[int, int] = {}

    # --- what is said ---------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == "over"

    def announce(self, kind: str, value: Any) -> None:
        """Say something to everyone."""
        self.log.append(("announced", self.now, kind, value))

    def tell(self, seat: int, skill: str, value: Any) -> None:
        """C9: an answer to the holder."""
        self.log.append(("told", self.now, seat, skill, value))

    def propose(self, seat: int, clause: str, colour: str = "yellow") -> None:
        """§5: a ready card for the director."""
        self.log.append(("proposed", seat, colour, clause))

    def lapse(self, holder: int, skill: str) -> None:
        """C2, C5: a kept submission lapses, its holder is told."""
        self.log.append(("lapsed", self.now, holder, skill))

    # --- time -----------------------------------------------------------------------------------------------------

    def run(self, until: int) -> None:
        """Everything that falls due up to and including this minute."""
        while (at := self.due()) <= until:
            self.now = at
            self.fall_due()
        self.now = until

    def due(self) -> int:
        """The minute of the next thing."""
        if self.phase == "setup":
            return self.setup_ends
        if self.phase == "day":
            return self.closes
        if self.phase == "over":
            return NEVER
        if not self.settled and self.phase == "night":  # C7: no stage closes before dusk has ended
            return max(self.limit(self.stage), self.dusk_end)
        times = [self.opens] if self.settled and self.phase != "dusk" else []
        times += [self.full_limit()] if not self.all_told and self.settled else []
        times += [self.prompt.until] if self.prompt else []
        return min(times)

    def fall_due(self) -> None:
        """What is due now."""
        if self.phase == "setup":
            self.end_setup()
        elif self.phase == "day":
            self.close_day()
        elif self.prompt and self.now >= self.prompt.until:
            self.silent()
        elif not self.settled:
            self.close_stage()
        elif not self.all_told and self.now >= self.full_limit():
            self.tell_out()
        else:
            self.open_day()

    def limit(self, stage: int) -> int:
        """C7: windows count from the close."""
        return self.night_from + self.STAGES[stage][0]

    def full_limit(self) -> int:
        """C27: the last stage's full limit."""
        return self.night_from + max(limit for limit, _ in self.STAGES)

    def tell_out(self) -> None:
        """C13, C27: those out in the night are told so, and prompts, which would tell, open from now on."""
        self.all_told, self.phase = True, "dawn"
        for seat in self.news:
            self.told_at.setdefault(seat, self.now)
        self.follow()

    # --- setup ----------------------------------------------------------------------------------------------------

    def end_setup(self) -> None:
        """C3, B16: setup skills in their order, forced and silent ones at random; then the first day or night 0."""
        for skill in self.SETUP:
            for seat in sorted(self.role):
                if skill in self.hands[seat]:
                    self.answer_setup(seat, skill)
        self.kept.clear()
        if self.STARTS_AT_NIGHT:  # G18
            self.begin_night()
            self.end_dusk()
        else:
            self.open_day()

    def answer_setup(self, seat: int, skill: str) -> None:
        """One setup skill as kept, or at random."""
        targets = self.kept.get((seat, skill))
        if targets is None and self.RULES[skill].forced:
            options = [x for x in sorted(self.role) if x != seat or not self.RULES[skill].other]
            targets = self.draw(skill, options, self.count(seat, skill)[0])
            self.silent_setup(seat)
        if targets is not None:
            self.use(seat, skill, targets)

    def silent_setup(self, seat: int) -> None:
        """Silence in setup."""

    # --- the day --------------------------------------------------------------------------------------------------

    def open_day(self) -> None:
        """开门: C13 and C20; what the night hid is public."""
        self.phase, self.day = "day", self.day + 1
        self.public = set(self.alive)
        self.ballots = self.ballots_of(self.day)
        self.votes = {EXILE: {}, ELECTION: {}}
        self.changed, self.excused, self.red_today = set(), set(), set()
        self.posts, self.signed, self.passed = {}, {}, set()
        self.sped_up, self.opened = False, self.now
        length = self.FIRST_DAY if self.day == 1 else self.LATER_DAYS
        self.closes = self.now - self.now % DAY + (length - 1) * DAY + CLOSES
        if self.WEEKEND == "extend" and (self.closes // DAY + 3) % 7 >= 5:  # C20: once, as first set
            self.closes += DAY
        self.announce("出局", list(self.news))
        for kind, value in self.later:
            self.announce(kind, value)
        self.opening()
        self.news, self.later = [], []

    def opening(self) -> None:
        """What else this board announces at an opening."""

    def ballots_of(self, day: int) -> tuple[int, ...]:
        """The ballots of a day."""
        return (EXILE,)

    def close_day(self) -> None:
        """关门: attendance is looked at, ballots are counted, dusk follows."""
        self.attendance()
        self.before_count()
        self.phase = "dusk"
        for ballot, settle in ((ELECTION, self.elect), (EXILE, self.exile)):  # G6: the election first
            if ballot in self.ballots:
                self.counted[ballot] = self.count_votes(ballot)
                settle()
        if not self.over:
            self.begin_night()
            self.follow()

    def before_count(self) -> None:
        """What ends with the day besides."""

    def elect(self) -> None:
        """The sheriff's election."""

    def exile(self) -> None:
        """The exile."""

    def top(self, ballot: int) -> list[int]:
        """C16: those with the most; abstentions compete with nobody, and nobody with a vote is no tie."""
        counts = self.counted[ballot]
        return [seat for seat in counts if counts[seat] == max(counts.values())]

    def count_votes(self, ballot: int) -> dict[int, int]:
        """C16: valid votes by target."""
        counts: dict[int, int] = {}
        for voter, (target, _) in self.votes[ballot].items():
            if target:
                counts[target] = counts.get(target, 0) + self.weight(voter, ballot)
        return counts

    def weight(self, voter: int, ballot: int) -> int:
        """What a vote counts."""
        return 1

    def attendance(self) -> None:
        """M7, G12, §5; C25: who was red-carded today is not judged, who is exiled now is."""
        if self.sped_up and self.SPARES:
            return
        ballot = EXILE if EXILE in self.ballots else ELECTION
        for seat in sorted(self.alive - self.red_today):
            posts = self.posts.get(seat, 0)
            if seat not in self.votes[ballot] and (ballot, seat) not in self.excused and seat not in self.mute:
                self.propose(seat, self.NO_VOTE)
            if posts < 5:
                self.propose(seat, self.FEW_POSTS)
            self.row(seat, posts)

    def row(self, seat: int, posts: int) -> None:
        """G12: fewer than 10 on each of three such days in a row; then the row starts anew."""
        self.quiet[seat] = self.quiet[seat] + 1 if posts < 10 else 0
        if self.quiet[seat] == 3:
            self.quiet[seat] = 0
            self.propose(seat, "5.2")

    # --- posts, votes, petitions ----------------------------------------------------------------------------------

    def need_speaker(self, seat: int) -> None:
        """C26: the doors are open by day, to the living; B19: not to those red-carded today."""
        need(self.phase == "day", "not by day")
        need(seat in self.alive, "out")
        need(seat not in self.red_today, "red-carded today")

    def post(self, seat: int, times: int) -> None:
        """Posts in the discussion thread."""
        self.need_speaker(seat)
        self.posts[seat] = self.posts.get(seat, 0) + times

    def need_vote(self, seat: int, ballot: int, target: int) -> None:
        """C16, C18: a living voter, an open ballot, a publicly living target or 弃权."""
        self.need_speaker(seat)
        need(ballot in self.ballots, "no such ballot today")
        need(seat not in self.mute, "may not vote any more")
        need(target == 0 or target in self.public, "not a living target")

    def vote(self, seat: int, ballot: int, target: int) -> None:
        """C16, C18: one vote; a second one is none."""
        self.need_vote(seat, ballot, target)
        need(seat not in self.votes[ballot], "has voted")
        self.cast(seat, ballot, target)

    def change(self, seat: int, ballot: int, target: int) -> None:
        """C17: one change a ballot, to the same one too."""
        self.need_vote(seat, ballot, target)
        need(seat in self.votes[ballot], "nothing to change")
        need((ballot, seat) not in self.changed, "has changed")
        self.need_thaw()
        self.changed.add((ballot, seat))
        self.cast(seat, ballot, target)

    def proxy(self, seat: int, ballot: int, target: int) -> None:
        """C17, C18: a director enters a vote."""
        self.need_vote(seat, ballot, target)
        need(seat not in self.votes[ballot], "has voted")
        self.need_thaw()
        self.cast(seat, ballot, target)

    def need_thaw(self) -> None:
        """C17: not in the last hour before the close in force, not on a sped-up day."""
        need(not self.sped_up and self.now < self.closes - HOUR, "frozen")

    def cast(self, seat: int, ballot: int, target: int) -> None:
        """A vote in force from now on."""
        self.serial += 1
        self.votes[ballot][seat] = (target, self.serial)

    def void_vote(self, seat: int, ballot: int) -> None:
        """C25: may be cast afresh without using the change, unpunished."""
        need(self.phase == "day" and seat in self.votes[ballot], "no vote to void")
        self.void(seat, ballot)

    def void(self, seat: int, ballot: int) -> None:
        """C19: void; its voter is not punished for not voting."""
        del self.votes[ballot][seat]
        self.excused.add((ballot, seat))

    def void_votes(self, target: int) -> None:
        """C19: votes for someone out before the close."""
        for ballot, votes in self.votes.items():
            for voter in [voter for voter, vote in votes.items() if vote[0] == target]:
                self.void(voter, ballot)

    def sped_close(self) -> int:
        """C21: the earliest 21:00 at least three hours away, never later than the present close."""
        close = self.now - self.now % DAY + CLOSES
        while close < self.now + 3 * HOUR:
            close += DAY
        return min(close, self.closes)

    def sign(self, seat: int, kind: str) -> None:
        """C21: each kind once a day and seat; passes at half of the living, rounded up."""
        self.need_speaker(seat)
        need(kind in self.PETITIONS and self.may_petition(kind), "no such petition")
        signed = self.signed.setdefault(kind, set())
        need(kind not in self.passed and seat not in signed, "signed or passed")
        close = self.sped_close() if kind == "speed_up" else self.closes
        need(self.now < close - 3 * HOUR, "too late")
        signed.add(seat)
        if 2 * len(signed) >= len(self.alive):
            self.passed.add(kind)
            self.announce({"speed_up": "加速", "extend": "延时", "abort": "流局"}[kind], True)
            self.carry(kind)

    def may_petition(self, kind: str) -> bool:
        """Whether this kind may be signed at all."""
        return True

    def direct(self, kind: str) -> None:
        """C25: the director speeds up or extends."""
        need(self.phase == "day", "not by day")
        self.carry(kind)

    def carry(self, kind: str) -> None:
        """C21: what a passed petition does."""
        if kind == "speed_up":
            self.closes, self.sped_up = self.sped_close(), True
        elif kind == "extend":
            self.closes, self.sped_up = self.closes + DAY, False
        else:
            self.end("none")

    # --- the night ------------------------------------------------------------------------------------------------

    def begin_night(self) -> None:
        """The close: windows count from here (C7); the next opening is the next 9:00 (G18)."""
        self.night_from = self.now
        self.opens = self.now - self.now % DAY + OPENS
        if self.opens <= self.now:
            self.opens += DAY
        self.stage, self.settled, self.all_told = 0, False, False
        self.frozen = NOBODY
        self.fresh_night()

    def fresh_night(self) -> None:
        """What begins anew with a night."""

    def holder(self, seat: int, skill: str) -> int:
        """C6: who holds the skill this seat hands in, itself or its pack.

        Raises:
            Illegal: neither does.
        """
        if skill in self.hands[seat]:
            return seat
        need(self.RULES[skill].pack and self.in_pack(seat) and skill in self.hands[PACK], "not held")
        return PACK

    def in_pack(self, seat: int) -> bool:
        """Whether the seat is in the pack's den: by role."""
        return self.role[seat] == "wolf"

    def act(self, seat: int, choices: dict[str, Targets]) -> None:
        """Skills in one submission: all of it is legal or none of it counts."""
        need(not self.over, "over")
        if choices.keys() & {"play_dumb", "last_shot", "handover"}:
            self.reply(seat, choices)
            return
        for skill, targets in choices.items():
            self.check(seat, skill, targets)
            if targets is not None:  # C4: two that exclude each other are one choice
                need(choices.get(self.RULES[skill].excludes) is None, "excluding")
        for skill, targets in choices.items():
            holder = self.holder(seat, skill)
            self.answered.add(holder)
            other = (holder, self.RULES[skill].excludes)
            if targets is not None and self.kept.get(other) is not None:
                del self.kept[other]
            self.kept[holder, skill] = targets  # C4: the last one counts
            self.handed_in(holder, skill)

    def handed_in(self, holder: int, skill: str) -> None:
        """What a submission does before its stage closes."""

    def stage_of(self, skill: str) -> int:
        """The number of the stage, -1: none."""
        return next((i for i, (_, skills) in enumerate(self.STAGES) if skill in skills), -1)

    def check(self, seat: int, skill: str, targets: Targets) -> None:
        """Whether this may be handed in now (C2–C7).

        Raises:
            Illegal: it may not.
        """
        need(seat in self.alive, "out")
        held = self.hands[self.holder(seat, skill)][skill]
        need(not self.RULES[skill].automatic and not held.spent, "spent")
        stage = self.stage_of(skill)
        if self.phase == "setup":  # C5: nothing is kept before the first opening, or night 0
            need(skill in self.SETUP, "setup")
        else:
            need(stage >= 0, "only in setup")
            need(self.tonight(skill), "not tonight")
            if self.phase != "day":
                need(not self.settled and stage >= self.stage and self.now < self.limit(stage), "late")
                need(self.frozen != seat or self.RULES[skill].forced, "frozen")  # B8
        if targets is None:
            need(self.may_pass(skill), "forced")
        else:
            self.check_targets(seat, skill, targets)

    def tonight(self, skill: str) -> bool:
        """Whether the skill can be used in the coming or present night at all."""
        return True

    def may_pass(self, skill: str) -> bool:
        """C3."""
        return not self.RULES[skill].forced

    def count(self, seat: int, skill: str) -> tuple[int, int]:
        """How many targets, at least and at most."""
        return self.RULES[skill].targets, self.RULES[skill].targets

    def check_targets(self, seat: int, skill: str, targets: list[int] | bool) -> None:
        """C2 and the skill's own words.

        Raises:
            Illegal: not these targets.
        """
        rule = self.RULES[skill]
        least, most = self.count(seat, skill)
        if isinstance(targets, bool):
            need(most == 0, "needs targets")
            return
        need(most > 0 and least <= len(targets) <= most, "number of targets")
        need(len(set(targets)) == len(targets) or self.twice(skill), "the same twice")
        for target in targets:
            self.check_target(seat, skill, rule, target)

    def twice(self, skill: str) -> bool:
        """Whether one character may be named twice."""
        return False

    def check_target(self, seat: int, skill: str, rule: Rule, target: int) -> None:
        """One target."""
        held = self.hands[self.holder(seat, skill)][skill]
        need(target in self.public, "not publicly alive")
        need(target != seat or not rule.other, "oneself")
        need(not rule.once_each or target not in held.used, "once each")
        need(not rule.not_running or target != held.last or held.last_night != self.day - 1, "not twice running")

    def close_stage(self) -> None:
        """C4, C5: what was kept is checked again and executed, in order; then visions that follow are answered. C1: not of
        someone out; C6: of a pack that has somebody left."""
        for skill in self.STAGES[self.stage][1]:
            for holder in sorted(self.hands):
                acts = holder in self.alive or (holder == PACK and any(map(self.in_pack, self.alive)))
                if not acts:
                    self.kept.pop((holder, skill), None)
                elif skill in self.hands[holder] and not self.over:
                    self.execute(holder, skill)
        self.stage += 1
        self.stage_closed()
        if self.over:
            return
        if self.stage == len(self.STAGES):
            self.settle_night()
        else:
            self.see(self.STAGES[self.stage][1])

    def stage_closed(self) -> None:
        """What follows the end of a stage."""

    def see(self, skills: Sequence[str]) -> None:
        """通灵, 灵通: answered by itself when the stage before closes."""
        for holder in sorted(self.alive):
            if "vision" in skills and "vision" in self.hands[holder]:
                self.tell(holder, "vision", self.visible())

    def visible(self) -> list[int]:
        """What a vision shows."""
        return []

    def execute(self, holder: int, skill: str) -> None:
        """C5: a kept submission as its stage closes."""
        targets = self.kept.pop((holder, skill), None)
        if targets is not None:
            if self.frozen == holder and holder and not self.RULES[skill].forced:
                return  # B8: not spent, its targets not used up
            try:
                self.check_again(holder, skill, targets)
            except Illegal:
                self.lapse(holder, skill)
                targets = None
        if targets is None:
            targets = self.instead(holder, skill)
        if targets is not None:
            self.use(holder, skill, targets)

    def check_again(self, holder: int, skill: str, targets: list[int] | bool) -> None:
        """C5: still legal? A pack has no seat of its own.

        Raises:
            Illegal: not any more.
        """
        if holder != PACK:
            self.check_targets(holder, skill, targets)
        elif not isinstance(targets, bool):
            need(all(target in self.public for target in targets), "not publicly alive")

    def instead(self, holder: int, skill: str) -> Targets:
        """What stands where nothing was handed in."""
        return None

    def use(self, holder: int, skill: str, targets: list[int] | bool) -> None:
        """The skill is executed."""
        held = self.hands[holder][skill]
        if isinstance(targets, list):
            held.used |= set(targets)
            held.last, held.last_night = targets[0], self.day
        held.spent = held.spent or self.RULES[skill].limited
        getattr(self, "do_" + skill)(holder, *(targets if isinstance(targets, list) and self.RULES[skill].targets else ()))

    def settle_night(self) -> None:
        """The settlement; dawn follows."""
        self.settled = True
        self.kept.clear()
        self.silences()
        self.answered.clear()
        self.settle()

    def silences(self) -> None:
        """M6, B16."""

    def settle(self) -> None:
        """What the night comes to."""

    # --- out ------------------------------------------------------------------------------------------------------

    def leave(self, seats: Sequence[int], cause: str | Sequence[str]) -> None:
        """C10: out once, with a cause and in order; then what each out sets off; then the check (C14)."""
        causes = [cause] * len(seats) if isinstance(cause, str) else cause
        gone = [(seat, why) for seat, why in zip(seats, causes, strict=True) if seat in self.alive]
        for seat, why in gone:
            self.alive.discard(seat)
            self.out.append(seat)
            self.news.append(seat)
            self.cause[seat], self.out_at[seat], self.out_day[seat] = why, self.now, self.day
            # C2: by day and dusk public at once, red cards always; C25: the director's at night at the opening
            if self.phase in ("day", "dusk") or why == RED:
                self.public.discard(seat)
            if seat not in self.public or why == DIRECTOR or self.all_told:
                self.told_at[seat] = self.now
            if self.phase == "day":
                self.void_by_day(seat, why)
        for seat, why in gone:
            self.set_off(seat, why)
        if gone:
            self.after_out([seat for seat, _ in gone])

    def void_by_day(self, seat: int, why: str) -> None:
        """C19: votes for someone out before the close are void, and those of someone red-carded."""
        self.void_votes(seat)
        if why == RED:
            for ballot, votes in self.votes.items():
                if seat in votes:
                    self.void(seat, ballot)

    def set_off(self, seat: int, why: str) -> None:
        """What an out sets off."""
        if seat == self.sheriff:
            if why == RED:
                self.badge_of_red()
            else:
                self.awaiting.append(("handover", seat))

    def badge_of_red(self) -> None:
        """The badge of a red-carded sheriff."""

    def after_out(self, seats: list[int]) -> None:
        """C14: the check after an out."""
        self.judge()

    def take_out(self, seat: int) -> None:
        """C25: out by the director; its prompts open with the next dusk or dawn."""
        need(not self.over and seat in self.alive, "already out")
        self.leave([seat], DIRECTOR)
        self.follow_if_quiet()

    def entitled(self) -> list[int]:
        """C11: the first k out; red cards neither count nor are entitled."""
        return [seat for seat in self.out if self.cause[seat] != RED][: self.LAST_WORDS]

    def last_words(self, seat: int) -> None:
        """C11: handed in once, in time."""
        need(not self.over and seat in self.entitled() and seat in self.told_at, "not entitled")
        need(self.words_in_time(seat), "late")

    def words_in_time(self, seat: int) -> bool:
        """C11: due by the next opening."""
        return self.day == self.out_day[seat]

    # --- cards ----------------------------------------------------------------------------------------------------

    def card(self, seat: int, colour: str, clause: str, lose: bool = False) -> None:
        """§5: a card cites a clause of its colour; conversions at once; those out can be carded too."""
        need(not self.over, "over")
        need(colour in self.colours(seat, clause), "clause and colour")
        need(not lose or (colour == "red" and self.MAY_JUDGE), "may not judge")
        reds = self.standing(seat)[2]
        self.cards[seat].append((colour, clause))
        if self.standing(seat)[2] > reds:
            self.red(seat)
        if lose and not self.over and self.faction[seat] not in self.lost:
            self.judge_lost(self.faction[seat])

    def uncard(self, seat: int, colour: str, clause: str) -> None:
        """§5: the latest such card is withdrawn; a red card's consequences stay."""
        need(not self.over and (colour, clause) in self.cards[seat], "no such card")
        self.cards[seat].reverse()
        self.cards[seat].remove((colour, clause))
        self.cards[seat].reverse()

    def colours(self, seat: int, clause: str) -> tuple[str, ...]:
        """In which colours a clause is dealt."""
        return self.COLOURS.get(clause, ())

    def standing(self, seat: int) -> tuple[int, int, int]:
        """3 blue → 1 yellow, 3 yellow → 1 red."""
        colours = [colour for colour, _ in self.cards[seat]]
        blue, yellow, red = (colours.count(colour) for colour in ("blue", "yellow", "red"))
        yellow += blue // 3
        return blue % 3, yellow % 3, red + yellow // 3

    def red(self, seat: int) -> None:
        """C12, M15, G8: out at once, day or night."""
        if self.phase == "day":
            self.red_today.add(seat)
        if seat in self.alive:
            self.leave([seat], RED)
            self.follow_if_quiet()
        elif seat in self.public:
            self.public.discard(seat)  # out unseen tonight: the card is public, so the out is
            self.out_seen(seat)

    def out_seen(self, seat: int) -> None:
        """The first announcement of an out."""

    # --- dusk and dawn --------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """C22: what was set off, in its order, each kind in order of out; prompts one after the other, at dusk and dawn."""
        kinds = list(self.AFTERMATH)
        while not self.over and self.prompt is None and self.awaiting:
            self.awaiting.sort(key=lambda item: (kinds.index(item[0]), self.out.index(item[1]) if item[1] in self.out else 0))
            kind, seat = self.awaiting[0]
            if not self.AFTERMATH[kind][0]:
                del self.awaiting[0]
                getattr(self, kind)(seat)
            elif kind == "handover" and self.sheriff != seat:
                del self.awaiting[0]  # a tie has taken the badge (M1)
            elif self.phase in ("dusk", "dawn"):
                del self.awaiting[0]
                self.open_prompt(kind, seat)
            else:
                return
        if not self.over and self.prompt is None and self.phase in ("dusk", "dawn"):
            self.end_twilight()

    def follow_if_quiet(self) -> None:
        """What an out between two prompts sets off waits for its turn."""
        if not self.over and self.prompt is None:
            self.follow()

    def end_twilight(self) -> None:
        """C22: when the last prompt is answered dusk or dawn is over at once."""
        self.shot_opened.clear()
        if self.phase == "dusk":
            self.end_dusk()
        else:
            self.phase = "night"

    def end_dusk(self) -> None:
        """The night's stages may close from now on."""
        self.phase, self.dusk_end = "night", self.now

    def open_prompt(self, skill: str, seat: int) -> None:
        """C22: 10 minutes at dusk from the opening (a character's shot and handover: 10 for both), 30 at dawn."""
        if skill == "handover" and self.successor.get(seat) in self.alive:
            self.hand_over(self.successor.pop(seat))
            return
        opened = self.now
        if skill == "handover" and self.phase == "dusk":
            opened = self.shot_opened.get(seat, opened)
        if skill == "last_shot":
            self.shot_opened[seat] = opened
        self.prompt = Prompt(skill, seat, opened, opened + self.AFTERMATH[skill][self.phase == "dawn"])

    def reply(self, seat: int, choices: dict[str, Targets]) -> None:
        """C22: an answer to a prompt is final and takes effect at once."""
        prompt = self.prompt
        need(prompt is not None and prompt.seat == seat and prompt.skill in choices, "no prompt of this seat")
        assert prompt is not None
        need(choices.keys() <= {prompt.skill, "handover"}, "not now")
        targets = choices[prompt.skill]
        self.check_reply(prompt.skill, seat, targets)
        if prompt.skill == "last_shot" and "handover" in choices:
            need(("handover", seat) in self.awaiting, "no handover")
            self.check_reply("handover", seat, choices["handover"])
            need(choices["handover"] != targets or targets is None, "the successor is the one shot")
            named = choices["handover"]
            self.successor[seat] = named[0] if isinstance(named, list) else NOBODY
        self.prompt = None
        self.take_reply(prompt.skill, seat, targets)
        self.follow_if_quiet()

    def check_reply(self, skill: str, seat: int, targets: Targets) -> None:
        """C24: the shot at any other publicly alive; M13: the handover to somebody living; 装唐 names nobody."""
        if targets is None:
            need(self.may_pass(skill), "forced")
        elif skill == "play_dumb":
            need(targets is True, "names nobody")
        else:
            need(isinstance(targets, list) and len(targets) == 1, "one target")
            assert isinstance(targets, list)
            among = self.public if skill == "last_shot" else self.alive
            need(targets[0] in among and targets[0] != seat, "not this one")

    def take_reply(self, skill: str, seat: int, targets: Targets) -> None:
        """The answer takes effect."""
        if skill == "handover":
            self.hand_over(targets[0] if isinstance(targets, list) else NOBODY)
        elif skill == "last_shot":
            if isinstance(targets, list):
                self.hands[seat]["last_shot"].spent = True
                self.shoot_last(targets[0])
            self.shot_done()

    def shoot_last(self, target: int) -> None:
        """最后一枪: out at once; C24: on someone already out tonight without effect."""
        if self.phase == "dusk":
            self.announce("最后一枪", target)
        self.leave([target], "last_shot")

    def shot_done(self) -> None:
        """A last shot is answered."""

    def silent(self) -> None:
        """Nobody answered: 装唐 declined, no shot, the badge as the board says."""
        prompt = self.prompt
        assert prompt is not None
        self.prompt = None
        if prompt.skill == "handover":
            self.silent_handover()
        else:
            self.take_reply(prompt.skill, prompt.seat, None)
        self.follow_if_quiet()

    def silent_handover(self) -> None:
        """Silence of a sheriff out."""

    def hand_over(self, seat: int) -> None:
        """殉职: C13: at dusk announced at once, at dawn with the opening; 0: torn."""
        self.sheriff = seat
        if self.phase in ("night", "dawn"):
            self.later.append(("警长", seat or "none"))
        else:
            self.announce("警长", seat or "none")

    # --- the end --------------------------------------------------------------------------------------------------

    def losses(self) -> Iterable[str]:
        """Factions whose losing condition holds."""
        raise NotImplementedError

    def winners(self) -> Iterable[str]:
        """Factions whose winning condition holds."""
        raise NotImplementedError

    def judge(self) -> None:
        """C15, G14: losses, then wins of those not lost in the board's order, then the last one not lost."""
        if self.over:
            return
        for faction in list(self.losses()):
            self.lose(faction)
        winners = set(self.winners()) - self.lost
        left = [faction for faction in self.ORDER if faction not in self.lost]
        if winners:
            self.end(next(faction for faction in self.ORDER if faction in winners))
        elif len(left) <= 1:
            self.end(left[0] if left else "none")

    def lose(self, faction: str) -> None:
        """C15: judged lost, not announced."""
        self.lost.add(faction)

    def judge_lost(self, faction: str) -> None:
        """C15, C25: by the director, a surrender or red cards."""
        need(not self.over and faction not in self.lost, "lost already")
        self.lose(faction)
        self.judge()

    def end(self, winner: str) -> None:
        """C14: nothing further is settled."""
        self.phase, self.winner, self.prompt = "over", winner, None
        self.awaiting.clear()

    # --- what a director sees -------------------------------------------------------------------------------------

    def holds(self, seat: int) -> set[str]:
        """Skills that can still be used or answered; of someone out only what a prompt asks."""
        if seat not in self.alive:
            asked = {skill for skill, who in self.awaiting if who == seat and self.AFTERMATH[skill][0]}
            if self.prompt and self.prompt.seat == seat:
                asked.add(self.prompt.skill)
            return asked - {"handover"}
        hands = [self.hands[seat]] + ([self.hands[PACK]] if self.in_pack(seat) else [])
        return {skill for hand in hands for skill, held in hand.items() if not held.spent and self.shown(skill)}

    def shown(self, skill: str) -> bool:
        """Whether a skill is one that `holds` lists: setup skills and standing ones are not."""
        return self.stage_of(skill) >= 0 or self.AFTERMATH.get(skill, (0, 0))[0] > 0

    def dens(self) -> list[set[int]]:
        """共群: who shares one."""
        return [{seat for seat in self.role if self.in_pack(seat)}]

    def knowing(self) -> list[set[int]]:
        """互知: who was told of each other at the end of setup."""
        return self.dens()
