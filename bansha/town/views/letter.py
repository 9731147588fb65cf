"""My letter: role, what I was told, what I hold, and the forms that hand it in."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from bansha.referee.refusals import Refused
from bansha.town import acts
from bansha.town.guards import TownRequest, seated
from bansha.town.letters import Letter, choices_of, words_of
from bansha.town.models import Post
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.views.den import Entry, entries

LATEST = 12
"""Lines of den talk shown with the letter; the den's own page has all."""


@seated
@never_cache
def letter(request: TownRequest) -> HttpResponse:
    """Read it; hand a skill in, pass, answer a prompt or a proposal of surrender."""
    if request.method != "POST":
        return page(request)
    given = {int(x): request.POST.getlist(f"t{x}") for x in request.POST.getlist("skill") if x.isascii() and x.isdigit()}
    try:
        return _surrender(request) if "surrender" in request.POST else _hand_in(request, given)
    except (Refused, acts.Denied) as refusal:
        return page(request, acts.sentence(refusal), given)


def _hand_in(request: TownRequest, given: Mapping[int, Sequence[str]]) -> HttpResponse:
    table = request.table
    me = table.me
    assert me is not None
    only = request.POST.get("only", "")
    lists = {index: values for index, values in given.items() if not only or only == str(index)}
    choices = choices_of(request.POST, lists, me.skills)
    answer = acts.hand_in(table, choices, f"{request.POST.get('key', '')} {sorted(choices.items())}")
    if answer.again:
        messages.info(request, _("这张表单先前已经收下，没有再交一次。现在的内容见下。"))
        return redirect("town:letter", game=table.game.pk)
    ids = {view.index: view for view in me.skills}
    index = next(iter(choices))
    names = _("、").join(words_of(table).skill(ids[x].id) for x in choices if x in ids)
    given_up = choices[index] is None
    messages.success(request, (_("已收下：放弃%(skill)s。") if given_up else _("已收下：%(skill)s。")) % {"skill": names})
    anchor = f"#{ids[index].id}" if index in ids else ""
    return redirect(f"{request.path}{anchor}")


def _surrender(request: TownRequest) -> HttpResponse:
    answer = request.POST["surrender"]
    if answer not in ("propose", "agree", "decline"):
        raise acts.Denied("只能发起、同意或不同意。", "Propose, agree or decline.")
    acts.surrender(request.table, "" if answer == "propose" else answer, request.POST.get("key", ""))
    return redirect("town:letter", game=request.table.game.pk)


def page(request: TownRequest, error: str = "", given: Mapping[int, Sequence[str]] | None = None) -> HttpResponse:
    """The letter; with what was not taken, and why."""
    table = request.table
    made = Letter(table, given)
    slips = made.slips()
    wrong = [slip for slip in slips if error and slip.view.index in (given or {})]
    for slip in wrong[:1]:
        slip.refused = error
    asked = [slip for slip in slips if slip.view.state == "prompt" or slip.view.joint]
    shown = {
        "letter": made,
        "slips": [slip for slip in slips if slip not in asked],
        "asked": asked,
        "open": sum(slip.view.state in ("open", "prompt") and slip.form for slip in slips),
        "together": len(asked) > 1,
        "answers": made.writes,
        "error": "" if wrong else error,
        "log": made.log(),
        "talks": _talks(table),
        "hole": _hole(table),
        "key": secrets.token_hex(16),
    }
    return render(request, "town/dusk.html" if asked else "town/letter.html", shown, status=422 if error else 200)


def _talks(table: Table) -> list[tuple[int, int, list[Entry]]]:
    """The dens I talk in: number, members alive as everybody knows, the latest lines."""
    if table.seat == 0:
        return []
    alive = set(table.public.alive)
    mine = [den for den in table.rooms.dens if table.seat in den.members]
    return [(den.den, len(alive & set(den.members)), entries(table, den.den)[-LATEST:]) for den in mine]


def _hole(table: Table) -> Post | None:
    """My latest note in the tree hole."""
    return readable(table).filter(room=f"hole-{table.account.pk}").order_by("-floor").first() if table.account else None


urls = [
    path("g/<int:game>/letter/", letter, name="letter"),
]
