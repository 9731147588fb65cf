"""A town on SQLite in this process, whose database is taken away, filled up and put back. tests/faults_postgresql runs what can
be run on PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
CHOSEN = served.start("sqlite")

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from bansha.site.settings import database  # noqa: E402
from tests.support.clocks import clock  # noqa: E402, F401

connection.close()
connection.settings_dict["NAME"] = database("")["NAME"]  # as a process has it that finds a town


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Outages are looked for, as in a town in earnest."""
    monkeypatch.setattr(settings, "OUTAGE_MINUTES", 5)
    yield
