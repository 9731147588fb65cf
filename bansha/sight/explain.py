"""Why did it come out so? Traces in the words of the rules, clause by clause, from what the asker may know (V8).

    explain(entries, board, Viewer("director"), WhyOut(5))

A line says one step and cites the clauses it rests on (ids of `bansha.rulesets.sheet.clause_ids`). Everything is said
from the records the asker has witnessed (`bansha.sight.witness`); what those do not hold cannot slip into a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from bansha.referee.board import Board
from bansha.referee.game import Entry
from bansha.sight import why_card, why_end, why_out, why_told, why_vote
from bansha.sight.teller import Line, Teller
from bansha.sight.types import Viewer
from bansha.sight.witness import witness

# --- questions ----------------------------------------------------------------------------------------------------


class WhyOut(msgspec.Struct, frozen=True, tag="out"):
    """Why is this seat out?"""

    seat: int


class WhyTold(msgspec.Struct, frozen=True, tag="told"):
    """Why did a private answer to this seat say so? `night` -1: any; `skill` "": any."""

    seat: int
    night: int = -1
    skill: str = ""


class WhyVote(msgspec.Struct, frozen=True, tag="vote"):
    """What became of a vote of this seat? `ref` 0: the latest; `day` 0: the latest."""

    seat: int
    ballot: str = "exile"
    ref: int = 0
    day: int = 0


class WhyEnd(msgspec.Struct, frozen=True, tag="end"):
    """Why did the game end?"""


class WhyCard(msgspec.Struct, frozen=True, tag="card"):
    """Why was a card proposed for this seat? `clause` "": any."""

    seat: int
    clause: str = ""


Question = WhyOut | WhyTold | WhyVote | WhyEnd | WhyCard


def explain(entries: Iterable[Entry], board: Board, viewer: Viewer, question: Question) -> list[Line]:
    """The trace that answers `question`, in order; at least one line.

    Raises:
        ValueError: a seat that does not exist.
    """
    seen = witness(entries, board, viewer)
    seat = getattr(question, "seat", 1)
    if seen.n and not 1 <= seat <= seen.n:
        raise ValueError(f"no seat {seat}; seats are 1 to {seen.n}")
    teller = Teller(seen)
    match question:
        case WhyOut():
            why_out.out(teller, question.seat)
        case WhyTold():
            why_told.told(teller, question.seat, question.night, question.skill)
        case WhyVote():
            why_vote.vote(teller, question.seat, question.ballot, question.ref, question.day)
        case WhyEnd():
            why_end.end(teller)
        case WhyCard():
            why_card.card(teller, question.seat, question.clause)
    return teller.lines


def lines_in(lines: Iterable[Line], lang: str = "zh") -> Iterator[str]:
    """The sentences of a trace in one language, each with its clauses in brackets."""
    for line in lines:
        yield line.text.get(lang) + (f" [{', '.join(line.clauses)}]" if line.clauses else "")


__all__ = ["Line", "Question", "WhyCard", "WhyEnd", "WhyOut", "WhyTold", "WhyVote", "explain", "lines_in"]
