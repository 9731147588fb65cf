"""Dealing with what waits on the desk: proposed cards, flags, players' requests, wordings, duty. Each is done once, however many
directors press at the same moment; whoever comes second learns who it was."""

from __future__ import annotations

from typing import NamedTuple

from django.db import IntegrityError, transaction

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.referee.refusals import Refused
from bansha.sight.types import DirectorView
from bansha.town import acts
from bansha.town.models import Directing, LogLine, Request
from bansha.town.table import Table


class Disposed(NamedTuple):
    """How something was dealt with: by which director, dealt or dismissed, and whether by this very press."""

    director: int
    kind: str
    mine: bool


def full(table: Table) -> DirectorView:
    """Everything, as directors see it."""
    found = table.view.director
    assert found is not None
    return found


def waiting(table: Table, what: str, index: int) -> tuple[int, str, str]:
    """(seat, colour, clause) of a proposed card or a flag (which has no colour).

    Raises:
        Denied: there is none of this number.
    """
    shown = full(table)
    if what == "proposed" and 0 <= index < len(shown.proposed):
        _at, seat, colour, clause, _why = shown.proposed[index]
        return seat, colour, clause
    if what == "flagged" and 0 <= index < len(shown.flagged):
        _at, seat, clause, _words, _ref = shown.flagged[index]
        return seat, "", clause
    raise acts.Denied("没有这一项。", "There is no such item.")


def how(table: Table, about: str) -> Disposed | None:
    """How something has been dealt with, None while it waits."""
    found = LogLine.objects.filter(game=table.game, about=about).values_list("director", "kind").first()
    return Disposed(found[0], found[1], False) if found is not None else None


def deal(table: Table, what: str, index: int, colour: str = "") -> Disposed:
    """Deal a proposed card, or the card for a flag in this colour. Its key is the item's own, not the director's: one card,
    whoever presses and how often.

    Raises:
        Refused: the card is not legal (any more). Denied: no such item, no director.
    """
    seat, proposed, clause = waiting(table, what, index)
    about = f"{what} {index}"
    _need_director(table)
    before = how(table, about)
    if before is not None:
        return before

    def prepare(_seats: doors.Seats) -> c.Command:
        _dispose(table, "dealt", about, f"{seat} {proposed or colour} {clause}")
        return c.Card(seat, proposed or colour, clause)

    try:
        answer = acts.direct_once(table, prepare, about.replace(" ", "-"))
    except IntegrityError:
        return _known(table, about)
    return _known(table, about) if answer.again else Disposed(table.director, "dealt", True)


def dismiss(table: Table, what: str, index: int, clause: str, words: str) -> Disposed:
    """Dismiss a proposed card or a flag, with the clause that is applied.

    Raises:
        Denied: no such item, no such clause, no director.
    """
    seat, _colour, _own = waiting(table, what, index)
    _need_director(table)
    if clause not in table.loaded.ruleset.conduct:
        legal = "、".join(table.loaded.ruleset.conduct)
        raise acts.Denied(f"不发也要引一条条款：{legal}。", f"A dismissal cites a clause: {legal}.")
    about = f"{what} {index}"
    try:
        with transaction.atomic():
            _dispose(table, "dismissed", about, f"{seat} {clause} {words.strip()}".strip())
    except IntegrityError:
        return _known(table, about)
    return Disposed(table.director, "dismissed", True)


def _need_director(table: Table) -> None:
    if not table.directs:
        raise acts.Denied("只有本局导演可以。", "Only a director of this game can do this.")


def _known(table: Table, about: str) -> Disposed:
    found = how(table, about)
    assert found is not None
    return found


def _dispose(table: Table, kind: str, about: str, words: str) -> None:
    LogLine.objects.create(game=table.game, director=table.director, kind=kind, about=about, words=words, at=table.now)


def note(table: Table, kind: str, words: str) -> None:
    """A line of the directors' log."""
    LogLine.objects.create(game=table.game, director=table.director, kind=kind, words=words, at=table.now)


def note_once(table: Table, kind: str, about: str, words: str) -> None:
    """A line of the directors' log about something that is there once."""
    LogLine.objects.get_or_create(
        game=table.game, about=about, defaults={"director": table.director, "kind": kind, "words": words, "at": table.now}
    )


def vote_for(table: Table, request: Request) -> int:
    """Cast the vote a player asked for, by one press. Returns the director who did it, maybe an earlier one.

    Raises:
        Refused: the vote is not legal now. Denied: it names no vote of today.
    """
    ballot = acts.BALLOT_NUMBER.get(str(request.value.get("ballot", "exile")), -1)
    target = request.value.get("target")
    if ballot < 0 or not isinstance(target, int) or request.value.get("day", table.public.day) != table.public.day:
        raise acts.Denied(
            "这条请求没有写明今天投谁；请回信问清，或用“代投”。", "The request names no vote of today; ask, or enter a proxy vote."
        )
    try:
        acts.proxy(table, request.seat, ballot, target, f"request-{request.pk}")
    except Refused:
        if not _done_by(request):
            raise
    return _done_by(request)


def _done_by(request: Request) -> int:
    return int(Request.objects.values_list("done_by", flat=True).get(pk=request.pk))


def answer(table: Table, request: Request, words: str) -> int:
    """Answer a player's request in words. Returns the director who did it, maybe an earlier one.

    Raises:
        Denied: no words.
    """
    if not words.strip():
        raise acts.Denied("写一句答复再发：演员会在进程帖里看到。", "Write an answer: the player will read it.")
    _need_director(table)
    values = {"done_by": table.director, "done_at": table.now, "answer": words.strip()}
    with transaction.atomic():
        if Request.objects.filter(pk=request.pk, done_by=0).update(**values):
            note(table, "answered", f"{request.seat} {words.strip()}")
    return _done_by(request)


def off_duty(table: Table, words: str) -> None:
    """Go off duty with a handover note; an empty one comes back on duty. Both stand in the log."""
    words = words.strip()
    with transaction.atomic():
        Directing.objects.filter(game=table.game, number=table.director).update(off=words)
        note(table, "off" if words else "on", words)
