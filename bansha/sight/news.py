"""What happened, as plain values for those who react to it: threads, announcement posts, receipts, notices.

Each piece says whom it may be shown to: everybody (`seats` empty and `public`), some seats, or the directors alone.
Values name seats by number and everything else by its id or Chinese name, as views do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from bansha.referee import events as e
from bansha.referee.board import BALLOTS
from bansha.referee.state import State


class News(msgspec.Struct, frozen=True):
    """One thing that happened. `at`: game minute. `kind` and `value`:

    game_opened {setup_ends}; dealt; setup_ended; day {day, closes_at, extended, ballots}; closed {day};
    moved {closes_at, sped_up, why}; announced {kind, value}; counted {ballot, tally, top}; ended {faction, why};
    post {seat, thread, ref}; vote {seat, ballot, target, ref}; change (the same);
    vote_refused {seat, ballot, ref, code, target}; vote_voided {seat, ballot, why};
    vote_undone {seat, ballot, target, ref}: what is in force again (target -1: none); signed {seat, kind};
    passed {kind}; card {seat, colour, clause}; card_withdrawn (the same); told {skill, value, corrects}; told_out; prompt {skill, until};
    answered {seat, skill, target, silent}: a prompt (target -1: passed, 0: yes);
    den {den}: this seat joined it; stage {stage}: a stage of the night has closed; twilight {dawn}; substituted {seat};
    proposed {seat, colour, clause, why}; flagged {seat, clause, words, ref}; acted {act, value, reason};
    last_words {seat}; paused; resumed.

    For a holder (a seat, or the members of a pack, those out included): submitted {holder, skill, targets, by, den}: targets
    None for a pass, `den` the pack's, -1 for a seat's own; withdrawn, stopped, lapsed {holder, skill, code}.

    For the directors alone: out {seat, cause}; drawn {label, options, chosen}; undone; assistant {seat}.
    """

    at: int
    kind: str
    value: dict[str, Any]
    public: bool = False
    seats: tuple[int, ...] = ()


def news(state: State, at: int, events: Sequence[e.Event]) -> list[News]:
    """The news of one entry; `state` is the state after it (only what does not change any more is read from it)."""
    return list(_news(state, at, events))


def _news(s: State, at: int, events: Sequence[e.Event]) -> Iterator[News]:
    board = s.board
    for event in events:
        match event:
            case e.GameOpened():
                yield News(at, "game_opened", {"setup_ends": event.setup_ends}, True)
            case e.Dealt():
                yield News(at, "dealt", {"roles": len(event.roles)}, True)
            case e.SetupEnded():
                yield News(at, "setup_ended", {"night": event.night}, True)
                for den, members in enumerate(s.dens):
                    yield News(at, "den", {"den": den}, seats=tuple(s.seats(members)))
            case e.Joined():
                if event.den and event.faction in s.den_of:
                    yield News(at, "den", {"den": s.den_of[event.faction]}, seats=(event.seat,))
            case e.DenJoined():
                yield News(at, "den", {"den": event.den}, seats=(event.seat,))
            case e.DayOpened():
                ballots = [BALLOTS[b] for b in sorted(s.ballots)]
                value = {"day": event.day, "closes_at": event.closes_at, "extended": event.extended, "ballots": ballots}
                yield News(at, "day", value, True)
            case e.DayClosed():
                yield News(at, "closed", {"day": event.day}, True)
            case e.DayMoved():
                yield News(at, "moved", {"closes_at": event.closes_at, "sped_up": event.sped_up, "why": event.why}, True)
            case e.Announced():
                yield News(at, "announced", {"kind": event.kind, "value": event.value}, True)
            case e.Counted():
                yield News(at, "counted", {"ballot": BALLOTS[event.ballot], "tally": event.tally, "top": event.top}, True)
            case e.GameEnded():
                faction = board.faction_ids[event.faction] if event.faction >= 0 else ""
                yield News(at, "ended", {"faction": faction, "why": event.why}, True)
            case e.PostMade():
                yield News(at, "post", {"seat": event.seat, "thread": event.thread, "ref": event.ref}, True)
            case e.VoteCast() | e.VoteChanged():
                value = {"seat": event.seat, "ballot": BALLOTS[event.ballot], "target": event.target, "ref": event.ref}
                yield News(at, "vote" if isinstance(event, e.VoteCast) else "change", value, True)
            case e.VoteRefused():
                value = {
                    "seat": event.seat, "ballot": BALLOTS[event.ballot], "ref": event.ref, "code": event.code, "target": event.target,
                }  # fmt: skip
                yield News(at, "vote_refused", value, seats=(event.seat,))
            case e.VoteVoided():
                yield News(at, "vote_voided", {"seat": event.seat, "ballot": BALLOTS[event.ballot], "why": event.why}, seats=(event.seat,))
            case e.Signed():
                yield News(at, "signed", {"seat": event.seat, "kind": event.kind}, True)
            case e.PetitionPassed():
                yield News(at, "passed", {"kind": event.kind}, True)
            case e.CardDealt() | e.CardWithdrawn():
                kind = "card" if isinstance(event, e.CardDealt) else "card_withdrawn"
                yield News(at, kind, {"seat": event.seat, "colour": event.colour, "clause": event.clause}, True)
            case e.CardProposed():
                yield News(at, "proposed", {"seat": event.seat, "colour": event.colour, "clause": event.clause, "why": event.why})
            case e.Flagged():
                yield News(at, "flagged", {"seat": event.seat, "clause": event.clause, "words": event.words, "ref": event.ref})
            case e.DirectorActed():
                yield News(at, "acted", {"act": event.act, "value": event.value, "reason": event.reason})
            case e.Told():
                value = {"skill": board.skill_ids[event.skill], "value": event.value, "corrects": event.corrects}
                yield News(at, "told", value, seats=(event.seat,))
            case e.ToldOut():
                yield News(at, "told_out", {}, seats=tuple(event.seats))
            case e.PromptOpened():
                yield News(at, "prompt", {"skill": board.skill_ids[event.skill], "until": event.until}, seats=(event.seat,))
            case e.PromptAnswered():
                value = {"seat": event.seat, "skill": board.skill_ids[event.skill], "target": event.target, "silent": event.silent}
                yield News(at, "answered", value, seats=(event.seat,))
            case e.LastWordsHanded():
                yield News(at, "last_words", {"seat": event.seat}, seats=(event.seat,))
            case e.StageClosed():
                yield News(at, "stage", {"stage": event.stage})
            case e.TwilightEnded():
                yield News(at, "twilight", {"dawn": event.dawn})
            case e.Substituted():
                yield News(at, "substituted", {"seat": event.seat})
            case e.Submitted():
                den = s.den_of[board.packs[event.holder - s.n - 1]] if event.holder > s.n else -1
                value = {
                    "holder": event.holder, "skill": board.skill_ids[event.skill], "targets": event.targets, "by": event.by, "den": den,
                }  # fmt: skip
                yield News(at, "submitted", value, seats=_members(s, event.holder))
            case e.Withdrawn() | e.Stopped() | e.Lapsed():
                value = {"holder": event.holder, "skill": board.skill_ids[event.skill], "code": getattr(event, "code", "")}
                kind = {e.Withdrawn: "withdrawn", e.Stopped: "stopped"}.get(type(event), "lapsed")
                yield News(at, kind, value, seats=_members(s, event.holder))
            case e.AssistantGiven():
                yield News(at, "assistant", {"seat": event.seat})
            case e.Out():
                yield News(at, "out", {"seat": event.seat, "cause": event.cause})
            case e.Drawn():
                yield News(at, "drawn", {"label": event.label, "options": event.options, "chosen": event.chosen})
            case e.Undone():
                yield News(at, "undone", {})
                for what, *record in event.records:
                    if what == "vote":
                        value = {"seat": record[1], "ballot": BALLOTS[record[0]], "target": record[2], "ref": record[3]}
                        yield News(at, "vote_undone", value, seats=(record[1],))
            case e.Paused():
                yield News(at, "paused", {}, True)
            case e.Resumed():
                yield News(at, "resumed", {}, True)


def _members(s: State, holder: int) -> tuple[int, ...]:
    return tuple(s.seats(s.members(holder)))
