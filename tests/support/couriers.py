"""Couriers as programs of their own, killed while they send: at least once, with the same key, and nothing lost."""

from __future__ import annotations

import subprocess
import threading
from datetime import datetime, timedelta
from typing import Any

from tests.support import served
from tests.support.fakes import Browser, MailFake, PushFake
from tests.support.notices import wants
from tests.support.served import until
from tests.support.town import Clock


def start(chosen: dict[str, str], clock: Clock) -> subprocess.Popen[bytes]:
    """A courier of its own."""
    return served.child(["-c", served.PROGRAM, "serve", "--only", "courier"], chosen, BANSHA_TEST_CLOCK=str(clock.file))


def tell(game: Any, names: list[str], count: int, at: datetime, **ways: Any) -> None:
    """Let each of these be told so many things, each by every way they want; without a limit of time."""
    from bansha.notify import plan

    for name in names:
        way = wants(name, **ways)
        for number in range(count):
            plan.queue(game, plan.What("ended", f"{number}", f"/g/{game.pk}/", at, expires=at + timedelta(days=3)), [way], at)


def _keys(fake: MailFake | PushFake) -> list[str]:
    """The keys of what has arrived, in order."""
    if isinstance(fake, PushFake):
        return [str(message.said["key"]) for message in fake.messages]
    return [str(letter.mail["X-Idempotency-Key"]) for letter in fake.letters]


def killed_while_sending(
    game: Any, chosen: dict[str, str], clock: Clock, fake: MailFake | PushFake, at: datetime, names: list[str], others: int
) -> list[str]:
    """Each of these people is to be told three things. A courier is killed after its first message has arrived and before it could
    mark it; `others` come after it and share the rest, and what it left once its lease is over. Returns the keys that arrived, in
    order."""
    from bansha.notify.courier import LEASE
    from bansha.notify.models import Device, Notice
    from bansha.town.models import Account

    for model in (Notice, Device):
        model.objects.all().delete()
    tell(game, names, 3, clock.set(at), **({"push": ["ended"]} if isinstance(fake, PushFake) else {"mail": ["ended"]}))
    if isinstance(fake, PushFake):
        for name in names:
            Device.objects.create(account=Account.objects.get(username=name), name="", made_at=at, **Browser(fake, name).form)
    arrived, dead = threading.Event(), threading.Event()

    def hold(_count: int) -> None:
        arrived.set()
        dead.wait(60)

    fake.arrived = hold
    first = start(chosen, clock)
    try:
        assert arrived.wait(60), "the message has arrived"
    finally:
        first.kill()
        first.wait()
        dead.set()
        fake.arrived = lambda _count: None
    left = Notice.objects.filter(state="sending")
    assert left.count() == 3, "one message, and nobody could say that it went"
    running = [start(chosen, clock) for _ in range(others)]
    try:
        assert until(lambda: Notice.objects.exclude(state="sent").count() == 3), "what is under way is nobody else's"
        clock.set(at + LEASE)
        assert until(lambda: not Notice.objects.exclude(state="sent").exists())
    finally:
        codes = served.end(*running)
    assert set(codes) == {0}
    return _keys(fake)
