"""How often something may be done: so many a stretch of time, counted in the database, so that all processes count together.

A stretch begins at full multiples of its length. Whoever is asked very often takes several at once (`lease`) and counts them
down in this process: the limit is never passed, and the database is written to once a lease.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Lock

from django.db import transaction

from bansha.town.models import Allowance

BEGIN = datetime(1970, 1, 1, tzinfo=UTC)
KEPT = timedelta(days=1)
"""How long a count is kept after its stretch began."""
MOST_LEASES = 10_000

_leases: dict[str, tuple[datetime, int]] = {}
_guard = Lock()


def take(name: str, now: datetime, most: int, stretch: timedelta, lease: int = 1) -> int:
    """Take one of `most` that `name` has in a stretch of time. Returns 0, or the seconds until there are more."""
    since = now - (now - BEGIN) % stretch
    with _guard:
        begun, left = _leases.get(name, (BEGIN, 0))
        if begun == since and left:
            _leases[name] = (since, left - 1)
            return 0
    got = _taken(name, since, most, lease)
    if not got:
        return max(1, -(-(since + stretch - now) // timedelta(seconds=1)))
    with _guard:
        if len(_leases) > MOST_LEASES:
            _leases.clear()
        _leases[name] = (since, got - 1)
    return 0


def _taken(name: str, since: datetime, most: int, lease: int) -> int:
    """How many of those left in this stretch the database gives out: at most a lease."""
    with transaction.atomic():
        row, new = Allowance.objects.select_for_update().get_or_create(name=name, defaults={"since": since})
        if new:
            Allowance.objects.filter(since__lt=since - KEPT).exclude(pk=row.pk).delete()
        used = row.used if row.since == since else 0
        got = min(lease, most - used)
        if got > 0:
            Allowance.objects.filter(pk=row.pk).update(since=since, used=used + got)
    return max(0, got)
