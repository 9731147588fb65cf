"""Texts mangled at random: a good one with pieces cut out, doubled, moved, or replaced by what has hurt other programs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from hypothesis import strategies as st

NASTY = (
    "", "\0", "\ufeff", "\u202e", "\u2028", "\ud7ff", "𝄞", "é\u0301\u0301\u0301", "﷽", "9" * 5000, "-1", "1e999", ".inf", ".nan", "~",
    "null", "true", "[", "]", "{", "}", ": ", "- ", "#", "&a ", "*a", "<<: ", "!!python/name:os.system ", "|\n", ">\n", "---\n", "...\n",
    "\t", "\r", "\r\n", "'", '"', "\\", "%s", "{0}", "[quote]", "[/quote]", "[b]", "[/b]", "[code]", "[url=", "[color=#ff0000]",
    "[size=7]", "[*]", "[[[[", "]]]]", "投票对象：", "投票对象:", "投票原因：", "改投", "弃权", "@", "＠", "：", "，", "１２", "0", "1",
    "999999999999", "<script>", "&#x0;", "javascript:", "../", "x" * 3000,
)  # fmt: skip
"""Pieces that have hurt readers of text."""


@st.composite
def mangled(draw: st.DrawFn, good: list[str]) -> str:
    """One of the good texts after one to six changes."""
    text = draw(st.sampled_from(good))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        to = min(len(text), at + draw(st.integers(0, 40)))
        piece = draw(st.sampled_from(NASTY) | st.text(max_size=8))
        match draw(st.sampled_from(("cut", "double", "put", "replace", "move", "line"))):
            case "cut":
                text = text[:at] + text[to:]
            case "double":
                text = text[:to] + text[at:]
            case "put":
                text = text[:at] + piece + text[at:]
            case "replace":
                text = text[:at] + piece + text[to:]
            case "move":
                text = text[to:] + text[at:to] + text[:at]
            case _:
                lines = text.splitlines(keepends=True) or [""]
                one, two = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
                lines[one], lines[two] = lines[two], lines[one]
                text = "".join(lines)
    return text


def cpu(work: Callable[[], object]) -> float:
    """The least CPU seconds of three runs, what is collected of other tests' memory apart."""
    best = 1e9
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            started = time.process_time()
            work()
            best = min(best, time.process_time() - started)
    finally:
        gc.enable()
    return best


def grows(read: Callable[[str], object], text: Callable[[int], str], size: int) -> float:
    """How many times longer a text four times as long takes: 4 for linear time, 16 for square. A reading shorter than a few
    milliseconds says nothing and counts as linear."""
    small, large = text(size), text(4 * size)
    one = cpu(lambda: read(small))
    four = cpu(lambda: read(large))
    return four / max(one, 0.002)
