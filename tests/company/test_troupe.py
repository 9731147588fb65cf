"""Computer players at the doors: they talk, vote and act in time, survive a restart, and never speak after their hour."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bansha.company import stage
from bansha.company.troupe import Troupe
from bansha.journal import doors
from bansha.sight.types import Viewer
from bansha.town import acts
from bansha.town.models import Account, Game, Post
from bansha.town.table import Table
from tests.support.town import MONDAY, moment, seated


def company(seed: int, people: int = 0) -> Game:
    """A dealt game in which all seats but the first `people` are computer players'."""
    game: Game = seated(seed=seed, title=f"电脑 {seed}")
    accounts = Account.objects.filter(tenures__game=game)
    accounts.update(computer=True)
    accounts.filter(tenures__seat__lte=people).update(computer=False)
    return game


def play(game: Game, troupe: Troupe, since: datetime, until: datetime) -> None:
    """Play on."""
    stage.play(troupe, since, until)
    game.refresh_from_db()


def test_a_day_is_talked_through_and_voted_on() -> None:
    game = company(11)
    play(game, Troupe(game), MONDAY, moment(1, 21, 1))
    talk = Post.objects.filter(game=game, room="talk-1", voice="seat").order_by("floor")
    minutes = [post.minute % 1440 for post in talk]
    assert set(talk.values_list("seat", flat=True)) == set(range(1, 11))
    assert len({minute // 60 for minute in minutes}) >= 8, "the talk trickles in over the day"
    votes = Post.objects.filter(game=game, room="election-1", voice="seat")
    assert {post.receipt["state"] for post in votes if post.receipt} <= {"vote", "change"}
    assert votes.values("seat").distinct().count() == 10


def test_a_restart_forgets_nothing_that_shows() -> None:
    game = company(12)
    troupe = Troupe(game)
    play(game, troupe, MONDAY, moment(2, 15))
    before = Post.objects.filter(game=game, voice="seat", room="talk-2").count()
    again = Troupe(game)
    again.step(moment(2, 15))
    assert Post.objects.filter(game=game, voice="seat", room="talk-2").count() == before, "no round is gone through twice"
    assert [talk.acts for talk in again.talk if talk.room == "election"] and len(again.talk) == len(troupe.talk)
    claims = {seat: actor.player.temper.claimed for seat, actor in troupe.actors.items() if actor.player.temper.claimed}
    assert claims == {seat: actor.player.temper.claimed for seat, actor in again.actors.items() if actor.player.temper.claimed}
    play(game, again, moment(2, 15), moment(2, 21, 1))
    voters = set(Post.objects.filter(game=game, room="ballot-2", voice="seat").values_list("seat", flat=True))
    assert voters >= set(Table(game, None, moment(2, 21, 1)).public.alive)


def test_people_are_heard_and_their_seats_left_alone() -> None:
    game = company(13, people=1)
    troupe = Troupe(game)
    play(game, troupe, MONDAY, moment(1, 10))
    name = Table(game, None, moment(1, 10)).name(5)
    acts.say(Table(game, Account.objects.get(username="player1"), moment(1, 10, 1)), "talk-1", f"我觉得{name}很可疑。")
    troupe.step(moment(1, 10, 2))
    heard = [talk for talk in troupe.talk if talk.seat == 1]
    assert [(act.kind, act.target) for act in heard[0].acts] == [("suspect", 5)]
    play(game, troupe, moment(1, 10, 2), moment(1, 21, 1))
    assert Post.objects.filter(game=game, seat=1).count() == 1


def test_a_refusal_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = company(14)
    troupe = Troupe(game)

    def refused(*_arguments: object, **_more: object) -> None:
        raise acts.Denied("不行", "no")

    with monkeypatch.context() as patch:
        patch.setattr(acts, "say", refused)
        play(game, troupe, MONDAY, moment(1, 12))
    assert not Post.objects.filter(game=game, voice="seat").exists()
    play(game, troupe, moment(1, 12), moment(1, 14))
    assert Post.objects.filter(game=game, voice="seat").exists()


def test_what_they_do_follows_from_their_view_alone() -> None:
    """Two games that differ in roles two others hold: as long as a seat's view is the same, it does the same."""
    one, two = company(15), company(16)
    look = [doors.see(game.journal, Viewer("player", seat)).view for game in (one, two) for seat in (1,) if game.journal]
    assert look[0].public.personas == look[1].public.personas
    said = []
    for game in (one, two):
        troupe = Troupe(game, seed=5)
        play(game, troupe, MONDAY, MONDAY + timedelta(minutes=200))
        first = Post.objects.filter(game=game, voice="seat").order_by("floor").first()
        assert first is not None
        said.append((first.seat, first.body))
    assert said[0] == said[1]
