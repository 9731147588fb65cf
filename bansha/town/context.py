"""What every page is given: who looks, at which game, and the sky (theme and phase)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from bansha.journal import time
from bansha.town import tickets
from bansha.town.progress import progress, tabs
from bansha.town.table import Table

THEMES = ("auto", "light", "dark")


def page(request: HttpRequest) -> dict[str, Any]:
    """`table` (a game's page) with its `progress` panel and `tabs`, `phase` day or night for the sky, `theme`: auto, light,
    dark."""
    table: Table | None = getattr(request, "table", None)
    if table is not None and table.begun:
        phase = "day" if table.public.phase == "day" else "night"
    else:
        hour = timezone.localtime(time.now()).hour
        phase = "day" if 9 <= hour < 21 else "night"
    theme = request.COOKIES.get("sky", "auto")
    return {
        "table": table,
        "phase": phase,
        "theme": theme if theme in THEMES else "auto",
        "progress": progress(table) if table is not None and table.begun else None,
        "tabs": tuple(tabs(table, request.path)) if table is not None else (),
        "stream_url": stream_url(request, table) if table is not None and table.begun else "",
    }


def stream_url(request: HttpRequest, table: Table) -> str:
    """Where this page's live stream is, with its ticket: of the page's room where it has one."""
    found = request.resolver_match
    name, kwargs = (found.url_name, found.kwargs) if found is not None else ("", {})
    room: str
    match name:
        case "hole" | "process":
            room = name
        case "den":
            room = f"den-{kwargs['den']}"
        case "line" | "line_of":
            room = f"line-{kwargs.get('seat', table.seat)}"
        case _:
            room = str(kwargs.get("room", ""))
    return tickets.address(table, room)
