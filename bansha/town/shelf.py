"""Announcements that wait for a director's review (C28). While one waits it has no floor, so that no gap tells of it; it takes
the next one when a director releases it, or by itself once its hour has come."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from bansha.town.floors import HELD, take
from bansha.town.models import Game, Post, Thread


def settle(game: Game, now: datetime) -> None:
    """Give every announcement whose hour has come its floor, in the order of the hours. Whoever writes or reads a thread of a
    game with review comes through here first, so that it makes no difference when that is."""
    if not game.review:
        return
    waiting = Post.objects.filter(game=game, room=HELD, held_until__lte=now).order_by("held_until", "floor")
    if not waiting.exists():
        return
    with transaction.atomic():
        for post in waiting.select_for_update():
            place(post)


def place(post: Post) -> None:
    """Put an announcement that waited into its thread, on the next floor."""
    thread = Thread.objects.select_for_update().get(game=post.game_id, room=post.waits_for)
    post.room, post.floor, post.waits_for, post.held_until = thread.room, take(thread), "", None
    post.save(update_fields=["room", "floor", "waits_for", "held_until"])
