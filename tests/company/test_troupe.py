"""Computer players at the doors: they talk, vote and act in time, survive a restart, and never speak after their hour."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bansha.api.models import Token
from bansha.company.client import Client, Gone, Refused
from bansha.company.stage import Rehearsal
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


def test_a_day_is_talked_through_and_voted_on() -> None:
    game = company(11)
    Rehearsal(game, MONDAY).play(moment(1, 21, 1))
    talk = Post.objects.filter(game=game, room="talk-1", voice="seat").order_by("floor")
    minutes = [post.minute % 1440 for post in talk]
    assert set(talk.values_list("seat", flat=True)) == set(range(1, 11))
    assert len({minute // 60 for minute in minutes}) >= 8, "the talk trickles in over the day"
    votes = Post.objects.filter(game=game, room="election-1", voice="seat")
    assert {post.receipt["state"] for post in votes if post.receipt} <= {"vote", "change"}
    assert votes.values("seat").distinct().count() == 10


def test_a_restart_forgets_nothing_that_shows() -> None:
    game = company(12)
    before = Rehearsal(game, MONDAY)
    before.play(moment(2, 15))
    said = Post.objects.filter(game=game, voice="seat", room="talk-2").count()
    again = Rehearsal(game, moment(2, 15))
    again.look()
    troupe = again.troupe
    assert Post.objects.filter(game=game, voice="seat", room="talk-2").count() == said, "no round is gone through twice"
    assert [talk.acts for talk in troupe.talk if talk.room == "election"] and len(troupe.talk) == len(before.troupe.talk)
    claims = {seat: actor.player.temper.claimed for seat, actor in before.troupe.actors.items() if actor.player.temper.claimed}
    assert claims == {seat: actor.player.temper.claimed for seat, actor in troupe.actors.items() if actor.player.temper.claimed}
    again.play(moment(2, 21, 1))
    voters = set(Post.objects.filter(game=game, room="ballot-2", voice="seat").values_list("seat", flat=True))
    assert voters >= set(Table(game, None, moment(2, 21, 1)).public.alive)


def test_people_are_heard_and_their_seats_left_alone() -> None:
    game = company(13, people=1)
    stage = Rehearsal(game, MONDAY)
    stage.play(moment(1, 10))
    name = Table(game, None, moment(1, 10)).name(5)
    acts.say(Table(game, Account.objects.get(username="player1"), moment(1, 10, 1)), "talk-1", f"我觉得{name}很可疑。")
    stage.now = moment(1, 10, 2)
    stage.look()
    heard = [talk for talk in stage.troupe.talk if talk.seat == 1]
    assert [(act.kind, act.target) for act in heard[0].acts] == [("suspect", 5)]
    stage.play(moment(1, 13))
    assert Post.objects.filter(game=game, seat=1).count() == 1


def test_a_refusal_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = company(14)
    stage = Rehearsal(game, MONDAY)

    def refused(*_arguments: object, **_more: object) -> None:
        raise Refused(422, "denied", "不行", "no")

    with monkeypatch.context() as patch:
        patch.setattr(Client, "say", refused)
        stage.play(moment(1, 12))
    assert not Post.objects.filter(game=game, voice="seat").exists()
    stage.play(moment(1, 14))
    assert Post.objects.filter(game=game, voice="seat").exists()


def test_they_reach_the_town_by_the_interface_alone() -> None:
    game = company(17)
    stage = Rehearsal(game, MONDAY)
    stage.play(moment(1, 9, 40))
    assert Post.objects.filter(game=game, voice="seat").exists()
    Token.objects.filter(game=game).update(revoked_at=moment(1, 9, 40))
    stage.now = moment(1, 10)
    with pytest.raises(Gone, match="no_token"):
        stage.look()


def test_what_they_do_follows_from_their_view_alone() -> None:
    """Two games that differ in roles two others hold: as long as a seat's view is the same, it does the same."""
    one, two = company(15), company(16)
    look = [doors.see(game.journal, Viewer("player", seat)).view for game in (one, two) for seat in (1,) if game.journal]
    assert look[0].public.personas == look[1].public.personas
    said = []
    for game in (one, two):
        Rehearsal(game, MONDAY, seed=5).play(MONDAY + timedelta(minutes=200))
        first = Post.objects.filter(game=game, voice="seat").order_by("floor").first()
        assert first is not None
        said.append((first.seat, first.body))
    assert said[0] == said[1]
