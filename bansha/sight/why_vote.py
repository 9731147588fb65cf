"""What became of a vote: refused, voided, changed, counted, or never cast."""

from __future__ import annotations

from typing import Final

from bansha.referee import events as e
from bansha.referee.board import BALLOTS, EXILE
from bansha.referee.reading import FAULTS
from bansha.sight.teller import REDS, Pair, Teller, moment
from bansha.sight.witness import Seen

_REFUSED: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "voted": ("已经有一张有效票；再发投票帖不算票，要改请改票", "a vote was in force already; a second one is no vote", ("C18",)),
    "no_vote": ("还没有票可改；要先投票", "there was no vote to change", ("C18",)),
    "changed": ("改票已经用掉", "the one change had been used", ("C17",)),
    "freeze": ("关门前的冻结时段里不收改票", "changes are not taken in the last stretch before the close", ("C17",)),
    "sped_up": ("加速的讨论日不收改票", "changes are not taken on a sped-up day", ("C17",)),
    "must_quote": ("改票帖没有引用自己生效的那张票", "the change did not quote the author's own vote in force", ("C17", "C18")),
    "unknown_name": ("场上没有叫“{target}”的马甲", "nobody alive is called {target!r}", ("C18",)),
    "vote_out": ("“{target}”已经出局，不能被投", "{target!r} was out and could not be voted for", ("C18", "C2")),
    "vote_barred": ("“{target}”当天已被罚下，不收投给TA的票", "{target!r} was sent off that day and took no votes", ("G8", "P3")),
    "no_voting_right": ("装唐之后不能再投票", "having played dumb the seat votes no more", ("B20", "skill.play_dumb")),
    "red_carded": ("当天已被罚下，不能再投票", "the seat was sent off that day", ("B19", "P3")),
    "out": ("已经出局，不能再投票", "the seat was out", ("C16",)),
}
"""Why a post in a ballot thread was no vote: refusal code → (zh, en, clauses)."""

_VOIDED: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "out": ("所投的人在关门前出局", "the one voted for went out before the close", ("C19",)),
    "red_card": ("投票的人在计票之前被罚下", "the voter was sent off before the count", ("C19", "M15", "G8")),
    "director": ("导演作废了这张票", "a director voided it", ("C25", "D2")),
}
"""Why a vote became void: → (zh, en, clauses)."""


def vote(t: Teller, seat: int, on: str, ref: int, day: int) -> None:
    """What became of a vote: refused, voided, changed, counted, or never cast."""
    ballot = BALLOTS.index(on)
    day = day or _last_voting_day(t, seat, ballot, ref)
    name = ("放逐投票", "exile ballot") if ballot == EXILE else ("警长竞选", "election")
    cast = False
    for record in t.seen.records:
        event = record.event
        if record.day != day or getattr(event, "seat", 0) != seat or getattr(event, "ballot", -1) != ballot:
            continue
        zh, en = moment(record)
        match event:
            case e.VoteRefused() if ref in (0, event.ref):
                _refused(t, record, event)
            case e.VoteCast():
                cast = True
                target = (f"{event.target}号", f"seat {event.target}") if event.target else ("弃权", "弃权")
                by = ("导演代", " by a director's proxy") if event.by else ("", "")
                t.say(
                    f"{zh}，{by[0]}{seat}号投{target[0]}，有效。",
                    f"{en}: seat {seat} voted for {target[1]}{by[1]}, in force.",
                    "C16",
                    "C18",
                )
            case e.VoteChanged():
                target = (f"{event.target}号", f"seat {event.target}") if event.target else ("弃权", "弃权")
                t.say(f"{zh}，{seat}号改投{target[0]}。", f"{en}: seat {seat} changed to {target[1]}.", "C17")
            case e.VoteVoided():
                why, said, clauses = _VOIDED[event.why]
                t.say(
                    f"{zh}，{seat}号的票作废：{why}。",
                    f"{en}: the vote of seat {seat} became void: {said}.",
                    *clauses,
                    *((REDS[t.board.reds],) if event.why == "red_card" else ()),
                )
            case _:
                pass
    _at_the_count(t, seat, ballot, day, cast, name)


def _at_the_count(t: Teller, seat: int, ballot: int, day: int, cast: bool, name: Pair) -> None:
    """How the seat stood when the ballot was counted."""
    for _, record, event in t.seen.of(e.Counted):
        if record.day != day or event.ballot != ballot or seat >= len(record.votes):
            continue
        target = record.votes[seat]
        if target > 0:
            t.say(
                f"第{day}天{name[0]}关门计票时，{seat}号投{target}号的票计入。",
                f"At the count of day {day}'s {name[1]} the vote of seat {seat} for seat {target} was counted.",
                "C16",
            )
        elif target == 0:
            t.say(
                f"第{day}天{name[0]}关门计票时，{seat}号弃权，不与任何人比多少。",
                f"At the count of day {day}'s {name[1]} seat {seat} abstained, which competes with nobody.",
                "C16",
            )
        else:
            t.say(
                f"第{day}天{name[0]}关门计票时，{seat}号没有有效票。",
                f"At the count of day {day}'s {name[1]} seat {seat} had no vote in force.",
                "C16",
            )
        return
    if not t.lines:
        t.say(f"没有见到{seat}号在{name[0]}里投票。", f"No vote of seat {seat} on the {name[1]} is known.", "C16", "C18")


def _last_voting_day(t: Teller, seat: int, ballot: int, ref: int) -> int:
    day = 0
    for record in t.seen.records:
        event = record.event
        if isinstance(event, (e.VoteCast, e.VoteChanged, e.VoteRefused, e.VoteVoided)) and (event.seat, event.ballot) == (seat, ballot):
            if not ref or getattr(event, "ref", 0) == ref:
                day = record.day
        elif isinstance(event, e.Counted) and event.ballot == ballot and not ref:
            day = record.day
    return day


def _refused(t: Teller, record: Seen, event: e.VoteRefused) -> None:
    zh, en = moment(record)
    if event.code == "bad_format":
        fault = FAULTS.get(event.target, ("格式不对。", "The format is wrong."))
        why, said, clauses = fault[0].rstrip("。"), fault[1].rstrip("."), ("C18",)
    else:
        why, said, clauses = _REFUSED.get(event.code, (event.code, event.code, ("C18",)))  # type: ignore[assignment]
        why, said = why.format(target=event.target), said.format(target=event.target)
    t.say(
        f"{zh}，{event.seat}号在投票帖里的这一帖不是有效票：{why}。什么也没有变，什么也没有用掉。",
        f"{en}: this post of seat {event.seat} was no vote: {said}. Nothing changed and nothing was used up.",
        *clauses,
    )
