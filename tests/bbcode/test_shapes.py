"""The trees of posts as they are typed: what ends what, what is taken up again, what is text, and how deep it goes."""

from __future__ import annotations

import pytest

from bansha.bbcode import Node, has_markup, parse, read_words
from bansha.bbcode.tokens import FOREIGN
from bansha.bbcode.tree import MAX_DEPTH

SHAPES = [
    ('[b][i][u][s][color=red][font=x]1[/b]2', "b(i(u(s(color=red(font=x('1')))))) u(s(color=red(font=x('2'))))"),
    ('[list][*][b]x[*]y[/b]z[/b]', "list(item(b('x')) item('yz[/b]'))"),
    ('[list]\n[*]a\n[/list]b', "list(item('a')) 'b'"),
    ('[list]w[*]a[/list]', "list(item('w') item('a'))"),
    ('[table][code]x[/code][/table]', "table(tr(td(code('x'))))"),
    ('[table]w[/table]', "table(tr(td('w')))"),
    ('[table][tr]w[/tr][/table]', "table(tr(td('w')))"),
    ('[table][tr=5][td=7]a[td]b[tr]c[/table]', "table(tr=5(td=7('a') td('b')) tr(td('c')))"),
    ('[table][tr][td][b]x[td]y[/b][/b]z', "table(tr(td(b('x')) td('y[/b]z')))"),
    ('[table][td]a[/td]b[/table]', "table(tr(td('a') td('b')))"),
    ('[td]x', "'[td]x'"),
    ('[tr]x', "'[tr]x'"),
    ('[*]x', "'[*]x'"),
    ('[quote][tr]x[/quote]', "quote('[tr]x')"),
    ('[list][tr]x', "list(item('[tr]x'))"),
    ('[list][td]x', "list(item('[td]x'))"),
    ('[table][*]x', "table(tr(td('[*]x')))"),
    ('[align=left]a[/align]b', "align=left('a') 'b'"),
    ('[align=left]\na\n[/align]\nb', "align=left('a') 'b'"),
    ('a\n[quote]q[/quote]\nb', "'a' quote('q') 'b'"),
    ('[b][quote]x[/b]y[/quote]z[/b]', "b(quote('x[/b]y') 'z')"),
    ('[quote][quote]a[/quote]b[/quote]c', "quote(quote('a') 'b') 'c'"),
    ('[i][b]x[/i]y[/b]', "i(b('x')) b('y')"),
    ('[b]x', "b('x')"),
    ('[/b]x', "'[/b]x'"),
    ('[b][/i][/b]', "b('[/i]')"),
    ('[quote=a;1]x', "quote=a;1('x')"),
    ('[code]a[b][/code]c', "code('a[b]') 'c'"),
    ('[list][*]a[code]x[/code]b[/list]', "list(item('a' code('x') 'b'))"),
    ('[b][i]1[/b]2[/i]3[/i]', "b(i('1')) i('2') '3[/i]'"),
    ('[list][*][i]a[/list][/i]b[/i]', "list(item(i('a'))) 'b[/i]'"),
    ('[quote][b]x[/quote][/b]y', "quote(b('x')) 'y'"),
    ('[b][table]x[/b]y[/table]z', "b(table(tr(td('x[/b]y'))) 'z')"),
    ('[td][table][tr][td]x[/table]', "'[td]' table(tr(td('x')))"),
    ('[table][tr][td][table][tr][td]x[/td][/tr][/table][td]y[/table]', "table(tr(td(table(tr(td('x')))) td('y')))"),
    ('[list][*]a[list][*]b[/list]c[/list]', "list(item('a' list(item('b')) 'c'))"),
    ('[b]x[align=left]y[/b]z[/align]w', "b('x' align=left('y[/b]z') 'w')"),
    ('[quote][list][*]a[/quote]b', "quote(list(item('a'))) 'b'"),
    ('[list][quote]a[/list]b[/quote]c[/list]d', "list(item(quote('a[/list]b') 'c')) 'd'"),
]


def shape(node: Node | str) -> str:
    """A tree on one line: name=value(what stands in it)."""
    if isinstance(node, str):
        return repr(node)
    inside = " ".join(map(shape, node.children))
    return f"{node.name}{'=' + node.value if node.value else ''}({inside})" if node.name else inside


def depth(node: Node | str) -> int:
    """Nodes inside nodes, the root not counted."""
    return max((1 + depth(child) for child in node.children if isinstance(child, Node)), default=0) if isinstance(node, Node) else 0


@pytest.mark.parametrize(("text", "expected"), SHAPES)
def test_the_tree_of_a_post(text: str, expected: str) -> None:
    assert shape(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("[b]" * 45 + "x", 40),
        ("[quote]" * 45 + "x", 40),
        ("[b]" * 45 + "[quote]x[/quote]", 41),  # the outermost quote still gets its node
        ("[b]" * 45 + "[quote][quote]x", 41),
        ("[table]" * 45, 39),  # a table needs room for row and cell
        ("[b]" * 38 + "[list]x", 40),
        ("[b]" * 39 + "[list]x", 39),
        ("[b]" * 37 + "[table]x", 40),
        ("[b]" * 38 + "[table]x", 38),
    ],
)
def test_nesting_stops(text: str, nodes: int) -> None:
    assert (MAX_DEPTH, depth(parse(text))) == (40, nodes)


def test_too_deep_a_block_still_stands_on_lines_of_its_own() -> None:
    assert read_words("[b]" * 41 + "w[align=left]x[/align]z").own == "w\nx\nz"
    assert read_words("[b]" * 40 + "[list]x[*]y[/list]z").own == "x\n\ny\n\nz"


def test_a_format_around_a_block_knows_it() -> None:
    outer, plain = parse("[b][i][align=left]x[/align][/i][/b][b]y[/b]").children
    assert isinstance(outer, Node) and isinstance(plain, Node)
    inner = outer.children[0]
    assert isinstance(inner, Node)
    assert (outer.holds_block, inner.holds_block, plain.holds_block) == (True, True, False)


@pytest.mark.parametrize("name", sorted(FOREIGN))
def test_codes_of_the_forum_that_we_do_not_know_are_codes_all_the_same(name: str) -> None:
    assert has_markup(f"再见[{name}]") and has_markup(f"[/{name.upper()}]")
    assert parse(f"[{name}]x").children == [f"[{name}]x"]


def test_the_codes_of_the_forum() -> None:
    assert " ".join(sorted(FOREIGN)) == (
        "attach attachimg audio email flash float free hr indent index media p page password postbg qq sub sup swf video"
    )


@pytest.mark.parametrize(("text", "author"), [('[quote="]x[/quote]', '"'), ('[quote="甲;12"]x[/quote]', "甲"), ('[quote=""]x[/quote]', "")])
def test_a_value_in_quotation_marks(text: str, author: str) -> None:
    assert [quote.author for quote in read_words(text).quotes] == [author]
