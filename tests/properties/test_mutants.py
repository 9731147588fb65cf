"""The rules' code changed in 200 places, one at a time: cases and unit tests must notice at least 85 of 100.

`make mutate` tries all places and lists what nobody noticed.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutants import Module

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.process
def test_a_sample_of_mutants_is_noticed() -> None:
    command = [sys.executable, "tools/mutate.py", "--sample", "200", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.search(r"^(\d+) mutants, (\d+) killed", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr
    assert int(found[1]) == 200 and int(found[2]) >= 170, done.stdout
    assert done.returncode == 0


def test_what_is_changed_and_what_is_not(tmp_path: Path) -> None:
    source = '''
"""A docstring is left alone."""
SIZE = 3

def f(x: int, least: int = 1) -> bool:
    """This one too."""
    assert x > 0
    if x and not x < least:
        t.say("out")
    return x + 1 == 2
'''
    (tmp_path / "m.py").write_text(source, encoding="utf-8")
    mutants = Module(tmp_path, "m.py").mutants
    assert [mutant.key.partition(" | ")[2] for mutant in mutants] == [
        " | 3 → 4",
        " | 1 → 2",
        "f | x and (not x < least) → x or not x < least",
        "f | not x < least → x < least",
        "f | x < least → x <= least",
        "f | t.say('out') → pass",
        "f | 'out' → 'XXout'",
        "f | return x + 1 == 2 → return None",
        "f | x + 1 == 2 → x + 1 != 2",
        "f | x + 1 → x - 1",
        "f | 1 → 2",
        "f | 2 → 3",
    ]


def test_a_mutant_is_put_into_the_live_function(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(x):\n    return x + 1\n\ntable = {'f': f}\n", encoding="utf-8")
    live: dict[str, object] = {}
    exec((tmp_path / "m.py").read_text(encoding="utf-8"), live)
    module = Module(tmp_path, "m.py")
    mutant = next(mutant for mutant in module.mutants if mutant.after == "x - 1")
    mutant.apply()
    assert module.swap(mutant, live)
    assert live["table"]["f"](5) == 4  # type: ignore[index]
