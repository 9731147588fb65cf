"""Every address of the town is guarded, answers every kind of viewer without breaking, and hides what is not there yet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from bansha.town import guards
from tests.browser.scenes import KINDS, MAKERS, Scene, people
from tests.support import router
from tests.support.tokens import bearer
from tests.support.town import Clock, client

FINE = {200, 302, 404, 405}
"""A page, a way on, nothing for you, or an address that only takes posts."""
NO_TOKEN = 401
"""What the interface answers to a visitor, who has no token."""


def headers(address: router.Address, account: str, game: int) -> dict[str, str]:
    """What is sent along: to a call of the interface this account's token."""
    return bearer(account, game) if getattr(address.view, "guard", "") == "by_token" else {}


@pytest.fixture(scope="module")
def town(clock: Clock) -> Iterator[dict[str, Scene]]:
    """A town with a game in every phase."""
    people()
    yield {name: make(clock) for name, make in MAKERS.items()}


def unguarded(addresses: list[router.Address]) -> list[str]:
    """Our own addresses whose view wears no guard of the town's."""
    return [address.route for address in addresses if address.ours and not hasattr(guards, getattr(address.view, "guard", "-"))]


def test_every_view_wears_a_guard() -> None:
    found = router.addresses()
    assert len([address for address in found if address.ours]) >= 20
    assert not unguarded(found)


def test_a_view_without_a_guard_is_found() -> None:
    def bare(request: HttpRequest) -> HttpResponse:
        return HttpResponse()

    assert unguarded([router.Address("town:bare", "bare/", (), bare, "bansha.town.views.bare")]) == ["bare/"]


def test_no_two_addresses_share_a_name() -> None:
    names = [address.name for address in router.addresses() if address.ours]
    assert sorted(names) == sorted(set(names))


SCENES = {
    "visitor": ("day", "over", "signup", "ceremony"), "member": ("day", "setup", "signup"), "player": tuple(MAKERS),
    "director": tuple(MAKERS), "manager": ("day", "over"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_address_answers(kind: str, town: dict[str, Scene], clock: Clock) -> None:
    broken: list[str] = []
    for scene in (town[name] for name in SCENES[kind]):
        clock.set(scene.moment)
        visitor: Client = client(scene.account(kind))
        visitor.raise_request_exception = False
        for address in router.addresses():
            if "game" not in address.parameters and scene.name != "day":
                continue
            for path in router.paths(address, scene)[: 99 if scene.name == "day" else 2]:
                game = 0 if scene.name == "draft" else scene.game
                status = visitor.get(path, headers=headers(address, scene.account(kind), game)).status_code
                if status not in FINE and not (kind == "visitor" and status == NO_TOKEN and address.name.startswith("api:")):
                    broken.append(f"{scene.name}: {path} → {status}")
    assert not broken


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "director"])
def test_a_draft_is_its_directors_alone(kind: str, town: dict[str, Scene], clock: Clock) -> None:
    scene = town["draft"]
    clock.set(scene.moment)
    visitor = client(scene.account(kind))
    for address in router.addresses():
        for path in router.paths(address, scene) if "game" in address.parameters else []:
            found = visitor.get(path, headers=headers(address, scene.account(kind), 0))
            to_login = kind == "visitor" and found.status_code == 302 and found.headers["Location"].startswith("/accounts/login/")
            to_token = kind == "visitor" and found.status_code == NO_TOKEN and address.name.startswith("api:")
            assert found.status_code in (404, 405) or to_login or to_token, path


@pytest.mark.parametrize("kind", ("visitor", "member", "player"))
def test_the_desk_is_not_there_for_others(kind: str, town: dict[str, Scene], clock: Clock) -> None:
    for name in ("day", "over"):
        scene = town[name]
        clock.set(scene.moment)
        visitor = client(scene.account(kind))
        for address in router.addresses():
            guarded = getattr(address.view, "guard", "") in ("directing", "at_desk", "conducting")
            for path in router.paths(address, scene) if guarded else []:
                found = visitor.get(path)
                if kind == "visitor":
                    assert found.status_code == 302 and found.headers["Location"].startswith("/accounts/login/"), path
                else:
                    assert found.status_code == 404, path
                    assert visitor.get(path.replace(f"/{scene.game}/", "/9999/")).status_code == 404


def test_what_a_member_is_shown_is_kept_by_no_cache_between(town: dict[str, Scene], clock: Clock) -> None:
    scene = town["day"]
    clock.set(scene.moment)
    for kind in ("member", "player", "director"):
        for path in ("", f"g/{scene.game}/", f"g/{scene.game}/t/talk-2/", f"g/{scene.game}/desk/", f"g/{scene.game}/hole/"):
            page = client(scene.account(kind)).get(f"/{path}")
            assert page.status_code == 404 or "private" in page.headers["Cache-Control"], (kind, path)
