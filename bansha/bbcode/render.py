"""A post as HTML that cannot harm: everything escaped, only the elements and attributes of ALLOWED, no inline style.

Looks become classes, for a theme to give them legible tones: `bb-c-NAME` and `bb-bg-NAME` (NAME of PALETTE),
`bb-size-1` … `bb-size-7`, `bb-font-NAME` (NAME of FACES), `bb-align-left|center|right|justify`, `bb-code`, `bb-table`,
`bb-list`, `bb-img` (an image is a link to it; nothing is fetched); a quote is `blockquote.quote` with `data-post`.
"""

import re
from collections.abc import Callable
from html import escape
from typing import Final, NamedTuple

from bansha.bbcode.fonts import FACES, PALETTE, colour_of, face_of, palette_colour, size_of
from bansha.bbcode.tree import BLOCKS, Node, parse
from bansha.bbcode.words import origin

ALLOWED: Final[dict[str, frozenset[str]]] = {
    "a": frozenset({"class", "href", "rel"}),
    "blockquote": frozenset({"class", "data-post"}),
    "br": frozenset(),
    "cite": frozenset(),
    "code": frozenset(),
    "div": frozenset({"class"}),
    "em": frozenset(),
    "li": frozenset(),
    "ol": frozenset({"class", "type"}),
    "p": frozenset(),
    "pre": frozenset({"class"}),
    "s": frozenset(),
    "span": frozenset({"class"}),
    "strong": frozenset(),
    "table": frozenset({"class"}),
    "tbody": frozenset(),
    "td": frozenset(),
    "tr": frozenset(),
    "u": frozenset(),
    "ul": frozenset({"class"}),
}
"""Every element a rendered post may hold, with its attributes."""

PostLink = Callable[[str], str]
"""From a post's reference in a quote to the address its author's name shall link to; "" for none."""

_REL = "nofollow noopener noreferrer ugc"
_SIMPLE = {"b": "strong", "i": "em", "u": "u", "s": "s", "tr": "tr", "td": "td", "item": "li"}
_WEB = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff\\<>\"`]")
_UNSHOWN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LONGEST_ADDRESS = 2000
_PARAGRAPH = re.compile(r"\n(?:[ \t\u3000]*\n)+")


def render_post(text: str, post_link: PostLink | None = None) -> str:
    """A post's text as HTML."""
    return render(parse(text), post_link)


def render(tree: Node, post_link: PostLink | None = None) -> str:
    """A tree as HTML. Words between blank lines are a `p`; single line ends are `br`."""
    out: list[str] = []
    paragraph: list[Node | str] = []

    def end_paragraph() -> None:
        while paragraph and isinstance(paragraph[0], str) and not paragraph[0].strip("\n"):
            del paragraph[0]
        while paragraph and isinstance(paragraph[-1], str) and not paragraph[-1].strip("\n"):
            del paragraph[-1]
        if paragraph:
            if isinstance(paragraph[0], str):
                paragraph[0] = paragraph[0].lstrip("\n")
            if isinstance(paragraph[-1], str):
                paragraph[-1] = paragraph[-1].rstrip("\n")
            out.append("<p>")
            _write(paragraph, out, post_link)
            out.append("</p>")
        paragraph.clear()

    for child in tree.children:
        if isinstance(child, str):
            first, *rest = _PARAGRAPH.split(child)
            paragraph.append(first)
            for words in rest:
                end_paragraph()
                paragraph.append(words)
        elif child.name in BLOCKS or child.holds_block:
            end_paragraph()
            _write([child], out, post_link)
        else:
            paragraph.append(child)
    end_paragraph()
    return "".join(out)


def safe_address(address: str) -> str | None:
    """The address a link may lead to: http, https or a path on this site; None for anything else.

    No other scheme, no host without one (`//host`), no blanks, control or invisible characters, no backslashes.
    """
    address = address.strip()
    if not address or len(address) > _LONGEST_ADDRESS or _UNSAFE.search(address):
        return None
    if _WEB.match(address):
        return address
    if address.lower().startswith("www."):
        return f"http://{address}"
    if address.startswith("//") or ":" in re.split(r"[/?#]", address, maxsplit=1)[0]:
        return None
    return address


class _End(NamedTuple):
    html: str
    of_link: bool = False


def _write(items: list[Node | str], out: list[str], post_link: PostLink | None) -> None:
    work: list[Node | str | _End] = list(reversed(items))
    links = 0  # a link in a link is only its words
    breaks = True  # inside code line ends stand as they are
    while work:
        item = work.pop()
        if isinstance(item, str):
            out.append(_words(item, breaks))
        elif isinstance(item, _End):
            out.append(item.html)
            links -= item.of_link
            breaks = breaks or item.html == _CODE_END
        else:
            begin, end = _tags(item, links > 0, post_link)
            out.append(begin)
            if end:
                is_link = end == "</a>"
                links += is_link
                breaks = breaks and end != _CODE_END
                work.append(_End(end, is_link))
            work.extend(reversed(item.children))


_CODE_END = "</code></pre>"


def _tags(node: Node, in_link: bool, post_link: PostLink | None) -> tuple[str, str]:
    """What stands before and after a node's children."""
    match node.name:
        case "b" | "i" | "u" | "s" | "tr" | "td" | "item":
            element = _SIMPLE[node.name]
            return f"<{element}>", f"</{element}>"
        case "color" | "backcolor" if colour := colour_of(node.value):
            ground = "c" if node.name == "color" else "bg"
            return _span(f"bb-{ground}-{palette_colour(colour)}")
        case "size" if size := size_of(node.value):
            return _span(f"bb-size-{size}")
        case "font" if face := face_of(node.value):
            return _span(f"bb-font-{face}")
        case "align" if node.value.strip().lower() in ("left", "center", "right", "justify"):
            return f'<div class="bb-align-{node.value.strip().lower()}">', "</div>"
        case "align":
            return "<div>", "</div>"
        case "list" if node.value in ("1", "a", "A"):
            return f'<ol class="bb-list" type="{node.value}">', "</ol>"
        case "list":
            return '<ul class="bb-list">', "</ul>"
        case "table":
            return '<table class="bb-table"><tbody>', "</tbody></table>"
        case "code":
            return '<pre class="bb-code"><code>', _CODE_END
        case "quote":
            return _quote(node, in_link, post_link), "</blockquote>"
        case "url" | "img" if not in_link:
            shown = "".join(child for child in node.children if isinstance(child, str))
            address = safe_address(node.value if node.name == "url" and node.value else shown)
            if address is not None:
                image = ' class="bb-img"' if node.name == "img" else ""
                return f'<a{image} href="{_words(address, breaks=False)}" rel="{_REL}">', "</a>"
    return "", ""


def _span(name: str) -> tuple[str, str]:
    return f'<span class="{name}">', "</span>"


def _quote(node: Node, in_link: bool, post_link: PostLink | None) -> str:
    author, post = origin(node) if node.value else ("", origin(node)[1])  # a header in the words speaks for itself
    begin = f'<blockquote class="quote" data-post="{post}">' if post else '<blockquote class="quote">'
    if not author:
        return begin
    address = safe_address(post_link(post)) if post_link and post and not in_link else None
    name = _words(author, breaks=False)
    if address is not None:
        name = f'<a href="{_words(address, breaks=False)}">{name}</a>'
    return f"{begin}<cite>{name}</cite>"


def _words(text: str, breaks: bool) -> str:
    """Text as HTML; what no page can show becomes U+FFFD."""
    shown = escape(_UNSHOWN.sub("\ufffd", text))
    return shown.replace("\n", "<br>") if breaks else shown


CLASSES: Final[frozenset[str]] = frozenset(
    {f"bb-{ground}-{name}" for ground in ("c", "bg") for name in PALETTE}
    | {f"bb-size-{size}" for size in range(1, 8)}
    | {f"bb-font-{face}" for face in FACES}
    | {f"bb-align-{side}" for side in ("left", "center", "right", "justify")}
    | {"bb-code", "bb-img", "bb-list", "bb-table", "quote"}
)
"""Every class a rendered post may hold: what a style sheet has to know."""
