"""Ballots as pages show them: who stands where, how it came so, and what became of each post. Everything is made from public
facts: the posts with what the referee read in them, and the public view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache

from django.db.models import Q
from django.utils.translation import get_language

from bansha.journal import doors
from bansha.sight.types import PUBLIC, PublicView
from bansha.town.floors import HELD
from bansha.town.models import Post, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.words import SHERIFF

BALLOTS = {"ballot": "exile", "election": "election"}
"""The ballot of each kind of thread."""
VALID = ("vote", "change")


# --- what was cast ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cast:
    """A vote in a post: `floor` is its place; `void`: the minute since which it is void (None: it is not)."""

    seat: int
    target: int
    floor: int
    minute: int
    at: datetime
    change: bool = False
    proxy: bool = False
    void: int | None = None


def casts(posts: Iterable[Post]) -> list[Cast]:
    """The votes among posts, by floor."""
    found = [
        Cast(
            post.seat, post.receipt["target"], post.floor, post.minute, post.at, post.receipt["state"] == "change", post.note == "proxy",
            post.receipt.get("void"),
        )
        for post in posts
        if post.receipt and post.receipt.get("state") in VALID
    ]  # fmt: skip
    return sorted(found, key=lambda cast: cast.floor)


# --- how it came so -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One line of the history: a seat's vote came into force, or was taken out of it (`cast` None: by a voided vote, with
    nothing in its place). `before`: what it voted for until then (None: nothing). `number`: how many had voted so far;
    `counts`: halves of everybody's count afterwards."""

    minute: int
    at: datetime | None
    seat: int
    target: int | None
    before: int | None
    number: int
    counts: dict[int, int]
    cast: Cast | None
    voided: bool = False

    @property
    def count(self) -> int:
        """The target's count afterwards, in halves."""
        return self.counts.get(self.target or 0, 0)

    @property
    def left(self) -> int:
        """What the one voted for before has left, in halves."""
        return self.counts.get(self.before or 0, 0)


def history(cast: Sequence[Cast], weight: dict[int, int] | None = None, start: dict[int, int] | None = None) -> list[Step]:
    """Replay votes in the order in which they came. `weight`: halves of a seat's vote where it is not 2; `start`: what was
    added to counts from the beginning (curses)."""
    moments = [(one.minute, 0, one.floor, one) for one in cast]
    moments += [(one.void, 1, one.floor, one) for one in cast if one.void is not None]
    force: dict[int, Cast] = {}
    steps: list[Step] = []
    for minute, is_void, _floor, one in sorted(moments, key=lambda moment: moment[:3]):
        before = force.get(one.seat)
        if is_void:
            if before is not one:
                continue
            earlier = [c for c in cast if c.seat == one.seat and c.floor < one.floor and c.void is None]
            if earlier:
                force[one.seat] = earlier[-1]
            else:
                del force[one.seat]
        else:
            force[one.seat] = one
        now = force.get(one.seat)
        counts = dict(start or {})
        for voter, standing in force.items():
            if standing.target:
                counts[standing.target] = counts.get(standing.target, 0) + (weight or {}).get(voter, 2)
        was, stands = before.target if before else None, now.target if now else None
        steps.append(Step(minute, None if is_void else one.at, one.seat, stands, was, len(force), counts, now, bool(is_void)))
    return steps


def in_force(cast: Sequence[Cast]) -> list[Cast]:
    """The votes in force, in the order in which they came into it."""
    latest = {one.seat: one for one in cast if one.void is None}
    return sorted(latest.values(), key=lambda one: one.floor)


# --- the tally ----------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """A line of the tally: the count in halves, who voted so in order of arrival, what a curse and the badge added (halves),
    whether it leads (`tied`: with others), and whether it reached the same count before the others."""

    seat: int
    halves: int
    voters: list[int]
    cursed: int = 0
    weighed: int = 0
    first: bool = False
    tied: bool = False
    sooner: bool = False


@dataclass
class Race:
    """Who reached the highest count first, drawn: the paths of the two, where each last reached it, and the words."""

    seats: tuple[int, int]
    one: str
    two: str
    hit_one: tuple[float, float]
    hit_two: tuple[float, float]
    reached: tuple[int, int]
    count: int
    now: float
    lines: list[tuple[float, int]]
    opens: int
    closes: int


@dataclass
class Tally:
    """A ballot as it stands, or as it was counted (`final`)."""

    ballot: str
    final: bool
    open: bool
    rows: list[Row] = field(default_factory=list)
    abstained: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    voted: int = 0
    of: int = 0
    log: list[Step] = field(default_factory=list)
    race: Race | None = None
    changed: list[int] = field(default_factory=list)


def tally(table: Table, thread: Thread) -> Tally:
    """The tally of a ballot thread."""
    public = table.public
    ballot = BALLOTS[thread.kind]
    shown = list(readable(table).filter(room=thread.room).order_by("floor"))
    cast = casts(shown)
    view = next((b for b in public.ballots if b.name == ballot), None) if thread.day == public.day else None
    opens = Post.objects.filter(game=table.game, room=thread.room, floor=1).values_list("minute", flat=True).first() or 0
    # the figures of a count are a public fact even while the wording of its announcement waits for a review (C28)
    counts_of = Q(room=thread.room) | Q(room=HELD, waits_for=thread.room)
    counted = Post.objects.filter(counts_of, game=table.game, note="count").first()
    cursed = _curses(table, opens) if ballot == "exile" else {}
    weight = _weights(table, ballot, opens)
    steps = history(cast, weight, cursed)
    votes = [(one.seat, one.target) for one in in_force(cast)] if view is None else view.votes
    final = counted is not None and counted.receipt is not None
    if final:
        assert counted is not None and counted.receipt is not None
        counts = {int(seat): int(halves) for seat, halves in counted.receipt["tally"]}
    elif view is not None:
        counts = dict(view.counts)
    else:
        counts = dict(steps[-1].counts) if steps else dict(cursed)
    found = Tally(ballot, final, view is not None and view.open, changed=view.changed if view is not None else [])
    found.rows = _rows(votes, counts, cursed)
    found.abstained = [seat for seat, target in votes if not target]
    found.voted = len(votes)
    voters = {seat for seat, _ in votes}
    if view is not None and view.open:
        found.missing = [seat for seat in could_vote(table, public) if seat not in voters]
    elif counted is not None and table.game.journal is not None:
        able = could_vote(table, _at_close(table.game.journal, counted.minute))
        found.missing = [seat for seat in able if seat not in voters]
    found.of = len(voters) + len(found.missing)
    found.log = steps
    if ballot == "election" and table.loaded.ruleset.ballots.election_tie == "first_reached":
        closes = counted.minute if counted is not None else public.closes_at
        found.race = _race(found, cast, steps, opens, closes, min(table.minute, closes))
    return found


def could_vote(table: Table, public: PublicView) -> list[int]:
    """Who can vote as everybody knows: the living, but for those red-carded today and those who publicly used a skill that ends
    their own voting (装唐)."""
    names = {skill.name.zh for skill in table.loaded.ruleset.skills.values() if skill.ends_vote}
    unable = {said.value for said in public.announced if said.kind in names and isinstance(said.value, int)}
    return [seat for seat in public.alive if seat not in unable and seat not in public.barred]


@lru_cache(maxsize=1024)
def _at_close(journal: int, close: int) -> PublicView:
    """What everybody knew when a ballot closed; it does not change any more."""
    return doors.before(journal, PUBLIC, close).view.public


def _weights(table: Table, ballot: str, minute: int) -> dict[int, int]:
    """Halves of the vote of the sheriff who was publicly in office then."""
    badge = table.loaded.ruleset.badge
    if badge is None or ballot != "exile":
        return {}
    told = [said.value for said in table.public.announced if said.kind == SHERIFF and said.at <= minute]
    return {told[-1]: int(2 * badge.weight)} if told and isinstance(told[-1], int) else {}


def _curses(table: Table, opens: int) -> dict[int, int]:
    """Halves that the curses announced at this opening add."""
    curse = next((skill for skill in table.loaded.ruleset.skills.values() if skill.verb == "curse"), None)
    added: dict[int, int] = {}
    if curse is not None:
        for said in table.public.announced:
            if said.kind == curse.name.zh and said.at == opens and isinstance(said.value, int):
                added[said.value] = added.get(said.value, 0) + 2 * curse.amount
    return added


def _rows(votes: Sequence[tuple[int, int]], counts: dict[int, int], cursed: dict[int, int]) -> list[Row]:
    rows = []
    for seat, halves in counts.items():
        voters = [voter for voter, target in votes if target == seat]
        curse = min(cursed.get(seat, 0), halves)
        rows.append(Row(seat, halves, voters, curse, max(0, halves - curse - 2 * len(voters))))
    # among equals: who reached the count first, by the order of the votes in force
    order = {voter: number for number, (voter, _) in enumerate(votes)}
    rows.sort(key=lambda row: (-row.halves, order[row.voters[-1]] if row.voters else -1, row.seat))
    top = rows[0].halves if rows else 0
    leading = [row for row in rows if row.halves == top > 0]
    for row in leading:
        row.first = True
        row.tied = len(leading) > 1
    return rows


def _race(found: Tally, cast: Sequence[Cast], steps: Sequence[Step], opens: int, closes: int, now: int) -> Race | None:
    """G6: among equals the one who reached the final count first, by votes still in force."""
    leading = [row for row in found.rows if row.first]
    if len(leading) < 2 or closes <= opens:
        return None
    when = {one.seat: one for one in in_force(cast)}
    if not all(row.voters and row.voters[-1] in when for row in leading[:2]):
        return None
    leading[0].sooner = True
    one, two = leading[0], leading[1]
    most = max(count for step in steps for count in step.counts.values()) // 2 or 1
    span = closes - opens

    def place(minute: int) -> float:
        return round(300 * min(1.0, max(0.0, (minute - opens) / span)), 1)

    def height(halves: int, lower: int) -> float:
        return round(150 - 56 * halves / most + lower, 1)

    def path(seat: int, lower: int) -> str:
        drawn, level = f"M0 {height(0, lower)}", 0
        for step in steps:
            count = step.counts.get(seat, 0)
            if count != level:
                drawn += f"H{place(step.minute)}V{height(count, lower)}"
                level = count
        return f"{drawn}H{place(now)}"

    last = [when[row.voters[-1]] for row in (one, two)]
    return Race(
        (one.seat, two.seat), path(one.seat, 0), path(two.seat, 4), (place(last[0].minute), height(one.halves, 0)),
        (place(last[1].minute), height(two.halves, 4)), (last[0].minute, last[1].minute), one.halves // 2, place(now),
        [(height(2 * level, 0), level) for level in range(most + 1)] if most <= 8 else [(height(0, 0), 0), (height(2 * most, 0), most)],
        opens, closes,
    )  # fmt: skip


# --- what became of each post -------------------------------------------------------------------------------------


@dataclass
class Slip:
    """The receipt under a post. `state`: vote, change (in force), superseded, void, refused. `private`: only its author and the
    directors see it. `fill`: the seat (0: 弃权) to fill the form with, None when there is nothing to guess; `again`: the post
    wanted to change a vote."""

    state: str
    step: Step | None = None
    later: Cast | None = None
    why: str = ""
    private: bool = False
    fill: int | None = None
    proxy: bool = False


def slips(table: Table, posts: Sequence[Post], found: Tally) -> dict[int, Slip]:
    """The receipts of posts by floor, as far as this viewer may see them."""
    cast = casts(posts) if posts else []
    made: dict[int, Slip] = {}
    by_floor = {step.cast.floor: step for step in found.log if step.cast is not None and not step.voided}
    for one in cast:
        later = next((c for c in cast if c.seat == one.seat and c.floor > one.floor and c.void is None), None)
        state = "void" if one.void is not None else "superseded" if later is not None else "change" if one.change else "vote"
        made[one.floor] = Slip(state, by_floor.get(one.floor), later, proxy=one.proxy)
    own = table.viewer.seat if table.viewer.kind in ("player", "assistant") else 0
    for post in posts:
        if post.receipt and post.receipt.get("state") == "refused" and (table.sees_all or (own and post.seat == own)):
            why = post.receipt.get("en" if (get_language() or "").startswith("en") else "zh", "")
            fill = nearest(table, str(post.receipt.get("target", ""))) if post.receipt["code"] == "unknown_name" else None
            made[post.floor] = Slip("refused", why=why, private=True, fill=fill)
    return made


def nearest(table: Table, written: str) -> int | None:
    """The living persona somebody may have meant by what was written; None when nothing is near."""
    alive = table.public.alive
    names = {table.name(seat): seat for seat in alive}
    inside = [seat for name, seat in names.items() if written and (written in name or name in written)]
    if len(inside) == 1:
        return inside[0]
    close = get_close_matches(written, list(names), n=1, cutoff=0.5)
    return names[close[0]] if close else None
