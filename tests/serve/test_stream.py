"""What the stream tells whom: a post once for an audience, changes of the public view, prompts; and when it ends."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bansha.journal import doors
from bansha.journal.time import now
from bansha.site import stream
from bansha.site.stream import END, PHASE, PROMPT, Ask, Hub, Message, Reader, Stream, Watch
from bansha.town import acts, tickets
from bansha.town.models import Account, Game, Tenure
from bansha.town.table import Table
from bansha.town.tickets import Ticket
from tests.support.town import Clock, account, client, seated, seats_of


def at(game: Game, name: str = "") -> Table:
    """Somebody's table now."""
    return Table(game, Account.objects.get(username=name) if name else None)


def ticket(game: Game, name: str = "", room: str = "") -> Ticket:
    """Somebody's ticket, as a page would carry it."""
    found = tickets.check(tickets.make(at(game, name), room), now())
    assert found is not None
    return found


def opened(clock: Clock, seed: int) -> Game:
    """A game on its first morning."""
    clock.at(1, 9, 1)
    game: Game = seated(seed=seed)
    assert game.journal is not None
    doors.strike(game.journal, now())
    game.refresh_from_db()
    return game


def stream_of(game: Game, name: str) -> str:
    """The address on somebody's page of the first day's thread."""
    page = client(name).get(f"/g/{game.pk}/t/talk-1/").content.decode()
    found = re.search(r'data-stream="([^"]+)"', page)
    assert found is not None
    return found.group(1)


def floors(messages: list[Message]) -> list[int]:
    return [message.floor for message in messages if message.floor]


def test_a_post_is_made_once_for_an_audience(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    game = opened(clock, 31)
    watch = Watch()
    asks = {n: Ask(ticket(game, name, "talk-1"), 2) for n, name in enumerate(["", "", "director", "director2", "player3", "player4"])}
    assert all(watch.join([ask])[0] == [] for ask in asks.values())
    assert watch.look(asks, False).messages == {n: [] for n in asks}
    acts.say(at(game, "player3"), "talk-1", "早上好")
    made: list[int] = []
    frame = stream.frame
    monkeypatch.setattr(stream, "frame", lambda post, table: (made.append(post.floor), frame(post, table))[1])
    found = watch.look(asks, False).messages
    assert [floors(found[n]) for n in asks] == [[3]] * 6
    assert len(made) == 4, "visitors, directors, seat 3, seat 4"
    assert found[0][0] is found[1][0]
    assert all("早上好" in found[n][0].data["html"] for n in asks)
    assert watch.look(asks | {n: Ask(ask.ticket, 3) for n, ask in asks.items()}, False).messages == {n: [] for n in asks}


def test_many_readers_cost_no_more_questions_than_few(clock: Clock) -> None:
    game = opened(clock, 39)
    for number in range(40):
        if not Account.objects.filter(username=f"crowd{number}").exists():
            Account.objects.create(username=f"crowd{number}", password="!")
    few = ["", "crowd0", "director", "player3"]
    watch = Watch()

    def asked(names: list[str]) -> int:
        asks = {n: Ask(ticket(game, name, "talk-1"), 2) for n, name in enumerate(names)}
        watch.seen.clear()
        assert None not in watch.join(list(asks.values()))
        acts.say(at(game, "player3"), "talk-1", "又一帖")
        with CaptureQueriesContext(connection) as questions:
            found = watch.look(asks, False).messages
        assert all(floors(found[n]) for n in asks)
        return len(questions)

    asked(few)  # what a process keeps of a game is there
    assert asked([*few, *(f"crowd{number}" for number in range(1, 40)), *([""] * 40), *(["player3"] * 5)]) == asked(few)


def test_what_stands_later_than_it_was_begun_is_found_when_it_rings(clock: Clock) -> None:
    game = opened(clock, 40)
    watch = Watch()
    asks = {0: Ask(ticket(game, "player4", "hole"), 0)}
    watch.join(list(asks.values()))
    acts.whisper(at(game, "player4"), "hole", "没有人看见我")
    watch.seen[game.pk].stamp = watch.stamps([game.pk])[game.pk]  # as if something later had been seen first
    assert watch.look(asks, False).messages == {0: []}
    assert game.journal is not None
    assert floors(watch.look(asks, False, {game.journal}).messages[0]) == [1]


def test_hidden_acts_tell_nobody_anything(clock: Clock) -> None:
    game = opened(clock, 32)
    wolf = seats_of(game, "wolf")[0]
    seer = seats_of(game, "seer")[0]
    watch = Watch()
    clock.at(1, 21, 1)
    assert game.journal is not None
    doors.strike(game.journal, now())
    asked = [ticket(game, "", "talk-1"), ticket(game, f"player{seer}"), ticket(game, f"player{wolf}", "den-0")]
    asks = {n: Ask(ticket_, 0) for n, ticket_ in enumerate(asked)}
    missed = {n: watch.join([ask])[0] for n, ask in asks.items()}
    asks = {n: Ask(ask.ticket, max(floors(missed[n] or []), default=0)) for n, ask in asks.items()}
    acts.whisper(at(game, f"player{wolf}"), "den-0", "今晚找谁")
    found = watch.look(asks, False).messages
    assert (found[0], found[1], floors(found[2])) == ([], [], [1])
    me = at(game, f"player{seer}").me
    assert me is not None
    read = next(skill for skill in me.skills if skill.verb == "read")
    acts.hand_in(at(game, f"player{seer}"), {read.index: read.targets[:1]})
    assert watch.look({n: Ask(ask.ticket, 1 if n == 2 else ask.after) for n, ask in asks.items()}, False).messages[0] == []


def test_what_changes_in_public_and_what_waits_is_told(clock: Clock) -> None:
    game = opened(clock, 33)
    watch = Watch()
    seer = seats_of(game, "seer")[0]
    clock.at(1, 20, 59)
    asks = {0: Ask(ticket(game), 0), 1: Ask(ticket(game, f"player{seer}"), 0)}
    assert [watch.join([ask])[0] for ask in asks.values()] == [[], []]
    clock.at(1, 21, 0)
    assert game.journal is not None
    doors.strike(game.journal, now())
    assert watch.look(asks, False).messages == {0: [PHASE], 1: [PHASE]}
    me = at(game, f"player{seer}").me
    assert me is not None
    skill = next(skill for skill in me.skills if skill.verb == "read")
    acts.hand_in(at(game, f"player{seer}"), {skill.index: skill.targets[:1]})
    clock.at(1, 22, 30)
    doors.strike(game.journal, now())
    found = watch.look(asks, False).messages
    assert PROMPT in found[1] and PROMPT not in found[0], "an answer has come"


def test_a_stream_ends_when_the_seat_changes_hands_or_the_ticket_is_old(clock: Clock) -> None:
    game = opened(clock, 34)
    watch = Watch()
    asks = {0: Ask(ticket(game, "player5", "talk-1"), 2), 1: Ask(ticket(game, "", "talk-1"), 2)}
    for ask in asks.values():
        watch.join([ask])
    Tenure.objects.filter(game=game, seat=5, until=None).update(until=now())
    Tenure.objects.create(game=game, seat=5, account=Account.objects.filter(username="later").first() or account("later"), since=now())
    assert set(watch.look(asks, True).messages) == {1}
    assert watch.join([asks[0]])[0] is None
    clock.set(now() + timedelta(hours=8))
    assert watch.look(asks, False).messages == {}, "its time is over, whether anything has happened in the game or not"
    assert tickets.check(tickets.make(at(game), "talk-1") + "x", now()) is None


@pytest.mark.parametrize(
    ("name", "room"), [("", "den-0"), ("player1", "line-2"), ("", "hole"), ("player2", "log"), ("", "talk-9"), ("", "words")]
)
def test_a_room_that_is_not_open_to_somebody_has_no_stream(clock: Clock, name: str, room: str) -> None:
    game = opened(clock, 35)
    assert Watch().join([Ask(ticket(game, name, room), 0)]) == [None]


def test_pages_carry_the_address_of_their_stream(clock: Clock) -> None:
    game = opened(clock, 36)
    address = stream_of(game, "player2")
    found = tickets.check(address.partition("?t=")[2], now())
    assert found is not None and (found.room, found.kind, found.seat) == ("talk-1", "player", 2)
    assert stream_of(game, "player2") == address, "the same all through the hour"


async def _request(app: Stream, query: str, last: bytes = b"", seconds: float = 1.2) -> list[Any]:
    """What the application sends to a browser that stays for a while."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(seconds)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"last-event-id", last)] if last else []
    scope = {"type": "http", "method": "GET", "path": "/stream/", "query_string": query.encode(), "headers": headers}
    await app(scope, receive, send)
    return sent


def test_a_browser_comes_back_where_it_was(clock: Clock) -> None:
    game = opened(clock, 37)
    for text in ("一", "二", "三"):
        acts.say(at(game, "player3"), "talk-1", text)
    made = tickets.make(at(game), "talk-1")

    def ids(sent: list[Any]) -> list[str]:
        text = b"".join(message.get("body", b"") for message in sent).decode()
        events = [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line[1:]) for block in text.split("\n\n")]
        assert all(json.loads(event["data"])["room"] == "talk-1" for event in events if event.get("event") == "post")
        return [event["id"] for event in events if "id" in event]

    # the event loop's threads have database connections of their own: what they see is committed
    assert ids(asyncio.run(_request(Stream(), f"t={made}"))) == []
    assert ids(asyncio.run(_request(Stream(), f"t={made}&after=3"))) == ["talk-1:4", "talk-1:5"]
    assert ids(asyncio.run(_request(Stream(), f"t={made}&after=0", b"talk-1:4"))) == ["talk-1:5"]
    assert asyncio.run(_request(Stream(), "t=nonsense"))[0]["status"] == 403


def test_a_slow_reader_is_sent_away_and_a_stopping_server_ends_streams(clock: Clock) -> None:
    game = opened(clock, 38)
    made = ticket(game, "", "talk-1")

    async def stops() -> list[Message]:
        hub = Hub(lambda: True)
        entered = await hub.enter(made, 2)
        assert entered is not None and hub.task is not None
        await hub.task
        return [entered[1].queue.get_nowait()]

    assert asyncio.run(stops()) == [END]

    async def slow() -> Message:
        hub = Hub()
        reader = hub.readers[1] = Reader(made, 2)
        await hub.run(hub.watch.join, [Ask(made, 2)])
        for _ in range(stream.WAITING + 1):
            reader.queue.put_nowait(PHASE)
        await hub.deliver()
        return [reader.queue.get_nowait() for _ in range(reader.queue.qsize())][-1]

    assert asyncio.run(slow()) == END

    async def stuck() -> bool:
        """Somebody whose connection takes nothing: it is given up, and kept in no list."""
        app = Stream()
        taken = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Any) -> None:
            if message.get("body", b"").startswith(b"event"):
                taken.set()
                await asyncio.Event().wait()

        scope = {"type": "http", "method": "GET", "path": "/stream/", "query_string": f"t={text}&after=2".encode(), "headers": []}
        serving = asyncio.create_task(app(scope, receive, send))
        while not app.hub.readers:
            await asyncio.sleep(0.01)
        reader = next(iter(app.hub.readers.values()))
        reader.give([PHASE])
        await taken.wait()
        for _ in range(stream.WAITING + 1):
            reader.give([PHASE])
        await asyncio.wait_for(serving, 20)
        return not app.hub.readers

    text = tickets.make(at(game), "talk-1")
    assert asyncio.run(stuck())
