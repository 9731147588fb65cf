"""The old playbills: finished games, to look for by board, by result, by title or by who was in them."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.town.guards import anyone
from bansha.town.models import Game
from bansha.town.past import outcome, playbills, said

EACH = 10
"""Games on a page."""


def _finished() -> QuerySet[Game]:
    return Game.objects.filter(status="over", journal__isnull=False).order_by("-start", "-pk")


def _boards() -> list[tuple[str, str, int]]:
    """Boards that were played: id, name, games."""
    found = []
    for row in _finished().values("ruleset").annotate(n=Count("pk")).order_by("-n", "ruleset"):
        latest = _finished().filter(ruleset=row["ruleset"]).first()
        assert latest is not None and latest.journal is not None
        found.append((row["ruleset"], said(doors.ruleset(latest.journal).ruleset.name), row["n"]))
    return found


def _ended(games: QuerySet[Game], result: str) -> list[int]:
    """Those of the games that ended so: wolf, folk, third, or none."""
    rows = [(pk, journal) for pk, journal in games.values_list("pk", "journal") if journal is not None]
    heads = doors.heads([journal for _pk, journal in rows])
    kept = []
    for pk, journal in rows:
        end = outcome(journal, heads[journal])
        if (end.mark if end.winner else "none") == result:
            kept.append(pk)
    return kept


@anyone
def archive(request: HttpRequest) -> HttpResponse:
    """Finished games, the newest first. What is still in play is not looked at, whatever is searched for."""
    board, result, words = (request.GET.get(key, "").strip() for key in ("b", "w", "q"))
    games = _finished()
    if board:
        games = games.filter(ruleset=board)
    if words:
        people = Q(directings__account__username__iexact=words) | Q(tenures__account__username__iexact=words, tenures__kind="player")
        games = games.filter(pk__in=Game.objects.filter(Q(title__icontains=words) | people).values("pk"))
    results = [("wolf", _("狼人阵营胜")), ("folk", _("村民阵营胜")), ("third", _("其他胜")), ("none", _("不分胜负"))]
    if result in dict(results):
        games = games.filter(pk__in=_ended(games, result))
    page = Paginator(games, EACH).get_page(request.GET.get("p"))
    asked = request.GET.copy()
    asked.pop("p", None)
    context = {
        "rows": playbills(list(page.object_list)), "page": page, "boards": _boards(), "results": results, "board": board,
        "result": result, "words": words, "asked": asked.urlencode(), "total": _finished().count(),
    }  # fmt: skip
    return render(request, "town/archive.html", context)


urls = [path("archive/", archive, name="archive")]
