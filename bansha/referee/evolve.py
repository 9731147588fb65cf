"""The one place that writes state: old state + event = new state, for every kind of event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bansha.referee import events as e
from bansha.referee.board import DAY_MINUTES
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, OVER, SKILL_DEN, Held, Prompt, State

Apply = Callable[[State, Any], None]
APPLY: dict[type[e.Event], Apply] = {}


def _on(kind: type[e.Event]) -> Callable[[Apply], Apply]:
    def register(function: Apply) -> Apply:
        APPLY[kind] = function
        return function

    return register


def evolve(state: State, event: e.Event) -> None:
    """Apply one event at the state's present minute."""
    APPLY[event.__class__](state, event)


def evolve_all(state: State, at: int, happened: Iterable[e.Event]) -> None:
    """Apply the events of one entry that stands at minute `at`."""
    state.now = at
    state.entry_fresh = True
    state.entry_barred = False
    apply = APPLY
    for event in happened:
        apply[event.__class__](state, event)


def _note(s: State, record: list[Any]) -> None:
    """Remember what stood before, so that the last undoable entry can be taken back (§7)."""
    if s.entry_barred:
        return
    if s.entry_fresh:
        s.undoable = []
        s.entry_fresh = False
    s.undoable.append(record)


def _bar(s: State) -> None:
    """A settlement, a draw or something told: nothing of this entry, or before it, can be taken back (§7)."""
    s.undoable = []
    s.entry_barred = True


def _vote_record(s: State, ballot: int, seat: int) -> list[Any]:
    return [
        "vote", ballot, seat, s.vote[ballot][seat], s.vote_ref[ballot][seat], s.vote_seq[ballot][seat],
        s.changes.get((ballot, seat), 0), s.voided[ballot] >> seat & 1,
    ]  # fmt: skip


def next_clock(now: int, clock: int) -> int:
    """The first minute strictly after `now` whose time of day is `clock` (minutes after midnight)."""
    at = now - now % DAY_MINUTES + clock
    return at if at > now else at + DAY_MINUTES


def _nothing(_s: State, _v: Any) -> None:
    """Recorded, but no part of the state."""


for _kind in (
    e.Seeded, e.Committed, e.ContributionHashed, e.ContributionOpened, e.SecretOpened, e.ExileMoved, e.TieBroken,
    e.Voided, e.Absorbed, e.StrikeMoved, e.DirectorActed,
):  # fmt: skip
    APPLY[_kind] = _nothing


@_on(e.GameOpened)
def _game_opened(s: State, v: e.GameOpened) -> None:
    s.personas = list(v.personas)
    s.history = dict(v.history)
    s.setup_ends = v.setup_ends


@_on(e.Dealt)
def _dealt(s: State, v: e.Dealt) -> None:
    index = s.board.role_index
    s.open(s.personas, [index[name] for name in v.roles], s.setup_ends, s.history)


@_on(e.Drawn)
def _drawn(s: State, v: e.Drawn) -> None:
    s.draws = v.counter
    _bar(s)


@_on(e.Joined)
def _joined(s: State, v: e.Joined) -> None:
    s.faction[v.seat] = v.faction
    s.faction_mask[v.faction] |= 1 << v.seat
    s.host[v.seat] = v.host
    if v.den and v.faction in s.den_of:
        s.dens[s.den_of[v.faction]] |= 1 << v.seat


@_on(e.HereticsChosen)
def _heretics(s: State, v: e.HereticsChosen) -> None:
    s.heretics[v.seat] = sum(1 << t for t in v.targets)


@_on(e.Acquainted)
def _acquainted(s: State, v: e.Acquainted) -> None:
    s.knows[v.seat].extend((other, v.faction) for other in v.others)


def _begin_night(s: State) -> None:
    board = s.board
    now = s.now
    s.night_from = now
    s.opens_at = next_clock(now + max(board.full_limit - 1, 0), board.opens)  # G18: the first that leaves the night its windows
    s.limits = [now + window[1] for window in board.windows]
    s.full_at = now + board.full_limit
    s.stage = 0
    s.entered = now
    s.dusk_end = now
    s.settled = False
    s.night_told = False
    s.marks = {}
    s.torches = []
    s.wards = 0
    s.strikes = []
    s.counter_of = {}
    s.frozen = 0
    s.doomed = 0
    s.ordered = 0
    s.charm_hold = False
    s.joint = {}
    s.kept_handover = {}


@_on(e.SetupEnded)
def _setup_ended(s: State, v: e.SetupEnded) -> None:
    s.pending.clear()
    s.answered = 0
    _bar(s)
    if v.night:
        s.phase = NIGHT
        _begin_night(s)


@_on(e.DayOpened)
def _day_opened(s: State, v: e.DayOpened) -> None:
    n = s.n
    s.phase = DAY
    s.day = v.day
    s.opened_at = s.now
    s.closes_at = v.closes_at
    s.sped_up = False
    s.public_alive = s.alive
    s.out_since = []
    s.postponed = []
    s.vote = [[-1] * (n + 1), [-1] * (n + 1)]
    s.vote_ref = [[0] * (n + 1), [0] * (n + 1)]
    s.vote_seq = [[0] * (n + 1), [0] * (n + 1)]
    s.seq = 0
    s.changes = {}
    s.changed = [0, 0]
    s.voided = [0, 0]
    s.ballots = s.board.first_ballots if v.day == 1 else s.board.later_ballots
    s.posts = [0] * (n + 1)
    s.sig = {}
    s.passed_kinds = set()
    s.red_today = 0
    s.declined = False
    s.exile_due = 0
    s.handed = {}
    _bar(s)


@_on(e.DayClosed)
def _day_closed(s: State, v: e.DayClosed) -> None:
    s.phase = DUSK
    _bar(s)
    _begin_night(s)


@_on(e.DayMoved)
def _day_moved(s: State, v: e.DayMoved) -> None:
    _note(s, ["day", s.closes_at, s.sped_up])
    s.closes_at = v.closes_at
    s.sped_up = v.sped_up


@_on(e.Announced)
def _announced(s: State, v: e.Announced) -> None:
    s.announced.append((s.now, v))
    if v.kind == "警长":
        s.public_sheriff = 0 if v.value == "none" else v.value


@_on(e.HandoverKept)
def _handover_kept(s: State, v: e.HandoverKept) -> None:
    s.kept_handover[v.seat] = v.target


@_on(e.Postponed)
def _postponed(s: State, v: e.Postponed) -> None:
    s.postponed.append((v.kind, v.value))


@_on(e.RedsSettled)
def _reds_settled(s: State, v: e.RedsSettled) -> None:
    s.red_pending = []


@_on(e.PostMade)
def _post_made(s: State, v: e.PostMade) -> None:
    if v.thread == "discussion":
        s.posts[v.seat] += 1


@_on(e.Flagged)
def _flagged(s: State, v: e.Flagged) -> None:
    s.flag_log.append((s.now, v))


@_on(e.VoteCast)
def _vote_cast(s: State, v: e.VoteCast) -> None:
    seat = v.seat
    ballot = v.ballot
    votes, refs, seqs = s.vote[ballot], s.vote_ref[ballot], s.vote_seq[ballot]
    changes = s.changes.get((ballot, seat), 0) if s.changes else 0
    voided = s.voided[ballot] >> seat & 1
    s.undoable = [["vote", ballot, seat, votes[seat], refs[seat], seqs[seat], changes, voided]]
    s.seq = seq = s.seq + 1
    votes[seat] = v.target
    refs[seat] = v.ref
    seqs[seat] = seq


@_on(e.VoteChanged)
def _vote_changed(s: State, v: e.VoteChanged) -> None:
    s.undoable = [_vote_record(s, v.ballot, v.seat)]
    s.seq += 1
    s.vote[v.ballot][v.seat] = v.target
    s.vote_ref[v.ballot][v.seat] = v.ref
    s.vote_seq[v.ballot][v.seat] = s.seq
    _count_changes(s, v.ballot, v.seat, s.changes.get((v.ballot, v.seat), 0) + 1)


def _count_changes(s: State, ballot: int, seat: int, changes: int) -> None:
    """So many changes are made on this ballot (C17); whether none is left."""
    s.changes[ballot, seat] = changes
    if changes >= s.board.rules.ballots.changes:
        s.changed[ballot] |= 1 << seat
    else:
        s.changed[ballot] &= ~(1 << seat)


@_on(e.VoteVoided)
def _vote_voided(s: State, v: e.VoteVoided) -> None:
    _note(s, _vote_record(s, v.ballot, v.seat))
    s.vote[v.ballot][v.seat] = -1
    s.vote_ref[v.ballot][v.seat] = 0
    s.voided[v.ballot] |= 1 << v.seat
    s.notices[v.seat].append((s.now, v))


@_on(e.VoteRefused)
def _vote_refused(s: State, v: e.VoteRefused) -> None:
    s.notices[v.seat].append((s.now, v))


@_on(e.Counted)
def _counted(s: State, v: e.Counted) -> None:
    s.last_count[v.ballot] = list(v.tally)


@_on(e.SheriffChanged)
def _sheriff_changed(s: State, v: e.SheriffChanged) -> None:
    s.sheriff = v.seat
    s.sheriff_since = s.day
    if v.why == "election":
        s.elected = v.seat
    if v.lost:
        s.badge_lost = True


@_on(e.ExileDue)
def _exile_due(s: State, v: e.ExileDue) -> None:
    s.exile_due = v.seat


@_on(e.ExileSettled)
def _exile_settled(s: State, v: e.ExileSettled) -> None:
    s.exiles_settled = v.day
    s.exile_due = 0
    s.cursed = []
    s.swaps = []
    s.red_pending = []


@_on(e.Signed)
def _signed(s: State, v: e.Signed) -> None:
    s.sig[v.kind] = s.sig.get(v.kind, 0) | 1 << v.seat


@_on(e.PetitionPassed)
def _petition_passed(s: State, v: e.PetitionPassed) -> None:
    s.passed_kinds.add(v.kind)


@_on(e.SurrenderProposed)
def _surrender_proposed(s: State, v: e.SurrenderProposed) -> None:
    s.proposal = v.seat
    s.asked = sum(1 << seat for seat in v.asked)
    s.agreed = 1 << v.seat


@_on(e.SurrenderAnswered)
def _surrender_answered(s: State, v: e.SurrenderAnswered) -> None:
    if v.agree:
        s.agreed |= 1 << v.seat


@_on(e.SurrenderEnded)
def _surrender_ended(s: State, v: e.SurrenderEnded) -> None:
    s.proposal = 0
    s.asked = 0
    s.agreed = 0
    if v.why == "declined":
        s.declined = True


def _last_words_due(s: State, seat: int) -> None:
    """C11, M14: by the next opening, or at midnight of the day of the out but never less than an hour after being told."""
    if s.board.option["last_words_until"] == "midnight":
        midnight = s.out_at[seat] - s.out_at[seat] % DAY_MINUTES + DAY_MINUTES
        s.last_due[seat] = max(midnight, s.now + s.board.rules.last_words.least_minutes)
    else:
        s.last_due[seat] = -s.day - 1


@_on(e.Out)
def _out(s: State, v: e.Out) -> None:
    _bar(s)
    seat, cause = v.seat, v.cause
    bit = 1 << seat
    s.alive &= ~bit
    s.out_order.append(seat)
    s.cause[seat] = cause
    s.out_at[seat] = s.now
    s.out_since.append(seat)
    if s.phase <= DUSK or cause == "red_card":
        s.public_alive &= ~bit
    if s.phase <= DUSK or s.night_told or cause in ("red_card", "director"):
        s.told_out |= bit
        _last_words_due(s, seat)
    if s.phase == DAY and cause == "red_card":
        s.red_today |= bit


@_on(e.ToldOut)
def _told_out(s: State, v: e.ToldOut) -> None:
    s.night_told = True
    s.faded = {}
    for seat in v.seats:
        s.told_out |= 1 << seat
        _last_words_due(s, seat)


@_on(e.Restored)
def _restored(s: State, v: e.Restored) -> None:
    _bar(s)
    seat = v.seat
    s.alive |= 1 << seat
    s.public_alive |= 1 << seat
    s.told_out &= ~(1 << seat)
    s.out_order.remove(seat)
    if seat in s.out_since:
        s.out_since.remove(seat)
    del s.cause[seat]
    s.out_at.pop(seat, None)
    s.last_due.pop(seat, None)
    s.last_given.discard(seat)
    s.red_today &= ~(1 << seat)
    s.awaiting = [item for item in s.awaiting if item[2] != seat]
    if s.prompt is not None and s.prompt.seat == seat:
        s.prompt = None


@_on(e.FactionLost)
def _faction_lost(s: State, v: e.FactionLost) -> None:
    _note(s, ["lost", list(s.lost)])
    s.lost.append(v.faction)


@_on(e.GameEnded)
def _game_ended(s: State, v: e.GameEnded) -> None:
    s.phase = OVER
    s.winner = v.faction
    s.prompt = None
    s.awaiting = []
    _bar(s)
    s.public_alive = s.alive
    s.told_out = s.seats_mask & ~s.alive


@_on(e.LastWordsHanded)
def _last_words(s: State, v: e.LastWordsHanded) -> None:
    s.last_given.add(v.seat)


@_on(e.Submitted)
def _submitted(s: State, v: e.Submitted) -> None:
    targets, holder, skill = v.targets, v.holder, v.skill
    key = (holder, skill)
    kept = s.pending.get(key)
    before, by = kept or (None, 0)
    if s.entry_fresh:
        s.undoable = []
        s.entry_fresh = False
    s.undoable.append(["choice", s.answered >> holder & 1, holder, skill, kept is not None, before, by])
    s.pending[key] = (None if targets is None else tuple(targets), v.by)
    s.answered |= 1 << holder


def _choice_record(s: State, holder: int, skill: int) -> list[Any]:
    kept = s.pending.get((holder, skill))
    return ["choice", s.answered >> holder & 1, holder, skill, kept is not None, *(kept or (None, 0))]


def _drop(s: State, v: Any) -> None:
    if v.__class__ is not e.Lapsed:
        _note(s, _choice_record(s, v.holder, v.skill))
    s.pending.pop((v.holder, v.skill), None)
    s.notices[v.holder].append((s.now, v))


APPLY[e.Withdrawn] = _drop
APPLY[e.Lapsed] = _drop
APPLY[e.ChoiceVoided] = _drop


@_on(e.Stopped)
def _stopped(s: State, v: e.Stopped) -> None:
    s.pending.pop((v.holder, v.skill), None)
    s.notices[v.holder].append((s.now, v))


@_on(e.Used)
def _used(s: State, v: e.Used) -> None:
    s.undoable = []  # _bar, without the call: often
    s.entry_barred = True
    skill = v.skill
    held = s.hands[v.holder].get(skill)
    if held is None:
        return
    mask = 0
    for target in v.targets:
        mask |= 1 << target
    held.used |= mask
    held.last = mask
    held.last_night = s.day
    if s.board.skills[skill].limited:
        held.spent = True


@_on(e.Told)
def _told(s: State, v: e.Told) -> None:
    _bar(s)
    s.told[v.seat].append((s.now, v, s.day))


@_on(e.Marked)
def _marked(s: State, v: e.Marked) -> None:
    skill = v.skill
    s.marks[skill] = s.marks.get(skill, 0) | 1 << v.target
    verb = s.board.skills[skill].verb
    if verb == "torch":
        s.torches.append((v.holder, v.target))
    elif verb == "ward":
        s.wards |= 1 << v.holder
    elif verb == "counter":
        s.counter_of[v.holder] = v.target


@_on(e.Struck)
def _struck(s: State, v: e.Struck) -> None:
    s.strikes.append((v.target, v.skill, v.holder))


@_on(e.Charmed)
def _charmed(s: State, v: e.Charmed) -> None:
    s.charmed |= 1 << v.seat


@_on(e.ShieldOrdered)
def _ordered(s: State, v: e.ShieldOrdered) -> None:
    s.ordered |= 1 << v.skill
    for (holder, skill), (targets, _by) in s.pending.items():
        if skill == v.skill and targets is None:
            s.answered &= ~(1 << holder)  # M17: that pass is void, so it is no answer (M6)


@_on(e.Froze)
def _froze(s: State, v: e.Froze) -> None:
    s.frozen |= 1 << v.seat


@_on(e.Doomed)
def _doomed(s: State, v: e.Doomed) -> None:
    s.doomed |= 1 << v.seat


@_on(e.Cursed)
def _cursed(s: State, v: e.Cursed) -> None:
    s.cursed.append((v.target, v.amount))


@_on(e.Swapped)
def _swapped(s: State, v: e.Swapped) -> None:
    s.swaps.append((v.holder, v.first, v.second))


@_on(e.SkillGained)
def _gained(s: State, v: e.SkillGained) -> None:
    held = Held()
    held.night = v.night
    held.stage = v.stage
    if v.counters:
        spent, held.used, held.last, held.last_night, passed = v.counters
        held.spent = bool(spent)
        held.passed = bool(passed)
    s.hands[v.seat][v.skill] = held


@_on(e.SkillLost)
def _lost(s: State, v: e.SkillLost) -> None:
    held = s.hands[v.holder].pop(v.skill, None)
    if held is not None and v.holder <= s.n and not (s.alive | s.told_out) >> v.holder & 1:
        s.faded.setdefault(v.holder, []).append((v.skill, held))  # C27: out, and not yet told so


@_on(e.DenJoined)
def _den_joined(s: State, v: e.DenJoined) -> None:
    while len(s.dens) <= v.den:
        s.dens.append(0)
    s.den_of[SKILL_DEN + v.skill] = v.den
    s.dens[v.den] |= 1 << v.seat


@_on(e.StageClosed)
def _stage_closed(s: State, v: e.StageClosed) -> None:
    stage = v.stage
    s.stage = stage + 1
    s.entered = s.now
    s.undoable = []  # _bar, without the call: often
    s.entry_barred = True
    if stage == s.board.charm_stage and s.board.option["charm_check"] == "settlement":
        s.charm_hold = True


@_on(e.StageTimed)
def _stage_timed(s: State, v: e.StageTimed) -> None:
    s.limits[v.stage] = v.until


@_on(e.NightSettled)
def _night_settled(s: State, v: e.NightSettled) -> None:
    s.settled = True
    s.handed = s.pending
    s.pending = {}
    s.answered = 0
    s.outage = False
    s.charm_hold = False
    _bar(s)


@_on(e.Awaited)
def _awaited(s: State, v: e.Awaited) -> None:
    order = s.out_order.index(v.seat) if v.seat in s.out_order else -1
    s.awaiting.append((v.line, order, v.seat))
    s.awaiting.sort()


@_on(e.Consequence)
def _consequence(s: State, v: e.Consequence) -> None:
    s.awaiting = [item for item in s.awaiting if item[0] != v.line or item[2] != v.seat]


@_on(e.PromptOpened)
def _prompt_opened(s: State, v: e.PromptOpened) -> None:
    line = s.awaiting[0][0]
    s.prompt = Prompt(v.seat, v.skill, line, s.now, v.until)
    s.joint.setdefault(v.seat, v.until)
    if s.phase == NIGHT:
        s.phase = DAWN
    _bar(s)


@_on(e.PromptAnswered)
def _prompt_answered(s: State, v: e.PromptAnswered) -> None:
    s.prompt = None
    _bar(s)


@_on(e.Stayed)
def _stayed(s: State, v: e.Stayed) -> None:
    skill = s.board.skills[v.skill]
    s.exile_due = 0
    if skill.raw.ends_vote:
        s.no_vote |= 1 << v.seat
    if skill.doubles >= 0:
        s.double_night[skill.doubles] = s.day


@_on(e.TwilightEnded)
def _twilight_ended(s: State, v: e.TwilightEnded) -> None:
    s.phase = NIGHT
    if not v.dawn:
        s.dusk_end = s.now


@_on(e.CardProposed)
def _proposed(s: State, v: e.CardProposed) -> None:
    s.proposed_log.append((s.now, v))


@_on(e.CardDealt)
def _card_dealt(s: State, v: e.CardDealt) -> None:
    _note(s, ["card", v.seat, list(s.card_list[v.seat])])
    reds = s.cards_of(v.seat)[2]
    s.card_list[v.seat].append((v.colour, v.clause))
    if s.cards_of(v.seat)[2] > reds:
        _bar(s)  # its consequences stay (section 5)
        s.reds_dealt = True
        # a red card takes out publicly at once; of someone out unseen tonight anything else would tell
        s.public_alive &= s.alive | ~(1 << v.seat)


@_on(e.CardWithdrawn)
def _card_withdrawn(s: State, v: e.CardWithdrawn) -> None:
    _note(s, ["card", v.seat, list(s.card_list[v.seat])])
    cards = s.card_list[v.seat]
    for index in range(len(cards) - 1, -1, -1):
        if cards[index] == (v.colour, v.clause):
            del cards[index]
            return


@_on(e.RedPending)
def _red_pending(s: State, v: e.RedPending) -> None:
    _bar(s)
    s.red_pending.append(v.seat)
    s.red_today |= 1 << v.seat


@_on(e.Substituted)
def _substituted(s: State, v: e.Substituted) -> None:
    s.substituted[v.seat] = s.substituted.get(v.seat, 0) + 1


def _assistant(s: State, v: e.AssistantGiven) -> None:
    s.assistants |= 1 << v.seat


APPLY[e.AssistantGiven] = _assistant


@_on(e.QuietDays)
def _quiet(s: State, v: e.QuietDays) -> None:
    s.quiet = list(v.runs)


@_on(e.LimitMoved)
def _limit_moved(s: State, v: e.LimitMoved) -> None:
    until = s.prompt.until if s.prompt is not None else 0
    _note(s, ["limits", s.setup_ends, s.closes_at, list(s.limits), s.full_at, until])
    if v.what == "setup":
        s.setup_ends = v.until
    elif v.what == "day":
        s.closes_at = v.until
    elif v.what == "prompt":
        if s.prompt is not None:
            s.prompt.until = v.until
    else:
        for stage in range(v.first, v.last + 1):
            s.limits[stage] = v.until
        for stage in range(v.last + 1, len(s.limits)):
            s.limits[stage] = max(s.limits[stage], v.until)
        s.full_at = max(s.full_at, max(s.limits))


@_on(e.Paused)
def _paused(s: State, v: e.Paused) -> None:
    _bar(s)
    s.paused_at = s.now


@_on(e.Resumed)
def _resumed(s: State, v: e.Resumed) -> None:
    _bar(s)
    s.paused_at = -1
    s.setup_ends += v.minutes if s.phase == 0 else 0
    if s.prompt is not None:
        s.prompt.until += v.minutes
    if not s.settled:
        for stage in range(s.stage, len(s.limits)):
            s.limits[stage] += v.minutes
        s.full_at += v.minutes
    s.closes_at = v.closes_at
    s.opens_at = v.opens_at


@_on(e.HoldSet)
def _hold(s: State, v: e.HoldSet) -> None:
    _note(s, ["hold", s.hold])
    s.hold = v.on


@_on(e.OutageRecorded)
def _outage(s: State, v: e.OutageRecorded) -> None:
    _bar(s)
    s.outage = True


@_on(e.Undone)
def _undone(s: State, v: e.Undone) -> None:
    for record in v.records[::-1]:
        _put_back(s, record)
        if record[0] in ("choice", "vote"):  # its holder, its voter is told
            s.notices[record[2]].append((s.now, v))
    s.undoable = []


def _put_back(s: State, record: list[Any]) -> None:
    what = record[0]
    if what == "vote":
        _, ballot, seat, target, ref, seq, changes, voided = record
        s.vote[ballot][seat] = target
        s.vote_ref[ballot][seat] = ref
        s.vote_seq[ballot][seat] = seq
        _count_changes(s, ballot, seat, changes)
        s.voided[ballot] = s.voided[ballot] & ~(1 << seat) | voided << seat
    elif what == "choice":
        _, answered, holder, skill, kept, targets, by = record
        if kept:
            s.pending[holder, skill] = (None if targets is None else tuple(targets), by)
        else:
            s.pending.pop((holder, skill), None)
        s.answered = s.answered & ~(1 << holder) | answered << holder
    elif what == "day":
        s.closes_at, s.sped_up = record[1], bool(record[2])
    elif what == "limits":
        s.setup_ends, s.closes_at, s.limits, s.full_at = record[1], record[2], list(record[3]), record[4]
        if s.prompt is not None and record[5]:
            s.prompt.until = record[5]
    elif what == "card":
        s.card_list[record[1]] = [(colour, clause) for colour, clause in record[2]]
    elif what == "lost":
        s.lost = list(record[1])
    else:
        s.hold = bool(record[1])


missing = [kind.__name__ for kind in e.ALL if kind not in APPLY]
assert not missing, f"events without an effect: {missing}"
