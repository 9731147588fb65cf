"""The runner of the tests' parts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.served import ROOT, until
from tools.parts import HUNG, MANY, Result, choose, find_parts, main, run, table

PASSES = "def test_it():\n    assert True\n"
FAILS = "def test_it():\n    assert False\n"
SKIPS = "import pytest\n\n@pytest.mark.skip\ndef test_it():\n    pass\n"


def folder(tmp_path: Path, **parts: str) -> Path:
    """A folder of tests; each keyword is a part with one file of that text."""
    tests = tmp_path / "tests"
    tests.mkdir()
    for name, text in parts.items():
        (tests / name).mkdir()
        (tests / name / f"test_{name}.py").write_text(text, "utf-8")
    return tests


def test_a_folder_with_tests_is_a_part_and_one_without_is_none(tmp_path: Path) -> None:
    tests = folder(tmp_path, sight=PASSES, bbcode=PASSES)
    (tests / "journals").mkdir()
    (tests / "test_loose.py").write_text(PASSES, "utf-8")
    assert [part.name for part in find_parts(tests)] == ["bbcode", "sight", "tests"]


def test_only_a_part_with_many_tests_gets_two_workers(tmp_path: Path) -> None:
    many = "".join(f"def test_{n}():\n    pass\n" for n in range(MANY))
    tests = folder(tmp_path, few=PASSES, many=many, cases=PASSES)
    assert {part.name: part.workers for part in find_parts(tests)} == {"few": 1, "many": 2, "cases": 2}


def test_an_unknown_part_is_refused_with_those_there_are(tmp_path: Path) -> None:
    parts = find_parts(folder(tmp_path, sight=PASSES))
    assert [part.name for part in choose(parts, ["sight"])] == ["sight"]
    with pytest.raises(ValueError, match="'sihgt' is no part of the tests; there is: sight"):
        choose(parts, ["sihgt"])


def test_the_table_ends_with_the_sums() -> None:
    results = [Result("sight", 1.25, 0, passed=3, skipped=1), Result("referee", 2.0, 1, passed=4, failed=2)]
    lines = table(results, 2.5).splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["sight", "1.2", "3", "0", "1"],
        ["referee", "2.0", "4", "2", "0", "pytest", "ended", "with", "1"],
    ]
    assert lines[-2] == "2.5 seconds in all"
    assert lines[-1] == "tests: 7 passed, 2 failed, 1 skipped"


@pytest.mark.process
@pytest.mark.parametrize(
    ("parts", "code", "sums"),
    [
        ({"one": PASSES, "two": PASSES}, 0, "tests: 2 passed, 0 failed, 0 skipped"),
        ({"one": FAILS, "two": PASSES}, 1, "tests: 1 passed, 1 failed, 0 skipped"),
        ({"one": "import nowhere\n", "two": PASSES}, 1, "tests: 1 passed, 1 failed, 0 skipped"),
        ({"one": SKIPS}, 1, "tests: 0 passed, 0 failed, 1 skipped"),
    ],
    ids=["all pass", "one fails", "one cannot be read", "nothing ran"],
)
def test_the_exit_code_is_0_only_if_tests_ran_and_none_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parts: dict[str, str], code: int, sums: str
) -> None:
    assert main(["--", "-p", "no:cacheprovider"], folder(tmp_path, **parts)) == code
    assert capsys.readouterr().out.splitlines()[-1] == sums


@pytest.mark.process
def test_a_whole_run_begins_with_the_longest_and_leaves_the_docs_to_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = folder(tmp_path, bbcode=PASSES, docs=FAILS, sight=FAILS, town=PASSES)
    assert main(["--", "-p", "no:cacheprovider"], tests) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-5:-2]] == ["bbcode", "sight", "town"]
    assert {line for line in lines if line.startswith("== ")} == {"== bbcode", "== sight", "== town"}


@pytest.mark.process
def test_options_after_the_dashes_reach_pytest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = folder(tmp_path, one=PASSES + "\ndef test_other():\n    assert False\n", two=PASSES)
    assert main(["one", "--", "-k", "it", "-p", "no:cacheprovider"], tests) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "tests: 1 passed, 0 failed, 0 skipped"


HANGS = """
import subprocess, sys, time
from pathlib import Path

def test_it():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(__file__).with_name("pid").write_text(str(child.pid))
    print("so far", flush=True)
    {hang}
"""


def gone(pid: Path) -> bool:
    """Whether the process that a test left behind has ended."""
    status = Path("/proc", pid.read_text(), "status")
    return not status.exists() or "(zombie)" in status.read_text()


@pytest.mark.process
def test_what_a_part_left_behind_neither_holds_the_run_nor_outlives_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = folder(tmp_path, one=HANGS.format(hang=""))
    started = time.monotonic()
    assert run(find_parts(tests)[0], ["-p", "no:cacheprovider"], True).passed == 1
    assert time.monotonic() - started < 30
    assert "1 passed" in capsys.readouterr().out
    assert until(lambda: gone(tests / "one" / "pid"), 10)


@pytest.mark.process
def test_a_part_that_hangs_is_ended_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = folder(tmp_path, one=HANGS.format(hang="time.sleep(60)"))
    result = run(find_parts(tests)[0], ["-s", "-p", "no:cacheprovider"], True, limit=4)
    assert (result.code, result.passed, result.failed > 0, result.ok) == (HUNG, 0, True, False)
    printed = capsys.readouterr().out
    assert "so far" in printed
    assert "one: not ended after 4 seconds, so it was ended" in printed
    assert until(lambda: gone(tests / "one" / "pid"), 10)


@pytest.mark.process
def test_whoever_ends_the_run_is_told_what_was_going_on(tmp_path: Path) -> None:
    tests = folder(tmp_path, one=HANGS.format(hang="time.sleep(60)"), two=PASSES)
    program = f"""
import signal, sys
from pathlib import Path
from tools import parts
signal.signal(signal.SIGTERM, parts._ended)
sys.exit(parts.main(["--", "-s", "-p", "no:cacheprovider"], Path({str(tests)!r})))
"""
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert until((tests / "one" / "pid").exists, 30)
        os.kill(process.pid, signal.SIGTERM)
        said = process.communicate(timeout=30)[0]
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert "== one, not ended" in said
    assert "so far" in said
    assert until(lambda: gone(tests / "one" / "pid"), 10)
