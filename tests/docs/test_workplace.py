"""Nothing that is tracked names a machine: no path of a workplace, no host of a registry, no tool of somebody's desk."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

HERE = Path(__file__).name
NAMES = re.compile(
    r"(?<![\w.])/(?:root|work|home|Users|mnt|media)/"
    r"|(?<![\w.])/(?:root|work)\b(?!/)"
    r"|\bpypi\.\w|pythonhosted|\bfiles\.python|\bmirrors?\.[a-z]|\bindex-url\s*=|--index-url\b"
    r"|\bissues show\b"
)


def tracked() -> list[Path]:
    """Files that git knows or would take up; outside a repository, every file that no tool made."""
    git = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=False
    )
    if git.returncode == 0 and git.stdout:
        return [ROOT / path for path in git.stdout.decode().split("\0") if path and (ROOT / path).is_file()]
    files = [path for path in ROOT.rglob("*") if path.is_file()]
    return [file for file in files if not re.search(r"(?:^|/)(?:\.|__pycache__/)", file.relative_to(ROOT).as_posix())]


@pytest.mark.process
def test_no_workplace_is_named() -> None:
    found = []
    for file in tracked():
        if file.name == HERE:
            continue
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := NAMES.search(line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {match[0]}")
    assert not found


def test_what_it_looks_for_is_found() -> None:
    for planted in ("see /work/notes", "cd /root", "https://pypi.org/simple", "/home/me/x", "--index-url x"):
        assert NAMES.search(planted), planted
    for fine in ("the town's work/life", "a shared den", "frameworks", "/workshop", "docs/index", "shared on the page"):
        assert not NAMES.search(fine), fine
