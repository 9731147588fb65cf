"""Several machines on one PostgreSQL, which have nothing in common but the database and the key."""

import pytest

from tests.serve.test_processes import test_a_game_is_played_over_two_machines, town  # noqa: F401
from tests.serve_postgresql.conftest import CHOSEN
from tests.support.clocks import clock  # noqa: F401

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture(scope="module")
def chosen() -> dict[str, str]:
    """The environment of children."""
    return CHOSEN
