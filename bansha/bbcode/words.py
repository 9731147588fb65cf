"""Whose words stand in a post, and how they look.

Quoted words are not the author's: what they say counts neither as a vote (C18) nor against the author. An unclosed
quote reaches to the end of the post.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bansha.bbcode.fonts import colour_of, size_of
from bansha.bbcode.tokens import tokenize
from bansha.bbcode.tree import BLOCKS, Node, parse


@dataclass(frozen=True, slots=True)
class Quote:
    """An outermost quote: who is said to have written it, the post it names, its words without quotes inside it.

    The author can write anything into a quote. Only the post a reference names says what was quoted.
    """

    author: str
    reference: str
    words: str


@dataclass(frozen=True, slots=True)
class Run:
    """Own words that look alike, with the values as written that are in force there, "" for none."""

    words: str
    colour: str = ""
    size: str = ""
    font: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A post taken apart: the author's own words as plain text, the quotes in order, the own words by their looks."""

    own: str
    quotes: tuple[Quote, ...]
    runs: tuple[Run, ...]

    @property
    def colours(self) -> tuple[str, ...]:
        """Colours of own words, each once, as written."""
        return _each_once(run.colour for run in self.runs if run.words.strip())

    @property
    def sizes(self) -> tuple[str, ...]:
        """Sizes of own words, each once, as written."""
        return _each_once(run.size for run in self.runs if run.words.strip())

    @property
    def fonts(self) -> tuple[str, ...]:
        """Typefaces of own words, each once, as written."""
        return _each_once(run.font for run in self.runs if run.words.strip())


def without_quotes(text: str) -> str:
    """The text with its quotes cut out and nothing else changed; other codes stay as they are (C18)."""
    kept: list[str] = []
    depth = 0
    for token in tokenize(text):
        if token.name == "quote" and token.kind == "open":
            depth += 1
        elif token.name == "quote" and depth:
            depth -= 1
        elif not depth:
            kept.append(token.source)
    return "".join(kept)


def own_words(text: str) -> str:
    """The author's own words as plain text: no quotes, no codes, each block on lines of its own."""
    return read_words(text).own


def read_words(text: str) -> Words:
    """Take a post apart."""
    runs, quotes = _walk(parse(text))
    return Words(_join(runs), tuple(_quote(node) for node in quotes), tuple(runs))


_Looks = tuple[str, str, str]  # colour, size, font
_HEADER = re.compile(r"\s*(\S[^\n]{0,59}?) 发表于 [^\n]{1,40}(?:\n|$)")
_PID = re.compile(r"[?&](?:amp;)?pid=(\d{1,12})", re.ASCII)
_REFERRED = re.compile(r"(.*);(\d{1,12})", re.ASCII | re.DOTALL)


def origin(quote: Node) -> tuple[str, str]:
    """Author and post a quote names: `[quote=AUTHOR;POST]`, or the header that Discuz! writes; "" for what it lacks."""
    if quote.value:
        found = _REFERRED.fullmatch(quote.value)
        return (found[1].strip(), found[2]) if found else (quote.value.strip(), "")
    link = _first_link(quote)
    found = _PID.search(link.value) if link else None
    header = _HEADER.match(_text(quote))
    return header[1] if header else "", found[1] if found else ""


def _quote(node: Node) -> Quote:
    author, reference = origin(node)
    return Quote(author, reference, _text(node))


def _first_link(quote: Node) -> Node | None:
    """The link a quote begins with, if it begins with one."""
    node = quote
    while node.children and isinstance(node.children[0], Node) and node.children[0].name != "quote":
        node = node.children[0]
        if node.name == "url":
            return node
    return None


def _text(node: Node) -> str:
    return _join(_walk(Node("", children=node.children))[0])


def _join(runs: list[Run]) -> str:
    return "".join(run.words for run in runs).strip("\n")


def _walk(tree: Node) -> tuple[list[Run], list[Node]]:
    """The runs of words outside quotes, and the outermost quotes."""
    runs: list[Run] = []
    quotes: list[Node] = []
    plain: _Looks = ("", "", "")
    work: list[tuple[Node | str | None, _Looks]] = [(child, plain) for child in reversed(tree.children)]
    while work:
        item, looks = work.pop()
        if isinstance(item, str):
            runs.append(Run(item, *looks))
            continue
        if (item is None or item.name in BLOCKS) and runs and not runs[-1].words.endswith("\n"):
            runs.append(Run("\n"))
        if item is None:
            continue
        if item.name == "quote":
            quotes.append(item)
            continue
        if item.name in BLOCKS:
            work.append((None, plain))  # its end
        work.extend((child, _looks_in(item, looks)) for child in reversed(item.children))
    return runs, quotes


def _looks_in(node: Node, around: _Looks) -> _Looks:
    """How words right in a node look; a value that means nothing changes nothing."""
    colour, size, font = around
    match node.name:
        case "color" if colour_of(node.value):
            return node.value, size, font
        case "size" if size_of(node.value):
            return colour, node.value, font
        case "font":
            return colour, size, node.value
    return around


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
