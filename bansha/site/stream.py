"""The live stream (server-sent events): new posts of a room, "something public has changed", "something waits for you".

Two halves. `Watch` is plain code with the ORM, run in one thread: it looks what is new and renders each post once for an
audience, however many read. `Hub` is asyncio without any ORM: it holds the readers and hands them what `Watch` found.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from django.db import DatabaseError, close_old_connections
from django.db.models import Count, Max, Q
from django.utils import translation

from bansha.journal import doors
from bansha.journal.time import now
from bansha.sight.types import PUBLIC, PublicView
from bansha.town import tickets
from bansha.town.frames import audience, frame
from bansha.town.models import Game, Post
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.tickets import Ticket

log = logging.getLogger("bansha.stream")

LOOK = 0.5
"""Seconds between two looks at the games somebody watches."""
PING = 15.0
RECHECK = 30.0
"""Seconds after which even a quiet game's readers are asked for their places again."""
MOST = 200
"""Posts sent at once; who has missed more is told to load the page."""
WAITING = 100
"""Messages kept for a slow reader; beyond, its stream ends and it asks again."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Message(NamedTuple):
    """One event of the stream. `floor`: of a post, 0 for others."""

    event: str
    data: dict[str, Any]
    floor: int = 0

    def encode(self) -> bytes:
        """As it goes over the wire."""
        id = f"id: {self.data['room']}:{self.floor}\n" if self.floor else ""
        return f"{id}event: {self.event}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


PHASE = Message("phase", {})
PROMPT = Message("prompt", {})
RELOAD = Message("reload", {})
END = Message("end", {})


class Ask(NamedTuple):
    """What one reader wants to know: what came after this floor."""

    ticket: Ticket
    after: int


class Found(NamedTuple):
    """What a look brought: messages by reader; a reader that is not in it has lost its place."""

    messages: dict[int, list[Message]]


class _Seen:
    """What was seen of a game at the last look."""

    def __init__(self, stamp: tuple[object, ...], public: PublicView) -> None:
        self.stamp = stamp
        self.public = public
        self.mine: dict[int, tuple[object, ...]] = {}


class Watch:
    """Looks at games, in one thread."""

    def __init__(self) -> None:
        self.seen: dict[int, _Seen] = {}

    def join(self, ask: Ask) -> list[Message] | None:
        """Begin to watch: what was missed since, or None when the ticket's holder has no place there."""
        table = tickets.admit(ask.ticket, now())
        if table is None:
            return None
        if ask.ticket.game not in self.seen:
            stamp = self.stamps([ask.ticket.game])[ask.ticket.game]
            self.seen[ask.ticket.game] = _Seen(stamp, self.public(table.game))
        self._mine(self.seen[ask.ticket.game], table)
        return self._posts(table, ask)

    def leave(self, game: int) -> None:
        """Nobody watches a game any more."""
        self.seen.pop(game, None)

    def stamps(self, games: Iterable[int]) -> dict[int, tuple[object, ...]]:
        """What changes when something happens in a game: its journal's head, its newest post, announcements held back."""
        rows = list(Game.objects.filter(pk__in=list(games)).values_list("pk", "journal", "status"))
        heads = doors.heads([journal for _, journal, _ in rows if journal is not None])
        held = Count("pk", filter=Q(held_until__gt=now()))
        posts = {row["game"]: (row["last"], row["held"]) for row in
                 Post.objects.filter(game__in=[row[0] for row in rows]).values("game").annotate(last=Max("pk"), held=held)}  # fmt: skip
        return {pk: (heads.get(journal or 0), status, *posts.get(pk, (0, 0))) for pk, journal, status in rows}

    def public(self, game: Game) -> PublicView:
        """What everybody knows of a game."""
        assert game.journal is not None
        return doors.see(game.journal, PUBLIC).view.public

    def look(self, asks: dict[int, Ask], all_of_them: bool) -> Found:
        """One look for these readers: what is new for each, in games where something happened (or in all). A message list is
        shared by all readers of an audience."""
        moment = now()
        by_game: dict[int, list[int]] = defaultdict(list)
        for reader, ask in asks.items():
            by_game[ask.ticket.game].append(reader)
        found: dict[int, list[Message]] = {}
        for game, stamp in self.stamps(by_game).items():
            seen = self.seen.get(game)
            if seen is None or (stamp == seen.stamp and not all_of_them):
                found.update((reader, []) for reader in by_game[game])
                continue
            seen.stamp = stamp
            shared: dict[tuple[object, ...], list[Message]] = {}
            tables = {reader: tickets.admit(asks[reader].ticket, moment) for reader in by_game[game]}
            told = self._change(seen, [table for table in tables.values() if table is not None])
            for reader, table in tables.items():
                if table is not None:
                    ask = asks[reader]
                    key = (ask.ticket.room, ask.ticket.language, audience(table), ask.after)
                    if key not in shared:
                        shared[key] = self._posts(table, ask)
                    found[reader] = [*shared[key], *told[None], *told.get(table.seat, [])]
        return Found(found)

    def _change(self, seen: _Seen, tables: list[Table]) -> dict[int | None, list[Message]]:
        """What to tell everybody (None), and what a seat: that something public has changed, that something waits."""
        told: dict[int | None, list[Message]] = {None: []}
        if tables:
            public = self.public(tables[0].game)
            if public != seen.public:
                seen.public = public
                told[None] = [PHASE]
        for table in tables:
            if table.seat and table.seat not in told and self._mine(seen, table):
                told[table.seat] = [PROMPT]
        return told

    def _mine(self, seen: _Seen, table: Table) -> bool:
        """Whether something new waits for a seat since it was looked at last."""
        me = table.me
        if me is None or not table.seat:
            return False
        waits = (me.prompt, me.last_words, me.surrender == "asked", len(me.told))
        before = seen.mine.get(table.seat, waits)
        seen.mine[table.seat] = waits
        return any(new and new != old for new, old in zip(waits, before, strict=True))

    def _posts(self, table: Table, ask: Ask) -> list[Message]:
        """The posts of the room after a floor, each a frame in the reader's language."""
        room = ask.ticket.room
        if not room:
            return []
        posts = list(readable(table).filter(room=room, floor__gt=ask.after).order_by("floor")[: MOST + 1])
        if len(posts) > MOST:
            return [RELOAD]
        shown = "hole" if room.startswith("hole-") else room
        with translation.override(ask.ticket.language):
            made = [(post.floor, frame(post, table)) for post in posts]
        return [Message("post", {"room": shown, "floor": floor, "html": html}, floor) for floor, html in made if html]


class Reader:
    """Somebody who reads a stream."""

    def __init__(self, ticket: Ticket, after: int) -> None:
        self.ticket = ticket
        self.floor = after
        self.queue: asyncio.Queue[Message] = asyncio.Queue()

    def give(self, messages: list[Message]) -> None:
        """Hand messages over; a post that it has is left out."""
        for message in messages:
            if not message.floor or message.floor > self.floor:
                self.floor = max(self.floor, message.floor)
                self.queue.put_nowait(message)


class Hub:
    """All readers, and the task that looks for them. `stopping` is asked whether the process is to end."""

    def __init__(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self.stopping = stopping
        self.watch = Watch()
        self.readers: dict[int, Reader] = {}
        self.number = 0
        self.thread = ThreadPoolExecutor(1, "bansha-stream")
        self.task: asyncio.Task[None] | None = None

    async def run(self, job: Callable[..., Any], *arguments: Any) -> Any:
        """Run plain code in the one thread that talks to the database."""

        def fresh() -> Any:
            close_old_connections()
            return job(*arguments)

        return await asyncio.get_running_loop().run_in_executor(self.thread, fresh)

    async def enter(self, ticket: Ticket, after: int) -> tuple[int, Reader] | None:
        """A new reader, with what it missed waiting in its queue; None when it has no place there."""
        missed = await self.run(self.watch.join, Ask(ticket, after))
        if missed is None:
            return None
        reader = Reader(ticket, after)
        reader.give(missed)
        self.number += 1
        self.readers[self.number] = reader
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self.watching())
        return self.number, reader

    async def leave(self, number: int) -> None:
        """A reader has gone."""
        reader = self.readers.pop(number, None)
        if reader is not None and all(other.ticket.game != reader.ticket.game for other in self.readers.values()):
            await self.run(self.watch.leave, reader.ticket.game)

    async def watching(self) -> None:
        """Look as long as somebody reads."""
        loop = asyncio.get_running_loop()
        checked = loop.time()
        while self.readers and not self.stopping():
            await asyncio.sleep(LOOK)
            every = loop.time() - checked > RECHECK
            if every:
                checked = loop.time()
            try:
                await self.deliver(every)
            except DatabaseError as error:
                log.warning("the database does not answer (%s); trying again", error)
        for reader in self.readers.values():
            reader.give([END])

    async def deliver(self, every: bool = False) -> None:
        """One look, and what it brought to each reader."""
        asks = {number: Ask(reader.ticket, reader.floor) for number, reader in self.readers.items()}
        found: Found = await self.run(self.watch.look, asks, every)
        for number in asks:
            reader = self.readers.get(number)
            if reader is not None:
                full = reader.queue.qsize() > WAITING
                reader.give([END] if full or number not in found.messages else found.messages[number])


class Stream:
    """The ASGI application: GET …/stream/?t=TICKET[&after=FLOOR]."""

    def __init__(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self.hub = Hub(stopping)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        query = parse_qs(scope["query_string"].decode("latin-1"))
        found = scope["path"].rstrip("/").endswith("stream") and scope["method"] == "GET"
        ticket = tickets.check(query.get("t", [""])[0], now()) if found else None
        entered = await self.hub.enter(ticket, _after(scope, query, ticket)) if ticket is not None else None
        if entered is None:
            await _refuse(send, 403 if found else 404)
            return
        number, reader = entered
        sending = asyncio.create_task(self._send(reader, send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, gone):
                task.cancel()
                with suppress(asyncio.CancelledError, OSError):
                    await task
            await self.hub.leave(number)

    async def _send(self, reader: Reader, send: Send) -> None:
        """Everything this reader gets, until its stream ends."""
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": b"retry: 1000\n: here\n\n", "more_body": True})
        while True:
            try:
                message = await asyncio.wait_for(reader.queue.get(), PING)
            except TimeoutError:
                await send({"type": "http.response.body", "body": b"event: ping\ndata: {}\n\n", "more_body": True})
                continue
            last = message is END
            await send({"type": "http.response.body", "body": message.encode(), "more_body": not last})
            if last:
                return


HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"access-control-allow-origin", b"*"),
    (b"x-content-type-options", b"nosniff"),
]


def _after(scope: Scope, query: dict[str, list[str]], ticket: Ticket) -> int:
    """From which floor on: what the browser has last seen of this room, what the page says, or what the ticket says."""
    headers = dict(scope["headers"])
    room, _, floor = headers.get(b"last-event-id", b"").decode("latin-1").rpartition(":")
    shown = "hole" if ticket.room.startswith("hole-") else ticket.room
    if room == shown and floor.isdecimal() and len(floor) < 10:
        return int(floor)
    given = query.get("after", [""])[0]
    return int(given) if given.isdecimal() and len(given) < 10 else ticket.floor


async def _gone(receive: Receive) -> None:
    """Wait until the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, status: int) -> None:
    """No stream: the ticket is not ours, too old, or its holder has no place there (any more)."""
    await send({"type": "http.response.start", "status": status, "headers": [*HEADERS[1:], (b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b""})
