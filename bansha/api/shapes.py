"""What the interface hands out and takes. Answers are plain structs, those of `bansha.sight.types` among them, encoded as they
are; `documented` makes of each the same shape for the OpenAPI document, field by field from its annotations."""

from __future__ import annotations

import inspect
import typing
from typing import Any, Literal

import msgspec
import pydantic
from ninja import Schema
from pydantic import ConfigDict, Field

from bansha.rulesets.model import Ruleset
from bansha.sight.types import View


class Problem(msgspec.Struct):
    """Why something was not done. `code` is stable, for programs; `zh` and `en` are sentences that say what would be right.
    `at`: for input that cannot be read, the places in it."""

    code: str
    zh: str
    en: str
    at: list[str] = []


class TokenFacts(msgspec.Struct):
    """The token itself. `game` 0: every game, as everybody may read it. `seat` 0: it acts for none. `until`: when it runs out."""

    kind: Literal["seat", "read"]
    label: str
    game: int
    seat: int
    until: str | None


class GameFacts(msgspec.Struct):
    """What everybody knows of a game. `pace`: game minutes a real minute. `personas`: names in seat order, once it was dealt.
    `start`: when setup ends."""

    game: int
    title: str
    script: str
    note: str
    status: Literal["signup", "ceremony", "running", "over"]
    ruleset: str
    ruleset_hash: str
    options: dict[str, str]
    zone: str
    pace: int
    start: str
    seats: int
    personas: list[str]


class Games(msgspec.Struct):
    """Games, the newest first; `more`: there are older ones, asked for with `before`."""

    games: list[GameFacts]
    more: bool


class RoomFacts(msgspec.Struct):
    """A room that may be read. `room` names it: talk-3, ballot-3, election-1, process, den-0, line-5, hole,
    log, and after the end reveal. `newest`: its
    newest floor (0: nothing there yet). `writes`: it takes this seat's posts now."""

    room: str
    kind: Literal["talk", "ballot", "election", "process", "den", "line", "hole", "log", "reveal"]
    day: int
    newest: int
    writes: bool


class Seen(msgspec.Struct):
    """A game as this token may see it. `minute`: the game-local minute now (minutes since 1970-01-01T00:00); `moment`: the real
    one. `why`: why the public threads take no post of this seat now ("": they do)."""

    minute: int
    moment: str
    why: str
    view: View
    rooms: list[RoomFacts]


class Rooms(msgspec.Struct):
    """The rooms that may be read."""

    rooms: list[RoomFacts]


class Receipt(msgspec.Struct):
    """What became of a post in a ballot thread. `state`: vote or change (`target`: the seat, 0 for 弃权; `void`: the minute since
    which it is void), or refused, which only its author and the directors see (`written`: the name as written, `code`, and why)."""

    state: Literal["vote", "change", "refused"]
    ballot: str
    target: int | None
    void: int | None
    written: str
    code: str
    zh: str
    en: str


class PostFacts(msgspec.Struct):
    """A post. `floor`: its place in the room. `voice`: seat (a persona), director, referee (an announcement), lift (the
    elevator's floor, empty), account (a note in a tree hole). `seat` 0: nobody's. `ref`: the number that quotes name it by
    (0: none). `body`: as written, with its codes; `words`: its own words. `quote`: `ref` of the post it quotes. `note`: morning,
    count, sign, lastwords, proxy or "". `author`: the account, in the reveal thread alone. `minute`: game-local; `at`: the real
    moment."""

    room: str
    floor: int
    voice: Literal["seat", "director", "referee", "lift", "account"]
    seat: int
    ref: int
    body: str
    words: str
    quote: int
    note: str
    author: str
    minute: int
    at: str
    receipt: Receipt | None


class Posts(msgspec.Struct):
    """Posts of a room in the order of floors; `more`: there are later ones."""

    posts: list[PostFacts]
    more: bool


class PetitionFacts(msgspec.Struct):
    """A petition of the day. `close`: the close it would lead to (0: none); `until`: until when it is signed; `refusal`: why this
    seat may not sign now (null: it may, or the token has no seat)."""

    kind: str
    signed: list[int]
    quorum: int
    living: int
    close: int
    until: int
    passed: bool
    refusal: Problem | None


class Petitions(msgspec.Struct):
    """The petitions of a game."""

    petitions: list[PetitionFacts]


class LastWordsFacts(msgspec.Struct):
    """This seat's last words. `place`: among those who have some (0 until it is public), of `places`. `until`: until which minute
    they may be handed in or replaced (0: not now). `given`: some were; `text`: what stands there."""

    entitled: bool
    place: int
    places: int
    until: int
    given: bool
    text: str


class Taken(msgspec.Struct):
    """It was taken, at this game-local minute. The same `Idempotency-Key` gives the same answer."""

    minute: int


class StreamFacts(msgspec.Struct):
    """Where the event stream is, and until when it lasts: then ask again."""

    address: str
    until: str


# --- what is taken --------------------------------------------------------------------------------------------------


class Taking(Schema):
    """Base of what is taken: a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


Text = typing.Annotated[str, Field(max_length=40_000, description="Text; what the town takes at most is said by its refusal.")]
Seat = typing.Annotated[int, Field(ge=0, le=99)]


class Choice(Taking):
    """One skill handed in: `skill` is its number (`index` of the view). `targets`: seats; true for a skill without a target; null
    passes it."""

    skill: int = Field(ge=0, le=999)
    targets: typing.Annotated[list[Seat], Field(max_length=40)] | Literal[True] | None


class Choices(Taking):
    """Skills, all in one submission; an answer to a prompt is handed in the same way."""

    choices: list[Choice] = Field(min_length=1, max_length=40)


class Vote(Taking):
    """A vote: `target` is a seat, 0 for 弃权. `change`: changes the vote in force instead."""

    ballot: Literal["exile", "election"]
    target: Seat
    reason: str = Field("", max_length=2000)
    change: bool = False


class NewPost(Taking):
    """A post. `quote`: the floor it answers (0: what the text quotes by itself)."""

    body: Text
    quote: int = Field(0, ge=0, le=1_000_000_000)


class Signature(Taking):
    """A signature under a petition."""

    kind: Literal["speed_up", "extend", "abort"]


class Surrender(Taking):
    """Surrender: propose it, or answer a proposal."""

    answer: Literal["propose", "agree", "decline"]


class NewLastWords(Taking):
    """Last words, in plain text."""

    text: Text


class StreamWish(Taking):
    """The room whose posts are to come ("": none, only that something changed or waits)."""

    room: str = Field("", max_length=20)


# --- structs as they are documented -----------------------------------------------------------------------------------


_made: dict[type, Any] = {}


def documented(struct: type[msgspec.Struct]) -> Any:
    """The pydantic model of a struct: the same fields with the same types, all of them there; its docstring describes it."""
    if struct not in _made:
        of_a_board = struct.__module__ == Ruleset.__module__ and struct is not Ruleset
        name = f"Board{struct.__name__}" if of_a_board else struct.__name__
        hints = typing.get_type_hints(struct)
        fields: dict[str, Any] = {name: (_kind(hint), ...) for name, hint in hints.items() if name in struct.__struct_fields__}
        config = ConfigDict(extra="forbid")
        _made[struct] = pydantic.create_model(name, __config__=config, __doc__=inspect.getdoc(struct), **fields)
    return _made[struct]


def _kind(hint: Any) -> Any:
    """A type with the structs in it replaced by their models."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and not typing.get_origin(hint):
        return documented(hint)
    arguments = typing.get_args(hint)
    if not arguments or typing.get_origin(hint) is Literal:
        return hint
    inner = tuple(_kind(argument) for argument in arguments)
    origin = typing.get_origin(hint)
    if origin is typing.Union or not isinstance(origin, type) or origin.__name__ == "UnionType":
        return typing.Union[inner]  # noqa: UP007 (of a tuple made here)
    return origin[inner if len(inner) > 1 else inner[0]]  # type: ignore[index]


RULESET = documented(Ruleset)
