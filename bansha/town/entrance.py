"""The forms of the town gate: allauth's own, with the town's words on them."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm, SignupForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from django.utils.translation import gettext_lazy as _


class Login(LoginForm):  # type: ignore[misc]
    """Name or address, and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("站内名字或邮箱")
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        self.fields["password"].label = _("密码")
        self.fields["password"].help_text = ""
        self.fields["remember"].label = _("这台设备上记住我三十天")


class Register(SignupForm):  # type: ignore[misc]
    """A name of one's own in town; the address is optional."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("站内名字")
        self.fields["email"].label = _("邮箱（可不填）")
        self.fields["password1"].label = _("密码")
        self.fields["password2"].label = _("密码，再写一次")


class AddKey(AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey or security key."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("给这把密钥起个名字")
        if "passwordless" in self.fields:
            self.fields["passwordless"].label = _("当作通行密钥：只凭它就能进镇")
            self.fields["passwordless"].help_text = _("设备会另要指纹、面容或 PIN。不勾，它只作密码之外的第二道门。")


class EditKey(EditWebAuthnForm):  # type: ignore[misc]
    """Another name for a key."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("这把密钥的名字")
