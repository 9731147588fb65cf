"""Several couriers on one outbox, and one that is killed between sending and marking, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bansha.town.models import Game
from tests.browser.scenes import people
from tests.support.couriers import killed_while_sending
from tests.support.fakes import MailFake
from tests.support.town import Clock, moment, seated

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def game(clock: Clock) -> Iterator[Game]:
    """A game that things can be told about."""
    people()
    yield seated(seed=4)


def test_couriers_share_the_outbox_and_make_good_for_one_that_was_killed(
    game: Game, chosen: dict[str, str], clock: Clock, mails: MailFake
) -> None:
    names = [f"player{number}" for number in range(1, 11)]
    keys = killed_while_sending(game, chosen, clock, mails, moment(1, 12), names, 2)
    assert len(keys) == 11 and keys[-1] == keys[0] and len(set(keys)) == 10, "each message once, the killed one's again"
    assert sorted(to for letter in mails.letters[1:] for to in letter.to) == sorted(f"{name}@example.org" for name in names)
