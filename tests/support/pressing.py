"""Two directors at one desk who press the same thing at the same moment; for SQLite and PostgreSQL alike."""

from __future__ import annotations

import time
from threading import Barrier, Thread
from typing import Any

from django.contrib.messages import get_messages
from django.db import connections

from bansha.journal import doors
from bansha.sight.types import DIRECTOR
from bansha.town.models import LogLine
from tests.support.town import Clock, client, moment, seated

APART = 0.05
"""Seconds between two presses at most."""


class Pressed:
    """What one director's presses led to: the moment of each, the answer's status, the last message shown."""

    def __init__(self, name: str) -> None:
        self.browser = client(name)
        self.at: list[float] = []
        self.status: list[int] = []
        self.said: list[str] = []

    def press(self, address: str, data: dict[str, str]) -> None:
        """Post a form of the desk."""
        self.at.append(time.monotonic())
        answer = self.browser.post(address, data)
        self.status.append(answer.status_code)
        self.said.append([str(message) for message in get_messages(answer.wsgi_request)][-1])


def silent_game(clock: Clock, seed: int) -> Any:
    """A game at night 1 in which nobody has posted or voted: two yellow cards are proposed for each seat."""
    game = seated(seed=seed, title=f"无声 {seed}")
    doors.strike(game.journal, moment(1, 21, 1))
    clock.at(1, 21, 1)
    return game


def cards_dealt(game: Any) -> list[tuple[int, str, str]]:
    """(seat, clause, by) of every card in the journal."""
    found = []
    for noted in doors.record(game.journal):
        found += [(news.value["seat"], news.value["clause"], noted.by) for news in noted.news if news.kind == "card"]
    return found


def both_press(clock: Clock, repetitions: int, dismissing: bool = False) -> int:
    """Both directors press the same proposed card within 50 ms, again and again; a pair that a busy machine drew further apart
    is judged, but not counted. Each time one card, by one of them, and the other is told by whom; with `dismissing` the
    second director dismisses it instead, and one of the two holds. Returns how often that was."""
    counted, seed = 0, 70
    pair: tuple[Pressed, Pressed] | None = None
    while counted < repetitions and seed < 80:
        game = silent_game(clock, seed)
        seed += 1
        one, two = pair = pair or (Pressed("director"), Pressed("director2"))
        full = doors.see(game.journal, DIRECTOR).view.director
        assert full is not None
        for index, (_at, seat, _colour, clause, _why) in enumerate(full.proposed):
            if clause in ("消极", "未投票") and counted < repetitions:
                _at_once(game, index, one, two, dismissing, clause)
                judge(game, index, (seat, clause), one, two)
                counted += abs(one.at[-1] - two.at[-1]) < APART
    return counted


def judge(game: Any, index: int, card: tuple[int, str], one: Pressed, two: Pressed) -> None:
    """One of the two did it, once; the other was told who."""
    assert (one.status[-1], two.status[-1]) == (302, 302)
    line = LogLine.objects.get(game=game, about=f"proposed {index}")
    cards = [found for found in cards_dealt(game) if found[:2] == card]
    winner, loser = (one, two) if line.director == 1 else (two, one)
    name = "director" if line.director == 1 else "director2"
    if line.kind == "dealt":
        assert cards == [(*card, f"director {line.director}")]
        assert winner.said[-1] == "牌已发出。"
    else:
        assert cards == [] and winner.said[-1] == "记下：不发。"
    assert loser.said[-1].startswith(f"已由导演 {line.director}（{name}）处理")


def _at_once(game: Any, index: int, one: Pressed, two: Pressed, dismissing: bool, clause: str) -> None:
    barrier = Barrier(2)
    address = f"/g/{game.pk}/desk/proposed/{index}"

    def press(who: Pressed, dismiss: bool) -> None:
        try:
            barrier.wait()
            who.press(f"{address}/dismiss/" if dismiss else f"{address}/deal/", {"clause": clause, "words": "看过了"})
        finally:
            connections.close_all()

    threads = [Thread(target=press, args=(one, False)), Thread(target=press, args=(two, dismissing))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
