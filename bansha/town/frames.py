"""A post as a piece of HTML, the same for everyone of an audience: the page lists it, the stream sends it.

An audience is one seat, the directors, or everybody else; nothing else of a reader stands in a frame: times are the game's,
what depends on how far somebody has read stands outside, and links to acts are there for all and refused where they must be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, Protocol

from django.template.loader import render_to_string
from django.utils.translation import get_language

from bansha.rulesets.load import Loaded
from bansha.sight.types import PublicView
from bansha.town.memo import Memo
from bansha.town.models import Game, Persona, Post
from bansha.town.parts import Beside, Part, beside
from bansha.town.tallies import Slip

REVEALED = 10**11
"""Quotes name posts of the reveal thread, which the journal does not know, by this number and their floor."""


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

    @property
    def loaded(self) -> Loaded:
        """The ruleset."""

    @property
    def parts(self) -> Mapping[int, Sequence[Part]]:
        """After the end: which account had which part."""

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
    if slip is not None or post.voice == "account":
        return render_to_string("town/_post.html", frame_context(post, table, slip))
    return _frames.made(_made_of(post, table), lambda: render_to_string("town/_post.html", frame_context(post, table, None)))


_frames: Memo[str] = Memo(5000)


def _made_of(post: Post, table: Audience) -> tuple[object, ...]:
    """Everything that the frame of a post without a receipt is made of. Of who reads only this stands in it: whether it is
    theirs."""
    persona = table.personas.get(post.seat)
    gone = table.begun and post.seat not in table.public.alive
    face = (persona.name, persona.tone, persona.lattice, getattr(persona, "pictured", False), persona.signature) if persona else ()
    return (get_language(), post.pk, post.room, post.floor, post.html, post.seat > 0 and post.seat == table.seat, gone, face)


def frame_context(post: Post, table: Audience, slip: Slip | None) -> dict[str, Any]:
    """What the template of a post is given."""
    persona = table.personas.get(post.seat)
    author, shown = byline(post, table)
    return {
        "author": author,
        "beside": shown,
        "quoted_by": post.ref or (REVEALED + post.floor if author else 0),
        "table": table,
        "post": post,
        "at": post.at.astimezone(UTC).isoformat(timespec="seconds"),
        "mine": post.seat > 0 and post.seat == table.seat and not author,
        "signature": persona.signature if persona is not None and post.voice == "seat" else "",
        "dated": post.room in ("process", "reveal"),
        "spoken": post.voice == "seat" and post.seat > 0,
        "one": post.seat > 0 and (post.voice == "seat" or author != ""),
        "slip": slip,
    }


def byline(post: Post, table: Audience) -> tuple[str, list[Beside]]:
    """Who wrote a post of the reveal thread, and what stands beside the name; "" for posts of personas, directors, the referee."""
    if post.voice != "account" or post.room != "reveal" or post.author is None:
        return "", []
    rules = table.loaded.ruleset
    mine = table.parts.get(post.author.pk) or [Part("spectator", post.author.pk, post.author.username)]
    return post.author.username, [words for part in mine for words in beside(part, rules)]
