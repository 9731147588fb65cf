"""A game as one request sees it: who looks, from which place, what the journal lets it know. Pages read games through this."""

from __future__ import annotations

from collections.abc import Mapping
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
from bansha.town.models import Account, Game, Persona

PICTURED = ExpressionWrapper(Q(avatar__isnull=False), output_field=BooleanField())


class Table:
    """One viewer at one game, at one moment. Everything is looked up once, when it is first needed."""

    def __init__(self, game: Game, account: Account | None, now: datetime | None = None) -> None:
        self.game = game
        self.account = account
        self.now = now or time.now()
        self.place = people.place(game, account, self.now)
        self.viewer = self.place.viewer
        self.seat = self.place.seat
        self.director = self.place.director

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
    def pace(self) -> Pace:
        """How the game's time runs."""
        if self.game.journal is not None:
            return doors.pace(self.game.journal)
        game = self.game
        return pace_of(self.loaded.ruleset, game.options, game.open_until or game.start, game.zone, game.pace)

    @cached_property
    def minute(self) -> int:
        """The game-local minute now."""
        return doors.minute(self.game.journal, self.now) if self.game.journal is not None else self.pace.minute(self.now)

    @cached_property
    def still_until(self) -> datetime | None:
        """Until when the game's time stands still after an outage of the town."""
        return doors.still_until(self.game.journal, self.now) if self.game.journal is not None else None

    @cached_property
    def look(self) -> doors.Look:
        """What the journal lets this viewer know.

        Raises:
            AssertionError: the game has not begun.
        """
        assert self.begun and self.game.journal is not None
        return doors.see(self.game.journal, self.viewer, now=self.minute)

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
        """The personas by seat, without their pictures (`pictured`: there is one)."""
        found = Persona.objects.filter(game=self.game).defer("avatar").annotate(pictured=PICTURED)
        return {persona.seat: persona for persona in found}

    def name(self, seat: int) -> str:
        """A persona's name; 弃权 for 0."""
        return self.personas[seat].name if seat else "弃权"

    def left(self, minute: int) -> int:
        """Real seconds left until a game minute (0 when it is past)."""
        return max(0, int((self.pace.moment(minute) - self.now).total_seconds()))
