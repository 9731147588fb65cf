"""The embedded database is moved away, exchanged, or held by somebody else: 503 without asking it anything, and all is well after."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from bansha.clock import run
from bansha.journal import doors, keep
from bansha.journal.time import now
from bansha.town.models import Game, Post
from tests.support.broken import browser, form_in
from tests.support.town import Clock, moment, seated

ENDS = ("", "-wal", "-shm")


@pytest.fixture(scope="module")
def game(clock: Clock) -> Any:
    """A game on its first morning."""
    clock.at(1, 9, 1)
    made = seated(seed=31)
    doors.strike(made.journal, now())
    return made


@contextmanager
def away(folder: Path) -> Iterator[None]:
    """The database is elsewhere."""
    files = [Path(f"{settings.SQLITE}{end}") for end in ENDS]
    there = [file for file in files if file.exists()]
    for file in there:
        shutil.move(file, folder / file.name)
    try:
        yield
        assert not settings.SQLITE.exists(), "what has gone is not begun anew"
    finally:
        for file in there:
            shutil.move(folder / file.name, file)


def test_a_database_that_was_moved_away(game: Game, clock: Clock, tmp_path: Path) -> None:
    assert game.journal is not None
    who, visitor = browser("player3"), browser()
    thread = f"/g/{game.pk}/t/talk-1/"
    assert who.post(thread, {"body": "先前的一帖", "key": "before"}).status_code == 302
    loop = run.Loop(0.5, lambda: 0)
    with away(tmp_path):
        for path in ("/", thread, f"/g/{game.pk}/", "/accounts/login/"):
            answer = who.get(path)
            assert (answer.status_code, answer["Retry-After"]) == (503, "15") and "镇上的账房一时敲不开" in answer.content.decode(), path
        refused = who.post(thread, {"body": "夹在中间的一帖", "key": "between"})
        assert refused.status_code == 503 and "夹在中间的一帖" in refused.content.decode()
        health = visitor.get("/health/")
        assert (health.status_code, health.json()["database"]) == (503, "gone")
        assert loop.round() == 1.0
    assert visitor.get("/health/").json() == {"status": "ok", "database": "ok", "clock": "unwatched"}
    assert loop.round() in (0.0, 0.5)
    address, fields = form_in(refused.content.decode())
    for _ in range(2):
        assert who.post(address, fields).status_code == 302
    bodies = list(Post.objects.filter(game=game, seat=3).order_by("floor").values_list("body", flat=True))
    assert bodies == ["先前的一帖", "夹在中间的一帖"], "what was answered is there, what was not is there once"
    assert "ok" in doors.proved(doors.lines(game.journal))


def test_a_database_that_was_exchanged_is_the_one_written_to(game: Game, clock: Clock, tmp_path: Path) -> None:
    assert game.journal is not None
    who = browser("player6")
    copy = tmp_path / "copy"
    with closing(sqlite3.connect(settings.SQLITE)) as source, closing(sqlite3.connect(copy)) as into:
        source.backup(into)
    assert who.post(f"/g/{game.pk}/t/talk-1/", {"body": "只在旧的里", "key": "old"}).status_code == 302
    for end in ENDS[1:]:
        Path(f"{settings.SQLITE}{end}").unlink(missing_ok=True)
    copy.replace(settings.SQLITE)
    assert who.post(f"/g/{game.pk}/t/talk-1/", {"body": "写在新的里", "key": "new"}).status_code == 302
    with closing(sqlite3.connect(settings.SQLITE)) as found:
        bodies = [body for (body,) in found.execute("SELECT body FROM town_post WHERE seat = 6 ORDER BY floor")]
    assert bodies == ["写在新的里"], "and the state kept of the old one is dropped"
    assert "ok" in doors.proved(doors.lines(game.journal))
    here = doors.see(game.journal, doors.DIRECTOR)
    keep.drop_all()
    assert doors.see(game.journal, doors.DIRECTOR) == here


def test_a_database_that_somebody_else_holds(game: Game, clock: Clock) -> None:
    assert game.journal is not None
    who, reader = browser("player7"), browser("player8")
    thread = f"/g/{game.pk}/t/talk-1/"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 20")
    with closing(sqlite3.connect(settings.SQLITE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = who.post(thread, {"body": "等一等再发", "key": "held"})
        assert refused.status_code == 503 and "等一等再发" in refused.content.decode()
        assert reader.get("/").status_code == 200, "reading does not wait for a writer"
        clock.set(moment(1, 21, 0))
        assert run.Loop(0.5, lambda: 0).round() == 1.0
        clock.set(moment(1, 9, 2))
        other.execute("ROLLBACK")
    address, fields = form_in(refused.content.decode())
    assert who.post(address, fields).status_code == 302
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 20000")


def test_tables_that_are_missing_are_a_change_of_versions(game: Game) -> None:
    who = browser("player3")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE town_account RENAME TO town_account_away")
    try:
        answer = who.get(f"/g/{game.pk}/")
        assert answer.status_code == 503 and "镇上正在搬家具" in answer.content.decode()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE town_account_away RENAME TO town_account")


def test_a_mistake_of_ours_stays_one(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    from bansha.town.views import hub

    monkeypatch.setattr(hub, "render", lambda *_: 1 / 0)
    answer = browser("player3").get(f"/g/{game.pk}/")
    assert answer.status_code == 500 and "这是我们的错" in answer.content.decode()
