"""Who somebody is in a game: director, player, assistant, or one of the public. The only place that binds accounts to seats."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from bansha.town.models import Account, Directing, Game, Tenure, Visit


class Place:
    """Somebody's place in a game. `director`: their number, 0 for others; `visiting`: a manager who looks by an act, and
    writes nothing."""

    def __init__(self, viewer: Viewer, director: int = 0, visiting: bool = False) -> None:
        self.viewer = viewer
        self.director = director
        self.visiting = visiting

    @property
    def seat(self) -> int:
        """The seat this one acts for (0: none)."""
        return self.viewer.seat if self.viewer.kind == "player" else 0


def place(game: Game, account: Account | None, now: datetime) -> Place:
    """Somebody's place in a game now."""
    if account is None:
        return Place(PUBLIC)
    for number in Directing.objects.filter(game=game, account=account).values_list("number", flat=True)[:1]:
        return Place(DIRECTOR, number)
    for kind, seat in Tenure.objects.filter(game=game, account=account, until=None).values_list("kind", "seat")[:1]:
        return _seated(kind, seat)
    if account.manages and Visit.objects.filter(game=game, manager=account, since__lte=now, until__gt=now).exists():
        return Place(DIRECTOR, visiting=True)
    return Place(PUBLIC)


def places(game: Game, accounts: Iterable[Account], now: datetime) -> dict[int, Place]:
    """The places of many accounts in a game now, each as `place` gives it, by the account's number; three questions for all."""
    accounts = list(accounts)
    directors = dict(Directing.objects.filter(game=game).values_list("account", "number"))
    tenures = {tenure.account_id: tenure for tenure in Tenure.objects.filter(game=game, until=None)}
    visits = set(Visit.objects.filter(game=game, since__lte=now, until__gt=now).values_list("manager", flat=True))
    found = {}
    for account in accounts:
        tenure = tenures.get(account.pk)
        if account.pk in directors:
            found[account.pk] = Place(DIRECTOR, directors[account.pk])
        elif tenure is not None:
            found[account.pk] = seated(tenure)
        elif account.manages and account.pk in visits:
            found[account.pk] = Place(DIRECTOR, visiting=True)
        else:
            found[account.pk] = Place(PUBLIC)
    return found


def in_games(games: Iterable[Game], account: Account | None, now: datetime) -> dict[int, Place]:
    """Somebody's places in many games now, each as `place` gives it, by the game's number; three questions for all."""
    games = list(games)
    found = {game.pk: Place(PUBLIC) for game in games}
    if account is None:
        return found
    if account.manages:
        for pk in Visit.objects.filter(game__in=games, manager=account, since__lte=now, until__gt=now).values_list("game", flat=True):
            found[pk] = Place(DIRECTOR, visiting=True)
    for tenure in Tenure.objects.filter(game__in=games, account=account, until=None):
        found[tenure.game_id] = seated(tenure)
    for pk, number in Directing.objects.filter(game__in=games, account=account).values_list("game", "number"):
        found[pk] = Place(DIRECTOR, number)
    return found


def seated(tenure: Tenure) -> Place:
    """The place of an open tenure."""
    return _seated(tenure.kind, tenure.seat)


def _seated(kind: str, seat: int) -> Place:
    return Place(Viewer("player" if kind == "player" else "assistant", seat))


def seat_of(game: Game, account: Account) -> int:
    """The seat an account plays now, for a submission under the game's lock; 0 when it plays none (any more)."""
    found = Tenure.objects.filter(game=game, account=account, until=None, kind="player").values_list("seat", flat=True).first()
    return found or 0
