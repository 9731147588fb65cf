"""The town's clock as a fixture, for tests that run a town in their own process."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support.town import Clock


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clock]:
    """The town's clock."""
    made = Clock(tmp_path_factory.mktemp("clock"))
    yield made
    os.environ.pop("BANSHA_TEST_CLOCK", None)
