"""The hub: skyline, seats, threads, my own box, calendar and news, for who looks and what they may know."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town import acts
from bansha.town.days import closing, days
from bansha.town.looks import skyline
from bansha.town.models import Account, Game, Mark, Persona, Post, Thread
from bansha.town.standing import cards, last_words_left, quota
from bansha.town.table import Table
from bansha.town.views.hub import left_when
from tests.support.town import Clock, client, seated


def of(game: Any, name: str = "") -> Table:
    """A game as somebody sees it now."""
    return Table(Game.objects.get(pk=game.pk), Account.objects.get(username=name) if name else None)


@pytest.fixture
def opened(clock: Clock) -> Any:
    """A game on its first morning."""
    game = seated(seed=21)
    doors.strike(game.journal, clock.at(1, 9, 1))
    return game


def test_the_skyline_has_one_house_a_seat_and_is_the_same_every_time() -> None:
    for seats in (5, 10, 14):
        made = skyline("7", seats, out=[2], mine=4)
        assert made.near.count("M") == made.near.count("Z") == seats == len(made.panes)
        assert [pane.seat for pane in made.panes] == list(range(1, seats + 1))
        assert [float(pane.x) for pane in made.panes] == sorted(float(pane.x) for pane in made.panes)
        assert all(0 <= float(pane.x) <= 706 and int(pane.y) + 19 <= 132 for pane in made.panes)
        assert [pane.state for pane in made.panes][:4] == ["pane", "dark", "pane", "lamp"]
        assert made == skyline("7", seats, out=[2], mine=4)
        assert made.near != skyline("8", seats).near
    assert skyline("7", 10, out=[4], mine=4).panes[3].state == "dark"


def test_the_house_shows_every_seat_and_mine_is_lit(opened: Any) -> None:
    page = client("player4").get(f"/g/{opened.pk}/").content.decode()
    assert re.findall(r'<li id="seat-(\d+)"', page) == [str(seat) for seat in range(1, 11)]
    assert page.count('<rect class="lamp"') == 1 and page.count('<rect class="pane"') == 9 and page.count('class="you"') >= 1
    visitor = client("").get(f"/g/{opened.pk}/").content.decode()
    assert '<rect class="lamp"' not in visitor and 'class="halo"' not in visitor and "<h2>我</h2>" not in visitor
    assert "player" not in re.sub(r'href="[^"]*"', "", visitor[visitor.index("<main") :])


def test_who_is_out_is_shown_with_when_and_how_and_not_before_it_is_public(opened: Any, clock: Clock) -> None:
    doors.strike(opened.journal, clock.at(2, 9, 1))
    for seat in range(1, 8):
        acts.vote(of(opened, f"player{seat}"), "ballot-2", 10, "稳")
    before = client("").get(f"/g/{opened.pk}/").content.decode()
    assert '<rect class="dark"' not in before and "<s>" not in before
    doors.strike(opened.journal, clock.at(2, 21, 0, 30))
    night = of(opened)
    assert night.public.out == [10] and left_when(night) == {10: "第 2 日放逐"}
    page = client("").get(f"/g/{opened.pk}/").content.decode()
    assert page.count('<rect class="dark"') == 1 and "第 2 日放逐" in page and "<s>夜班邮差</s>" in page
    clock.at(2, 23)
    acts.direct(of(opened, "director"), c.Direct("out", 3, "退出"))
    assert 3 not in left_when(of(opened))
    doors.strike(opened.journal, clock.at(3, 9, 1))
    assert left_when(of(opened)) == {10: "第 2 日放逐", 3: "第 2 夜"}


def test_threads_are_listed_with_floors_last_poster_and_what_is_unread(opened: Any, clock: Clock) -> None:
    for n in range(3):
        clock.at(1, 10, n)
        acts.say(of(opened, "player2"), "talk-1", f"第{n}句", f"k{n}")
    page = client("player5").get(f"/g/{opened.pk}/").content.decode()
    row = page[page.index("第一日讨论帖") : page.index("第一日竞选帖")]
    assert "5 楼" in row and "报幕员小满 10:02" in row and "5 帖未读" in row
    assert "未读" not in client("").get(f"/g/{opened.pk}/").content.decode()
    own = client("player2").get(f"/g/{opened.pk}/").content.decode()
    assert "3 帖未读" not in own[own.index("第一日讨论帖") : own.index("第一日竞选帖")]
    client("player5").post(f"/g/{opened.pk}/read/")
    assert "帖未读" not in client("player5").get(f"/g/{opened.pk}/").content.decode()
    assert Mark.objects.get(game=opened, account__username="player5", room="talk-1").floor == 5
    doors.strike(opened.journal, clock.at(2, 9, 1))
    page = client("player5").get(f"/g/{opened.pk}/").content.decode()
    assert page.index("第二日讨论帖") < page.index("进程帖", page.index("第二日讨论帖")) < page.index("第一日讨论帖")
    assert f'<li class="shut"><a class="quiet t" href="/g/{opened.pk}/t/talk-1/#unread"' in page


def test_an_announcement_under_review_shows_nowhere_on_the_hub(clock: Clock) -> None:
    game = seated(seed=22, review=True)
    doors.strike(game.journal, clock.at(1, 9, 1))
    for seat in range(1, 8):
        acts.vote(of(game, f"player{seat}"), "election-1", 6, "稳")
    doors.strike(game.journal, clock.at(1, 21, 1))
    assert {post.room for post in Post.objects.filter(game=game, held_until__isnull=False)} == {"held"}
    page = client("player3").get(f"/g/{game.pk}/").content.decode()
    assert "警长竞选计票" not in page
    floors = Post.objects.filter(game=game, room="election-1", held_until=None).order_by("-floor").first()
    assert floors is not None and f"<small>{floors.floor} 楼" in page[page.index("第一日竞选帖") :]


@pytest.mark.parametrize(("board", "need"), [("m205", 5), ("m46", 5)])
def test_my_box_counts_posts_by_the_rulesets_figure(clock: Clock, board: str, need: int) -> None:
    game = seated(board, seed=23)
    day = 2 if of(game).loaded.ruleset.calendar.start == "night" else 1
    doors.strike(game.journal, clock.at(day, 9, 1))
    me = of(game, "player3")
    owed = quota(me)
    assert owed is not None and (owed.made, owed.short) == (0, need)
    assert owed.clause == me.loaded.ruleset.attendance.posts_clause and str(need) in owed.says and owed.clause in owed.says
    clock.at(day, 9, 5)
    acts.say(of(game, "player3"), f"talk-{me.public.day}", "一帖")
    assert (quota(of(game, "player3")) or owed).short == need - 1
    assert quota(of(game)) is None and quota(of(game, "director")) is None
    page = client("player3").get(f"/g/{game.pk}/").content.decode()
    assert f"还差 {need - 1} 帖" in page and "未投" in page


def test_a_day_sped_up_spares_where_the_option_says_so(clock: Clock) -> None:
    for board, spared in (("m205", False), ("m46", True)):
        game = seated(board, seed=24)
        day = 2 if of(game).loaded.ruleset.calendar.start == "night" else 1
        doors.strike(game.journal, clock.at(day, 9, 1))
        acts.direct(of(game, "director"), c.Direct("speed_up", None, "都说完了"))
        owed = quota(of(game, "player3"))
        assert owed is not None and (owed.short == 0) == spared


def test_cards_and_last_words_are_counted(opened: Any, clock: Clock) -> None:
    clock.at(1, 9, 3)
    acts.direct(of(opened, "director"), c.Card(3, "blue", "贬低"))
    have = cards(of(opened), 3)
    assert [(held.colour, held.count, held.note) for held in have] == [("blue", 1, "满 3 张换一黄")]
    assert last_words_left(of(opened)) == (3, 3)
    page = client("player3").get(f"/g/{opened.pk}/").content.decode()
    assert '<span class="card blue"><i>蓝</i>1 张</span>' in page and "前 3 位出局者，余 3 席" in page


def test_the_calendar_knows_past_days_and_those_to_come(opened: Any, clock: Clock) -> None:
    found = days(of(opened))
    assert found[date(2026, 11, 23)] == (1, False) and found[date(2026, 11, 27)] == (5, False)
    assert found[date(2026, 11, 28)] == (6, False) and found[date(2026, 11, 29)] == (6, True)  # Saturday's close moves on
    assert found[date(2026, 11, 30)] == (7, False) and date(2026, 11, 22) not in found
    doors.strike(opened.journal, clock.at(2, 22, 0))
    found = days(of(opened))
    assert found[date(2026, 11, 24)] == (2, False) and found[date(2026, 11, 25)] == (3, False)
    rules = of(opened).loaded.ruleset
    assert closing(rules, date(2026, 11, 28), False, True) == date(2026, 11, 28)
    page = client("").get(f"/g/{opened.pk}/").content.decode()
    assert re.search(r'aria-current="date"><b>24</b>2 日', page)


@pytest.mark.parametrize(
    ("status", "link", "words"), [("signup", "signup", "去报名"), ("ceremony", "deal", "看发牌"), ("draft", "edit", "接着写开局单")]
)
def test_before_the_deal_the_hub_says_what_there_is_to_do(opened: Any, clock: Clock, status: str, link: str, words: str) -> None:
    director = Account.objects.get(username="director")
    game = Game.objects.create(
        title="下一场",
        ruleset="m205",
        ruleset_hash="0",
        start=opened.start,
        seats=10,
        status=status,
        opened_by=director,
        made_at=opened.made_at,
    )
    game.directings.create(account=director, number=1)
    for seat in range(1, 11):
        Persona.objects.create(game=game, seat=seat, name=f"面具{seat}")
    page = client("director").get(f"/g/{game.pk}/")
    shown = page.content.decode()
    assert page.status_code == 200 and f'href="/g/{game.pk}/{link}/"' in shown and words in shown
    assert shown.count('<rect class="pane"') == 10
    assert client("").get(f"/g/{game.pk}/").status_code == (404 if status == "draft" else 200)


def test_the_news_are_what_was_announced(opened: Any, clock: Clock) -> None:
    doors.strike(opened.journal, clock.at(2, 9, 1))
    page = client("").get(f"/g/{opened.pk}/").content.decode()
    box = page[page.index("<h2>公告</h2>") :]
    assert "第二日开门" in box and "第一日开门" in box and box.index("第二日开门") < box.index("第一日开门")
    assert Thread.objects.filter(game=opened, kind="talk").count() == 2
