"""Nobody hands in faster than people do: so many forms a minute from an account, or from an address where nobody is signed in,
and so many searches. What is too much is answered before any view runs, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from bansha.journal import time
from bansha.town import limits
from bansha.town.guards import account_of
from bansha.town.views.errors import too_fast

MINUTE = timedelta(minutes=1)
LEASE = 4
"""Forms a process counts by itself."""


class Pacing:
    """Counts forms and searches; `FORMS_A_MINUTE` in the settings, 0 for no limit. The interface for programs counts by token."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """One request."""
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: Callable[..., Any], _args: tuple[Any, ...], _kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Answer what comes too fast; nothing otherwise."""
        most: int = settings.FORMS_A_MINUTE
        found = request.resolver_match
        if not most or found is None or found.app_name == "api":
            return None
        if request.method == "POST":
            what = "form"
        elif found.view_name == "town:search" and "q" in request.GET:
            what = "search"
        else:
            return None
        wait = limits.take(f"{what} {asker(request)}", time.now(), most, MINUTE, LEASE)
        return too_fast(request, wait) if wait else None


def asker(request: HttpRequest) -> str:
    """Who is counted: the account, or the address (behind proxies the one they vouch for)."""
    account = account_of(request)
    return f"account {account.pk}" if account is not None else f"address {get_adapter(request).get_client_ip(request)}"
