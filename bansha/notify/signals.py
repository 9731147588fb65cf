"""From posts, requests and seats to the outbox: what the journal does not know (den talk, the private line, directors' posts,
quotes, requests, who takes a seat), in the transaction that writes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.db.models.signals import post_save
from django.urls import reverse

from bansha.notify import plan, projector
from bansha.notify.models import Notice, Ways
from bansha.notify.plan import What
from bansha.town.floors import HELD
from bansha.town.models import DenSeat, Mark, Post, Request, Tenure

BURST = timedelta(minutes=2)
"""How long talk is left to run on before it is told."""
WAITING = ("queued", "sending", "sent")


def connect() -> None:
    """Begin to listen."""
    post_save.connect(written, sender=Post, dispatch_uid="bansha.notify.written")
    post_save.connect(requested, sender=Request, dispatch_uid="bansha.notify.requested")
    post_save.connect(seated, sender=Tenure, dispatch_uid="bansha.notify.seated")


def written(instance: Post, created: bool, raw: bool = False, update_fields: Collection[str] | None = None, **_: Any) -> None:
    """A post was written, or an announcement released."""
    if raw:
        return
    if not created:
        if instance.room == HELD and update_fields and "body" in update_fields:
            _released(instance)
        return
    room = instance.room
    if room.startswith("den-"):
        _den(instance)
    elif room.startswith("line-"):
        _line(instance)
    elif instance.voice == "director" and not instance.ref and room.partition("-")[0] in ("talk", "ballot", "election", "process"):
        path = reverse("town:floor", args=[instance.game_id, room, instance.floor])
        what = What("announcement", f"{room} {instance.floor}", path, instance.at, about=instance.floor, room=room)
        plan.queue(instance.game, what, _but(plan.everybody(instance.game), instance), instance.at)
    elif instance.voice == "seat" and instance.quote and instance.ref:
        _quoted(instance)


def _released(post: Post) -> None:
    """A director has released an announcement's wording: it is told now."""
    held = Notice.objects.filter(game=post.game_id, kind="announcement", room="", about=post.minute, state="queued")
    held.update(not_before=F("made_at"))


def _but(ways: Iterable[Ways], post: Post) -> list[Ways]:
    """All but who wrote it."""
    return [way for way in ways if way.account_id != post.author_id]


def _den(post: Post) -> None:
    den = int(post.room[4:])
    seats = list(DenSeat.objects.filter(game=post.game_id, den=den, since__lte=post.minute).values_list("seat", flat=True))
    path = reverse("town:den", args=[post.game_id, den])
    for seat, way in plan.players(post.game, seats, but=post.author_id or 0) if seats else ():
        _talk(post, "den", seat, way, path)


def _line(post: Post) -> None:
    seat = int(post.room[5:])
    if post.voice == "director":
        path = reverse("town:line", args=[post.game_id])
        for _seat, way in plan.players(post.game, [seat]):
            _talk(post, "line", seat, way, path)
        for way in plan.advisers(post.game, seat):
            _talk(post, "line", seat, way, path)
    else:
        for way in _but(plan.directors(post.game), post):
            _talk(post, "line", 0, way, reverse("town:line_of", args=[post.game_id, seat]))


def _talk(post: Post, kind: str, seat: int, way: Ways, path: str) -> None:
    """Talk in a room: told once, and again only when what was told of has been read."""
    read = Mark.objects.filter(account=way.account_id, game=post.game_id, room=post.room).values_list("floor", flat=True).first() or 0
    unread = Notice.objects.filter(account=way.account_id, game=post.game_id, room=post.room, about__gt=read, state__in=WAITING)
    if not unread.exists():
        what = What(kind, f"{post.room} {post.floor}", path, post.at + BURST, about=post.floor, seat=seat, room=post.room)
        plan.queue(post.game, what, [way], post.at)


def _quoted(post: Post) -> None:
    """Somebody's post was quoted; its floor is not known yet, so the journal's numbers name both."""
    quoted = Post.objects.filter(game=post.game_id, ref=post.quote, voice="seat").exclude(seat=post.seat).first()
    if quoted is not None:
        path = reverse("town:ref", args=[post.game_id, post.ref])
        for seat, way in plan.players(post.game, [quoted.seat]):
            plan.queue(post.game, What("quoted", f"{post.ref}", path, post.at + BURST, seat=seat), [way], post.at)


def requested(instance: Request, created: bool, raw: bool = False, **_: Any) -> None:
    """A player asks something of the directors."""
    if created and not raw:
        path = reverse("desk:desk", args=[instance.game_id])
        plan.queue(instance.game, What("line", f"request {instance.pk}", path, instance.at), plan.directors(instance.game), instance.at)


def seated(instance: Tenure, created: bool, raw: bool = False, **_: Any) -> None:
    """Somebody sits down in a game that was dealt, at the deal itself or as a substitute: what lies ahead is told to them too."""
    game = instance.game
    way = Ways.objects.filter(account=instance.account_id).first() if created and not raw and game.journal is not None else None
    if way is not None and game.journal is not None:
        projector.plan_seat(game, game.journal, instance.seat if instance.kind == "player" else 0, way, instance.since)
