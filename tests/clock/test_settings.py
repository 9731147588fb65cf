"""Settings for production refuse what only tests may have, and say what is missing."""

import subprocess
import sys

import pytest


@pytest.mark.process
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "BANSHA_SECRET is not set"),
        ({"BANSHA_SECRET": "x" * 50, "BANSHA_TEST_CLOCK": "/nowhere"}, "BANSHA_TEST_CLOCK is for tests"),
        ({"BANSHA_DEBUG": "1", "DATABASE_URL": "mysql://a/b"}, "postgresql:// is"),
    ],
)
def test_a_wrong_environment_is_refused_with_a_sentence(given: dict[str, str], said: str, tmp_path: object) -> None:
    command = [sys.executable, "-c", "from bansha.cli import main; raise SystemExit(main(['clock', '--once']))"]
    environment = {"PATH": "/usr/bin:/bin", "BANSHA_HOME": str(tmp_path), **given}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr
