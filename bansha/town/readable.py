"""What posts a viewer may read: the one function that every list of posts, search, feed and stream goes through."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from bansha.town import shelf
from bansha.town.floors import NOWHERE
from bansha.town.models import DenSeat, LineConsent, Post, Tenure
from bansha.town.table import Table

EVERYBODYS = ("talk", "ballot", "election", "process")
"""Kinds of rooms that everybody reads."""


def readable(table: Table, room: str = "") -> QuerySet[Post]:
    """Every post of the game this viewer may read now, or of one `room` of it, in no order.

    Public threads for everybody (an announcement under review once it is released, or from its hour on); dens from joining on,
    also when out; one's own line and tree hole; directors everything but tree holes; after the end everybody everything, of
    private lines what both sides agreed to show (directors keep all of them).
    """
    game = table.game
    shelf.settle(game, table.now)
    if room.partition("-")[0] in EVERYBODYS:
        return Post.objects.filter(game=game, room=room)
    posts = Post.objects.filter(game=game).exclude(room__in=NOWHERE)
    if room:
        posts = posts.filter(room=room)
    rooms = table.rooms
    mine = Q(pk__in=())
    if table.account is not None:
        mine = Q(room=f"hole-{table.account.pk}")
    shown = Q(room__startswith="talk-") | Q(room__startswith="ballot-") | Q(room__startswith="election-") | Q(room="process")
    if rooms.all:
        return posts if rooms.revealed else posts.filter(mine | ~Q(room__startswith="hole-"))
    may = shown | mine
    if rooms.line:
        may |= Q(room=f"line-{rooms.line}")
        may |= Q(room="words", seat=rooms.line)
    if rooms.revealed:
        may |= Q(room__startswith="den-") | Q(room__startswith="hole-") | Q(room__in=("log", "reveal")) | shown_lines(table)
    elif rooms.dens:
        since = dict(DenSeat.objects.filter(game=game, seat=table.seat).values_list("den", "since"))
        for den in rooms.dens:
            if den.den in since:
                may |= Q(room=f"den-{den.den}", minute__gte=since[den.den])
    return posts.filter(may)


def shown_lines(table: Table) -> Q:
    """What of the private lines everybody may read after the end: what passed while an account held the seat that has agreed
    to it, in lines that the directors have agreed to show."""
    found = Q(pk__in=())
    said = list(LineConsent.objects.filter(game=table.game))
    open_ = {row.seat for row in said if row.directors}
    agreed = {(row.seat, row.account_id) for row in said if not row.directors and row.seat in open_}
    for tenure in Tenure.objects.filter(game=table.game, kind="player", seat__in=open_) if agreed else ():
        if (tenure.seat, tenure.account_id) in agreed:
            then = Q(room=f"line-{tenure.seat}", at__gte=tenure.since)
            found |= then if tenure.until is None else then & Q(at__lt=tenure.until)
    return found
