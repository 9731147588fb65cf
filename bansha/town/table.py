"""A game as one request sees it: who looks, from which place, what the journal lets it know. Pages read games through this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property

from django.db.models import BooleanField, ExpressionWrapper, Q

from bansha.journal import doors, time
from bansha.journal.time import Pace
from bansha.rulesets.load import Loaded, load
from bansha.sight.rooms import Rooms
from bansha.sight.types import MeView, PublicView, View
from bansha.town import people
from bansha.town.calendar import pace_of
from bansha.town.memo import Memo
from bansha.town.models import Account, Game, Persona, Thread
from bansha.town.parts import Part, parts

_personas: Memo[dict[int, Persona]] = Memo(500)
PICTURED = ExpressionWrapper(Q(avatar__isnull=False), output_field=BooleanField())


class Table:
    """One viewer at one game, at one moment. Everything is looked up once, when it is first needed."""

    def __init__(self, game: Game, account: Account | None, now: datetime | None = None, place: people.Place | None = None) -> None:
        self.game = game
        self.account = account
        self.now = now or time.now()
        self.place = place or people.place(game, account, self.now)
        self.viewer = self.place.viewer
        self.seat = self.place.seat
        self.director = self.place.director
        self.told_at = self.now
        """The moment from which the page tells how long there is left."""
        self.newest: dict[str, int] = {}
        """The newest floor of rooms, where it has been looked up."""

    @property
    def begun(self) -> bool:
        """Dealt: there is a view to look at."""
        return self.game.journal is not None and self.game.status in ("running", "over")

    @property
    def directs(self) -> bool:
        """A director of this game (a visiting manager reads as one and is none)."""
        return self.director > 0

    @property
    def sees_all(self) -> bool:
        """Directors, and a manager with an act."""
        return self.viewer.kind == "director"

    @cached_property
    def stand(self) -> doors.Stand:
        """Where the journal stands now.

        Raises:
            AssertionError: the game has no journal yet.
        """
        assert self.game.journal is not None
        return doors.stand(self.game.journal, self.now)

    @cached_property
    def pace(self) -> Pace:
        """How the game's time runs."""
        if self.game.journal is not None:
            return self.stand.pace
        game = self.game
        return pace_of(self.loaded.ruleset, game.options, game.open_until or game.start, game.zone, game.pace)

    @cached_property
    def minute(self) -> int:
        """The game-local minute now."""
        return self.stand.minute if self.game.journal is not None else self.pace.minute(self.now)

    @property
    def still_until(self) -> datetime | None:
        """Until when the game's time stands still after an outage of the town."""
        return self.stand.still_until if self.game.journal is not None else None

    @cached_property
    def look(self) -> doors.Look:
        """What the journal lets this viewer know.

        Raises:
            AssertionError: the game has not begun.
        """
        assert self.begun and self.game.journal is not None
        return doors.see(self.game.journal, self.viewer, now=self.minute, at=self.stand)

    @property
    def view(self) -> View:
        """The view of this viewer."""
        return self.look.view

    @property
    def public(self) -> PublicView:
        """What everybody knows."""
        return self.look.view.public

    @property
    def me(self) -> MeView | None:
        """What my seat knows beside it."""
        return self.look.view.me if self.begun else None

    @property
    def rooms(self) -> Rooms:
        """What this viewer may read beside the public threads."""
        return self.look.rooms

    @cached_property
    def loaded(self) -> Loaded:
        """The ruleset: the pinned one, or before that the file."""
        return doors.ruleset(self.game.journal) if self.game.journal is not None else load(self.game.ruleset)

    @cached_property
    def personas(self) -> Mapping[int, Persona]:
        """The personas by seat, without their pictures (`pictured`: there is one). Once a game has begun they stay as they are, and
        a process asks for them once."""
        if self.begun:
            return _personas.made((self.game.pk, self.game.journal), self._asked)
        return self._asked()

    @cached_property
    def faces(self) -> tuple[tuple[object, ...], ...]:
        """What the windows of this game are drawn from: names, tones, lattices, whether there is a picture."""
        return tuple((seat, one.name, one.tone, one.lattice, getattr(one, "pictured", False)) for seat, one in self.personas.items())

    def _asked(self) -> dict[int, Persona]:
        found = Persona.objects.filter(game=self.game).defer("avatar").annotate(pictured=PICTURED)
        return {persona.seat: persona for persona in found}

    @cached_property
    def threads(self) -> Sequence[Thread]:
        """The public threads."""
        return list(self.game.threads.all())

    @cached_property
    def parts(self) -> Mapping[int, Sequence[Part]]:
        """After the end: which account had which part.

        Raises:
            AssertionError: the game is not over.
        """
        return parts(self.game, self.public, self.personas)

    def name(self, seat: int) -> str:
        """A persona's name; 弃权 for 0."""
        return self.personas[seat].name if seat else "弃权"

    def left(self, minute: int) -> int:
        """Real seconds left until a game minute (0 when it is past)."""
        return max(0, int((self.pace.moment(minute) - self.told_at).total_seconds()))


def tables(games: Sequence[Game], account: Account | None) -> list[Table]:
    """The tables of somebody at many games, in their order, with a constant number of questions."""
    now = time.now()
    places = people.in_games(games, account, now)
    stands = doors.stands([game.journal for game in games if game.journal is not None], now)
    made = [Table(game, account, now, places[game.pk]) for game in games]
    for table in made:
        if table.game.journal is not None:
            table.stand = stands[table.game.journal]
    return made
