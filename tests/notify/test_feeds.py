"""Atom feeds: a guest's view, the same for whoever asks, with validators that hang on public facts alone."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from bansha.town import acts
from bansha.town.models import Game, Post
from tests.browser.scenes import Stage, people
from tests.support.town import NAMES, Clock, client, moment

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def stage(clock: Clock) -> Iterator[Stage]:
    """A day with posts, a vote, and talk that is nobody else's."""
    people()
    made = Stage(clock, "election", seed=4)
    made.setup()
    clock.at(1, 10)
    first = acts.say(made.table(1), "talk-1", "昨晚的[b]灯[/b]是谁灭的？")
    acts.say(made.table(2), "talk-1", f"[quote={NAMES[0]};{first.ref}]{first.words}[/quote]\n我也想知道。")
    acts.say(made.table(0), "talk-1", "各位注意：今晚 21:00 关门。")
    made.votes("election-1", [(1, 4), (2, 4)])
    acts.whisper(made.table(made.role("wolf")[0]), "den-0", "群里的话")
    acts.whisper(made.table(3), "hole", "树洞里的话")
    acts.whisper(made.table(3), "line-3", "私信里的话")
    yield made


def read(path: str, who: str = "") -> ET.Element:
    """A feed, parsed."""
    answer = client(who).get(path)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ET.fromstring(answer.content)


def entries(feed: ET.Element) -> list[dict[str, str]]:
    """The entries of a feed."""
    found = []
    for entry in feed.findall(f"{ATOM}entry"):
        link = entry.find(f"{ATOM}link")
        assert link is not None
        texts = {name: entry.findtext(f"{ATOM}{name}") or "" for name in ("id", "title", "updated", "summary")}
        found.append({**texts, "link": link.attrib["href"], "author": entry.findtext(f"{ATOM}author/{ATOM}name") or ""})
    return found


def test_a_game_and_its_threads(stage: Stage) -> None:
    pk = stage.game.pk
    game = read(f"/g/{pk}/feed/")
    assert game.findtext(f"{ATOM}title") == "末班渡船"
    said = entries(game)
    assert {entry["author"] for entry in said} == {"导演"} and any("21:00 关门" in entry["summary"] for entry in said)
    assert said == sorted(said, key=lambda entry: entry["updated"], reverse=True), "the newest first"
    talk = entries(read(f"/g/{pk}/t/talk-1/feed/"))
    assert [entry["author"] for entry in talk[:3]] == ["导演", NAMES[1], NAMES[0]]
    assert talk[2]["summary"] == "<p>昨晚的<strong>灯</strong>是谁灭的？</p>"
    assert f'href="http://localhost/g/{pk}/r/1/"' in talk[1]["summary"], "links of the text lead to the town from anywhere"
    assert talk[2]["link"] == f"http://localhost/g/{pk}/t/talk-1/#f3" and talk[2]["updated"] == "2026-11-23T02:00:00+00:00"
    shared = [entry for entry in talk if entry["author"] == "导演"]
    assert len({entry["id"] for entry in [*said, *talk]}) == len(said) + len(talk) - len(shared), "a post has one id in every feed"
    assert talk[2]["id"] == f"tag:localhost,{stage.game.made_at:%Y-%m-%d}:/g/{pk}/t/talk-1/p/3/"
    assert entries(read(f"/g/{pk}/t/election-1/feed/"))[0]["author"] == NAMES[1]
    whole = client("").get(f"/g/{pk}/feed/").content + client("").get(f"/g/{pk}/t/talk-1/feed/").content
    for secret in ("群里的话", "树洞里的话", "私信里的话", "player", "onlooker"):
        assert secret.encode() not in whole


def test_it_is_the_same_for_whoever_asks(stage: Stage) -> None:
    for path in (f"/g/{stage.game.pk}/feed/", f"/g/{stage.game.pk}/t/talk-1/feed/", f"/g/{stage.game.pk}/t/process/feed/"):
        answers = [client(who).get(path) for who in ("", "player1", f"player{stage.role('wolf')[0]}", "director", "onlooker")]
        assert len({(answer.content, answer["ETag"], answer["Last-Modified"], answer["Cache-Control"]) for answer in answers}) == 1


def test_what_has_not_changed_is_not_sent_again(stage: Stage, clock: Clock) -> None:
    path = f"/g/{stage.game.pk}/t/talk-1/feed/"
    clock.at(1, 11)
    first = client("").get(path)
    assert client("").get(path, headers={"if-none-match": first["ETag"]}).status_code == 304
    assert client("").get(path, headers={"if-modified-since": first["Last-Modified"]}).status_code == 304
    acts.whisper(stage.table(3), "hole", "又一句树洞里的话")
    acts.whisper(stage.table(stage.role("wolf")[0]), "den-0", "又一句群里的话")
    stage.act(stage.role("seer")[0], "check", [stage.role("wolf")[0]])
    assert client("").get(path, headers={"if-none-match": first["ETag"]}).status_code == 304, "nothing public has happened"
    acts.say(stage.table(5), "talk-1", "天亮了。")
    ids = [entry["id"] for entry in entries(ET.fromstring(first.content))]
    again = client("").get(path, headers={"if-none-match": first["ETag"]})
    assert again.status_code == 200 and [entry["id"] for entry in entries(ET.fromstring(again.content))][1:] == ids
    assert client("").get(path, headers={"if-modified-since": first["Last-Modified"]}).status_code == 200
    assert client("").head(path).content == b""


def test_an_announcement_under_review_is_in_it_from_its_hour_on(clock: Clock) -> None:
    people()
    stage = Stage(clock, "election", seed=4, review=True)
    stage.setup()
    stage.votes("election-1", [(seat, 4) for seat in range(1, 9)])
    clock.at(1, 20, 30)
    acts.say(stage.table(0), "process", "先说一声。")
    stage.strike(moment(1, 21))
    clock.at(1, 22)
    path = f"/g/{stage.game.pk}/feed/"
    before = client("").get(path)
    texts = [entry["summary"] for entry in entries(ET.fromstring(before.content))]
    assert not any("计票" in text for text in texts[:2])
    one, *others = acts.held_announcements(stage.table(0))
    assert others, "a count, and what follows from it"
    clock.at(1, 22, 30)
    acts.release(stage.table(0), one, "")
    released = client("").get(path, headers={"if-modified-since": before["Last-Modified"]})
    assert released.status_code == 200 and len(entries(ET.fromstring(released.content))) == len(texts) + 1
    clock.at(2, 9)
    after = client("").get(path, headers={"if-modified-since": released["Last-Modified"]})
    found = entries(ET.fromstring(after.content))
    assert after.status_code == 200 and len(found) == len(texts) + 1 + len(others)


def test_drafts_and_rooms_that_are_no_thread_are_not_there(stage: Stage, clock: Clock) -> None:
    from tests.browser.scenes import MAKERS

    draft, signup = MAKERS["draft"](clock), MAKERS["signup"](clock)
    assert {client(who).get(f"/g/{draft.game}/feed/").status_code for who in ("", "player1", "director")} == {404}
    assert entries(read(f"/g/{signup.game}/feed/")) == []
    for room in ("den-0", "hole", "line-3", "log", "held", "new", "talk-9"):
        assert client("director").get(f"/g/{stage.game.pk}/t/{room}/feed/").status_code == 404, room
    page = client("").get(f"/g/{stage.game.pk}/t/talk-1/").content.decode()
    for path in (f"/g/{stage.game.pk}/feed/", f"/g/{stage.game.pk}/t/talk-1/feed/"):
        assert '<link rel="alternate" type="application/atom+xml" title="' in page and f'href="{path}"' in page
    assert b"application/atom+xml" not in client("director").get(f"/g/{draft.game}/edit/").content


def test_what_xml_cannot_say_is_left_out(stage: Stage) -> None:
    post = Post.objects.filter(game=stage.game, room="talk-1", voice="seat").first()
    assert post is not None
    Post.objects.filter(pk=post.pk).update(html="灯\x0b\x1f\ufffe<b>&amp;</b>]]>")
    Game.objects.filter(pk=stage.game.pk).update(title="末班\x0c渡船")
    summaries = [entry["summary"] for entry in entries(read(f"/g/{stage.game.pk}/t/talk-1/feed/"))]
    assert "灯<b>&amp;</b>]]>" in summaries
    Game.objects.filter(pk=stage.game.pk).update(title="末班渡船")


def test_the_newest_fifty_in_three_questions_more(stage: Stage, clock: Clock) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    path = f"/g/{stage.game.pk}/t/process/feed/"

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            client("").get(path)
        return len(queries)

    clock.at(1, 12)
    before = asked()
    for number in range(60):
        acts.say(stage.table(0), "process", f"第 {number} 句。")
    assert asked() == before and len(entries(read(path))) == 50
