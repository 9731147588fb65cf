"""What the desk's templates need: cards, names in the game's words, the game's clock."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from bansha.desk.wording import BALLOTS, COLOURS, SHORT, Wording
from bansha.town.words import clock

register = template.Library()


@register.simple_tag
def card(colour: str, many: int = 0) -> SafeString:
    """A card by its colour: with its name, or with how many there are."""
    return format_html('<span class="card {}"><i>{}</i>{}</span>', colour, SHORT[colour], many or COLOURS[colour])


@register.simple_tag
def desk_who(wording: Wording, seat: int) -> str:
    """A seat's number and name."""
    return wording.who(seat)


@register.simple_tag
def desk_skill(wording: Wording, skill: str) -> str:
    """A skill's name in brackets."""
    return f"【{wording.skill(skill)}】"


@register.simple_tag
def desk_proxy(wording: Wording, value: dict[str, Any]) -> str:
    """Which vote a player asks the directors to cast."""
    ballot = BALLOTS.get(str(value.get("ballot")), "")
    target = value.get("target")
    known = isinstance(target, int) and (target == 0 or target in wording.table.personas)
    return _("%(ballot)s投 %(target)s") % {"ballot": ballot, "target": wording.who(int(target or 0)) if known else "?"}


@register.filter
def game_clock(minute: int) -> str:
    """A game minute as 21:00."""
    return clock(minute)
