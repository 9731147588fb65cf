"""The town's router, walked: every address with its view, its name, and arguments to try it with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

ALLAUTH = "allauth."
SAMPLES: dict[str, tuple[Any, ...]] = {
    "key": ("key",), "uidb36": ("1",), "pk": (1,), "name": ("player1",), "number": (1,), "version": ("m205",), "what": ("proposed",),
    "index": (0,), "request_id": (1,), "floor": (1,),
}  # fmt: skip
"""Arguments that do not hang on a game."""


def desk_acts() -> tuple[str, ...]:
    """The names of everything a director can do at the desk: each has a page."""
    from bansha.desk.forms import ACTS

    return tuple(ACTS)


class Address(NamedTuple):
    """A place in the router: `name` with its namespace, the names of its parameters, its view, and the module of that view."""

    name: str
    route: str
    parameters: tuple[str, ...]
    view: Callable[..., Any]
    module: str

    @property
    def ours(self) -> bool:
        """A view of the town's own."""
        return not self.module.startswith(ALLAUTH)


def addresses() -> list[Address]:
    """Every address of the town, in the router's order."""
    from django.urls import get_resolver

    return list(_walk(get_resolver().url_patterns, "", "", ()))


def _walk(patterns: Any, before: str, route: str, outer: tuple[str, ...]) -> Iterator[Address]:
    from django.urls import URLResolver

    for found in patterns:
        parameters = outer + (tuple(found.pattern.converters) or tuple(found.pattern.regex.groupindex))
        if isinstance(found, URLResolver):
            inner = f"{before}{found.namespace}:" if found.namespace else before
            yield from _walk(found.url_patterns, inner, route + str(found.pattern), parameters)
        else:
            view = found.callback
            module = getattr(getattr(view, "view_class", view), "__module__", "")
            yield Address(f"{before}{found.name}", route + str(found.pattern), parameters, view, module)


def _samples(address: Address, parameter: str, scene: Any) -> tuple[Any, ...]:
    """What to put in place of a parameter in a scene; nothing where the scene has nothing to name.

    Raises:
        KeyError: a parameter nobody has given a sample for.
    """
    if parameter == "game":
        return (scene.game,)
    if parameter == "room":
        room = scene.ballot if address.name.endswith("ballot") else f"talk-{scene.day}"
        rooms = (room, "reveal") if scene.name == "over" and address.name == "town:thread" else (room,)
        return rooms if scene.day else ()
    if parameter == "seat":
        return (scene.player or 1,)
    if parameter == "den":
        return (scene.den,)
    if parameter == "token":
        return (_token(address, scene),)
    return desk_acts() if address.name == "desk:act" and parameter == "name" else SAMPLES[parameter]


def _token(address: Address, scene: Any) -> str:
    """The secret part of an address of the scene's player; "nothing" where they have none."""
    from bansha.notify import diary, mail

    account = scene.account("player")
    if address.name == "notify:calendar":
        found = diary.Diary.objects.filter(account__username=account).first()
        return diary.token_of(found) if found is not None else "nothing"
    way = mail.Ways.objects.filter(account__username=account).first()
    return mail.stop_token(way) if way is not None else "nothing"


def paths(address: Address, scene: Any) -> list[str]:
    """The paths of this address in a scene: mostly one."""
    from django.urls import reverse

    ways = itertools.product(*(_samples(address, parameter, scene) for parameter in address.parameters))
    return [reverse(address.name, kwargs=dict(zip(address.parameters, way, strict=True))) for way in ways]
