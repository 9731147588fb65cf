"""The secrecy property over the pages: edit what a viewer was not told, and every page that viewer can fetch stays the same,
byte for byte; and no account of a running game is named (docs/sight.md, docs/town.md)."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator

import pytest

from bansha.journal import keep
from bansha.sight.types import PUBLIC, Viewer
from bansha.town.models import Account, Draft, FailedLogin, Game, LogLine, Mark, Post, Request, Tenure
from tests.browser.scenes import MAKERS, Scene, people
from tests.support import router
from tests.support.town import Clock, client
from tests.support.twins import twin_state

SCENES = ("election", "day", "dusk", "night", "many")
VOLATILE = (
    (re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"'), b"csrf"),
    (re.compile(rb'name="key" value="[^"]*"'), b"key"),
    (re.compile(rb'data-stream="[^"]*"'), b"stream"),
)
"""What differs between two fetches of the same page: tokens that are made anew."""
SECRET = "秘密：这一句谁也没读到过"


@pytest.fixture(scope="module")
def town(clock: Clock) -> Iterator[dict[str, Scene]]:
    """A town with a running game in every phase."""
    people()
    yield {name: MAKERS[name](clock) for name in SCENES}


def fetched(account: str, scene: Scene) -> dict[str, bytes]:
    """Everything this account can fetch of the scene's game, and of the town, without what is volatile. A page counts with its
    status, type, size and validators."""
    browser = client(account)
    pages = {}
    for address in router.addresses():
        if not address.ours or address.name == "town:card":  # a card is asked for by its account's name
            continue
        paths = router.paths(address, scene)
        if address.name == "town:search":
            paths = [f"{path}?q={word}" for path in paths for word in ("灯", "秘密", "守灯塔的老海", "昨晚")]
        elif address.name == "town:den":
            paths = [path.replace(f"/den/{scene.den}", f"/den/{den}") for path in paths for den in range(4)]
        elif address.name in ("town:line_with", "town:avatar"):
            paths = [re.sub(r"/\d+/?$", f"/{seat}/", path) for path in paths for seat in (1, 2, 3)]
        for one in paths:
            answer = browser.get(one)
            body = answer.getvalue() if hasattr(answer, "getvalue") else answer.content
            for pattern, stands_for in VOLATILE:
                body = pattern.sub(stands_for, body)
            kept = {name: value for name, value in answer.headers.items() if name in ("Content-Type", "ETag", "Last-Modified", "Location")}
            pages[one] = f"{answer.status_code} {len(body)} {sorted(kept.items())}\n".encode() + body
    return pages


def edit(scene: Scene, viewer: Viewer, account: str, rng: random.Random) -> list[str]:
    """Change what this viewer was not told: the state, the private news, and the town's rows."""
    game = Game.objects.get(pk=scene.game)
    assert game.journal is not None
    made = []
    with keep.kept(game.journal) as have:
        have.state, made = twin_state(have.state, viewer, rng)
        mine = {den for den, members in enumerate(have.state.dens) if viewer.kind == "player" and members >> viewer.seat & 1}
    ear = keep._ears.get(game.journal)
    if ear is not None:
        ear.news[:] = [news for news in ear.news if news.public or viewer.seat in news.seats or rng.random() < 0.5]
    me = Account.objects.filter(username=account).first()
    others = list(Tenure.objects.filter(game=game, until=None).exclude(seat=viewer.seat).order_by("seat"))
    one, two = rng.sample(others, 2)
    first, second = one.account_id, two.account_id
    Tenure.objects.filter(pk=one.pk).delete()
    Tenure.objects.filter(pk=two.pk).update(account=first)
    Tenure.objects.create(game=game, seat=one.seat, account_id=second, kind=one.kind, since=one.since)
    for tenure, account_id in ((one, second), (two, first)):
        Post.objects.filter(game=game, seat=tenure.seat, voice="seat").update(author=account_id)
    hidden = Post.objects.filter(game=game).exclude(room__regex=r"^(talk|ballot|election|process)")
    for post in hidden:
        own = post.author_id == (me.pk if me else 0) or (post.room.startswith("den-") and int(post.room[4:]) in mine)
        own = own or (viewer.seat and post.room == f"line-{viewer.seat}")
        if not own and post.room != "words":
            Post.objects.filter(pk=post.pk).update(body=SECRET, html=SECRET, words=SECRET)
            Post.objects.create(
                game=game, room=post.room, floor=post.floor + rng.randrange(10**8), voice=post.voice, seat=post.seat, author=post.author,
                body=SECRET,
                html=SECRET, words=SECRET, at=post.at, minute=post.minute,
            )  # fmt: skip
    Post.objects.filter(game=game, receipt__state="refused").exclude(seat=viewer.seat).update(
        receipt={"state": "refused", "code": "changed", "target": SECRET, "ballot": "exile"}
    )
    seat = next(tenure.seat for tenure in others if tenure.seat not in (one.seat, two.seat))
    Request.objects.create(game=game, seat=seat, kind="other", words=SECRET, at=scene.moment)
    LogLine.objects.create(game=game, director=1, kind="note", words=SECRET, at=scene.moment)
    stranger = Account.objects.get(username=f"player{seat}")
    Draft.objects.update_or_create(account=stranger, game=game, room=f"talk-{scene.day}", defaults={"body": SECRET, "at": scene.moment})
    Mark.objects.filter(account=stranger, game=game).delete()
    FailedLogin.objects.create(account=stranger, at=scene.moment)
    return made


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("kind", ("visitor", "member", "player", "stranger"))
def test_pages_hold_nothing_a_viewer_was_not_told(name: str, kind: str, town: dict[str, Scene], clock: Clock) -> None:
    scene = town[name]
    clock.set(scene.moment)
    game = Game.objects.get(pk=scene.game)
    assert game.journal is not None
    seat = scene.player if kind == "player" else 0
    if kind == "stranger":
        seat = next(x for x in range(1, game.seats + 1) if x != scene.player)
    account = Tenure.objects.get(game=game, seat=seat, until=None).account.username if seat else scene.account(kind)
    viewer = Viewer("player", seat) if seat else PUBLIC
    fetched(account, scene)  # what a first visit writes (how far one has read) is written
    before = fetched(account, scene)
    assert sum(page.startswith(b"200") for page in before.values()) > 8
    edit(scene, viewer, account, random.Random(f"{name} {kind}"))
    after = fetched(account, scene)
    keep.drop(game.journal)
    keep._ears.pop(game.journal, None)
    changed = [path for path in before if before[path] != after[path]]
    assert not changed, difference(before[changed[0]], after[changed[0]], changed)


def difference(one: bytes, two: bytes, changed: list[str]) -> str:
    """Where two pages part."""
    was, now = (page.decode(errors="replace").splitlines() for page in (one, two))
    return f"{changed}\n" + "\n".join(line[:300] for line in list(difflib.unified_diff(was, now, lineterm="", n=0))[3:12])


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("kind", ("visitor", "member", "player"))
def test_no_account_of_a_running_game_is_named(name: str, kind: str, town: dict[str, Scene], clock: Clock) -> None:
    scene = town[name]
    clock.set(scene.moment)
    account = scene.account(kind)
    if kind == "player":
        account = Tenure.objects.get(game=scene.game, seat=scene.player, until=None).account.username
    for path, page in fetched(account, scene).items():
        named = {found for found in re.findall(rb"player\d+", page) if found.decode() != account}
        assert not named, (path, named)
