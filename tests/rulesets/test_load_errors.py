"""A file that cannot be used: the error names file, line, what was found and what would be legal."""

from pathlib import Path

import pytest

from bansha.rulesets.load import RulesetError, load

HEAD = "bansha: 1\nid: mine\ninherits: vanilla\n"


def refused(text: str, tmp_path: Path) -> RulesetError:
    """The error that a file with this text is refused with."""
    file = tmp_path / "mine.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(RulesetError) as caught:
        load(str(file))
    error = caught.value
    assert error.file == str(file)
    assert str(error) == f"{error.file}:{error.line}: {error.what}"
    return error


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        ("last_words: {count: 1}\nlast_words: {count: 2}\n", 5, "the key 'last_words' stands twice; keep one of them"),
        ("roles:\n  wolf:\n    count: 1\n    count: 2\n", 7, "the key 'count' stands twice"),
        ("rolez: {}\n", 4, "unknown field `rolez`"),
        ("skills:\n  kill:\n    verb: attack\n    limitted: true\n", 7, "unknown field `limitted` (in skills.kill.limitted)"),
        ("night:\n  - {stage: [kill], window: [0, 30], minutes: 3}\n", 5, "unknown field `minutes` (in night.0.minutes)"),
        ("last_words:\n  count: three\n", 5, "Expected `int`, got `str` (in last_words.count)"),
        ("roles:\n  wolf: {count: 2.5}\n", 5, "Expected `int`, got `float` (in roles.wolf.count)"),
        ("roles:\n  wolf:\n    count: 2\n    flexible: maybe\n", 7, "Expected `bool`, got `str` (in roles.wolf.flexible)"),
        ("ballots:\n  exile_tie: coin\n", 5, "Invalid enum value 'coin' (in ballots.exile_tie)"),
        ("skills:\n  nap: {name: {zh: 打盹, en: Nap}, verb: mark}\n", 5, "missing required field `text` (in skills.nap.text)"),
        ("settlement: null\n", 4, "missing required field `settlement`"),
        ("night: 3\n", 4, "Expected `array`, got `int` (in night)"),
        ("skills:\n  kill:\n    shows: [1]\n", 6, "Expected `str`, got `int` (in skills.kill.shows.0)"),
        ("surrender: wolves\n", 4, "Expected `object | null`, got `str` (in surrender)"),
        ("surrender: {faction: 3}\n", 4, "Expected `str`, got `int` (in surrender.faction)"),
        ("about: [unclosed\nname: {zh: 甲, en: A}\n", 5, "not YAML 1.2"),
        ("bad: *alias\n", 4, "not YAML 1.2"),
        ("last_words: {count: " + "9" * 5000 + "}\n", 4, "a number of 5000 characters; at most 18"),
    ],
)
def test_where_and_what(body: str, line: int, what: str, tmp_path: Path) -> None:
    error = refused(HEAD + body, tmp_path)
    assert (error.line, what in error.what) == (line, True), error


def test_legal_files_load(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(HEAD + "last_words: {count: 1}\ncalendar: {opens: 08:00}\n", "utf-8")
    rules = load(str(file)).ruleset
    assert (rules.last_words.count, rules.calendar.opens, rules.calendar.closes) == (1, "08:00", "21:00")


def test_inherits_what_is_not_there(tmp_path: Path) -> None:
    error = refused("bansha: 1\nid: mine\ninherits: m999\n", tmp_path)
    assert error.line == 3
    assert "no ruleset 'm999'; bundled are baichibai, m205" in error.what


def test_inherits_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(HEAD.replace("mine", "base") + "last_words: {count: 2}\n", "utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text("bansha: 1\nid: mine\ninherits: base.yaml\n", "utf-8")
    assert load(str(mine)).ruleset.last_words.count == 2
    assert load(str(mine)).place(("last_words", "count"))[0] == str(tmp_path / "base.yaml")


def test_inherits_itself(tmp_path: Path) -> None:
    assert "circle" in refused("bansha: 1\nid: mine\ninherits: mine.yaml\n", tmp_path).what


def test_an_error_in_what_is_inherited_is_named_there(tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text(HEAD.replace("mine", "base") + "last_words: {count: two}\n", "utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text("bansha: 1\nid: mine\ninherits: base.yaml\n", "utf-8")
    with pytest.raises(RulesetError) as caught:
        load(str(mine))
    assert (caught.value.file, caught.value.line) == (str(base), 4)


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "word\n"])
def test_no_mapping(text: str, tmp_path: Path) -> None:
    assert "mapping" in refused(text, tmp_path).what


def test_words_of_yaml_11_stay_words(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(HEAD + "calendar: {closes: 21:30}\noptions: {close_early: {default: no}}\n", "utf-8")
    rules = load(str(file)).ruleset
    assert rules.calendar.closes == "21:30"
    assert rules.options["close_early"].default == "no"


def test_no_such_ruleset() -> None:
    with pytest.raises(RulesetError, match=r"no ruleset 'nope'; bundled are baichibai, .* or give a path to a file"):
        load("nope")


def test_places_repeat_the_name_a_file_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.yaml").write_text(HEAD, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert load("mine.yaml").place(("id",)) == ("mine.yaml", 2)
    assert load(str(tmp_path / "mine.yaml")).place(("id",)) == (str(tmp_path / "mine.yaml"), 2)
