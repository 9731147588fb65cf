"""Who was who in a game that is over: which account had which part in it. Before the end nobody asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from bansha.rulesets.model import Ruleset
from bansha.sight.types import PublicView
from bansha.town.models import Directing, Game, Persona, Signup, Tenure
from bansha.town.past import said, sign

KINDS = ("player", "assistant", "director", "reserve", "guest", "spectator")
"""Parts, the most telling first."""


@dataclass(frozen=True)
class Part:
    """A part an account had. `seat` (0: none), `persona`, `role`, `faction` (ids) of players and assistants; `since`, `until`: when
    it held the seat (`until` None: to the end); `number`: a director's."""

    kind: str
    account: int
    name: str
    seat: int = 0
    persona: str = ""
    role: str = ""
    faction: str = ""
    since: datetime | None = None
    until: datetime | None = None
    number: int = 0


def parts(game: Game, public: PublicView, personas: Mapping[int, Persona]) -> dict[int, list[Part]]:
    """The parts by account, the latest seat first; three questions to the database.

    Raises:
        AssertionError: the game is not over.
    """
    assert public.phase == "over"
    found = [*_seated(game, public, personas), *_others(game)]
    by_account: dict[int, list[Part]] = {}
    for part in sorted(found, key=lambda part: (KINDS.index(part.kind), -part.since.timestamp() if part.since else 0)):
        mine = by_account.setdefault(part.account, [])
        if not mine or part.kind in ("player", "assistant", "director"):  # who played is no spectator beside it
            mine.append(part)
    return by_account


def _seated(game: Game, public: PublicView, personas: Mapping[int, Persona]) -> Iterable[Part]:
    for tenure in Tenure.objects.filter(game=game).select_related("account"):
        seat = tenure.seat
        yield Part(
            tenure.kind, tenure.account_id, tenure.account.username, seat, personas[seat].name, public.roles.get(seat, ""),
            public.factions.get(seat, ""), tenure.since, tenure.until,
        )  # fmt: skip


def _others(game: Game) -> Iterable[Part]:
    for row in Directing.objects.filter(game=game).select_related("account"):
        yield Part("director", row.account_id, row.account.username, number=row.number)
    for signup in Signup.objects.filter(game=game).select_related("account"):
        kind = "spectator" if signup.kind in ("player", "assistant") else signup.kind
        yield Part(kind, signup.account_id, signup.account.username)


@dataclass(frozen=True)
class Beside:
    """What stands beside an account's name: words and, for a role, the class of its faction's sign ("": none)."""

    words: str
    mark: str = ""


def beside(part: Part, rules: Ruleset) -> list[Beside]:
    """A part in words: persona and role of a player, whom an assistant helped, or what else the account was."""
    if part.kind == "player":
        handed = [Beside(_("中途换下"))] if part.until is not None else []
        return [Beside(part.persona), Beside(role_name(part.role, rules), sign(rules, part.faction)), *handed]
    words = {
        "assistant": _("%(persona)s的场助"), "director": _("导演"), "reserve": _("替补"), "guest": _("嘉宾"), "spectator": _("观众"),
    }[part.kind]  # fmt: skip
    return [Beside(words % {"persona": part.persona} if part.kind == "assistant" else words)]


def role_name(role: str, rules: Ruleset) -> str:
    """A role's name in the language of the page."""
    found = rules.roles.get(role)
    return said(found.name) if found is not None else role
