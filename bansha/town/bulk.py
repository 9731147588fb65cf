"""Many posts at once and many games at once, for a town that is filled to be measured.

Every journal is judged and sealed line by line like any other, and verifies. What is done in bulk is rows: posts are written with
their floors, as the projector would one by one (a test compares), and a game under way is copied, rows and all, under new
numbers and with players of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import models, transaction

from bansha.bbcode.render import render_post
from bansha.bbcode.words import own_words
from bansha.journal import doors
from bansha.referee import commands as c
from bansha.sight.types import PUBLIC
from bansha.town import acts, searching
from bansha.town.models import Account, Contribution, DenSeat, Directing, Game, Persona, Post, Signup, Tenure, Thread

THINGS = ("雾", "灯塔", "船票", "旧伞", "铜铃", "账本", "脚印", "钥匙", "半块月饼", "河灯", "琴声", "灰烬")
SAID = (
    "昨晚我听见{0}那边有动静，可{1}没有人动过。",
    "先别急着归票，{0}和{1}的事谁来讲清楚？",
    "[b]只问一句[/b]：{0}是谁先提起的？提{1}的人自己站出来。",
    "我信{0}，不信{1}。\n票型摆在那里，大家自己看。",
    "楼上说的{0}，我昨天也说过；至于{1}，再看一晚。",
)
"""Ways to say something about two things."""


def accounts(number: int, count: int) -> list[Account]:
    """Players of a game's own; nobody can sign in as one."""
    return Account.objects.bulk_create(
        [Account(username=f"居民{number}-{seat}", password=f"!{secrets.token_hex(20)}") for seat in range(1, count + 1)], batch_size=1000
    )


def speak(game: Game, count: int, now: datetime) -> int:
    """Let those in the game post in turn in today's thread, all at one moment. Returns how many posts that made."""
    assert game.journal is not None
    journal = game.journal
    doors.strike(journal, now)
    public = doors.see(journal, PUBLIC).view.public
    minute = doors.minute(journal, now)
    texts = [SAID[n % len(SAID)].format(THINGS[n % len(THINGS)], THINGS[(n * 5 + 1) % len(THINGS)]) for n in range(60)]
    shown = [(text, render_post(text), own_words(text), acts.digest(text), doors.read(journal, text, False)) for text in texts]
    holders = dict(Tenure.objects.filter(game=game, until=None, kind="player").values_list("seat", "account"))
    with doors.together(journal):
        thread = Thread.objects.select_for_update().get(game=game, room=f"talk-{public.day}")
        ref = Post.objects.filter(game=game).aggregate(last=models.Max("ref"))["last"] or 0
        commands, posts = [], []
        for n in range(count):
            seat = public.alive[n * 3 % len(public.alive)]
            body, html, words, digest, reading = shown[n * 7 % len(shown)]
            commands.append((f"seat {seat}", c.Post(seat, "discussion", ref + n + 1, digest, 0, reading)))
            posts.append(
                Post(
                    game=game, room=thread.room, floor=thread.floors + n + 1, voice="seat", seat=seat, author_id=holders[seat],
                    ref=ref + n + 1, body=body, html=html, words=words, at=now, minute=minute,
                )
            )  # fmt: skip
        doors.append(journal, commands, now)
        for post in Post.objects.bulk_create(posts, batch_size=1000):
            searching.index(post, new=True)
        Thread.objects.filter(pk=thread.pk).update(floors=thread.floors + count)
    return count


def copies(game: Game, times: int) -> list[Game]:
    """The same game so many times more, each with a journal, rows and players of its own."""
    if times <= 0:
        return []
    assert game.journal is not None
    director = Directing.objects.get(game=game, number=1).account
    seats = list(Tenure.objects.filter(game=game, until=None).order_by("seat"))
    number = Game.objects.count()
    with transaction.atomic():
        journals = doors.copied(game.journal, times)
        made = Game.objects.bulk_create(
            [Game(**_fields(game), title=f"第{number + n}场", journal=journal) for n, journal in enumerate(journals, 1)], batch_size=500
        )
        whose: dict[tuple[int, int], Account] = {}
        for n, new in enumerate(made, 1):
            people = accounts(number + n, len(seats))
            whose.update(((new.pk, tenure.account_id), person) for tenure, person in zip(seats, people, strict=True))
        Directing.objects.bulk_create([Directing(game=new, account=director, number=1) for new in made])
        tables: Sequence[type[models.Model]] = (Persona, Tenure, Signup, Contribution, Thread, DenSeat, Post)
        for table in tables:
            rows = list(table.objects.filter(game=game))  # type: ignore[attr-defined]
            new_rows = [table(**_fields(row), game=new, **_whose(row, new, whose)) for new in made for row in rows]
            kept = table.objects.bulk_create(new_rows, batch_size=1000)  # type: ignore[attr-defined]
            if table is Post:
                for post in kept:
                    searching.index(post, new=True)
    return made


def _whose(row: models.Model, new: Game, whose: dict[tuple[int, int], Account]) -> dict[str, Any]:
    """The account of a copied row: that of the same seat in the new game."""
    for name in ("account", "author"):
        if hasattr(row, f"{name}_id"):
            return {name: whose.get((new.pk, getattr(row, f"{name}_id")))}
    return {}


def _fields(row: models.Model) -> dict[str, Any]:
    """What a copy has in common with a row."""
    own = {"id", "game_id", "account_id", "author_id", "title", "journal"}
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in own}

