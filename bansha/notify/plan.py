"""Writing to the outbox: who is to be told, and the lines for it, in the transaction of what they are about."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q

from bansha.notify.kinds import BY_ID, CHANNELS
from bansha.notify.models import Notice, Ways
from bansha.town.models import Directing, Game, Signup, Tenure

ONLOOKERS = ("spectator", "guest", "reserve")


class What(NamedTuple):
    """One thing to tell. `name` is its own for ever (`day 3`): the key is made of it. `about`, `day`, `seat`, `room`, `path`: as in
    the outbox; `at`: not before this moment; `expires`: no news from then on."""

    kind: str
    name: str
    path: str
    at: datetime
    about: int = 0
    day: int = 0
    seat: int = 0
    room: str = ""
    expires: datetime | None = None


def key_of(account: int, channel: str, game: int, what: What) -> str:
    """The idempotency key: always the same for the same thing; it says nothing to who has not the town's signing key."""
    text = f"{account}\n{channel}\n{game}\n{what.kind}\n{what.name}"
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), sha256).hexdigest()[:40]


def queue(game: Game, what: What, ways: Iterable[Ways], now: datetime) -> None:
    """Write a line for each of these people and each way they want it by; what was written before is left as it is."""
    lasts = BY_ID[what.kind].lasts
    expires = what.expires or (what.at + timedelta(hours=lasts) if lasts else None)
    rows = [
        Notice(
            account_id=way.account_id, channel=channel, key=key_of(way.account_id, channel, game.pk, what), kind=what.kind, game=game,
            about=what.about, day=what.day, seat=what.seat, room=what.room, path=what.path, not_before=what.at, expires=expires,
            made_at=now,
        )
        for way in ways
        for channel in CHANNELS
        if what.kind in way.wants(channel) and (channel != "mail" or settings.MAILS)
    ]  # fmt: skip
    Notice.objects.bulk_create(rows, ignore_conflicts=True)


# --- whom it concerns ------------------------------------------------------------------------------------------------


def directors(game: Game) -> list[Ways]:
    """The directors on duty."""
    on_duty = Directing.objects.filter(game=game, off="").values("account")
    return list(Ways.objects.filter(account__in=on_duty).order_by("pk"))


def everybody(game: Game) -> list[Ways]:
    """All who belong to a game: in a seat or beside one, at the desk, signed up to look on or to step in."""
    seated = Tenure.objects.filter(game=game, until=None).values("account")
    directing = Directing.objects.filter(game=game).values("account")
    looking = Signup.objects.filter(game=game, kind__in=ONLOOKERS).values("account")
    theirs = Q(account__in=seated) | Q(account__in=directing) | Q(account__in=looking)
    return list(Ways.objects.filter(theirs).order_by("pk"))


def players(game: Game, seats: Sequence[int] = (), but: int = 0) -> list[tuple[int, Ways]]:
    """Who plays these seats now (none given: all), with their seat; `but`: an account left out (who did it)."""
    tenures = Tenure.objects.filter(game=game, until=None, kind="player").exclude(account=but)
    if seats:
        tenures = tenures.filter(seat__in=seats)
    seat_of = dict(tenures.values_list("account", "seat"))
    return [(seat_of[way.account_id], way) for way in Ways.objects.filter(account__in=list(seat_of)).order_by("pk")] if seat_of else []


def advisers(game: Game, seat: int) -> list[Ways]:
    """The assistant of a seat, who reads its line."""
    theirs = Tenure.objects.filter(game=game, seat=seat, until=None, kind="assistant").values("account")
    return list(Ways.objects.filter(account__in=theirs))
