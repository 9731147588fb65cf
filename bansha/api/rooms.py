"""Rooms and posts as the interface hands them out: everything comes through `readable`."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db.models import Max

from bansha.api.shapes import PostFacts, Receipt, RoomFacts
from bansha.town.acts import may_speak
from bansha.town.frames import byline
from bansha.town.models import Post, Thread
from bansha.town.readable import readable
from bansha.town.table import Table

MOST = 200
"""Posts in one answer at most."""


def kept_as(table: Table, room: str) -> str:
    """The name a room has among the town's rows: one's own tree hole is `hole` outside."""
    return f"hole-{table.account.pk}" if room == "hole" and table.account is not None else room


def rooms(table: Table, acts: bool) -> list[RoomFacts]:
    """The rooms this viewer may read, the public ones first. `acts`: whether it may write at all."""
    threads = list(Thread.objects.filter(game=table.game).order_by("day", "kind"))
    today = max((thread.day for thread in threads), default=0)
    may = table.rooms
    open_ = {"reveal": acts and may_speak(table), "process": acts and table.seat > 0 and may.writes}
    found = [
        RoomFacts(thread.room, thread.kind, thread.day, 0, open_.get(thread.kind, open_["process"] and thread.day == today))  # type: ignore[arg-type]
        for thread in threads
    ]
    found += [RoomFacts(f"den-{den.den}", "den", 0, 0, acts and den.writes) for den in may.dens]
    lines = table.personas if may.all and not may.revealed else [may.line] if may.line else []
    found += [RoomFacts(f"line-{seat}", "line", 0, 0, acts and seat == table.seat) for seat in lines]
    if may.log:
        found.append(RoomFacts("log", "log", 0, 0, False))
    if table.account is not None:
        found.append(RoomFacts("hole", "hole", 0, 0, acts))
    newest = dict(readable(table).values_list("room").annotate(Max("floor")).order_by())
    for facts in found:
        facts.newest = newest.get(kept_as(table, facts.room), 0)
    return found


def posts(table: Table, room: str, after: int, most: int) -> tuple[list[PostFacts], bool]:
    """The posts of a room after a floor, and whether there are later ones."""
    rows = list(readable(table).filter(room=kept_as(table, room), floor__gt=after).order_by("floor")[: most + 1])
    return [facts_of(table, post) for post in rows[:most]], len(rows) > most


def facts_of(table: Table, post: Post) -> PostFacts:
    """A post as this viewer may see it."""
    room = "hole" if post.room == kept_as(table, "hole") else post.room
    return PostFacts(
        room, post.floor, post.voice, post.seat, post.ref, post.body, post.words, post.quote, post.note,  # type: ignore[arg-type]
        byline(post, table)[0], post.minute, iso(post.at), receipt_of(table, post),
    )  # fmt: skip


def receipt_of(table: Table, post: Post) -> Receipt | None:
    """What became of a vote: in force or void, for everybody; refused, for its author and the directors."""
    kept = post.receipt or {}
    if kept.get("state") in ("vote", "change"):
        return Receipt(kept["state"], kept["ballot"], kept["target"], kept.get("void"), "", "", "", "")
    own = table.viewer.seat if table.viewer.kind in ("player", "assistant") else 0
    if kept.get("state") == "refused" and (table.sees_all or (own and post.seat == own)):
        return Receipt("refused", kept["ballot"], None, None, str(kept["target"]), kept["code"], kept["zh"], kept["en"])
    return None


def iso(moment: datetime) -> str:
    """A real moment, UTC."""
    return moment.astimezone(UTC).isoformat()
