"""The search finds what a filter of everything the viewer may read finds, no more and no less, for every viewer."""

from __future__ import annotations

import random
import re
import unicodedata
from functools import cache
from typing import Any

import pytest

from bansha.journal import doors
from bansha.town import acts, searching
from bansha.town.models import Account, Post
from bansha.town.readable import readable
from bansha.town.table import Table
from tests.support.town import Clock, client, seated, seats_of

WORDS = [
    "预言家", "女巫", "狼人", "狼", "民", "今天", "票", "黑伞先生", "我验了", "盾控", "9号", "seer", "Wolf", "WOLF", "12",
    "ＡＢ", "ok", "昨夜", "狼狼狼", "é", "e\u0301", "人", "号",
]  # fmt: skip
MARKS = ["，", "。", " ", "\n", "、", "！", "", "", "", "“", "…", "\u200b"]


@cache
def units(text: str) -> list[str]:
    """A plain second reading of a text: words and single Chinese characters, "|" where a mark parts two characters."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(unicodedata.normalize("NFKC", letter).lower() for letter in text if letter not in searching.INVISIBLE)
    found: list[str] = []
    for part in re.findall(r"[^\W_]+|[\W_]+", text):
        if not part[0].isalnum():
            found.append("|")
            continue
        found += [piece for piece in re.findall(r"[\u2e80-\U0010ffff]|[^\u2e80-\U0010ffff]+", part) if piece]
    kept = []
    for n, unit in enumerate(found):
        if unit != "|" or (0 < n < len(found) - 1 and ord(found[n - 1][0]) >= 0x2E80 and ord(found[n + 1][0]) >= 0x2E80):
            kept.append(unit)
    return kept


def holds(text: str, query: str) -> bool:
    """Whether a text holds every term of a query."""
    have = units(text)
    wanted = [found for term in query.split() if (found := units(term))]
    return bool(wanted) and all(any(have[at : at + len(want)] == want for at in range(len(have) - len(want) + 1)) for want in wanted)


def text(chance: random.Random, longest: int) -> str:
    """Words and marks at random."""
    return "".join(chance.choice(WORDS) + chance.choice(MARKS) for _ in range(chance.randint(1, longest)))


def query(chance: random.Random, texts: list[str]) -> str:
    """A word, a piece of a text, single characters, or several of these."""
    kind = chance.randint(0, 4)
    if kind == 0:
        return chance.choice(WORDS)
    if kind == 1:
        return chance.choice("狼民票号人巫w1预今x")
    if kind == 2:
        return f"{chance.choice(WORDS)} {chance.choice(WORDS)}"
    whole = chance.choice(texts)
    at = chance.randint(0, len(whole) - 1)
    return whole[at : at + chance.randint(1, 7)]


@pytest.fixture(scope="module")
def game(clock: Clock) -> Any:
    """A game in which every kind of room has posts of random words."""
    made = seated("m205", seed=5, title="搜索")
    doors.strike(made.journal, clock.at(1, 9, 1))
    chance = random.Random(7)
    wolf = seats_of(made, "wolf")[0]
    for n in range(60):
        seat = chance.randint(1, 10)
        table = Table(made, Account.objects.get(username=f"player{seat}"))
        acts.say(table, "talk-1", text(chance, 9), f"t{n}")
        if n % 5 == 0:
            acts.whisper(Table(made, Account.objects.get(username=f"player{wolf}")), "den-0", text(chance, 9))
            acts.whisper(table, "hole", text(chance, 9))
            acts.whisper(table, f"line-{seat}", text(chance, 9))
            acts.whisper(Table(made, Account.objects.get(username="director")), "log", text(chance, 9))
            acts.say(Table(made, Account.objects.get(username="director2")), "talk-1", text(chance, 9))
    acts.say(Table(made, Account.objects.get(username="player1")), "talk-1", "狼" * 3000 + "，" + text(chance, 400) + "尽头的船票")
    return made


def viewers(game: Any) -> list[Table]:
    """A player, a wolf, a visitor, a member who does not play, a director."""
    wolf = seats_of(game, "wolf")[0]
    village = next(seat for seat in range(1, 11) if seat not in seats_of(game, "wolf"))
    member = Account.objects.filter(username="looker").first() or Account.objects.create_user("looker", password="lamplight-lamplight")
    names = [f"player{village}", f"player{wolf}", "director"]
    return [Table(game, Account.objects.get(username=name)) for name in names] + [Table(game, None), Table(game, member)]


def test_hits_are_those_of_a_plain_filter(game: Any) -> None:
    chance = random.Random(11)
    everything = [post.words for post in Post.objects.filter(game=game) if len(post.words) < 500 and post.words.strip()]
    queries = [query(chance, everything) for _ in range(80)]
    queries += ["狼", "狼狼", "狼狼狼狼", "尽头的船票", "船票 seer", "seer", "see", "预言家", "ab", "é", "9号狼"]
    hits = 0
    for table in viewers(game):
        posts = list(readable(table))
        for asked in queries:
            want = sorted(post.pk for post in posts if holds(post.words, asked))
            found = searching.found_in(readable(table), searching.terms(asked))
            got = sorted(found.values_list("pk", flat=True))
            assert got == want, (table.viewer, asked)
            assert found.count() == len(want)
            hits += len(want)
    assert hits > 1500


def test_different_viewers_find_different_numbers(game: Any) -> None:
    """The property bites: what a den, a hole, a line hold is found by its readers alone."""
    wolf = seats_of(game, "wolf")[0]
    acts.whisper(Table(game, Account.objects.get(username=f"player{wolf}")), "den-0", "今夜刀雾笛手，暗号琉璃瓦")
    counts = [searching.found_in(readable(table), searching.terms("琉璃瓦")).count() for table in viewers(game)]
    assert counts == [0, 1, 1, 0, 0]
    address = f"/g/{game.pk}/search/?q=琉璃瓦"
    for name, seen in ((f"player{wolf}", 1), ("looker", 0), ("", 0)):
        page = client(name).get(address).content.decode()
        assert ("暗号" in page) == bool(seen)
        assert f"{seen} 帖</span>" in page
        assert ("没有找到" in page) == (not seen)


def test_the_page_marks_the_hit_and_filters_by_persona(game: Any) -> None:
    table = Table(game, Account.objects.get(username="player2"))
    post = acts.say(table, "talk-1", "<script>开头</script>，" + "雾" * 80 + "琥珀色的灯" + "雾" * 200)
    page = client("player3").get(f"/g/{game.pk}/search/?q=琥珀色").content.decode()
    assert "<mark>琥珀色</mark>" in page and "…" in page and f"/g/{game.pk}/t/talk-1/p/{post.floor}/" in page
    assert "报幕员小满" in page and "<script>开头" not in page
    assert "没有找到" in client("player3").get(f"/g/{game.pk}/search/?q=琥珀色&by=3").content.decode()
    assert "<mark>琥珀色</mark>" in client("").get(f"/g/{game.pk}/search/?q=琥珀色&by=2").content.decode()


def test_what_cannot_be_searched_is_said(game: Any) -> None:
    page = client("").get(f"/g/{game.pk}/search/?q=！？")
    assert page.status_code == 422 and "不能只搜标点" in page.content.decode()
    page = client("").get(f"/g/{game.pk}/search/?q={'一二三四五' * 10}")
    assert page.status_code == 422 and "最多" in page.content.decode()
    assert client("").get(f"/g/{game.pk}/search/").status_code == 200
    for hostile in ('"', '狼" OR *', "狼' & !", "NEAR(狼 民)", "<b>", "狼:*", "a" * 300):
        assert client("").get(f"/g/{game.pk}/search/", {"q": hostile}).status_code in (200, 422)


def test_a_refused_post_is_not_in_the_index(game: Any) -> None:
    table = Table(game, Account.objects.get(username="player6"))
    with pytest.raises(acts.Denied):
        acts.say(table, "talk-1", "[color=red]翡翠[/color]")
    assert not searching.found_in(Post.objects.all(), searching.terms("翡翠")).exists()


def test_the_index_can_be_made_anew(game: Any) -> None:
    table = Table(game, None)
    before = searching.found_in(readable(table), searching.terms("狼")).count()
    searching.refill()
    assert searching.found_in(readable(table), searching.terms("狼")).count() == before > 0
    doors.rebuild(game.journal)
    assert searching.found_in(readable(table), searching.terms("狼")).count() == before


@pytest.mark.parametrize(
    ("words", "asked", "want"),
    [
        ("预言家在", "预言家", "…" * 0 + "[预言家]在"),
        ("狼人ok吗", "狼人OK", "[狼人ok]吗"),
        ("ＡＢ狼", "ab", "[ＡＢ]狼"),
        ("狼，狼", "狼", "[狼]，[狼]"),
        ("一号说二号", "号 说", "一[号][说]二[号]"),
    ],
)
def test_hits_are_marked_where_they_stand(words: str, asked: str, want: str) -> None:
    pieces = searching.excerpt(words, searching.terms(asked))
    assert "".join(f"[{piece}]" if hit else piece for piece, hit in pieces) == want
