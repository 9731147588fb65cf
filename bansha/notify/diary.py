"""The calendar of a person's deadlines (RFC 5545), at a secret address.

It holds the public limits of the games somebody belongs to, as they stand: openings, the freeze of votes, closes, the windows of
the night, the ceremony. It names the game and nothing else: neither seat nor persona, no skill, no prompt, not whether its owner
plays or directs. Who gets hold of an address learns no more than which games its owner is at.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

import icalendar
from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.notify.models import Diary, Limit
from bansha.sight.types import PUBLIC, PublicView
from bansha.town.models import Account, Game, Post

MOMENT = timedelta(minutes=5)
"""How long a limit is drawn."""


# --- the address ------------------------------------------------------------------------------------------------------


def token_of(diary: Diary) -> str:
    """The secret part of the address. It is made of what is renewed and the town's signing key, so that the database alone does
    not give it away, and it can still be shown to its owner again."""
    made = hmac.new(settings.SECRET_KEY.encode(), f"calendar {diary.nonce}".encode(), sha256)
    return made.hexdigest()[:48]


def fingerprint(token: str) -> str:
    """What an address is found by."""
    return sha256(token.encode()).hexdigest()


def renew(account: Account, now: datetime) -> Diary:
    """Give an account a new address; the old one leads nowhere from now on."""
    diary = Diary(account=account, nonce=secrets.token_hex(24), made_at=now)
    values = {"nonce": diary.nonce, "fingerprint": fingerprint(token_of(diary)), "made_at": now}
    return Diary.objects.update_or_create(account=account, defaults=values)[0]


def switch_off(account: Account) -> None:
    """Take the address away."""
    Diary.objects.filter(account=account).delete()


def address_of(account: Account) -> str:
    """The address of an account's calendar; "" when it has none, or one made with another signing key."""
    diary = Diary.objects.filter(account=account).first()
    if diary is None or diary.fingerprint != fingerprint(token_of(diary)):
        return ""
    return settings.ADDRESS + reverse("notify:calendar", args=[token_of(diary)])


def owner_of(token: str) -> Account | None:
    """Whose address this is."""
    diary = Diary.objects.select_related("account").filter(fingerprint=fingerprint(token), account__is_active=True).first()
    return diary.account if diary is not None else None


# --- what stands in it ------------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """An event: its name for ever, what it is called, from when to when."""

    uid: str
    said: str
    begin: datetime
    end: datetime


def games_of(account: Account) -> list[Game]:
    """The games somebody plays in, assists or directs, from the ceremony to the end; and those whose ceremony they are in."""
    seated = Q(tenures__account=account, tenures__until=None)
    directing = Q(directings__account=account)
    chosen = Q(status="ceremony", signups__account=account, signups__chosen=True)
    return list(Game.objects.filter(seated | directing | chosen, status__in=("ceremony", "running")).distinct().order_by("pk"))


def entries(game: Game) -> Iterator[Entry]:
    """The public limits of a game, as they stand."""
    if game.status == "ceremony":
        yield from _ceremony(game)
    elif game.journal is not None:
        yield from _running(game, game.journal)


def _ceremony(game: Game) -> Iterator[Entry]:
    names = (("hash", _("封箱截止"), game.hash_until), ("open", _("开箱、发牌"), game.open_until))
    for name, said, at in names:
        if at is not None:
            yield Entry(f"g{game.pk}-{name}-{game.ceremony}", said, at, at + MOMENT)


def _running(game: Game, journal: int) -> Iterator[Entry]:
    public = doors.see(journal, PUBLIC).view.public
    pace = doors.pace(journal)
    rules = doors.ruleset(journal).ruleset
    opened = Post.objects.filter(game=game, room=f"talk-{public.day}", floor=1).values_list("minute", flat=True).first()

    def entry(name: str, said: str, begin: int, end: int = 0) -> Entry:
        starts = pace.moment(begin)
        return Entry(f"g{game.pk}-{name}", said, starts, pace.moment(end) if end else starts + MOMENT)

    day = {"day": public.day}
    if public.day and opened is not None:
        yield entry(f"day{public.day}-open", _("第 %(day)s 日开门") % day, opened)
    if public.phase == "day":
        if public.freeze_at and rules.ballots.changes:
            yield entry(f"day{public.day}-freeze", _("第 %(day)s 日改票截止") % day, public.freeze_at)
        yield entry(f"day{public.day}-close", _("第 %(day)s 日关门") % day, public.closes_at)
    night = _nightfall(journal, public)
    if night:
        windows = sorted({(stage.window[0], stage.window[1]) for stage in rules.night})
        for number, (opens, limit) in enumerate(windows, 1):
            said = _("第 %(day)s 夜第 %(number)s 段") % {**day, "number": number}
            yield entry(f"night{public.day}-{number}", said, night + opens, night + limit)
    if public.phase != "over":
        yield entry(f"day{public.day + 1}-open", _("第 %(day)s 日开门") % {"day": public.day + 1}, public.opens_at)


def _nightfall(journal: int, public: PublicView) -> int:
    """The game minute from which the windows of this night, or of the one to come, count; 0 in setup and after the end."""
    if public.phase not in ("day", "night"):
        return 0
    if public.closes_at:
        return public.closes_at
    return next(news.at for news in doors.heard(journal, PUBLIC) if news.kind == "setup_ended")  # night 0


def note_limits(game: Game, now: datetime) -> None:
    """Remember where the limits of a game stand: one that has moved since counts a change, so that calendars take it up."""
    had = {row.uid: row for row in Limit.objects.filter(game=game)}
    for entry in entries(game):
        row = had.get(entry.uid)
        if row is None:
            Limit.objects.create(game=game, uid=entry.uid, begins=entry.begin, ends=entry.end, changed=now)
        elif (row.begins, row.ends) != (entry.begin, entry.end):
            moved = {"begins": entry.begin, "ends": entry.end, "sequence": row.sequence + 1, "changed": now}
            Limit.objects.filter(pk=row.pk).update(**moved)


def calendar(account: Account) -> bytes:
    """The whole file. Times are in UTC, so that they are right in every zone and at every pace."""
    made = icalendar.Calendar()
    made.add("prodid", "-//bansha//deadlines//ZH")
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", _("版杀"))
    made.add("refresh-interval", timedelta(minutes=30), parameters={"VALUE": "DURATION"})
    for game in games_of(account):
        noted = {row.uid: row for row in Limit.objects.filter(game=game)}
        for entry in entries(game):
            limit = noted.get(entry.uid)
            changed = limit.changed if limit is not None else game.made_at
            event = icalendar.Event()
            event.add("uid", f"{entry.uid}@{settings.TOWN}")
            event.add("summary", f"{game.title} · {entry.said}")
            event.add("dtstart", entry.begin)
            event.add("dtend", entry.end)
            event.add("dtstamp", changed)
            event.add("last-modified", changed)
            event.add("sequence", limit.sequence if limit is not None else 0)
            event.add("url", settings.ADDRESS + reverse("town:hub", args=[game.pk]))
            event.add("transp", "TRANSPARENT")
            made.add_component(event)
    return bytes(made.to_ical())
