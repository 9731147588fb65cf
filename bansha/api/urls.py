"""The interface's addresses: its calls, each behind its guard, its document, and the pages about it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, re_path

from bansha.api import guard, pages
from bansha.api.calls import api, document
from bansha.town.guards import anyone

PREFIX = "api/v1/"
FACTS = {"token", "games", "game", "ruleset"}
"""Calls about what everybody may know."""
READS = {"stream"}
"""Calls that write nothing, though they are no GET."""
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@anyone
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document."""
    return guard.said(document())


@anyone
def nothing(request: HttpRequest) -> HttpResponse:
    """No such call."""
    return guard.nothing()


nothing.csrf_exempt = True  # type: ignore[attr-defined]  # it does nothing


def calls() -> Iterator[URLPattern]:
    """Every path of the interface once, behind its guard."""
    methods = {route: frozenset(method.upper() for method in by) for route, by in api.get_openapi_schema(path_prefix="")["paths"].items()}
    done = set()
    for pattern in api.urls[0]:
        assert isinstance(pattern, URLPattern) and pattern.name is not None
        route = str(pattern.pattern)
        taken = methods.get("/" + PARAMETER.sub(r"{\1}", route))
        if taken is not None and route not in done:
            done.add(route)
            view = guard.guarded(pattern.callback, taken, pattern.name in FACTS, pattern.name in READS)
            yield path(PREFIX + route, view, name=pattern.name)


app_name = "api"
urlpatterns = [
    *calls(),
    path(f"{PREFIX}openapi.json", openapi, name="openapi"),
    re_path("^api/", nothing, name="nothing"),
    *pages.urls,
]
