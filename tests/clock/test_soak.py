"""Real clock processes, killed without warning: every deadline happens once, in its order. The long form is `make soak`."""

import subprocess
import sys

import pytest


@pytest.mark.process
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_no_deadline_is_lost_or_doubled(database: str) -> None:
    command = [sys.executable, "tools/soak.py", "--deadlines", "600", "--database", database, "--every", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 lost, 0 doubled, 0 games out of order" in done.stdout
