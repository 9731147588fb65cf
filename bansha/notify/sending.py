"""What a way of sending is given, and how it says that it could not."""

from __future__ import annotations

from dataclasses import dataclass

from bansha.notify.models import Ways


class Later(Exception):
    """It did not go out and is tried again; says why in a few words, without any secret."""


class Never(Exception):
    """It did not go out and never will; says why in a few words."""


@dataclass
class Message:
    """A message to one account by one way: its key (the same each time it is sent), words, and the link it leads to."""

    way: Ways
    key: str
    subject: str
    lines: list[str]
    link: str
