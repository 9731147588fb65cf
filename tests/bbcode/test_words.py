"""The author's own words are told from quoted ones, and how they look is known."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bansha.bbcode import own_words, read_words, without_quotes
from tests.bbcode.posts import posts


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1[quote]2[/quote]3", "13"),
        ("1[QUOTE=甲]2[/Quote]3", "13"),
        ("1[quote]2[quote]3[/quote]4[/quote]5", "15"),
        ("1[quote]2[/quote]3[quote]4", "13"),
        ("1[quote]2[quote]3[/quote]4", "1"),
        ("1[/quote]2", "1[/quote]2"),
        ("[b]1[quote][/b]2[/quote]3[/b]", "[b]13[/b]"),
        ("1[quote]2[code][/quote][/code]3", "1"),
        ("1[code][quote][/code]2", "1[code][quote][/code]2"),
        ("1[quote\u200b]2[/quote]3", "1[quote\u200b]2[/quote]3"),
        (" 1 [quote]2[/quote] \n3 ", " 1  \n3 "),
    ],
)
def test_quotes_are_cut_out_and_nothing_else(text: str, kept: str) -> None:
    assert without_quotes(text) == kept


@given(st.lists(st.sampled_from(["[quote]", "[/quote]", "[quote=甲;3]", "a", "b\n", "[b]", "[/i]"]), max_size=40))
def test_cutting_quotes_is_counting_brackets(pieces: list[str]) -> None:
    kept, depth = "", 0
    for piece in pieces:
        if piece.startswith("[quote"):
            depth += 1
        elif piece == "[/quote]" and depth:
            depth -= 1
        elif not depth:
            kept += piece
    assert without_quotes("".join(pieces)) == kept


@given(posts)
def test_what_is_quoted_on_the_page_is_what_is_not_the_authors(text: str) -> None:
    def letters(words: str) -> str:
        # an end that closes what a quote left open is nobody's word: with the quote gone it stands alone
        return "".join(re.sub(r"\[/\w+\]", "", words, flags=re.ASCII).split())

    assert letters(own_words(text)) == letters(own_words(without_quotes(text)))
    assert letters(own_words(f"{text}[quote]别人的")) == letters(own_words(text))


def test_an_end_that_closes_what_a_quote_left_open_is_no_word() -> None:
    assert own_words("[quote][color=red][/quote][/color]我") == "我"


def test_own_words_are_plain_text() -> None:
    text = "[b]一[/b][color=red]二[/color]\n[list][*]三[*]四[/list][quote]五[/quote][hide]六[/hide][url=/x]七[/url]"
    assert own_words(text) == "一二\n三\n四\n六七"


def test_words_after_a_block_begin_a_line() -> None:
    assert own_words("0[align=left]1[/align]2[quote]3[/quote]4") == "0\n1\n2\n4"


def test_a_word_cannot_hide_in_codes() -> None:
    assert own_words("发[b]誓[/b]") == own_words("发[size=1]誓") == own_words("[i]发[/i]誓") == "发誓"


@pytest.mark.parametrize(
    ("text", "author", "reference", "words"),
    [
        ("[quote]话[/quote]", "", "", "话"),
        ("[quote=甲]话[/quote]", "甲", "", "话"),
        ("[quote=甲;12]话[/quote]", "甲", "12", "话"),
        ('[quote="[M46]甲;乙;12"]话', "[M46]甲;乙", "12", "话"),
        ("[quote=;12]话[/quote]", "", "12", "话"),
        ("[quote=甲;12]话[quote=乙;3]内[/quote][/quote]", "甲", "12", "话"),
        (
            "[quote][size=2][url=forum.php?mod=redirect&goto=findpost&pid=302&ptid=2][color=#999999]小乙 发表于 "
            "2026-11-30 04:56[/color][/url][/size]\n话[/quote]",
            "小乙",
            "302",
            "小乙 发表于 2026-11-30 04:56\n话",
        ),
        ("[quote][color=#999]小乙 发表于 2026-11-30 04:56[/color]\n话[/quote]", "小乙", "", None),
        ("[quote]话[url=/?pid=302]x[/url][/quote]", "", "", "话x"),
        ("[quote][quote][url=/?pid=302]x[/url][/quote]话[/quote]", "", "", "话"),
        ("[quote=甲;１２]话[/quote]", "甲;１２", "", "话"),
    ],
)
def test_a_quote_names_author_and_post(text: str, author: str, reference: str, words: str | None) -> None:
    (quote,) = read_words(text).quotes
    assert (quote.author, quote.reference) == (author, reference)
    assert words is None or quote.words == words


def test_colours_sizes_and_fonts_are_those_of_own_words() -> None:
    words = read_words(
        "[quote][color=red]他[/color][/quote][color=Blue]我[color=#f00]们[/color][/color][size=5]大[/size]"
        "[font=楷体]字[/font][color=green] [/color][size=9]\u3000[/size]"
    )
    assert words.colours == ("Blue", "#f00")
    assert words.sizes == ("5",)
    assert words.fonts == ("楷体",)


def test_a_value_that_means_nothing_does_not_cover_the_one_around_it() -> None:
    words = read_words("[color=red][color=nix]红[/color][/color][size=7][size=em]大")
    assert words.colours == ("red",)
    assert words.sizes == ("7",)


def test_the_innermost_colour_is_in_force() -> None:
    assert read_words("[color=red][color=blue]蓝[/color][/color]").colours == ("blue",)
