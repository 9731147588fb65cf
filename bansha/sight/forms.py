"""What a form says beside a view: petitions as they stand, a seat's last words, why a post is no vote. Facts a viewer may know."""

from __future__ import annotations

from typing import NamedTuple

from bansha.referee.commands import Sign
from bansha.referee.day import moved_close, quorum, signed_until
from bansha.referee.dealing import Dice
from bansha.referee.judge import decide, due
from bansha.referee.reading import Reading, explain_fault
from bansha.referee.refusals import Refused, clock
from bansha.referee.state import DAY, State
from bansha.sight.view import has_last_words, last_words_due


class Petition(NamedTuple):
    """A petition as it stands (C21): the signatures it needs, the close it would lead to (0: none), until when it is signed, and
    why this seat may not sign now (None: it may)."""

    kind: str
    signed: list[int]
    quorum: int
    living: int
    close: int
    until: int
    passed: bool
    refusal: Refused | None


def petitions(s: State, seat: int, minute: int) -> list[Petition]:
    """The petitions of a game at a game minute, and whether this seat (0: nobody's) may sign them. Where the clock is late they
    are as before what is overdue."""
    found = []
    judged = min(minute, due(s) - 1)
    living = s.public_alive.bit_count()
    for kind in s.board.rules.petitions.kinds:
        refusal = None
        if seat:
            try:
                decide(s.copy(), Sign(seat, kind), judged, Dice.from_seed(0))
            except Refused as error:
                refusal = error
        by_day = s.phase == DAY
        signed = list(s.seats(s.sig.get(kind, 0))) if by_day else []
        close = moved_close(s, kind, minute) if by_day else 0
        until = signed_until(s, kind, minute)
        found.append(Petition(kind, signed, quorum(s, living), living, close, until, kind in s.passed_kinds, refusal))
    return found


class Farewell(NamedTuple):
    """A seat's last words (C11). `entitled`: it has some; `place`: its place among those who have (0 until it is publicly out:
    the place would tell who else went that night); how many places there are; until when they may be handed in or replaced
    (0: no more); whether some were handed in."""

    entitled: bool
    place: int
    places: int
    until: int
    given: bool


def farewell(s: State, seat: int, minute: int) -> Farewell:
    """A seat's last words, as far as it has been told that it is out."""
    places = s.board.rules.last_words.count
    if not seat or not has_last_words(s, seat):
        return Farewell(False, 0, places, 0, False)
    until = last_words_due(s, seat)
    place = 0 if s.public_alive >> seat & 1 else s.entitled().index(seat) + 1
    return Farewell(True, place, places, until if until > minute else 0, seat in s.last_given)


def vote_refusal(s: State, seat: int, code: str, target: str, lang: str = "zh") -> str:
    """Why a post in a ballot thread is no vote, as a sentence that names what would be one. `target`: the name as written, or
    the fault of the form (`vote_refused` news)."""
    rules = s.board.rules.ballots
    alive = s.seats(s.public_alive)
    facts: dict[str, object] = {"seat": seat, "n": s.n, "target": target, "legal": "、".join(s.personas[x] for x in alive)}
    match code:
        case "bad_format":
            facts["what"] = explain_fault(Reading(fault=target), lang)
        case "vote_out" | "vote_barred" if target in s.personas[1:]:
            facts["target"] = s.personas.index(target, 1)
        case "changed":
            facts["legal"] = rules.changes
        case "freeze":
            facts["limit"] = clock(s.closes_at - rules.freeze_minutes)
        case "no_voting_right":
            facts["skill"] = next((k.zh for k in s.board.skills if k.raw.ends_vote), "")
    return Refused(code, **facts).sentence(lang)
