"""What must be refused in a browser: each with a sentence, and nothing changed but what was due by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from tests.browser import scenes
from tests.browser.play import Actor
from tests.browser.scenes import Scene
from tests.browser.stage import Town
from tests.support.town import Clock, moment, seats_of

pytestmark = [pytest.mark.process, pytest.mark.slow]


class Door:
    """A scene, a tab, and what the journal holds of it beside the strokes of the clock."""

    def __init__(self, scene: Scene, actor: Actor, clock: Clock) -> None:
        from bansha.town.models import Game

        self.scene, self.actor, self.clock = scene, actor, clock
        self.row = Game.objects.get(pk=scene.game)

    def said_by_people(self) -> list[bytes]:
        """The lines of the journal that people wrote."""
        from bansha.journal import doors

        return [line for line in doors.lines(int(self.row.journal or 0)).splitlines() if b'"clock"' not in line]

    def posts(self) -> int:
        """How many posts people have made."""
        from bansha.town.models import Post

        return int(Post.objects.filter(game=self.row, voice__in=("seat", "director", "account")).count())

    def open(self, seat: int, page: str, at: datetime | None = None) -> Actor:
        """A page of the game as a seat sees it."""
        self.clock.set(at or self.scene.moment)
        self.actor.become(f"player{seat}").open(f"/g/{self.scene.game}/{page}")
        return self.actor

    def refuses(self, form: str, fields: dict[str, str], button: str = "", says: str = "") -> str:
        """Press the button: refused with a sentence, and nothing that people wrote has changed."""
        before = (self.said_by_people(), self.posts())
        status = self.actor.send(form, fields, button)
        said = self.actor.said()
        assert status == 422, (status, said)
        assert (self.said_by_people(), self.posts()) == before
        assert says in said
        return said


@pytest.fixture(scope="module")
def made(clock: Clock) -> dict[str, Scene]:
    """The scenes."""
    return scenes.scenes(clock, ("day", "dusk", "night"))


@pytest.fixture
def actor(browser: Any, town: Town) -> Iterator[Actor]:
    """A tab."""
    person = Actor(browser, town, "")
    yield person
    person.close()


def voters(door: Door) -> list[int]:
    """Who lives and has not voted yet."""
    from bansha.town.models import Account
    from bansha.town.table import Table

    public = Table(door.row, Account.objects.get(username="director"), door.scene.moment).public
    voted = {voter for ballot in public.ballots for voter, _target in ballot.votes}
    return [seat for seat in public.alive if seat not in voted]


def forge(actor: Actor, selector: str, value: str) -> None:
    """Change what a form would send."""
    actor.tab.locator(selector).first.evaluate("(e, value) => { e.value = value; e.disabled = false; e.checked = true }", value)


def test_a_forged_seat(made: dict[str, Scene], actor: Actor, clock: Clock) -> None:
    door = Door(made["day"], actor, clock)
    door.open(voters(door)[0], "b/ballot-2/")
    forge(actor, "#vote [name=target]", "99")
    door.refuses("#vote", {}, "button:not([name])", says="没有这个座位")


def test_a_dead_seat_as_target(made: dict[str, Scene], actor: Actor, clock: Clock) -> None:
    door = Door(made["day"], actor, clock)
    living = voters(door)
    dead = next(seat for seat in range(1, 11) if seat not in alive(door))
    door.open(living[0], "b/ballot-2/")
    forge(actor, "#vote [name=target]", str(dead))
    actor.send("#vote", {}, "button:not([name])")
    assert "不成票" in actor.said() or "出局" in actor.said()
    assert living[0] in voters(door)


def alive(door: Door) -> list[int]:
    """Who lives, as everybody knows."""
    from bansha.town.models import Account
    from bansha.town.table import Table

    return Table(door.row, Account.objects.get(username="director"), door.scene.moment).public.alive


def test_a_skill_of_somebody_else(made: dict[str, Scene], actor: Actor, clock: Clock) -> None:
    door = Door(made["night"], actor, clock)
    guard, wolf = seats_of(door.row, "guard")[0], door.scene.player
    door.open(guard, "letter/")
    if not actor.tab.locator("#shield form [name=skill]").count():
        door.open(wolf, "letter/")
        skill, form = number(door, "shield"), "#feint form"
    else:
        skill, form = number(door, "kill"), "#shield form"
    own = actor.tab.locator(f"{form} [name=skill]").first.get_attribute("value")
    forge(actor, f"{form} [name=skill]", str(skill))
    actor.tab.locator(f'{form} [name="t{own}"]:not([disabled])').first.evaluate(f"e => {{ e.name = 't{skill}'; e.checked = true }}")
    door.refuses(form, {}, "button[data-says]")


def number(door: Door, skill: str) -> int:
    """A skill's number in the ruleset."""
    from bansha.journal import doors

    return list(doors.ruleset(int(door.row.journal or 0)).ruleset.skills).index(skill)


def test_anothers_prompt(made: dict[str, Scene], actor: Actor, clock: Clock) -> None:
    door = Door(made["dusk"], actor, clock)
    asked = door.scene.player
    door.open(asked, "letter/")
    form = actor.tab.locator("#handover form")
    assert form.count() == 1
    other = next(seat for seat in alive(door) if seat != asked)
    actor.become(f"player{other}")  # the tab still shows the first one's form; the session is another's now
    actor.tab.evaluate(
        """async (form) => { const page = await fetch("/profile/").then((r) => r.text());
        const token = new DOMParser().parseFromString(page, "text/html").querySelector("[name=csrfmiddlewaretoken]");
        document.querySelector(form + " [name=csrfmiddlewaretoken]").value = token ? token.value : ""; }""",
        "#handover form",
    )
    forge(actor, f'#handover form [name^="t"][value="{other}"]', str(other))
    door.refuses("#handover form", {}, "button[data-says]")


def test_a_dead_players_post(made: dict[str, Scene], actor: Actor, clock: Clock) -> None:
    door = Door(made["day"], actor, clock)
    dead = next(seat for seat in range(1, 11) if seat not in alive(door))
    door.open(dead, "t/talk-2/")
    assert not actor.tab.locator("#reply button:not([name])").count()
    door.open(alive(door)[0], "t/talk-2/")
    actor.become(f"player{dead}")
    actor.tab.evaluate(
        """async () => { const page = await fetch("/profile/").then((r) => r.text());
        const token = new DOMParser().parseFromString(page, "text/html").querySelector("[name=csrfmiddlewaretoken]");
        document.querySelector("#reply [name=csrfmiddlewaretoken]").value = token.value; }"""
    )
    door.refuses("#reply", {"body": "我还有话说。"}, "button:not([name])", says="出局")


def test_a_vote_as_the_door_shuts_and_a_late_one(made: dict[str, Scene], actor: Actor, clock: Clock) -> None:
    door = Door(made["day"], actor, clock)
    first, second = voters(door)[:2]
    target = str(alive(door)[0])
    door.open(first, "b/ballot-2/", moment(2, 20, 59, 59))
    clock.set(moment(2, 21, 0, 0))
    door.refuses("#vote", {"target": target, "reason": "最后一刻"}, "button:not([name])")
    door.open(second, "b/ballot-2/", moment(2, 20, 59, 59))
    clock.set(moment(2, 21, 30))
    if actor.tab.locator("#vote button:not([name])").count():
        door.refuses("#vote", {"target": target, "reason": "晚了"}, "button:not([name])")
    from bansha.town.models import Draft

    assert "最后一刻" in Draft.objects.get(game=door.row, account__username=f"player{first}", room="ballot-2").body
