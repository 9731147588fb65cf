"""A town full of games in play, to measure how cost grows: many games, a long thread, a long journal.

Every journal is judged and sealed line by line like any other, and verifies (`bansha.town.bulk`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils.translation import override

from bansha.company.stage import Bill, announce, deal
from bansha.journal import doors
from bansha.sight.types import PUBLIC
from bansha.town import ceremony
from bansha.town.bulk import accounts, copies, speak
from bansha.town.models import ZONES, Account, Game

FILLER = "filler"
"""The account that directs every game made here."""
NAMES = ("阿蛛", "煮雪人", "白露", "铜钟", "织雾人", "柳叔", "收信人", "一盏茶", "山茶", "信使")

def fill(games: int, posts: int, events: int, now: datetime, say: Callable[[str], None] = lambda _line: None) -> list[Game]:
    """Make `games` games in play whose day has just opened. `posts`: what today's thread of the first holds at least; `events`: how
    many events the journal of another one holds at least, over up to ten days. Returns them: the one with the thread, the one with
    the journal (where asked for), then the others."""
    director = Account.objects.filter(username=FILLER).first() or Account.objects.create_user(FILLER, directs=True)
    made: list[Game] = []
    if posts:
        made.append(_opened(director, now, 1))
        say(f"game {made[-1].pk}: {speak(made[-1], posts, now)} posts in {_today(made[-1])}")
    if events and len(made) < games:
        made.append(_long(director, now, events))
        say(f"game {made[-1].pk}: {count_events(made[-1])} events in {doors.head(_journal(made[-1]))} lines")
    if len(made) < games:
        first = _opened(director, now, 1)
        speak(first, 6, now)
        made += [first, *copies(first, games - len(made) - 1)]
    say(f"{len(made)} games in play")
    return made


def _journal(game: Game) -> int:
    assert game.journal is not None
    return game.journal


def _today(game: Game) -> str:
    return f"talk-{doors.see(_journal(game), PUBLIC).view.public.day}"


def count_events(game: Game) -> int:
    """How many events a game's journal holds."""
    return sum(len(json.loads(line)["events"]) for line in doors.lines(_journal(game)).splitlines())


def _opened(director: Account, now: datetime, days: int) -> Game:
    """A game that was dealt on the evening before, `days` days ago, and whose first day has opened since."""
    zone = next(zone for zone in ZONES if 9 <= now.astimezone(ZoneInfo(zone)).hour < 19)
    evening = now.astimezone(ZoneInfo(zone)).replace(hour=21, minute=0, second=0, microsecond=0) - timedelta(days=days)
    number = Game.objects.count() + 1
    players = accounts(number, len(NAMES))
    bill = Bill(f"第{number}场", "雾散之前，谁也别离岸。", "量一量这座小城。", NAMES, zone=zone)
    with transaction.atomic(), override("zh-hans"):
        game = announce(bill, director, players, evening - timedelta(days=3), evening)
        deal(game, director, players, evening - timedelta(days=1), evening - timedelta(minutes=2))
        ceremony.advance(game, evening)
    game.refresh_from_db()
    doors.strike(_journal(game), evening + timedelta(hours=12, minutes=1))
    return game


def _long(director: Account, now: datetime, events: int) -> Game:
    """A game of up to ten days, in each of which the same is said, until there are so many events."""
    days = min(10, max(1, events // 500))
    game = _opened(director, now, days)
    moment = now - timedelta(days=days - 1)
    while moment <= now:
        doors.strike(_journal(game), moment)
        if doors.see(_journal(game), PUBLIC).view.public.phase == "day":
            left = max(0, events - count_events(game))
            last = moment + timedelta(days=1) > now
            speak(game, left if last else left // (1 + (now - moment).days), moment)
        moment += timedelta(days=1)
    return game
