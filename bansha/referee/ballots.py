"""Ballots (C16–C19): votes by form and by post, changes, proxies, counting, ties, the sheriff's election."""

from __future__ import annotations

from bansha.referee import aftermath
from bansha.referee import events as e
from bansha.referee.board import ABSTAIN, ELECTION, EXILE
from bansha.referee.commands import Change, Post, Proxy, Vote
from bansha.referee.reading import explain_fault
from bansha.referee.refusals import Refused, clock, seats
from bansha.referee.state import DAY, State
from bansha.referee.turn import Turn

NAMES = {EXILE: "放逐投票", ELECTION: "警长竞选"}


def _need_ballot(s: State, seat: int, ballot: int) -> None:
    """The seat may vote on this ballot now.

    Raises:
        Refused: not_day, no_ballot, out, red_carded, no_voting_right.
    """
    bit = 1 << seat
    if s.phase == DAY and ballot in s.ballots and s.alive & ~s.red_today & ~s.no_vote & bit:
        return
    if s.phase != DAY:
        raise Refused("not_day", what="投票", legal=clock(s.opens_at) if s.opens_at else clock(s.board.opens))
    if ballot not in s.ballots:
        raise Refused("no_ballot", ballot=NAMES[ballot], legal="、".join(NAMES[b] for b in s.ballots))
    if not s.alive & bit:
        raise Refused("out", seat=seat)
    if s.red_today & bit:
        raise Refused("red_carded", seat=seat)
    if s.no_vote & bit:
        name = next(k.zh for k in s.board.skills if k.raw.ends_vote)
        raise Refused("no_voting_right", seat=seat, skill=name)


def _need_target(s: State, target: int, ballot: int) -> None:
    """The target is 弃权 or publicly alive and takes votes.

    Raises:
        Refused: no_seat, vote_out, vote_barred.
    """
    if target == 0 or (1 <= target <= s.n and s.public_alive >> target & 1):
        return
    if not 1 <= target <= s.n:
        raise Refused("no_seat", seat=target, n=s.n)
    code = "vote_barred" if s.red_today >> target & 1 else "vote_out"
    raise Refused(code, target=target, legal=seats(s.seats(s.public_alive)))


def _need_thaw(s: State) -> None:
    """C17: changes and proxies are refused in the last hour before the close in force, and while the day is sped up.

    Raises:
        Refused: sped_up, freeze.
    """
    if s.sped_up:
        raise Refused("sped_up")
    limit = s.closes_at - s.board.rules.ballots.freeze_minutes
    if s.now >= limit:
        raise Refused("freeze", limit=clock(limit))


def vote(t: Turn, command: Vote) -> None:
    """A first vote of this ballot; self and 弃权 are allowed.

    Raises:
        Refused: see `_need_ballot`, `_need_target`; voted.
    """
    s = t.s
    seat, ballot, target = command.seat, command.ballot, command.target
    # the same questions as in `_need_ballot` and `_need_target`, which know the reasons: votes are most of a game
    if s.phase != DAY or ballot not in s.ballots or not s.alive & ~s.red_today & ~s.no_vote & 1 << seat:
        _need_ballot(s, seat, ballot)
    if s.vote[ballot][seat] >= 0:
        raise Refused("voted", seat=seat)
    if target < 0 or not (s.public_alive | 1) >> target & 1:  # 0 is 弃权
        _need_target(s, target, ballot)
    t.say(e.VoteCast(seat, ballot, target, command.ref, 0))


def change(t: Turn, command: Change) -> None:
    """The one change (C17), to the same target too.

    Raises:
        Refused: see `_need_ballot`, `_need_target`, `_need_thaw`; no_vote, changed.
    """
    s = t.s
    seat, ballot, target = command.seat, command.ballot, command.target
    _need_ballot(s, seat, ballot)
    if s.vote[ballot][seat] < 0:
        raise Refused("no_vote", seat=seat)
    if not s.board.rules.ballots.changes or s.changed[ballot] >> seat & 1:
        raise Refused("changed", seat=seat, legal=s.board.rules.ballots.changes)
    _need_thaw(s)
    _need_target(s, target, ballot)
    t.say(e.VoteChanged(seat, ballot, target, command.ref))


def proxy(t: Turn, command: Proxy) -> None:
    """A director enters a vote for the seat with an explicit target (C17, C18).

    Raises:
        Refused: see `vote`, `_need_thaw`.
    """
    s = t.s
    seat, ballot = command.seat, command.ballot
    _need_ballot(s, seat, ballot)
    _need_thaw(s)
    if s.vote[ballot][seat] >= 0:
        raise Refused("voted", seat=seat)
    _need_target(s, command.target, ballot)
    t.say(e.VoteCast(seat, ballot, command.target, command.ref, command.director))


def read(t: Turn, command: Post, ballot: int) -> None:
    """A post in a ballot thread: a vote, a change, or no vote with the reason told to its author at once (C18)."""
    s = t.s
    seat = command.seat
    reading = command.reading
    try:
        if reading.fault or not reading.label:
            raise Refused("bad_format", what=explain_fault(reading, "zh"))
        target = named(s, reading.target)
        if reading.label == "change":
            if s.vote[ballot][seat] >= 0 and (not command.quote or command.quote != s.vote_ref[ballot][seat]):
                raise Refused("must_quote")
            change(t, Change(seat, ballot, target, command.ref))
        else:
            vote(t, Vote(seat, ballot, target, command.ref))
    except Refused as refusal:
        t.say(e.VoteRefused(seat, ballot, command.ref, refusal.code, reading.fault or reading.target))


def named(s: State, name: str) -> int:
    """The living persona of exactly this whole name, 0 for 弃权.

    Raises:
        Refused: unknown_name, vote_out, vote_barred.
    """
    if name == ABSTAIN:
        return 0
    personas = s.personas
    if name and name in personas[1:]:
        seat = personas.index(name, 1)
        _need_target(s, seat, EXILE)
        return seat
    legal = "、".join(personas[x] for x in s.seats(s.public_alive))
    raise Refused("unknown_name", target=name, legal=legal)


# --- counting -----------------------------------------------------------------------------------------------------


def tally(s: State, ballot: int) -> dict[int, int]:
    """Counts in halves by target as they stand now; curses are added to exile counts of the living (C16)."""
    counts: dict[int, int] = {}
    sheriff = s.sheriff if ballot == EXILE else 0
    for seat, target in enumerate(s.vote[ballot]):  # place 0 never votes
        if target > 0:
            counts[target] = counts.get(target, 0) + (weight_of_sheriff(s) if seat == sheriff else 2)
    if ballot == EXILE:
        for target, amount in s.cursed:
            if s.alive >> target & 1:
                counts[target] = counts.get(target, 0) + 2 * amount
    return counts


def weight_of_sheriff(s: State) -> int:
    """Halves of the sheriff's exile vote; one elected at this very close counts as the option says (G6, G8)."""
    board = s.board
    elected_today = s.sheriff_since == s.day and s.day == 1 and ELECTION in board.first_ballots and s.elected == s.sheriff
    return board.weight_first if elected_today else board.weight


def _top(counts: list[tuple[int, int]], among: int) -> list[int]:
    """Seats of `among` with the most, in the order of the counts; [] when nobody has any."""
    best = 0
    top: list[int] = []
    for seat, count in counts:
        if not among >> seat & 1:
            continue
        if count > best:
            best, top = count, [seat]
        elif count == best and best:
            top.append(seat)
    return top


def elect(t: Turn) -> None:
    """竞选: most votes; a tie by the ruleset's policy; a red-carded candidate is skipped (G6)."""
    s, board = t.s, t.board
    counts = sorted(tally(s, ELECTION).items())
    top = _top(counts, s.alive & ~s.red_today)
    t.say(e.Counted(ELECTION, counts, top))
    elected = 0
    if len(top) == 1:
        elected = top[0]
    elif top and board.rules.ballots.election_tie == "first_reached":
        elected = min(top, key=lambda seat: reached(s, seat))
    t.say(e.SheriffChanged(elected, "election", elected == 0))
    t.announce("警长", elected or "none")


def reached(s: State, target: int) -> int:
    """G6: when the final count was reached for the last time by votes still in force."""
    votes = s.vote[ELECTION]
    return max(s.vote_seq[ELECTION][seat] for seat in range(1, s.n + 1) if votes[seat] == target)


def exile(t: Turn) -> None:
    """Count the exile ballot and exile whom it names; ties, swaps and prompts by the ruleset."""
    s, board = t.s, t.board
    counts = sorted(tally(s, EXILE).items())
    candidates = s.alive | (s.red_today if board.reds == "bars_exile" else 0)
    top = _top(counts, candidates)
    t.say(e.Counted(EXILE, counts, top))
    chosen = top[0] if len(top) == 1 else 0
    if board.reds == "bars_exile" and any(s.red_today >> seat & 1 for seat in top):
        chosen = 0
    elif len(top) > 1:
        chosen = _break_tie(t, top)
    if chosen:
        chosen = _swapped(t, chosen)
    if not chosen:
        t.announce("放逐", "none")
    elif not aftermath.await_stay(t, chosen):
        aftermath.exile(t, chosen)


def _break_tie(t: Turn, top: list[int]) -> int:
    """M1: the sheriff's vote breaks it and the badge is lost in any case, before the exile takes effect; or by chance; or nobody."""
    s, board = t.s, t.board
    policy = board.exile_tie
    if policy == "random":
        chosen = int(t.draw("tie", top)[0])
        t.say(e.TieBroken(top, chosen, "random"))
        return chosen
    if policy != "sheriff_vote" or not s.sheriff:
        t.say(e.TieBroken(top, 0, "nobody"))
        return 0
    voted = s.vote[EXILE][s.sheriff]
    legal = voted > 0 and (voted in top or (board.option["tie_break_scope"] == "literal" and s.alive >> voted & 1))
    chosen = voted if legal else 0
    t.say(e.TieBroken(top, chosen, "sheriff"))
    if board.badge is not None and board.badge.lost_on_tie:
        t.say(e.SheriffChanged(0, "tie", True))
        t.announce("警长", "none")
    return chosen


def _swapped(t: Turn, chosen: int) -> int:
    """隐患 (B6): the exile moves to the other one, if that one is still alive; one_way: from the first to the second only."""
    s = t.s
    for holder, first, second in s.swaps:
        other = 0
        if chosen == first:
            other = second
        elif chosen == second and t.board.option["swap"] == "both":
            other = first
        if other and s.alive >> other & 1:
            t.say(e.ExileMoved(chosen, other, holder))
            return other
    return chosen
