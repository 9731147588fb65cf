"""The same tests of outages, on PostgreSQL."""

from tests.journal.test_outage import *  # noqa: F403
