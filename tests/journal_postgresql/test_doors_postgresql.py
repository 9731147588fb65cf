"""The same tests of the doors, on PostgreSQL."""

from tests.journal.test_doors import *  # noqa: F403
