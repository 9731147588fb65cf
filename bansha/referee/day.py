"""The discussion day: opening, close, doors, the calendar, petitions (C20, C21, C26)."""

from __future__ import annotations

from bansha.referee import aftermath, ballots, night
from bansha.referee import events as e
from bansha.referee.board import DAY_MINUTES, ELECTION, EXILE
from bansha.referee.commands import Post, Sign
from bansha.referee.refusals import Refused, clock
from bansha.referee.state import DAY, State, seats_of
from bansha.referee.turn import Turn

KINDS = {"speed_up": "加速", "extend": "延时", "abort": "流局"}
THREADS = {"discussion": "讨论", "ballot": "投票", "election": "竞选", "process": "进程"}
HOUR = 60


# --- the calendar -------------------------------------------------------------------------------------------------


def weekday(minute: int) -> int:
    """0 Monday … 6 Sunday, of a game-local minute since 1970-01-01 (a Thursday)."""
    return (minute // DAY_MINUTES + 3) % 7


def first_close(s: State, day: int, opens: int) -> tuple[int, bool]:
    """When the day that opens at this minute closes, and whether C20 extended it: the close, as first set, on a Saturday
    or Sunday moves one natural day later, once."""
    board = s.board
    calendar = board.rules.calendar
    length = calendar.first_day if day == 1 else calendar.later_days
    midnight = opens - opens % DAY_MINUTES
    close = midnight + (length - 1) * DAY_MINUTES + board.closes
    if close <= opens:
        close += DAY_MINUTES
    extended = board.option["weekend"] == "extend" and weekday(close) >= 5
    return (close + DAY_MINUTES if extended else close), extended


def sped_close(s: State, now: int, close: int) -> int:
    """The earliest closing hour at least the petitions' hours away, never later than the present close (C21)."""
    least = now + s.board.rules.petitions.closing_minutes
    at = least - least % DAY_MINUTES + s.board.closes
    if at < least:
        at += DAY_MINUTES
    return min(at, close)


def open_day(t: Turn) -> None:
    """开门: what the night hid becomes public; the day's ballots, curse and calendar stand (C13)."""
    s, board = t.s, t.board
    day = s.day + 1
    news = list(s.out_since)
    hidden = s.public_alive & ~s.alive
    postponed = list(s.postponed)
    closes, extended = first_close(s, day, t.now)
    t.say(e.DayOpened(day, closes, extended))
    t.announce("出局", news)
    for seat in news:
        role = board.role_list[s.role[seat]]
        if role.out_announced is not None and hidden >> seat & 1:
            t.announce(role.out_announced.zh, seat)
    for kind, value in postponed:
        t.announce(kind, value)
    badge = board.badge
    in_office = s.alive >> s.sheriff & 1  # one taken out after the dawn hands over at the next dusk (C25)
    if badge is not None and badge.announced_daily and in_office and ("警长", s.sheriff) not in postponed:
        t.announce("警长", s.sheriff)
    for target, _amount in s.cursed:
        t.announce(next(k.zh for k in board.skills if k.verb == "curse"), target)
    if s.alive.bit_count() < board.auto_speed_up:
        t.say(e.DayMoved(sped_close(s, t.now, closes), True, "auto_speed_up_below"))


def close_day(t: Turn) -> None:
    """关门: attendance is looked at, the election is settled, then the exile; dusk follows (G6)."""
    s = t.s
    attendance(t)
    open_ballots = s.ballots
    if s.proposal:
        t.say(e.SurrenderEnded("lapsed"))
    t.say(e.DayClosed(s.day))
    if ELECTION in open_ballots:
        ballots.elect(t)
    if EXILE in open_ballots:
        ballots.exile(t)
    if t.over:
        return
    night.begin(t)
    aftermath.run(t)


def attendance(t: Turn) -> None:
    """M7, G12: too few posts, a run of quiet days, no vote: proposed, never dealt. Those red-carded today are not judged,
    those exiled at this close are (C25)."""
    s, board = t.s, t.board
    rule = board.rules.attendance
    spared = s.sped_up and board.option["sped_up_spares"] == "cards"
    judged = s.alive & ~s.red_today
    if spared:
        return
    runs = list(s.quiet)
    ballot = EXILE if EXILE in s.ballots else ELECTION
    votes, posts = s.vote[ballot], s.posts
    excused = s.voided[ballot] | s.no_vote
    vote_clause, posts_clause, streak_clause, least = rule.vote_clause, rule.posts_clause, rule.streak_clause, rule.posts
    for seat in seats_of(judged):
        if vote_clause and votes[seat] < 0 and not excused >> seat & 1:
            t.say(e.CardProposed(seat, "yellow", vote_clause, "no_vote"))
        if posts_clause and posts[seat] < least:
            t.say(e.CardProposed(seat, "yellow", posts_clause, "posts"))
        if streak_clause:
            runs[seat] = runs[seat] + 1 if posts[seat] < rule.streak_posts else 0
            if runs[seat] >= rule.streak_days:
                t.say(e.CardProposed(seat, "yellow", streak_clause, "streak"))
                runs[seat] = 0
    if streak_clause and runs != s.quiet:
        t.say(e.QuietDays(runs))


# --- posts --------------------------------------------------------------------------------------------------------


def need_day(s: State, what: str) -> None:
    """C26: doors are open on a discussion day only.

    Raises:
        Refused: not_day.
    """
    if s.phase != DAY:
        raise Refused("not_day", what=what, legal=clock(s.opens_at) if s.opens_at else clock(s.board.opens))


def post(t: Turn, command: Post) -> None:
    """A post: published; suspicions are flagged; in a ballot thread it is read as a vote, strictly (C18).

    Raises:
        Refused: not_day, out, red_carded, unknown_thread, no_ballot. Such a post is kept as its author's draft.
    """
    s = t.s
    seat = command.seat
    thread = command.thread
    need_day(s, "发帖")
    may_speak(s, seat)
    if thread not in THREADS:
        raise Refused("unknown_thread", thread=thread, legal="、".join(THREADS.values()))
    ballot = -1
    if thread in ("ballot", "election"):
        ballot = EXILE if thread == "ballot" else ELECTION
        if ballot not in s.ballots:
            if len(s.ballots) == 1 and thread == "ballot":
                ballot = s.ballots[0]
            else:
                open_now = "、".join(THREADS["ballot" if b == EXILE else "election"] for b in s.ballots)
                raise Refused("no_ballot", ballot=THREADS[thread] + "帖", legal=open_now)
    t.say(e.PostMade(seat, thread, command.ref, command.digest, command.quote))
    for clause, words in command.reading.flags:
        t.say(e.Flagged(seat, clause, words, command.ref))
    if ballot >= 0:
        ballots.read(t, command, ballot)


def may_speak(s: State, seat: int) -> None:
    """Someone out, or red-carded today under B19, neither posts nor votes.

    Raises:
        Refused: out, red_carded.
    """
    if not s.alive >> seat & 1:
        raise Refused("out", seat=seat)
    if s.red_today >> seat & 1:
        raise Refused("red_carded", seat=seat)


# --- petitions ----------------------------------------------------------------------------------------------------


def sign(t: Turn, command: Sign) -> None:
    """A signature; at half of the living the petition passes at once (C21).

    Raises:
        Refused: not_day, out, red_carded, unknown_kind, needs_red, passed, signed, closing.
    """
    s = t.s
    seat, kind = command.seat, command.kind
    petitions = t.board.rules.petitions
    need_day(s, "申请")
    may_speak(s, seat)
    if kind not in petitions.kinds:
        raise Refused("unknown_kind", kind=KINDS.get(kind, kind), legal="、".join(KINDS[k] for k in petitions.kinds))
    if kind == "abort" and not s.reds_dealt:
        raise Refused("needs_red")
    if kind in s.passed_kinds:
        raise Refused("passed", kind=KINDS[kind])
    if s.sig.get(kind, 0) >> seat & 1:
        raise Refused("signed", seat=seat, kind=KINDS[kind])
    last = signed_until(s, kind, t.now)
    if t.now >= last:
        raise Refused("closing", hours=petitions.closing_minutes // HOUR, limit=clock(last), kind=KINDS[kind])
    t.say(e.Signed(seat, kind))
    living = s.alive.bit_count()
    count = s.sig[kind].bit_count()
    if count >= quorum(s, living):
        t.say(e.PetitionPassed(kind, count, living))
        t.announce(KINDS[kind], True)
        carry(t, kind, "petition")


def quorum(s: State, living: int) -> int:
    """How many signatures a petition needs among so many living."""
    return (living + 1) // 2 if s.board.rules.petitions.quorum == "half" else living // 2 + 1


def moved_close(s: State, kind: str, now: int) -> int:
    """The close that a petition of this kind would lead to if it passed now; 0: it moves none."""
    if kind == "speed_up":
        return sped_close(s, now, s.closes_at)
    return s.closes_at + DAY_MINUTES if kind == "extend" else 0


def signed_until(s: State, kind: str, now: int) -> int:
    """From when on a petition takes no signature: hours before the close, for a speed-up before the one it would bring."""
    close = moved_close(s, kind, now) if kind == "speed_up" else s.closes_at
    return close - s.board.rules.petitions.closing_minutes


def carry(t: Turn, kind: str, why: str) -> None:
    """What a passed petition does; the director can do the same (C25)."""
    s = t.s
    if kind == "speed_up":
        t.say(e.DayMoved(moved_close(s, kind, t.now), True, why))
    elif kind == "extend":
        t.say(e.DayMoved(moved_close(s, kind, t.now), False, why))
    elif t.board.option["abort"] == "automatic" or why != "petition":
        t.say(e.GameEnded(-1, "abort"))

