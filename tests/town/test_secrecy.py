"""The secrecy property over everything that is served: edit what a viewer was not told, and all that viewer can fetch stays the
same, byte for byte; no account of a running game is named; "not there" and "not for you" are one answer (docs/security.md).

Games, moments and viewers are drawn. `make secrecy` draws many more; `make leaks` plants twelve leaks here."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support import surface
from tests.support.played import KINDS, Eye, Played
from tests.support.random_games import RULESETS
from tests.support.town import Clock
from tests.support.town_leaks import LEAKS
from tests.support.town_secrecy import Found, leaking, run

LONG = 2
"""Games of each ruleset in a long run."""


@pytest.mark.slow
def test_what_a_viewer_was_not_told_changes_nothing_it_can_fetch(
    clock: Clock, says: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    long = request.config.getoption("--long")
    found = Found()
    for ruleset in RULESETS:

        @settings(
            max_examples=LONG if long else 1, deadline=None, database=None, phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(st.just(ruleset), st.integers(0, 2**32))
        def game(ruleset: str, seed: int) -> None:
            few = 1 + (ruleset in RULESETS[:2])  # moments of a game
            run(clock, ruleset, seed, found, moments=3 if long else few, each=2 if long else 1, cap=2 if long else 1)
            assert not found.leaks, "\n".join(found.leaks)
            assert not found.broken, "\n".join(found.broken)

        game()
    says(found.summary())
    says(f"secrecy: moments {dict(found.phases)}; viewers {dict(found.kinds)}; twins {dict(found.twins)}")
    assert len(found.kinds) >= (len(KINDS) if long else 7)
    assert found.fetches > 300 * found.looks, "a look that fetches little proves little"


@pytest.mark.slow
@pytest.mark.parametrize("name", ("etag", "den"))
def test_a_planted_leak_is_found(name: str, clock: Clock) -> None:
    with LEAKS[name].plant():
        assert leaking(clock, LEAKS[name], games=4).leaks


@pytest.fixture(scope="module")
def played(clock: Clock) -> Played:
    """A game on its first steps."""
    return Played("vanilla", 1, clock)


def test_a_name_or_a_number_is_found_plain_and_wrapped(played: Played) -> None:
    person = played.hidden[0]
    eye = Eye("visitor", "", played.eyes()["visitor"].viewer)
    ticket = base64.urlsafe_b64encode(f'[1,"talk-1",{person.pk},"player"]'.encode())
    for told in (person.username.upper().encode(), str(person.pk).encode(), f"{person.pk:x}".encode(), b"/?t=" + ticket.rstrip(b"=")):
        assert surface.named({"GET /": b"200 ... " + told}, played, eye), told
    assert not surface.named({"GET /": b"200 nobody"}, played, eye)
    own = Eye("player alive", person.username, played.eyes()["player alive"].viewer)
    assert not surface.named({"GET /": person.username.encode()}, played, own), "a viewer's own name is its own"


def test_two_ways_of_refusing_are_found(played: Played) -> None:
    with surface.world(played):
        reader = surface.Reader(played, played.eyes()["visitor"], 1, cap=4)
        paths = [path for address, path in reader.paths() if address.name == "town:den" and "?" not in path and "99999" not in path]
        one, two, *_ = paths
        assert surface.unlike({f"GET {one}": b"403 9 []\n", f"GET {two}": b"404 9 []\n"}, reader)
        assert not surface.unlike({f"GET {one}": f"404 9 []\n{one}".encode(), f"GET {two}": f"404 9 []\n{two}".encode()}, reader)


def test_every_address_of_the_router_is_fetched(played: Played) -> None:
    from tests.support import router

    with surface.world(played):
        reader = surface.Reader(played, played.eyes()["member"], 1, cap=1)
        assert {address.name for address, _ in reader.paths()} == {address.name for address in router.addresses()}
