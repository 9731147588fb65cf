"""Who somebody is in a game: director, player, assistant, or one of the public. The only place that binds accounts to seats."""

from __future__ import annotations

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
    number = Directing.objects.filter(game=game, account=account).values_list("number", flat=True).first()
    if number:
        return Place(DIRECTOR, number)
    tenure = Tenure.objects.filter(game=game, account=account, until=None).first()
    if tenure is not None:
        return Place(Viewer("player" if tenure.kind == "player" else "assistant", tenure.seat))
    if account.manages and Visit.objects.filter(game=game, manager=account, since__lte=now, until__gt=now).exists():
        return Place(DIRECTOR, visiting=True)
    return Place(PUBLIC)


def seat_of(game: Game, account: Account) -> int:
    """The seat an account plays now, for a submission under the game's lock; 0 when it plays none (any more)."""
    found = Tenure.objects.filter(game=game, account=account, until=None, kind="player").values_list("seat", flat=True).first()
    return found or 0
