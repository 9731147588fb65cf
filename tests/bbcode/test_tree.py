"""Codes nest sensibly however they were typed, to a bounded depth, in linear time."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bansha.bbcode import parse, read_words, without_quotes
from bansha.bbcode.render import render, render_post
from bansha.bbcode.tree import MAX_DEPTH, Node
from tests.bbcode.posts import posts


def sketch(node: Node) -> str:
    """A tree on one line: `b(…)`."""
    parts = [child if isinstance(child, str) else sketch(child) for child in node.children]
    return f"{node.name}({'|'.join(parts)})"


def depth(tree: Node) -> int:
    deepest, work = 0, [(tree, 0)]
    while work:
        node, level = work.pop()
        deepest = max(deepest, level)
        work += [(child, level + 1) for child in node.children if isinstance(child, Node)]
    return deepest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("无", "(无)"),
        ("", "()"),
        ("[b]1[/b]2", "(b(1)|2)"),
        ("[b]1", "(b(1))"),
        ("[b]1[i]2[/b]3[/i]4", "(b(1|i(2))|i(3)|4)"),
        ("1[/b]2", "(1[/b]2)"),
        ("[b][b]1[/b]2[/b]3", "(b(b(1)|2)|3)"),
        ("[b][quote]1[/b]2[/quote]3[/b]4", "(b(quote(1[/b]2)|3)|4)"),
        ("[quote]1[b]2[/quote]3[/b]4", "(quote(1|b(2))|34)"),
        ("[quote]1[quote]2[/quote]3[/quote]4", "(quote(1|quote(2)|3)|4)"),
        ("[quote]1[list][*]2[/quote]3", "(quote(1|list(item(2)))|3)"),
        ("[list]1[*]2[*]3[/list]", "(list(item(1)|item(2)|item(3)))"),
        ("[list][*][b]1[*]2[/b]3[/list]", "(list(item(b(1))|item(23)))"),
        ("[list][*]1[list][*]2[/list]3[*]4[/list]", "(list(item(1|list(item(2))|3)|item(4)))"),
        ("[*]1", "([*]1)"),
        ("[table][tr][td]1[/td][td]2[/td][/tr][/table]", "(table(tr(td(1)|td(2))))"),
        ("[table]\n[tr]\n[td]1\n[td]2\n[tr][td]3[/table]", "(table(tr(td(1)|td(2))|tr(td(3))))"),
        ("[table]1[tr]2[/tr][td]3[/table]", "(table(tr(td(1))|tr(td(2))|tr(td(3))))"),
        ("[td]1[/td]", "([td]1[/td])"),
        ("[table][tr][td][table][tr][td]1[/table]2[/table]", "(table(tr(td(table(tr(td(1)))|2))))"),
        ("[align=left]1[b]2[/align]3", "(align(1|b(2))|3)"),
        ("[code][b]1[/code]", "(code([b]1))"),
        ("[b][code]1[/b]", "(b([code]1))"),
        ("1\n[quote]\n2\n[/quote]\n3", "(1|quote(2)|3)"),
        ("1\n\n[quote]2[/quote]\n\n3", "(1\n|quote(2)|\n3)"),
        ("1\r\n2\r3", "(1\n2\n3)"),
        ("\n1\n", "(\n1\n)"),
        ("[quote]1\n", "(quote(1))"),
        ("[quote]1[/quote]2[/quote]3", "(quote(1)|2[/quote]3)"),
        ("[align=left]1[/align]2[/align]3", "(align(1)|2[/align]3)"),
        ("[list]\n[*]1\n[*]2[/list]", "(list(item(1)|item(2)))"),
        ("[tr]1[/tr]", "([tr]1[/tr])"),
        ("[list][*][quote][*]1[/quote]2[/list]", "(list(item(quote([*]1)|2)))"),
        ("[table][tr][td][quote][td]1[tr]2[/quote]3[/table]", "(table(tr(td(quote([td]1[tr]2)|3))))"),
        ("[list][*][b][b]1[*]2[/b]3[/b]4[/b]5[/list]", "(list(item(b(b(1)))|item(234[/b]5)))"),
        ("[list][code]1[/code][/list]", "(list(item(code(1))))"),
        ("[list][*][b]1[*]2[/b]3[/b]4[/list]", "(list(item(b(1))|item(23[/b]4)))"),
        ("[table][tr][td][/td][td]1[/table]", "(table(tr(td()|td(1))))"),
        ("[table][tr][/tr][tr]1[/table]", "(table(tr()|tr(td(1))))"),
        ("[table][tr][td][b]1[td]2[/b]3[/table]", "(table(tr(td(b(1))|td(23))))"),
        ("[b][i][u][s][font=x][hide]1[/b]2", "(b(i(u(s(font(hide(1))))))|u(s(font(hide(2)))))"),
        ("[b][i][u][s][font=x][hide]1[/b]2[/i]3", "(b(i(u(s(font(hide(1))))))|u(s(font(hide(23)))))"),
    ],
)
def test_the_shape_of_a_post(text: str, expected: str) -> None:
    assert sketch(parse(text)) == expected


@given(posts)
def test_every_text_has_a_tree_of_bounded_depth(text: str) -> None:
    assert depth(parse(text)) <= MAX_DEPTH + 1


@given(posts)
def test_tables_hold_rows_of_cells_and_lists_points(text: str) -> None:
    work = [parse(text)]
    inside = {"table": {"tr"}, "tr": {"td"}, "list": {"item"}}
    parents = {"tr": "table", "td": "tr", "item": "list"}
    while work:
        node = work.pop()
        for child in node.children:
            if node.name in inside:
                assert isinstance(child, Node)
                assert child.name in inside[node.name]
            if isinstance(child, Node):
                assert parents.get(child.name, node.name) == node.name
                work.append(child)


@pytest.mark.parametrize("code", ["[b]", "[quote]", "[list][*]", "[table][tr][td]", "[align=left]", "[color=red]"])
def test_nesting_stops(code: str) -> None:
    tree = parse(code * 500 + "底")
    assert MAX_DEPTH - 2 <= depth(tree) <= MAX_DEPTH
    assert "底" in render(tree)


@pytest.mark.parametrize(
    ("around", "code", "deepest"),
    [
        (39, "[b]", 40), (40, "[b]", 40), (39, "[align=left]", 40), (40, "[align=left]", 40), (39, "[code]底[/code]", 40),
        (40, "[code]底[/code]", 40), (38, "[list]", 40), (39, "[list]", 39), (38, "[list][*]", 40), (39, "[list][*]", 39),
        (37, "[table]", 40), (38, "[table]", 38), (37, "[table][tr][td]", 40), (38, "[table][tr][td]", 38),
        (40, "[quote]", 41), (39, "[quote][quote]", 40), (38, "[quote][quote]", 40), (38, "[quote][quote][quote]", 40),
    ],
)  # fmt: skip
def test_a_code_gets_its_node_only_with_room_for_all_it_needs(around: int, code: str, deepest: int) -> None:
    assert depth(parse("[b]" * around + code + "底")) == deepest


def test_a_block_too_deep_for_a_node_still_stands_on_lines_of_its_own() -> None:
    assert read_words("[b]" * MAX_DEPTH + "1[align=left]2[/align]3").own == "1\n2\n3"


def test_formats_with_a_block_in_them_know_it() -> None:
    tree = parse("[b][i]1[quote]2[u]3[/u][/quote][/i][s]4[/s][/b]")
    work = [tree]
    holding: list[str] = []
    while work:
        node = work.pop()
        holding += [node.name] if node.holds_block else []
        work += [child for child in node.children if isinstance(child, Node)]
    assert holding == ["b", "i"]


def test_codes_too_deep_for_a_node_are_still_paired() -> None:
    assert without_quotes("[quote]" * 60 + "1" + "[/quote]" * 60 + "2") == "2"
    assert read_words("[quote]" * 60 + "1" + "[/quote]" * 60 + "2").own == "2"
    assert render_post("[b]" * 60 + "1" + "[/b]" * 60 + "2").endswith("</strong>2</p>")


def test_a_quote_stays_a_quote_however_deep() -> None:
    words = read_words("[align=left]" * 60 + "[quote]1[/quote]2")
    assert words.own == "2"
    assert [quote.words for quote in words.quotes] == ["1"]


UNITS = [
    "[b]", "[quote]", "[", "[/b]", "[/quote]", "[*]", "[list]", "[list][*]", "[/list]", "[table]", "[td]",
    "[table][tr][td]", "[code]", "[img]", "[url]", '[quote="', '[b="', "[b=", "[color=red]", "[i][b]x[/i]y", "\n",
    "[quote][b]", "[b][quote][/quote]", "[quote][/b]", "[align=left]", "[/align][align=left]", "[b]x[/b]", "aaaa[",
    "[tr]",
]  # fmt: skip
ONE_AFTER_THE_OTHER = [
    "[b]{}[/i]", "[b]{}[/b]", "[quote]{}[/quote]", "[list]{}[/list]", "[align=left]{}[/list]", "[b]{}[*]",
    "[b]{}[quote][/quote]", "[b]{}[list][/list]", "[b]{}[i]{}[/b]", "[table]{}[/td]", "[list][*]{}[/b]", "[td]{}[*]",
]  # fmt: skip


def everything(text: str) -> None:
    tree = parse(text)
    render(tree)
    read_words(text)
    without_quotes(text)


def seconds(text: str) -> float:
    started = process_time()
    everything(text)
    return process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS + ONE_AFTER_THE_OTHER)
def test_time_is_linear(unit: str) -> None:
    def text(size: int) -> str:
        parts = unit.split("{}")
        return "".join(part * (size // len(unit)) for part in parts)

    for again in (True, True, False):  # others may share the machine: one quiet measurement is enough
        small, large = seconds(text(12_500)), seconds(text(100_000))
        if large < 24 * small + 0.2 or not again:
            break
    assert large < 24 * small + 0.2  # eight times the text; quadratic would be 64 times the time
    assert large < 10


@settings(max_examples=30, deadline=None)
@given(st.lists(posts, min_size=1, max_size=4).map("".join))
def test_repeating_a_post_takes_time_in_proportion(text: str) -> None:
    started = process_time()
    everything(text * (5_000 // max(len(text), 1) + 1))
    assert process_time() - started < 5
