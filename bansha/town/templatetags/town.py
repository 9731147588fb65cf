"""Windows, seats, clocks and room titles for templates (design/README: components)."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bansha.town import words
from bansha.town.memo import Memo
from bansha.town.table import Table

register = template.Library()


def room_name(room: str) -> str:
    """A room's title in the language of the page: talk-3 → 第三日讨论帖."""
    kind, _sep, number = room.partition("-")
    day = int(number) if number.isdigit() else 0
    if kind in ("talk", "ballot", "election"):
        titles = {"talk": _("第%(day)s日讨论帖"), "ballot": _("第%(day)s日放逐投票帖"), "election": _("第%(day)s日竞选帖")}
        return titles[kind] % {"day": words.numeral(day) if _("一") == "一" else day}
    others = {
        "process": _("进程帖"), "reveal": _("揭秘帖"), "hole": _("树洞"), "line": _("与导演的私信"), "log": _("导演帖"), "den": _("群"),
        "words": _("遗言"),
    }  # fmt: skip
    return others.get(kind, room)


_fixed: Memo[SafeString] = Memo(500)


@register.simple_tag
def fixed(name: str, **parts: Hashable) -> SafeString:
    """A part of a page that is made of what is handed in and the language alone, rendered once for these."""
    key = (name, get_language(), *parts.items())
    return _fixed.made(key, lambda: mark_safe(render_to_string(name, parts)))  # as its template escaped it


@register.simple_tag
def room_title(room: str) -> str:
    """A room's title."""
    return room_name(room)


@register.filter
def persona(table: Table, seat: int) -> str:
    """The name of a seat's persona."""
    return table.name(seat)


@register.simple_tag(takes_context=True)
def window(context: dict[str, Any], seat: int, size: str = "", out: bool | None = None) -> SafeString:
    """A persona's window: filled while in the game, hollow when out; mine is marked. `size`: s, l or nothing."""
    table: Table = context["table"]
    found = table.personas.get(seat)
    if found is None:
        return format_html('<span class="win {} out" aria-hidden="true"><b></b></span>', size)
    gone = (seat not in table.public.alive if table.begun else False) if out is None else out
    classes = " ".join(x for x in ("win", size, f"tone-{found.tone}", "me" if seat == table.seat else "", "out" if gone else "") if x)
    if getattr(found, "pictured", False):
        source = reverse("town:avatar", args=[table.game.pk, seat])
        return format_html('<span class="{}" aria-hidden="true"><img src="{}" alt="" width="96" height="96"></span>', classes, source)
    return format_html(
        '<span class="{}" aria-hidden="true"><svg><use href="#lat-{}"/></svg><b>{}</b></span>', classes, found.lattice, found.name[:1]
    )


@register.filter
def said(text: Any) -> str:
    """A text of a ruleset (zh, en) in the language of the page."""
    return str(text.en if (get_language() or "").startswith("en") else text.zh)


@register.filter
def left(seconds: int) -> str:
    """Seconds left as 2:13:40, under an hour 13:40 (without script the page says it as it was made)."""
    hours, rest = divmod(max(0, int(seconds)), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"


@register.simple_tag
def minute(value: int, seen_from: int | None = None) -> str:
    """A game minute as 21:00 in the game's zone, with its date when that is another day than `seen_from`."""
    return words.clock(value, seen_from)


@register.simple_tag(takes_context=True)
def game_date(context: dict[str, Any]) -> str:
    """The game's date now, with the day of the week."""
    at = datetime(1970, 1, 1) + timedelta(minutes=context["table"].minute)  # noqa: DTZ001 (game-local)
    days = (_("周一"), _("周二"), _("周三"), _("周四"), _("周五"), _("周六"), _("周日"))
    return _("%(month)s 月 %(day)s 日 %(weekday)s") % {"month": at.month, "day": at.day, "weekday": days[at.weekday()]}
