"""The game's days on a calendar: those that were, today, and those to come as they now stand (C20)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bansha.rulesets.model import Ruleset
from bansha.town.models import Post, Thread
from bansha.town.table import Table

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (game-local minutes carry no zone)
SATURDAY = 5
AHEAD = 14
"""Days ahead that are drawn."""


@dataclass
class Square:
    """A natural day: its `number` in the month, the discussion day it belongs to (0: none), whether that one began earlier
    (`goes_on`) or has an election or an exile ballot, and whether it is past or today."""

    number: int
    day: int = 0
    goes_on: bool = False
    ballot: str = ""
    past: bool = False
    today: bool = False


def natural(minute: int) -> date:
    """The natural day of a game-local minute."""
    return (EPOCH + timedelta(minutes=minute)).date()


def openings(table: Table) -> dict[int, int]:
    """Discussion day → the game minute it opened, as its first floor says (a clock that was late opened it later)."""
    talks = [thread.room for thread in table.threads if thread.kind == "talk"]
    first = Post.objects.filter(game=table.game, room__in=talks, floor=1).values_list("room", "minute")
    return {int(room.partition("-")[2]): minute for room, minute in first}


def closing(rules: Ruleset, opens: date, first: bool, plain: bool) -> date:
    """The natural day on which a discussion day closes that opens on `opens`, as first set."""
    lasts = rules.calendar.first_day if first else rules.calendar.later_days
    closes = opens + timedelta(days=lasts - 1)
    return closes + timedelta(days=1) if not plain and closes.weekday() >= SATURDAY else closes


def days(table: Table) -> dict[date, tuple[int, bool]]:
    """Natural day → (discussion day, whether it began earlier), from the first day on."""
    public, rules = table.public, table.loaded.ruleset
    plain = public.options.get("weekend", "extend") == "plain"
    found: dict[date, tuple[int, bool]] = {}
    opened = {day: natural(minute) for day, minute in openings(table).items()}
    last = natural(public.closes_at) if public.phase == "day" else None
    for day, begins in sorted(opened.items()):
        until = opened.get(day + 1, (last or natural(public.opens_at)) + timedelta(days=1 if last and day == public.day else 0))
        for after in range(max(1, (until - begins).days)):
            found[begins + timedelta(days=after)] = (day, after > 0)
    if public.phase == "over":
        return found
    day = public.day + 1
    opens = natural(public.opens_at) if public.phase != "day" else (last or natural(public.opens_at)) + timedelta(days=1)
    horizon = natural(table.minute) + timedelta(days=AHEAD)
    while opens <= horizon:
        closes = closing(rules, opens, day == 1, plain)
        for after in range((closes - opens).days + 1):
            found[opens + timedelta(days=after)] = (day, after > 0)
        opens, day = closes + timedelta(days=1), day + 1
    return found


def weeks(table: Table) -> list[Square]:
    """Whole weeks, from the one of the game's first day (at most this month's) to the one a week ahead or the month's last."""
    today = natural(table.minute)
    held = days(table)
    ballots = {thread.day: thread.kind for thread in Thread.objects.filter(game=table.game, kind__in=("ballot", "election"))}
    first = today.replace(day=1)
    begins = max(first, min([*held, today]))
    at = begins - timedelta(days=begins.weekday())
    end = max(today + timedelta(days=7), (first + timedelta(days=31)).replace(day=1) - timedelta(days=1))
    squares = []
    while at <= end or at.weekday():
        day, goes_on = held.get(at, (0, False))
        squares.append(Square(at.day, day, goes_on, "" if goes_on else ballots.get(day, ""), at < today, at == today))
        at += timedelta(days=1)
    return squares
