"""Last words: plain text by those entitled, unseen until the opening, posted then and at the game's end."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town import acts
from bansha.town.models import Account, Post
from bansha.town.table import Table
from tests.support.town import Clock, client, seated, seats_of

WORDS = "雾散的时候，桥还在那里。"


def table(game: Any, who: str) -> Table:
    return Table(game, Account.objects.get(username=who))


def page(game: Any, who: str, path: str = "lastwords/") -> str:
    found = client(who).get(f"/g/{game.pk}/{path}")
    assert found.status_code == 200
    return unescape(found.content.decode())


def hand(game: Any, seat: int, text: str, **more: str) -> Any:
    return client(f"player{seat}").post(f"/g/{game.pk}/lastwords/", {"text": text, "key": text[:20], **more})


@pytest.fixture
def exiled(clock: Clock) -> tuple[Any, int]:
    """m205 in night 2: a civilian was exiled at 21:00."""
    clock.at(1, 4)
    game = seated(title="遗言")
    seat = seats_of(game, "civilian")[0]
    doors.strike(game.journal, clock.at(2, 9, 1))
    clock.at(2, 10)
    for voter in range(1, 11):
        acts.vote(table(game, f"player{voter}"), "ballot-2", seat, "")
    assert "最先出局的 3 人各有一篇遗言" in page(game, f"player{seat}")
    assert hand(game, seat, "还没出局").status_code == 422
    doors.strike(game.journal, clock.at(2, 21, 0))
    clock.at(2, 21, 20)
    return game, seat


def test_handed_in_unseen_and_posted_at_the_opening(exiled: tuple[Any, int], clock: Clock) -> None:
    game, seat = exiled
    other = 1 if seat != 1 else 2
    shown = page(game, f"player{seat}")
    assert "交遗言" in shown and "第 1 席，共 3 席" in shown and "24:00 前可换" in shown
    assert hand(game, seat, "先写一句。").status_code == 302
    assert hand(game, seat, WORDS).status_code == 302, "the last ones count"
    assert WORDS in page(game, f"player{seat}") and "已交" in page(game, f"player{seat}")
    for who in ("", f"player{other}"):
        for path in ("lastwords/", "t/talk-2/", "process/"):
            assert WORDS not in page(game, who, path)
    assert WORDS in page(game, "director") and "等着张贴" in page(game, "director")
    clock.at(2, 23, 59, 59)
    assert hand(game, seat, WORDS).status_code == 302
    clock.at(3, 0, 0, 0)
    late = hand(game, seat, "过了午夜")
    assert late.status_code == 422 and "过了午夜</textarea>" in unescape(late.content.decode())
    clock.at(3, 8, 59, 59)
    assert WORDS not in page(game, "") and "开门时张贴" in page(game, f"player{seat}")
    doors.strike(game.journal, clock.at(3, 9, 0))
    for who in ("", f"player{other}"):
        assert WORDS in page(game, who) and WORDS in page(game, who, "t/talk-3/")
    assert Post.objects.filter(game=game, note="lastwords").exclude(room="words").count() == 1
    assert "等着张贴" not in page(game, "director") and "已经张贴" in page(game, f"player{seat}")
    late = hand(game, seat, "再说一句")
    assert late.status_code == 422 and "再说一句" in unescape(late.content.decode())
    assert Post.objects.get(game=game, room="words").body == WORDS


def test_codes_are_refused_and_the_text_kept(exiled: tuple[Any, int]) -> None:
    game, seat = exiled
    refused = hand(game, seat, f"{WORDS}\n[b]别看桥上的人。[/b]")
    shown = unescape(refused.content.decode())
    assert refused.status_code == 422 and "遗言不收代码" in shown and "第 2 行" in shown and "[b]别看桥上的人。[/b]</textarea>" in shown
    assert hand(game, seat, "  ").status_code == 422
    assert not Post.objects.filter(game=game, room="words").exists()
    with_bracket = hand(game, seat, "[我] 走了 <b>")
    assert with_bracket.status_code == 302 and Post.objects.get(game=game, room="words").html == "<p>[我] 走了 &lt;b&gt;</p>"


def test_waived_and_thought_better_of(exiled: tuple[Any, int], clock: Clock) -> None:
    game, seat = exiled
    hand(game, seat, WORDS)
    assert hand(game, seat, "", waive="1").status_code == 302
    assert "不留遗言" in page(game, f"player{seat}") and WORDS not in page(game, "director")
    doors.strike(game.journal, clock.at(3, 9, 0))
    assert not Post.objects.filter(game=game, note="lastwords").exclude(room="words").exists()
    assert hand(game, seat, "", waive="1").status_code == 422


def test_a_mind_changed_after_waiving(exiled: tuple[Any, int], clock: Clock) -> None:
    game, seat = exiled
    hand(game, seat, "", waive="1")
    assert hand(game, seat, WORDS).status_code == 302
    doors.strike(game.journal, clock.at(3, 9, 0))
    assert WORDS in page(game, "", "t/talk-3/")


def test_who_has_none(exiled: tuple[Any, int]) -> None:
    game, seat = exiled
    other = 1 if seat != 1 else 2
    assert hand(game, other, "我还活着").status_code == 422
    assert hand(game, other, "", waive="1").status_code == 422
    acts.direct(table(game, "director"), c.Card(other, "red", "作弊"))
    assert "红牌罚下的除外" in page(game, f"player{other}") and hand(game, other, "被罚下").status_code == 422
    for who in ("", "director"):
        assert client(who).post(f"/g/{game.pk}/lastwords/", {"text": WORDS}).status_code == 404
    assert not Post.objects.filter(game=game, room="words").exists()


def test_posted_at_the_end_of_the_game(exiled: tuple[Any, int]) -> None:
    game, seat = exiled
    hand(game, seat, WORDS)
    acts.direct(table(game, "director"), c.Direct("abort", None, "测试", 1))
    assert WORDS in page(game, "", "t/talk-2/") and WORDS in page(game, "")


def test_the_place_does_not_tell_who_else_went(clock: Clock) -> None:
    clock.at(1, 4)
    game = seated(title="夜里")
    civilians, seer = seats_of(game, "civilian"), seats_of(game, "seer")[0]
    wolf, witch = seats_of(game, "wolf")[0], seats_of(game, "witch")[0]
    doors.strike(game.journal, clock.at(1, 21, 1))
    for seat, skill, targets in ((wolf, "kill", [civilians[0]]), (witch, "poison", [civilians[1]])):
        clock.at(1, 21, 40 if seat == witch else 5)
        mine = table(game, f"player{seat}")
        assert mine.me is not None
        acts.hand_in(mine, {next(held.index for held in mine.me.skills if held.id == skill): targets})
    assert "交遗言" not in page(game, f"player{civilians[0]}"), "not told yet"
    doors.strike(game.journal, clock.at(1, 22, 0))
    for seat in civilians[:2]:
        shown = page(game, f"player{seat}")
        assert "交遗言" in shown and " 席，共" not in shown
    assert "交遗言" not in page(game, f"player{seer}")
    hand(game, civilians[1], WORDS)
    doors.strike(game.journal, clock.at(2, 9, 0))
    assert WORDS in page(game, f"player{seer}", "t/talk-2/")
