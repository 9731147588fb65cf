"""docs/architecture.md: its table of rooms is the contract in pyproject.toml, and the rooms that exist."""

import tomllib

from tests.docs.pages import ROOT, read, table, words

Rooms = dict[str, tuple[set[str], set[str]]]


def of_the_page() -> Rooms:
    """Room → what it may import, and what is taken out of that."""
    rows = table(read("architecture"), "room")
    return {words(row[0])[0].removeprefix("bansha/").rstrip("/"): (set(words(row[2])), set(words(row[3]))) for row in rows}


def of_the_contract() -> Rooms:
    """The same of pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    rooms: Rooms = {}
    for line in settings["tool"]["importlinter"]["contracts"][0]["rooms"]:
        room, _, rest = line.partition(":")
        names = rest.split()
        rooms[room] = ({n for n in names if n[0] != "-"}, {n[1:] for n in names if n[0] == "-"})
    return rooms


def test_the_page_shows_the_contract() -> None:
    assert of_the_page() == of_the_contract()


def test_every_room_of_the_page_exists() -> None:
    # that a room without a line is refused, the contract itself sees to
    there = {path.name for path in (ROOT / "bansha").iterdir() if any(path.glob("*.py"))}
    assert set(of_the_page()) <= there
