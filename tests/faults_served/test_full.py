"""The disk is full (`max_page_count`): the town says so, keeps what was written in the form, loses nothing, and goes on by itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError, connection

from bansha.clock import run
from bansha.journal import doors, faults, keep
from bansha.journal.time import now
from bansha.sight.types import DIRECTOR, Viewer
from bansha.town import acts
from bansha.town.models import Account, Game, Post
from bansha.town.table import Table
from tests.support.broken import browser, form_in
from tests.support.town import Clock, seated, seats_of

LONG = "船票写在雾里。" * 700


@contextmanager
def full(game: Game) -> Iterator[None]:
    """No page more than there are, and no room left for a post in any of them."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA page_count")
        (pages,) = cursor.fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    table = Table(game, Account.objects.get(username="player1"))
    try:
        for size in (300, 30, 1):
            with pytest.raises(OperationalError) as refused:
                while True:
                    acts.say(table, "talk-1", "雾" * size)
            assert faults.of(refused.value) == "full"
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")


@pytest.fixture
def game(clock: Clock) -> Any:
    """A game on its first morning."""
    clock.at(1, 9, 1)
    made = seated(seed=31)
    doors.strike(made.journal, now())
    return made


def kept_is_written(journal: int) -> bool:
    """Whether what this process keeps of a game is what the database has of it."""
    here = doors.see(journal, DIRECTOR)
    keep.drop_all()
    return doors.see(journal, DIRECTOR) == here


def test_a_post_is_handed_back_and_taken_later_once(game: Game, clock: Clock) -> None:
    assert game.journal is not None
    who, english, reader = browser("player3"), browser("player4", "en"), browser("player6")
    with full(game):
        before = doors.lines(game.journal)
        answer = who.post(f"/g/{game.pk}/t/talk-1/", {"body": LONG, "key": "once"})
        page = answer.content.decode()
        assert (answer.status_code, answer["Retry-After"], answer["Cache-Control"]) == (503, "15", "no-store")
        assert "镇上的纸用完了" in page and "已经收下的都没有丢" in page and LONG in page
        assert LONG in english.post(f"/g/{game.pk}/t/talk-1/", {"body": LONG, "key": "another"}).content.decode()
        assert reader.get(f"/g/{game.pk}/t/talk-1/").status_code == 200, "reading goes on"
        assert doors.lines(game.journal) == before and kept_is_written(game.journal)
        assert not Post.objects.filter(game=game, body=LONG).exists()
    address, fields = form_in(page)
    assert (address, fields["key"], fields["body"]) == (f"/g/{game.pk}/t/talk-1/", "once", LONG)
    for _ in range(2):
        assert who.post(address, fields).status_code == 302
    assert Post.objects.filter(game=game, body=LONG).count() == 1
    assert kept_is_written(game.journal)


def test_nothing_of_a_form_from_elsewhere_is_shown(game: Game) -> None:
    who = browser("player3")
    with full(game):
        answer = who.post(f"/g/{game.pk}/t/talk-1/", {"body": LONG, "key": "x"}, headers={"origin": "http://elsewhere.example"})
    assert answer.status_code == 503 and LONG not in answer.content.decode()


def test_a_vote_is_written_whole_or_not_at_all(game: Game, clock: Clock) -> None:
    assert game.journal is not None
    who = browser("player5")
    vote = {"body": "投票对象：摆渡人\n投票理由：票型", "key": "vote"}
    with full(game):
        answer = who.post(f"/g/{game.pk}/t/election-1/", vote)
        assert answer.status_code == 503 and "投票对象：摆渡人" in answer.content.decode()
        assert not Post.objects.filter(game=game, room="election-1", seat=5).exists() and kept_is_written(game.journal)
    address, fields = form_in(answer.content.decode())
    assert who.post(address, fields).status_code == 302
    assert Post.objects.get(game=game, room="election-1", seat=5).receipt is not None
    assert "draws ok" in doors.proved(doors.lines(game.journal))


def test_a_letter_that_was_not_taken_can_be_sent_again(game: Game, clock: Clock) -> None:
    assert game.journal is not None
    seat = seats_of(game, "seer")[0]
    who = browser(f"player{seat}")
    with full(game):
        clock.at(1, 21, 1)
        before = doors.head(game.journal)
        with pytest.raises(OperationalError):
            doors.strike(game.journal, now())  # nightfall finds no room either
        answer = who.post(f"/g/{game.pk}/letter/", {"skill": ["0"], "t0": ["1"], "key": "letter"})
        assert answer.status_code == 503 and doors.head(game.journal) == before and kept_is_written(game.journal)
    doors.strike(game.journal, now())
    me = doors.see(game.journal, Viewer("player", seat)).view.me
    assert me is not None
    skill = next(skill for skill in me.skills if skill.verb == "read")
    head = doors.head(game.journal)
    for _ in range(2):
        fields = {"skill": [str(skill.index)], f"t{skill.index}": [str(skill.targets[0])], "key": "letter"}
        assert who.post(f"/g/{game.pk}/letter/", fields).status_code == 302
    assert doors.head(game.journal) == head + 1


def test_the_clock_waits_says_so_and_catches_up(game: Game, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    assert game.journal is not None
    loop = run.Loop(0.5, lambda: 0, lambda: 0.0)
    with full(game), caplog.at_level(logging.WARNING, "bansha.clock"):
        before = doors.lines(game.journal)
        clock.at(1, 21, 0)
        assert [loop.round() for _ in range(6)] == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0], "it does not spin, and does not give up"
        assert sum("no room left" in record.message for record in caplog.records) == 1, "it says so once, not at every try"
        assert doors.lines(game.journal) == before and kept_is_written(game.journal)
    with caplog.at_level(logging.WARNING, "bansha.clock"):
        while loop.round() == 0.0:
            pass
    assert any("well again" in record.message for record in caplog.records)
    strokes = doors.lines(game.journal)[len(before) :]
    assert b'"by":"clock"' in strokes and f'"at":{doors.minute(game.journal, now())},'.encode() in strokes, "at its own minute"


def test_a_sign_in_that_cannot_be_written_shows_no_password(game: Game) -> None:
    who, secret = browser(), "lamplight-lamplight"
    with full(game):
        with pytest.raises(OperationalError):
            while True:
                SessionStore().create()
        answer = who.post("/accounts/login/", {"login": "player1", "password": secret})
    page = answer.content.decode()
    assert answer.status_code == 503 and "镇上的纸用完了" in page and secret not in page and "没有收下" in page
