"""A random game in the town: the random legal commands of `random_games`, done through the town's own acts by the accounts behind
the personas, with everything around them (den talk, tree holes, private lines, drafts, refused votes, directors' posts,
substitutes, assistants, pictures). It is played on from entry to entry, so that a test can stop it anywhere.

Accounts have names and numbers that occur nowhere else, so that they can be looked for in bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from bansha.referee import commands as c
from bansha.referee.board import ELECTION
from bansha.referee.judge import NEVER, due
from bansha.referee.refusals import Refused
from bansha.referee.state import DAY, OVER, State
from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from tests.support.notices import wants
from tests.support.random_games import choose, mood, pace, random_options
from tests.support.town import MONDAY, NAMES, Clock, account

WHISPERS = ("暗号：先看守护的动静。", "今晚我来，你们别动。", "雾里那盏灯是我点的。")
NOTES = ("今天第一次怀疑老海。", "我的票是演给他看的，秘密先记在这里。")
TALK = ("昨晚的灯是谁灭的？我守到十一点。", "先不要急着认人，票型再看一遍。", "投票对象：谁都不像\n投票理由：没有")
ABOUT = 40
"""Commands before something new is waited for; a game that stands still is over."""


class Eye(NamedTuple):
    """Somebody who looks (rules.md §7): what kind of viewer, whose account ("": a visitor), and what the referee calls it."""

    kind: str
    account: str
    viewer: Viewer


KINDS = (
    "visitor", "member", "spectator", "guest", "reserve", "player alive", "player out", "player out, not told", "assistant",
    "predecessor", "substitute", "manager", "manager with an act", "director",
)  # fmt: skip
"""Every kind of viewer of rules.md §7; the last two see everything but tree holes."""


class Played:
    """One game. `cast`: the names behind the seats at the start, in order; `spares`: accounts that can be put anywhere."""

    def __init__(self, ruleset: str, seed: int, clock: Clock) -> None:
        self.rng = rng = Random(f"played {ruleset} {seed}")
        self.clock = clock
        self.seed = seed
        self.entries = 0
        self.mood = mood(rng)
        self.mood.chatter = 0.1
        self.mood.pauses = rng.random() < 0.3
        self.mark = "qz" + "".join(rng.choice("bcdfghjkmnpqrstvwxz") for _ in range(5))
        self.number = 310_000_000_000 + rng.randrange(10**9) * 100
        self.people: dict[str, Any] = {}
        self.director = account(f"director{self.mark[2:]}", directs=True)
        self.game = self._opened(ruleset, seed, random_options(ruleset, rng) if rng.random() < 0.5 else {})
        self.refused = 0

    # --- opening ------------------------------------------------------------------------------------------------------

    def _person(self, role: str, **more: Any) -> Any:
        number = len(self.people)
        made = account(f"{self.mark}{number:02}", pk=self.number + number, email=f"{self.mark}{number:02}@mail.example", **more)
        self.people[role] = made
        return made

    def _opened(self, ruleset: str, seed: int, options: dict[str, str]) -> Any:
        from bansha.journal import doors
        from bansha.journal.time import local_minute
        from bansha.referee import dealing
        from bansha.referee import events as e
        from bansha.rulesets.load import load
        from bansha.town.looks import windows
        from bansha.town.models import Directing, Game, Persona, Signup, Tenure

        rng, loaded = self.rng, load(ruleset)
        rules = loaded.ruleset
        roles = [role for role, spec in rules.roles.items() for _ in range(spec.count)]
        monday = MONDAY + timedelta(days=rng.randrange(7))
        ends = monday + timedelta(hours=12) if rules.calendar.start == "night" else monday
        begin = ends - timedelta(minutes=rules.calendar.setup_minutes)
        self.clock.set(begin)
        game = Game.objects.create(
            title="雾码头", script="雾从河上来。", ruleset=rules.id, ruleset_hash=loaded.hash, options=options, start=ends,
            seats=len(roles), status="ceremony", opened_by=self.director, made_at=begin, review=rng.random() < 0.3,
        )  # fmt: skip
        Directing.objects.create(game=game, account=self.director, number=1)
        for seat, ((tone, lattice), persona) in enumerate(zip(windows(NAMES[: len(roles)]), NAMES, strict=False), 1):
            picture = _picture(seat) if rng.random() < 0.3 else None
            Persona.objects.create(game=game, seat=seat, name=persona, tone=tone, lattice=lattice, approved=True, avatar=picture)
            Tenure.objects.create(game=game, seat=seat, account=self._person(f"seat {seat}"), since=begin)
        for kind in ("spectator", "guest", "reserve", "assistant"):
            Signup.objects.create(game=game, account=self._person(kind), kind=kind, acknowledged=True, at=begin)
        for seat in range(1, len(roles) + 1):
            Signup.objects.create(
                game=game, account=self.people[f"seat {seat}"], kind="player", acknowledged=True, chosen=True, number=seat, at=begin
            )
        for role in ("member", "outsider", "substitute", "manager", "warden"):
            self._person(role, manages=role in ("manager", "warden"))
        game.journal = doors.found(loaded, options, begin, local_minute(begin, game.zone), game.zone, game.pace)
        game.save()
        dealt = list(dealing.deal(dealing.Dice.from_seed(seed), roles))
        doors.submit(game.journal, c.Record([e.Seeded(seed)]), begin, "town")
        setup = local_minute(ends, game.zone)
        doors.submit(game.journal, c.Open(dict(options), NAMES[: len(roles)], dealt, setup, {1: 9}), begin, "town")
        game.refresh_from_db()
        for person in self.people.values():
            wants(person.username)
        return game

    # --- who and where ------------------------------------------------------------------------------------------------

    @property
    def hidden(self) -> list[Any]:
        """Accounts that may not be named: all but the managers, whose office is public."""
        return [person for person in self.people.values() if not person.manages]

    @contextmanager
    def state(self) -> Iterator[State]:
        """The referee's state, as the town keeps it."""
        from bansha.journal import doors, keep

        with keep.kept(self.game.journal) as have:
            keep.catch_up(have, self.game.journal, doors.head(self.game.journal))
            yield have.state

    def behind(self, seat: int) -> Any:
        """The account that plays a seat now."""
        from bansha.town.models import Tenure

        return Tenure.objects.get(game=self.game, seat=seat, kind="player", until=None).account

    def table(self, seat: int) -> Any:
        """The table as the player of a seat sees it now (0: the director)."""
        from bansha.town.table import Table

        return Table(self.game, self.behind(seat) if seat else self.director)

    def at(self, minute: int) -> datetime:
        """Set the town's clock to a game minute."""
        from bansha.journal import doors

        return self.clock.set(doors.pace(self.game.journal).moment(minute))

    def eyes(self) -> dict[str, Eye]:
        """Who looks at this moment, by kind; a kind that nobody is of is left out."""
        from bansha.town.models import Tenure

        found = {kind: Eye(kind, self.people[kind].username, PUBLIC) for kind in ("member", "spectator", "guest", "reserve", "manager")}
        found["visitor"] = Eye("visitor", "", PUBLIC)
        found["manager with an act"] = Eye("manager with an act", self.people["warden"].username, DIRECTOR)
        found["director"] = Eye("director", self.director.username, DIRECTOR)
        with self.state() as s:
            alive, told, out = s.alive, s.told_out, [seat for seat in s.seats(s.seats_mask) if not s.alive >> seat & 1]
        groups = {
            "player alive": [seat for seat in range(1, self.game.seats + 1) if alive >> seat & 1],
            "player out": [seat for seat in out if told >> seat & 1],
            "player out, not told": [seat for seat in out if not told >> seat & 1],
        }  # fmt: skip
        for kind, seats in groups.items():
            if seats:
                seat = self.rng.choice(seats)
                found[kind] = Eye(kind, self.behind(seat).username, Viewer("player", seat))
        tenures = Tenure.objects.filter(game=self.game).select_related("account")
        for tenure in tenures:
            name = tenure.account.username
            if tenure.kind == "assistant" and tenure.until is None:
                found["assistant"] = Eye("assistant", name, Viewer("assistant", tenure.seat))
            elif tenure.until is not None:
                found["predecessor"] = Eye("predecessor", name, PUBLIC)
            elif tenure.account_id == self.people["substitute"].pk:
                found["substitute"] = Eye("substitute", name, Viewer("player", tenure.seat))
        return found

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, steps: int) -> bool:
        """Play on for so many commands or strokes; whether the game still runs."""
        self.game.refresh_from_db()
        for _ in range(steps):
            if not self._step():
                return False
            self._aside()
            self.entries += 1
        with self.state() as s:
            rest = min(due(s) - 1, s.now + self.rng.randrange(90))
            self.at(max(s.now, rest))
        self.game.refresh_from_db()
        return True

    def _step(self) -> bool:
        """One command, or one stroke of the clock."""
        from bansha.journal import doors

        for _ in range(ABOUT):
            with self.state() as s:
                if s.phase == OVER:
                    return False
                now, then = s.now, due(s)
                at = now + pace(s, self.rng, self.mood)
                if at < then:
                    s.now = at
                    found = choose(s, self.rng, self.mood)
                    s.now = now
            if at >= then:
                doors.strike(self.game.journal, self.at(then))
                break
            if found is None:
                if then < NEVER and self.rng.random() < 0.5:
                    doors.strike(self.game.journal, self.at(then))
                    break
                continue
            self.at(at)
            try:
                self._do(found[0])
            except Refused:
                self.refused += 1
                continue
            break
        with self.state() as s:
            return s.phase != OVER

    def _do(self, command: c.Command) -> None:
        """A command, as the town's people would do it."""
        from bansha.town import acts, opening

        match command:
            case c.Act(seat, choices):
                acts.hand_in(self.table(seat), dict(choices))
            case c.Vote(seat, ballot, target):
                acts.vote(self.table(seat), self._room(ballot), target, "票型说不通。")
            case c.Change(seat, ballot, target):
                self._quietly(lambda: acts.vote(self.table(seat), self._room(ballot), target, "又想了想。", change=True))
            case c.Proxy(seat, ballot, target):
                acts.proxy(self.table(0), seat, ballot, target)
            case c.Post(seat, thread):
                room = "process" if thread == "process" else f"{thread if thread in ('ballot', 'election') else 'talk'}-{self._day()}"
                self._quietly(lambda: acts.say(self.table(seat), room, self.rng.choice(TALK)))
            case c.Sign(seat, kind):
                acts.sign(self.table(seat), kind)
            case c.Surrender(seat, answer):
                acts.surrender(self.table(seat), answer)
            case c.LastWords(seat):
                acts.last_words(self.table(seat), "灯留给你们。")
            case c.Substitute(seat):
                self._quietly(lambda: opening.substitute(self.table(0), seat, self.people["substitute"]))
            case c.Assistant(seat):
                self._quietly(lambda: opening.assistant(self.table(0), seat, self.people["assistant"]))
            case _:
                acts.direct(self.table(0), command)

    def _quietly(self, act: Any) -> None:
        """What the town itself may refuse."""
        from bansha.town.acts import Denied

        try:
            act()
        except Denied:
            self.refused += 1

    def _day(self) -> int:
        with self.state() as s:
            return s.day

    def _room(self, ballot: int) -> str:
        return f"{'election' if ballot == ELECTION else 'ballot'}-{self._day()}"

    def _aside(self) -> None:
        """What people do beside the game's commands."""
        from bansha.town import acts

        rng, seat = self.rng, self.rng.randint(1, self.game.seats)
        what = rng.random()
        with suppress(acts.Denied, Refused):
            if what < 0.05:
                dens = self.table(seat).rooms.dens
                acts.whisper(self.table(seat), f"den-{dens[0].den}" if dens else "hole", rng.choice(WHISPERS))
            elif what < 0.08:
                acts.whisper(self.table(seat), "hole", rng.choice(NOTES))
            elif what < 0.1:
                acts.whisper(self.table(seat), f"line-{seat}", "导演，改票引用哪一楼？")
                acts.whisper(self.table(0), f"line-{seat}", "引用正生效的那一楼。")
            elif what < 0.12:
                acts.keep_draft(self.table(seat), f"talk-{self._day()}", "还没写完：三处疑点")
            elif what < 0.13:
                acts.say(self.table(0), f"talk-{self._day()}", "[b]关门前看一眼自己的票。[/b]")
            elif what < 0.15:
                self._enter(seat)

    def _enter(self, seat: int) -> None:
        """A substitute and an assistant come in, once each where the rules let them."""
        from bansha.town import opening

        with self.state() as s:
            day = s.phase == DAY
        opening.substitute(self.table(0), seat, self.people["substitute"]) if day else opening.assistant(
            self.table(0), seat, self.people["assistant"]
        )

    def visit(self) -> None:
        """The warden looks into the game, by an act with reason and term."""
        from bansha.journal import time
        from bansha.town.models import Visit

        now = time.now()
        Visit.objects.create(game=self.game, manager=self.people["warden"], reason="查一查", since=now, until=now + timedelta(days=1))


def _picture(seat: int) -> bytes:
    """A small PNG, another for every seat."""
    from PIL import Image

    kept = io.BytesIO()
    Image.new("RGB", (96, 96), (seat * 9, 80, 120)).save(kept, "PNG")
    return kept.getvalue()
