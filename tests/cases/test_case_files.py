"""Every case file holds: ours in this folder, and those of the shared folder where one lies beside the checkout."""

from pathlib import Path

import pytest

from bansha.cases.read import read_case
from bansha.cases.run import Runner, run_files

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared" / "cases"
FILES = sorted(HERE.rglob("*.yaml")) + sorted(SHARED.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_case_holds(path: Path) -> None:
    Runner(read_case(path)).run()


def test_there_are_cases_and_the_given_ones_are_among_them() -> None:
    assert len(FILES) > 200
    assert len(list((HERE / "given").glob("*.yaml"))) == 91


def test_the_given_cases_are_as_they_were_given() -> None:
    if not SHARED.is_dir():
        pytest.skip("no shared folder beside this checkout")
    for path in SHARED.glob("*.yaml"):
        assert (HERE / "given" / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_folder_is_run_one_line_a_file_and_a_closing_line() -> None:
    said: list[str] = []
    assert run_files([HERE / "given"], said.append) == 0
    assert len(said) == 92
    assert said[0] == f"ok  {HERE / 'given' / 'baichibai-antidote-self-only-night-1.yaml'}  女巫只有第一晚可以救自己"
    assert said[-1] == "91 passed, 0 failed"


def test_a_failed_case_names_step_and_what_came(tmp_path: Path) -> None:
    text = (HERE / "given" / "m205-shield-and-antidote.yaml").read_text("utf-8")
    path = tmp_path / "wrong.yaml"
    path.write_text(text.replace("out: []", "out: [5, 3]"), "utf-8")
    said: list[str] = []
    assert run_files([path], said.append) == 1
    assert said == [f"FAIL  {path}  step 6: out: expected [5, 3], got []", "0 passed, 1 failed"]
