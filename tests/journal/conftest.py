"""The journal's tests run on SQLite here; tests/journal_postgresql runs the same ones on PostgreSQL."""

from tests.support.served import start

CHOSEN = start("sqlite")
