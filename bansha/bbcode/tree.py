"""Nest the codes of a post, forgiving what players get wrong.

- What is left open ends with the block around it, at the latest with the post.
- Formats that overlap, `[b]1[i]2[/b]3[/i]`, are cut and taken up again: 3 stays slanted.
- The end of a code that an earlier end has already closed is dropped; an end that never had a beginning is text.
- A quote is a wall: only `[/quote]` ends it, and nothing inside it ends anything outside.
- Words between the rows of a table or before the first point of a list get a cell or a point of their own.
- Nesting stops at MAX_DEPTH: codes deeper down are still paired, but what they hold stands in the node around them.
  Only the outermost quote still gets its node there, so that quoted words never pass for the author's.

Nothing here calls itself, and no step looks twice at what it has passed: time is linear in the text.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bansha.bbcode.tokens import tokenize

MAX_DEPTH = 40
"""Nodes inside nodes, the root not counted (a quote may be one deeper)."""

FORMATS = frozenset({"b", "i", "u", "s", "color", "backcolor", "size", "font", "url", "hide"})
"""Nodes that stand in a line."""

BLOCKS = frozenset({"quote", "list", "item", "table", "tr", "td", "align", "code"})
"""Nodes that stand on lines of their own."""

_TAKEN_UP = 4  # formats taken up again after one that overlapped them; more would let a short post grow long
_ROOM_INSIDE = {"table": 3, "list": 2}  # a table needs room for row and cell, a list for its points


@dataclass(slots=True)
class Node:
    """A code and what stands in it: words and nodes in order. The root is a node without a name."""

    name: str
    value: str = ""
    children: list["Node | str"] = field(default_factory=list)
    holds_block: bool = False  # a format with a block in it cannot stand in a paragraph


def parse(text: str) -> Node:
    """Read a post; every text has a tree. Line ends become `\\n`."""
    builder = _Builder()
    for token in tokenize(text.replace("\r\n", "\n").replace("\r", "\n")):
        match token.kind:
            case "text":
                builder.write(token.source)
            case "raw":
                builder.leaf(token.name, token.value, token.inside)
            case "open":
                builder.open(token.name, token.value, token.source)
            case "close":
                builder.close(token.name, token.source)
    return builder.end()


@dataclass(slots=True)
class _Open:
    """A code not yet closed. Those without a node of their own write into the nearest node around them."""

    name: str
    value: str
    own: bool
    formats: Counter[str] = field(default_factory=Counter)  # of a block: formats open right in it
    owed: Counter[str] = field(default_factory=Counter)  # of a block: ends still to come for what was cut


class _Builder:
    def __init__(self) -> None:
        root = _Open("", "", own=True)
        self.nodes = [Node("")]  # the root and the nodes being written, innermost last
        self.open_codes = [root]
        self.blocks = [root]
        self.quotes: list[Counter[str]] = [Counter()]  # of the root and of each open quote: blocks open in it
        self.walls: list[_Open] = []  # open lists, tables, cells and quotes
        self.buffer: list[str] = []  # words for the innermost node
        self.after_block = False  # a line end now only ends the block's line

    def write(self, words: str) -> None:
        """Put words where we are."""
        if self.open_codes[-1].name in ("list", "table", "tr") and not words.strip():
            return
        self._make_room()
        if self.after_block:
            words = words.removeprefix("\n")
            self.after_block = False
        self.buffer.append(words)

    def leaf(self, name: str, value: str, inside: str) -> None:
        """Put a code whose inside is not read where we are."""
        self._make_room()
        self._push(name, value)
        self.write(inside)
        self._pop()

    def open(self, name: str, value: str, source: str) -> None:
        """Begin a code."""
        wall = self.walls[-1].name if self.walls else ""
        match name:
            case "*":
                if wall != "list":
                    return self.write(source)
                cut = self._pop_down_to(self.walls[-1])
                self._push("item", value)
            case "tr":
                if wall not in ("table", "td"):
                    return self.write(source)
                cut = self._pop_down_to(self.walls[-1 if wall == "table" else -2])
                self._push("tr", value)
            case "td":
                if wall not in ("table", "td"):
                    return self.write(source)
                cut = self._pop_to_row()
                self._push("td", value)
            case _:
                self._make_room()
                self._push(name, value)
                return None
        self.blocks[-1].owed.update(cut)
        return None

    def close(self, name: str, source: str) -> None:
        """End a code: the nearest one of that name that this end can reach."""
        block = self.blocks[-1]
        if not self._reaches(name):
            if block.owed[name] > 0:
                block.owed[name] -= 1
            else:
                self.write(source)
            return
        cut: list[_Open] = []
        while self.open_codes[-1].name != name:
            cut.append(self._pop())
        self._pop()
        again = cut[:_TAKEN_UP] if name in FORMATS else []
        self.blocks[-1].owed.update(_ends(cut[len(again) :]))
        for code in reversed(again):
            self._push(code.name, code.value)

    def end(self) -> Node:
        """Close everything."""
        while len(self.open_codes) > 1:
            self._pop()
        self._flush()
        return self.nodes[0]

    def _reaches(self, name: str) -> bool:
        """Whether an end here belongs to something open: a format in this block, a block in this quote."""
        if name == "quote":
            return len(self.quotes) > 1
        around = self.blocks[-1].formats if name in FORMATS else self.quotes[-1]
        return around[name] > 0

    def _make_room(self) -> None:
        """Words in a list or table outside its points and cells get a point or cell."""
        match self.open_codes[-1].name:
            case "list":
                self._push("item", "")
            case "table":
                self._push("tr", "")
                self._push("td", "")
            case "tr":
                self._push("td", "")

    def _pop_to_row(self) -> list[str]:
        """Go up to the row a new cell belongs to, beginning one where there is none."""
        cut: list[str] = []
        if self.walls[-1].name == "td":
            cut = self._pop_down_to(self.walls[-1])
            self._pop()
        if self.open_codes[-1].name == "table":
            self._push("tr", "")
        return cut

    def _pop_down_to(self, code: _Open) -> list[str]:
        """Close everything inside `code`; the names whose ends may still come."""
        cut: list[_Open] = []
        while self.open_codes[-1] is not code:
            cut.append(self._pop())
        return _ends(cut)

    def _push(self, name: str, value: str) -> None:
        depth = len(self.nodes) - 1
        if name in ("tr", "td", "item"):
            own = self.open_codes[-1].own
        elif name == "quote":
            own = depth < MAX_DEPTH or len(self.quotes) == 1
        else:
            own = depth + _ROOM_INSIDE.get(name, 1) <= MAX_DEPTH
        is_block = name in BLOCKS
        if own:
            self._flush(before_block=is_block)
            node = Node(name, value)
            self.nodes[-1].children.append(node)
            if is_block:
                for around in reversed(self.nodes):
                    if around.name not in FORMATS or around.holds_block:
                        break
                    around.holds_block = True
            self.nodes.append(node)
        elif is_block:
            self.buffer.append("\n")
        code = _Open(name, value, own)
        self.open_codes.append(code)
        if is_block:
            self.after_block = own
            self.blocks.append(code)
            self.quotes[-1][name] += 1
            if name == "quote":
                self.quotes.append(Counter())
            if name in ("list", "table", "td", "quote"):
                self.walls.append(code)
        else:
            self.blocks[-1].formats[name] += 1

    def _pop(self) -> _Open:
        """Close the innermost code."""
        code = self.open_codes.pop()
        is_block = code.name in BLOCKS
        if code.own:
            self._flush(before_block=is_block)
            self.nodes.pop()
        elif is_block:
            self.buffer.append("\n")
        if is_block:
            self.after_block = code.own
            self.blocks.pop()
            if code.name == "quote":
                self.quotes.pop()
            self.quotes[-1][code.name] -= 1
            if self.walls and self.walls[-1] is code:
                self.walls.pop()
        else:
            self.blocks[-1].formats[code.name] -= 1
        return code

    def _flush(self, *, before_block: bool = False) -> None:
        words = "".join(self.buffer)
        self.buffer.clear()
        if before_block:
            words = words.removesuffix("\n")
        if words:
            self.nodes[-1].children.append(words)


def _ends(cut: Iterable[_Open]) -> list[str]:
    """Names of which an end may still come: all but the points of a list, which have none."""
    return [code.name for code in cut if code.name != "item"]
