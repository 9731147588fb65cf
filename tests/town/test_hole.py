"""Tree holes: nobody else reads them before the end, directors neither; afterwards everybody."""

from __future__ import annotations

from typing import Any

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town.models import Account, Draft, Post
from bansha.town.readable import readable
from bansha.town.table import Table
from tests.support.town import Clock, account, client, moment, seated


def started(clock: Clock) -> Any:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 12, 0))
    return game


def text(page: Any) -> str:
    return str(page.content.decode())


def test_a_diary_by_days(clock: Clock) -> None:
    game = started(clock)
    player, url = client("player4"), f"/g/{game.pk}/hole/"
    for at, body in (((1, 12, 5), "被灯塔照到"), ((1, 21, 3), "黑伞走得干净")):
        doors.strike(game.journal, clock.at(*at))
        assert player.post(url, {"body": body, "key": body}).status_code == 302
    doors.strike(game.journal, clock.at(2, 10, 0))
    html = text(player.get(url))
    assert html.index("第二日") < html.index("第一日") < html.index("黑伞走得干净") < html.index("被灯塔照到") < html.index("开局")
    assert "关门之后" in html and "讨论帖 2 楼之后" in html and "21:03" in html
    assert "那天你什么也没说" in html


def test_nobody_else_reads_it(clock: Clock) -> None:
    game = started(clock)
    url = f"/g/{game.pk}/hole/"
    outsider = Account.objects.filter(username="passerby").first() or account("passerby")
    before = {who: text(client(who).get(url)) for who in ("player5", "director", "passerby")}
    assert client("player4").post(url, {"body": "只有树洞知道", "key": "a"}).status_code == 302
    for who, page in before.items():
        now = text(client(who).get(url))
        assert "只有树洞知道" not in now
        assert without_keys(now) == without_keys(page), "not even that something was written"
        assert "只有树洞知道" not in text(client(who).get(url + "?of=4"))
        reader = Table(game, Account.objects.get(username=who))
        assert not readable(reader).filter(body="只有树洞知道").exists()
    assert client("").get(url).status_code == 302
    assert client("passerby").post(url, {"body": "我也有一个", "key": "b"}).status_code == 302
    assert "我也有一个" in text(client("passerby").get(url)) and outsider.pk
    assert client("director").post(url, {"body": "导演也有一个", "key": "c"}).status_code == 302
    assert "导演也有一个" in text(client("director").get(url))
    assert "导演也有一个" not in text(client("director2").get(url))


def without_keys(html: str) -> str:
    """A page without what is new each time."""
    import re

    return re.sub(r'name="(key|csrfmiddlewaretoken)" value="[^"]*"', "", html)


def test_after_the_end_everybody_does(clock: Clock) -> None:
    game = started(clock)
    url = f"/g/{game.pk}/hole/"
    client("player4").post(url, {"body": "只有树洞知道", "key": "a"})
    assert client("director").get(f"/g/{game.pk}/reveal/holes/").status_code == 404
    doors.submit(game.journal, c.Direct("abort", None, "测试"), clock.at(1, 12, 30), "director 1")
    for who in ("player5", "director", ""):
        assert "?of=player4" in text(client(who).get(f"/g/{game.pk}/reveal/holes/"))
        assert "只有树洞知道" in text(client(who).get(f"/g/{game.pk}/reveal/holes/?of=player4"))
        assert client(who).get(f"/g/{game.pk}/reveal/holes/?of=player6").status_code == 404
    assert "/reveal/holes/" in text(client("player5").get(url)) and "只有树洞知道" not in text(client("player5").get(url))
    assert readable(Table(game, Account.objects.get(username="player5"))).filter(room__startswith="hole-").exists()


def test_empty_and_drafts(clock: Clock) -> None:
    game = started(clock)
    url = f"/g/{game.pk}/hole/"
    me = Account.objects.get(username="player6")
    Draft.objects.create(account=me, game=game, room="hole", body="写了一半", at=moment(1, 12))
    assert "写了一半" in text(client("player6").get(url))
    assert client("player6").post(url, {"body": "\n", "key": "a"}).status_code == 422
    assert client("player6").post(url, {"body": "写完了", "key": "b"}).status_code == 302
    assert not Draft.objects.filter(account=me, game=game, room="hole").exists()
    assert Post.objects.get(game=game, room=f"hole-{me.pk}").voice == "account"
