"""Tests of the town run on a fresh SQLite database in this process; time is the test clock's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
served.start("sqlite")

from tests.support.town import Clock  # noqa: E402


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clock]:
    """The town's clock."""
    made = Clock(tmp_path_factory.mktemp("clock"))
    yield made
    os.environ.pop("BANSHA_TEST_CLOCK", None)
