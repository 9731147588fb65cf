"""The courier: takes due lines out of the outbox and sends them, outside every lock of a game.

A line is taken for `LEASE`, sent, and then marked. A courier that dies between sending and marking leaves it taken; when the
lease has run out another takes it and sends it again under the same key: at least once, and never lost. Several couriers may
run. What waits for one account by one way goes out in one message.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from threading import Event
from types import FrameType
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import Error, close_old_connections, connection, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import translation

from bansha.journal.faults import Patience, reopen
from bansha.journal.time import now
from bansha.notify import mail, push, texts
from bansha.notify.models import Notice, Ways
from bansha.notify.sending import Later, Message, Never
from bansha.notify.standing import stands

log = logging.getLogger("bansha.notify")

LEASE = timedelta(minutes=3)
"""How long a taken line is its courier's; longer than any sending takes."""
MOST = 8
"""Attempts before a line is given up: over about four hours."""
REST = 1.0
"""Seconds between two looks when nothing was due."""
KEPT = timedelta(days=30)
"""How long a line stands in the outbox once it is done."""
TOGETHER = 40
"""Lines of one message at most."""
LOOKS = 100
"""Accounts served in one look."""

Send = Callable[[Message, list[Notice], datetime], None]
SENDERS: Mapping[str, Send] = {"mail": mail.send, "push": push.send}


def due(moment: datetime) -> Q:
    """Lines that are due, and those whose courier has not come back."""
    return Q(state="queued", not_before__lte=moment) | Q(state="sending", lease__lte=moment)


def take(moment: datetime, account: int, channel: str) -> list[Notice]:
    """Take what is due for one account by one way: what belongs to one message. Nothing while another courier takes it."""
    with transaction.atomic():
        chosen = Ways.objects.filter(account=account)
        locks = connection.features.has_select_for_update_skip_locked
        if locks and chosen.exists() and not chosen.select_for_update(skip_locked=True):
            return []
        rows = Notice.objects.filter(due(moment), account=account, channel=channel).order_by("not_before", "pk").select_for_update()
        found = list(rows[:TOGETHER])
        tried = next((row.batch for row in found if row.batch), "")
        taken = [row for row in found if row.batch == tried]
        Notice.objects.filter(pk__in=[row.pk for row in taken]).update(state="sending", lease=moment + LEASE)
    return taken


def look(moment: datetime, senders: Mapping[str, Send] = SENDERS) -> int:
    """One look: everything that is due now. Returns the number of messages that went out."""
    waiting = Notice.objects.filter(due(moment)).order_by().values_list("account", "channel").distinct()
    sent = 0
    for account, channel in waiting[:LOOKS]:
        rows = take(moment, account, channel)
        if not rows:
            continue
        try:
            sent += _carry(rows, moment, senders[channel])
        except Error:
            raise
        except Exception:
            log.exception("a notice by %s cannot be sent", channel)
            _again(rows, moment, "a fault of the town's own")
    return sent


def _again(rows: list[Notice], moment: datetime, why: str) -> None:
    """What did not go out is tried again, the later the oftener that was so, and given up in the end."""
    attempts = rows[0].attempts + 1
    if attempts >= MOST:
        _mark(rows, moment, state="given_up", why=why)
    mine = Notice.objects.filter(pk__in=[row.pk for row in rows], state="sending")
    mine.update(state="queued", lease=None, attempts=attempts, not_before=moment + timedelta(minutes=2**attempts), why=why)


def _carry(rows: list[Notice], moment: datetime, send: Send) -> int:
    """Send what is taken, as one message; what has nothing to tell any more is let go. Returns 1 when it went out."""
    way = Ways.objects.select_related("account").filter(account=rows[0].account_id, account__is_active=True).first()
    with translation.override(way.account.language if way is not None else "zh-hans"):
        told = [row for row in rows if way is not None and stands(row, way, moment)]
        _mark([row for row in rows if row not in told], moment, state="moot")
        if way is None or not told:
            return 0
        told = _after_quiet(told, way, moment)
        if not told:
            return 0
        key = told[0].batch or told[0].key
        Notice.objects.filter(pk__in=[row.pk for row in told]).update(batch=key)
        words = texts.message([texts.line(row.kind, row.game.title, row.day) for row in told])
        link = reverse("notify:go", args=[key]) if len(told) == 1 else reverse("notify:notices") + "#lately"
        try:
            send(Message(way, key, words.subject, words.lines, settings.ADDRESS + link), told, moment)
        except Later as error:
            log.warning("a notice by %s waits: %s (attempt %s)", told[0].channel, error, told[0].attempts + 1)
            _again(told, moment, str(error))
            return 0
        except Never as error:
            _mark(told, moment, state="given_up", why=str(error))
            return 0
    _mark(told, moment, state="sent")
    return 1


def _mark(rows: list[Notice], moment: datetime, state: str, why: str = "") -> None:
    if rows:
        Notice.objects.filter(pk__in=[row.pk for row in rows]).update(state=state, lease=None, done_at=moment, why=why)


def quiet_until(way: Ways, moment: datetime) -> datetime | None:
    """When somebody's quiet hours end, in which this moment lies; None outside them."""
    begin, end = way.quiet_from, way.quiet_to
    if begin is None or end is None or begin == end:
        return None
    local = moment.astimezone(ZoneInfo(way.account.zone))
    minute = local.hour * 60 + local.minute
    inside = begin <= minute < end if begin < end else minute >= begin or minute < end
    if not inside:
        return None
    ends = local.replace(hour=end // 60, minute=end % 60, second=0, microsecond=0)
    if end <= minute:
        ends += timedelta(days=1)  # on the wall clock: a night in which the clocks change ends at its hour all the same
    return ends.astimezone(UTC)


def _after_quiet(rows: list[Notice], way: Ways, moment: datetime) -> list[Notice]:
    """What goes out now: in quiet hours what may pass; the rest waits for their end."""
    until = quiet_until(way, moment)
    if until is None:
        return rows
    held = [row.pk for row in rows if row.kind not in way.through]
    Notice.objects.filter(pk__in=held).update(state="queued", lease=None, not_before=until)
    return [row for row in rows if row.pk not in held]


def tidy(moment: datetime) -> int:
    """Take away what was done long ago. Returns the number of lines."""
    return Notice.objects.filter(done_at__lt=moment - KEPT).delete()[0]


def serve(rest: float = REST) -> int:
    """Run until SIGTERM or SIGINT. Returns the number of messages that went out."""
    stop = Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    sent = 0
    tidied = datetime.min.replace(tzinfo=UTC)
    patience = Patience(log, rest)
    while not stop.is_set():
        gone = 0
        try:
            reopen()
            if abs(now() - tidied) >= timedelta(hours=1):
                tidy(now())
                tidied = now()
            gone = look(now())
            patience.passed()
        except Error as error:
            close_old_connections()
            stop.wait(patience.met(error))
        sent += gone
        if not gone:
            stop.wait(rest)
    return sent
