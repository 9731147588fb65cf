"""Whether the town is well, for proxies and whoever watches over it: short answers in JSON without secrets."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from django.conf import settings
from django.db import Error, close_old_connections
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache

from bansha.journal import doors
from bansha.journal.time import now
from bansha.site import identity
from bansha.town.guards import anyone

LATE = timedelta(minutes=1)
"""A clock writes down every ten seconds that it has looked."""


def database() -> Literal["ok", "gone", "older", "newer"]:
    """Whether the database answers and is of this code's version."""
    try:
        return identity.versions()
    except Error:
        close_old_connections()
        return "gone"


def clock() -> Literal["ok", "late", "never", "unwatched"]:
    """Whether a clock has looked lately; with BANSHA_OUTAGE=0 clocks leave no trace."""
    if not settings.OUTAGE_MINUTES:
        return "unwatched"
    last = doors.last_beat()
    return "never" if last is None else "ok" if abs(now() - last) <= LATE else "late"


@anyone
@never_cache
def pages(request: HttpRequest) -> JsonResponse:
    """200 while pages can be served from here, 503 while they cannot; how the clock is, beside."""
    found = database()
    well = found == "ok"
    said = {"status": "ok" if well else "unavailable", "database": found, "clock": clock() if well else "unknown"}
    return JsonResponse(said, status=200 if well else 503)


@anyone
@never_cache
def watch(request: HttpRequest) -> JsonResponse:
    """200 while a clock looks, 503 while none does."""
    found = clock() if database() == "ok" else "unknown"
    well = found in ("ok", "unwatched")
    return JsonResponse({"status": "ok" if well else "unavailable", "clock": found}, status=200 if well else 503)


urls = [
    path("health/", pages, name="health"),
    path("health/clock/", watch, name="health_clock"),
]
