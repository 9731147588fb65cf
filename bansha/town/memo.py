"""What a process keeps of pages it has made: pieces of HTML under everything they were made of, the one unused longest going
first. A key holds whatever the piece depends on, so nothing ever has to be thrown away; docs/speed.md says why nothing leaks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from django.conf import settings

T = TypeVar("T")

_all: list[Memo[object]] = []


class Memo(Generic[T]):
    """At most `most` values by key, for the threads of a process."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()
        _all.append(self)  # type: ignore[arg-type]

    def get(self, key: Hashable) -> T | None:
        """What is kept under a key; None when nothing is."""
        if settings.DEBUG:  # while one develops, templates change
            return None
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, value: T) -> T:
        """Keep a value under a key."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
        return value

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under a key, made where nothing is."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)


def forget() -> None:
    """Every piece, as a fresh process would have it (tests, measurements of the first page)."""
    for memo in _all:
        memo.clear()
