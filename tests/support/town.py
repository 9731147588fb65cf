"""A town set up for tests: accounts, and games dealt from a seed with an account behind each persona."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

MONDAY = datetime(2026, 11, 23, 1, 0, tzinfo=UTC)
"""9:00 in Shanghai: setup ends, day 1 opens (boards that start at night: night 0 from 21:00, see `seated`)."""


class Clock:
    """The town's time in tests, kept in the test clock's file; `at(day, hour, minute)` is Shanghai time, day 1 is Monday."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "clock"
        os.environ["BANSHA_TEST_CLOCK"] = str(self.file)
        self.set(MONDAY)

    def set(self, moment: datetime) -> datetime:
        """Set the clock."""
        new = self.file.with_suffix(".new")
        new.write_text(str(moment.timestamp()), encoding="ascii")
        new.replace(self.file)
        return moment

    def at(self, day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
        """Set the clock to a game-local time."""
        return self.set(moment(day, hour, minute, second))


def moment(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """Shanghai time `hour:minute` on day `day` (1 = Monday 2026-11-23), as UTC."""
    return MONDAY + timedelta(days=day - 1, hours=hour - 9, minutes=minute, seconds=second)


NAMES = [
    "摆渡人", "报幕员小满", "守灯塔的老海", "提词人", "卖伞婆婆", "雾笛手", "黑伞先生", "木偶师阿九", "剪票员", "夜班邮差", "旧书店老板",
    "半夏", "打更的小五", "青瓷碗",
]  # fmt: skip


class _Every(set[int]):
    def __contains__(self, _game: object) -> bool:
        return True


@contextmanager
def one_transaction() -> Iterator[None]:
    """A transaction around whole games, which nobody else plays meanwhile: each may be asked for within it."""
    from django.db import transaction

    from bansha.journal import keep

    with transaction.atomic(), mock.patch.object(keep._mine, "born", _Every()):
        yield


def account(name: str, **more: Any) -> Any:
    """An account; its password is "lamplight-lamplight"."""
    from bansha.town.models import Account

    return Account.objects.create_user(name, password="lamplight-lamplight", **more)


def seated(name: str = "m205", seed: int = 1, title: str = "末班渡船", setup_ends: datetime | None = None, **more: Any) -> Any:
    """A game of this ruleset, dealt from a seed: roles in seat order as the seed says, `player1`… behind the seats in order,
    `director` and `director2` at the desk. Accounts are made once and shared between games. Returns the town's game."""
    from django.db import transaction

    from bansha.journal import doors
    from bansha.journal.time import local_minute
    from bansha.referee import commands as c
    from bansha.referee import dealing
    from bansha.referee import events as e
    from bansha.rulesets.load import load
    from bansha.town.looks import windows
    from bansha.town.models import Account, Directing, Game, Persona, Tenure

    loaded = load(name)
    rules = loaded.ruleset
    roles = [role for role, spec in rules.roles.items() for _ in range(spec.count)]
    ends = setup_ends or (MONDAY + timedelta(hours=12) if rules.calendar.start == "night" else MONDAY)
    begin = ends - timedelta(minutes=rules.calendar.setup_minutes)

    def made(who: str, **fields: Any) -> Any:
        return Account.objects.filter(username=who).first() or account(who, **fields)

    with transaction.atomic():
        director = made("director", directs=True)
        game = Game.objects.create(
            title=title, ruleset=rules.id, ruleset_hash=loaded.hash, start=ends, seats=len(roles), status="ceremony", opened_by=director,
            made_at=begin, **more,
        )  # fmt: skip
        Directing.objects.create(game=game, account=director, number=1)
        Directing.objects.create(game=game, account=made("director2", directs=True), number=2)
        looks = windows(NAMES[: len(roles)])
        for seat, ((tone, lattice), persona) in enumerate(zip(looks, NAMES, strict=False), 1):
            Persona.objects.create(game=game, seat=seat, name=persona, tone=tone, lattice=lattice, approved=True)
            Tenure.objects.create(game=game, seat=seat, account=made(f"player{seat}"), since=begin)
        game.journal = doors.found(loaded, {}, begin, local_minute(begin, game.zone), game.zone, game.pace)
        game.save()
    dealt = list(dealing.deal(dealing.Dice.from_seed(seed), roles))
    doors.submit(game.journal, c.Record([e.Seeded(seed)]), begin, "town")
    doors.submit(game.journal, c.Open({}, NAMES[: len(roles)], dealt, local_minute(ends, game.zone), {}), begin, "town")
    game.refresh_from_db()
    return game


def seats_of(game: Any, role: str) -> list[int]:
    """The seats that hold a role (from the director's view)."""
    from bansha.journal import doors
    from bansha.sight.types import DIRECTOR

    full = doors.see(game.journal, DIRECTOR).view.director
    assert full is not None
    return [truth.seat for truth in full.seats if truth.role == role]


def client(name: str) -> Any:
    """A browser without JavaScript, signed in as this account ("": a visitor), that speaks Chinese."""
    from django.test import Client

    from bansha.town.models import Account

    made = Client(headers={"host": "localhost", "accept-language": "zh-CN"})
    if name:
        made.force_login(Account.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
    return made
