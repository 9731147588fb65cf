"""Clients that try again by key while pages, stream and clock are killed. The long form is `make kills`."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_every_command_happens_once_and_in_order(database: str) -> None:
    command = [sys.executable, "tools/kills.py", "--kills", "8", "--until", "2", "--database", database]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=400)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kills 8, " in done.stdout and "0 doubled, order = undisturbed" in done.stdout
