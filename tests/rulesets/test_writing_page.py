"""docs/writing-a-ruleset.md names every field of the model and every fault, and its examples load and have no faults."""

import re
from pathlib import Path

import msgspec
import pytest

from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets import model
from bansha.rulesets.lint import CODES, lint
from bansha.rulesets.load import load
from bansha.rulesets.phrases import SECTIONS

PAGE = (Path(__file__).parents[2] / "docs" / "writing-a-ruleset.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```yaml\n(# over ([\w-]+)\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROSE = re.sub(r"^```yaml\n.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
STRUCTS = [value for value in vars(model).values() if isinstance(value, type) and issubclass(value, msgspec.Struct)]
UNUSED = {"Brief"}  # no field of a ruleset has this type


@pytest.mark.parametrize("field", [name for name in model.Skill.__struct_fields__ if name != "name"])
def test_every_flag_of_a_skill_is_named(field: str) -> None:
    assert f"`{field}`" in PROSE or re.search(rf"^ +{field}: ", PAGE, re.MULTILINE)


@pytest.mark.parametrize("struct", [struct.__name__ for struct in STRUCTS if struct.__name__ not in UNUSED])
def test_every_field_of_the_model_is_named_or_shown(struct: str) -> None:
    fields = getattr(model, struct).__struct_fields__
    missing = [name for name in fields if f"`{name}`" not in PROSE and not re.search(rf"\b{name}:", "".join(text for text, _ in EXAMPLES))]
    assert missing == []


def test_every_section_of_a_ruleset_has_an_example() -> None:
    shown = {word for text, _ in EXAMPLES for word in re.findall(r"^(\w+):", text, re.MULTILINE)}
    assert set(model.Ruleset.__struct_fields__) - shown <= {"source"}


@pytest.mark.parametrize(("text", "base"), EXAMPLES, ids=[f"{number}-{base}" for number, (_, base) in enumerate(EXAMPLES, 1)])
def test_every_example_loads_and_has_no_faults(text: str, base: str, tmp_path: Path) -> None:
    file = tmp_path / "example.yaml"
    head = "" if "inherits:" in text else f"bansha: 1\nid: example\ninherits: {base}\n"
    file.write_text(head + text, "utf-8")
    loaded = load(str(file))
    assert loaded.ruleset != load(base).ruleset
    assert [str(fault) for fault in lint(loaded, VOCABULARY)] == []


def test_there_are_examples_to_hold() -> None:
    assert len(EXAMPLES) >= 12
    assert len(re.findall(r"^```yaml$", PAGE, re.MULTILINE)) == len(EXAMPLES)


def test_the_table_of_faults_is_whole() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", PAGE.partition("## What lint finds")[2], re.MULTILINE))
    assert rows == CODES


def test_the_sections_of_the_sheet_are_listed() -> None:
    listed = re.search(r"stands in a `section` of the sheet \((.*?)\)", PAGE, re.DOTALL)
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed[1]) == list(SECTIONS)
