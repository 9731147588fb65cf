"""Codes and words are told apart."""

from itertools import pairwise

import pytest
from hypothesis import given

from bansha.bbcode.tokens import Token, has_markup, tokenize
from tests.bbcode.posts import posts


@given(posts)
def test_the_tokens_together_are_the_text(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(token.source for token in tokens) == text
    assert all(token.source for token in tokens)


@given(posts)
def test_two_text_tokens_never_stand_side_by_side(text: str) -> None:
    kinds = [token.kind for token in tokenize(text)]
    assert ("text", "text") not in pairwise(kinds)


@pytest.mark.parametrize(
    ("code", "token"),
    [
        ("[B]", Token("open", "[B]", "b")),
        ("[/b]", Token("close", "[/b]", "b")),
        ("[color=Red]", Token("open", "[color=Red]", "color", "Red")),
        ("[quote=甲;12]", Token("open", "[quote=甲;12]", "quote", "甲;12")),
        ('[quote="[M46]甲"]', Token("open", '[quote="[M46]甲"]', "quote", "[M46]甲")),
        ('[quote="]', Token("open", '[quote="]', "quote", '"')),
        ('[quote=""]', Token("open", '[quote=""]', "quote", "")),
        ("[url=http://a/?b=c]", Token("open", "[url=http://a/?b=c]", "url", "http://a/?b=c")),
        ("[code][b][/CODE]", Token("raw", "[code][b][/CODE]", "code", "", "[b]")),
        ("[img=9,9]/a.png[/img]", Token("raw", "[img=9,9]/a.png[/img]", "img", "9,9", "/a.png")),
    ],
)
def test_a_code_is_cut_out(code: str, token: Token) -> None:
    assert tokenize(f"前{code}后") == [Token("text", "前"), token, Token("text", "后")]


@pytest.mark.parametrize(
    "text",
    [
        "[sup]", "[b=1]", "[color]", "[size]", "[ b]", "[b ]", "[/b=1]", "[/*]", "[i=s]", "[code]", "[img]a", "[/code]",
        "【b】", "[b\u200b]", "[]", "[/]", "[quote", "quote]", "[ｂ]", "[ſ]",
    ],
)  # fmt: skip
def test_what_is_no_code_of_ours_is_text(text: str) -> None:
    assert tokenize(text) == [Token("text", text)]


def test_the_inside_of_code_is_not_read() -> None:
    assert [token.kind for token in tokenize("[code][quote][/code][b]")] == ["raw", "open"]


@pytest.mark.parametrize("text", ["[b]永别了[/b]", "[/quote]", "再见[hr]", "[i=s]", "[COLOR=red]x", "[attach]7[/attach]"])
def test_last_words_with_codes_have_markup(text: str) -> None:
    assert has_markup(text)


@pytest.mark.parametrize(
    "name",
    [
        "attach", "attachimg", "audio", "email", "flash", "float", "free", "hr", "indent", "index", "media", "p", "page",
        "password", "postbg", "qq", "sub", "sup", "swf", "video",
    ],
)  # fmt: skip
def test_a_code_of_discuz_that_we_do_not_know_is_text_but_markup(name: str) -> None:
    text = f"[{name}]"
    assert tokenize(text) == [Token("text", text)]
    assert has_markup(text)


@pytest.mark.parametrize("text", ["永别了", "【b】", "[3号]是狼", "a[1]", "[ b ]", "[link]", "@甲", "1 < 2 & 3 > 2", "[]"])
def test_last_words_without_codes_have_none(text: str) -> None:
    assert not has_markup(text)
