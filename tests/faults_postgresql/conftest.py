"""The tests of faults, on PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
CHOSEN = served.start("postgresql")

from django.conf import settings  # noqa: E402

from tests.support.clocks import clock  # noqa: E402, F401


@pytest.fixture(scope="module")
def chosen() -> dict[str, str]:
    """The environment of children."""
    return CHOSEN


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Outages are looked for, as in a town in earnest."""
    monkeypatch.setattr(settings, "OUTAGE_MINUTES", 5)
    yield
