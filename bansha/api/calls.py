"""The interface, call by call. What a call may do is the same as on the pages: it goes through `Table`, `readable` and `acts`."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any, Literal

import msgspec
from django.core.exceptions import SuspiciousOperation
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation
from ninja.params.functions import Header, Query
from ninja.security import HttpBearer

from bansha import __version__
from bansha.api import rooms as r
from bansha.api import shapes as s
from bansha.api.guard import ApiRequest, nothing, problem, said
from bansha.journal import doors
from bansha.referee.refusals import Refused
from bansha.town import acts, tickets
from bansha.town.acts import Denied
from bansha.town.models import Game, Persona, Thread
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.views.ballot import cast

EACH = 50
STREAM = timedelta(minutes=15)
"""How long an event stream lasts before it must be asked for again: a revoked token's at most so long."""
UNREADABLE = Denied("看不懂这个请求：见 at 所指的地方与接口文档。", "This cannot be read: see the places named by `at`, and the reference.")
OVER = Denied("本局已经结束，不再有新的事。", "The game is over; nothing happens any more.")


class Token(HttpBearer):
    """The token, as `Authorization: Bearer bansha_…`; the guard has looked it up."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """The token's row."""
        return request.token  # type: ignore[attr-defined]


class Calls(NinjaAPI):
    """The interface; a call is named as its function."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of a call in the document."""
        return operation.view_func.__name__


api = Calls(
    title="bansha",
    version="1",
    description=(
        "The town for programs. A token stands for one seat, or for reading; its member makes and revokes it on the page /programs/. "
        "Minutes are game-local minutes since 1970-01-01T00:00. What is refused says why, with a stable code."
    ),
    auth=Token(),
    docs_url=None,
    openapi_url=None,
    urls_namespace="calls",
    openapi_extra={"info": {"x-bansha": __version__}},
)

Answers = dict[int, Any]


def answers(good: type[msgspec.Struct], *codes: int) -> Answers:
    """What a call answers: what was asked for, and the problems it may have. 400, 401, 405, 429 and 503 any call may have."""
    wrong = s.documented(s.Problem)
    return {200: s.documented(good), **dict.fromkeys(sorted({400, 401, 405, 429, 503, *codes}), wrong)}


Key = Header(
    "", alias="Idempotency-Key", max_length=100,
    description="A text of your own for this act: sent again with it, the act is not done again, and the first answer is given.",
)  # fmt: skip


# --- reading --------------------------------------------------------------------------------------------------------


@api.get("/token", url_name="token", response=answers(s.TokenFacts), summary="What this token is")
def token(request: ApiRequest) -> HttpResponse:
    """Its kind, its game and its seat."""
    own = request.token
    seat = own.tenure.seat if own.tenure is not None and own.kind == "seat" else 0
    return said(s.TokenFacts(own.kind, own.label, own.game_id or 0, seat, r.iso(own.until) if own.until else None))  # type: ignore[arg-type]


@api.get("/games", url_name="games", response=answers(s.Games), summary="Games")
def games(
    request: ApiRequest,
    status: Literal["signup", "ceremony", "running", "over"] | None = None,
    before: int = Query(0, ge=0, le=1_000_000_000, description="only games with a smaller number (0: all)"),
) -> HttpResponse:
    """The town's games as everybody knows them, the newest first."""
    found = Game.objects.exclude(status="draft").filter(Q(pk__lt=before) if before else Q())
    rows = list((found.filter(status=status) if status else found).order_by("-pk")[: EACH + 1])
    return said(s.Games([facts_of(game) for game in rows[:EACH]], len(rows) > EACH))


def facts_of(game: Game) -> s.GameFacts:
    """What everybody knows of a game."""
    dealt = game.status in ("running", "over")
    names = list(Persona.objects.filter(game=game).order_by("seat").values_list("name", flat=True)) if dealt else []
    return s.GameFacts(
        game.pk, game.title, game.script, game.note, game.status, game.ruleset, game.ruleset_hash, game.options, game.zone, game.pace,  # type: ignore[arg-type]
        r.iso(game.start), game.seats, names,
    )  # fmt: skip


@api.get("/games/{int:game}", url_name="game", response=answers(s.GameFacts, 404), summary="One game")
def one_game(request: ApiRequest, game: int) -> HttpResponse:
    """A game as everybody knows it."""
    return said(facts_of(request.game))


@api.get(
    "/games/{int:game}/ruleset", url_name="ruleset", response={**answers(s.Problem, 404), 200: s.RULESET}, summary="Its ruleset"
)
def ruleset(request: ApiRequest, game: int) -> HttpResponse:
    """The board: the ruleset the game has pinned by its hash, or before the deal the one it was announced with."""
    return said(Table(request.game, None, request.moment).loaded.ruleset)


@api.get(
    "/games/{int:game}/view", url_name="view", response={**answers(s.Seen, 403, 404), 304: None}, summary="What this token may know"
)
def view(
    request: ApiRequest, game: int,
    known: str = Header("", alias="If-None-Match", max_length=200, description="the ETag of the answer you have"),
) -> HttpResponse:  # fmt: skip
    """The game as this token's place sees it, and its rooms with their newest floors. The ETag leaves the minute out: 304 says
    that nothing but the time has changed; the minute is in the header `Bansha-Minute` of both answers."""
    table = request.table
    seen = s.Seen(table.minute, r.iso(table.now), table.rooms.why, table.view, r.rooms(table, request.token.kind == "seat"))
    timeless = msgspec.structs.replace(seen, minute=0, moment="", view=_timeless(seen.view))
    tag = f'W/"{hashlib.sha256(msgspec.json.encode(timeless)).hexdigest()[:32]}"'
    answer = HttpResponse(status=304) if known == tag else said(seen)
    answer["ETag"] = tag
    answer["Bansha-Minute"] = str(seen.minute)
    return answer


def _timeless(seen: Any) -> Any:
    return msgspec.structs.replace(seen, public=msgspec.structs.replace(seen.public, now=0))


@api.get("/games/{int:game}/rooms", url_name="rooms", response=answers(s.Rooms, 403, 404), summary="Rooms")
def rooms(request: ApiRequest, game: int) -> HttpResponse:
    """The rooms that this token may read, with their newest floors."""
    return said(s.Rooms(r.rooms(request.table, request.token.kind == "seat")))


@api.get("/games/{int:game}/rooms/{slug:room}/posts", url_name="posts", response=answers(s.Posts, 403, 404), summary="Posts")
def posts(
    request: ApiRequest,
    game: int,
    room: str,
    after: int = Query(0, ge=0, le=1_000_000_000, description="only posts on later floors"),
    limit: int = Query(EACH, ge=1, le=r.MOST, description="so many at most"),
) -> HttpResponse:
    """The posts of a room in the order of floors."""
    if not _readable(request, room):
        return nothing()
    found, more = r.posts(request.table, room, after, limit)
    return said(s.Posts(found, more))


def _readable(request: ApiRequest, room: str) -> bool:
    return any(facts.room == room for facts in r.rooms(request.table, False))


@api.get("/games/{int:game}/petitions", url_name="petitions", response=answers(s.Petitions, 403, 404), summary="Petitions")
def petitions(request: ApiRequest, game: int) -> HttpResponse:
    """The petitions as they stand (C21), and whether this seat may sign them now."""
    table = request.table
    found = doors.petitions(_journal(table), table.seat, table.minute)
    return said(s.Petitions([s.PetitionFacts(*one[:-1], refusal=_refusal(one.refusal)) for one in found]))


def _refusal(why: Refused | None) -> s.Problem | None:
    return s.Problem(why.code, why.zh, why.en) if why is not None else None


def _journal(table: Table) -> int:
    assert table.game.journal is not None
    return table.game.journal


@api.get("/games/{int:game}/last-words", url_name="last-words", response=answers(s.LastWordsFacts, 403, 404), summary="Last words")
def last_words(request: ApiRequest, game: int) -> HttpResponse:
    """This seat's last words (C11): whether it has some, until when, and what was handed in."""
    table = request.table
    seat = table.viewer.seat if table.me is not None else 0
    right = doors.farewell(_journal(table), seat, table.minute)
    mine = readable(table).filter(room="words", seat=seat).first() if seat else None
    return said(s.LastWordsFacts(*right, text=mine.body if mine is not None else ""))


@api.post("/games/{int:game}/stream", url_name="stream", response=answers(s.StreamFacts, 403, 404, 422), summary="The event stream")
def stream(request: ApiRequest, game: int, wish: s.StreamWish) -> HttpResponse:
    """Where this token's event stream is (server-sent events; it needs no token). It lasts a quarter of an hour: then ask again,
    with `after=FLOOR` for what has come since."""
    table = request.table
    room = wish.room
    if room and not _readable(request, room):
        return nothing()
    until = table.now + STREAM
    address = tickets.address(table, room, until)
    if not address:
        return problem(422, "over", OVER)
    return said(s.StreamFacts(address if "://" in address else request.build_absolute_uri(address), r.iso(until)))


# --- acting ---------------------------------------------------------------------------------------------------------


def _key(request: ApiRequest, key: str, *of: str) -> str:
    """A caller's key, for this call alone."""
    return f"api {request.token.pk} {' '.join(of)} {key}" if key else ""


def _taken(table: Table, answer: doors.Answer) -> HttpResponse:
    return said(s.Taken(answer.news[0].at if answer.news else table.minute))


@api.post("/games/{int:game}/skills", url_name="skills", response=answers(s.Taken, 403, 404, 422), summary="Hand in skills")
def hand_in(request: ApiRequest, game: int, given: s.Choices, key: str = Key) -> HttpResponse:
    """Hand skills in, pass them, answer a prompt: all in one submission. The last one handed in counts (C4)."""
    choices = {choice.skill: choice.targets for choice in given.choices}
    return _taken(request.table, acts.hand_in(request.table, choices, _key(request, key, "skills")))


@api.post("/games/{int:game}/votes", url_name="votes", response=answers(s.PostFacts, 403, 404, 422), summary="Vote, or change the vote")
def vote(request: ApiRequest, game: int, given: s.Vote, key: str = Key) -> HttpResponse:
    """Writes the proper post of a vote in today's ballot thread (C18); a change quotes the vote in force by itself."""
    table = request.table
    kind = "election" if given.ballot == "election" else "ballot"
    thread = Thread.objects.filter(game=table.game, kind=kind, day=table.public.day).first()
    if thread is None:
        raise Refused("no_ballot", ballot=given.ballot, legal="、".join(b.name for b in table.public.ballots))
    made = cast(table, thread, given.target, given.reason, _key(request, key, "votes", thread.room), given.change)
    return said(r.facts_of(table, made))


@api.post(
    "/games/{int:game}/rooms/{slug:room}/posts", url_name="posts", response=answers(s.PostFacts, 403, 404, 422), summary="Post"
)
def post(request: ApiRequest, game: int, room: str, given: s.NewPost, key: str = Key) -> HttpResponse:
    """Post in a thread of today, in the process thread, in one's den, one's private line with the directors, or one's tree hole.
    In a ballot thread the post is read as a vote and has a receipt."""
    table = request.table
    if not _readable(request, room):
        return nothing()
    own = _key(request, key, "posts", room)
    if Thread.objects.filter(game=table.game, room=room).exists():
        made = acts.say(table, room, given.body, own, given.quote)
    else:
        made = acts.whisper(table, room, given.body, own)
    return said(r.facts_of(table, made))


@api.post("/games/{int:game}/signatures", url_name="signatures", response=answers(s.Taken, 403, 404, 422), summary="Sign a petition")
def sign(request: ApiRequest, game: int, given: s.Signature, key: str = Key) -> HttpResponse:
    """Sign a petition of the day (C21)."""
    return _taken(request.table, acts.sign(request.table, given.kind, _key(request, key, "signatures")))


@api.post("/games/{int:game}/surrender", url_name="surrender", response=answers(s.Taken, 403, 404, 422), summary="Surrender")
def surrender(request: ApiRequest, game: int, given: s.Surrender, key: str = Key) -> HttpResponse:
    """Propose surrender, or answer a proposal."""
    answer = "" if given.answer == "propose" else given.answer
    return _taken(request.table, acts.surrender(request.table, answer, _key(request, key, "surrender")))


@api.put("/games/{int:game}/last-words", response=answers(s.Taken, 403, 404, 422), summary="Hand in last words")
def leave_words(request: ApiRequest, game: int, given: s.NewLastWords, key: str = Key) -> HttpResponse:
    """Last words, plain text; the last ones handed in count, and are public at the next opening (C11)."""
    return _taken(request.table, acts.last_words(request.table, given.text, _key(request, key, "last-words")))


@api.delete("/games/{int:game}/last-words", response=answers(s.Taken, 403, 404, 422), summary="Leave no last words")
def waive_words(request: ApiRequest, game: int) -> HttpResponse:
    """Leave none; until they are due the mind may be changed."""
    acts.waive_last_words(request.table)
    return said(s.Taken(request.table.minute))


# --- what is not taken ----------------------------------------------------------------------------------------------


@api.exception_handler(Refused)
def refused(_request: HttpRequest, why: Refused) -> HttpResponse:
    """The referee refused: nothing has changed."""
    return said(s.Problem(why.code, why.zh, why.en), 422)


@api.exception_handler(Denied)
def denied(_request: HttpRequest, why: Denied) -> HttpResponse:
    """The town refused: nothing has changed."""
    return problem(422, "denied", why)


@api.exception_handler(ValidationError)
def invalid(_request: HttpRequest, why: ValidationError) -> HttpResponse:
    """Input of another shape than the document says."""
    at = [f"{'.'.join(str(step) for step in error['loc'])}: {error['msg']}" for error in why.errors[:20]]
    return problem(400, "unreadable", UNREADABLE, at)


@api.exception_handler(HttpError)
def unreadable(_request: HttpRequest, why: HttpError) -> HttpResponse:
    """A body that is no JSON."""
    return problem(400, "unreadable", UNREADABLE, [f"body: {why.message}"])


@api.exception_handler(SuspiciousOperation)
def too_much(_request: HttpRequest, _why: SuspiciousOperation) -> HttpResponse:
    """A body that is larger than the town takes."""
    return problem(400, "unreadable", UNREADABLE, ["body: too large"])


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(api.get_openapi_schema(path_prefix=_prefix())))
    for methods in made["paths"].values():
        for call in methods.values():
            for status in ("429", "503"):
                wait = {"description": "seconds until the next call is taken", "required": True, "schema": {"type": "integer"}}
                call["responses"][status]["headers"] = {"Retry-After": wait}
            allow = {"description": "what is taken", "required": True, "schema": {"type": "string"}}
            call["responses"]["405"]["headers"] = {"Allow": allow}
    seen = made["paths"][f"{_prefix()}games/{{game}}/view"]["get"]["responses"]
    minute = {"description": "the game-local minute now", "required": True, "schema": {"type": "integer"}}
    tag = {"description": "send it as If-None-Match", "required": True, "schema": {"type": "string"}}
    for status in ("200", "304"):
        seen[status]["headers"] = {"Bansha-Minute": minute, "ETag": tag}
    return made


def _prefix() -> str:
    return reverse("api:openapi").rpartition("/")[0] + "/"
