"""The picture of a game is drawn with the reader's own fonts: nothing is fetched from elsewhere."""

import re

from tests.docs.pages import DOCS


def test_nothing_is_fetched() -> None:
    for picture in (DOCS / "pictures").glob("*.svg"):
        drawn = picture.read_text("utf-8")
        assert not re.search(r"""(?:href|src)\s*=\s*["']https?:|url\(["']?https?:|@import|@font-face""", drawn), picture.name
