"""What posts a viewer may read: the one function that every list of posts, search, feed and stream goes through."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from bansha.town.models import DenSeat, Post
from bansha.town.table import Table


def readable(table: Table) -> QuerySet[Post]:
    """Every post of the game this viewer may read now, in no order.

    Public threads for everybody (an announcement under review from its hour on); dens from joining on, also when out; one's
    own line and tree hole; directors everything but tree holes; after the end everybody everything but private lines, which directors keep.
    """
    game = table.game
    posts = Post.objects.filter(game=game).exclude(room="new")
    rooms = table.rooms
    mine = Q(pk__in=())
    if table.account is not None:
        mine = Q(room=f"hole-{table.account.pk}")
    shown = Q(room__startswith="talk-") | Q(room__startswith="ballot-") | Q(room__startswith="election-") | Q(room="process")
    if not rooms.all:
        shown &= Q(held_until=None) | Q(held_until__lte=table.now)
    if rooms.all:
        return posts if rooms.revealed else posts.filter(mine | ~Q(room__startswith="hole-"))
    may = shown | mine
    if rooms.line:
        may |= Q(room=f"line-{rooms.line}")
        may |= Q(room="words", seat=rooms.line)
    if rooms.revealed:
        may |= Q(room__startswith="den-") | Q(room__startswith="hole-") | Q(room="log")
    else:
        for den in rooms.dens:
            since = DenSeat.objects.filter(game=game, den=den.den, seat=table.seat).values_list("since", flat=True).first()
            if since is not None:
                may |= Q(room=f"den-{den.den}", minute__gte=since)
    return posts.filter(may)
