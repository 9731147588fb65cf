"""The computer players of one game: when each is asked, what it may know, and how what it wants is handed in.

Each has a token for its seat (`bansha.company.client`): it sees what the interface shows that seat, hears the public threads, and
hands in what it wants there, as any program does. Nothing here is needed for long: after a restart everything is taken from the
view and from the posts again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from bansha.company.client import Client, Gone, Refused
from bansha.company.hear import Ear, Room
from bansha.players import Intent, Player, Talk
from bansha.players import intents as i
from bansha.rulesets.model import Ruleset
from bansha.sight.types import View

log = logging.getLogger("bansha.company")

VOTES = 230
"""Minutes before the close at which the vote is asked for, and below the one change."""
CHANGES = 125
PAUSE = 6
"""Minutes between two posts of one player that wants to say several things."""
IDLE = 60
"""Minutes by day between two looks for what is not a round of the day."""
OFTEN = 2
"""Real seconds between two such looks by night, a game minute at least."""
ROOMS: Mapping[str, Room] = {"talk": "discussion", "ballot": "ballot", "election": "election"}


@dataclass
class Look:
    """What a seat saw: the minute, its view, the newest floor of each room, and whether the threads take its posts."""

    minute: int
    view: View
    rooms: Mapping[str, int]
    writes: bool


@dataclass
class Actor:
    """One computer player: `rounds`: how often it was asked today; `asked`: what it was last asked about by night; `look`: the
    minute from which it is looked at again; `later`: what it will say, and when."""

    seat: int
    client: Client
    player: Player
    day: int = 0
    rounds: int = 0
    asked: tuple[object, ...] = ()
    fresh: bool = True
    look: int = 0
    later: list[tuple[int, i.Say]] = field(default_factory=list)
    seen: View | None = None

    def see(self) -> Look:
        """Look at the game."""
        seen = self.client.view()
        if self.client.fresh or self.seen is None:
            self.seen = msgspec.convert(seen["view"], View, str_keys=True)
        self.seen.public.now = seen["minute"]
        return Look(seen["minute"], self.seen, {room["room"]: room["newest"] for room in seen["rooms"]}, not seen["why"])


class Troupe:
    """The computer players of a game. `step` is called again and again.

    Args:
        clients: one with a token for each of their seats.
        seed: of their tempers (0: the game's number).
        idle: game minutes between two looks by night (0: a moment of real time).
    """

    def __init__(self, clients: Mapping[int, Client], seed: int = 0, idle: int = 0) -> None:
        one = next(iter(clients.values()))
        facts = one.facts()
        self.game: int = facts["game"]
        self.seed = seed or self.game
        self.idle = idle or max(1, facts["pace"] * OFTEN // 60)
        self.rules = msgspec.convert(one.ruleset(), Ruleset, str_keys=True)
        self.ear = Ear(self.rules, dict(enumerate(facts["personas"], 1)))
        self.actors: dict[int, Actor] = {}
        for seat, client in sorted(clients.items()):
            self.join(seat, client)
        self.talk: list[Talk] = []
        self.meant: dict[int, tuple[i.Act, ...]] = {}
        self.farewells: dict[int, tuple[i.Act, ...]] = {}
        self.heard: dict[str, int] = {}
        self.wake = 0
        self.opened = (0, 0)
        self.stamp: tuple[str, int] = ("", -1)

    def join(self, seat: int, client: Client) -> None:
        """A computer player takes a seat."""
        self.actors[seat] = Actor(seat, client, Player(seat, self.seed, self.rules))
        self.wake = 0

    def leave(self, seat: int) -> None:
        """A seat is somebody else's now."""
        del self.actors[seat]

    # --- one look -------------------------------------------------------------------------------------------------

    def step(self, nudge: bool = False) -> int:
        """Ask whoever has something to do. Returns how many acts were handed in. `nudge`: somebody says that something may have
        happened, so that by night all of them look at once.

        Raises:
            Gone: a token opens nothing any more.
            Busy: the town does not answer.
        """
        first = min(self.actors.values(), key=lambda actor: actor.look)
        hall = first.see()
        if not nudge and not first.client.fresh and hall.minute < self.wake:
            return 0
        self.listen(first.client, hall)
        public = hall.view.public
        stamp = (public.phase, public.day)
        if stamp != self.stamp or (nudge and stamp[0] != "day"):
            for actor in self.actors.values():
                actor.look = 0
        self.stamp = stamp
        done = 0
        for actor in self.actors.values():
            if hall.minute >= actor.look:
                actor.look = hall.minute + (IDLE if stamp[0] == "day" else self.idle)
                done += self._turn(actor, hall if actor is first else actor.see())
        self.wake = min(actor.look for actor in self.actors.values())
        return done

    def listen(self, client: Client, hall: Look) -> None:
        """Hear what was posted in public since the last time."""
        fresh: list[tuple[str, int, dict[str, Any], int, Room]] = []
        for room, newest in hall.rooms.items():
            kind, _, day = room.partition("-")
            if kind not in ROOMS or newest <= self.heard.get(room, 0):
                continue
            for post in client.posts(room, self.heard.get(room, 0), 1 << 30):
                self.heard[room] = post["floor"]
                if post["voice"] == "seat" and post["note"] != "sign":
                    place: Room = "last_words" if post["note"] == "lastwords" else ROOMS[kind]
                    fresh.append((post["at"], post["ref"], post, int(day), place))
        for _at, ref, post, day_, place in sorted(fresh, key=lambda one: one[:2]):
            seat, words = post["seat"], post["words"]
            meant = self.farewells.get(seat) if place == "last_words" else self.meant.get(ref)
            if meant is not None:
                self.talk.append(Talk(day_, seat, place, meant, words))
            else:
                self.talk.append(self.ear.post(day_, seat, place, words, post["receipt"]))

    def _turn(self, actor: Actor, look: Look) -> int:
        """Ask one of them, if it is its time."""
        view = look.view
        assert view.me is not None
        if view.public.phase == "over":
            return 0
        if actor.fresh:
            actor.fresh = False
            self._resume(actor, look)
        done = self._say_later(actor, look)
        if view.public.phase == "day" and not view.me.out and actor.seat in view.public.alive:
            wanted = self._day(actor, look)
        else:
            wanted = self._asked(actor, view)
        if wanted:
            done += self._ask(actor, look)
        return done

    def _asked(self, actor: Actor, view: View) -> bool:
        """Whether something waits for this one that it was not asked about yet."""
        me = view.me
        assert me is not None
        open_ = tuple(skill.id for skill in me.skills if skill.state in ("open", "prompt") and not skill.has_kept)
        waits = (view.public.phase, view.public.day, open_, me.prompt, me.last_words, me.surrender == "asked")
        if waits == actor.asked:
            return False
        actor.asked = waits
        return bool(open_ or me.prompt or me.last_words or me.surrender == "asked")

    def _day(self, actor: Actor, look: Look) -> bool:
        """Four rounds a day: two of talk, the vote, the change; each seat at minutes of its own."""
        public, me = look.view.public, look.view.me
        assert me is not None
        if actor.day != public.day:
            actor.day, actor.rounds = public.day, 0
        times = self.times(actor, look)
        waits = ("day", public.day, me.prompt, me.surrender == "asked")
        if waits != actor.asked:
            actor.asked = waits
            if me.prompt or me.surrender == "asked":
                return True
        if actor.rounds < len(times) and look.minute >= times[actor.rounds]:
            actor.rounds += 1
            self._wake(times, actor)
            return True
        self._wake(times, actor)
        return False

    def _wake(self, times: Sequence[int], actor: Actor) -> None:
        if actor.rounds < len(times):
            actor.look = min(actor.look, times[actor.rounds])

    def times(self, actor: Actor, look: Look) -> list[int]:
        """When this one is asked today."""
        public = look.view.public
        opened, closes = self._opening(actor, look), public.closes_at
        living = public.alive
        turn = (living.index(actor.seat) + self.seed + public.day * 3) % len(living)
        talk = max(closes - 330 - opened, 60)
        spread = talk // 2 // len(living)
        close = min(7, max(1, 60 // len(living)))
        return [
            opened + 12 + turn * spread,
            opened + 20 + talk // 2 + (turn * 3) % len(living) * spread,
            max(opened + 1, closes - VOTES + turn * close),
            max(opened + 2, closes - CHANGES + (turn * 7) % len(living) * 2),
        ]

    def _opening(self, actor: Actor, look: Look) -> int:
        """When today opened, as its first post says."""
        day = look.view.public.day
        if self.opened[0] != day:
            first = actor.client.posts(f"talk-{day}", limit=1) if f"talk-{day}" in look.rooms else []
            self.opened = (day, first[0]["minute"] if first else look.minute)
        return self.opened[1]

    def _resume(self, actor: Actor, look: Look) -> None:
        """Give a player back what it would remember had it sat there all the time: what it said itself, how far today is."""
        player, public, me = actor.player, look.view.public, look.view.me
        assert me is not None
        if public.day <= 1 and not me.posts_today:
            return
        memory, temper = player.memory, player.temper
        memory.see(look.view)
        memory.hear(self.talk)
        claim = memory.claims.get(actor.seat)
        if claim is not None:
            temper.claimed, temper.honest = claim.role, claim.role == me.role
        for report in memory.reports:
            if report.by == actor.seat:
                temper.told.add(report.target)
                temper.invented.add(report.night)
        if me.posts_today and public.phase == "day" and actor.seat in public.alive:
            memory.turn = 1
            actor.day = public.day
            actor.rounds = sum(at <= look.minute for at in self.times(actor, look))

    # --- handing in -----------------------------------------------------------------------------------------------

    def _ask(self, actor: Actor, look: Look) -> int:
        """Let one decide, and hand in what it wants; what is said after the first words waits a little."""
        wants = actor.player.decide(look.view, self.talk)
        skills = [want for want in wants if isinstance(want, i.Use)]
        done = self._at_door(actor, lambda: self.use(actor, skills)) if skills else 0
        spoken = 0
        for want in wants:
            if isinstance(want, i.Use):
                continue
            if isinstance(want, i.Say) and spoken:
                actor.later.append((look.minute + PAUSE * spoken, want))
                actor.look = min(actor.look, look.minute + PAUSE * spoken)
            else:
                done += self._hand_in(actor, want)
            spoken += isinstance(want, i.Say)
        return done

    def _say_later(self, actor: Actor, look: Look) -> int:
        """Say what has waited long enough; what the close has overtaken is forgotten."""
        ready = [want for at, want in actor.later if at <= look.minute]
        actor.later = [(at, want) for at, want in actor.later if at > look.minute]
        for at, _ in actor.later:
            actor.look = min(actor.look, at)
        if not look.writes:
            return 0
        return sum(self._hand_in(actor, want) for want in ready)

    def _hand_in(self, actor: Actor, want: Intent) -> int:
        return self._at_door(actor, lambda: HAND_IN[type(want)](self, actor, want))

    def _at_door(self, actor: Actor, act: Callable[[], object]) -> int:
        """One act at the door; a refusal is the end of it."""
        try:
            act()
        except Gone:
            raise
        except Refused as refusal:
            log.debug("game %s, seat %s: %s", self.game, actor.seat, refusal)
            return 0
        return 1

    def use(self, actor: Actor, wants: Sequence[i.Use | i.Answer]) -> None:
        """Skills, all in one submission."""
        actor.client.hand_in(self.choices(wants))

    def choices(self, wants: Sequence[i.Use | i.Answer]) -> dict[int, list[int] | bool | None]:
        """Skills as they are handed in: number → seats, True (no target), None (pass)."""
        choices: dict[int, list[int] | bool | None] = {}
        for want in wants:
            raw = self.rules.skills[want.skill]
            bare = want.targets is not None and not raw.targets and not raw.share
            choices[want.index] = True if bare else want.targets
        return choices

    def answer(self, actor: Actor, want: i.Answer) -> None:
        """The answer to a prompt."""
        self.use(actor, [want])

    def say(self, actor: Actor, want: i.Say) -> dict[str, Any]:
        """A post in today's thread."""
        post = actor.client.say(f"talk-{self.stamp[1]}", want.text)
        self.meant[post["ref"]] = want.acts
        return post

    def vote(self, actor: Actor, want: i.Vote | i.Change) -> dict[str, Any]:
        """A vote or its change."""
        change = isinstance(want, i.Change)
        post = actor.client.vote(want.ballot, want.target, want.text or "无", change)
        self.meant[post["ref"]] = (i.Act("change" if change else "vote", want.target, why=want.why, topic=want.ballot),)
        return post

    def sign(self, actor: Actor, want: i.Sign) -> None:
        """A signature."""
        actor.client.sign(want.kind)

    def surrender(self, actor: Actor, want: i.Surrender) -> None:
        """Surrender proposed or answered."""
        actor.client.surrender(want.answer or "propose")

    def last_words(self, actor: Actor, want: i.LastWords) -> None:
        """Last words."""
        actor.client.last_words(want.text)
        self.farewells[actor.seat] = want.acts


HAND_IN: Mapping[type, Callable[..., object]] = {
    i.Answer: Troupe.answer,
    i.Say: Troupe.say,
    i.Vote: Troupe.vote,
    i.Change: Troupe.vote,
    i.Sign: Troupe.sign,
    i.Surrender: Troupe.surrender,
    i.LastWords: Troupe.last_words,
}
