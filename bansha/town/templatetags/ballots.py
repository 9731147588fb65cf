"""Numbers of ballots and drawings for templates."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils.translation import gettext as _

from bansha.town.words import half

register = template.Library()


@register.filter
def halves(value: int | str) -> str:
    """Halves of votes as a number: 3 → 1.5, 4 → 2."""
    return half(int(value or 0))


@register.filter
def when(minute: int, now: int) -> str:
    """A game minute as 10:32, with the day of the month when that is not today's."""
    at = datetime(1970, 1, 1) + timedelta(minutes=int(minute))  # noqa: DTZ001 (game-local)
    clock = f"{at.hour}:{at.minute:02}"
    return clock if int(minute) // 1440 == int(now) // 1440 else _("%(day)s 日 %(clock)s") % {"day": at.day, "clock": clock}


@register.filter
def dot(value: float, more: float = 0) -> str:
    """A coordinate with a point, whatever the language; `more` is added."""
    return f"{float(value) + float(more):.1f}"


@register.filter
def anchor(x: float) -> str:
    """How words at a place of a drawing 300 wide are anchored, so that they stay inside."""
    return "start" if x < 90 else "end" if x > 210 else "middle"
