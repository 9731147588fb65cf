"""Tickets for the live stream: a page carries one, signed and short-lived, so that the stream needs no cookie and no session.

A ticket names the room, from which floor on, and who looked; whether that one still may is asked again at every delivery.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.db.models import Max
from django.utils.translation import get_language

from bansha.town.models import Account, Game, Thread
from bansha.town.readable import readable
from bansha.town.table import Table

SALT = "bansha.stream"
LASTS = timedelta(hours=6)


class Ticket(NamedTuple):
    """`room`: "" where only what is due is told. `account`: 0 for a visitor. `kind`, `seat`, `director`: the place that the page
    was made for. `floor`: the newest of the page. `until`: seconds since 1970."""

    game: int
    room: str
    account: int
    kind: str
    seat: int
    director: int
    language: str
    floor: int
    until: int


def make(table: Table, room: str = "") -> str:
    """A ticket for this viewer, as text for an address."""
    account = table.account.pk if table.account is not None else 0
    hour = table.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    until = int((hour + LASTS).timestamp())
    room = f"hole-{account}" if room == "hole" else room
    floor = (readable(table).filter(room=room).aggregate(Max("floor"))["floor__max"] or 0) if room else 0
    ticket = Ticket(
        table.game.pk, room, account, table.viewer.kind, table.viewer.seat, table.director, get_language() or "zh-hans", floor, until
    )
    return signing.Signer(salt=SALT).sign_object(list(ticket))


def check(text: str, now: datetime) -> Ticket | None:
    """The ticket, if we signed it and its time has not run out."""
    try:
        ticket = Ticket(*signing.Signer(salt=SALT).unsign_object(text))
    except (signing.BadSignature, TypeError, ValueError):
        return None
    return ticket if datetime.fromtimestamp(ticket.until, UTC) > now else None


def admit(ticket: Ticket, now: datetime) -> Table | None:
    """The table of a ticket's holder now; None once its place has changed hands or the room is not open to it."""
    if datetime.fromtimestamp(ticket.until, UTC) <= now:
        return None
    game = Game.objects.filter(pk=ticket.game, status__in=("running", "over")).first()
    account = Account.objects.filter(pk=ticket.account, is_active=True).first() if ticket.account else None
    if game is None or (ticket.account and account is None):
        return None
    table = Table(game, account, now)
    if (table.viewer.kind, table.viewer.seat, table.director) != (ticket.kind, ticket.seat, ticket.director):
        return None
    return table if may_watch(table, ticket.room) else None


def may_watch(table: Table, room: str) -> bool:
    """Whether this viewer may read a room."""
    kind, _, number = room.partition("-")
    rooms = table.rooms
    match kind:
        case "":
            return True
        case "talk" | "ballot" | "election" | "process":
            return Thread.objects.filter(game=table.game, room=room).exists()
        case "den":
            return any(str(den.den) == number for den in rooms.dens)
        case "line":
            return rooms.all or (rooms.line > 0 and str(rooms.line) == number)
        case "hole":
            return table.account is not None and number == str(table.account.pk)
        case "log":
            return rooms.log
    return False


def address(table: Table, room: str = "") -> str:
    """Where the page's stream is; "" for a game in which nothing happens any more."""
    if table.game.status != "running":
        return ""
    return f"{settings.STREAM}/stream/?t={make(table, room)}"
