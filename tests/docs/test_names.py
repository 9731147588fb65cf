"""Clauses, verbs, lines, acts and codes that the pages name are those of the code, and the pages leave none out."""

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from bansha.cases import read as cases
from bansha.referee import aftermath, director, judge, reading, settlement, victory
from bansha.rulesets.load import bundled, load
from bansha.rulesets.model import Badge, Ballots, Cards
from bansha.rulesets.sheet import clause_ids
from tests.docs.pages import DOCS, PAGES, ROOT, first_words, name, prose, read, table, words
from tools import reference

NUMBERED = re.compile(r"(?<![\w+/.-])([ABCDGMNPTVW][1-9]\d?)(?![\w-])")
DOTTED = re.compile(r"`((?:victory|settle|after|skill|conduct)\.[\w.]+)`")
RANGE = re.compile(r"(?<![\w+/.-])([ABCDGMNPTVW])([1-9]\d?)–\1?(\d\d?)(?![\w-])")
TEXTS = [*PAGES, *sorted(path for room in ("referee", "sight", "cases", "rulesets") for path in (ROOT / "bansha" / room).rglob("*.py"))]
MECHANISMS = ("night", "settlement", "aftermath", "ballots", "victory", "conduct", "calendar", "director", "sight", "journal")


@pytest.fixture(scope="module")
def clauses() -> set[str]:
    """Every clause id of every bundled ruleset."""
    return {id for ruleset in bundled() for id in clause_ids(load(ruleset).ruleset)}


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_every_clause_named_exists(page: Path, clauses: set[str]) -> None:
    text = page.read_text("utf-8")
    named = set(NUMBERED.findall(text))
    for letter, low, high in RANGE.findall(text):
        assert int(low) < int(high)
        named |= {f"{letter}{number}" for number in (low, high)}
    if page.suffix == ".md":
        named |= {id for id in DOTTED.findall(text) if not id.endswith(".")}
    assert not named - clauses


@pytest.mark.parametrize("page", MECHANISMS)
def test_a_mechanism_names_its_clauses_and_its_code(page: str) -> None:
    text = read(page)
    assert re.search(r"^Keeps .*[A-Z]\d", text, re.MULTILINE)
    assert re.search(r"`bansha/[\w/]+\.py`", text)


def test_the_reference_is_what_the_code_says() -> None:
    assert read("reference") == reference.page(), "run python tools/reference.py"


def test_tables_of_names_are_whole() -> None:
    assert first_words(read("settlement"), "line") == set(settlement.LINES)
    assert first_words(read("aftermath"), "line") == set(aftermath.ON_OUT)
    assert first_words(read("victory"), "`when`") == set(victory.CONDITIONS)
    assert first_words(read("director"), "act") == set(director.ACTS)
    assert first_words(read("ballots"), "fault") == set(reading.FAULTS)
    assert first_words(read("architecture"), "function") >= {"decide(state, command, now, dice)", "due(state)"}


def test_the_format_of_cases_is_whole() -> None:
    keys = [{word for row in rows for word in words(row[0])} for rows in _tables(read("cases"), "key")]
    assert keys == [set(cases.HEADER), set(cases.STEPS), set(cases.EXPECT)]
    assert set(cases.ACTS) <= first_words(read("director"), "act")


def _tables(text: str, head: str) -> list[list[list[str]]]:
    """All tables of a page whose first column has this head."""
    found = []
    while f"| {head} |" in text:
        text = text[text.index(f"| {head} |") :]
        found.append(table(text, head))
        text = text[len(head) + 4 :]
    return found


def test_policies_of_red_cards_are_whole() -> None:
    assert first_words(read("ballots"), "policy") == set(get_args(get_type_hints(Cards)["red"]))
    ties = {(row[0], word) for row in table(read("ballots"), "tie") for word in words(row[1])}
    assert {tie for ballot, tie in ties if ballot == "exile"} == set(get_args(get_type_hints(Ballots)["exile_tie"]))
    assert {tie for ballot, tie in ties if ballot == "election"} == set(get_args(get_type_hints(Ballots)["election_tie"]))
    assert "random" in get_args(get_type_hints(Badge)["silence"])


def test_the_doors_are_as_written() -> None:
    assert judge.decide.__code__.co_varnames[:4] == ("s", "command", "now", "dice")
    assert judge.tick.__code__.co_varnames[:2] == ("s", "dice")


def test_the_readme_lists_every_ruleset() -> None:
    for page in ("README.md", "README.zh-CN.md"):
        named = set(re.findall(r"`([\w-]+)`", (ROOT / page).read_text("utf-8")))
        assert set(bundled()) - named <= {"m205-2026-summer"}, page


def test_no_page_is_named_that_belongs_to_a_later_stage() -> None:
    pages = {page.name for page in DOCS.glob("*.md")}
    assert not {word for page in PAGES for word in re.findall(r"docs/([\w-]+\.md)", prose(read(page)))} - pages
