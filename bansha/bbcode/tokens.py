"""Cut a post into words and codes.

A code is `[name]`, `[name=value]` or `[/name]`, in any case, without blanks. A value that holds square brackets stands
in double quotes: `[quote="[M46]甲;12"]`. What is not one of our codes, or has a value where none belongs, is text.
The inside of `[code]` and `[img]` is text; without their end they are text themselves.
"""

import re
from typing import Literal, NamedTuple

PLAIN = frozenset({"b", "i", "u", "s", "*"})
"""Codes that take no value."""

VALUED = frozenset({"color", "backcolor", "size", "font", "align"})
"""Codes that need one."""

EITHER = frozenset({"quote", "url", "img", "list", "code", "hide", "table", "tr", "td"})
"""Codes that may have one."""

TAGS = PLAIN | VALUED | EITHER
"""Every code a post may use."""

RAW = frozenset({"code", "img"})
"""Codes whose inside is not read."""

FOREIGN = frozenset(
    {
        "attach", "attachimg", "audio", "email", "flash", "float", "free", "hr", "indent", "index", "media", "p",
        "page", "password", "postbg", "qq", "sub", "sup", "swf", "video",
    }
)  # fmt: skip
"""Codes of Discuz! that stay text here. Plain-text writings are refused for them all the same (C11)."""

_CODE = re.compile(r'\[(/?)([a-z]{1,12}|\*)(?:=("[^"\n]*"|[^\[\]\n]*))?\]', re.IGNORECASE | re.ASCII)
_ENDS = {name: re.compile(rf"\[/{name}\]", re.IGNORECASE | re.ASCII) for name in RAW}

Kind = Literal["text", "open", "close", "raw"]


class Token(NamedTuple):
    """A piece of a post. The `source` of all tokens, joined, is the text that was cut."""

    kind: Kind
    source: str
    name: str = ""
    value: str = ""
    inside: str = ""  # of a raw code


def tokenize(text: str) -> list[Token]:
    """Cut a text into tokens; two text tokens never stand side by side."""
    tokens: list[Token] = []
    endless: set[str] = set()  # raw codes of which no end follows
    start = search_from = 0  # text[start:] is not yet cut
    while found := _CODE.search(text, search_from):
        token = _token(text, found, endless)
        search_from = found.end()
        if token is None:
            continue
        if start < found.start():
            tokens.append(Token("text", text[start : found.start()]))
        tokens.append(token)
        start = search_from = found.start() + len(token.source)
    if start < len(text):
        tokens.append(Token("text", text[start:]))
    return tokens


def has_markup(text: str) -> bool:
    """Whether a text holds a code, ours or another one of Discuz!. Last words with codes are refused (C11)."""
    return bool(codes_in(text))


def codes_in(text: str) -> list[tuple[int, str]]:
    """The codes of a text, ours or other ones of Discuz!, in order, each with the number of its line."""
    known = TAGS | FOREIGN
    found: list[tuple[int, str]] = []
    line, read = 1, 0
    for match in _CODE.finditer(text):
        line += text.count("\n", read, match.start())
        read = match.start()
        if match[2].lower() in known:
            found.append((line, match[0]))
    return found


def _token(text: str, found: re.Match[str], endless: set[str]) -> Token | None:
    name, value = found[2].lower(), found[3]
    if found[1]:
        closes = name in TAGS and name not in RAW and name != "*" and value is None
        return Token("close", found[0], name) if closes else None
    if name not in TAGS or (value is None and name in VALUED) or (value is not None and name in PLAIN):
        return None
    value = value or ""
    if len(value) > 1 and value.startswith('"') and value.endswith('"'):
        value = value[1:-1]
    if name not in RAW:
        return Token("open", found[0], name, value)
    if name in endless:
        return None
    end = _ENDS[name].search(text, found.end())
    if end is None:
        endless.add(name)
        return None
    return Token("raw", text[found.start() : end.end()], name, value, text[found.end() : end.start()])
