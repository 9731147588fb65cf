"""Making, finding and revoking tokens."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from bansha.api.models import Token
from bansha.town.acts import Denied
from bansha.town.models import Account, Game, Tenure
from bansha.town.table import Table

MARK = "bansha_"
"""What every token begins with, so that one is known for what it is wherever it turns up."""
MOST = 20
"""Live tokens a member has at most."""
NOTED = timedelta(minutes=5)
"""How exactly `last_used` is kept."""


def digest(text: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def make(
    account: Account, game: Game | None, kind: str, label: str, now: datetime, lasts: timedelta | None = None
) -> tuple[Token, str]:
    """Make a token; returns its row and its text, which is not to be had again.

    Raises:
        Denied: no seat to act for, a game that is not open to this account, or too many tokens.
    """
    tenure = None
    if game is not None:
        table = Table(game, account, now)
        if game.status == "draft" and not table.directs:
            raise Denied("没有这一局。", "There is no such game.")
        tenure = Tenure.objects.filter(game=game, account=account, until=None).first()
    if kind == "seat" and (tenure is None or tenure.kind != "player"):
        raise Denied("只能为你自己在座的一局做座位令牌。", "A token for a seat is made by who sits there.")
    text = MARK + secrets.token_urlsafe(32)
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)
        if not account.computer and live(account, now).count() >= MOST:
            raise Denied(f"你已有 {MOST} 个有效的令牌。先收回不用的。", f"You have {MOST} live tokens. Revoke one first.")
        token = Token.objects.create(
            digest=digest(text), account=account, game=game, tenure=tenure, kind=kind, label=label.strip()[:40], made_at=now,
            until=now + lasts if lasts is not None else None,
        )  # fmt: skip
    return token, text


def live(account: Account, now: datetime) -> QuerySet[Token]:
    """An account's tokens that still open something, the newest first."""
    sits = Q(tenure=None) | Q(tenure__until=None, tenure__account=account)
    lasts = Q(until=None) | Q(until__gt=now)
    return Token.objects.filter(sits, lasts, account=account, revoked_at=None).select_related("game", "tenure").order_by("-pk")


def find(text: str, now: datetime) -> Token | None:
    """The live token of this text. It ends when it is revoked or old, when its account is closed, and with its tenure."""
    if not text.startswith(MARK):
        return None
    found = Token.objects.filter(digest=digest(text)).select_related("account", "game", "tenure")
    token = next(iter(found[:1]), None)
    if token is None or token.revoked_at is not None or (token.until is not None and token.until <= now) or not token.account.is_active:
        return None
    tenure = token.tenure
    if tenure is not None and (tenure.until is not None or tenure.account_id != token.account_id):
        return None
    if token.last_used is None or now - token.last_used > NOTED:
        Token.objects.filter(pk=token.pk).update(last_used=now)
    return token


def revoke(account: Account, number: int, now: datetime) -> bool:
    """End a token of one's own. Returns whether there was such a live one."""
    return bool(Token.objects.filter(pk=number, account=account, revoked_at=None).update(revoked_at=now))


def clear(account: Account, now: datetime) -> None:
    """Take away what is left of an account's tokens that have run out."""
    Token.objects.filter(account=account, until__lte=now).delete()
