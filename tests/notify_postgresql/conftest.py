"""Couriers on PostgreSQL: the same fakes, a town of its own."""

from __future__ import annotations

import os

import pytest

from tests.support import served
from tests.support.fakes import MailFake, PushFake

MAIL, PUSH = MailFake(), PushFake()
os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
os.environ["BANSHA_MAIL"] = MAIL.url
os.environ["BANSHA_PUSH_HOSTS"] = PUSH.host
CHOSEN = served.start("postgresql")

from tests.support.clocks import clock  # noqa: E402, F401


@pytest.fixture(scope="session")
def chosen() -> dict[str, str]:
    """The environment of children."""
    return CHOSEN


@pytest.fixture
def mails() -> MailFake:
    """The mail server, empty."""
    MAIL.letters.clear()
    return MAIL
