"""Lint finds every planted fault at its line, nothing on the rulesets that come with bansha, and never falls over."""

import re
from pathlib import Path

import pytest

from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets.lint import CODES, Fault, Vocabulary, lint, lint_faults, lint_file, planted
from bansha.rulesets.load import bundled, load
from tools.rename_mutator import Mutant, changed, plain_of

FAULTS = Path(__file__).parents[1] / "faults"
FILES = sorted(FAULTS.glob("*.yaml"))


def made(id: str, *changes: tuple[tuple[str | int, ...], object]) -> list[Fault]:
    """The faults of a bundled ruleset with some values changed."""
    of = load(id)
    plain = plain_of(of.ruleset)
    for path, value in changes:
        plain = changed(plain, path, value)
    return lint(Mutant((), "changed", plain).load(of), VOCABULARY)


def codes(faults: list[Fault]) -> list[str]:
    """Their codes."""
    return [fault.code for fault in faults]


# ── planted faults ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_planted_fault_is_found_at_its_line_and_nothing_else() -> None:
    summary, good = lint_faults(FAULTS, VOCABULARY)
    print(summary)
    count, rulesets = len(FILES), len(bundled())
    assert (summary, good) == (f"{count} faults, {count} found at their line, 0 false on {rulesets} rulesets", True)
    assert count >= 40


def test_every_kind_of_fault_is_planted() -> None:
    marks = {code for file in FILES for _, code in planted(file)}
    assert set(CODES) - marks == {"unreadable"}
    assert marks <= set(CODES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_planted_file_has_one_fault_and_says_which(file: Path) -> None:
    assert len(planted(file)) == 1
    assert file.read_text("utf-8").startswith("# ")
    (fault,) = lint_file(file, VOCABULARY)
    assert re.fullmatch(r".+:\d+: \w+: .+; .+", str(fault))
    assert not re.search(r"\n", str(fault))


def test_a_fault_that_is_not_found_spoils_the_summary(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("bansha: 1\nid: a\ninherits: vanilla\nlast_words: {count: 0}  # fault: number\n", "utf-8")
    summary, good = lint_faults(tmp_path, VOCABULARY)
    assert summary == f"1 faults, 0 found at their line, 0 false on {len(bundled())} rulesets"
    assert not good


def test_a_fault_that_is_not_marked_counts_as_false(tmp_path: Path) -> None:
    text = "bansha: 1\nid: a\ninherits: vanilla\nlast_words: {count: -1}  # fault: number\npetitions: {closing_minutes: -1}\n"
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    summary, good = lint_faults(tmp_path, VOCABULARY)
    assert summary == f"1 faults, 1 found at their line, 1 false on {len(bundled())} rulesets"
    assert not good


def test_an_empty_folder_proves_nothing(tmp_path: Path) -> None:
    assert lint_faults(tmp_path, VOCABULARY)[1] is False


@pytest.mark.parametrize("id", bundled())
def test_the_bundled_rulesets_have_no_faults(id: str) -> None:
    assert [str(fault) for fault in lint(load(id), VOCABULARY)] == []


# ── what is no fault ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_two_skills_may_share_a_name_in_different_hands() -> None:
    names = {skill.name.zh for skill in load("baichibai").ruleset.skills.values()}
    assert len(names) < len(load("baichibai").ruleset.skills)
    both = made("baichibai", (("roles", "prophet", "skills"), ["judge", "cult_judge"]))
    assert "duplicate_name" in codes(both)


def test_a_later_stage_may_close_before_an_earlier_one() -> None:
    windows = [stage.window for stage in load("m46").ruleset.night]
    assert windows[4][1] < windows[3][1]
    assert made("m46", (("night", 4, "window"), [0, 30])) == []


def test_a_weight_of_a_half_is_a_number() -> None:
    assert made("m46", (("badge", "weight"), 1.5)) == []
    assert codes(made("m46", (("badge", "weight"), 1.25))) == ["number"]


def test_a_shorter_window_is_no_fault() -> None:
    assert made("vanilla", (("night", 0, "window"), [0, 720])) == []
    assert codes(made("vanilla", (("night", 0, "window"), [0, 721]))) == ["window_outside"]


def test_clause_ids_and_placeholders_are_no_figures() -> None:
    text = ("clauses", "vanilla.night.1", "text", "zh")
    assert made("vanilla", (text, "见 C21、N1–N3；至多 {assistants.games} 局。")) == []
    assert codes(made("vanilla", (text, "见 C21，至多 3 局。"))) == ["text_digits"]


def test_examples_and_logs_may_hold_figures() -> None:
    assert made("m46", (("conduct", "8.1", "example", "zh"), "我数到 3。")) == []


# ── the words of a fault ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_misspelt_name_gets_the_right_one_as_remedy() -> None:
    (fault,) = made("m205", (("skills", "antidote", "loses"), ["vison"]))
    assert fault.code == "unknown_skill"
    assert fault.remedy.startswith("perhaps vision? legal are: ")
    assert fault.line == load("m205").place(("skills", "antidote", "loses", 0))[1]
    assert fault.file.endswith("m205-2026-summer.yaml")


def test_the_vocabulary_decides_which_functions_exist() -> None:
    few = Vocabulary(
        verbs=frozenset({"attack"}),
        settlement=frozenset(),
        aftermath=frozenset(),
        conditions=VOCABULARY.conditions,
        options=VOCABULARY.options,
        pattern_check=lambda pattern: None,
    )
    assert {fault.code for fault in lint(load("vanilla"), few)} == {"unknown_line"}
    none = Vocabulary(frozenset(), few.settlement, few.aftermath, frozenset(), {}, few.pattern_check)
    assert {"unknown_verb", "unknown_condition", "unknown_option"} <= set(codes(lint(load("vanilla"), none)))


# ── files that cannot be loaded ──────────────────────────────────────────────────────────────────────────────────────


def test_a_missing_file_is_a_fault(tmp_path: Path) -> None:
    (fault,) = lint_file(tmp_path / "none.yaml", VOCABULARY)
    assert fault.code == "inherits"
    assert "give a path to a file" in fault.remedy or "bundled are" in fault.what + fault.remedy


def test_a_file_that_is_no_text_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "bytes.yaml"
    file.write_bytes(b"bansha: \xff\xfe")
    (fault,) = lint_file(file, VOCABULARY)
    assert (fault.code, fault.line) == ("unreadable", 1)


@pytest.mark.parametrize(
    "text", ["", "- a\n- b\n", "just words\n", "{", "&a [*a]\n", "a: 1\n---\nb: 2\n", "? [x]\n: 1\n", "inherits: vanilla\n"]
)
def test_whatever_a_file_holds_lint_answers(text: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(text, "utf-8")
    for fault in lint_file(file, VOCABULARY):
        assert fault.code in CODES and fault.line >= 1 and fault.remedy
