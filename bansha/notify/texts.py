"""What a notice says. Never a hidden fact: neither a role, a persona, a seat nor an account, and of what waits for one seat
alone (a prompt, a window, den talk, a letter, a card, a quote) not even which of these it is, for whoever reads over a
shoulder, and for every mail server on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from bansha.notify.kinds import BY_ID
from bansha.town.progress import count


class Words(NamedTuple):
    """A message: its subject (a title in push) and its lines."""

    subject: str
    lines: list[str]


def line(kind: str, title: str, day: int) -> str:
    """One notice as a sentence. `title`: of the game; `day`: the game's day, as everybody knows it."""
    whom = BY_ID[kind].whom
    title = " ".join(title.split())
    if whom == "own":
        return _("《%(title)s》有事等你。") % {"title": title}
    if whom == "desk":
        return _("《%(title)s》的导演台有事等你。") % {"title": title}
    said = {
        "opened": _("《%(title)s》第%(day)s日开门了。") if day else _("《%(title)s》开局了。"),
        "closing": _("《%(title)s》快关门了。"),
        "announcement": _("《%(title)s》有新公告。"),
        "ended": _("《%(title)s》散场了。"),
    }
    return said[kind] % {"title": title, "day": count(day)}


def message(lines: Sequence[str]) -> Words:
    """Several notices in one: the same sentence once."""
    once = list(dict.fromkeys(lines))
    return Words(once[0].rstrip("。.") if len(once) == 1 else _("%(n)s 件事等你看") % {"n": len(once)}, once)
