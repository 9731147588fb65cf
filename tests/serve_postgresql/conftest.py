"""The parts of the town as processes, on PostgreSQL."""

from tests.support.served import start

CHOSEN = start("postgresql")
