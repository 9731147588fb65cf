"""Who wrote each floor of a public thread, a byte a floor, kept by each process and only ever prolonged: what a page says of the
whole thread (how many posts, how many unread, who has posted where) costs no more in a long thread than in a short one.

A public thread says the same to everybody, so a roll is everybody's; posts themselves are asked of `readable` every time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import compress, count, islice
from threading import Lock

from django.db.models import Q

from bansha.town.memo import Memo
from bansha.town.models import Thread
from bansha.town.readable import readable
from bansha.town.table import Table

VOICED, ACCOUNT, NONE = 100, 160, 255
"""Bytes: a seat's number for its own posts, `VOICED` with it for what directors, the referee or the elevator put there (0: for
nobody), `ACCOUNT` with it for accounts in the reveal thread, `NONE` for a floor without a post."""
ANNOUNCED = 6
"""Announcements of a thread whose rows are known, the newest."""


CODES = {"seat": 0, "account": ACCOUNT}


class Roll:
    """The floors 1 to `newest` of a thread. `newest_post`, `announced`: rows of the newest post and the newest announcements."""

    def __init__(self) -> None:
        self.codes = bytearray((NONE,))
        self.per_seat: dict[int, int] = {}
        self.posts = 0
        self.newest_post = 0
        self.announced: deque[int] = deque(maxlen=ANNOUNCED)
        self.lock = Lock()

    @property
    def newest(self) -> int:
        """The newest floor."""
        return len(self.codes) - 1

    def take(self, floor: int, seat: int, voice: str, row: int) -> None:
        """Take up a floor, when it is a newer one."""
        with self.lock:
            if floor <= self.newest:
                return
            self.codes.extend(bytes((NONE,)) * (floor - len(self.codes)))
            self.codes.append(seat + CODES.get(voice, VOICED))
            self.posts += 1
            self.newest_post = row
            if voice == "referee":
                self.announced.append(row)
            if voice == "seat":
                self.per_seat[seat] = self.per_seat.get(seat, 0) + 1

    def unread(self, read: int, seat: int) -> tuple[int, int]:
        """How many floors after `read` are not this seat's own (0: nobody's), and the first of them (0: none)."""
        own = {seat, VOICED + seat, ACCOUNT + seat} if seat else set()
        after = self.codes[read + 1 :]
        number = len(after) - sum(after.count(code) for code in (*own, NONE))
        first = next(floor for floor, code in enumerate(after, read + 1) if code not in own and code != NONE) if number else 0
        return number, first

    def fresh(self, seat: int, read: int) -> tuple[int, int]:
        """How many posts of a seat came after `read`, and the first of them (0: none)."""
        number = self.codes.count(seat, read + 1)
        return number, self.codes.find(seat, read + 1) if number else 0

    def last(self, seat: int, most: int) -> list[int]:
        """The newest floors of a seat, at most so many, in order."""
        found: list[int] = []
        at = self.codes.rfind(seat)
        while at > 0 and len(found) < most:
            found.append(at)
            at = self.codes.rfind(seat, 0, at)
        return found[::-1]

    def of(self, only: int) -> bytes:
        """A byte a floor: 1 where it is this seat's (0: nobody's), a director's or the referee's."""
        wanted = {only, VOICED + only, ACCOUNT + only, VOICED}
        return bytes(self.codes).translate(bytes(code in wanted for code in range(256)))

    @staticmethod
    def stretch(marks: bytes, start: int, length: int) -> list[int]:
        """The floors marked, from the `start`-th on."""
        marked: Iterator[int] = compress(count(), marks)
        return list(islice(marked, start, start + length))


_rolls: Memo[Roll] = Memo(500)


def roll(table: Table, thread: Thread) -> Roll:
    """The roll of a public thread, up to its newest floor."""
    return rolls(table, [thread])[thread.room]


def rolls(table: Table, threads: Sequence[Thread]) -> dict[str, Roll]:
    """The rolls of public threads of a game by room; one question for all that have grown, none when none has."""
    found = {thread.room: _rolls.made((thread.pk, thread.game_id, thread.room, thread.opened_at), Roll) for thread in threads}
    grown = [thread for thread in threads if thread.floors > found[thread.room].newest]
    if grown:
        posts = readable(table, grown[0].room) if len(grown) == 1 else readable(table)
        came = Q(pk__in=())
        for thread in grown:
            came |= Q(room=thread.room, floor__gt=found[thread.room].newest, floor__lte=thread.floors)
        rows = posts.filter(came).order_by("room", "floor").values_list("room", "floor", "seat", "voice", "pk")
        for room, floor, seat, voice, row in rows.iterator(20_000):
            found[room].take(floor, seat, voice, row)
    return found
