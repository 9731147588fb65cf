"""Dens and private lines: who reads, who writes, from when; nobody else can tell that they are there."""

from __future__ import annotations

from typing import Any

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.sight.types import PUBLIC, Viewer
from bansha.town import acts
from bansha.town.models import Account, Post
from bansha.town.table import Table
from tests.support.forms import forms
from tests.support.town import Clock, client, moment, seated, seats_of


def started(clock: Clock, name: str = "m205", **more: Any) -> Any:
    clock.set(moment(1, 8, 0))
    game = seated(name, **more)
    doors.strike(game.journal, clock.at(1, 12, 0))
    return game


def text(page: Any) -> str:
    return str(page.content.decode())


def test_a_den_is_its_members_alone(clock: Clock) -> None:
    game = started(clock)
    wolves = seats_of(game, "wolf")
    url = f"/g/{game.pk}/den/0/"
    got = client(f"player{wolves[0]}").post(url, {"body": "今晚[b]先看[/b]预言家", "key": "a"})
    assert got.status_code == 302
    for wolf in wolves:
        assert "今晚<strong>先看</strong>预言家" in text(client(f"player{wolf}").get(url))
    others = [seat for seat in range(1, game.seats + 1) if seat not in wolves]
    for who in ("", "director_nobody", *(f"player{seat}" for seat in others)):
        browser = client(who) if who != "director_nobody" else client("")
        there, never = browser.get(url), browser.get(f"/g/{game.pk}/den/7/")
        assert there.status_code == never.status_code == 404
        assert browser.post(url, {"body": "偷听", "key": "b"}).status_code == 404
    assert "先看" in text(client("director").get(url))
    got = client("director").post(url, {"body": "导演插话", "key": "c"})
    assert got.status_code == 422 and not Post.objects.filter(game=game, room="den-0", body="导演插话").exists()


def test_nothing_typed_is_lost(clock: Clock) -> None:
    game = started(clock)
    wolf = seats_of(game, "wolf")[0]
    browser = client(f"player{wolf}")
    got = browser.post(f"/g/{game.pk}/den/0/", {"body": "狼" * 20_001, "key": "a"})
    assert got.status_code == 422 and "最多 20000 字" in text(got) and "狼" * 20_001 in text(got)
    assert browser.post(f"/g/{game.pk}/den/0/", {"body": " ", "key": "b"}).status_code == 422
    for _ in range(2):
        assert browser.post(f"/g/{game.pk}/den/0/", {"body": "一次", "key": "c"}).status_code == 302
    assert Post.objects.filter(game=game, room="den-0").count() == 1


def test_who_is_out_goes_on_reading_and_talking(clock: Clock) -> None:
    game = started(clock)
    wolf, other = seats_of(game, "wolf")[:2]
    doors.submit(game.journal, c.Direct("out", wolf, "测试"), clock.at(1, 12, 1), "director 1")
    assert client(f"player{wolf}").post(f"/g/{game.pk}/den/0/", {"body": "我先走了", "key": "a"}).status_code == 302
    assert "我先走了" in text(client(f"player{other}").get(f"/g/{game.pk}/den/0/"))
    assert "已出局，仍在群里" in text(client(f"player{other}").get(f"/g/{game.pk}/den/0/"))


def test_the_joint_action_stands_in_the_talk(clock: Clock) -> None:
    game = started(clock)
    one, two, gone = seats_of(game, "wolf")
    clock.at(1, 21, 5)
    doors.strike(game.journal, clock.at(1, 21, 5))
    name = Table(game, None).name
    for seat, target in ((one, 1), (two, 2)):
        account = Account.objects.get(username=f"player{seat}")
        table = Table(game, account)
        assert table.me is not None
        kill = next(view for view in table.me.skills if view.id == "kill")
        acts.hand_in(table, {kill.index: [target]}, f"k{seat}")
    html = text(client(f"player{gone}").get(f"/g/{game.pk}/den/0/"))
    assert f"<p>{name(one)}提交 <s>杀人 → 1 {name(1)}</s>" in html
    assert f"<p>{name(two)}改交 <b>杀人 → 2 {name(2)}</b>" in html
    assert f"改交 <b>杀人 → 2 {name(2)}</b>" in text(client(f"player{one}").get(f"/g/{game.pk}/letter/"))
    doors.submit(game.journal, c.Direct("void_act", [two, kill.index], "测试"), clock.at(1, 21, 6), "director 1")
    html = text(client(f"player{gone}").get(f"/g/{game.pk}/den/0/"))
    assert f"改交 <s>杀人 → 2 {name(2)}</s>" in html


def test_news_of_a_pack_are_its_members(clock: Clock) -> None:
    game = started(clock)
    wolf, guard = seats_of(game, "wolf")[0], seats_of(game, "guard")[0]
    doors.strike(game.journal, clock.at(1, 21, 5))
    for seat, name in ((wolf, "kill"), (guard, "shield")):
        table = Table(game, Account.objects.get(username=f"player{seat}"))
        assert table.me is not None
        view = next(view for view in table.me.skills if view.id == name)
        acts.hand_in(table, {view.index: [1]})

    def kinds(viewer: Viewer) -> list[tuple[str, int]]:
        return [(news.value["skill"], news.value["den"]) for news in doors.heard(game.journal, viewer) if news.kind == "submitted"]

    assert kinds(Viewer("player", wolf)) == [("kill", 0)] == kinds(Viewer("assistant", wolf))
    assert kinds(Viewer("player", guard)) == [("shield", -1)]
    assert kinds(PUBLIC) == []
    assert kinds(Viewer("director")) == [("kill", 0), ("shield", -1)]
    hears = [news.kind for news in doors.heard(game.journal, Viewer("assistant", wolf))]
    assert "den" not in hears and "day" in hears


def test_a_den_is_read_from_joining_on(clock: Clock) -> None:
    """审判 opens a den between the prophet and one of the folk: who joins later reads nothing from before."""
    game = started(clock, "baichibai", setup_ends=moment(1, 9, 0))
    prophet = seats_of(game, "prophet")[0]
    folk = [seats_of(game, role)[0] for role in ("hunter", "idiot", "witch")]
    player = Account.objects.get(username=f"player{prophet}")
    table = Table(game, player)
    opened = 0
    for turn, target in enumerate(folk[:2]):
        table = Table(game, player)
        assert table.me is not None
        judge = next(view for view in table.me.skills if view.id == "judge")
        if judge.state not in ("open", "early"):
            break
        acts.hand_in(table, {judge.index: [target]}, f"j{turn}")
        doors.strike(game.journal, clock.set(Table(game, None).pace.moment(Table(game, None).public.opens_at)))
        den = Table(game, player).rooms.dens[0].den
        if target in Table(game, player).rooms.dens[0].members:
            opened += 1
            who = client(f"player{target}").get(f"/g/{game.pk}/den/{den}/")
            assert who.status_code == 200
            if opened == 1:
                said = {"body": "头一夜的话", "key": "d"}
                assert client(f"player{prophet}").post(f"/g/{game.pk}/den/{den}/", said).status_code == 302
                assert "头一夜的话" in text(client(f"player{target}").get(f"/g/{game.pk}/den/{den}/"))
            else:
                assert "头一夜的话" not in text(who)
    assert opened == 2


def test_the_private_line_and_its_publication(clock: Clock) -> None:
    game = started(clock)
    mine, other = f"/g/{game.pk}/line/", client("player5")
    asker = client("player4")
    assert asker.post(mine, {"body": "弃权算不算投票？", "key": "q"}).status_code == 302
    assert "弃权算不算" not in text(other.get(mine))
    assert other.get(f"/g/{game.pk}/line/4/").status_code == 404
    assert asker.get(f"/g/{game.pk}/line/4/").status_code == 404
    desk = client("director")
    url = f"/g/{game.pk}/line/4/"
    assert "弃权算不算" in text(desk.get(url))
    assert desk.get(f"/g/{game.pk}/line/99/").status_code == 404
    assert desk.post(url, {"body": "算，弃权也是一票。", "key": "r"}).status_code == 302
    assert "弃权也是一票" in text(asker.get(mine)) and "director" not in text(asker.get(mine))
    form = next(found for found in forms(text(desk.get(url))) if found.button("publish"))
    before = Post.objects.filter(game=game, room="process").count()
    got = desk.post(url, form.data(form.button("publish"), floor=["1"]))
    assert got.status_code == 422 and "一问" in text(got)
    assert Post.objects.filter(game=game, room="process").count() == before
    assert desk.post(url, form.data(form.button("publish"), floor=["1", "2"])).status_code == 302
    post = Post.objects.get(game=game, room="process", voice="director")
    assert "弃权算不算投票" in post.body and "弃权也是一票" in post.body
    assert Table(game, None).name(4) not in post.body and "player4" not in post.html
    got = desk.post(url, form.data(form.button("publish"), floor=["1", "2"]))
    assert got.status_code == 422 and Post.objects.filter(game=game, room="process").count() == before + 1
    assert f"进程帖 {post.floor} 楼" in text(desk.get(url))
    assert asker.post(mine, {"publish": "1", "floor": ["1", "2"], "body": ""}).status_code == 422
