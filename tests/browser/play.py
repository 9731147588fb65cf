"""A game of m205 played in browsers: accounts are registered, a game is opened, dealt, and played by pressing what the pages
offer. The journal is read only, to learn who holds which role; nothing is written but by the pages."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tests.browser.stage import LOOKS, Town, session_of, visitor
from tests.support.town import NAMES, Clock, moment, seats_of

PASSWORD = "lamplight-lamplight"
TITLE = "河对岸的灯"


class Person:
    """Somebody with a browser of their own: one tab."""

    def __init__(self, browser: Any, town: Town, name: str, script: bool = True, size: int = 0) -> None:
        self.name = name
        self.town = town
        self.context = visitor(browser, town, look=LOOKS[size], script=script)
        self.tab = self.context.new_page()
        self.errors: list[str] = []
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, path: str) -> Any:
        """Open a page."""
        answer = self.tab.goto(path, wait_until="domcontentloaded")
        assert answer is not None and answer.status < 500, f"{self.name}: {path} → {answer and answer.status}"
        return self.tab

    def send(self, form: str, fields: Mapping[str, str | Sequence[str]], button: str = "") -> int:
        """Fill in the form of this selector and press its button (the first, or the one of this selector). Returns the status
        of what came back."""
        place = self.tab.locator(form).first
        folded = place.locator("xpath=ancestor::details[not(@open)]/summary")
        if folded.count():
            folded.first.click()
        for name, value in fields.items():
            if isinstance(value, str):
                self._fill(place, name, value)
            else:
                for one in value:
                    self._fill(place, name, one)
        with self.tab.expect_navigation(wait_until="domcontentloaded") as gone:
            place.locator(button or "button:not([type=button])").first.click()
        return int(gone.value.status) if gone.value is not None else 200

    def _fill(self, place: Any, name: str, value: str) -> None:
        found = place.locator(f'[name="{name}"]')
        kind = found.first.evaluate("e => e.type")
        if kind in ("radio", "checkbox"):
            one = place.locator(f'[name="{name}"][value="{value}"]').first
            label = one.locator("xpath=ancestor::label")
            if not one.is_checked():
                (label if label.count() else one).click()
        elif kind.startswith("select"):
            found.first.select_option(value)
        else:
            found.first.fill(value)

    def said(self) -> str:
        """The text of the page's main part."""
        return str(self.tab.locator("main").inner_text())

    def register(self) -> None:
        """Register an account, and be signed in."""
        self.open("/accounts/signup/")
        self.send("main form", {"username": self.name, "password1": PASSWORD, "password2": PASSWORD})
        assert self.tab.locator("header.top").inner_text().find(self.name) >= 0 or "/accounts/" not in self.tab.url, self.said()

    def close(self) -> None:
        """Close the browser."""
        self.context.close()


class Actor(Person):
    """One tab that is signed in as whoever is wanted, without a form: for games that were seated by the test."""

    def become(self, name: str) -> Actor:
        """Be this account."""
        self.name = name
        self.context.add_cookies([{"name": "sessionid", "value": session_of(name), "url": self.town.url}])
        return self

class Play:
    """The game, step by step. `seats` maps a seat to its person once it is dealt."""

    def __init__(self, browser: Any, town: Town, clock: Clock, prefix: str, script: bool = True) -> None:
        self.browser, self.town, self.clock, self.prefix, self.script = browser, town, clock, prefix, script
        self.game = 0
        self.journal = 0
        self.seats: dict[int, Person] = {}
        self.people: list[Person] = []

    def person(self, name: str, size: int = 0) -> Person:
        """Somebody new in town, registered."""
        made = Person(self.browser, self.town, f"{self.prefix}{name}", self.script, size)
        self.people.append(made)
        made.register()
        return made

    def close(self) -> None:
        """Close every browser."""
        for person in self.people:
            person.close()

    # --- time -----------------------------------------------------------------------------------------------------

    def at(self, when: datetime) -> None:
        """Let it be that time; the town's clock does what is due."""
        from bansha.journal import doors

        self.clock.set(when)
        for _ in range(1200):
            if not doors.due_games(when, 1):
                return
            time.sleep(0.02)
        raise AssertionError("the clock does not strike")

    # --- before the deal --------------------------------------------------------------------------------------------

    def open_game(self) -> None:
        """A manager makes a director, who opens a game; ten sign up and one in reserve; the ceremony; the deal."""
        from tests.support.town import account

        self.clock.set(moment(-3, 12))
        account(f"{self.prefix}warden", manages=True)  # the first manager of a town comes from its command line
        warden = Person(self.browser, self.town, f"{self.prefix}warden", self.script, 1)
        self.people.append(warden)
        warden.open("/accounts/login/")
        warden.send("main form", {"login": warden.name, "password": PASSWORD})
        self.director = self.person("director", 1)
        warden.open("/managers/")
        warden.send('form[action$="/managers/right"]:has(select)', {"name": self.director.name, "right": "directs"})
        self._open()
        names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        self.players = [self.person(name, number % 2) for number, name in enumerate(names)]
        self.reserve = self.person("reserve")
        for player in (*self.players, self.reserve):
            player.open(f"/g/{self.game}/signup/")
            kind = "reserve" if player is self.reserve else "player"
            status = player.send("#join", {"kind": kind, "read1": "1", "read2": "1", "read3": "1"})
            assert status == 200, player.said()
        self._choose()
        for player in self.players:
            player.open(f"/g/{self.game}/deal/")
            assert player.send("#hand", {"words": f"{player.name}的灯"}, "[value=words]") == 200, player.said()
        self._seat()

    def _open(self) -> None:
        director = self.director
        director.open("/open/")
        fields = {"title": TITLE, "script": "雾从河上来。", "hash_until": "2026-11-22T20:00", "deal_at": "2026-11-22T21:00"}
        fields |= {f"mask{seat}": name for seat, name in enumerate(NAMES[:10], 1)}
        assert director.send("form:has([name=title])", fields, "[value=approve]") == 200, director.said()
        assert director.send("form:has([name=title])", {}, "[value=publish]") == 200, director.said()
        self.game = int(director.tab.url.split("/g/")[1].split("/")[0])

    def _choose(self) -> None:
        from bansha.town.models import Account

        director = self.director
        director.open(f"/g/{self.game}/people/")
        chosen = Account.objects.filter(username__in=[player.name for player in self.players]).values_list("pk", flat=True)
        wanted = [str(pk) for pk in chosen]
        assert director.send("form:has([value=close])", {"chosen": wanted}, "[value=close]") == 200, director.said()

    def _seat(self) -> None:
        from bansha.town.models import Game, Tenure

        game = Game.objects.get(pk=self.game)
        assert game.status == "running", self.players[-1].said()
        self.journal = int(game.journal or 0)
        names = {player.name: player for player in self.players}
        for tenure in Tenure.objects.filter(game=game).select_related("account"):
            self.seats[tenure.seat] = names[tenure.account.username]
        roles = {role: seats_of(game, role) for role in ("wolf", "civilian", "seer", "witch", "guard", "hybrid")}
        self.wolves, self.folk = roles["wolf"], roles["civilian"]
        self.seer, self.witch, self.guard, self.hybrid = (roles[role][0] for role in ("seer", "witch", "guard", "hybrid"))

    # --- acting -----------------------------------------------------------------------------------------------------

    def who(self, seat: int) -> Person:
        """Whose browser acts for a seat."""
        return self.seats[seat]

    def hand_in(self, seat: int, skill: str, *targets: int, give_up: bool = False) -> None:
        """Hand a skill in from the letter; `give_up`: pass it."""
        person = self.who(seat)
        person.open(f"/g/{self.game}/letter/")
        form = f"#{skill} form"
        again = person.tab.locator(f'{form} a[href$="-again"]')
        if again.count():  # something is kept already: the targets are folded away
            again.first.click()
        if give_up:
            status = person.send(form, {}, "[name=pass]")
        else:
            index = person.tab.locator(f"{form} [name=skill]").get_attribute("value")
            status = person.send(form, {f"t{index}": [str(target) for target in targets]}, "button[data-says]")
        assert status == 200, person.said()

    def vote(self, seat: int, room: str, target: int, reason: str = "票型说不通。") -> None:
        """Vote, or change the vote, by the form."""
        person = self.who(seat)
        person.open(f"/g/{self.game}/b/{room}/")
        assert person.send("#vote", {"target": str(target), "reason": reason}, "button:not([name])") == 200, person.said()

    def post_vote(self, seat: int, room: str, body: str) -> str:
        """A post by hand in a ballot thread; returns what the page says of it."""
        person = self.who(seat)
        person.open(f"/g/{self.game}/b/{room}/")
        person.send("form:has(input[name=do][value=say])", {"body": body})
        return person.said()

    def say(self, seat: int, day: int, body: str) -> None:
        """Post in the day's discussion."""
        person = self.who(seat)
        person.open(f"/g/{self.game}/t/talk-{day}/")
        assert person.send("#reply", {"body": body}, "button:not([name])") == 200, person.said()

    # --- the script --------------------------------------------------------------------------------------------------

    def setup(self) -> None:
        """The hybrid chooses its kin; day 1 opens."""
        self.hand_in(self.hybrid, "kin", self.witch)
        self.at(moment(1, 9, 1))

    def first_day(self) -> None:
        """Talk; two posts that are no votes, one change; a civilian becomes sheriff."""
        chief, other = self.folk[0], self.folk[1]
        self.clock.set(moment(1, 10))
        for number, seat in enumerate(sorted(self.seats)):
            self.say(seat, 1, f"我是第{number + 1}个开口的。昨夜的灯，[b]谁[/b]也没看见。")
        changer = self.wolves[0]
        said = self.post_vote(changer, "election-1", f"投票对象：{NAMES[chief - 1][:-1]}\n投票理由：少写了一个字")
        assert "不成票" in said
        said = self.post_vote(changer, "election-1", f"投票对象 {NAMES[chief - 1]}\n投票理由：没有冒号")
        assert "不成票" in said
        for seat in sorted(self.seats):
            self.vote(seat, "election-1", other if seat == changer else chief)
        self.vote(changer, "election-1", chief, "又想了想。")
        self.at(moment(1, 21, 0))

    def first_night(self) -> None:
        """Everybody answers; the sheriff is killed and hands the badge over at dawn; last words."""
        chief, heir = self.folk[0], self.folk[1]
        self.clock.set(moment(1, 21, 5))
        self.hand_in(self.seer, "first_night_shield")
        self.hand_in(self.guard, "shield", self.witch)
        self.hand_in(self.wolves[0], "kill", chief)
        self.at(moment(1, 21, 31))
        self.hand_in(self.witch, "antidote", give_up=True)
        self.hand_in(self.seer, "check", self.wolves[1])
        self.at(moment(1, 22, 0))
        self.clock.set(moment(1, 22, 2))
        self.hand_in(chief, "handover", heir)
        person = self.who(chief)
        person.open(f"/g/{self.game}/lastwords/")
        assert person.send("form:has(#text)", {"text": "灯留给你们。"}, "button:not([name])") == 200, person.said()
        self.at(moment(2, 9, 1))

    def second_day(self) -> None:
        """A card, a substitution; the new sheriff is exiled and hands the badge on at dusk."""
        target = self.folk[1]
        self.clock.set(moment(2, 10))
        self.deal_card()
        self.substitute(self.hybrid)
        for seat in sorted(self.seats):
            if seat != self.folk[0]:
                self.say(seat, 2, "今天的票先看昨夜的门。")
        for seat in sorted(self.seats):
            if seat != self.folk[0]:
                self.vote(seat, "ballot-2", target)
        self.at(moment(2, 21, 0))

    def deal_card(self) -> None:
        """The director deals the first of the proposed cards."""
        director = self.director
        director.open(f"/g/{self.game}/desk/")
        assert director.send('form[action*="/desk/proposed/"][action$="/deal/"]', {}) == 200, director.said()

    def substitute(self, seat: int) -> None:
        """The reserve takes over a seat."""
        director = self.director
        director.open(f"/g/{self.game}/desk/act/substitute/")
        fields = {"seat": str(seat), "account": self.reserve.name, "reason": "演员有事，由替补接上。", "sure": "yes"}
        assert director.send("main form.stack.gap", fields) == 200, director.said()
        self.seats[seat] = self.reserve

    def second_night(self) -> None:
        """The badge goes on at dusk; the heir is killed and hands it on at dawn."""
        heir, last = self.guard, self.folk[2]
        self.clock.set(moment(2, 21, 2))
        self.hand_in(self.folk[1], "handover", heir)
        self.hand_in(self.guard, "shield", self.seer)
        self.hand_in(self.wolves[1], "kill", heir)
        self.at(moment(2, 21, 31))
        self.hand_in(self.witch, "antidote", give_up=True)
        self.hand_in(self.seer, "check", self.wolves[2])
        self.at(moment(2, 22, 0))
        self.clock.set(moment(2, 22, 2))
        self.hand_in(heir, "handover", last)
        self.at(moment(3, 9, 1))

    def third_day(self) -> None:
        """The last civilian is exiled: the wolves win."""
        self.clock.set(moment(3, 10))
        for seat in sorted(self.seats):
            if seat not in (self.folk[0], self.folk[1], self.guard):
                self.vote(seat, "ballot-3", self.folk[2])
        self.at(moment(3, 21, 0))


class Seated(Play):
    """A game that the test has seated, played in one tab that is everybody in turn."""

    def __init__(self, browser: Any, town: Town, clock: Clock, game: Any, size: int = 0) -> None:
        super().__init__(browser, town, clock, "")
        self.game, self.journal = game.pk, game.journal
        self.actor = Actor(browser, town, "", size=size)
        self.people.append(self.actor)

    def who(self, seat: int) -> Person:
        """The one tab, as this seat's player."""
        return self.actor.become(f"player{seat}")

    def text(self, seat: int, page: str) -> str:
        """What a page of the game says to a seat."""
        person = self.who(seat)
        person.open(f"/g/{self.game}/{page}")
        return person.said()
