"""The picture of a demonstration game: drawn from the game itself, and nothing in it is fetched from elsewhere."""

import re
from pathlib import Path
from xml.etree import ElementTree

from tools import picture


def test_the_picture_fetches_nothing() -> None:
    committed = Path(picture.__file__).parent.parent / "docs" / "pictures" / "demo.svg"
    for svg in (picture.draw(), committed.read_text("utf-8")):
        ElementTree.fromstring(svg)
        assert "@font-face" not in svg
        assert not re.search(r"url\(\s*[\"']?(?!#)", svg)
        assert not re.search(r"(?:href|src)\s*=\s*[\"']https?:", svg)


def test_the_picture_shows_ballot_night_and_morning() -> None:
    svg = picture.draw()
    for word in ("放逐计票", "夜", "晨报", "【杀人】"):
        assert word in svg
