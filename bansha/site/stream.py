"""The live stream (server-sent events): new posts of a room, "something public has changed", "something waits for you".

Two halves. `Watch` is plain code with the ORM, run in one thread: it looks what is new and renders each post once for an
audience, however many read. `Hub` is asyncio without any ORM: it holds the readers and hands them what `Watch` found.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from django.db import Error, close_old_connections
from django.db.models import Count, OuterRef, Q, Subquery
from django.utils import translation

from bansha.journal import doors
from bansha.journal.faults import Patience, reopen
from bansha.journal.time import now
from bansha.sight.types import PUBLIC, PublicView
from bansha.town import reading, tickets
from bansha.town.floors import HELD
from bansha.town.frames import audience, frame
from bansha.town.models import Game, Post
from bansha.town.table import Table
from bansha.town.tickets import Ticket

log = logging.getLogger("bansha.stream")

LOOK = 0.5
"""Seconds between two looks at the games somebody watches."""
PING = 15.0
"""Seconds without anything else after which a reader is told that its stream is alive."""
RECHECK = 30.0
"""Seconds after which even a quiet game's readers are asked for their places again."""
MOST = 200
"""Posts sent at once; who has missed more is told to load the page."""
WAITING = 100
"""Messages kept for a slow reader; beyond, its stream ends and it asks again."""
GATHER = 0.03
"""Seconds to wait after the bell for what is written at the same time."""
CROWD = 500
"""Readers admitted at once."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class Message:
    """One event of the stream, shared by everybody who gets it. `floor`: of a post, 0 for others."""

    event: str
    data: dict[str, Any]
    floor: int = 0

    @cached_property
    def wire(self) -> bytes:
        """As it goes over the wire."""
        id = f"id: {self.data['room']}:{self.floor}\n" if self.floor else ""
        return f"{id}event: {self.event}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


PHASE = Message("phase", {})
PROMPT = Message("prompt", {})
RELOAD = Message("reload", {})
END = Message("end", {})
ALIVE = Message("ping", {})


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

    def join(self, asks: Sequence[Ask]) -> list[list[Message] | None]:
        """Begin to watch: for each what was missed since, or None when the ticket's holder has no place there."""
        tables = tickets.admit_all((ask.ticket for ask in asks), now())
        new = {ticket.game: table for ticket, table in tables.items() if ticket.game not in self.seen}
        stamps = self.stamps(new)
        for game, table in new.items():
            self.seen[game] = _Seen(stamps[game], self.public(table.game))
        for table in {id(table): table for table in tables.values()}.values():
            self._mine(self.seen[table.game.pk], table)
        admitted = {number: ask for number, ask in enumerate(asks) if ask.ticket in tables}
        missed = self._posts(admitted, tables)
        return [missed[number] if number in admitted else None for number in range(len(asks))]

    def leave(self, game: int) -> None:
        """Nobody watches a game any more."""
        self.seen.pop(game, None)

    def stamps(self, games: Iterable[int]) -> dict[int, tuple[object, ...]]:
        """What changes when something happens in a game: its journal's head, its newest post, announcements that wait for a
        review, and how many of them have had their hour. The index answers, however many posts there are."""
        games = list(games)
        newest = Subquery(Post.objects.filter(game=OuterRef("pk")).order_by("-pk").values("pk")[:1])
        rows = list(Game.objects.filter(pk__in=games).values_list("pk", "journal", "status", newest)) if games else []
        heads = doors.heads([journal for _, journal, _, _ in rows if journal is not None])
        due = Count("pk", filter=Q(held_until__lte=now()))
        counted = Post.objects.filter(game__in=games, room=HELD).values("game").annotate(held=Count("pk"), due=due)
        held = {row["game"]: (row["held"], row["due"]) for row in counted} if games else {}
        return {pk: (heads.get(journal or 0), status, last, held.get(pk), journal) for pk, journal, status, last in rows}

    def public(self, game: Game) -> PublicView:
        """What everybody knows of a game."""
        assert game.journal is not None
        return doors.see(game.journal, PUBLIC).view.public

    def look(self, asks: dict[int, Ask], all_of_them: bool, rung: Collection[int] = ()) -> Found:
        """One look for these readers: what is new for each, in games where something happened (or in all); also in those whose
        journal has `rung`: what was begun earlier and stands only now moves no mark. A message is shared by all readers of an
        audience."""
        by_game: dict[int, list[int]] = defaultdict(list)
        moment = now()
        for reader, ask in asks.items():
            if tickets.lasts(ask.ticket, moment):  # else it ends now, not when something happens in the game, which would tell
                by_game[ask.ticket.game].append(reader)
        found: dict[int, list[Message]] = {}
        concerned: dict[int, Ask] = {}
        for game, stamp in self.stamps(by_game).items():
            seen = self.seen.get(game)
            if seen is None or (stamp == seen.stamp and not all_of_them and stamp[-1] not in rung):
                found.update((reader, []) for reader in by_game[game])
            else:
                seen.stamp = stamp
                concerned.update((reader, asks[reader]) for reader in by_game[game])
        if not concerned:
            return Found(found)
        tables = tickets.admit_all({ask.ticket for ask in concerned.values()}, moment)
        distinct: dict[int, dict[int, Table]] = defaultdict(dict)
        for table in tables.values():
            distinct[table.game.pk][id(table)] = table
        told = {game: self._change(self.seen[game], list(those.values())) for game, those in distinct.items()}
        admitted = {reader: ask for reader, ask in concerned.items() if ask.ticket in tables}
        for reader, posts in self._posts(admitted, tables).items():
            table = tables[admitted[reader].ticket]
            here = told[table.game.pk]
            more = here[None] + here.get(table.seat, []) if table.seat else here[None]
            found[reader] = posts + more if more else posts
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

    def _posts(self, asks: Mapping[int, Ask], tables: Mapping[Ticket, Table]) -> dict[int, list[Message]]:
        """For each reader the posts of the room after its floor. What an audience reads in one room and language is asked for
        and rendered once, from the floor of whoever has seen least."""
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for reader, ask in asks.items():
            ticket = ask.ticket
            groups[ticket.game, ticket.room, ticket.language, audience(tables[ticket])].append(reader)
        found: dict[int, list[Message]] = {}
        for readers in groups.values():
            made: dict[int, list[Message]] = {}
            first = asks[readers[0]].ticket
            seen = sorted({asks[reader].after for reader in readers})
            new = self._frames(tables[first], first, seen[0])
            for after in seen:
                if new is None:  # too many for somebody: each floor by itself
                    own = self._frames(tables[first], first, after)
                    made[after] = [RELOAD] if own is None else own
                else:
                    made[after] = [message for message in new if message.floor > after]
            found.update((reader, made[asks[reader].after]) for reader in readers)
        return found

    def _frames(self, table: Table, ticket: Ticket, after: int) -> list[Message] | None:
        """The posts of the ticket's room after a floor, each a frame in its language; None when they are too many to send."""
        room = ticket.room
        if not room:
            return []
        posts = list(reading.posts_in(table, room).filter(floor__gt=after)[: MOST + 1])
        if len(posts) > MOST:
            return None
        shown = "hole" if room.startswith("hole-") else room
        with translation.override(ticket.language):
            made = [(post.floor, frame(post, table)) for post in posts]
        return [Message("post", {"room": shown, "floor": floor, "html": html}, floor) for floor, html in made if html]


class Reader:
    """Somebody who reads a stream. `dropped` is done once nothing more is sent: it was too slow."""

    def __init__(self, ticket: Ticket, after: int) -> None:
        self.ticket = ticket
        self.floor = after
        self.queue: asyncio.Queue[Message] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        self.dropped: asyncio.Future[None] = loop.create_future()
        self.told = loop.time()

    def give(self, messages: Sequence[Message]) -> None:
        """Hand messages over; a post that it has is left out."""
        self.told = asyncio.get_running_loop().time()
        for message in messages:
            if not message.floor or message.floor > self.floor:
                self.floor = max(self.floor, message.floor)
                self.queue.put_nowait(message)

    def drop(self) -> None:
        """It does not take what it is sent: it gets no more, and its connection is closed."""
        self.queue.put_nowait(END)
        if not self.dropped.done():
            self.dropped.set_result(None)


class Hub:
    """All readers, and the task that looks for them. `stopping` is asked whether the process is to end."""

    def __init__(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self.stopping = stopping
        self.watch = Watch()
        self.readers: dict[int, Reader] = {}
        self.number = 0
        self.thread = ThreadPoolExecutor(1, "bansha-stream")
        self.task: asyncio.Task[None] | None = None
        self.coming: list[tuple[Ask, asyncio.Future[list[Message] | None]]] = []
        self.door: asyncio.Task[None] | None = None
        self.rung: set[int] = set()
        self.bell = asyncio.Event()
        self.listener: doors.Listener | None = None

    async def run(self, job: Callable[..., Any], *arguments: Any) -> Any:
        """Run plain code in the one thread that talks to the database."""

        def fresh() -> Any:
            close_old_connections()
            reopen()
            return job(*arguments)

        return await asyncio.get_running_loop().run_in_executor(self.thread, fresh)

    async def enter(self, ticket: Ticket, after: int) -> tuple[int, Reader] | None:
        """A new reader, with what it missed waiting in its queue; None when it has no place there."""
        answer: asyncio.Future[list[Message] | None] = asyncio.get_running_loop().create_future()
        self.coming.append((Ask(ticket, after), answer))
        if self.door is None or self.door.done():
            self.door = asyncio.create_task(self._let_in())
        missed = await answer
        if missed is None:
            return None
        reader = Reader(ticket, after)
        reader.give(missed)
        self.number += 1
        self.readers[self.number] = reader
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self.watching())
        return self.number, reader

    async def _let_in(self) -> None:
        """Admit those who wait at the door, all that came meanwhile at once."""
        while self.coming:
            those, self.coming = self.coming[:CROWD], self.coming[CROWD:]
            try:
                answers = await self.run(self.watch.join, [ask for ask, _ in those])
            except Exception as error:
                for _, answer in those:
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for (_, answer), missed in zip(those, answers, strict=True):
                    if not answer.done():
                        answer.set_result(missed)

    async def leave(self, number: int) -> None:
        """A reader has gone."""
        reader = self.readers.pop(number, None)
        if reader is not None and all(other.ticket.game != reader.ticket.game for other in self.readers.values()):
            await self.run(self.watch.leave, reader.ticket.game)

    def listen(self) -> None:
        """Begin to listen for the bell, where there is one."""
        loop = asyncio.get_running_loop()

        def rang(journal: int) -> None:
            self.rung.add(journal)
            self.bell.set()

        def heard(journal: int) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(rang, journal)

        self.listener = doors.Listener(heard)
        self.listener.start()

    async def watching(self) -> None:
        """Look as long as somebody reads: when it rings, and every little while."""
        loop = asyncio.get_running_loop()
        checked = loop.time()
        patience, pause = Patience(log, LOOK), LOOK
        if doors.rings():
            self.listen()
        try:
            while self.readers and not self.stopping():
                if patience.tries:
                    await asyncio.sleep(pause)
                elif await self._rang(LOOK):
                    await asyncio.sleep(GATHER)
                for reader in self.readers.values():
                    if loop.time() - reader.told > PING:
                        reader.give([ALIVE])
                every = loop.time() - checked > RECHECK or patience.tries > 0
                if every:
                    checked = loop.time()
                try:
                    await self.deliver(every)
                    if patience.passed():  # whatever was lost of the look that failed
                        for reader in self.readers.values():
                            reader.give([PHASE])
                except Error as error:
                    pause = patience.met(error)
        finally:
            if self.listener is not None:
                self.listener.end()
        for reader in self.readers.values():
            reader.give([END])

    async def _rang(self, seconds: float) -> bool:
        """Wait so long, or until it rings; whether it did."""
        try:
            await asyncio.wait_for(self.bell.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def deliver(self, every: bool = False) -> None:
        """One look, and what it brought to each reader."""
        self.bell.clear()
        rung, self.rung = self.rung, set()
        asks = {number: Ask(reader.ticket, reader.floor) for number, reader in self.readers.items()}
        found: Found = await self.run(self.watch.look, asks, every, rung)
        for number in asks:
            reader = self.readers.get(number)
            if reader is None:
                continue
            if reader.queue.qsize() > WAITING:
                reader.drop()
            elif number not in found.messages:
                reader.give([END])
            elif found.messages[number]:
                reader.give(found.messages[number])


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
        try:
            entered = await self.hub.enter(ticket, _after(scope, query, ticket)) if ticket is not None else None
        except Error:
            await _refuse(send, 503)
            return
        if entered is None:
            await _refuse(send, 403 if found else 404)
            return
        number, reader = entered
        sending = asyncio.create_task(self._send(reader, send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({sending, gone, reader.dropped}, return_when=asyncio.FIRST_COMPLETED)
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
            messages = [await reader.queue.get()]
            while not reader.queue.empty():
                messages.append(reader.queue.get_nowait())
            last = END in messages
            await send({"type": "http.response.body", "body": b"".join(message.wire for message in messages), "more_body": not last})
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
    """No stream: the ticket is not ours, too old, or its holder has no place there (any more); or the database does not answer."""
    await send({"type": "http.response.start", "status": status, "headers": [*HEADERS[1:], (b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b""})
