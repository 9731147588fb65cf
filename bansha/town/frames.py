"""A post as a piece of HTML, the same for everyone of an audience: the page lists it, the stream sends it.

An audience is one seat, the directors, or everybody else; nothing else of a reader stands in a frame: times are the game's,
what depends on how far somebody has read stands outside, and links to acts are there for all and refused where they must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any, Protocol

from django.template.loader import render_to_string

from bansha.sight.types import PublicView
from bansha.town.models import Game, Persona, Post
from bansha.town.tallies import Slip


class Audience(Protocol):
    """What a frame is made for; a `Table` is one. `seat`: whose eyes (0: no player's); `sees_all`: the directors'."""

    @property
    def game(self) -> Game:
        """The game."""

    @property
    def seat(self) -> int:
        """The seat of the audience."""

    @property
    def sees_all(self) -> bool:
        """Whether it is the directors."""

    @property
    def begun(self) -> bool:
        """Whether the game was dealt."""

    @property
    def public(self) -> PublicView:
        """What everybody knows."""

    @property
    def personas(self) -> Mapping[int, Persona]:
        """The personas by seat."""

    def name(self, seat: int) -> str:
        """A persona's name."""


def audience(table: Audience) -> str:
    """A name of the audience: those who share it share every frame."""
    return "directors" if table.sees_all else f"seat {table.seat}" if table.seat else "public"


def frame(post: Post, table: Audience, slip: Slip | None = None) -> str:
    """One post's HTML, in the active language; `slip`: the receipt of a vote as this audience may see it. The elevator's floor
    is made by its page: ""."""
    if post.voice == "lift":
        return ""
    return render_to_string("town/_post.html", frame_context(post, table, slip))


def frame_context(post: Post, table: Audience, slip: Slip | None) -> dict[str, Any]:
    """What the template of a post is given."""
    persona = table.personas.get(post.seat)
    return {
        "table": table,
        "post": post,
        "at": post.at.astimezone(UTC).isoformat(timespec="seconds"),
        "mine": post.seat > 0 and post.seat == table.seat,
        "signature": persona.signature if persona is not None and post.voice == "seat" else "",
        "dated": post.room == "process",
        "spoken": post.voice == "seat" and post.seat > 0,
        "slip": slip,
    }
