"""The ten main pages in four looks: no fault that axe finds, nothing wider than the window, no error on the console.
`make looks` looks at every page of the router."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser import scenes
from tests.browser.stage import LOOKS, Town
from tests.support.town import Clock
from tools import looks

pytestmark = [pytest.mark.process, pytest.mark.slow]

MAIN = (
    ("town:front", "day", "player"),
    ("account_login", "day", "visitor"),
    ("town:signup", "signup", "member"),
    ("town:hub", "day", "player"),
    ("town:thread", "day", "player"),
    ("town:ballot", "day", "player"),
    ("town:letter", "many", "player"),
    ("town:den", "night", "player"),
    ("desk:desk", "day", "director"),
    ("town:rules", "day", "visitor"),
)


def test_the_main_pages(clock: Clock, town: Town, browser: Any, says: Callable[[str], None]) -> None:
    from tests.support import router

    made = scenes.scenes(clock, sorted({scene for _name, scene, _kind in MAIN}))
    addresses = {address.name: address for address in router.addresses()}
    looker = looks.Looker(browser, town, made, clock)
    faults: list[looks.Fault] = []
    for name, scene, kind in MAIN:
        path = router.paths(addresses[name], made[scene])[0]
        page = looks.Page(name, scene, kind, path)
        faults += looker.look(page, LOOKS)
        assert looker.tab(made[scene].account(kind), LOOKS[0]).title()
    looker.end()
    says(looks.summary(len(MAIN), len(LOOKS), faults))
    assert not faults, "\n".join(looks.told(faults))


def test_a_fault_is_found(clock: Clock, town: Town, browser: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    from tests.browser.stage import visitor

    context = visitor(browser, town)
    tab = context.new_page()
    tab.goto("/accounts/login/")
    tab.evaluate("document.querySelectorAll('label').forEach((label) => label.remove())")
    tab.evaluate("document.querySelector('main input:not([type=hidden])').removeAttribute('aria-label')")
    found = {violation["id"] for violation in Axe().run(tab).response["violations"]}
    context.close()
    assert "label" in found
