"""A town that is filled to be measured is a town like any other: chains hold, and what was written in bulk is what the projector
would have written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bansha.company.populate import FILLER, count_events, fill
from bansha.journal import doors
from bansha.referee import proof
from bansha.sight.types import PUBLIC
from bansha.site import demonstration
from bansha.town import acts
from bansha.town.models import Account, Game, Post, Tenure, Thread
from bansha.town.searching import found_in, terms
from bansha.town.table import Table

NOON = datetime(2026, 11, 25, 4, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    """A game with a long thread, one with a long journal, one under way, and a copy of it."""
    return fill(4, 60, 150, NOON)


def rows(game: Game) -> list[tuple[Any, ...]]:
    """What stands in a game's threads."""
    posts = Post.objects.filter(game=game).order_by("room", "floor")
    shown = posts.values_list("room", "floor", "voice", "seat", "ref", "body", "html", "minute", "at")
    return [*shown, *Thread.objects.filter(game=game).order_by("room").values_list("room", "kind", "day", "floors")]


def test_the_games_are_in_play_and_their_day_is_open(games: list[Game]) -> None:
    assert len(games) == 4
    for game in games:
        game.refresh_from_db()
        assert game.status == "running" and game.journal is not None
        assert doors.see(game.journal, PUBLIC).view.public.phase == "day"
        assert proof.verify(doors.lines(game.journal)), "chain, commitment and every draw"
    assert not {game.journal for game in games} & set(doors.due_games(NOON, 1000))
    assert Thread.objects.get(game=games[0], kind="talk").floors == 62
    assert count_events(games[1]) >= 150


def test_bulk_posts_are_those_of_the_projector(games: list[Game]) -> None:
    for game in games:
        assert game.journal is not None
        before = rows(game)
        doors.rebuild(game.journal)
        assert rows(game) == before


def test_a_copy_has_its_own_journal_rows_and_players(games: list[Game]) -> None:
    one, copy = games[2:]
    assert one.journal is not None and copy.journal is not None and one.journal != copy.journal
    assert doors.lines(one.journal) == doors.lines(copy.journal)
    assert [row[:7] for row in rows(one)] == [row[:7] for row in rows(copy)]
    accounts = [set(Tenure.objects.filter(game=game).values_list("account", flat=True)) for game in (one, copy)]
    assert len(accounts[0]) == len(accounts[1]) == one.seats and not accounts[0] & accounts[1]
    seats = dict(Tenure.objects.filter(game=copy).values_list("seat", "account"))
    assert all(post.author_id == seats[post.seat] for post in Post.objects.filter(game=copy, voice="seat"))
    found = found_in(Post.objects.filter(game=copy), terms("灯塔")).count()
    assert found == Post.objects.filter(game=copy, words__contains="灯塔").count() > 0


def test_a_game_goes_on_from_there(games: list[Game]) -> None:
    copy = games[3]
    assert copy.journal is not None
    before = doors.head(copy.journal)
    post = acts.say(Table(copy, Tenure.objects.get(game=copy, seat=2, until=None).account, NOON), "talk-1", "接着说。")
    assert post.floor == Thread.objects.get(game=copy, room="talk-1").floors
    assert doors.head(copy.journal) == before + 1 and proof.verify(doors.lines(copy.journal))


def test_a_town_that_people_use_is_not_filled(games: list[Game]) -> None:
    other = Account.objects.filter(username="owner").first() or Account.objects.create_user("owner", directs=True)
    own = Game.objects.create(
        title="真的一局", ruleset="m205", ruleset_hash="0" * 64, start=NOON, seats=10, opened_by=other, made_at=NOON, status="draft"
    )
    there = Game.objects.count()
    assert "games of its own" in demonstration.populate(1, 0, 0)
    assert Game.objects.count() == there and Account.objects.get(username=FILLER).directs
    own.delete()
