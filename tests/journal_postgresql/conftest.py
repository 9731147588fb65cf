"""The journal's tests, on PostgreSQL."""

from tests.support.served import start

CHOSEN = start("postgresql")
