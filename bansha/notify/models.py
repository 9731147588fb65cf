"""What is kept for notices: who wants which by which way, the devices they go to, the outbox, secret addresses of calendars.

The outbox names what a notice is about (kind, game, seat, place); its words are made when it goes out, and say none of it
(`texts`). All of this belongs to its account; nothing here is a fact of a game that somebody else could read.
"""

from __future__ import annotations

from django.db import models

from bansha.town.models import Account, Game


class Ways(models.Model):
    """What somebody wants to be told and how: `mail`, `push` list kinds (`kinds.KINDS`). `quiet_from`, `quiet_to`: minutes of the
    account's own day in which nothing goes out but the kinds in `through` (both none: no quiet hours; equal: none either).
    `before`: real minutes before a close that `closing` comes. Somebody without a row is told nothing."""

    account = models.OneToOneField(Account, on_delete=models.CASCADE, related_name="ways")
    mail = models.JSONField(default=list)
    push = models.JSONField(default=list)
    through = models.JSONField(default=list)
    quiet_from = models.PositiveSmallIntegerField(null=True)
    quiet_to = models.PositiveSmallIntegerField(null=True)
    before = models.PositiveSmallIntegerField(default=60)

    def wants(self, channel: str) -> list[str]:
        """The kinds wanted by a way."""
        return list(self.mail if channel == "mail" else self.push)


class Device(models.Model):
    """A browser that takes web push for an account: the endpoint its push service gave it, and the keys notices are sealed with
    (base64url). An endpoint belongs to whoever subscribed last in that browser."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="devices")
    endpoint = models.CharField(max_length=600, unique=True)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    name = models.CharField(max_length=60)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)


class Notice(models.Model):
    """A line of the outbox: one thing to be told to one account by one way.

    `key`: the same for the same thing to the same account by the same way, whatever happens, so that it is written once and a
    receiver can drop a double. `about`: a game minute, or with `room` a floor there (see `standing`); `day`: of the game; `seat`:
    the seat it is for (0: none); `path`: the page it leads to. `state`: queued, sending (taken by a courier until `lease`), sent, moot
    (nothing to tell any more), given_up. `batch`: the key of the message it goes out in, once it does; `reached`: the devices
    that message has reached.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="notices")
    channel = models.CharField(max_length=4)
    key = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=16)
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="notices")
    about = models.BigIntegerField(default=0)
    day = models.PositiveIntegerField(default=0)
    seat = models.PositiveIntegerField(default=0)
    room = models.CharField(max_length=20, blank=True)
    path = models.CharField(max_length=200)
    not_before = models.DateTimeField()
    expires = models.DateTimeField(null=True)
    state = models.CharField(max_length=8, default="queued")
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.DateTimeField(null=True)
    batch = models.CharField(max_length=64, blank=True)
    reached = models.JSONField(default=list)
    why = models.CharField(max_length=80, blank=True)
    made_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("not_before", "pk")
        indexes = (
            models.Index(fields=("state", "not_before"), name="notice_due"),
            models.Index(fields=("account", "channel", "state"), name="notice_of_account"),
        )


class Heard(models.Model):
    """How far the journal of a game has been turned into notices: what is projected again (`bansha rebuild`) is not told again."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, primary_key=True, related_name="+")
    n = models.PositiveIntegerField(default=0)


class Diary(models.Model):
    """The secret address of somebody's calendar. `nonce` is renewed with the address; the address itself is not kept: it is
    made of the nonce and the town's signing key, and found by its fingerprint."""

    account = models.OneToOneField(Account, on_delete=models.CASCADE, related_name="diary")
    nonce = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()


class Limit(models.Model):
    """A public limit of a game as calendars were told of it: its name there, where it stands, how often it has moved and when
    last."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="+")
    uid = models.CharField(max_length=60)
    begins = models.DateTimeField()
    ends = models.DateTimeField()
    sequence = models.PositiveIntegerField(default=0)
    changed = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("game", "uid"), name="limit_once"),)
