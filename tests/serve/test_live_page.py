"""A page that stays open: posts arrive, the panel follows the clock, and what waits is called out; nothing is loaded again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bansha.town import acts
from bansha.town.models import Account
from bansha.town.table import Table
from tests.browser.stage import Town, chromium, visitor
from tests.support.town import Clock, seated, seats_of


def beside(act: Callable[[Table], Any], game: Any, name: str) -> None:
    """Somebody else does something meanwhile, in a thread of their own."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: act(Table(game, Account.objects.get(username=name)))).result()


@pytest.mark.process
def test_a_page_follows_by_itself(clock: Clock, tmp_path: Path) -> None:
    clock.at(1, 9, 1)
    game = seated(seed=71)
    seer = f"player{seats_of(game, 'seer')[0]}"
    town = Town(tmp_path / "log", clock=True)
    try:
        with chromium() as browser:
            page = visitor(browser, town, seer).new_page()
            wrong: list[str] = []
            page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            talk = f"/g/{game.pk}/t/talk-1/"
            for _ in range(100):  # until the clock has opened the day
                if page.goto(talk).status == 200:
                    break
                page.wait_for_timeout(100)
            wrong.clear()
            page.wait_for_timeout(1000)
            other = "player1" if seer != "player1" else "player2"
            beside(lambda table: acts.say(table, "talk-1", "晨雾很重，各位早。"), game, other)
            page.wait_for_selector("article.post:has-text('晨雾很重')")

            clock.at(1, 20, 59)
            page.goto(talk)
            page.wait_for_timeout(1000)
            page.fill("#body", "写了一半的话")
            clock.at(1, 21, 0)
            page.wait_for_selector("[data-phase-bar]:has-text('第一夜')")
            assert page.input_value("#body") == "写了一半的话", "what is typed stays"

            def read(table: Table) -> None:
                assert table.me is not None
                skill = next(skill for skill in table.me.skills if skill.verb == "read")
                acts.hand_in(table, {skill.index: skill.targets[:1]})

            beside(read, game, seer)
            clock.at(1, 22, 30)
            page.wait_for_selector(".toast[data-call] a[href$='/letter/']")
            assert wrong == []
    finally:
        town.end()
