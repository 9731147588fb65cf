"""Short forms of the benchmarks of the served town: they run, nothing fails or is missed, and they tell their figures. How fast it
is on a machine of its own, `make bench` says. All but the first with --long."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.support import served

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("writers", ["--database", "sqlite", "--seconds", "4", "--closed", "0"]),
        ("readers", ["--database", "postgresql", "--readers", "150", "--posts", "2", "--every", "1"]),
        ("growth", ["--most", "100"]),
    ],
)
def test_a_short_form(name: str, options: list[str], says: Callable[[str], None], request: pytest.FixtureRequest) -> None:
    if name != "writers" and not request.config.getoption("--long"):
        pytest.skip("with --long")
    command = [sys.executable, str(served.ROOT / "bench" / f"{name}.py"), *options]
    done = subprocess.run(command, cwd=served.ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = done.stdout.splitlines()
    assert rows and all(line.count(" | ") == 3 for line in rows), done.stdout
    for line in rows:
        says(f"{name}: {' | '.join(line.split(' | ')[:2])}")
