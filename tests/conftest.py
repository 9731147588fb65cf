"""Options of the tests."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--long`: what takes minutes is run too."""
    parser.addoption("--long", action="store_true", help="play thousands of games more")
