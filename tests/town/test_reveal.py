"""After the end: who was who, the thread under one's own name, private lines by agreement, the checker, appeals. Before it: 404."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.town import acts, appeals, opening, reveal, tickets
from bansha.town.models import Account, Appeal, Draft, Game, LineConsent, Post, Signup, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from tests.support.town import Clock, account, client, moment, seated, seats_of

PAGES = ("reveal/", "reveal/holes/", "t/reveal/", "t/reveal/p/1/", "desk/log/", "line/4/")


def table(game: Any, who: str) -> Table:
    return Table(Game.objects.get(pk=game.pk), Account.objects.get(username=who) if who else None)


def named(name: str) -> Account:
    return Account.objects.filter(username=name).first() or account(name)


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer.status_code
    return str(answer.content.decode())


@pytest.fixture
def played(clock: Clock) -> Any:
    """m205 with everything that is revealed: a substitution, an assistant, a reserve, a guest, a spectator, a den, a hole, a
    line, cards; in play on day 1."""
    clock.at(1, 3, 30)
    game = seated(title="摘下面具", seed=3)
    for name, kind in (("keeper", "reserve"), ("guest1", "guest"), ("looker", "spectator")):
        Signup.objects.create(game=game, account=named(name), kind=kind, at=clock.at(1, 3, 40))
    doors.strike(game.journal, clock.at(1, 9, 1))
    acts.whisper(table(game, "player4"), "line-4", "我下周要出差。", "q")
    acts.whisper(table(game, "director"), "line-4", "知道了。", "a")
    acts.whisper(table(game, "player4"), "hole", "先写一笔", "h")
    acts.whisper(table(game, "looker"), "hole", "看戏的也写一笔", "h")
    wolf = seats_of(game, "wolf")[0]
    acts.whisper(table(game, f"player{wolf}"), "den-0", "今晚谁动手", "d")
    acts.whisper(table(game, "director"), "log", "开场顺利", "l")
    clock.at(1, 10)
    opening.assistant(table(game, "director"), 5, named("helper"))
    acts.direct(table(game, "director"), c.Card(4, "yellow", "场外"))
    acts.direct(table(game, "director"), c.Card(5, "blue", "贬低"))
    clock.at(1, 11)
    opening.substitute(table(game, "director"), 4, named("keeper"))
    clock.at(1, 12)
    acts.whisper(table(game, "keeper"), "line-4", "我接手了。", "k")
    return game


def end(game: Any, clock: Clock) -> Any:
    clock.at(1, 13)
    acts.direct(table(game, "director"), c.Direct("abort", None, "测试", 1))
    return Game.objects.get(pk=game.pk)


def test_before_the_end_nothing_is_there(played: Any) -> None:
    for who in ("", "player1", "helper", "director"):
        for path in PAGES[:4]:
            assert client(who).get(f"/g/{played.pk}/{path}").status_code == 404, (who, path)
        if who != "director":
            for path in PAGES[4:]:
                assert client(who).get(f"/g/{played.pk}/{path}").status_code == 404, (who, path)
    for path in ("reveal/line/", "reveal/appeal/"):
        assert client("player5").post(f"/g/{played.pk}/{path}", {"seat": 5, "agree": "yes", "card": 2, "words": "不服"}).status_code == 404
    with pytest.raises(acts.Denied):
        acts.say(table(played, "player1"), "reveal", "提前说一句")
    for act in (lambda t: reveal.consent(t, 1, True), lambda t: appeals.appeal(t, 2, "不服")):
        with pytest.raises(acts.Denied):
            act(table(played, "player1"))
    assert not Thread.objects.filter(game=played, room="reveal").exists() and not LineConsent.objects.filter(game=played).exists()
    assert "/reveal/" not in text(client("player1").get(f"/g/{played.pk}/"))


def test_the_page_names_everybody(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    page = text(client("").get(f"/g/{game.pk}/reveal/"))
    full = doors.see(game.journal, Table(game, None).viewer).view.public
    for seat in range(1, 11):
        row = page[page.index(f'id="seat-{seat}"') :]
        row = row[: row.index("</tr>")]
        role = Table(game, None).loaded.ruleset.roles[full.roles[seat]].name.zh
        assert f">{role}</span>" in row and f">player{seat}</a>" in row, seat
    fourth = page[page.index('id="seat-4"') : page.index('id="seat-5"')]
    assert "到 11 月 23 日 11:00" in fourth and ">keeper</a>" in fourth and "11 月 23 日 11:00 起" in fourth
    fifth = page[page.index('id="seat-5"') : page.index('id="seat-6"')]
    assert "场助 helper，11 月 23 日 10:00 起" in fifth
    for name in ("director", "director2", "guest1", "looker"):
        assert name in page
    for path in ("t/reveal/", "desk/log/", "reveal/holes/", "den/0/", "deal/", "deal/journal.jsonl"):
        assert f'href="/g/{game.pk}/{path}"' in page, path
        assert client("").get(f"/g/{game.pk}/{path}").status_code == 200, path
    assert 'href="/verify.py"' in page
    assert f'href="/g/{game.pk}/reveal/"' in text(client("").get("/archive/")) and "揭秘" in text(client("").get(f"/g/{game.pk}/"))


def test_what_was_hidden_opens_for_everybody(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    assert "今晚谁动手" in text(client("").get(f"/g/{game.pk}/den/0/"))
    assert "开场顺利" in text(client("").get(f"/g/{game.pk}/desk/log/"))
    assert client("").post(f"/g/{game.pk}/desk/log/", {"body": "我也记一笔"}).status_code == 404
    holes = text(client("").get(f"/g/{game.pk}/reveal/holes/"))
    assert holes.index("player4") < holes.index("looker") and "中途换下" in holes and "观众" in holes
    assert "看戏的也写一笔" in text(client("").get(f"/g/{game.pk}/reveal/holes/?of=looker"))
    hits = text(client("").get(f"/g/{game.pk}/search/?q=一笔"))
    assert f"/g/{game.pk}/reveal/holes/?of=looker" in hits and "looker" in hits
    assert "我下周要出差" not in text(client("").get(f"/g/{game.pk}/search/?q=出差"))


def test_a_line_is_shown_when_both_sides_agree_and_as_far_as_they_do(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    address, form = f"/g/{game.pk}/line/4/", f"/g/{game.pk}/reveal/line/"

    def seen(who: str = "") -> set[str]:
        return set(readable(table(game, who)).filter(room="line-4").values_list("words", flat=True))

    def agree(who: str, answer: str = "yes") -> Any:
        return client(who).post(form, {"seat": 4, "agree": answer})

    assert "同意公开" in text(client("keeper").get(f"/g/{game.pk}/line/"))
    assert "没有公开" in text(client("player4").get(f"/g/{game.pk}/reveal/"))
    assert "与导演的私信</h2>" not in text(client("").get(f"/g/{game.pk}/reveal/"))
    assert agree("keeper").status_code == 302 and seen() == set() and client("").get(address).status_code == 404
    assert agree("director2").status_code == 302 and agree("director").status_code == 302, "either director speaks for both"
    assert seen() == {"我接手了。"}, "the predecessor has not agreed to what passed before"
    assert "我接手了" in text(client("").get(address)) and "双方同意，人人可看" in text(client("looker").get(address))
    assert client("looker").post(address, {"body": "我也问一句"}).status_code == 404
    assert agree("player4").status_code == 302
    assert seen("looker") == {"我下周要出差。", "知道了。", "我接手了。"}
    assert agree("player4", "no").status_code == 302 and seen() == {"我接手了。"}
    assert agree("director", "no").status_code == 302 and seen() == set() and client("").get(address).status_code == 404
    for who in ("player5", "helper", "looker"):
        refused = agree(who)
        assert refused.status_code == 422 and "只有这个座位的演员与本局导演" in refused.content.decode(), who
    assert client("").post(form, {"seat": 4, "agree": "yes"}).status_code == 302, "a visitor is asked to sign in"
    assert not LineConsent.objects.filter(game=game, directors=True).exists()


def test_everybody_talks_it_over_under_their_own_names(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    address = f"/g/{game.pk}/t/reveal/"
    clock.at(1, 14)
    for n, who in enumerate(("player4", "keeper", "helper", "guest1", "looker", "director", "player1", "passerby"), 2):
        named(who)
        answer = client(who).post(address, {"body": f"[b]{who}[/b]说一句", "key": f"k{who}"})
        assert answer.status_code == 302 and answer.headers["Location"].endswith(f"#f{n}"), who
        assert client(who).post(address, {"body": f"[b]{who}[/b]说一句", "key": f"k{who}"}).headers["Location"].endswith(f"#f{n}")
    page = text(client("").get(address))
    roles = doors.see(game.journal, Table(game, None).viewer).view.public.roles
    role = Table(game, None).loaded.ruleset.roles[roles[4]].name.zh
    name = Table(game, None).name(4)

    def post(floor: int) -> str:
        return page[page.index(f'id="f{floor}"') :].partition("</article>")[0]

    assert ">player4</a>" in post(2) and name in post(2) and f">{role}</span>" in post(2) and "中途换下" in post(2)
    assert ">keeper</a>" in post(3) and name in post(3) and "中途换下" not in post(3)
    assert f"{Table(game, None).name(5)}的场助" in post(4) and "嘉宾" in post(5) and "观众" in post(6) and "导演" in post(7)
    assert "<strong>player1</strong>" in post(8) and "passerby" in post(9)
    assert 'textarea class="input" id="body"' not in page and "去登录" in page, "a visitor reads"
    assert "用自己的名字：player4" in text(client("player4").get(address))
    only = text(client("").get(address + "?only=4"))
    assert 'id="f2"' in only and 'id="f3"' in only and 'id="f8"' not in only and 'id="f6"' not in only
    quoting = text(client("player1").get(address + "?quote=6"))
    assert "[quote=looker;100000000006]" in quoting
    clock.at(1, 14, 5)
    made = acts.say(table(game, "player1"), "reveal", "[quote=looker;100000000006]一句[/quote]\n说得好")
    assert f"/g/{game.pk}/r/100000000006/" in made.html
    assert client("").get(f"/g/{game.pk}/r/100000000006/").headers["Location"].endswith("/t/reveal/#f6")
    assert client("").get(f"/g/{game.pk}/r/100000000099/").status_code == 404
    assert f"/g/{game.pk}/t/reveal/p/6/" in text(client("").get(f"/g/{game.pk}/search/?q=looker说"))
    hub = text(client("looker").get(f"/g/{game.pk}/"))
    assert "揭秘帖" in hub and "player1 14:05" in hub
    for who in ("player4", ""):
        closed = text(client(who).get(f"/g/{game.pk}/t/talk-1/"))
        assert "本局已经结束，帖子只读" in closed and f'href="/g/{game.pk}/t/reveal/"' in closed


def test_drafts_previews_and_refusals(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    address = f"/g/{game.pk}/t/reveal/"
    assert "<strong>红</strong>" in client("looker").post(address, {"body": "[b]红[/b]", "preview": "1"}).content.decode()
    assert client("looker").post(address, {"body": "想一想", "save": "1"}).status_code == 302
    assert client("looker").post(f"{address}draft/", {"body": "想了又想"}).status_code == 200
    assert "想了又想" in text(client("looker").get(address))
    assert client("looker").post(address, {"body": "想好了", "key": "x"}).status_code == 302
    assert not Draft.objects.filter(account__username="looker", game=game).exists()
    assert client("").post(address, {"body": "匿名"}).status_code == 422
    Game.objects.filter(pk=game.pk).update(spectators=False)
    assert client("looker").post(address, {"body": "我参加过", "key": "y"}).status_code == 302
    stranger = client(named("passerby").username)
    assert stranger.post(address, {"body": "我没有"}).status_code == 422
    assert stranger.post(f"{address}draft/", {"body": "没有"}).status_code == 404
    assert "没有开放旁观" in text(stranger.get(address))
    for late in ("t/talk-1/", "t/process/"):
        assert client("player1").post(f"/g/{game.pk}/{late}", {"body": "晚了"}).status_code == 422


def test_the_thread_is_written_again_by_a_rebuild(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    for who in ("player1", "looker", "director"):
        acts.say(table(game, who), "reveal", f"{who}在此")
    fields = ("room", "floor", "voice", "seat", "author", "body", "html", "minute", "at", "note")
    before = list(Post.objects.filter(game=game).order_by("room", "floor").values_list(*fields))
    threads = list(Thread.objects.filter(game=game).values_list("room", "kind", "day", "opened_at", "floors"))
    doors.rebuild(game.journal)
    assert list(Post.objects.filter(game=game).order_by("room", "floor").values_list(*fields)) == before
    assert list(Thread.objects.filter(game=game).values_list("room", "kind", "day", "opened_at", "floors")) == threads
    assert acts.say(table(game, "player2"), "reveal", "接着说").floor == 5


def test_it_is_live(played: Any, clock: Clock) -> None:
    from bansha.site.stream import Ask, Watch

    game = end(played, clock)
    assert "data-live" in text(client("looker").get(f"/g/{game.pk}/t/reveal/"))
    assert "data-live" not in text(client("looker").get(f"/g/{game.pk}/t/talk-1/")), "nothing happens there any more"
    watch = Watch()
    ticket = tickets.check(tickets.make(table(game, ""), "reveal"), clock.at(1, 14))
    assert ticket is not None and watch.join([Ask(ticket, ticket.floor)]) == [[]]
    acts.say(table(game, "player1"), "reveal", "有人在吗")
    (message,) = watch.look({1: Ask(ticket, ticket.floor)}, False).messages[1]
    assert message.event == "post" and message.floor == 2 and "有人在吗" in message.data["html"] and "player1" in message.data["html"]


def test_the_checker_can_be_downloaded_and_judges_the_download(played: Any, clock: Clock, tmp_path: Path) -> None:
    game = end(played, clock)
    got = client("").get("/verify.py")
    assert got.headers["Content-Disposition"] == 'attachment; filename="verify.py"' and got.headers["ETag"]
    (tmp_path / "verify.py").write_bytes(got.content)
    (tmp_path / "game.jsonl").write_bytes(client("").get(f"/g/{game.pk}/deal/journal.jsonl").content)
    for tool in ("verify.py", str(Path("tools/verify.py").resolve())):
        done = subprocess.run([sys.executable, "-I", tool, "game.jsonl"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "events chained" in done.stdout, done


def test_a_card_is_appealed_once_and_judged_by_a_manager_who_was_not_there(played: Any, clock: Clock) -> None:
    game = end(played, clock)
    for name in ("warden", "director2"):
        Account.objects.filter(pk=named(name).pk).update(manages=True)
    form, office = f"/g/{game.pk}/reveal/appeal/", "/managers/appeals/"
    assert "申诉这张牌" in text(client("player4").get(f"/g/{game.pk}/reveal/")), "whoever played the seat"
    assert "申诉这张牌" not in text(client("player6").get(f"/g/{game.pk}/reveal/"))
    wrong = (("player6", 1, "不服"), ("player4", 2, "不服"), ("player4", 9, "不服"), ("player4", 1, " "), ("player4", 1, "长" * 2001))
    for who, card, words in wrong:
        assert client(who).post(form, {"card": card, "words": words}).status_code == 422, (who, card)
    assert not Appeal.objects.filter(game=game).exists()
    assert client("player4").post(form, {"card": 1, "words": "那句话不是场外。"}).status_code == 302
    assert client("keeper").post(form, {"card": 1, "words": "我也不服。"}).status_code == 422, "once"
    made = Appeal.objects.get(game=game)
    page = text(client("").get(f"/g/{game.pk}/reveal/"))
    assert "等管理员裁" in page and "那句话不是场外" not in page
    waiting = Appeal.objects.filter(judged_at=None).count()
    assert f"{waiting} 份待裁" in text(client("warden").get("/managers/"))
    assert client("player4").get(office).status_code == 404 and "那句话不是场外" in text(client("warden").get(office))
    assert "请别的管理员来裁" in text(client("director2").get(office))
    for who, reason in (("director2", "我来裁"), ("warden", "")):
        assert client(who).post(office, {"appeal": made.pk, "do": "lift", "reason": reason}).status_code == 422
    assert client("warden").post(office, {"appeal": made.pk + 7, "do": "lift", "reason": "没有这份"}).status_code == 422
    assert client("warden").post(office, {"appeal": made.pk, "do": "lift", "reason": "引的是场内的话。"}).status_code == 302
    assert client("warden").post(office, {"appeal": made.pk, "do": "uphold", "reason": "又改主意"}).status_code == 422, "once"
    page = text(client("").get(f"/g/{game.pk}/reveal/"))
    assert "撤销" in page and "引的是场内的话" in page and "warden" in page
    clock.at(1, 15)
    upheld = appeals.appeal(table(game, "player5"), 2, "只是玩笑")
    appeals.judge(Account.objects.get(username="warden"), upheld, False, "玩笑也伤人", moment(1, 16))
    assert "维持" in text(client("").get(f"/g/{game.pk}/reveal/"))


def test_a_withdrawn_card_is_not_appealed(played: Any, clock: Clock) -> None:
    acts.direct(table(played, "director"), c.Uncard(5, "blue", "贬低"))
    game = end(played, clock)
    assert [card.withdrawn for card in appeals.dealt(game)] == [False, True]
    with pytest.raises(acts.Denied):
        appeals.appeal(table(game, "player5"), 2, "不服")
