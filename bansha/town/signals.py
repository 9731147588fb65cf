"""What listens to sign-ins: failed ones to an account in a running game are kept for the managers."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_login_failed

from bansha.journal import time


def failed(sender: object, credentials: dict[str, Any], **_: Any) -> None:
    """Keep a failed sign-in to an account that sits in a running game."""
    from django.db.models import Q

    from bansha.town.models import Account, FailedLogin, Tenure

    named = Q(pk__in=())
    for field in ("username", "email"):
        if credentials.get(field):
            named |= Q(**{f"{field}__iexact": credentials[field]})
    for account in Account.objects.filter(named):
        if Tenure.objects.filter(account=account, until=None, game__status="running").exists():
            FailedLogin.objects.create(account=account, at=time.now())


def connect() -> None:
    """Begin to listen."""
    user_login_failed.connect(failed, dispatch_uid="bansha.town.failed")
