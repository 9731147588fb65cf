"""The directors' log: what directors did, cards, outs, visits and notes in one list, the newest first."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from bansha.desk.wording import ROUTINE, Wording
from bansha.journal import doors
from bansha.town.models import LogLine, Post
from bansha.town.table import Table
from bansha.town.words import clock


class Written(NamedTuple):
    """A line of the log: the real moment, the game's clock, who, what; `html` for a note in a director's own type."""

    at: datetime
    when: str
    who: str
    words: str
    html: str = ""


def chronicle(table: Table) -> list[Written]:
    """Every line, the newest first."""
    assert table.game.journal is not None
    wording = Wording(table)
    lines = [*_journal(table, wording), *_rows(table, wording), *_notes(table, wording)]
    return sorted(lines, key=lambda line: line.at)[::-1]


def _journal(table: Table, wording: Wording) -> list[Written]:
    assert table.game.journal is not None
    found = []
    for noted in doors.record(table.game.journal):
        hand = wording.hand(noted)
        for news in noted.news:
            if news.kind in ROUTINE and not hand:
                continue
            words = wording.line(news)
            if words:
                found.append(Written(noted.received, clock(news.at, table.minute), hand or _("裁判"), words))
    return found


def _rows(table: Table, wording: Wording) -> list[Written]:
    kinds = {
        "dealt": _("拟发的牌照发"),
        "dismissed": _("没有发"),
        "behalf": _("代办"),
        "card": _("发牌的理由"),
        "uncard": _("撤牌的理由"),
        "substitute": _("换演员"),
        "answered": _("答复座位"),
        "said": _("发帖"),
        "off": _("离岗"),
        "on": _("回岗"),
        "worded": _("公告放行"),
        "published": _("私信问答公布在进程帖，楼"),
    }
    found = []
    for row in LogLine.objects.filter(game=table.game):
        words = "：".join(part for part in (kinds.get(row.kind, ""), row.words) if part)
        who = wording.director(row.director) if row.director else _("镇上")
        found.append(Written(row.at, clock(table.pace.minute(row.at), table.minute), who, words))
    return found


def _notes(table: Table, wording: Wording) -> list[Written]:
    notes = Post.objects.filter(game=table.game, room="log").order_by("floor")
    return [Written(note.at, clock(note.minute, table.minute), wording.director(note.director), "", note.html) for note in notes]
