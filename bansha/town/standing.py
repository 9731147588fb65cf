"""Where a player stands today by the figures of the ruleset: posts made and still needed, cards, last words left."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from bansha.town.table import Table
from bansha.town.words import COLOURS


@dataclass
class Quota:
    """Posts in today's discussion: `made`, how many are `short` of the rule, its clause and what the rule says (M7, G12)."""

    made: int
    short: int
    clause: str
    says: str


def quota(table: Table) -> Quota | None:
    """The posts a player owes today; none for others, by night, and once out."""
    me = table.me
    if me is None or not table.seat or table.public.phase != "day" or table.seat not in table.public.alive:
        return None
    rules = table.loaded.ruleset
    rule = rules.attendance
    if not rule.posts:
        return Quota(me.posts_today, 0, "", "")
    if table.public.sped_up and table.public.options.get("sped_up_spares") == "cards":
        return Quota(me.posts_today, 0, rule.posts_clause, _("今日加速，帖数不足不记牌。"))
    clause = rules.conduct.get(rule.posts_clause)
    card = COLOURS[clause.colours[0]] if clause is not None and len(clause.colours) == 1 else _("牌")
    says = _("不足 %(posts)s 帖记%(card)s（%(clause)s）。") % {"posts": rule.posts, "card": card, "clause": rule.posts_clause}
    return Quota(me.posts_today, max(0, rule.posts - me.posts_today), rule.posts_clause, says)


@dataclass
class Held:
    """Cards of one colour somebody has."""

    colour: str
    face: str
    count: int
    note: str


def cards(table: Table, seat: int) -> list[Held]:
    """The cards a seat has, as everybody knows."""
    rule = table.loaded.ruleset.cards
    notes = (
        _("满 %(n)s 张换一黄") % {"n": rule.blue_per_yellow},
        _("满 %(n)s 张换一红") % {"n": rule.yellow_per_red},
        "",
    )
    faces = (("blue", _("蓝")), ("yellow", _("黄")), ("red", _("红")))
    have = table.public.cards.get(seat, (0, 0, 0))
    return [Held(colour, face, n, note) for (colour, face), n, note in zip(faces, have, notes, strict=True) if n]


def last_words_left(table: Table) -> tuple[int, int]:
    """How many have last words on this board, and how many of these places nobody has taken yet (C11: a red card takes none)."""
    count = table.loaded.ruleset.last_words.count
    taken = sum(1 for seat in table.public.out if not table.public.cards.get(seat, (0, 0, 0))[2])
    return count, max(0, count - taken)
