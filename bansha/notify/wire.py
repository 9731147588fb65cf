"""One request to a push service."""

from __future__ import annotations

import json
from typing import Any

import requests
from django.conf import settings
from pywebpush import WebPushException, webpush

from bansha.notify.models import Device
from bansha.notify.push import town_key
from bansha.notify.sending import Message

TIMEOUT = 10
"""Seconds a push service has to answer."""


class Straight(requests.Session):
    """A session that goes where it is told and nowhere else: no redirect, no proxy or password out of the environment."""

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        """One request, without following."""
        return super().request(*args, **{**kwargs, "allow_redirects": False})


def ask(device: Device, message: Message, keeps: int) -> int:
    """Send a message to a device, to be kept for so many seconds while it is away. Returns the status its push service answers
    with; 0 when it does not answer in time."""
    path = message.link.removeprefix(settings.ADDRESS)
    payload = {"title": message.subject, "body": "\n".join(message.lines), "url": path, "key": message.key}
    try:
        webpush(
            {"endpoint": device.endpoint, "keys": {"p256dh": device.p256dh, "auth": device.auth}},
            json.dumps(payload, ensure_ascii=False),
            vapid_private_key=town_key(),
            vapid_claims={"sub": settings.ADDRESS if settings.HTTPS else "mailto:town@localhost"},
            timeout=TIMEOUT,
            ttl=keeps,
            headers={"Topic": message.key[:32], "Urgency": "normal", "X-Idempotency-Key": message.key},
            requests_session=Straight(),
        )
    except WebPushException as error:
        return error.status_code or 400
    except requests.RequestException:
        return 0
    return 201
