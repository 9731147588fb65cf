"""Search in what was written, Chinese first: an index of our own tokens beside the posts, in SQLite (FTS5) and PostgreSQL.

A run of Chinese characters becomes its pairs and its last character alone, so that every character begins exactly one token:
预言家 → 预言 言家 家. A word of letters or digits is one token. A term of a query asks for its tokens one after the other; a
run that ends the term asks with its pairs only, a single character for every token that begins with it. What stands between
words (blanks, marks) is not looked at; between two Chinese characters it parts them. Terms are joined by "and".

Tokens are kept as ASCII letters and digits, so that neither database has anything to take apart. A long post is several rows
with overlapping tokens, because PostgreSQL keeps at most 256 places of a token in a row; a row's number is
`post * ROWS + part`. Nothing here knows who may read what: `found_in` narrows a list that `readable` has made.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.signals import post_save, pre_delete

from bansha.town.models import Post

ROWS = 1024
"""Rows a post may have in the index."""
PART = 240
"""Tokens a row holds."""
MOST_TOKENS = 40
"""Tokens of a term; also the overlap of two rows, so that no phrase falls between them."""
MOST_TERMS = 8
CJK = 0x2E80
"""From here on a letter is a character of its own; before it letters make words."""
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff")


class Token(NamedTuple):
    """A token and where it stands in the text: a word, a `pair` of Chinese characters, or the last one of a run (`single`)."""

    value: str
    start: int
    end: int
    pair: bool = False
    single: bool = False


class Term(NamedTuple):
    """A term of a query: its tokens, and whether the last one may go on (a single character)."""

    tokens: tuple[str, ...]
    prefix: bool


def settled(text: str) -> str:
    """A text as it is searched and shown in results: composed (NFC), so that places can be counted in it."""
    return unicodedata.normalize("NFC", text)


def tokens(text: str) -> list[Token]:
    """The tokens of a settled text, in order: one begins at each Chinese character, one at each word."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    run: list[tuple[str, int, int]] = []  # the Chinese characters or the letters since the last break
    cjk = False

    def ended() -> Iterator[Token]:
        if run and cjk:
            for here, after in pairwise(run):
                yield Token(_character(here[0]) + _character(after[0]), here[1], after[2], pair=True)
            yield Token(_character(run[-1][0]), run[-1][1], run[-1][2], single=True)
        elif run:
            yield Token(_word("".join(letter for letter, _, _ in run)), run[0][1], run[-1][2])
        run.clear()

    for at, written in enumerate(text):
        if written in INVISIBLE:
            continue
        for letter in unicodedata.normalize("NFKC", written).lower():
            if not letter.isalnum():
                yield from ended()
                continue
            if run and cjk != (ord(letter) >= CJK):
                yield from ended()
            cjk = ord(letter) >= CJK
            run.append((letter, at, at + 1))
    yield from ended()


def _character(letter: str) -> str:
    return f"c{ord(letter):x}k"


def _word(word: str) -> str:
    """A word as a token: readable where it is ASCII; what is too long for an index as its digest."""
    if len(word) > 100:
        return "h" + hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
    return f"w{word}" if word.isascii() else "u" + word.encode("utf-8", "surrogatepass").hex()


def terms(query: str) -> list[Term]:
    """The terms of a query; none when nothing in it can be searched for."""
    found = []
    for words in settled(query).split():
        wanted = tokens(words)
        if not wanted:
            continue
        alone = wanted[-1].single and not (len(wanted) > 1 and wanted[-2].pair)
        if wanted[-1].single and not alone:  # the pair before it holds it
            wanted.pop()
        found.append(Term(tuple(token.value for token in wanted), alone))
    return found


def too_much(asked: list[Term]) -> bool:
    """Whether a query is longer than the index can answer exactly."""
    return len(asked) > MOST_TERMS or any(len(term.tokens) > MOST_TOKENS for term in asked)


# --- the index -----------------------------------------------------------------------------------------------------

CREATE = {
    "sqlite": ["CREATE VIRTUAL TABLE town_search USING fts5(grams, tokenize='ascii')"],
    "postgresql": [
        "CREATE TABLE town_search (id bigint PRIMARY KEY, grams tsvector NOT NULL)",
        # what is put off until a list is full is a second that some writer has to wait
        "CREATE INDEX town_search_grams ON town_search USING gin (grams) WITH (fastupdate = off)",
    ],
}
"""How the index is made, by kind of database."""
DROP = "DROP TABLE town_search"

_INSERT = {
    "sqlite": "INSERT INTO town_search (rowid, grams) VALUES (%s, %s)",
    "postgresql": "INSERT INTO town_search (id, grams) VALUES (%s, to_tsvector('simple', %s))",
}
_DELETE = {
    "sqlite": "DELETE FROM town_search WHERE rowid >= %s AND rowid < %s",
    "postgresql": "DELETE FROM town_search WHERE id >= %s AND id < %s",
}
_MATCH = {
    "sqlite": f"SELECT rowid / {ROWS} FROM town_search WHERE town_search MATCH %s",
    "postgresql": f"SELECT id / {ROWS} FROM town_search WHERE grams @@ to_tsquery('simple', %s)",
}


def index(post: Post, new: bool = False) -> None:
    """Put a post's words into the index (what was there of it goes first, unless it is new)."""
    if not new:
        unindex(post.pk)
    grams = [token.value for token in tokens(settled(post.words))]
    step = PART - MOST_TOKENS
    rows = [(post.pk * ROWS + part, " ".join(grams[start : start + PART])) for part, start in enumerate(range(0, len(grams), step))]
    with connection.cursor() as cursor:
        for row in rows[:ROWS]:
            cursor.execute(_INSERT[connection.vendor], row)


def unindex(post: int) -> None:
    """Take a post out of the index."""
    with connection.cursor() as cursor:
        cursor.execute(_DELETE[connection.vendor], (post * ROWS, (post + 1) * ROWS))


def written(instance: Post, update_fields: Collection[str] | None = None, created: bool = False, **_: object) -> None:
    """A post was written: what it says can be found, from the same transaction on."""
    if update_fields is None or "words" in update_fields:
        index(instance, created)


def dropped(instance: Post, **_: object) -> None:
    """A post was dropped (a rebuild writes it anew)."""
    unindex(instance.pk)


def connect() -> None:
    """Let the index follow the posts."""
    post_save.connect(written, sender=Post, dispatch_uid="bansha.town.written")
    pre_delete.connect(dropped, sender=Post, dispatch_uid="bansha.town.dropped")


def refill() -> int:
    """Make the index anew from all posts. Returns their number."""
    count = 0
    for post in Post.objects.order_by("pk").iterator():
        index(post)
        count += 1
    return count


def _asked(term: Term) -> str:
    if connection.vendor == "sqlite":
        return f'"{" ".join(term.tokens)}"' + (" *" if term.prefix else "")
    return " <-> ".join(term.tokens) + (":*" if term.prefix else "")


def found_in(posts: QuerySet[Post], asked: list[Term]) -> QuerySet[Post]:
    """Those of these posts that hold every term; none for no terms."""
    if not asked or too_much(asked):
        return posts.none()
    for term in asked:
        posts = posts.filter(pk__in=RawSQL(_MATCH[connection.vendor], (_asked(term),)))
    return posts


# --- what is shown of a hit ----------------------------------------------------------------------------------------


def hits(text: str, asked: list[Term]) -> list[tuple[int, int]]:
    """Where the terms stand in a settled text, in order, without overlaps."""
    have = tokens(text)
    places: set[tuple[int, int]] = set()
    for term in asked:
        size = len(term.tokens)
        for first in range(len(have) - size + 1):
            window = have[first : first + size]
            if all(
                _is(token.value, want, term.prefix and n == size - 1)
                for n, (token, want) in enumerate(zip(window, term.tokens, strict=True))
            ):
                end = window[-1].start + 1 if term.prefix else window[-1].end
                places.add((window[0].start, end))
    found: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _is(have: str, want: str, prefix: bool) -> bool:
    return have.startswith(want) if prefix else have == want


def excerpt(words: str, asked: list[Term], around: int = 40) -> list[tuple[str, bool]]:
    """A post's words around its first hit, in pieces: the text and whether it is the hit."""
    text = settled(words)
    places = hits(text, asked)
    begin = max(0, places[0][0] - around) if places else 0
    end = min(len(text), (places[0][1] if places else 0) + 2 * around)
    pieces: list[tuple[str, bool]] = [("…", False)] if begin else []
    at = begin
    for start, stop in places:
        if start >= end:
            break
        pieces += [(text[at:start], False), (text[start:stop], True)]
        at = stop
    pieces.append((text[at:end] + ("…" if end < len(text) else ""), False))
    return [(piece, hit) for piece, hit in pieces if piece]
