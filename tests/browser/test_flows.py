"""The main flows of m46 and baichibai in a browser: a night 0, two kinds of shields, a charm, a last shot at dawn, two ballots in
one day, a surrender; a freeze, heretics, a curse, and the prompt to play the fool."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.play import Seated
from tests.browser.stage import Town
from tests.support.town import Clock, moment, seated, seats_of

pytestmark = [pytest.mark.process, pytest.mark.slow]


def heard(play: Seated) -> set[str]:
    """The kinds of events in a game's journal."""
    from bansha.journal import doors
    from bansha.referee import archive

    return {type(event).__name__ for line in archive.read(doors.lines(play.journal)) for event in archive.entry_of(line)[4]}


def test_m46(clock: Clock, ticking: Town, browser: Any) -> None:
    clock.set(moment(1, 15, 0))
    game = seated("m46", seed=2, title="瓦斯灯下")
    wolves = seats_of(game, "wolf")
    one = {role: seats_of(game, role)[0] for role in ("avenger", "guard", "piper", "hunter", "witch", "seer", "villager")}
    play = Seated(browser, ticking, clock, game)
    try:
        play.at(moment(1, 16))
        play.hand_in(one["avenger"], "revenge", one["seer"])
        play.at(moment(1, 21, 5))
        assert "夜" in play.text(one["guard"], "letter/")
        play.hand_in(one["guard"], "shield", one["seer"])
        play.hand_in(one["guard"], "mute_shield", one["witch"])
        play.hand_in(one["piper"], "charm", one["villager"])
        play.hand_in(wolves[0], "kill", one["villager"])
        play.hand_in(wolves[1], "kill", one["hunter"])
        den = play.text(wolves[2], "den/0/")
        assert play_name(game, wolves[1]) in den
        play.hand_in(one["seer"], "check", wolves[0])
        play.hand_in(one["avenger"], "grudge", 13, 14, 1)
        play.at(moment(1, 21, 31))
        assert play_name(game, one["hunter"]) in play.text(one["witch"], "letter/")
        play.hand_in(one["witch"], "antidote", give_up=True)
        play.at(moment(1, 22, 1))
        assert "最后一枪" in play.text(one["hunter"], "letter/")
        play.hand_in(one["hunter"], "last_shot", wolves[3])
        play.at(moment(2, 9, 1))
        assert "第一日" in play.text(one["seer"], "")
        play.vote(one["seer"], "election-1", one["guard"])
        play.vote(one["seer"], "ballot-1", wolves[0])
        play.vote(wolves[0], "ballot-1", one["seer"])
        person = play.who(wolves[0])
        person.open(f"/g/{play.game}/letter/")
        tick(person)
        assert person.send("form:has([name=surrender])", {}, "[name=surrender]") == 200
        for wolf in wolves[1:]:
            person = play.who(wolf)
            person.open(f"/g/{play.game}/letter/")
            tick(person)
            assert person.send("form:has([name=surrender][value=agree])", {}, "[value=agree]") == 200, person.said()
        play.at(moment(3, 21, 0))
        assert {"PromptAnswered", "SurrenderEnded"} <= heard(play)
        assert not play.actor.errors
    finally:
        play.close()


def tick(person: Any) -> None:
    """Tick the box that surrender asks for first, where there is one."""
    box = person.tab.locator("form:has([name=surrender]) label:has(input[type=checkbox])")
    if box.count():
        box.first.click()


def play_name(game: Any, seat: int) -> str:
    """A persona's name."""
    return str(game.personas.get(seat=seat).name)


def test_baichibai(clock: Clock, ticking: Town, browser: Any) -> None:
    clock.set(moment(1, 3, 0))
    game = seated("baichibai", seed=5, title="白吃白")
    roles = ("hunter", "prophet", "idiot", "witch", "hecate", "crow", "penguin", "grandpa", "shadow", "saint")
    one = {role: seats_of(game, role)[0] for role in roles}
    play = Seated(browser, ticking, clock, game, size=1)
    try:
        play.at(moment(1, 4))
        play.hand_in(one["shadow"], "possess", one["hunter"])
        play.hand_in(one["grandpa"], "heretics", *[seat for seat in range(1, 14) if seat != one["grandpa"]][:6])
        play.at(moment(1, 9, 1))
        for role in ("hunter", "prophet", "witch"):
            play.vote(one[role], "ballot-1", one["idiot"])
        play.at(moment(2, 21, 2))
        assert "装唐" in play.text(one["idiot"], "letter/")
        assert "等你" not in play.text(one["saint"], "letter/")
        play.hand_in(one["idiot"], "play_dumb")
        assert "装唐" in play.text(one["saint"], "t/talk-1/")
        play.hand_in(one["penguin"], "freeze", one["hecate"])
        play.at(moment(2, 21, 30))
        assert "冻" in play.text(one["hecate"], "letter/")
        play.at(moment(3, 9, 1))
        assert "第二日" in play.text(one["idiot"], "")
        assert not play.actor.errors
    finally:
        play.close()
