"""Threads open by themselves, posts get floors and receipts, doors close."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nh3
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bansha import town
from bansha.bbcode.render import ALLOWED, CLASSES, render_post
from bansha.journal import doors
from bansha.town import acts
from bansha.town.frames import audience, frame
from bansha.town.models import Account, Draft, Mark, Post, Thread
from bansha.town.table import Table
from bansha.town.views.thread import urls as thread_urls
from tests.support.town import Clock, account, client, moment, seated


def test_a_day_opens_its_threads_and_a_post_gets_a_floor(clock: Clock) -> None:
    game = seated()
    doors.strike(game.journal, clock.at(1, 9, 1))
    assert list(Thread.objects.filter(game=game).values_list("room", flat=True)) == ["process", "talk-1", "election-1"]
    player = client("player3")
    assert player.get(f"/g/{game.pk}/").status_code == 200
    page = player.post(f"/g/{game.pk}/t/talk-1/", {"body": "[b]早上好[/b]，诸位。", "key": "a"})
    assert page.status_code == 302
    again = player.post(f"/g/{game.pk}/t/talk-1/", {"body": "[b]早上好[/b]，诸位。", "key": "a"})
    assert again.headers["Location"] == page.headers["Location"]
    posts = list(Post.objects.filter(game=game, room="talk-1").values_list("floor", "voice", "seat"))
    assert posts == [(1, "referee", 0), (2, "lift", 0), (3, "seat", 3)]
    assert "<strong>早上好</strong>" in player.get(f"/g/{game.pk}/t/talk-1/").content.decode()


def test_a_vote_post_has_its_receipt(clock: Clock) -> None:
    game = seated(seed=2)
    doors.strike(game.journal, clock.at(1, 9, 1))
    table = Table(game, Account.objects.get(username="player4"))
    post = acts.say(table, "election-1", "投票对象：黑伞\n投票理由：无")
    assert post.receipt is not None and post.receipt["state"] == "refused"
    post = acts.vote(table, "election-1", 7, "稳")
    assert post.receipt == {"state": "vote", "target": 7, "ballot": "election"}
    post = acts.vote(Table(game, table.account), "election-1", 6, "想了想", change=True)
    assert post.receipt == {"state": "change", "target": 6, "ballot": "election"}


def test_a_post_after_the_door_is_kept_as_a_draft(clock: Clock) -> None:
    game = seated(seed=3)
    doors.strike(game.journal, clock.at(1, 9, 1))
    clock.at(1, 21, 5)
    player = client("player5")
    page = player.post(f"/g/{game.pk}/t/talk-1/", {"body": "晚了"})
    assert page.status_code == 422
    assert Draft.objects.get(game=game, account__username="player5").body == "晚了"
    assert not Post.objects.filter(game=game, room="new").exists()


@pytest.mark.slow
def test_what_is_projected_can_be_written_again(clock: Clock) -> None:
    game = seated(seed=4)
    doors.strike(game.journal, moment(1, 9, 1))
    for seat in (1, 2, 3, 4, 5):
        clock.at(1, 9 + seat)
        acts.say(Table(game, Account.objects.get(username=f"player{seat}")), "talk-1", f"第{seat}帖")
        if seat == 3:
            acts.say(Table(game, Account.objects.get(username="director")), "talk-1", "导演在此")
    doors.strike(game.journal, clock.at(2, 9, 1))
    fields = ("room", "floor", "voice", "seat", "body", "html", "minute", "at", "note")
    before = list(Post.objects.filter(game=game).order_by("room", "floor").values_list(*fields))
    threads = list(Thread.objects.filter(game=game).values_list("room", "kind", "day", "opened_at", "floors"))
    doors.rebuild(game.journal)
    assert list(Post.objects.filter(game=game).order_by("room", "floor").values_list(*fields)) == before
    assert list(Thread.objects.filter(game=game).values_list("room", "kind", "day", "opened_at", "floors")) == threads


# --- reading ----------------------------------------------------------------------------------------------------------


def talk(game: object, posts: int, room: str = "talk-1", first: int = 3) -> None:
    """Posts of the personas in turn, written as the projection would."""
    rows = [
        Post(
            game=game, room=room, floor=first + n, voice="seat", seat=n % 10 + 1, ref=first + n, body=f"第{n}帖", html=f"<p>第{n}帖</p>",
            words=f"第{n}帖", at=moment(1, 9, 2), minute=29_000_000,
        )
        for n in range(posts)
    ]  # fmt: skip
    Post.objects.bulk_create(rows)
    Thread.objects.filter(game=game, room=room).update(floors=first + posts - 1)


@pytest.fixture
def opened(clock: Clock) -> Any:
    """A game on its first morning."""
    game = seated(seed=11)
    doors.strike(game.journal, clock.at(1, 9, 1))
    return game


def queries(who: str, address: str) -> int:
    """How many questions a page asks the database."""
    browser = client(who)
    browser.get(address)
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(address).status_code == 200
    return len(asked)


def test_a_page_asks_the_same_number_of_questions_however_long_the_thread(opened: Any) -> None:
    few: dict[str, int] = {}
    address, last = f"/g/{opened.pk}/t/talk-1/", f"/g/{opened.pk}/t/talk-1/?page=6"
    for posts, first in ((10, 3), (288, 13)):
        talk(opened, posts, first=first)
        for who in ("", "player3", "director"):
            for page in (address, f"/g/{opened.pk}/"):
                count = queries(who, page)
                assert few.setdefault(who + page, count) == count
                assert count < 40
    assert queries("player3", last) == few["player3" + address]
    assert Post.objects.filter(game=opened, room="talk-1").count() == 300


def test_pages_floors_and_permanent_addresses(opened: Any) -> None:
    talk(opened, 120)
    base = f"/g/{opened.pk}/t/talk-1/"
    page = client("player3").get(base).content.decode()
    assert 'id="f20"' in page and 'id="f21"' not in page and "第 1 页，共 7 页" in page
    page = client("player3").get(base + "?page=7").content.decode()
    assert 'id="f121"' in page and 'id="f122"' in page and 'id="f120"' not in page
    jump = client("").get(base + "p/77/")
    assert jump.status_code == 302 and jump.headers["Location"] == base + "?page=4#f77"
    assert client("").get(base + "?floor=9").headers["Location"] == base + "#f9"
    assert client("").get(base + "p/9999/").headers["Location"] == base + "?page=7#f122"
    assert client("").get(base + "p/3/next/").headers["Location"] == base + "#f13"
    assert client("").get(f"/g/{opened.pk}/r/60/").headers["Location"] == base + "?page=3#f60"
    assert client("").get(f"/g/{opened.pk}/r/999/").status_code == 404
    assert client("").get(f"/g/{opened.pk}/t/talk-9/").status_code == 404
    assert client("").get(base + "?page=99").status_code == 200
    assert client("").get(base + "?page=x&only=y&quote=z&floor=-1").status_code == 200


def test_only_one_persona_or_only_the_directors(opened: Any) -> None:
    talk(opened, 40)
    acts.say(Table(opened, Account.objects.get(username="director")), "talk-1", "导演在此")
    base = f"/g/{opened.pk}/t/talk-1/"
    page = client("player3").get(base + "?only=7").content.decode()
    seats = set(re.findall(r'<article class="post[^>]*data-seat="(\d+)"', page))
    assert seats == {"0", "7"} and "导演在此" in page and "只看黑伞先生" in page
    page = client("player3").get(base + "?only=0").content.decode()
    assert set(re.findall(r'<article class="post[^>]*data-seat="(\d+)"', page)) == {"0"}
    assert client("player3").get(base + "?only=77").status_code == 404


def test_the_elevator_lists_each_seat_and_marks_what_is_new(opened: Any) -> None:
    talk(opened, 20)
    player = Account.objects.get(username="player3")
    acts.mark_read(Table(opened, player), "talk-1", 12)
    page = client("player3").get(f"/g/{opened.pk}/t/talk-1/").content.decode()
    lift = page[page.index('id="lift"') : page.index("</article>", page.index('id="lift"'))]
    assert re.findall(r'data-ride="(\d+)"', lift) == [str(seat) for seat in range(1, 11)]
    seat7 = lift[lift.index('data-ride="7"') : lift.index('data-ride="8"')]
    assert re.findall(r'<a href="[^"]*#f(\d+)"( class="new")?', seat7) == [("9", ""), ("19", ' class="new"')]
    mine = lift[lift.index('data-ride="3"') : lift.index('data-ride="4"')]
    assert 'class="new"' not in mine  # one's own posts are no news
    assert page.count('data-floor="2"') == 1 and 'data-floor="2"' in page


def test_the_unread_line_stands_where_one_had_read_to_and_what_is_shown_is_read(opened: Any) -> None:
    talk(opened, 10)
    base = f"/g/{opened.pk}/t/talk-1/"
    first = client("player3").get(base).content.decode()
    assert 'id="unread"' not in first
    talk(opened, 5, first=13)
    second = client("player3").get(base).content.decode()
    assert "5 帖未读" in second or "4 帖未读" in second
    line = second.index('id="unread"')
    assert second.index('id="f12"') < line < second.index('id="f13"')
    assert 'id="unread"' not in client("player3").get(base).content.decode()
    assert Mark.objects.get(game=opened, account__username="player3", room="talk-1").floor == 17
    assert 'id="unread"' not in client("").get(base).content.decode()


def test_shown_alone_posts_do_not_count_as_read(opened: Any) -> None:
    talk(opened, 10)
    client("player3").get(f"/g/{opened.pk}/t/talk-1/?only=9")
    assert not Mark.objects.filter(game=opened, account__username="player3").exists()


# --- writing ----------------------------------------------------------------------------------------------------------


def test_a_quote_stands_in_the_field_and_links_to_its_post(opened: Any) -> None:
    base = f"/g/{opened.pk}/t/talk-1/"
    first = acts.say(Table(opened, Account.objects.get(username="player5")), "talk-1", "[b]一句[/b]话 [quote]别人的[/quote] [/quote]")
    page = client("player3").get(base + f"?quote={first.floor}").content.decode()
    field = html.unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)[1])  # type: ignore[index]
    assert field.startswith(f"[quote=卖伞婆婆;{first.ref}]一句话") and field.count("[/quote]") == 1
    made = client("player3").post(base, {"body": field + "我接着说", "key": "q"})
    assert made.status_code == 302
    post = Post.objects.get(game=opened, room="talk-1", seat=3)
    assert post.quote == first.ref and f'href="/g/{opened.pk}/r/{first.ref}/"' in post.html
    assert client("").get(f"/g/{opened.pk}/r/{first.ref}/").headers["Location"] == base + f"#f{first.floor}"


def test_a_preview_shows_the_post_and_writes_nothing(opened: Any) -> None:
    base = f"/g/{opened.pk}/t/talk-1/"
    page = client("player3").post(base, {"body": "[b]粗[/b]<i>", "preview": "1", "key": "a" * 32})
    shown = page.content.decode()
    assert page.status_code == 200 and "<p><strong>粗</strong>&lt;i&gt;</p>" in shown and "[b]粗[/b]&lt;i&gt;</textarea>" in shown
    assert not Post.objects.filter(game=opened, seat=3).exists() and ("a" * 32) in shown


@pytest.mark.parametrize(
    "body", ["[color=red]红[/color]", "[color=#fe0101]红[/color]", "[size=6]大[/size]", "看[size=5][color=#ff0000]红[/color][/size]"]
)
def test_the_directors_type_is_refused_to_players_with_the_clause(opened: Any, body: str) -> None:
    base = f"/g/{opened.pk}/t/talk-1/"
    page = client("player3").post(base, {"body": body, "key": "r"})
    said = html.unescape(page.content.decode())
    assert page.status_code == 422 and "条款“特殊字体”" in said and ("“红”" in said or "“大”" in said)
    assert html.escape(body) in page.content.decode().replace("&#x27;", "'")
    assert Draft.objects.get(game=opened, account__username="player3").body == body
    assert not Post.objects.filter(game=opened, seat=3).exists()
    assert not Post.objects.filter(game=opened, room="new").exists()
    warned = client("player3").post(base, {"body": body, "preview": "1"})
    assert warned.status_code == 422 and "特殊字体" in warned.content.decode()


def test_what_is_quoted_in_red_is_the_directors_own_and_a_director_may(opened: Any) -> None:
    base = f"/g/{opened.pk}/t/talk-1/"
    assert client("director").post(base, {"body": "[size=6][color=red]肃静[/color][/size]", "key": "d"}).status_code == 302
    assert client("player3").post(base, {"body": "[quote=导演][color=red]肃静[/color][/quote]是", "key": "p"}).status_code == 302
    assert client("player4").post(base, {"body": "[color=blue]蓝[/color]", "key": "p"}).status_code == 302


def test_drafts_are_kept_listed_taken_up_and_dropped(opened: Any, clock: Clock) -> None:
    base = f"/g/{opened.pk}/t/talk-1/"
    player = client("player3")
    assert player.post(base + "draft/", {"body": "写到一半"}).json() == {"saved": "09:01"}
    assert "写到一半</textarea>" in player.get(base).content.decode()
    saved = player.post(base, {"body": "写到一半，再存", "save": "1"})
    assert saved.status_code == 302 and "草稿存下了" in player.get(base).content.decode()
    listed = player.get("/drafts/").content.decode()
    assert "写到一半，再存" in listed and base + "#reply" in listed
    assert "写到一半" not in client("player4").get("/drafts/").content.decode()
    assert client("player4").post("/drafts/", {"drop": f"{opened.pk} talk-1"}).status_code == 404
    clock.at(1, 21, 30)
    refused = player.post(base, {"body": "过了门", "key": "l"})
    assert refused.status_code == 422 and "9:00" in refused.content.decode() and "过了门</textarea>" in refused.content.decode()
    assert "没有发出" in player.get("/drafts/").content.decode()
    doors.strike(opened.journal, clock.at(2, 9, 1))
    later = player.get("/drafts/").content.decode()
    assert f"/g/{opened.pk}/t/talk-2/?draft=talk-1#reply" in later
    taken = player.get(f"/g/{opened.pk}/t/talk-2/?draft=talk-1").content.decode()
    assert "过了门</textarea>" in taken and 'name="from" value="talk-1"' in taken
    assert player.post(f"/g/{opened.pk}/t/talk-2/", {"body": "过了门", "key": "m", "from": "talk-1"}).status_code == 302
    assert not Draft.objects.filter(game=opened, account__username="player3").exists()
    player.post(f"/g/{opened.pk}/t/talk-2/draft/", {"body": "又一份"})
    assert player.post("/drafts/", {"drop": f"{opened.pk} talk-2"}).status_code == 302
    assert not Draft.objects.filter(game=opened, account__username="player3").exists()


def test_drafts_are_for_those_who_may_write_there(opened: Any) -> None:
    address = f"/g/{opened.pk}/t/talk-1/draft/"
    account("passer-by") if not Account.objects.filter(username="passer-by").exists() else None
    assert client("").post(address, {"body": "x"}).status_code == 302
    assert client("passer-by").post(address, {"body": "x"}).status_code == 404
    assert client("player3").post(f"/g/{opened.pk}/t/den-0/draft/", {"body": "x"}).status_code == 404
    assert client("player3").get(address).status_code == 405


def test_doors_say_why_they_are_shut(opened: Any, clock: Clock) -> None:
    base = f"/g/{opened.pk}/t/talk-1/"
    assert "在座的演员才在这里发帖" in client("").get(base).content.decode()
    visitor = client("").post(base, {"body": "路过", "key": "v"})
    assert visitor.status_code == 422 and not Post.objects.filter(game=opened, body="路过").exists()
    doors.strike(opened.journal, clock.at(1, 21, 5))
    shut = client("player3").get(base).content.decode()
    assert "9:00 开门" in shut and 'name="save"' in shut and "btn lit" not in shut[shut.index('id="reply"') :]
    doors.strike(opened.journal, clock.at(2, 9, 1))
    old = client("player3").get(base).content.decode()
    assert "已经关门" in old and f"/g/{opened.pk}/t/talk-2/" in old


def test_a_post_has_no_way_to_be_edited(opened: Any) -> None:
    names = [pattern.name or "" for pattern in thread_urls]
    assert not any("edit" in name or "delete" in name for name in names)


# --- frames, and what a post may hold ---------------------------------------------------------------------------------


def test_a_frame_is_the_same_for_everyone_of_an_audience(opened: Any) -> None:
    post = acts.say(Table(opened, Account.objects.get(username="player3")), "talk-1", "同一帖")
    account("member-a") if not Account.objects.filter(username="member-a").exists() else None
    readers = [Table(opened, None), Table(opened, Account.objects.get(username="member-a"))]
    frames = {frame(post, table) for table in readers}
    assert len(frames) == 1 and {audience(table) for table in readers} == {"public"}
    own = frame(post, Table(opened, Account.objects.get(username="player3")))
    assert own not in frames and ">你<" in own and ">你<" not in frames.pop()
    page = client("member-a").get(f"/g/{opened.pk}/t/talk-1/").content.decode()
    assert frame(post, readers[0]) in page
    assert "player3" not in page and "member-a" not in page[page.index("<main") :]


HOSTILE = [
    "<script>alert(1)</script>",
    "[url=javascript:alert(1)]x[/url]",
    '[url=http://a/"onmouseover=alert(1)]x[/url]',
    '[img]x" onerror=alert(1)[/img]',
    "[quote=<img src=x onerror=alert(1)>;1]x[/quote]",
    "[color=red;background:url(//x)]x[/color]",
    "[size=expression(1)]x[/size]",
    '[font="><svg onload=alert(1)>]x[/font]',
    "[b][i][/b][/i][quote][quote][table][tr][td][code][b]x[/code]",
    "[url]http://a.b/?q=<>&x='[/url]",
    "&lt;script&gt; &#60; &amp;amp; \x00\x0b\ufdd0",
    '[list=1" onclick=x][*]a[/list]',
    '[align="><x]a[/align]',
    "[td]a[tr]b[/table]",
    "[url=//evil.example]x[/url]",
    "[url= jAvAsCrIpT:alert(1)]x[/url]",
    "[url=data:text/html,x]x[/url]",
    "[code]</code></pre><script>[/code]",
    "[quote=a;1][url=http://x]y[/quote]z[/url]",
]


@pytest.mark.parametrize("body", [*HOSTILE, "".join(HOSTILE)])
def test_a_sanitiser_finds_nothing_to_change(body: str) -> None:
    """nh3 as a last line: what we render passes it unchanged."""
    made = render_post(body, lambda ref: f"/g/1/r/{ref}/")
    attributes = {name: set(allowed) for name, allowed in ALLOWED.items()}
    cleaned = nh3.clean(made, tags=set(ALLOWED), attributes=attributes, url_schemes={"http", "https"}, link_rel=None)

    def plain(text: str) -> object:
        return [(kind, data, sorted(found)) for kind, data, found in Pieces.of(text)]

    assert plain(cleaned) == plain(made)


class Pieces(HTMLParser):
    """HTML as a list of tags and words, so that only what differs in meaning differs."""

    @classmethod
    def of(cls, text: str) -> list[tuple[str, str, list[tuple[str, str]]]]:
        parser = cls(convert_charrefs=True)
        parser.found = []  # type: ignore[attr-defined]
        parser.feed(text)
        parser.close()
        return parser.found  # type: ignore[attr-defined,no-any-return]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, "<", [(name, value or "") for name, value in attrs]))  # type: ignore[attr-defined]

    def handle_endtag(self, tag: str) -> None:
        self.found.append((tag, ">", []))  # type: ignore[attr-defined]

    def handle_data(self, data: str) -> None:
        self.found.append(("", data, []))  # type: ignore[attr-defined]


# --- style ------------------------------------------------------------------------------------------------------------


def test_every_class_of_a_post_has_its_style_and_is_legible_by_day_and_night() -> None:
    folder = Path(town.__file__).parent / "static" / "bansha"
    sheet = (folder / "thread.css").read_text(encoding="utf-8")
    for name in CLASSES - {"quote"}:
        assert f".{name}" in sheet, name
    tokens_css = (folder / "tokens.css").read_text(encoding="utf-8")
    dark = ':root[data-theme="dark"]'
    for css, at in ((sheet.partition(dark), tokens_css.partition(dark)),):
        for part in (0, 2):
            tones = dict(re.findall(r"--bb-([a-z-]+): (#\w{6})", css[part]))
            inks = {name: value for name, value in tones.items() if not name.startswith("on-")}
            grounds = [value for name, value in tones.items() if name.startswith("on-")]
            grounds += [re.search(rf"--{name}: (#\w{{6}})", at[part])[1] for name in ("paper", "paper-2", "paper-3", "page", "lamp-wash")]  # type: ignore[index]
            assert len(inks) == 19
            for name, ink in inks.items():
                for ground in grounds:
                    assert contrast(ink, ground) >= 4.5, (name, ink, ground)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG)."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)
