"""Notices by e-mail: plain text to the account's confirmed address, with a way out that needs no sign-in (RFC 8058)."""

from __future__ import annotations

import smtplib
from datetime import datetime

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _

from bansha.notify.models import Notice, Ways
from bansha.notify.sending import Later, Message, Never
from bansha.town.accounts import addresses_of

SALT = "bansha.notify.stop"


def stop_token(way: Ways) -> str:
    """The signed name of these choices, for who is not signed in."""
    return signing.Signer(salt=SALT).sign(str(way.pk))


def of_token(token: str) -> Ways | None:
    """The choices a token names; None for anything else."""
    try:
        return Ways.objects.filter(pk=int(signing.Signer(salt=SALT).unsign(token))).first()
    except signing.BadSignature:
        return None


def send(message: Message, _rows: list[Notice], _now: datetime) -> None:
    """Send one message.

    Raises:
        Later: the mail server does not take it now.
        Never: it never will, or there is no confirmed address.
    """
    to = next((address for address, confirmed in addresses_of(message.way.account) if confirmed), "")
    if not to:
        raise Never("no confirmed address")
    stop = settings.ADDRESS + reverse("notify:stop", args=[stop_token(message.way)])
    body = "\n".join([*message.lines, "", message.link, "", _("这封信是按你选的通知寄的。不用登录就能停掉：%(stop)s") % {"stop": stop}, ""])
    mail = EmailMessage(
        message.subject, body, settings.DEFAULT_FROM_EMAIL, [to],
        headers={
            "Message-ID": f"<{message.key}@{settings.TOWN}>",
            "X-Idempotency-Key": message.key,
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )  # fmt: skip
    try:
        mail.send()
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        raise _said(error) from None
    except (smtplib.SMTPException, OSError) as error:
        raise Later(type(error).__name__) from None


def _said(error: smtplib.SMTPRecipientsRefused | smtplib.SMTPResponseException) -> Later | Never:
    codes = [code for code, _words in error.recipients.values()] if isinstance(error, smtplib.SMTPRecipientsRefused) else [error.smtp_code]
    why = f"the mail server says {codes[0]}"
    return Never(why) if codes[0] >= 500 else Later(why)
