"""The same tests of the search, on PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.support.town import Clock
from tests.town.test_search import *  # noqa: F403


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clock]:
    """The town's clock."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BANSHA_TEST_CLOCK", "")
        yield Clock(tmp_path_factory.mktemp("clock"))
