"""What is asked of the system before setting up."""

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


def needs(purpose: str, python: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(ROOT / "tools/needs.sh"), purpose]
    return subprocess.run(command, env=os.environ | {"PYTHON": python}, capture_output=True, text=True, check=False)


def python_that(tmp_path: Path, script: str) -> str:
    path = tmp_path / "python3"
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def test_nothing_is_said_when_all_is_there(tmp_path: Path) -> None:
    said = needs("run", python_that(tmp_path, "exit 0"))
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


def test_what_is_missing_is_named_with_the_line_that_installs_it(tmp_path: Path) -> None:
    said = needs("run", python_that(tmp_path, 'case "$2" in *ensurepip*) exit 1;; esac'))
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1].strip() == (
        "apt-get update && apt-get install --no-install-recommends -y python3-venv"
    )


def test_a_missing_interpreter_is_named() -> None:
    said = needs("run", "python-of-nowhere")
    assert said.returncode == 1
    assert said.stderr.startswith("python-of-nowhere: not found; Python 3.11 or newer is needed")


def test_an_old_interpreter_is_refused_with_what_was_found(tmp_path: Path) -> None:
    said = needs("test", python_that(tmp_path, 'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac'))
    assert said.returncode == 1
    assert "is Python 3.9.2; Python 3.11 or newer is needed" in said.stderr
