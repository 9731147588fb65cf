"""Tests of notices: a fresh town on SQLite in this process; a mail server and a push service of our own record what arrives."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.support import served
from tests.support.fakes import MailFake, PushFake

MAIL, PUSH = MailFake(), PushFake()
os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
os.environ["BANSHA_MAIL"] = MAIL.url
os.environ["BANSHA_PUSH_HOSTS"] = f"{PUSH.host},fcm.googleapis.com,*.push.apple.com"
CHOSEN = served.start("sqlite")

from tests.browser.scenes import Stage, people  # noqa: E402
from tests.support.clocks import clock  # noqa: E402, F401
from tests.support.town import Clock  # noqa: E402


@pytest.fixture(scope="session")
def chosen() -> dict[str, str]:
    """The environment of children."""
    return CHOSEN


@pytest.fixture
def mails() -> Iterator[MailFake]:
    """The mail server, empty."""
    MAIL.letters.clear()
    yield MAIL
    MAIL.refuses, MAIL.arrived = 0, lambda _count: None


@pytest.fixture
def pushes() -> Iterator[PushFake]:
    """The push service, empty."""
    PUSH.messages.clear()
    PUSH.asked.clear()
    yield PUSH
    PUSH.answers.clear()
    PUSH.arrived = lambda _count: None


@pytest.fixture(scope="module")
def stage(clock: Clock) -> Iterator[Stage]:  # noqa: F811
    """A game on its first day."""
    people()
    made = Stage(clock, "election", seed=4)
    made.setup()
    yield made
