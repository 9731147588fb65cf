"""A member's own ways: language and time zone of the account, before the page is made."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control

from bansha.town.models import Account


class OwnWays:
    """Activates the account's language and zone; without an account those of the request and of Shanghai. What a member is shown
    is theirs: no cache between keeps it (a view may be stricter, or say that a picture is everybody's)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """One request."""
        user = request.user
        if isinstance(user, Account):
            translation.activate(user.language)
            request.LANGUAGE_CODE = user.language
            zone = user.zone
        else:
            zone = "Asia/Shanghai"
        with timezone.override(ZoneInfo(zone)):
            response = self.get_response(request)
        if isinstance(user, Account) and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response
