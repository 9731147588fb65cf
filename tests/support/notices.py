"""Everything that waits for an account in the outbox, as its owner would get it: for tests of secrecy."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from tests.support.town import account


class Queued(NamedTuple):
    """A line of the outbox in words: by which way, not before when, until when, what it says, where it leads, and its key."""

    channel: str
    at: datetime
    expires: datetime | None
    subject: str
    text: str
    link: str
    path: str
    key: str


def queued(name: str, game: Any = None) -> list[Queued]:
    """What waits for this account, in order (of one game where it is given)."""
    from bansha.notify import texts
    from bansha.notify.models import Notice

    rows = Notice.objects.filter(account__username=name, state__in=("queued", "sending")).select_related("game")
    if game is not None:
        rows = rows.filter(game=game)
    found = []
    for row in rows.order_by("not_before", "key"):
        words = texts.message([texts.line(row.kind, row.game.title, row.day)])
        link = f"/notices/{row.key}/"
        found.append(Queued(row.channel, row.not_before, row.expires, words.subject, "\n".join(words.lines), link, row.path, row.key))
    return found


class Went(NamedTuple):
    """A message that a courier would have sent: to whom, by which way, its words, its link and key."""

    to: str
    channel: str
    subject: str
    text: str
    link: str
    key: str


def carried(moment: datetime) -> list[Went]:
    """One look of a courier whose messages go nowhere but into this list; the outbox is marked as if they had arrived."""
    from bansha.notify import courier

    went: list[Went] = []

    def send(channel: str) -> courier.Send:
        return lambda message, _rows, _now: went.append(
            Went(message.way.account.username, channel, message.subject, "\n".join(message.lines), message.link, message.key)
        )

    senders: Mapping[str, courier.Send] = {channel: send(channel) for channel in ("mail", "push")}
    courier.look(moment, senders)
    return went


def wants(name: str, mail: Any = None, push: Any = None, **more: Any) -> Any:
    """Let an account (made where it is missing) want these kinds by these ways (None: every kind by push). Its address is
    confirmed. Returns its choices."""
    from allauth.account.models import EmailAddress

    from bansha.notify.kinds import KINDS
    from bansha.notify.models import Ways
    from bansha.town.models import Account

    found = Account.objects.filter(username=name).first() or account(name)
    EmailAddress.objects.get_or_create(user=found, email=f"{name}@example.org", defaults={"verified": True, "primary": True})
    every = [kind.id for kind in KINDS]
    lists = {"mail": mail if mail is not None else [], "push": push if push is not None else every if mail is None else []}
    defaults = {**lists, "through": [], "quiet_from": None, "quiet_to": None, "before": 60, **more}
    return Ways.objects.update_or_create(account=found, defaults=defaults)[0]
