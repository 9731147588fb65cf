"""How the town takes people in: open or by invitation. Nobody signs in as a computer player."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from bansha.town.models import Account, Invite

WRONG_CODE = _("这个码不对，或已经过时。等换了下一个码再试。")


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Registration is open, or needs an invitation that was not used yet (`?invite=CODE`, kept in the session)."""

    error_messages = {  # noqa: RUF012 (allauth reads a dictionary of the class)
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("名字与密码对不上。检查大小写，再试一次；连错五次要等五分钟。"),
        "email_password_mismatch": _("邮箱与密码对不上。检查大小写，再试一次；连错五次要等五分钟。"),
        "too_many_login_attempts": _("错的次数太多了。等五分钟再试，或用通行密钥。"),
        "incorrect_password": _("密码不对。"),
        "incorrect_code": WRONG_CODE,
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this visitor may register."""
        if not settings.INVITE_ONLY:
            return True
        code = request.GET.get("invite") or request.session.get("invite", "")
        found = Invite.objects.filter(code=code, used_by=None).exists()
        if found:
            request.session["invite"] = code
        return found

    def save_user(self, request: HttpRequest, user: Any, form: BaseForm, commit: bool = True) -> Any:
        """Write the new account; where an invitation is needed it is used up in the same transaction, by one account only.

        Raises:
            ImmediateHttpResponse: somebody else has used the invitation meanwhile; no account was made.
        """
        if not settings.INVITE_ONLY or not commit:
            return super().save_user(request, user, form, commit)
        code = request.session.get("invite", "")
        with transaction.atomic():
            invite = Invite.objects.select_for_update().filter(code=code, used_by=None).first()
            if invite is None:
                raise ImmediateHttpResponse(render(request, "account/signup_closed.html", {"spent": True}, status=422))
            saved = super().save_user(request, user, form, commit)
            invite.used_by = saved
            invite.save(update_fields=["used_by"])
        request.session.pop("invite", None)
        return saved

    def pre_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse | None:
        """Whatever way somebody signs in (password, code, passkey): not as a computer player."""
        if isinstance(user, Account) and user.computer:
            user.is_active = False  # of this object alone: allauth answers as for any closed account
        response: HttpResponse | None = super().pre_login(request, user, **kwargs)
        return response


def addresses_of(account: Account) -> list[tuple[str, bool]]:
    """The addresses of an account and whether it has shown each to be its own; those first, and of them the main one."""
    rows = EmailAddress.objects.filter(user=account).order_by("-verified", "-primary", "pk")
    return [(str(address), bool(verified)) for address, verified in rows.values_list("email", "verified")]


class Keys(DefaultMFAAdapter):  # type: ignore[misc]
    """The second door in the town's words."""

    error_messages = {**DefaultMFAAdapter.error_messages, "incorrect_code": WRONG_CODE}  # noqa: RUF012 (as above)
