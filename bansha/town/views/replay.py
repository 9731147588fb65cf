"""The replay of a finished game: any moment as everything, the public, or a seat saw it; and what its script moves by."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from bansha.town.guards import TownRequest, revealed
from bansha.town.past import outcome
from bansha.town.past import said as in_words
from bansha.town.replaying import Replay, fates, replay, viewer_of
from bansha.town.table import Table

KEPT = "private, max-age=600"
"""A finished game does not change; what its pages say may, with the next release."""


@dataclass(frozen=True)
class Row:
    """A seat in the table, as it stands at the moment asked for; `fate`, `account`: how it ended and who it was (everything only)."""

    seat: int
    out: str
    role: str
    fac: str
    now: str
    card: str
    chief: str
    fate: str
    account: str


@dataclass(frozen=True)
class Way:
    """A point of view to choose."""

    value: str
    name: str
    chosen: bool


def _asked(request: TownRequest) -> Replay:
    """The replay an address asks for.

    Raises:
        Http404: there is no such seat.
    """
    table = request.table
    viewer = viewer_of(request.GET.get("as", ""), table.game.seats)
    if viewer is None:
        raise Http404
    return replay(table.game, viewer, table.look.head)


def _moment(request: TownRequest, found: Replay) -> int:
    """The moment an address asks for by an entry's number: the last one not after it; without a number the first."""
    text = request.GET.get("t", "")
    return found.index(int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@revealed
def page(request: TownRequest) -> HttpResponse:
    """A moment of a finished game."""
    table = request.table
    assert table.game.journal is not None
    found = _asked(request)
    t = _moment(request, found)
    span = found.span(t)
    flow = max((number for number, (first, _flows) in enumerate(found.flows) if first <= t), default=-1)
    end = outcome(table.game.journal, table.look.head)
    winner = end.rules.factions.get(end.winner)
    whole = found.viewer.kind == "director"
    context = {
        "replay": found,
        "t": t,
        "mark": found.marks[t],
        "marks": found.marks,
        "span": found.spans[span],
        "spans": [(one, found.marks[one.first].n, number == span) for number, one in enumerate(found.spans)],
        "before": found.marks[max(0, t - 1)].n,
        "after": found.marks[min(len(found.marks) - 1, t + 1)].n,
        "step": next((step for step in found.steps.get(span, []) if step.t == t), None),
        "steps": found.steps_html(span, t),
        "flows": found.flows_html(flow, t) if flow >= 0 else "",
        "written": found.written_html(span, t),
        "rows": list(_rows(table, found, t, whole)),
        "whole": whole,
        "me": found.values(t, "") if found.viewer.kind == "player" else None,
        "ways": _ways(table, found.asked),
        "data": reverse("town:replay_data", args=[table.game.pk]) + (f"?as={found.asked}" if found.asked else ""),
        "end": end,
        "winner": in_words(winner.name) if winner is not None else "",
    }
    return render(request, "town/replay.html", context)


def _rows(table: Table, found: Replay, t: int, whole: bool) -> list[Row]:
    ended = fates(table) if whole else {}
    rows = []
    for seat in found.seats:
        fate, account = ended.get(seat, (found.value(f"fate{seat}", t), ""))
        out, role, fac, now, card, chief = (str(found.value(f"{name}{seat}", t)) for name in ("out", "role", "fac", "now", "card", "chief"))
        rows.append(Row(seat, out, role, fac, now, card, chief, fate, account))
    return rows


def _ways(table: Table, asked: str) -> list[Way]:
    seats = [(str(seat), _("%(seat)s 号 %(name)s当时所见") % {"seat": seat, "name": table.name(seat)}) for seat in table.personas]
    return [Way(value, name, value == asked) for value, name in [("", _("全知")), ("public", _("路人当时所见")), *seats]]


@revealed
def data(request: TownRequest) -> HttpResponseBase:
    """Everything the slider moves by, for one point of view, as JSON."""
    found = _asked(request)
    response = _unchanged(request, found.etag) or HttpResponse(found.data, content_type="application/json; charset=utf-8")
    response["ETag"] = found.etag
    response["Cache-Control"] = KEPT
    return response


def _unchanged(request: HttpRequest, etag: str) -> HttpResponseBase | None:
    """The answer that nothing has changed, where the browser has it already."""
    return get_conditional_response(request, etag)


urls = [
    path("g/<int:game>/replay/", page, name="replay"),
    path("g/<int:game>/replay/data/", data, name="replay_data"),
]
