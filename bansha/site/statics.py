"""Styles, scripts and pictures of the pages: each under a name that holds its content's hash, so that browsers and proxies keep
it for ever, and compressed once. They are served before Django is asked; a new file has a new name."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from servestatic.wsgi import ServeStatic

DIGITS = 12
"""Hexadecimal digits of the hash in a name: what servestatic takes for a file that never changes."""
SMALLEST = 200
"""Bytes below which a file is not worth compressing."""


@lru_cache(maxsize=1024)
def hashed(name: str) -> str:
    """The name a file is served under: bansha/base.css → bansha/base.0123456789ab.css; a file that is not there keeps its own."""
    path = finders.find(name)
    if not isinstance(path, str):
        return name
    stem, end = os.path.splitext(name)
    return f"{stem}.{hashlib.sha256(Path(path).read_bytes()).hexdigest()[:DIGITS]}{end}"


class Hashed(StaticFilesStorage):
    """`{% static %}` names the hashed file; while one develops (BANSHA_TRACEBACKS) the file as it is."""

    def url(self, name: str | None) -> str:
        """The address of a file."""
        return super().url(name if name is None or settings.DEBUG else hashed(name))


class Statics(ServeStatic):  # type: ignore[misc]
    """A middleware: the files, before anything else is asked. It is ours because servestatic's own knows only the asynchronous way,
    which costs every page of a synchronous server an event loop. Compressed copies stand in STATIC_ROOT; where none can be written
    (a full disk, a folder that is not ours) files go out as they are."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        prefix = "/" + settings.STATIC_URL.strip("/") + "/"
        super().__init__(None, autorefresh=settings.DEBUG, max_age=0 if settings.DEBUG else 60, allow_all_origins=False)
        for name, path in _files():
            if settings.DEBUG:
                self.insert_directory(path.removesuffix(name), prefix)
            else:
                kept = hashed(name)
                self.add_file_to_dictionary(prefix + name, path)
                self.add_file_to_dictionary(prefix + kept, _compressed(kept, path))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """One request."""
        path = request.path_info
        file = self.find_file(path) if self.autorefresh else self.files.get(path)
        if file is None:
            return self.get_response(request)
        found = file.get_response(request.method or "GET", request.META)
        response = FileResponse(found.file, status=int(found.status)) if found.file is not None else HttpResponse(status=int(found.status))
        for name in ("Content-Type", "Content-Disposition"):
            del response[name]
        for name, value in found.headers:
            if value is not None:
                response[name] = value
        return response


def _files() -> Iterator[tuple[str, str]]:
    """Every file that the apps bring along: its name and its path."""
    seen: set[str] = set()
    for finder in finders.get_finders():
        for name, storage in finder.list(None):
            if name not in seen:
                seen.add(name)
                yield name, storage.path(name)


def _compressed(kept: str, path: str) -> str:
    """Put a file with its compressed copy beside it into STATIC_ROOT, unless they stand there. Returns where to serve it from."""
    data = Path(path).read_bytes()
    copy = Path(settings.STATIC_ROOT) / kept
    small = copy.with_name(copy.name + ".gz")
    if len(data) < SMALLEST or not re.search(r"\.(?:css|js|svg|json|txt)$", kept):
        return path
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        for target, content in ((small, gzip.compress(data, 9, mtime=0)), (copy, data)):
            if not target.is_file() or target.stat().st_size != len(content):
                part = target.with_name(f"{target.name}.{os.getpid()}")
                part.write_bytes(content)
                part.replace(target)
    except OSError:
        return path
    return str(copy)
