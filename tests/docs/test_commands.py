"""Every command line on a page runs and ends with 0, and whatever is named as a command or an option is one."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from bansha.cli import app, main
from tests.docs.pages import PAGES, ROOT, code_lines, inline_code, name, read

LONG = ("--games", "tests/faults")
STARTS = ("bansha ", "python3 -I tools/verify.py")
TOP = get_command(app)


def command_lines() -> list[object]:
    """The lines of all pages in order, once each; the long ones are marked."""
    found = {}
    for page in PAGES:
        for line in code_lines(read(page)):
            line = line.removeprefix(".venv/bin/")
            if line.startswith(STARTS) and line not in found:
                marks = [pytest.mark.slow] if any(word in line for word in LONG) else []
                found[line] = pytest.param(line, id=f"{page.stem}: {line}", marks=marks)
    return list(found.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the project's folders in it and a recorded game, game.jsonl."""
    here = tmp_path_factory.mktemp("commands")
    for part in ("bansha", "docs", "tests", "tools"):
        (here / part).symlink_to(ROOT / part)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        assert main(["demo", "m205", "--seed", "7", "--save", "game.jsonl"]) == 0
    return here


@pytest.mark.process
@pytest.mark.parametrize("line", command_lines())
def test_a_command_line_runs(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(line, comments=True)
    if program == "bansha":
        code = main(arguments)
        out, err = capsys.readouterr()
    else:
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    assert (code, err) == (0, "")
    assert out.strip()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_named_exists(page: Path) -> None:
    for code in inline_code(read(page)):
        if code == "bansha" or not code.startswith("bansha "):
            continue
        words = shlex.split(code)[1:]
        command = TOP
        while words and hasattr(command, "list_commands"):
            if words[0].startswith("-") or words[0] == "…":
                break
            found = command.get_command(None, words.pop(0))
            assert found is not None, code
            command = found
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word.partition("=")[0] for word in words if word.startswith("-")} <= options | {"--help"}, code


def test_the_page_of_commands_shows_every_command_and_option() -> None:
    text = read("commands")
    said = [*code_lines(text), *inline_code(text)]
    lines = [shlex.split(line, comments=True) for line in said if line.startswith("bansha ")]
    for path, command in _leaves(TOP, ()):
        shown = [line[1 + len(path) :] for line in lines if tuple(line[1 : 1 + len(path)]) == path]
        assert shown, " ".join(path)
        for parameter in command.params:
            names = [option for option in parameter.opts if option.startswith("-") and option != "--help"]
            assert not names or any(option in text for option in names), (path, names)


def _leaves(command: object, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], object]]:
    if not hasattr(command, "list_commands"):
        return [(path, command)]
    found = []
    for word in command.list_commands(None):
        found += _leaves(command.get_command(None, word), (*path, word))
    return found


def test_exit_codes_are_the_ones_of_the_page() -> None:
    codes = set(re.findall(r"^\| (\d) \|", read("commands"), re.MULTILINE))
    assert codes == {"0", "1", "2"}
    assert main(["case", str(ROOT / "tests" / "no-such-case.yaml")]) == 2
    assert main(["demo", "no-such-board"]) == 2
