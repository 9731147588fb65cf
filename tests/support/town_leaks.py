"""Twelve small mistakes in what is served, each planted into the running town for as long as a `with` lasts. The secrecy property
(`town_secrecy`) must find every one.

    with LEAKS["search"].plant(): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from tests.support.played import KINDS

OUTSIDE = ("visitor", "member", "spectator", "guest", "reserve", "manager", "predecessor")
"""Kinds of viewers who know what everybody knows."""
INSIDE = ("player alive", "player out", "player out, not told", "assistant", "substitute")


class Leak(NamedTuple):
    """What a mistake tells; the ruleset and the kinds of viewers it is looked for with; how it is planted."""

    tells: str
    ruleset: str
    kinds: tuple[str, ...]
    plant: Callable[[], Any]


@contextmanager
def instead(place: Any, name: str, value: Any) -> Iterator[None]:
    """Another value under a name, for a while."""
    kept = getattr(place, name)
    setattr(place, name, value)
    try:
        yield
    finally:
        setattr(place, name, kept)


@contextmanager
def _served(name: str, change: Callable[[Any, Any, dict[str, Any]], Any]) -> Iterator[None]:
    """The view of an address answers otherwise: `change(answer, request, arguments)` gives what is answered; a refusal comes to it
    as the exception."""
    from django.http import Http404
    from django.urls import URLPattern, get_resolver

    def patterns(found: Any) -> Iterator[URLPattern]:
        for one in found.url_patterns:
            yield from [one] if isinstance(one, URLPattern) else patterns(one)

    found = next(one for one in patterns(get_resolver()) if one.name == name)
    true = found.callback

    @wraps(true)
    def leaking(request: Any, **arguments: Any) -> Any:
        try:
            answer = true(request, **arguments)
        except Http404 as refusal:
            answer = refusal
        changed = change(answer, request, arguments)
        if isinstance(changed, Exception):
            raise changed
        return changed

    with instead(found, "callback", leaking):
        yield


def _truth(game: Any) -> Any:
    """What the directors see of a game."""
    from bansha.journal import doors
    from bansha.sight.types import DIRECTOR

    return doors.see(game.journal, DIRECTOR)


def _more(answer: Any, said: bytes) -> Any:
    """A page with something more at its end."""
    if getattr(answer, "status_code", 0) == 200:
        answer.content += said
    return answer


# --- the twelve -------------------------------------------------------------------------------------------------------


def _event() -> Any:
    """What others hand in is said to everybody; letters list it."""
    import msgspec

    from bansha.sight import news

    true = news._news

    def leaking(*given: Any) -> Iterator[Any]:
        for piece in true(*given):
            yield msgspec.structs.replace(piece, public=True) if piece.kind == "submitted" else piece

    return instead(news, "_news", leaking)


def _etag() -> Any:
    """A feed's ETag counts all posts of the game, the hidden ones too."""
    from bansha.notify import feeds
    from bansha.town.models import Post

    true = feeds._answer

    def answer(request: Any, body: bytes, changed: Any) -> Any:
        made = true(request, body, changed)
        made["ETag"] = f'"{Post.objects.filter(game=request.table.game).count()}"'
        return made

    return instead(feeds, "_answer", answer)


def _early() -> Any:
    """The panel says which stage of the night it is, so that one sees it end early."""
    from bansha.journal import keep
    from bansha.town import context, progress

    true = progress.progress

    def leaking(table: Any) -> Any:
        found = true(table)
        with keep.kept(table.game.journal) as have:
            s = have.state
            if table.public.phase == "night":
                found.name += f" · {s.stage + 1} · {sum(s.limits)}"
        return found

    return instead(context, "progress", leaking)


def _den() -> Any:
    """The hub says how many share the dens."""

    def change(answer: Any, request: Any, _arguments: Any) -> Any:
        if not hasattr(request, "table") or not request.table.begun:
            return answer
        sizes = [len(den.members) for den in _truth(request.table.game).rooms.dens]
        return _more(answer, f"<p>共群 {sizes}</p>".encode())

    return _served("hub", change)


def _refused() -> Any:
    """A den that is there but not for you answers 403, one that is not there 404."""
    from django.core.exceptions import PermissionDenied

    def change(answer: Any, request: Any, arguments: Any) -> Any:
        if isinstance(answer, Exception) and hasattr(request, "table"):
            there = [den.den for den in _truth(request.table.game).rooms.dens]
            return PermissionDenied() if arguments["den"] in there else answer
        return answer

    return _served("den", change)


def _feed() -> Any:
    """A feed's title says how many are alive."""
    from bansha.notify import feeds

    true = feeds.atom

    def atom(table: Any, title: str, *more: Any) -> Any:
        if table.begun:
            title += f" · {sum(truth.alive for truth in _truth(table.game).view.director.seats)}"
        return true(table, title, *more)

    return instead(feeds, "atom", atom)


def _search() -> Any:
    """The search says how many posts it has found, before it leaves out those that are not for you."""
    from bansha.town import searching
    from bansha.town.models import Post

    def change(answer: Any, request: Any, _arguments: Any) -> Any:
        every = searching.found_in(Post.objects.filter(game=request.table.game), searching.terms(request.GET.get("q", "")))
        return _more(answer, f"<p>{every.count()}</p>".encode())

    return _served("search", change)


def _drafts() -> Any:
    """A thread says how many are writing in it."""
    from bansha.town.models import Draft

    def change(answer: Any, request: Any, arguments: Any) -> Any:
        if not hasattr(request, "table"):
            return answer
        writing = Draft.objects.filter(game=request.table.game, room=arguments["room"]).count()
        return _more(answer, f"<p>{writing} 人正在写</p>".encode())

    return _served("thread", change)


def _presence() -> Any:
    """The hub says who was here lately."""
    from bansha.town.models import Tenure

    def change(answer: Any, request: Any, _arguments: Any) -> Any:
        sitting = Tenure.objects.filter(game=request.table.game, until=None, account__last_login__isnull=False)
        return _more(answer, f"<p>在线 {sorted(sitting.values_list('seat', flat=True))}</p>".encode())

    return _served("hub", change)


def _size() -> Any:
    """The process page is a byte longer for every note that its directors keep of the game."""
    from bansha.town.models import LogLine, Request

    def change(answer: Any, request: Any, _arguments: Any) -> Any:
        notes = LogLine.objects.filter(game=request.table.game).count() + Request.objects.filter(game=request.table.game).count()
        return _more(answer, b" " * notes)

    return _served("process", change)


def _avatar() -> Any:
    """The path of a persona's picture has the account's number in it."""
    from bansha.town.models import Tenure

    def change(answer: Any, request: Any, _arguments: Any) -> Any:
        if getattr(answer, "status_code", 0) == 200:
            for seat, account in Tenure.objects.filter(game=request.table.game, until=None, kind="player").values_list("seat", "account"):
                answer.content = answer.content.replace(f"/avatar/{seat}/".encode(), f"/avatar/{seat}/?of={account}".encode())
        return answer

    return _served("thread", change)


def _notice() -> Any:
    """A notice says how many are alive."""
    from bansha.notify import texts
    from bansha.town.models import Game

    true = texts.line

    def line(kind: str, title: str, day: int) -> str:
        game = Game.objects.filter(title=title, status="running").order_by("-pk").first()
        living = sum(truth.alive for truth in _truth(game).view.director.seats) if game is not None else 0
        return f"{true(kind, title, day)}（{living}）"

    return instead(texts, "line", line)


LEAKS: dict[str, Leak] = {
    "event": Leak("an event without an audience: what others hand in, in everybody's letter", "m205", INSIDE, _event),
    "etag": Leak("a count in an ETag: all posts, in the feed's validator", "baichibai", OUTSIDE, _etag),
    "early": Leak("an early stage end: the panel names the stage of the night", "m205", KINDS[:-2], _early),
    "den": Leak("the size of dens, on the hub", "m46", OUTSIDE, _den),
    "refused": Leak("404 against 403: a den that is there and not for you", "m205", OUTSIDE, _refused),
    "feed": Leak("a feed's title: how many are alive in truth", "m46", OUTSIDE, _feed),
    "search": Leak("the count of a search: hits in hidden posts", "m205", OUTSIDE, _search),
    "drafts": Leak("drafts: how many are writing", "standard12", OUTSIDE, _drafts),
    "presence": Leak("presence: who was here lately", "vanilla", OUTSIDE, _presence),
    "size": Leak("the size of a page: a byte for every note of the directors", "m205-2026-summer", OUTSIDE, _size),
    "avatar": Leak("the path of a picture: the account's number", "vanilla", OUTSIDE, _avatar),
    "notice": Leak("the text of a notice: how many are alive in truth", "baichibai", KINDS[1:-2], _notice),
}
"""Name → mistake."""
