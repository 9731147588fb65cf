"""Notices by web push (RFC 8030, 8291, 8292): sealed for each browser, signed with the town's key.

A browser's endpoint is an address that a user gives us. It is asked only when its host is on the list (`BANSHA_PUSH_HOSTS`),
over HTTPS, with a time limit, and no redirect is followed.
"""

from __future__ import annotations

import base64
import os
from datetime import datetime
from functools import lru_cache
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from django.conf import settings
from py_vapid import Vapid02

from bansha.notify.models import Device, Notice
from bansha.notify.sending import Later, Message, Never

KEEPS = 12 * 3600
"""Seconds a push service keeps a notice for a browser that is away, at most."""
GONE = (404, 410)
KEY_LENGTHS = {"p256dh": 65, "auth": 16}


def allowed(endpoint: str) -> bool:
    """Whether a push service of the list is meant: `host`, `*.host` (any name under it), each over HTTPS at its usual port; in
    development also `host:port`, over plain HTTP, for a service of one's own."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not endpoint.isascii() or "\\" in endpoint or parts.username is not None or parts.password is not None:
        return False
    if settings.DEVELOPMENT and parts.scheme == "http" and port is not None:
        return f"{host}:{port}" in settings.PUSH_HOSTS
    listed = any(host == name or (name.startswith("*.") and host.endswith(name[1:])) for name in settings.PUSH_HOSTS)
    return parts.scheme == "https" and port in (None, 443) and listed


def fitting(key: str, value: str) -> bool:
    """Whether a browser's key has the form of one: base64url of as many bytes as it has."""
    try:
        return len(base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_", validate=True)) == KEY_LENGTHS[key]
    except ValueError:
        return False


@lru_cache(maxsize=1)
def town_key() -> Vapid02:
    """The key the town signs push messages with: BANSHA_VAPID, or that of the file `vapid` in BANSHA_HOME, which is made once,
    readable by its owner alone. Browsers are bound to it: with another one they have to subscribe again."""
    if settings.VAPID:
        return Vapid02.from_string(settings.VAPID)
    home = settings.HOME
    home.mkdir(parents=True, exist_ok=True)
    made = Vapid02()
    made.generate_keys()
    pem = made.private_pem()
    draft = home / f"vapid.{os.getpid()}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(pem)
    try:
        os.link(draft, home / "vapid")  # whole or not at all, by whoever comes first
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return Vapid02.from_pem((home / "vapid").read_bytes())


def public_key() -> str:
    """The town's public key as browsers want it (base64url of the uncompressed point)."""
    point = town_key().public_key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def send(message: Message, rows: list[Notice], now: datetime) -> None:
    """Send one message to every device of its account that it has not reached yet. A device whose service no longer knows it is
    forgotten.

    Raises:
        Later: a push service does not take it now.
        Never: none ever will.
    """
    from bansha.notify import wire  # takes a while to load, and only couriers need it

    reached: list[int] = list(rows[0].reached)
    refused = late = ""
    for device in Device.objects.filter(account=message.way.account_id).exclude(pk__in=reached):
        status = wire.ask(device, message, _keeps(rows, now)) if allowed(device.endpoint) else -1
        if status in GONE:
            device.delete()
        elif status in (200, 201, 202):
            reached.append(device.pk)
            Notice.objects.filter(pk__in=[row.pk for row in rows]).update(reached=reached)
        elif status == 0 or status == 429 or status >= 500:
            late = f"a push service answers {status}" if status else "a push service does not answer"
        else:
            refused = f"a push service answers {status}" if status > 0 else "an address that is not on the list"
    if late:
        raise Later(late)
    if not reached:
        raise Never(refused or "no device")


def _keeps(rows: list[Notice], now: datetime) -> int:
    """Seconds a push service may keep this for a browser that is away: as long as it is news."""
    limits = [int((row.expires - now).total_seconds()) for row in rows if row.expires is not None]
    return max(60, min([KEEPS, *limits]))
