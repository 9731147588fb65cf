"""The reveal of a finished game: who was behind each persona and what became of it, whose tree holes exist, which private lines
are shown. Everything here is read after the end only; the guards see to that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.sight.types import DIRECTOR, DirectorView
from bansha.town.acts import Denied
from bansha.town.days import openings
from bansha.town.models import Account, Game, LineConsent, Post, Tenure
from bansha.town.parts import Part, role_name
from bansha.town.past import said, sign
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.words import clock


@dataclass(frozen=True)
class Stint:
    """Somebody who held a seat or helped it; `since`, `until` in game time, "" for the beginning and the end."""

    part: Part
    since: str
    until: str


@dataclass
class Seat:
    """A seat of the finished game: `mark` the class of its faction's sign, `fate` in words, `players` in order, `assistants`."""

    seat: int
    name: str
    role: str
    faction: str
    mark: str
    alive: bool
    fate: str
    players: list[Stint] = field(default_factory=list)
    assistants: list[Stint] = field(default_factory=list)


def full(table: Table) -> DirectorView:
    """The whole truth, which after the end is everybody's."""
    assert table.game.journal is not None
    found = doors.see(table.game.journal, DIRECTOR).view.director
    assert found is not None
    return found


def seats(table: Table) -> list[Seat]:
    """Every seat with its role, faction, fate, and the accounts behind it."""
    rules = table.loaded.ruleset
    public = table.public
    days = _days_out(table)
    found = {}
    for truth in full(table).seats:
        faction = rules.factions.get(public.factions[truth.seat])
        fate = _("到最后都在场") if truth.alive else _fate(table, truth.cause, days.get(truth.seat))
        found[truth.seat] = Seat(
            truth.seat, table.name(truth.seat), role_name(truth.role, rules), said(faction.name) if faction is not None else _("无阵营"),
            sign(rules, public.factions[truth.seat]), truth.alive, fate,
        )  # fmt: skip
    for part in sorted((part for mine in table.parts.values() for part in mine if part.since), key=_began):
        row = found[part.seat]
        (row.players if part.kind == "player" else row.assistants).append(_stint(table, part))
    return list(found.values())


def _began(part: Part) -> float:
    return part.since.timestamp() if part.since is not None else 0.0


def _stint(table: Table, part: Part) -> Stint:
    """The player who was dealt the seat held it from the beginning; an assistant came when it came."""

    def when(moment: datetime | None) -> str:
        return clock(table.pace.minute(moment), 0) if moment is not None else ""

    first = part.since is not None and part.since < table.game.start
    return Stint(part, "" if first else when(part.since), when(part.until))


def _days_out(table: Table) -> dict[int, tuple[int, bool]]:
    """Day number and whether it was in the night after it, of each out."""
    assert table.game.journal is not None
    opened, closed = openings(table), {0}
    found: dict[int, tuple[int, bool]] = {}
    for news in doors.heard(table.game.journal, DIRECTOR):
        day = max((day for day, at in opened.items() if at <= news.at), default=0)
        if news.kind == "closed":
            closed.add(news.value["day"])
        elif news.kind == "out":
            found[news.value["seat"]] = (day, day in closed and news.value["cause"] != "exile")
    return found


def _fate(table: Table, cause: str, when: tuple[int, bool] | None) -> str:
    skill = table.loaded.ruleset.skills.get(cause)
    causes = {"exile": _("放逐"), "red_card": _("红牌罚下"), "director": _("导演判出局")}
    how = causes.get(cause) or (said(skill.name) if skill is not None else cause)
    if when is None:
        return how
    day = _("第 %(day)s 夜") if when[1] else _("第 %(day)s 日")
    return f"{day % {'day': when[0]}} · {how}"


def of_kind(table: Table, kind: str) -> list[Part]:
    """Everybody with this part: directors by number, others by name."""
    found = [part for mine in table.parts.values() for part in mine if part.kind == kind]
    return sorted(found, key=lambda part: (part.number, part.name))


@dataclass
class Hole:
    """Somebody's tree hole: how many notes it has, and the newest one's moment."""

    account: Account
    notes: int
    latest: datetime
    parts: Sequence[Part] = ()


def holes(table: Table) -> list[Hole]:
    """Whose tree holes exist: players in seat order, then others by name."""
    rows = readable(table).filter(room__startswith="hole-").values("author").annotate(n=Count("pk"), latest=Max("at"))
    people = Account.objects.in_bulk([row["author"] for row in rows])
    found = [Hole(people[row["author"]], row["n"], row["latest"], table.parts.get(row["author"], ())) for row in rows]
    return sorted(found, key=lambda hole: (min((part.seat or 999 for part in hole.parts), default=999), hole.account.username))


@dataclass
class Line:
    """A private line after the end. `shown`: somebody may read (some of) it; `side`: "directors" or "player", whom the viewer can
    answer for, or ""; `agreed`: that side has agreed; `other`: the other side has."""

    seat: int
    name: str
    shown: bool
    side: str = ""
    agreed: bool = False
    other: bool = False


def lines(table: Table) -> list[Line]:
    """The private lines that are shown, and those the viewer has a say in."""
    used = set(Post.objects.filter(game=table.game, room__startswith="line-").values_list("room", flat=True))
    said_so = list(LineConsent.objects.filter(game=table.game))
    directors = {row.seat for row in said_so if row.directors}
    players: dict[int, set[int]] = {}
    for row in said_so:
        if not row.directors:
            players.setdefault(row.seat, set()).add(row.account_id)
    me = table.account.pk if table.account is not None else 0
    mine = {part.seat for part in table.parts.get(me, ()) if part.kind == "player"}
    found = []
    for seat in table.personas:
        if f"line-{seat}" not in used:
            continue
        shown = seat in directors and bool(players.get(seat))
        line = Line(seat, table.name(seat), shown)
        if table.directs:
            line.side, line.agreed, line.other = "directors", seat in directors, bool(players.get(seat))
        elif seat in mine:
            line.side, line.agreed, line.other = "player", me in players.get(seat, ()), seat in directors
        if shown or line.side:
            found.append(line)
    return found


def consent(table: Table, seat: int, agree: bool) -> None:
    """Agree that a private line is shown to everybody, or take it back: for the directors, or for what passed while one held
    the seat.

    Raises:
        Denied: the game is not over, or one is on neither side of this line.
    """
    if not table.begun or not table.rooms.revealed or table.account is None:
        raise Denied("私信要到本局结束之后才能公开。", "A private line can be shown after the end only.")
    side = Tenure.objects.filter(game=table.game, seat=seat, account=table.account, kind="player")
    if seat not in table.personas or not (table.directs or side.exists()):
        raise Denied(
            "只有这个座位的演员与本局导演能决定公开这条私信。", "Only the seat's player and the game's directors decide about this line."
        )
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=table.game.pk)
        rows = LineConsent.objects.filter(game=table.game, seat=seat, directors=table.directs)
        rows = rows if table.directs else rows.filter(account=table.account)
        if not agree:
            rows.delete()
        elif not rows.exists():
            LineConsent.objects.create(game=table.game, seat=seat, account=table.account, directors=table.directs, at=table.now)
