"""The picture of a game: Chinese words take two cells each, and nothing is fetched from elsewhere."""

import html
import re

from rich.cells import cell_len

from tests.docs.pages import DOCS

PICTURE = (DOCS / "pictures" / "demo.svg").read_text("utf-8")
WORDS = re.compile(r'<text [^>]*textLength="([\d.]+)"[^>]*>([^<]*)</text>')


def test_words_are_as_wide_as_their_cells() -> None:
    found = [(float(width), cell_len(html.unescape(words))) for width, words in WORDS.findall(PICTURE)]
    widths = {width / cells for width, cells in found if cells}
    assert widths
    assert max(widths) - min(widths) < 0.01, "stretch each text to its cells: rich counts a Chinese character as one"


def test_nothing_is_fetched() -> None:
    assert not re.search(r"""(?:href|src)\s*=\s*["']https?:|url\(["']?https?:|@import""", PICTURE)
