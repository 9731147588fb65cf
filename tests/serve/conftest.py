"""Tests of the servers: a fresh SQLite database that this process and its children share; time is the test clock's."""

from __future__ import annotations

import os

import pytest

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
CHOSEN = served.start("sqlite")

from tests.support.clocks import clock  # noqa: E402, F401


@pytest.fixture(scope="module")
def chosen() -> dict[str, str]:
    """The environment of children."""
    return CHOSEN
