"""The ballot page: votes by form and by hand, receipts, the tally, proxies, doors, secrecy."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town import acts, tallies
from bansha.town.models import Account, Draft, Post, Request, Thread
from bansha.town.table import Table
from tests.support.town import Clock, client, moment, seated

KEYS = iter(range(10_000))


@pytest.fixture
def game(clock: Clock) -> Any:
    """m205 on day 1 at 10:00: the sheriff's election is open."""
    clock.at(1, 4)
    made = seated(title="投票")
    doors.strike(made.journal, clock.at(1, 9, 1))
    clock.at(1, 10)
    return made


def table(game: Any, who: str) -> Table:
    return Table(game, Account.objects.get(username=who))


def address(game: Any, room: str = "election-1") -> str:
    return f"/g/{game.pk}/b/{room}/"


def page(game: Any, who: str, room: str = "election-1", query: str = "") -> str:
    found = client(who).get(address(game, room) + query)
    assert found.status_code == 200
    return unescape(found.content.decode())


def votes(game: Any, seat: int, target: int, room: str = "election-1", **more: Any) -> Any:
    """Send the form as a browser without JavaScript would."""
    data = {"do": "vote", "target": target, "reason": "票型", "key": f"k{next(KEYS)}", **more}
    return client(f"player{seat}").post(address(game, room), data)


def by_hand(game: Any, seat: int, body: str, room: str = "election-1") -> Post:
    return acts.say(table(game, f"player{seat}"), room, body)


def same_tally(game: Any, room: str, ballot: str) -> tallies.Tally:
    """The page's tally and its history say what the public view says."""
    seen = table(game, "player1")
    found = tallies.tally(seen, Thread.objects.get(game=game, room=room))
    view = next(view for view in seen.public.ballots if view.name == ballot)
    assert {row.seat: row.halves for row in found.rows} == dict(view.counts)
    order = {row.seat: row.voters for row in found.rows}
    for row in found.rows:
        assert order[row.seat] == [seat for seat, target in view.votes if target == row.seat]
    assert found.abstained == [seat for seat, target in view.votes if not target]
    if found.log:
        assert {seat: count for seat, count in found.log[-1].counts.items() if count} == dict(view.counts)
    cast = tallies.casts(Post.objects.filter(game=game, room=room))
    assert sorted((one.seat, one.target) for one in tallies.in_force(cast)) == sorted(view.votes)
    return found


def test_the_form_writes_the_proper_post(game: Any) -> None:
    shown = page(game, "player4")
    assert "选一位警长" in shown and "发出竞选票" in shown and shown.count('type="radio"') == 11
    sent = votes(game, 4, 7, key="once")
    assert sent.status_code == 302
    assert votes(game, 4, 7, key="once").headers["Location"] == sent.headers["Location"]
    post = Post.objects.get(game=game, seat=4, voice="seat")
    assert post.body == "投票对象：黑伞先生\n投票理由：票型" and sent.headers["Location"].endswith(f"#f{post.floor}")
    shown = page(game, "player4")
    assert "有效" in shown and "第 1 票" in shown and "改一次票" in shown
    assert "1 / 10 人已投" in page(game, "")
    same_tally(game, "election-1", "election")


def test_a_change_quotes_the_vote_in_force_and_is_used_up(game: Any) -> None:
    votes(game, 4, 7)
    assert votes(game, 4, 6).status_code == 422, "a first vote while one is in force"
    assert votes(game, 4, 6, change="1").status_code == 302
    old, new = Post.objects.filter(game=game, seat=4, voice="seat").order_by("floor")
    assert new.body.startswith(f"[quote=提词人;{old.ref}]") and "改票对象：雾笛手" in new.body
    shown = page(game, "player5")
    assert "已改票" in shown and f'href="#f{new.floor}"' in shown and "黑伞先生 0 → 雾笛手 1" in shown
    found = same_tally(game, "election-1", "election")
    assert [(step.target, step.before, step.count) for step in found.log] == [(7, None, 2), (6, 7, 2)]
    mine = page(game, "player4")
    assert "改票已经用掉" in mine and "发出改票帖" not in mine
    assert votes(game, 4, 5, change="1").status_code == 422
    assert Post.objects.filter(game=game, seat=4, voice="seat").count() == 2


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("我投票对象：黑伞先生\n投票理由：", "bad_format", "不是以"),
        ("投标对象：黑伞先生\n投票理由：", "bad_format", "标签写错"),
        ("投票对象 黑伞先生\n投票理由：", "bad_format", "冒号"),
        ("投票对象：黑伞先生", "bad_format", "缺少理由的标签"),
        ("投票对象：\n投票理由：", "bad_format", "没有写对象"),
        ("投票对象：黑伞\n投票理由：见讨论帖", "unknown_name", "没有叫“黑伞”的人"),
        ("改票对象：黑伞先生\n改票理由：", "no_vote", "还没有投票"),
    ],
)
def test_a_post_that_is_no_vote_says_why_to_its_author_alone(game: Any, body: str, code: str, says: str) -> None:
    post = by_hand(game, 9, body)
    assert post.receipt is not None and post.receipt["code"] == code and post.receipt["zh"] and post.receipt["en"]
    mine = page(game, "player9")
    assert "不成票" in mine and says in mine and "仅你可见" in mine
    if code == "unknown_name":
        assert "?target=7#vote" in mine and "照此重填" in mine
        assert 'value="7" data-name="黑伞先生" checked' in page(game, "player9", query="?target=7")
    assert "不成票" in page(game, "director")
    for other in ("player3", ""):
        shown = page(game, other)
        assert f'id="f{post.floor}"' in shown and 'class="receipt no"' not in shown
        assert "不成票" not in shown and post.receipt["zh"] not in shown and "照此重填" not in shown
    assert votes(game, 9, 7).status_code == 302, "nothing was used up"
    same_tally(game, "election-1", "election")


def test_a_hand_written_change_needs_its_quote(game: Any) -> None:
    by_hand(game, 3, "投票对象：提词人\n投票理由：")
    assert by_hand(game, 3, "投票对象：雾笛手\n投票理由：").receipt["code"] == "voted"  # type: ignore[index]
    assert by_hand(game, 3, "改票对象：雾笛手\n改票理由：").receipt["code"] == "must_quote"  # type: ignore[index]
    floor = acts.vote_in_force(table(game, "player3"), "election-1")
    filled = re.search(r'id="body"[^>]*>([^<]*)<', page(game, "player3", query=f"?quote={floor}"))
    assert filled is not None and "改票对象：" in filled[1]
    text = unescape(filled[1]).replace("改票对象：", "改票对象：雾笛手")
    sent = client("player3").post(address(game), {"do": "say", "body": text, "key": "h"})
    assert sent.status_code == 302
    assert Post.objects.filter(game=game, seat=3).order_by("-floor").first().receipt["state"] == "change"  # type: ignore[union-attr, index]
    assert by_hand(game, 3, text).receipt["code"] in ("changed", "must_quote")  # type: ignore[index]


def test_the_last_hour_takes_first_votes_only(game: Any, clock: Clock) -> None:
    votes(game, 1, 2)
    clock.at(1, 20)
    assert "20:00 起不收改票" in page(game, "player1")
    assert votes(game, 1, 3, change="1").status_code == 422
    own = acts.vote_in_force(table(game, "player1"), "election-1")
    ref = Post.objects.get(game=game, room="election-1", floor=own).ref
    text = f"[quote=摆渡人;{ref}]投票对象：报幕员小满[/quote]\n改票对象：提词人\n改票理由："
    late = by_hand(game, 1, text)
    assert late.receipt is not None and late.receipt["code"] == "freeze" and "20:00" in late.receipt["zh"]
    assert "已过改票止" in page(game, "player2")
    assert votes(game, 2, 1).status_code == 302


def test_a_vote_as_the_door_shuts(game: Any, clock: Clock) -> None:
    clock.at(1, 20, 59, 59)
    assert votes(game, 2, 1).status_code == 302
    clock.at(1, 21, 0, 0)
    late = votes(game, 3, 1, reason="差一秒")
    assert late.status_code == 422 and "差一秒" in late.content.decode()
    assert Draft.objects.get(game=game, account__username="player3", room="election-1").body.endswith("差一秒")
    assert not Post.objects.filter(game=game, seat=3).exists()
    assert dict(table(game, "player1").public.last_counts["election"]) == {1: 2}
    by_hand_late = client("player3").post(address(game), {"do": "say", "body": "投票对象：弃权\n投票理由：手写也晚", "key": "l"})
    assert by_hand_late.status_code == 422 and "手写也晚</textarea>" in by_hand_late.content.decode()
    shown = page(game, "player3")
    assert "计票结果" in shown and "发出竞选票" not in shown
    same_tally(game, "election-1", "election")


def test_the_dead_do_not_vote_and_no_seat_votes_for_another(game: Any, clock: Clock) -> None:
    acts.direct(table(game, "director"), c.Direct("out", 8, "测试", 1))
    assert "你今天没有投票权" in page(game, "player8")
    sent = votes(game, 8, 1)
    assert sent.status_code == 422 and not Post.objects.filter(game=game, seat=8, room="election-1").exists()
    page_of_7 = client("player7").post(address(game), {"do": "vote", "target": 1, "seat": 3, "reason": "", "key": "x"})
    assert page_of_7.status_code == 302
    assert list(Post.objects.filter(game=game, voice="seat").values_list("seat", flat=True)) == [7]
    outsider = client("")
    assert outsider.post(address(game), {"do": "vote", "target": 1, "reason": "", "key": "y"}).status_code == 422
    assert votes(game, 5, 8).status_code in (302, 422)
    assert not [vote for vote in table(game, "player1").public.ballots[0].votes if vote[0] == 5], "nobody votes for one who is out"
    assert votes(game, 6, 99).status_code == 422 and votes(game, 6, "").status_code == 422  # type: ignore[arg-type]
    same_tally(game, "election-1", "election")


def test_a_void_vote_may_be_cast_afresh(game: Any, clock: Clock) -> None:
    votes(game, 1, 8)
    votes(game, 2, 8)
    votes(game, 2, 3, change="1")
    votes(game, 4, 3)
    acts.direct(table(game, "director"), c.Direct("out", 8, "测试", 1))
    found = same_tally(game, "election-1", "election")
    assert found.log[-1].voided and found.log[-1].seat == 1
    assert "已作废" in page(game, "player5")
    assert votes(game, 1, 3).status_code == 302
    assert votes(game, 1, 4, change="1").status_code == 302
    same_tally(game, "election-1", "election")


def test_what_directors_undo_leaves_the_tally(game: Any) -> None:
    votes(game, 1, 5)
    votes(game, 1, 6, change="1")
    acts.direct(table(game, "director"), c.Direct("undo", None, "测试", 1))
    found = same_tally(game, "election-1", "election")
    assert [row.seat for row in found.rows] == [5]
    assert votes(game, 1, 7, change="1").status_code == 302
    assert Post.objects.filter(game=game, seat=1).order_by("-floor").first().receipt["state"] == "change"  # type: ignore[union-attr, index]
    same_tally(game, "election-1", "election")
    doors.rebuild(game.journal)
    same_tally(game, "election-1", "election")


def test_a_proxy_vote_is_asked_for_cast_shown_and_changed(game: Any) -> None:
    asked = client("player6").post(address(game), {"do": "proxy", "target": 2, "words": "在飞机上"})
    assert asked.status_code == 302
    client("player6").post(address(game), {"do": "proxy", "target": 3, "words": "还是投老海"})
    assert Request.objects.get(game=game).value == {"ballot": "election", "day": 1, "target": 3}
    assert "等导演办" in page(game, "player6") and "等导演办" not in page(game, "player5")
    acts.proxy(table(game, "director"), 6, 1, 3, "p")
    acts.proxy(table(game, "director"), 6, 1, 3, "p")
    assert Request.objects.get(game=game).done_by == 1 and "已办" in page(game, "player6")
    assert "导演 代雾笛手" in page(game, "")
    assert votes(game, 6, 4, change="1").status_code == 302
    found = same_tally(game, "election-1", "election")
    assert [(step.seat, step.target) for step in found.log] == [(6, 3), (6, 4)]
    before = list(Post.objects.filter(game=game).order_by("room", "floor").values_list("room", "floor", "body", "receipt"))
    doors.rebuild(game.journal)
    assert list(Post.objects.filter(game=game).order_by("room", "floor").values_list("room", "floor", "body", "receipt")) == before


def test_no_proxy_in_the_last_hour(game: Any, clock: Clock) -> None:
    clock.at(1, 20, 1)
    assert "请导演代投" not in page(game, "player6")
    assert client("player6").post(address(game), {"do": "proxy", "target": 2}).status_code == 422
    assert not Request.objects.filter(game=game).exists()


def test_preview_without_javascript_writes_nothing(game: Any) -> None:
    shown = client("player2").post(address(game), {"do": "vote", "preview": "1", "target": 0, "reason": "看看", "key": "z"})
    text = unescape(shown.content.decode())
    assert shown.status_code == 200 and "<mark data-target>弃权</mark>" in text and ">看看</textarea>" in text
    assert not Post.objects.filter(game=game, seat=2).exists()


def test_the_thread_of_a_ballot_leads_to_its_page(game: Any) -> None:
    assert client("").get(f"/g/{game.pk}/t/election-1/").headers["Location"].startswith(address(game))
    assert client("").get(address(game, "talk-1")).status_code == 404
    assert client("").get(address(game, "ballot-9")).status_code == 404


def test_limits_are_said_in_both_zones(game: Any) -> None:
    Account.objects.filter(username="player2").update(zone="Europe/London")
    shown = page(game, "player2")
    assert "场上时间 20:00" in shown and "你那里 12:00" in shown and 'data-left="36000"' in shown
    assert "你那里" not in page(game, "player1")
    Account.objects.filter(username="player2").update(zone="Asia/Shanghai")


def test_no_account_shows(game: Any) -> None:
    votes(game, 4, 7)
    acts.proxy(table(game, "director"), 6, 1, 3)
    for who in ("", "player5"):
        shown = page(game, who)
        assert not re.search(r"player[0-46-9]|director\b(?!\")", shown.replace('class="post tight director"', ""))


def test_curses_and_the_sheriff_count_and_the_first_reached_is_drawn(clock: Clock) -> None:
    clock.set(moment(1, 14))
    game = seated("m46", seed=3, title="双票", setup_ends=moment(1, 21))
    doors.strike(game.journal, clock.at(2, 9, 1))
    for seat, target in ((1, 5), (2, 6), (3, 6), (4, 5), (5, 5), (6, 6)):
        clock.at(2, 9 + seat)
        votes(game, seat, target)
    clock.at(2, 17)
    shown = page(game, "player7")
    assert "同为 3 票，谁在先" in shown and "雾笛手" in shown and 'class="race"' in shown
    found = same_tally(game, "election-1", "election")
    assert found.race is not None and found.race.seats == (5, 6) and found.rows[0].sooner
    votes(game, 1, 6, "ballot-1")
    assert 'aria-current="true"' in shown and "放逐" in shown
    doors.strike(game.journal, clock.at(3, 21, 0))
    assert table(game, "player1").public.sheriff == 5
    assert "计票结果" in page(game, "", "ballot-1")


def test_a_curse_stands_in_the_tally(clock: Clock) -> None:
    clock.set(moment(1, 4))
    game = seated("baichibai", seed=2, title="诅咒")
    crow = table(game, "player1")
    for seat in range(1, 14):
        crow = table(game, f"player{seat}")
        assert crow.me is not None
        if crow.me.role == "crow":
            break
    assert crow.me is not None
    skill = next(skill for skill in crow.me.skills if skill.verb == "curse")
    acts.hand_in(crow, {skill.index: [3]})
    doors.strike(game.journal, clock.at(1, 9, 1))
    votes(game, 2, 3, "ballot-1")
    votes(game, 1, 5, "ballot-1")
    found = same_tally(game, "ballot-1", "exile")
    assert found.rows[0].halves == 6 and found.rows[0].cursed == 4 and not found.rows[0].weighed
    assert "含诅咒加的 2 票" in page(game, "", "ballot-1")


def missing_on(shown: str) -> str:
    """What the page lists as not having voted."""
    found = re.search(r"<b>未投票</b>(.*?)</p>", shown, re.DOTALL)
    return found[1] if found else ""


def test_a_closed_ballot_says_who_could_have_voted_and_did_not(game: Any, clock: Clock) -> None:
    for seat, target in ((1, 5), (2, 5), (3, 0), (4, 7)):
        votes(game, seat, target)
    acts.direct(table(game, "director"), c.Card(9, "red", "作弊"))
    acts.direct(table(game, "director"), c.Direct("out", 10, "测试", 1))
    before = {seat for seat in range(1, 11) if table(game, "player1").name(seat) in missing_on(page(game, "player1"))}
    assert before == {5, 6, 7, 8}
    doors.strike(game.journal, clock.at(1, 21, 1))
    names = {seat: table(game, "player1").name(seat) for seat in range(1, 11)}

    def missing(who: str, room: str = "election-1") -> set[int]:
        return {seat for seat, name in names.items() if name in missing_on(page(game, who, room))}

    assert missing("player1") == missing("director") == before, "nothing changes with the count"
    doors.strike(game.journal, clock.at(2, 9, 1))
    for seat in (1, 2, 3):
        votes(game, seat, 4, "ballot-2")
    doors.strike(game.journal, clock.at(2, 21, 1))
    assert 4 not in table(game, "player1").public.alive
    assert missing("player1", "ballot-2") == {4, 5, 6, 7, 8}, "who was exiled by that very count could have voted too"
    doors.strike(game.journal, clock.at(3, 9, 1))
    assert missing("player1") == before and missing("player1", "ballot-2") == {4, 5, 6, 7, 8}, "days later as well"
    acts.direct(table(game, "director"), c.Direct("abort", None, "测试", 1))
    assert missing("player1", "ballot-2") == {4, 5, 6, 7, 8}
