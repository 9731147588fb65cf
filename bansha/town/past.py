"""Finished games: how one ended and who was behind its personas. Everything here is public, for the game is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Sum
from django.utils.translation import get_language

from bansha.journal import doors
from bansha.rulesets.model import Ruleset, Text
from bansha.sight.types import PUBLIC
from bansha.town.models import Account, Directing, Game, Persona, Tenure, Thread

SIGNS = {"▲": "wolf", "●": "folk"}


@dataclass(frozen=True)
class Outcome:
    """How a game ended. `winner`: a faction's id, "" when nobody won; `day`: the last one; `roles`, `factions` by seat."""

    rules: Ruleset
    winner: str
    day: int
    alive: frozenset[int]
    roles: dict[int, str]
    factions: dict[int, str]

    @property
    def mark(self) -> str:
        """The class of the winner's mark."""
        return sign(self.rules, self.winner)


def said(text: Text) -> str:
    """A ruleset's text in the language of the page."""
    return text.en if (get_language() or "").startswith("en") else text.zh


def sign(rules: Ruleset, faction: str) -> str:
    """The class of a faction's mark: wolf ▲, folk ●, third ◆."""
    found = rules.factions.get(faction)
    return SIGNS.get(found.sign, "third") if found is not None else "third"


@lru_cache(maxsize=512)
def outcome(journal: int, head: int) -> Outcome:
    """How the game of a journal ended; `head`, its newest entry's number, makes what is kept stale when more is added."""
    public = doors.see(journal, PUBLIC).view.public
    winner = "" if public.winner in (None, "none") else str(public.winner)
    rules = doors.ruleset(journal).ruleset
    return Outcome(rules, winner, public.day, frozenset(public.alive), dict(public.roles), dict(public.factions))


@dataclass
class Playbill:
    """A finished game as a line of the old playbills."""

    game: Game
    board: str
    winner: str
    mark: str
    day: int
    floors: int
    directors: str


def playbills(games: Sequence[Game]) -> list[Playbill]:
    """Lines for these finished games, in their order, with a constant number of questions."""
    ended = [game for game in games if game.journal is not None]
    heads = doors.heads([game.journal for game in ended if game.journal is not None])
    floors = dict(Thread.objects.filter(game__in=ended).values_list("game").annotate(n=Sum("floors")).values_list("game", "n"))
    directors: dict[int, list[str]] = {}
    for pk, name in Directing.objects.filter(game__in=ended).order_by("number").values_list("game", "account__username"):
        directors.setdefault(pk, []).append(name)
    found = []
    for game in ended:
        assert game.journal is not None
        end = outcome(game.journal, heads[game.journal])
        faction = end.rules.factions.get(end.winner)
        winner = said(faction.name) if faction is not None else ""
        people = "、".join(directors.get(game.pk, []))
        found.append(Playbill(game, said(end.rules.name), winner, end.mark, end.day, floors.get(game.pk) or 0, people))
    return found


@dataclass
class Played:
    """A part somebody had in a finished game. `decided`: somebody won it; `handed_over`: somebody else took the seat before
    the end."""

    game: Game
    board: str
    persona: Persona
    role: str
    mark: str
    decided: bool
    won: bool
    alive: bool
    handed_over: bool


def played(account: Account) -> list[Played]:
    """The parts an account had in finished games, the newest first. What is still in play does not appear, nor that it is."""
    tenures = Tenure.objects.filter(account=account, kind="player", game__status="over", game__journal__isnull=False)
    rows = list(tenures.select_related("game").order_by("-game__start", "-game__pk"))
    heads = doors.heads([row.game.journal for row in rows if row.game.journal is not None])
    faces = Persona.objects.filter(game__in=[row.game for row in rows]).defer("avatar")
    personas = {(persona.game_id, persona.seat): persona for persona in faces}
    found = []
    for row in rows:
        assert row.game.journal is not None
        end = outcome(row.game.journal, heads[row.game.journal])
        faction = end.factions.get(row.seat, "")
        role = end.rules.roles[end.roles[row.seat]]
        found.append(
            Played(
                row.game, said(end.rules.name), personas[row.game_id, row.seat], said(role.name), sign(end.rules, faction),
                bool(end.winner), bool(end.winner) and faction == end.winner, row.seat in end.alive, row.until is not None,
            )
        )  # fmt: skip
    return found
