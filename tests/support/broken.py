"""What a browser does with a form that was not taken, for tests of faults."""

from __future__ import annotations

import html
import re
from typing import Any

HOST = {"host": "localhost", "origin": "http://localhost", "accept-language": "zh-CN"}
"""What a browser says of itself when it sends a form of ours."""


def browser(name: str = "", language: str = "zh-CN") -> Any:
    """A signed-in browser that is shown errors as people are."""
    from django.test import Client

    from bansha.town.models import Account

    made = Client(raise_request_exception=False, headers={**HOST, "accept-language": language})
    if name:
        made.force_login(Account.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
    return made


def form_in(page: str) -> tuple[str, dict[str, str]]:
    """Where the one form of an error page goes, and its fields."""
    found = re.search(r'<form class="stack" method="post" action="([^"]*)">(.*?)</form>', page, re.DOTALL)
    assert found is not None, page
    fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', found[2]))
    for name, value in re.findall(r'<textarea [^>]*name="([^"]*)"[^>]*>\n(.*?)</textarea>', found[2], re.DOTALL):
        fields[name] = value
    return html.unescape(found[1]), {name: html.unescape(value) for name, value in fields.items()}
