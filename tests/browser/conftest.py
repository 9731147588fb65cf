"""A town served by a child process, one browser, and the test clock that both read. `process`: all of these start programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import stage

stage.prepare()

from tests.support.town import Clock  # noqa: E402


@pytest.fixture(scope="session")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    """The town's clock, read by the child too."""
    return Clock(tmp_path_factory.mktemp("clock"))


@pytest.fixture(scope="session")
def town(clock: Clock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[stage.Town]:
    """The served town."""
    made = stage.Town(tmp_path_factory.mktemp("town") / "log")
    yield made
    made.end()


@pytest.fixture(scope="module")
def ticking(clock: Clock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[stage.Town]:
    """The served town with its clock running: time goes on by itself when the test clock does."""
    made = stage.Town(tmp_path_factory.mktemp("ticking") / "log", clock=True)
    yield made
    made.end()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all."""
    with stage.chromium() as made:
        yield made
