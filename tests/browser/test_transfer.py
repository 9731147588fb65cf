"""What a page sends over the wire, in a real browser: under 60 kB on the first visit, under 20 kB after, pictures apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser import scenes
from tests.browser.stage import Town, visitor
from tests.support import router
from tests.support.town import Clock

pytestmark = [pytest.mark.process, pytest.mark.slow]

FIRST, AFTER = 60_000, 20_000
"""Bytes, headers with them: the first visit of a browser that knows nothing of the town, and every later one."""
PAGES = (
    ("town:front", "day", "player"), ("town:hub", "day", "player"), ("town:thread", "day", "player"), ("town:thread", "day", "visitor"),
    ("town:ballot", "day", "player"), ("town:letter", "many", "player"), ("desk:desk", "day", "director"),
)  # fmt: skip


class Meter:
    """Counts the bytes that a tab receives, pictures apart. The live stream goes on for ever and is no part of the page."""

    def __init__(self, tab: Any) -> None:
        self.bytes = 0
        self.requests = 0
        self._kinds: dict[str, str] = {}
        self._wire = tab.context.new_cdp_session(tab)
        self._wire.send("Network.enable")
        self._wire.on("Network.responseReceived", lambda event: self._kinds.update({event["requestId"]: event["type"]}))
        self._wire.on("Network.loadingFinished", self._finished)

    def _finished(self, event: Any) -> None:
        if self._kinds.get(event["requestId"]) not in ("Image", "EventSource"):
            self.bytes += int(event["encodedDataLength"])
            self.requests += event["encodedDataLength"] > 0


def visited(tab: Any, path: str) -> Meter:
    """Open a page and count."""
    meter = Meter(tab)
    tab.goto(path, wait_until="load")
    tab.wait_for_load_state("networkidle") if not tab.locator("body[data-live]").count() else tab.wait_for_function("window.live")
    return meter


def test_what_a_page_sends(clock: Clock, town: Town, browser: Any, says: Callable[[str], None]) -> None:
    made = scenes.scenes(clock, ["day", "many"])
    addresses = {address.name: address for address in router.addresses()}
    sent = []
    for name, scene, kind in PAGES:
        clock.set(made[scene].moment)
        path = router.paths(addresses[name], made[scene])[0]
        context = visitor(browser, town, made[scene].account(kind))
        first = visited(context.new_page(), path)
        after = visited(context.new_page(), path)
        context.close()
        sent.append((f"{name} ({kind})", first.bytes, after.bytes))
        says(f"transfer {name} ({kind}): {first.bytes / 1000:.1f} kB in {first.requests} requests, then {after.bytes / 1000:.1f} kB")
        assert first.requests >= 5 and 1 <= after.requests <= 2, (path, first.requests, after.requests)
    heavy = [(page, first, after) for page, first, after in sent if first >= FIRST or after >= AFTER]
    assert not heavy
