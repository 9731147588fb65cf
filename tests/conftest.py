"""Options of the tests; and what a test counted, printed at the end: `says("secrecy m205: 360 checked")`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

# What `make test` searches is the same every time; `--long` looks elsewhere each time.
settings.register_profile("steady", derandomize=True)
settings.register_profile("searching", derandomize=False)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how hypothesis searches."""
    settings.load_profile("searching" if config.getoption("--long") else "steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--long`: what takes minutes is run too."""
    parser.addoption("--long", action="store_true", help="play thousands of games more")


@pytest.fixture
def says(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Takes a line for the end of the run, on whatever worker the test ran."""
    return lambda line: record_property("says", line)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests said, in the order of their reports."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    lines = [line for report in reports for key, line in getattr(report, "user_properties", []) if key == "says"]
    if lines:
        terminalreporter.section("counted")
        for line in lines:
            terminalreporter.write_line(str(line))
