"""What stands in yaml on a page: cases hold, and pieces of rulesets are pieces of the ruleset file they speak of."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bansha.cases.read import read_text
from bansha.cases.run import Runner
from bansha.referee import archive, commands, events
from bansha.rulesets import model
from bansha.rulesets.yaml12 import read as read_yaml
from tests.docs.pages import PAGES, code_lines, fences, name, prose, read

BLOCKS = [
    pytest.param(page, content, id=f"{name(page)}-{number}")
    for page in PAGES
    for number, (language, content) in enumerate(fences(read(page)), 1)
    if language == "yaml"
]
INDENTED = re.compile(r"^    (?=[\w-]+:).*\n(?:(?:    .*)?\n)*", re.MULTILINE)
WITH_A_CASE = ("night", "settlement", "aftermath", "ballots", "victory", "conduct", "calendar", "director", "cases")


@pytest.mark.parametrize(("page", "content"), BLOCKS)
def test_yaml_on_a_page_holds(page: Path, content: str) -> None:
    value = read_yaml(content).value
    if isinstance(value, dict) and "steps" in value:
        Runner(read_text(content, name(page), page.parent)).run()


@pytest.mark.parametrize("page", WITH_A_CASE)
def test_a_mechanism_ends_with_a_case(page: str) -> None:
    language, content = fences(read(page))[-1]
    assert language == "yaml"
    assert "steps:" in content


SECTIONS: dict[str, Any] = {
    "night": list[model.Stage],
    "settlement": list[model.Line],
    "aftermath": list[model.Line],
    "victory": model.Victory,
}


def test_pieces_of_rulesets_are_typed_as_the_model_says() -> None:
    seen = set()
    for page in PAGES:
        for block in INDENTED.findall(prose(read(page))):
            section = block.strip().partition(":")[0]
            if section in SECTIONS:
                value = read_yaml("\n".join(line[4:] for line in block.splitlines()).strip()).value
                msgspec.convert(value[section], SECTIONS[section], strict=True)
                seen.add(section)
    assert seen == set(SECTIONS)


def test_the_line_of_a_journal_is_one() -> None:
    (text,) = [line for line in code_lines(read("journal")) if line.startswith('{"n"')]
    line = msgspec.json.decode(text, type=archive.Line)
    assert archive.command_of(line) == commands.Vote(3, 0, 5)
    assert line.events == [events.VoteCast(3, 0, 5, 0, 0)]
