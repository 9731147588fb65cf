"""The interface called from inside this process, at a moment that is handed in: no server, no socket, the same guards."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from datetime import datetime
from urllib.parse import unquote

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.urls import resolve

from bansha.api.guard import MOMENT

Answer = tuple[int, Mapping[str, str], bytes]


class Inside:
    """Calls addresses of the interface. `clock` gives the moment of each call."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.clock = clock

    def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """One call: status, headers by their names in small letters, body."""
        bare, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method, "PATH_INFO": unquote(bare, "latin-1"), "QUERY_STRING": query, "SERVER_NAME": "localhost",
            "SERVER_PORT": "80", "CONTENT_TYPE": headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body), "wsgi.url_scheme": "http", MOMENT: self.clock(),
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
        }  # fmt: skip
        request = WSGIRequest(environ)
        found = resolve(request.path_info)
        answer = found.func(request, *found.args, **found.kwargs)
        assert isinstance(answer, HttpResponse)
        return answer.status_code, {name.lower(): value for name, value in answer.items()}, answer.content
