"""Compiles the referee to C (mypyc) into .fast/, for a lab that plays millions of games. Needs a C compiler.

    python tools/fast.py            build .fast/bansha
    PYTHONPATH=.fast bansha …       run with it

The sources stay what they are: nothing compiled ever stands beside them, so an edit is never shadowed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAST = ROOT / ".fast"
MODULES = (
    "board", "state", "turn", "evolve", "legality", "night", "day", "ballots", "settlement", "aftermath", "victory", "cards",
    "people", "director", "judge", "game", "holdings", "skills/__init__", "skills/bonds", "skills/protection", "skills/strikes",
    "skills/seeing", "skills/day_effects",
)  # fmt: skip


def build() -> int:
    """Build the compiled copy; returns the exit code."""
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        print("no C compiler: install one (on Debian: apt-get install gcc), or run without .fast", file=sys.stderr)
        return 1
    shutil.rmtree(FAST, ignore_errors=True)
    shutil.copytree(ROOT / "bansha", FAST / "bansha", ignore=shutil.ignore_patterns("__pycache__"))
    mypyc = Path(sys.executable).parent / "mypyc"
    files = [f"bansha/referee/{name}.py" for name in MODULES]
    environment = {**os.environ, "MYPYC_OPT_LEVEL": "3"}
    done = subprocess.run([mypyc, "--ignore-missing-imports", *files], cwd=FAST, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-2000:] + done.stderr[-2000:], file=sys.stderr)
        shutil.rmtree(FAST, ignore_errors=True)
        return 1
    shutil.rmtree(FAST / "build", ignore_errors=True)
    print(f"compiled {len(files)} modules into {FAST.name}/")
    return 0


if __name__ == "__main__":
    sys.exit(build())
