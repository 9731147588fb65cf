"""The same race of two directors, on PostgreSQL."""

from tests.desk.test_two_directors import *  # noqa: F403
