"""Cards of a finished game, and appeals against them: a player asks the town's managers, who uphold a card or lift it
(rules.md §5). A card that is lifted stays in the record, with what was said of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.sight.types import DIRECTOR
from bansha.town.acts import Denied
from bansha.town.models import Account, Appeal, Directing, Game, Tenure
from bansha.town.table import Table

LONGEST = 2000
JUDGED = 20
"""Judged appeals on the managers' page."""


@dataclass
class Dealt:
    """A card as everybody saw it dealt: its number in the game from 1, whose, colour, clause, the game minute; whether a
    director withdrew it; the appeal against it, and whether the viewer may make one."""

    card: int
    seat: int
    colour: str
    clause: str
    minute: int
    withdrawn: bool = False
    appeal: Appeal | None = None
    may_appeal: bool = False

    @property
    def at(self) -> str:
        """Its place on the page."""
        return f"card-{self.card}"

    @property
    def face(self) -> str:
        """The colour in a character."""
        return {"blue": _("蓝"), "yellow": _("黄"), "red": _("红")}[self.colour]

    @property
    def colour_name(self) -> str:
        """The colour in words."""
        return {"blue": _("蓝牌"), "yellow": _("黄牌"), "red": _("红牌")}[self.colour]


def dealt(game: Game) -> list[Dealt]:
    """Every card of a game, in order."""
    assert game.journal is not None
    found: list[Dealt] = []
    for news in doors.heard(game.journal, DIRECTOR):
        value = news.value
        if news.kind == "card":
            found.append(Dealt(len(found) + 1, value["seat"], value["colour"], value["clause"], news.at))
        elif news.kind == "card_withdrawn":
            same = (value["seat"], value["colour"], value["clause"])
            for card in reversed(found):
                if not card.withdrawn and (card.seat, card.colour, card.clause) == same:
                    card.withdrawn = True
                    break
    return found


def seats_of(table: Table) -> set[int]:
    """The seats this account has played: cards stay with the seat, whoever of its players they were dealt to (C23)."""
    if table.account is None:
        return set()
    return set(Tenure.objects.filter(game=table.game, account=table.account, kind="player").values_list("seat", flat=True))


def cards(table: Table) -> list[Dealt]:
    """The cards of a finished game for this viewer: with the appeals, and whether one may be made."""
    appeals = {appeal.card: appeal for appeal in Appeal.objects.filter(game=table.game).select_related("manager")}
    mine = seats_of(table)
    found = dealt(table.game)
    for card in found:
        card.appeal = appeals.get(card.card)
        card.may_appeal = card.seat in mine and not card.withdrawn and card.appeal is None
    return found


def appeal(table: Table, number: int, words: str) -> Appeal:
    """Appeal against a card of one's seat, after the end, once.

    Raises:
        Denied: with what would be right; nothing has changed.
    """
    words = words.replace("\r\n", "\n").strip()
    if not table.begun or not table.rooms.revealed or table.account is None:
        raise Denied(
            "申诉要到本局结束之后。演出中有异议，写在与导演的私信里。", "Appeals come after the end; until then write to the directors."
        )
    card = next((card for card in dealt(table.game) if card.card == number), None)
    if card is None or card.withdrawn or card.seat not in seats_of(table):
        raise Denied("只能申诉发给自己座位、没有撤回的牌。", "You can appeal a card of your own seat that was not withdrawn.")
    if not words:
        raise Denied("写下为什么不服：管理员要看理由。", "Say why: the managers need a reason.")
    if len(words) > LONGEST:
        raise Denied(f"理由有 {len(words)} 字，最多 {LONGEST} 字。", f"{len(words)} characters; at most {LONGEST}.")
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=table.game.pk)
        if Appeal.objects.filter(game=table.game, card=number).exists():
            raise Denied("这张牌已经申诉过；一张牌只申诉一次。", "This card has been appealed already; once is all.")
        return Appeal.objects.create(
            game=table.game, card=number, seat=card.seat, account=table.account, words=words, at=table.now
        )


def concerned(game: Game, account: Account) -> bool:
    """Whether somebody had a part in a game that bars them from judging its cards."""
    return (
        Directing.objects.filter(game=game, account=account).exists() or Tenure.objects.filter(game=game, account=account).exists()
    )


def judge(by: Account, found: Appeal | None, lift: bool, reason: str, now: datetime) -> Appeal:
    """Uphold a card or lift it, with a reason; once. Who played or directed that game does not judge it.

    Raises:
        Denied: with what would be right; nothing has changed.
    """
    reason = reason.strip()
    if found is None or not by.manages:
        raise Denied("没有这份申诉。", "There is no such appeal.")
    if concerned(found.game, by):
        raise Denied("你在那一局里有位子，不能裁这份申诉。请别的管理员来裁。", "You had a part in that game: another manager must judge.")
    if not reason:
        raise Denied("写明理由：维持或撤销，都要说为什么。", "Give the reason, whichever way.")
    if len(reason) > LONGEST:
        raise Denied(f"理由有 {len(reason)} 字，最多 {LONGEST} 字。", f"{len(reason)} characters; at most {LONGEST}.")
    with transaction.atomic():
        row = Appeal.objects.select_for_update().get(pk=found.pk)
        if row.lifted is not None:
            raise Denied("这份申诉已经裁过了。", "This appeal has been judged already.")
        row.lifted, row.reason, row.manager, row.judged_at = lift, reason, by, now
        row.save(update_fields=["lifted", "reason", "manager", "judged_at"])
    return row


class Row(NamedTuple):
    """An appeal on the managers' page: with its card, and whether this manager may judge it."""

    appeal: Appeal
    card: Dealt
    may_judge: bool


def rows(by: Account) -> list[Row]:
    """Appeals that no manager has judged yet, the oldest first, then those judged last."""
    every = Appeal.objects.select_related("game", "account", "manager")
    listed = [*every.filter(lifted=None), *every.exclude(lifted=None).order_by("-judged_at")[:JUDGED]]
    return [Row(found, dealt(found.game)[found.card - 1], found.lifted is None and not concerned(found.game, by)) for found in listed]
