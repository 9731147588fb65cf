"""The page of a member's tokens: made, shown once, listed, revoked."""

from __future__ import annotations

import re

import pytest

from bansha.api import tokens
from bansha.api.models import Token
from bansha.town.models import Account, Game
from tests.support.tokens import Program
from tests.support.town import Clock, client, seated


@pytest.fixture
def game(clock: Clock) -> Game:
    """A game in play."""
    clock.at(1, 8)
    made: Game = seated(seed=64)
    return made


def test_a_token_is_made_shown_once_and_revoked(game: Game) -> None:
    browser = client("player6")
    page = browser.get("/programs/").content.decode()
    assert f'value="seat {game.pk}"' in page and 'value="read"' in page
    made = browser.post("/programs/", {"for": f"seat {game.pk}", "lasts": "week", "label": "我的程序"})
    assert made.status_code == 200 and "no-store" in made.headers["Cache-Control"]
    text = re.findall(r'value="(bansha_[^"]+)"', made.content.decode())[0]
    assert Program(text).get("/token")[1]["seat"] == 6
    row = Token.objects.get(digest=tokens.digest(text))
    assert text not in {str(value) for value in Token.objects.filter(pk=row.pk).values().get().values()}
    page = browser.get("/programs/").content.decode()
    assert text not in page and "我的程序" in page
    assert client("player7").post("/programs/", {"revoke": row.pk}).status_code == 302
    assert Program(text).get("/token")[0] == 200, "nobody revokes another's"
    assert "已收回" in browser.post("/programs/", {"revoke": row.pk}, follow=True).content.decode()
    assert Program(text).get("/token")[0] == 401 and "我的程序" not in browser.get("/programs/").content.decode()


def test_only_what_is_ones_own_can_be_asked_for(game: Game) -> None:
    browser, mine = client("director"), Token.objects.filter(account__username="director")
    before = mine.count()
    page = browser.get("/programs/").content.decode()
    assert f'value="read {game.pk}"' in page and f'value="seat {game.pk}"' not in page
    for wish in (f"seat {game.pk}", "seat 99999", "everything", ""):
        refused = browser.post("/programs/", {"for": wish, "lasts": "week"})
        assert refused.status_code == 422 and 'role="alert"' in refused.content.decode()
    assert browser.post("/programs/", {"for": "read", "lasts": "for ever"}).status_code == 422
    assert mine.count() == before


def test_there_are_so_many_and_no_more(game: Game) -> None:
    browser = client("player8")
    for _ in range(tokens.MOST):
        assert browser.post("/programs/", {"for": "read", "lasts": ""}).status_code == 200
    assert browser.post("/programs/", {"for": "read", "lasts": ""}).status_code == 422
    assert Token.objects.filter(account=Account.objects.get(username="player8")).count() == tokens.MOST


def test_a_visitor_is_sent_to_sign_in() -> None:
    found = client("").get("/programs/")
    assert found.status_code == 302 and found.headers["Location"].startswith("/accounts/login/")


def test_the_card_leads_to_it(game: Game) -> None:
    assert 'href="/programs/"' in client("player6").get("/profile/").content.decode()
