"""Floors of a thread: each post takes the next one, under the thread's lock."""

from __future__ import annotations

from bansha.town.models import Post, Thread

HELD = "held"
"""The room of announcements that wait for a director's review: they have no floor yet."""
NOWHERE = ("new", HELD)
"""Rooms in which a post stands in no thread: not yet judged, not yet released."""


def take(thread: Thread) -> int:
    """The next floor of a locked thread. In one that was written anew (`crowded`), floors of posts without events stand
    already: they are stepped over, before and after."""
    floor = last = thread.floors + 1
    if thread.crowded:
        later = Post.objects.filter(game=thread.game_id, room=thread.room, floor__gte=floor)
        taken = set(later.values_list("floor", flat=True))
        while floor in taken:
            floor += 1
        last = floor
        while last + 1 in taken:
            last += 1
    Thread.objects.filter(pk=thread.pk).update(floors=last)
    return floor
