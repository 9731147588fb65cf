"""The computer players of one game: when each is asked, what it may know, and how what it wants is handed in.

Each sees `Table(game, its account).view` and hears the public threads; it acts through `bansha.town.acts`, as people do.
Nothing here is needed for long: after a restart everything is taken from the view and from the posts again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bansha.company.hear import Ear, Room
from bansha.journal import doors
from bansha.players import Intent, Player, Talk
from bansha.players import intents as i
from bansha.referee.refusals import Refused
from bansha.rulesets.model import Ruleset
from bansha.sight.types import View
from bansha.town import acts
from bansha.town.models import Account, Game, Persona, Post, Tenure
from bansha.town.readable import readable
from bansha.town.table import Table

log = logging.getLogger("bansha.company")

VOTES = 230
"""Minutes before the close at which the vote is asked for, and below the one change."""
CHANGES = 125
PAUSE = 6
"""Minutes between two posts of one player that wants to say several things."""
IDLE = 30
"""Minutes between two looks for what is neither a round of the day nor written in the journal."""
ROOMS: Mapping[str, Room] = {"talk": "discussion", "ballot": "ballot", "election": "election"}


@dataclass
class Actor:
    """One computer player: `rounds`: how often it was asked today; `asked`: what it was last asked about by night; `look`: the
    minute from which it is looked at again; `later`: what it will say, and when."""

    seat: int
    account: Account
    player: Player
    day: int = 0
    rounds: int = 0
    asked: tuple[object, ...] = ()
    fresh: bool = True
    look: int = 0
    later: list[tuple[int, i.Say]] = field(default_factory=list)


class Troupe:
    """The computer players of a game. `step` is called again and again with the present moment.

    Args:
        game: a game that was dealt.
        seed: of its players' tempers.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        assert game.journal is not None
        self.game = game
        self.journal = game.journal
        self.seed = seed or int(game.pk)
        self.rules: Ruleset = doors.ruleset(self.journal).ruleset
        names = dict(Persona.objects.filter(game=game).values_list("seat", "name"))
        self.ear = Ear(self.rules, names)
        self.actors: dict[int, Actor] = {}
        self.talk: list[Talk] = []
        self.meant: dict[int, tuple[i.Act, ...]] = {}
        self.farewells: dict[int, tuple[i.Act, ...]] = {}
        self.heard = 0
        self.head = -1
        self.wake = 0
        self.opened = (0, 0)
        self.stamp: tuple[str, int] = ("", -1)

    # --- one look -------------------------------------------------------------------------------------------------

    def step(self, now: datetime) -> int:
        """Ask whoever has something to do. Returns how many acts were handed in."""
        head = doors.head(self.journal)
        hall = Table(self.game, None, now)
        if head == self.head and hall.minute < self.wake:
            return 0
        self.game.refresh_from_db()
        self._seats()
        self.listen(hall)
        stamp = (hall.public.phase, hall.public.day)
        if stamp != self.stamp or (stamp[0] != "day" and head != self.head):
            for actor in self.actors.values():
                actor.look = 0
        self.stamp, self.head = stamp, head
        done = 0
        for actor in self.actors.values():
            if hall.minute >= actor.look:
                actor.look = hall.minute + IDLE
                done += self._turn(actor, now)
        self.wake = min((actor.look for actor in self.actors.values()), default=1 << 60)
        return done

    def _seats(self) -> None:
        """Who sits where now: a substitution takes a seat from a computer player, or gives it one."""
        open_ = Tenure.objects.filter(game=self.game, until=None, kind="player", account__computer=True).select_related("account")
        sitting = {tenure.seat: tenure.account for tenure in open_}
        for seat in [seat for seat, actor in self.actors.items() if sitting.get(seat) != actor.account]:
            del self.actors[seat]
        for seat, account in sorted(sitting.items()):
            if seat not in self.actors:
                self.actors[seat] = Actor(seat, account, Player(seat, self.seed, self.rules))

    def listen(self, hall: Table) -> None:
        """Hear what was posted in public since the last time."""
        posts = readable(hall).filter(voice="seat", pk__gt=self.heard).exclude(note="sign").order_by("pk")
        for post in posts:
            self.heard = post.pk
            kind, _, day = post.room.partition("-")
            room: Room | None = "last_words" if post.note == "lastwords" else ROOMS.get(kind)
            if room is None or not day.isdigit():
                continue
            meant = self.farewells.get(post.seat) if room == "last_words" else self.meant.get(post.ref)
            if meant is not None:
                self.talk.append(Talk(int(day), post.seat, room, meant, post.words))
            else:
                self.talk.append(self.ear.post(int(day), post.seat, room, post.words, post.receipt))

    def _turn(self, actor: Actor, now: datetime) -> int:
        """Ask one of them, if it is its time."""
        table = Table(self.game, actor.account, now)
        if table.seat != actor.seat:
            return 0
        view = table.view
        assert view.me is not None
        if view.public.phase == "over":
            return 0
        if actor.fresh:
            actor.fresh = False
            self._resume(actor, table)
        done = self._say_later(actor, table)
        if view.public.phase == "day" and not view.me.out and actor.seat in view.public.alive:
            wanted = self._day(actor, table)
        else:
            wanted = self._asked(actor, view)
        if wanted:
            done += self._ask(actor, table)
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

    def _day(self, actor: Actor, table: Table) -> bool:
        """Four rounds a day: two of talk, the vote, the change; each seat at minutes of its own."""
        public, me = table.public, table.me
        assert me is not None
        if actor.day != public.day:
            actor.day, actor.rounds = public.day, 0
        times = self.times(actor, table)
        waits = ("day", public.day, me.prompt, me.surrender == "asked")
        if waits != actor.asked:
            actor.asked = waits
            if me.prompt or me.surrender == "asked":
                return True
        if actor.rounds < len(times) and table.minute >= times[actor.rounds]:
            actor.rounds += 1
            self._wake(times, actor)
            return True
        self._wake(times, actor)
        return False

    def _wake(self, times: Sequence[int], actor: Actor) -> None:
        if actor.rounds < len(times):
            actor.look = min(actor.look, times[actor.rounds])

    def times(self, actor: Actor, table: Table) -> list[int]:
        """When this one is asked today."""
        public = table.public
        opened, closes = self._opening(table), public.closes_at
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

    def _opening(self, table: Table) -> int:
        """When today opened, as its first post says."""
        day = table.public.day
        if self.opened[0] != day:
            first = Post.objects.filter(game=self.game, room=f"talk-{day}").order_by("floor").values_list("minute", flat=True).first()
            self.opened = (day, first if first is not None else table.minute)
        return self.opened[1]

    def _resume(self, actor: Actor, table: Table) -> None:
        """Give a player back what it would remember had it sat there all the time: what it said itself, how far today is."""
        player, public, me = actor.player, table.public, table.me
        assert me is not None
        if public.day <= 1 and not me.posts_today:
            return
        memory, temper = player.memory, player.temper
        memory.see(table.view)
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
            actor.rounds = sum(at <= table.minute for at in self.times(actor, table))

    # --- handing in -----------------------------------------------------------------------------------------------

    def _ask(self, actor: Actor, table: Table) -> int:
        """Let one decide, and hand in what it wants; what is said after the first words waits a little."""
        wants = actor.player.decide(table.view, self.talk)
        skills = [want for want in wants if isinstance(want, i.Use)]
        done = self._at_door(actor, lambda: self.use(table, skills)) if skills else 0
        spoken = 0
        for want in wants:
            if isinstance(want, i.Use):
                continue
            if isinstance(want, i.Say) and spoken:
                actor.later.append((table.minute + PAUSE * spoken, want))
                actor.look = min(actor.look, table.minute + PAUSE * spoken)
            else:
                done += self._hand_in(actor, table, want)
            spoken += isinstance(want, i.Say)
        return done

    def _say_later(self, actor: Actor, table: Table) -> int:
        """Say what has waited long enough; what the close has overtaken is forgotten."""
        ready = [want for at, want in actor.later if at <= table.minute]
        actor.later = [(at, want) for at, want in actor.later if at > table.minute]
        for at, _ in actor.later:
            actor.look = min(actor.look, at)
        if not table.rooms.writes:
            return 0
        return sum(self._hand_in(actor, table, want) for want in ready)

    def _hand_in(self, actor: Actor, table: Table, want: Intent) -> int:
        return self._at_door(actor, lambda: HAND_IN[type(want)](self, table, want))

    def _at_door(self, actor: Actor, act: Callable[[], None]) -> int:
        """One act at the door; a refusal is the end of it."""
        try:
            act()
        except (Refused, acts.Denied) as refusal:
            log.debug("game %s, seat %s: %s", self.game.pk, actor.seat, refusal)
            return 0
        return 1

    def use(self, table: Table, wants: Sequence[i.Use | i.Answer]) -> None:
        """Skills, all in one submission."""
        choices: dict[int, Any] = {}
        for want in wants:
            raw = self.rules.skills[want.skill]
            bare = want.targets is not None and not raw.targets and not raw.share
            choices[want.index] = True if bare else want.targets
        acts.hand_in(table, choices)

    def answer(self, table: Table, want: i.Answer) -> None:
        """The answer to a prompt."""
        self.use(table, [want])

    def say(self, table: Table, want: i.Say) -> None:
        """A post in today's thread."""
        post = acts.say(table, f"talk-{table.public.day}", want.text)
        self.meant[post.ref] = want.acts

    def vote(self, table: Table, want: i.Vote | i.Change) -> None:
        """A vote or its change."""
        room = f"{'election' if want.ballot == 'election' else 'ballot'}-{table.public.day}"
        change = isinstance(want, i.Change)
        post = acts.vote(table, room, want.target, want.text or "无", change=change)
        self.meant[post.ref] = (i.Act("change" if change else "vote", want.target, why=want.why, topic=want.ballot),)

    def sign(self, table: Table, want: i.Sign) -> None:
        """A signature."""
        acts.sign(table, want.kind)

    def surrender(self, table: Table, want: i.Surrender) -> None:
        """Surrender proposed or answered."""
        acts.surrender(table, want.answer)

    def last_words(self, table: Table, want: i.LastWords) -> None:
        """Last words."""
        acts.last_words(table, want.text)
        self.farewells[table.seat] = want.acts


HAND_IN: Mapping[type, Callable[..., None]] = {
    i.Answer: Troupe.answer,
    i.Say: Troupe.say,
    i.Vote: Troupe.vote,
    i.Change: Troupe.vote,
    i.Sign: Troupe.sign,
    i.Surrender: Troupe.surrender,
    i.LastWords: Troupe.last_words,
}
