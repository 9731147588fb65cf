"""Tickets for the live stream: a page carries one, signed and short-lived, so that the stream needs no cookie and no session.

A ticket names the room, from which floor on, and who looked; whether that one still may is asked again at every delivery.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.db.models import Max
from django.utils.translation import get_language

from bansha.sight.types import PUBLIC
from bansha.town import people
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


def make(table: Table, room: str = "", until: datetime | None = None) -> str:
    """A ticket for this viewer, as text for an address; `until` when it lasts, else for hours."""
    account = table.account.pk if table.account is not None else 0
    hour = table.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    last = int((until or hour + LASTS).timestamp())
    room = f"hole-{account}" if room == "hole" else room
    floor = table.newest.get(room, 0)
    if room and not floor:
        floor = readable(table, room).aggregate(Max("floor"))["floor__max"] or 0
    ticket = Ticket(
        table.game.pk, room, account, table.viewer.kind, table.viewer.seat, table.director, get_language() or "zh-hans", floor, last
    )
    return signing.Signer(salt=SALT).sign_object(list(ticket))


def check(text: str, now: datetime) -> Ticket | None:
    """The ticket, if we signed it and its time has not run out."""
    try:
        ticket = Ticket(*signing.Signer(salt=SALT).unsign_object(text))
    except (signing.BadSignature, TypeError, ValueError):
        return None
    return ticket if lasts(ticket, now) else None


def lasts(ticket: Ticket, now: datetime) -> bool:
    """Whether a ticket's time has not run out."""
    return datetime.fromtimestamp(ticket.until, UTC) > now


def admit_all(asked: Iterable[Ticket], now: datetime) -> dict[Ticket, Table]:
    """The tables of many tickets' holders now; missing are those whose place has changed hands or whose room is not open to them.
    However many they are, a game and a room of it cost a few questions: holders of the same place share a table."""
    valid = {ticket for ticket in asked if lasts(ticket, now)}
    games = Game.objects.filter(status__in=("running", "over")).in_bulk({ticket.game for ticket in valid})
    accounts = Account.objects.filter(is_active=True).in_bulk({ticket.account for ticket in valid} - {0})
    by_game: dict[int, list[Ticket]] = defaultdict(list)
    for ticket in valid:
        if ticket.game in games and (not ticket.account or ticket.account in accounts):
            by_game[ticket.game].append(ticket)
    found: dict[Ticket, Table] = {}
    for number, held in by_game.items():
        game = games[number]
        places = people.places(game, [accounts[account] for account in {ticket.account for ticket in held} - {0}], now)
        tables: dict[tuple[object, ...], Table] = {}
        open_to: dict[tuple[int, str], bool] = {}
        for ticket in held:
            place = places.get(ticket.account) or people.Place(PUBLIC)
            if (place.viewer.kind, place.viewer.seat, place.director) != (ticket.kind, ticket.seat, ticket.director):
                continue
            alone = ticket.account if ticket.room.startswith("hole-") else 0
            key = (place.viewer, place.director, place.visiting, alone)
            if key not in tables:
                tables[key] = Table(game, accounts.get(ticket.account), now, place)
            asked_for = (id(tables[key]), ticket.room)
            if asked_for not in open_to:
                open_to[asked_for] = may_watch(tables[key], ticket.room)
            if open_to[asked_for]:
                found[ticket] = tables[key]
    return found


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
        case "reveal":
            return rooms.revealed
    return False


def address(table: Table, room: str = "", until: datetime | None = None) -> str:
    """Where the page's stream is; "" for a game in which nothing happens any more, its reveal thread apart."""
    if table.game.status != "running" and room != "reveal":
        return ""
    return f"{settings.STREAM}/stream/?t={make(table, room, until)}"
