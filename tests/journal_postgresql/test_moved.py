"""The same tests of a clock that is moved, on PostgreSQL."""

from tests.journal.test_moved import *  # noqa: F403
