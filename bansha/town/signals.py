"""What listens: to sign-ins (failed ones are kept for the managers), and to posts, for whoever reads a live stream."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.signals import user_login_failed
from django.db.models.signals import post_save

from bansha.journal import doors, time

KEPT = timedelta(days=7)
"""How long a failed sign-in is kept and shown."""


def failed(sender: object, credentials: dict[str, Any], **_: Any) -> None:
    """Keep a failed sign-in to an account, whether it plays or not: a list of those who play would tell managers who does."""
    from django.db.models import Q

    from bansha.town.models import Account, FailedLogin

    moment = time.now()

    named = Q(pk__in=())
    for field in ("username", "email"):
        if credentials.get(field):
            named |= Q(**{f"{field}__iexact": credentials[field]})
    for account in Account.objects.filter(named):
        FailedLogin.objects.filter(account=account, at__lt=moment - KEPT).delete()
        FailedLogin.objects.create(account=account, at=moment)


def written(sender: object, instance: Any, **_: Any) -> None:
    """Ring for a post without an event; what goes through the journal rings there."""
    if instance.room != "new" and instance.game.journal is not None:
        doors.ring(instance.game.journal)


def connect() -> None:
    """Begin to listen."""
    from bansha.town.models import Post

    post_save.connect(written, sender=Post, dispatch_uid="bansha.town.rung")
    user_login_failed.connect(failed, dispatch_uid="bansha.town.failed")
