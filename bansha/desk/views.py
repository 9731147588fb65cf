"""The desk's pages: the one screen, a seat, explanations, the log, announcements to copy, and everything a director does."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from bansha.desk import disposal, forms
from bansha.desk.chronicle import chronicle
from bansha.desk.glance import Glance
from bansha.desk.wording import BALLOTS, Wording, language
from bansha.journal import doors
from bansha.referee.refusals import Refused
from bansha.sight.explain import Question, WhyCard, WhyEnd, WhyOut, WhyTold, WhyVote
from bansha.sight.types import DIRECTOR, Viewer
from bansha.town import acts
from bansha.town.floors import NOWHERE
from bansha.town.guards import TownRequest, at_desk, at_log, conducting
from bansha.town.models import Post, Request
from bansha.town.table import Table

VIEWS = ("night", "votes", "people")
PAGE = 60
CITED = re.compile(r"^(?P<words>.*?)(?: \[(?P<clauses>[^\[\]]+)\])?$", re.DOTALL)
WAITING = ("proposed", "flagged")


def _journal(table: Table) -> int:
    assert table.game.journal is not None
    return table.game.journal


def _key() -> str:
    return secrets.token_hex(16)


# --- what is shown ----------------------------------------------------------------------------------------------------


def screen(request: TownRequest, error: str = "", at: str = "", typed: dict[str, Any] | None = None) -> HttpResponse:
    """The one screen; with what was refused, where, and what had been typed there."""
    table = request.table
    glance = Glance(table)
    view = request.GET.get("view", "")
    proposals, flags, requests, held = glance.proposals(), glance.flags(), glance.requests(), glance.held()
    missing = glance.missing()
    shown = {
        "glance": glance,
        "wording": glance.wording,
        "full": glance.full,
        "view": view if view in VIEWS else ("votes" if table.public.phase == "day" else "night"),
        "left": table.left(glance.full.due) if glance.full.due else 0,
        "due": glance.full.due,
        "timeline": glance.timeline(),
        "submissions": glance.submissions(),
        "missing": missing,
        "proposals": proposals,
        "flags": flags,
        "clauses": list(glance.rules.conduct),
        "requests": requests,
        "held": held,
        "count": len(proposals) + len(flags) + len(requests) + len(held) + len(glance.full.prompts),
        "seats": glance.seats(),
        "announcement": glance.announcement(),
        "outcome": glance.outcome(),
        "drawn": glance.drawn(),
        "visits": glance.visits(),
        "duty": glance.duty(),
        "lines": glance.lines(),
        "groups": _groups(table),
        "still": doors.still_until(_journal(table), table.now),
        "moved": doors.moved(table.now),
        "error": error,
        "at": at,
        "typed": typed or {},
        "key": _key(),
    }
    return render(request, "desk/desk.html", shown, status=422 if error else 200)


def _groups(table: Table) -> list[tuple[str, list[tuple[str, forms.Act]]]]:
    """The acts by group; of pausing and going on the one that can be done."""
    skipped = "pause" if table.public.paused else "resume"
    return [
        (str(title), [(name, act) for name, act in forms.ACTS.items() if act.group == group and name != skipped])
        for group, title in forms.GROUPS.items()
    ]


@at_desk
def desk(request: TownRequest) -> HttpResponse:
    """What is going on, what is next, who is missing."""
    return screen(request)


@at_desk
def seat(request: TownRequest, seat: int) -> HttpResponse:
    """One seat: its truth, what it was told, and everything that can be asked or done about it."""
    table = request.table
    glance = Glance(table)
    if seat not in table.personas:
        raise Http404
    truth = glance.full.seats[seat - 1]
    me = doors.see(_journal(table), Viewer("player", seat), now=table.minute).view.me
    assert me is not None
    told = [(answer, glance.wording.skill(answer.skill), glance.wording.value(answer.value)) for answer in me.told]
    ballots = [(name, str(words)) for name, words in BALLOTS.items()]
    shown = {
        "glance": glance, "wording": glance.wording, "seat": seat, "row": glance.seat(truth), "truth": truth, "told": told, "me": me,
        "ballots": ballots, "groups": _groups(table),
    }  # fmt: skip
    return render(request, "desk/seat.html", shown)


class Step(NamedTuple):
    """A step of an explanation: its sentence, the clauses it rests on, and the texts of those it is the first to cite."""

    words: str
    clauses: list[str]
    cited: list[tuple[str, str]]


def steps(lines: list[str], wording: Wording) -> list[Step]:
    """Explanations come as sentences with clause ids in brackets at their end."""
    known: set[str] = set()
    found = []
    for line in lines:
        match = CITED.match(line)
        assert match is not None
        clauses = match["clauses"].split(", ") if match["clauses"] else []
        fresh = [(id, wording.clause_text(id)) for id in dict.fromkeys(clauses) if id not in known]
        known.update(clauses)
        found.append(Step(match["words"], clauses, fresh))
    return found


def _question(table: Table, data: Any) -> tuple[Question, str] | None:
    """What an address asks, and its title; None when it asks nothing that can be answered."""

    def who(name: str) -> int:
        text = data.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and int(text) in table.personas else 0

    wording = Wording(table)
    if who("out"):
        return WhyOut(who("out")), _("%(who)s为何出局") % {"who": wording.who(who("out"))}
    if who("told"):
        skill, night = data.get("skill", ""), data.get("night", "")
        if skill and skill not in table.loaded.ruleset.skills:
            return None
        title = _("%(who)s的【%(skill)s】") if skill else _("%(who)s得到的回音")
        asked = WhyTold(who("told"), int(night) if night.isascii() and night.isdigit() else -1, skill)
        return asked, title % {"who": wording.who(who("told")), "skill": wording.skill(skill)}
    if who("vote"):
        ballot = "election" if data.get("ballot") == "election" else "exile"
        return WhyVote(who("vote"), ballot), _("%(who)s的票") % {"who": wording.who(who("vote"))}
    if who("card"):
        return WhyCard(who("card"), data.get("clause", "")), _("%(who)s的牌") % {"who": wording.who(who("card"))}
    if data.get("end"):
        return WhyEnd(), _("本局为何结束")
    return None


@at_desk
def why(request: TownRequest) -> HttpResponse:
    """Why did it come out so: ?out=5, ?told=3&skill=check, ?vote=4&ballot=exile, ?card=2&clause=…, ?end=1; with ahead=1 why
    it would, if it settled now."""
    table = request.table
    asked = _question(table, request.GET)
    if asked is None:
        raise Http404
    question, title = asked
    ahead = request.GET.get("ahead") == "1"
    journal = _journal(table)
    lines = doors.why_if(journal, question, language()) if ahead else doors.why(journal, DIRECTOR, question, language())
    shown = {"title": title, "steps": steps(lines, Wording(table)), "ahead": ahead}
    return render(request, "desk/why.html", shown)


@at_log
def log(request: TownRequest) -> HttpResponse:
    """The directors' log, after the end everybody's to read; directors add notes."""
    table = request.table
    error, body = "", ""
    if request.method == "POST":
        if not table.directs:
            raise Http404
        body = request.POST.get("body", "")
        try:
            acts.whisper(table, "log", body, request.POST.get("key", ""))
            return redirect("desk:log", table.game.pk)
        except acts.Denied as refusal:
            error = acts.sentence(refusal)
    pages = Paginator(chronicle(table), PAGE)
    shown = {"page": pages.get_page(request.GET.get("page")), "error": error, "body": body, "key": _key()}
    return render(request, "desk/log.html", shown, status=422 if error else 200)


@at_desk
def copy(request: TownRequest) -> HttpResponse:
    """Every announcement as Discuz! BBCode, to copy."""
    table = request.table
    posts = Post.objects.filter(game=table.game, voice__in=("referee", "director")).exclude(body="").exclude(room__startswith="line-")
    posts = posts.exclude(room__in=("log", *NOWHERE)).exclude(room__startswith="den-").order_by("-at", "-pk")
    pages = Paginator(posts, 20)
    return render(request, "desk/copy.html", {"page": pages.get_page(request.GET.get("page"))})


# --- what is done -----------------------------------------------------------------------------------------------------


@conducting
def act(request: TownRequest, name: str) -> HttpResponse:
    """One act: its form, or its doing."""
    table = request.table
    found = forms.ACTS.get(name)
    if found is None:
        raise Http404
    error = ""
    typed = forms.typed_in(found, request.POST if request.method == "POST" else request.GET)
    if request.method == "POST":
        try:
            if found.final and not request.POST.get("sure"):
                raise acts.Denied(
                    "这一步不能撤销：勾上“我知道”再做。没有做任何事。", "This cannot be undone: tick the box. Nothing was done."
                )
            found.do(table, typed, request.POST.get("key", ""))
            messages.success(request, _("已做：%(act)s。") % {"act": found.title})
            return redirect("desk:desk", table.game.pk)
        except (Refused, acts.Denied) as refusal:
            error = acts.sentence(refusal)
            table = request.table = Table(table.game, table.account, table.now)
    wording = Wording(table)
    shown = {
        "name": name, "act": found, "fields": forms.shown(table, wording, found, typed), "error": error, "key": _key(), "wording": wording,
        "full": wording.full,
    }  # fmt: skip
    return render(request, "desk/act.html", shown, status=422 if error else 200)


def _press(request: TownRequest, at: str, do: Callable[[], str]) -> HttpResponse:
    """One press on the screen: done and told, or the screen again with what was refused."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        messages.success(request, do())
    except (Refused, acts.Denied) as refusal:
        request.table = Table(request.table.game, request.table.account, request.table.now)
        return screen(request, acts.sentence(refusal), at, request.POST.dict())
    return redirect("desk:desk", request.table.game.pk)


def _said(table: Table, done: disposal.Disposed, mine: str) -> str:
    """What to say after a press: what it did, or who had done it before."""
    if done.mine:
        return mine
    how = _("发了牌") if done.kind == "dealt" else _("没有发")
    return _("已由%(director)s处理：%(how)s。") % {"director": Wording(table).director(done.director), "how": how}


def _known(what: str) -> None:
    if what not in WAITING:
        raise Http404


@conducting
def deal(request: TownRequest, what: str, index: int) -> HttpResponse:
    """Deal a proposed card, or the card for a flag."""
    _known(what)
    colour = request.POST.get("colour", "")
    return _press(
        request, f"{what}-{index}", lambda: _said(request.table, disposal.deal(request.table, what, index, colour), _("牌已发出。"))
    )


@conducting
def dismiss(request: TownRequest, what: str, index: int) -> HttpResponse:
    """Dismiss a proposed card or a flag, with a clause."""
    _known(what)
    clause, words = request.POST.get("clause", ""), request.POST.get("words", "")
    return _press(
        request, f"{what}-{index}",
        lambda: _said(request.table, disposal.dismiss(request.table, what, index, clause, words), _("记下：不发。")),
    )  # fmt: skip


def _asked(table: Table, request_id: int) -> Request:
    return get_object_or_404(Request, game=table.game, pk=request_id)


def _done_by(table: Table, director: int, mine: str) -> str:
    if director == table.director:
        return mine
    return _("已由%(director)s处理。") % {"director": Wording(table).director(director)}


@conducting
def request_vote(request: TownRequest, request_id: int) -> HttpResponse:
    """Cast the vote a player asked for."""
    table, asked = request.table, _asked(request.table, request_id)
    return _press(request, f"request-{request_id}", lambda: _done_by(table, disposal.vote_for(table, asked), _("已代投。")))


@conducting
def request_answer(request: TownRequest, request_id: int) -> HttpResponse:
    """Answer a player's request."""
    table, asked, words = request.table, _asked(request.table, request_id), request.POST.get("words", "")
    return _press(request, f"request-{request_id}", lambda: _done_by(table, disposal.answer(table, asked, words), _("已答复。")))


@conducting
def wording(request: TownRequest, room: str, floor: int) -> HttpResponse:
    """Let an announcement out, as it stands or reworded."""
    table = request.table
    post = Post.objects.filter(game=table.game, room=room, floor=floor, voice="referee").first()

    def do() -> str:
        if post is None:
            raise acts.Denied("这条公告已经公开，不能再改。", "This announcement is public already.")
        acts.release(table, post, request.POST.get("body", ""))
        return _("公告已放行。")

    return _press(request, f"wording-{room}-{floor}", do)
