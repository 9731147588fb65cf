"""`bansha rules`: what it prints, and one line on stderr with exit code 2 where it cannot."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bansha.cli.rules import app
from bansha.rulesets.load import bundled

FAULTS = Path(__file__).parents[1] / "faults"


def run(*args: str) -> Result:
    """The command's result; it must never be a traceback."""
    result = CliRunner().invoke(app, list(args))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_list_names_every_ruleset_with_its_seats() -> None:
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == bundled()
    assert any("m205 " in line and " 10 " in line and "普狼10人场" in line for line in lines)


@pytest.mark.parametrize(("form", "sign"), [("text", "====="), ("md", "## 一夜的时刻表"), ("html", "<section"), ("bbcode", "[table=98%]")])
def test_show_in_every_format(form: str, sign: str) -> None:
    result = run("show", "m205", "--format", form)
    assert result.exit_code == 0
    assert sign in result.stdout


def test_show_in_english_with_an_option() -> None:
    result = run("show", "m46", "--lang", "en", "-o", "weekend=extend", "--option", "day1_exile=no")
    assert "Day one only elects" in result.stdout
    assert "2 changed" in result.stdout


def test_show_a_file() -> None:
    result = run("show", str(FAULTS / "number-weight.yaml"))
    assert "放逐时计 1.3 票" in result.stdout


def test_brief_has_at_most_a_dozen_lines() -> None:
    lines = run("brief", "baichibai").stdout.splitlines()
    assert 0 < len(lines) <= 12
    assert all(line.startswith("〔") for line in lines)


def test_diff() -> None:
    assert run("diff", "m205", "m205").stdout == "没有差别\n"
    assert "Wolf gains the skills Shield order, Last fog" in run("diff", "m205-2026-summer", "m205", "--lang", "en").stdout


def test_schema_is_the_schema_of_the_model() -> None:
    schema = json.loads(run("schema").stdout)
    assert schema["$ref"] == "#/$defs/Ruleset"
    assert "not_consecutive" in schema["$defs"]["Skill"]["properties"]


def test_lint_says_that_there_is_nothing() -> None:
    result = run("lint", *bundled())
    assert (result.exit_code, result.stdout.count("no faults")) == (0, len(bundled()))


def test_lint_says_where_what_and_how_to_mend_it() -> None:
    file = str(FAULTS / "window-negative.yaml")
    result = run("lint", "m205", file)
    assert result.exit_code == 1
    assert f"{file}:6: window_shape: window: [-10, 30]; write two minutes after the close" in result.stdout


def test_lint_of_a_folder_is_a_summary() -> None:
    result = run("lint", str(FAULTS))
    count = len(list(FAULTS.glob("*.yaml")))
    assert result.stdout == f"{count} faults, {count} found at their line, 0 false on {len(bundled())} rulesets\n"
    assert result.exit_code == 0


def test_lint_of_a_folder_that_is_not_as_it_should_be(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("bansha: 1\nid: a\ninherits: vanilla\nname: {zh: 甲, en: A}  # fault: number\n", "utf-8")
    assert run("lint", str(tmp_path)).exit_code == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("show", "m99"), "no ruleset 'm99'; bundled are baichibai, m205"),
        (("brief", "m99"), "no ruleset 'm99'"),
        (("diff", "m205", "m99"), "no ruleset 'm99'"),
        (("lint", "m99"), "no ruleset 'm99'"),
        (("show", "m205", "--lang", "fr"), "languages are zh, en"),
        (("show", "m205", "--format", "pdf"), "formats are text, md, html, bbcode"),
        (("show", "m205", "-o", "mood=good"), "no option 'mood' in m205; options are close_early"),
        (("show", "m205", "-o", "weekend=maybe"), "weekend cannot be 'maybe'; values are extend, plain"),
        (("brief", "m205", "-o", "weekend"), "write name=value"),
        (("show", str(FAULTS / "file-repeated-key.yaml")), "file-repeated-key.yaml:7: the key 'last_words' stands twice"),
        (("show", str(FAULTS / "name-placeholder.yaml")), "skills.check.text: {last_words.number}"),
    ],
    ids=lambda value: " ".join(Path(word).name for word in value) if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_line_on_stderr(args: tuple[str, ...], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
