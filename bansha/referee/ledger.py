"""The journal's line: one accepted submission with the events it led to, chained by hash to the line before.

    {"n":1,"at":…,"by":"seat 3","key":"…","do":…,"events":[["voted",3,5],…],"hash":"<64 hex digits>"}

`hash` is SHA-256 over the hash of the line before (as text; 64 zeros before the first line) and all of this line that
stands before `,"hash"`. So a line is checked without being read as JSON, and any changed byte shows. docs/dealing.md
gives the format in full.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

START: Final = "0" * 64  # what stands for the hash of the line before the first

_OPEN: Final = b',"hash":"'
_SHUT: Final = b'"}'
_TAIL: Final = len(_OPEN) + len(START) + len(_SHUT)


class Damaged(ValueError):
    """A line that is not the one that was sealed: its number (from 1), what stands there and what should."""

    def __init__(self, line_number: int, found: str, right: str) -> None:
        super().__init__(line_number, found, right)
        self.line_number = line_number
        self.found = found
        self.right = right

    def __str__(self) -> str:
        return f"line {self.line_number}: found {self.found}, right would be {self.right}"


def seal(prev: str, n: int, at: int, by: str, key: str, do_json: bytes, events_json: bytes) -> tuple[bytes, str]:
    """Line `n` (from 1), without a newline, and its hash; `prev` is the hash of line n - 1, or START.

    `at` counts game-local minutes since 1970-01-01T00:00, `by` is who submitted ("seat 3", "director 1", "clock",
    "town"), `key` the submission's own key or "". `do_json` is the command and `events_json` the list of its events,
    each an array that begins with its kind, both as JSON text. Raises ValueError when one of them holds a newline, or
    `by` or `key` a lone surrogate.
    """
    if b"\n" in do_json or b"\n" in events_json:
        raise ValueError("a journal line cannot hold a newline")
    body = b'{"n":%d,"at":%d,"by":%b,"key":%b,"do":%b,"events":%b' % (
        n,
        at,
        json.dumps(by, ensure_ascii=False).encode(),
        json.dumps(key, ensure_ascii=False).encode(),
        do_json,
        events_json,
    )
    own = _hash(prev.encode(), body)
    return body + _OPEN + own + _SHUT, own.decode()


def check_chain(lines: Iterable[bytes], prev: str = START, first: int = 1) -> Iterator[bytes]:
    """The same lines (without newlines), each handed on once its number and hash are right.

    To check the tail of a journal alone, `prev` is the hash of the line before it and `first` the number it begins
    with. Raises Damaged at the first line that is not right; lines cut off at the end cannot show here.
    """
    before = prev.encode()
    for n, line in enumerate(lines, first):
        own = _hash(before, line[:-_TAIL])
        if line[-_TAIL:] != _OPEN + own + _SHUT or not line.startswith(b'{"n":%d,' % n):
            raise _damage(n, line, own.decode())
        before = own
        yield line


def _hash(before: bytes, body: bytes) -> bytes:
    return sha256(before + body).hexdigest().encode()


def _damage(n: int, line: bytes, own: str) -> Damaged:
    """Which of the three things that must hold does not: the number, the end of the line, the hash."""
    start = b'{"n":%d,' % n
    if not line.startswith(start):
        return Damaged(n, ascii(line[: len(start)]), ascii(start))
    if not (line[-_TAIL:].startswith(_OPEN) and line.endswith(_SHUT)):
        return Damaged(n, f"the end {ascii(line[-_TAIL:])}", f'the end ,"hash":"{own}"}}')
    return Damaged(n, f"the hash {line[-_TAIL:][len(_OPEN) : -len(_SHUT)].decode('ascii', 'backslashreplace')}", own)
