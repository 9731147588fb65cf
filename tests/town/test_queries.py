"""A page asks the database the same number of questions, however long its thread, its game and the town's history are."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.sessions.backends.base import SessionBase
from django.db import connection
from django.http import HttpResponse
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town import acts, finished, roll
from bansha.town.memo import forget
from bansha.town.models import Account, Game, Post, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from tests.support.town import Clock, client, moment, seated, seats_of

READERS = ("", "onlooker", "player3", "director")


def asked(browser: Any, path: str) -> int:
    """How many questions a page asks; the same page was asked for before."""
    browser.get(path)
    with CaptureQueriesContext(connection) as questions:
        answer = browser.get(path)
    assert answer.status_code == 200, path
    return len(questions)


def talk(game: Any, room: str, posts: int) -> None:
    """Prolong a thread by so many posts of its personas, written as the projection would."""
    thread = Thread.objects.get(game=game, room=room)
    first = thread.floors + 1
    next_ref = (Post.objects.filter(game=game).order_by("-ref").values_list("ref", flat=True).first() or 0) + 1
    rows = (
        Post(
            game=game, room=room, floor=first + n, voice="seat", seat=n % 10 + 1, ref=next_ref + n, body=f"第{n}帖", html=f"<p>第{n}帖</p>",
            words=f"第{n}帖", at=moment(1, 9, 2), minute=29_000_000,
        )
        for n in range(posts)
    )  # fmt: skip
    Post.objects.bulk_create(rows, batch_size=2000)
    Thread.objects.filter(pk=thread.pk).update(floors=first + posts - 1)


@pytest.fixture(scope="module")
def onlooker(clock: Clock) -> None:
    from bansha.town.models import Account
    from tests.support.town import account

    if not Account.objects.filter(username="onlooker").exists():
        account("onlooker")


def addresses(game: Any, day: int, last: int) -> list[tuple[str, tuple[str, ...]]]:
    """The pages of a game that are counted, with who opens them."""
    g = f"/g/{game.pk}/"
    talk_page = f"{g}t/talk-{day}/"
    kinds = ("ballot", "election")
    ballot = Thread.objects.filter(game=game, day=day, kind__in=kinds).order_by("kind").values_list("room", flat=True)[0]
    return [
        (talk_page, READERS), (f"{talk_page}?page={last // 2 + 1}", READERS), (f"{talk_page}?page={last}", READERS),
        (f"{talk_page}?only=4", READERS), (f"{g}b/{ballot}/", READERS), (g, READERS), (f"{g}process/", READERS),
        (f"{g}letter/", ("player3",)), (f"{g}desk/", ("director",)), (f"{g}search/?q=第1帖", READERS),
        (f"{g}hole/", ("onlooker", "player3")),
    ]  # fmt: skip


def counts(game: Any, day: int, last: int) -> dict[tuple[int, str], int]:
    """Questions by page and reader."""
    browsers = {who: client(who) for who in READERS}
    found = {}
    for number, (path, readers) in enumerate(addresses(game, day, last)):
        for who in readers:
            found[number, who] = asked(browsers[who], path)
    return found


def told(says: Callable[[str], None], game: Any, day: int, found: dict[tuple[int, str], int]) -> None:
    """Say how many questions each page asks."""
    names = {"": "visitor", "onlooker": "member", "player3": "player"}
    for number, (path, readers) in enumerate(addresses(game, day, 1000)):
        listed = ", ".join(f"{names.get(who, who)} {found[number, who]}" for who in readers)
        says(f"questions {path.partition(f'/g/{game.pk}')[2]}: {listed}")


def test_a_long_thread_asks_no_more_than_a_short_one(clock: Clock, onlooker: None, says: Callable[[str], None]) -> None:
    game = seated(seed=11)
    doors.strike(game.journal, clock.at(1, 9, 1))
    talk(game, "talk-1", 298)
    few = counts(game, 1, 15)
    talk(game, "talk-1", 2_700)
    assert counts(game, 1, 150) == few
    talk(game, "talk-1", 17_000)
    forget()
    assert counts(game, 1, 1000) == few
    assert max(few.values()) <= 20 and few[0, ""] <= 4 and few[0, "player3"] <= 12
    told(says, game, 1, few)


def test_a_long_game_asks_no_more_than_a_short_one(clock: Clock, onlooker: None) -> None:
    game = seated(seed=12)
    found = []
    for day in (2, 9):
        for reached in range(1 if day == 2 else 3, day + 1):
            doors.strike(game.journal, clock.at(reached, 9, 1))
        opened = Table(game, None).public.day
        talk(game, f"talk-{opened}", 60)
        for seat in (1, 2, 4):
            acts.say(Table(game, Account.objects.get(username=f"player{seat}")), f"talk-{opened}", f"第 {opened} 日，{seat} 号在。")
        found.append(counts(game, opened, 3))
    assert Thread.objects.filter(game=game, kind="talk").count() > 5
    assert found[0] == found[1]


def test_a_town_of_many_games_asks_no_more_than_one_of_few(clock: Clock, onlooker: None) -> None:
    found = []
    for more in (3, 6):
        for number in range(more):
            game = seated(seed=20 + number, title=f"第 {number} 局")
            doors.strike(game.journal, clock.at(1, 9, 1))
            if number % 3 == 2:
                doors.submit(game.journal, c.Direct("abort", True, "试完了"), clock.at(1, 9, 2), "director 1")
        found.append({(path, who): asked(client(who), path) for path in ("/", "/archive/") for who in READERS})
    assert found[0] == found[1]


# --- what the pages say in so few questions -----------------------------------------------------------------------


def test_a_room_asked_by_its_name_holds_what_the_whole_holds(clock: Clock) -> None:
    from tests.browser.scenes import MAKERS, people

    people()
    for name in ("day", "over"):
        scene = MAKERS[name](clock)
        clock.set(scene.moment)
        game = Game.objects.get(pk=scene.game)
        rooms = {*Post.objects.filter(game=game).values_list("room", flat=True), "reveal", "den-0", "hole-1", "line-1", "new", "held"}
        for kind in ("visitor", "member", "player", "director"):
            account = Account.objects.filter(username=scene.account(kind)).first()
            table = Table(game, account)
            for room in rooms:
                whole = set(readable(table).filter(room=room).values_list("pk", flat=True))
                assert set(readable(table, room).values_list("pk", flat=True)) == whole, (name, kind, room)


def test_a_roll_says_what_the_floors_say(clock: Clock) -> None:
    game = seated(seed=13)
    doors.strike(game.journal, clock.at(1, 9, 1))
    thread = Thread.objects.get(game=game, room="talk-1")
    rng = random.Random(13)
    table = Table(game, Account.objects.get(username="player3"))
    for more in (7, 1, 60):
        talk(game, "talk-1", more)
        acts.say(Table(game, Account.objects.get(username="director")), "talk-1", "导演在此")
        thread.refresh_from_db()
        kept = roll.roll(table, thread)
        rows = list(readable(table, "talk-1").order_by("floor").values_list("floor", "seat", "voice"))
        assert kept.newest == rows[-1][0] and kept.posts == len(rows)
        for _ in range(20):
            read, seat = rng.randrange(kept.newest + 1), rng.randrange(11)
            new = [floor for floor, by, _voice in rows if floor > read and not (by and by == seat)]
            assert kept.unread(read, seat) == (len(new), new[0] if new else 0)
            own = [floor for floor, by, voice in rows if by == seat and voice == "seat"] if seat else []
            assert kept.per_seat.get(seat, 0) == len(own) and kept.last(seat, 5) == own[-5:]
            assert kept.fresh(seat, read) == (len([x for x in own if x > read]), next((x for x in own if x > read), 0)) or not seat
            listed = [floor for floor, by, _voice in rows if by in (0, seat)]
            marked = kept.of(seat)
            assert marked.count(1) == len(listed) and kept.stretch(marked, 3, 4) == listed[3:7]


# --- finished pages -----------------------------------------------------------------------------------------------


@pytest.fixture
def opened(clock: Clock) -> Any:
    """A game by day, with a thread of three pages."""
    game = seated(seed=14)
    doors.strike(game.journal, clock.at(1, 9, 1))
    talk(game, "talk-1", 50)
    return game


def test_a_finished_page_is_the_page(opened: Any, clock: Clock) -> None:
    for query in ("", "?page=2", "?only=4", "?page=999"):
        path = f"/g/{opened.pk}/t/talk-1/{query}"
        warm = [client("").get(path).content for _ in range(2)]
        forget()
        assert {client("").get(path).content} == set(warm)
        small = client("").get(path, headers={"accept-encoding": "br, gzip"})
        assert small.headers["Content-Encoding"] == "gzip" and gzip.decompress(small.content) == warm[0]
        assert "Accept-Encoding" in small.headers["Vary"] and "ETag" not in small.headers
    for more in ("?utm=1", "?page=x", "?only=0&page=1&draft=a"):
        assert client("").get(f"/g/{opened.pk}/t/talk-1/{more}").status_code == 200
    assert client("").get(f"/g/{opened.pk}/t/talk-1/?only=77").status_code == 404


def test_a_finished_page_changes_with_what_everybody_knows_and_with_nothing_else(opened: Any, clock: Clock) -> None:
    path = f"/g/{opened.pk}/t/talk-1/?page=3"
    browser = client("")
    first = browser.get(path).content
    known = len(finished._pages)
    wolf = Table(opened, Account.objects.get(username=f"player{seats_of(opened, 'wolf')[0]}"))
    acts.whisper(Table(opened, Account.objects.get(username="player2")), "hole", "只有我知道")
    acts.whisper(Table(opened, Account.objects.get(username="player2")), "line-2", "导演？")
    early = next(skill for skill in wolf.me.skills if skill.state in ("open", "early"))
    acts.hand_in(wolf, {early.index: None})
    acts.keep_draft(wolf, "talk-1", "还没写完")
    assert browser.get(path).content == first and len(finished._pages) == known, "what is hidden makes no page anew"
    said = acts.say(Table(opened, Account.objects.get(username="player5")), "talk-1", "这一帖马上看得见。")
    assert f'id="f{said.floor}"'.encode() in browser.get(path).content
    acts.sign(Table(opened, Account.objects.get(username="player5")), "speed_up")
    later = browser.get(path).content
    clock.at(1, 9, 2)
    assert browser.get(path).content != later, "the minute is told"
    dark = client("")
    dark.cookies["sky"] = "dark"
    assert b'data-theme="dark"' in dark.get(path).content and b"data-theme" not in browser.get(path).content
    english = client("").get(path, headers={"accept-language": "en"}).content
    assert b'<html lang="en"' in english and b'<html lang="zh-Hans"' in browser.get(path).content


def test_what_is_said_once_is_not_kept(opened: Any, clock: Clock) -> None:
    path = f"/g/{opened.pk}/t/talk-1/"
    browser = client("")
    before = browser.get(path).content
    request = RequestFactory().get("/")
    request.session, request._messages = SessionBase(), None
    storage = CookieStorage(request)
    storage.add(messages.SUCCESS, "只说一次")
    answer = HttpResponse()
    storage.update(answer)
    browser.cookies["messages"] = answer.cookies["messages"].value
    assert "只说一次".encode() in browser.get(path).content
    assert client("").get(path).content == before
