"""The company: which seats it holds the town says; a town that does not answer, or a token that ends, is no end."""

from __future__ import annotations

import pytest

from bansha.api.inside import Inside
from bansha.api.models import Token
from bansha.company.client import Busy
from bansha.company.run import Company
from bansha.town.models import Account, Game, Tenure
from tests.support.town import MONDAY, moment, seated


@pytest.fixture
def game() -> Game:
    """A game of computer players on the eve of its first day; the only one in play."""
    Game.objects.exclude(status="over").update(status="over")
    made: Game = seated(seed=18)
    Account.objects.filter(tenures__game=made).update(computer=True)
    return made


def test_each_seat_has_one_token_however_often_the_pages_are_away(game: Game) -> None:
    company = Company(Inside(lambda: MONDAY))
    company.look(MONDAY)
    line, company.troupes[game.pk].actors[1].client.line = company.line, _away
    for _ in range(3):
        for actor in company.troupes[game.pk].actors.values() if game.pk in company.troupes else ():
            actor.client.line = _away
        company.look(MONDAY)
        assert company.busy is not None and game.pk not in company.troupes
        for _account, client in company.casts[game.pk].values():
            client.line = line
        company.look(MONDAY)
        assert company.busy is None and len(company.troupes[game.pk].actors) == 10
    assert Token.objects.filter(game=game).count() == 10


def _away(*_arguments: object) -> tuple[int, dict[str, str], bytes]:
    raise Busy("nobody answers")


def test_a_token_that_ends_is_followed_by_another(game: Game) -> None:
    company = Company(Inside(lambda: MONDAY))
    company.look(MONDAY)
    Token.objects.filter(game=game).update(revoked_at=MONDAY)
    company.look(MONDAY)
    assert game.pk not in company.troupes
    company.look(MONDAY)
    assert len(company.troupes[game.pk].actors) == 10 and Token.objects.filter(game=game, revoked_at=None).count() == 10


def test_a_substitution_takes_a_seat_and_gives_one(game: Game) -> None:
    company = Company(Inside(lambda: MONDAY))
    company.look(MONDAY)
    troupe = company.troupes[game.pk]
    Tenure.objects.filter(game=game, seat=3, until=None).update(until=MONDAY)
    company.look(moment(1, 9, 1))
    assert company.troupes[game.pk] is troupe and sorted(troupe.actors) == [1, 2, *range(4, 11)]
    other = Account.objects.create_user("木偶 又一个", computer=True)
    Tenure.objects.create(game=game, seat=3, account=other, since=MONDAY)
    company.look(moment(1, 9, 2))
    assert company.troupes[game.pk] is troupe and len(troupe.actors) == 10
    Game.objects.filter(pk=game.pk).update(status="over")
    company.look(moment(1, 9, 3))
    assert not company.troupes and not company.casts
