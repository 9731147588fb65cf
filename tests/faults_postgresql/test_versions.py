"""The same tests of versions and of two towns, on PostgreSQL."""

from tests.faults_served.test_versions import *  # noqa: F403
