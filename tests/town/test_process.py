"""The process page: petitions and the close they lead to, requests, posts; announcements whose wording a director reviews."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town import acts, tickets
from bansha.town.models import Account, LogLine, Post, Request, Thread
from bansha.town.table import Table
from tests.support.town import Clock, client, moment, seated


def table(game: Any, who: str) -> Table:
    return Table(game, Account.objects.get(username=who))


def page(game: Any, who: str, path: str = "process/") -> str:
    found = client(who).get(f"/g/{game.pk}/{path}")
    assert found.status_code == 200
    return unescape(found.content.decode())


def sign(game: Any, seat: int, kind: str, key: str = "") -> Any:
    return client(f"player{seat}").post(f"/g/{game.pk}/process/", {"do": "sign", "kind": kind, "key": key or f"{seat}{kind}"})


@pytest.fixture
def long_day(clock: Clock) -> Any:
    """baichibai on day 1 (two natural days): Monday 10:00, it closes on Tuesday 21:00."""
    clock.at(1, 4)
    made = seated("baichibai", title="进程")
    doors.strike(made.journal, clock.at(1, 9, 1))
    clock.at(1, 10)
    return made


def test_signatures_lead_to_a_sooner_close(long_day: Any, clock: Clock) -> None:
    game = long_day
    close = table(game, "player1").public.closes_at
    shown = page(game, "player1")
    assert "签加速" in shown and "若成：<b>21:00</b> 关门" in shown and "18:00 止签" in shown and 'class="shift"' in shown
    assert "0 / 7 签" in shown and "流局" not in shown
    for seat in range(1, 7):
        assert sign(game, seat, "speed_up").status_code == 302
        assert sign(game, seat, "speed_up").status_code == 302, "the same key is the same signature"
    again = sign(game, 1, "speed_up", "another")
    assert again.status_code == 422 and "已签过" in again.content.decode()
    shown = page(game, "player9")
    assert "6 / 7 签" in shown and "再一签即成" in shown and "已签：摆渡人" in shown
    assert "今天已签过" in page(game, "player1") and table(game, "player1").public.closes_at == close
    assert sign(game, 7, "speed_up").status_code == 302
    public = table(game, "player1").public
    assert public.sped_up and public.closes_at == close - 1440
    shown = page(game, "player9")
    assert "今天已成" in shown and "签加速" not in shown and "加速随之取消" in shown
    assert sign(game, 9, "speed_up").status_code == 422
    doors.strike(game.journal, clock.at(1, 21, 0))
    assert table(game, "player1").public.phase == "night"
    shown = page(game, "player1")
    assert "现在不收签名" in shown and "签延时" not in shown


def closes(game: Any, minute: int) -> dict[str, int]:
    """The close each kind of petition would lead to."""
    return {petition.kind: petition.close for petition in doors.petitions(game.journal, 0, minute)}


def test_what_a_petition_would_do_is_what_it_does(long_day: Any, clock: Clock) -> None:
    game = long_day
    for hour in (9, 12, 17, 18, 20, 23):
        clock.at(1, hour, 30)
        now = table(game, "player1").minute
        would = closes(game, now)["speed_up"]
        assert now + 180 <= would <= table(game, "player1").public.closes_at and would % 1440 == 21 * 60
    clock.at(1, 15)
    would = closes(game, table(game, "player1").minute)["extend"]
    for seat in range(1, 8):
        sign(game, seat, "extend")
    assert table(game, "player1").public.closes_at == would
    clock.at(3, 18)
    late = sign(game, 9, "speed_up")
    assert late.status_code == 422 and "18:00" in late.content.decode()
    assert "关门前3小时" in page(game, "player9")


def test_who_may_not_sign(long_day: Any) -> None:
    game = long_day
    acts.direct(table(game, "director"), c.Direct("out", 8, "测试", 1))
    assert "已经出局" in page(game, "player8") and sign(game, 8, "speed_up").status_code == 422
    for who in ("", "director"):
        assert "签加速" not in page(game, who)
        assert client(who).post(f"/g/{game.pk}/process/", {"do": "sign", "kind": "speed_up"}).status_code == 422
    assert sign(game, 1, "abort").status_code == 422 and sign(game, 1, "nonsense").status_code == 422
    assert not table(game, "player1").public.petitions.get("speed_up")


def test_a_request_is_its_writers_and_the_directors(long_day: Any) -> None:
    game = long_day
    sent = client("player3").post(f"/g/{game.pk}/process/", {"do": "ask", "words": "明天请假半日", "key": "q"})
    assert sent.status_code == 302
    client("player3").post(f"/g/{game.pk}/process/", {"do": "ask", "words": "明天请假半日", "key": "q"})
    assert Request.objects.get(game=game).seat == 3
    assert "明天请假半日" in page(game, "player3") and "明天请假半日" not in page(game, "player4")
    empty = client("player3").post(f"/g/{game.pk}/process/", {"do": "ask", "words": " ", "key": "r"})
    assert empty.status_code == 422
    assert client("").post(f"/g/{game.pk}/process/", {"do": "ask", "words": "我也要"}).status_code == 422


def test_posts_in_the_process_thread(long_day: Any, clock: Clock) -> None:
    game = long_day
    sent = client("player5").post(f"/g/{game.pk}/process/", {"do": "say", "body": "我也想快一点", "key": "s"})
    assert sent.status_code == 302 and "我也想快一点" in page(game, "")
    assert not table(game, "player1").public.petitions.get("speed_up"), "wishing is no signature"
    doors.strike(game.journal, clock.at(2, 21, 0))
    late = client("player5").post(f"/g/{game.pk}/process/", {"do": "say", "body": "关门以后", "key": "t"})
    assert late.status_code == 422 and "关门以后" in unescape(late.content.decode()) and "关门以后" not in page(game, "")
    assert client("player5").post(f"/g/{game.pk}/process/", {"do": "no"}).status_code == 404


# --- announcements under review (C28) ------------------------------------------------------------------------------


@pytest.fixture
def reviewed(clock: Clock) -> Any:
    """m205 with review of the wording, counted at the close of day 1."""
    clock.at(1, 4)
    made = seated(title="审稿", review=True)
    doors.strike(made.journal, clock.at(1, 9, 1))
    clock.at(1, 10)
    for seat in (1, 2, 3):
        acts.vote(table(made, f"player{seat}"), "election-1", 5, "")
    doors.strike(made.journal, clock.at(1, 21, 0))
    clock.at(1, 21, 1)
    return made


def test_a_wording_waits_and_the_fact_does_not(reviewed: Any, clock: Clock) -> None:
    game = reviewed
    held = acts.held_announcements(table(game, "director"))
    assert [post.waits_for for post in held] == ["election-1", "talk-1"] and not acts.held_announcements(table(game, "player1"))
    assert all(post.held_until == moment(2, 9) for post in held)
    for who in ("", "player1"):
        shown = page(game, who, "b/election-1/")
        assert "警长竞选计票" not in shown and "计票结果" in shown and "警长" in shown, "the count is a fact"
        assert "警长：" not in page(game, who, "t/talk-1/")
        assert "第一日竞选帖" in shown or "投票帖" in shown, "what opens a thread is no announcement"
    assert table(game, "player1").public.sheriff == 5
    assert "警长竞选计票" in page(game, "director", "desk/"), "directors read it where they release it"
    clock.at(2, 8, 59)
    assert "警长：" not in page(game, "", "t/talk-1/")
    doors.strike(game.journal, clock.at(2, 9, 0))
    assert "警长" in page(game, "", "t/talk-1/") and not acts.held_announcements(table(game, "director"))


def test_a_director_releases_the_wording(reviewed: Any) -> None:
    game = reviewed
    first, second = acts.held_announcements(table(game, "director"))
    for who in ("player1",):
        with pytest.raises(acts.Denied):
            acts.release(table(game, who), first, "我来写")
    acts.release(table(game, "director"), second, "雾里选出了[b]卖伞婆婆[/b]。")
    acts.release(table(game, "director"), first, "")
    assert "雾里选出了<strong>卖伞婆婆</strong>" in page(game, "", "t/talk-1/") and "警长竞选计票" in page(game, "", "b/election-1/")
    with pytest.raises(acts.Denied):
        acts.release(table(game, "director2"), second, "晚了一步")
    assert LogLine.objects.filter(game=game, kind="worded").count() == 2
    fields = ("room", "floor", "body", "html", "held_until", "receipt", "note")
    for later in ("", "导演先说一句"):
        if later:
            acts.say(table(game, "director"), "talk-1", later)
        before = list(Post.objects.filter(game=game).order_by("room", "floor").values_list(*fields))
        floors = dict(Thread.objects.filter(game=game).values_list("room", "floors"))
        doors.rebuild(game.journal)
        assert list(Post.objects.filter(game=game).order_by("room", "floor").values_list(*fields)) == before
        assert dict(Thread.objects.filter(game=game).values_list("room", "floors")) == floors
    assert acts.say(table(game, "director"), "talk-1", "再说一句").floor == floors["talk-1"] + 1


def floors_of(game: Any, room: str) -> list[tuple[int, str]]:
    return list(Post.objects.filter(game=game, room=room).order_by("floor").values_list("floor", "voice"))


def test_a_waiting_announcement_leaves_no_gap_in_the_floors(reviewed: Any, clock: Clock) -> None:
    game = reviewed
    before = floors_of(game, "talk-1")
    assert [floor for floor, _voice in before] == list(range(1, len(before) + 1)), "nothing tells that something waits"
    clock.at(1, 21, 5)
    said = acts.say(table(game, "director"), "talk-1", "各位晚安。")
    assert said.floor == len(before) + 1
    clock.at(1, 21, 9)
    _tally, sheriff = acts.held_announcements(table(game, "director"))
    released = acts.release(table(game, "director"), sheriff, "")
    assert (released.room, released.floor) == ("talk-1", said.floor + 1)
    clock.at(1, 21, 12)
    after = acts.say(table(game, "director"), "talk-1", "真的晚安。")
    assert after.floor == released.floor + 1
    doors.strike(game.journal, clock.at(2, 9, 0))
    tally = Post.objects.get(game=game, note="count")
    assert (tally.room, tally.held_until) == ("election-1", None) and not Post.objects.filter(game=game, room="held").exists()
    stands = {room: floors_of(game, room) for room in ("talk-1", "election-1", "talk-2")}
    doors.rebuild(game.journal)
    assert {room: floors_of(game, room) for room in stands} == stands


def test_what_waited_comes_out_at_its_hour_though_nothing_happens(reviewed: Any, clock: Clock) -> None:
    game = reviewed
    last = floors_of(game, "election-1")[-1][0]
    clock.at(2, 8, 59)
    assert "警长竞选计票" not in page(game, "player1", "b/election-1/")
    clock.at(2, 9, 0)
    assert "警长竞选计票" in page(game, "player1", "b/election-1/"), "whoever looks first puts it there"
    assert Post.objects.get(game=game, note="count").floor == last + 1


def test_a_released_announcement_arrives_live_at_the_end_of_the_thread(reviewed: Any, clock: Clock) -> None:
    from bansha.site.stream import Ask, Watch

    game = reviewed
    watch = Watch()
    ticket = tickets.check(tickets.make(table(game, "player1"), "talk-1"), clock.at(1, 21, 2))
    assert ticket is not None
    ask = Ask(ticket, ticket.floor)
    assert watch.join([ask]) == [[]]
    said = acts.say(table(game, "director"), "talk-1", "各位晚安。")
    (first,) = watch.look({1: ask}, False).messages[1]
    ask = Ask(ticket, first.floor)
    assert first.floor == said.floor and watch.look({1: ask}, False).messages[1] == []
    _tally, sheriff = acts.held_announcements(table(game, "director"))
    acts.release(table(game, "director"), sheriff, "雾里选出了[b]卖伞婆婆[/b]。")
    (second,) = watch.look({1: ask}, False).messages[1]
    assert second.floor == said.floor + 1 and "雾里选出了" in second.data["html"] and f'id="f{second.floor}"' in second.data["html"]
    clock.at(2, 8, 59)
    ballot = tickets.check(tickets.make(table(game, "player1"), "election-1"), clock.at(2, 8, 59))
    assert ballot is not None and watch.join([Ask(ballot, ballot.floor)]) == [[]]
    clock.at(2, 9, 0)
    (third,) = watch.look({1: Ask(ballot, ballot.floor)}, False).messages[1]
    assert third.floor == ballot.floor + 1 and "警长竞选计票" in third.data["html"], "its hour has come"


def test_the_end_and_the_morning_never_wait(reviewed: Any, clock: Clock) -> None:
    game = reviewed
    doors.strike(game.journal, clock.at(2, 9, 0))
    assert "第二日开门" in page(game, "", "t/talk-2/")
    acts.direct(table(game, "director"), c.Direct("abort", None, "测试", 1))
    assert table(game, "player1").public.phase == "over"
    assert "流局" in page(game, "", "t/talk-2/")


def test_petitions_are_shown_while_the_clock_is_late(clock: Clock) -> None:
    game = seated(seed=77, title="迟到的钟")
    doors.strike(game.journal, clock.at(1, 9, 0))
    clock.at(1, 21, 5)  # the close is overdue, and nobody has struck it
    assert client("player1").get(f"/g/{game.pk}/process/").status_code == 200
