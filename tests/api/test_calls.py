"""The calls, one by one: what a token opens, what it may not do, and that nothing is done twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bansha.api import guard, tokens
from bansha.api.models import Token
from bansha.town import limits, people
from bansha.town.models import Account, Game, Post, Tenure, Thread
from bansha.town.table import Table
from tests.support.tokens import Program, token_of
from tests.support.town import Clock, moment, seated, seats_of


@pytest.fixture
def game(clock: Clock) -> Game:
    """A game on the morning of its first day."""
    clock.at(1, 4)
    made: Game = seated(seed=61)
    from bansha.journal import doors

    assert made.journal is not None
    clock.at(1, 9, 1)
    doors.strike(made.journal, moment(1, 9, 1))
    made.refresh_from_db()
    return made


def program(game: Game, seat: int, kind: str = "seat") -> Program:
    """A program with a new token of this seat's player."""
    return Program(token_of(f"player{seat}", game.pk, kind))


def test_a_token_says_what_it_is(game: Game) -> None:
    assert program(game, 3).get("/token") == (200, {"kind": "seat", "label": "tests", "game": game.pk, "seat": 3, "until": None})
    public = Program(token_of("director"))
    assert public.get("/token")[1] == {"kind": "read", "label": "tests", "game": 0, "seat": 0, "until": None}
    assert public.headers["Cache-Control"] == "private, no-cache" and public.headers["Vary"].startswith("Authorization")


@pytest.mark.parametrize("token", ("", "bansha_nobody", "no mark at all", "bansha_" + "x" * 4000))
def test_no_live_token_is_401(token: str, game: Game) -> None:
    own = Program(token)
    status, said = own.get(f"/games/{game.pk}/view")
    assert (status, said["code"]) == (401, "no_token") and said["zh"] and said["en"]
    assert own.headers["WWW-Authenticate"] == "Bearer"
    assert own.get("/games/99999/view")[0] == 401, "whether there is such a game, nobody learns without a token"


def test_a_token_ends(game: Game, clock: Clock) -> None:
    account = Account.objects.get(username="player4")
    row, text = tokens.make(account, game, "seat", "", moment(1, 9, 1), timedelta(hours=1))
    own = Program(text)
    assert own.get(f"/games/{game.pk}/view")[0] == 200
    assert Token.objects.get(pk=row.pk).last_used == moment(1, 9, 1) and Token.objects.get(pk=row.pk).digest not in text
    clock.at(1, 10, 1)
    assert own.get(f"/games/{game.pk}/view")[0] == 401, "it has run out"
    clock.at(1, 9, 30)
    Account.objects.filter(pk=account.pk).update(is_active=False)
    assert own.get(f"/games/{game.pk}/view")[0] == 401, "its account is closed"
    Account.objects.filter(pk=account.pk).update(is_active=True)
    assert tokens.revoke(account, row.pk, moment(1, 9, 30)) and not tokens.revoke(account, row.pk, moment(1, 9, 30))
    assert own.get(f"/games/{game.pk}/view")[0] == 401, "it is revoked"


def test_a_seats_tokens_end_with_its_player(game: Game) -> None:
    acting, reading, public = program(game, 5), program(game, 5, "read"), Program(token_of("player5"))
    assert all(own.get(f"/games/{game.pk}/view")[0] == 200 for own in (acting, reading, public))
    Tenure.objects.filter(game=game, seat=5, until=None).update(until=moment(1, 9, 1))
    assert [own.get(f"/games/{game.pk}/view")[0] for own in (acting, reading, public)] == [401, 401, 200]
    assert tokens.live(Account.objects.get(username="player5"), moment(1, 9, 1)).filter(game=game).count() == 0
    with pytest.raises(Exception, match="座位"):
        token_of("player5", game.pk, "seat")


def test_what_a_token_sees_is_its_place(game: Game) -> None:
    seen = program(game, 2).get(f"/games/{game.pk}/view")[1]
    assert seen["view"]["viewer"] == {"kind": "player", "seat": 2} and seen["view"]["me"]["seat"] == 2 and not seen["why"]
    assert {room["room"]: room["writes"] for room in seen["rooms"]}["talk-1"]
    public = Program(token_of("player2")).get(f"/games/{game.pk}/view")[1]
    assert public["view"]["me"] is None and {room["kind"] for room in public["rooms"]} <= {"talk", "ballot", "election", "process"}
    director = Program(token_of("director", game.pk)).get(f"/games/{game.pk}/view")[1]
    assert director["view"]["director"] is not None and not any(room["writes"] for room in director["rooms"])
    reader = program(game, 2, "read").get(f"/games/{game.pk}/view")[1]
    assert reader["view"]["me"] == seen["view"]["me"] and not any(room["writes"] for room in reader["rooms"])


def test_a_view_is_sent_when_it_has_changed(game: Game, clock: Clock) -> None:
    own = program(game, 2)
    own.get(f"/games/{game.pk}/view")
    tag = own.headers["ETag"]
    clock.at(1, 9, 7)
    assert own.get(f"/games/{game.pk}/view", If_None_Match=tag) == (304, None)
    minute = int(own.headers["Bansha-Minute"])
    program(game, 3).post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": "早。"})
    status, seen = own.get(f"/games/{game.pk}/view", If_None_Match=tag)
    assert status == 200 and seen["minute"] == minute and own.headers["ETag"] != tag


def test_what_is_handed_in_secretly_changes_nobody_elses_tag(game: Game, clock: Clock) -> None:
    clock.at(1, 21, 1)
    from bansha.journal import doors

    assert game.journal is not None
    doors.strike(game.journal, moment(1, 21, 1))
    seer, other = seats_of(game, "seer")[0], seats_of(game, "civilian")[0]
    own, stranger = program(game, seer), program(game, other)
    tags = []
    for one in (own, stranger):
        one.get(f"/games/{game.pk}/view")
        tags.append(one.headers["ETag"])
    index = next(skill["index"] for skill in own.get(f"/games/{game.pk}/view")[1]["view"]["me"]["skills"] if skill["verb"] == "read")
    assert own.post(f"/games/{game.pk}/skills", {"choices": [{"skill": index, "targets": [other]}]})[0] == 200
    assert own.get(f"/games/{game.pk}/view", If_None_Match=tags[0])[0] == 200
    assert stranger.get(f"/games/{game.pk}/view", If_None_Match=tags[1])[0] == 304


def test_a_read_token_writes_nothing(game: Game) -> None:
    before = Post.objects.count()
    for own in (program(game, 2, "read"), Program(token_of("player2")), Program(token_of("director", game.pk))):
        for path, given in (
            ("rooms/talk-1/posts", {"body": "早。"}), ("votes", {"ballot": "election", "target": 1}), ("signatures", {"kind": "extend"}),
            ("skills", {"choices": [{"skill": 1, "targets": None}]}), ("surrender", {"answer": "propose"}),
        ):  # fmt: skip
            status, said = own.post(f"/games/{game.pk}/{path}", given)
            assert (status, said["code"]) == (403, "read_only"), path
        assert own.call("PUT", f"/games/{game.pk}/last-words", {"text": "走了。"})[1]["code"] == "read_only"
        assert own.post(f"/games/{game.pk}/stream", {"room": "talk-1"})[0] == 200, "that is reading"
    assert Post.objects.count() == before


def test_another_game_is_out_of_scope_and_a_hidden_room_is_not_there(game: Game, clock: Clock) -> None:
    other = seated(seed=62, title="另一局")
    own = program(game, next(seat for seat in seats_of(game, "civilian") if seat > 1))
    assert own.get(f"/games/{other.pk}/view")[1]["code"] == own.get("/games/99999/view")[1]["code"] == "other_game"
    assert own.get(f"/games/{other.pk}")[1]["title"] == "另一局", "what everybody knows, anybody may read"
    assert own.get("/games/99999") == own.get(f"/games/{game.pk}/rooms/den-0/posts") == own.get("/nothing/of/the/kind")
    for room in ("den-0", "den-9", "line-1", "log", "words", "new", "held", "hole-1", "talk-9", "reveal"):
        answers = own.get(f"/games/{game.pk}/rooms/{room}/posts"), own.post(f"/games/{game.pk}/rooms/{room}/posts", {"body": "早。"})
        assert [status for status, _ in answers] == [404, 404], room


def test_a_draft_is_nobodys(game: Game) -> None:
    Game.objects.filter(pk=game.pk).update(status="draft")
    own = Program(token_of("director"))
    assert own.get(f"/games/{game.pk}")[0] == own.get(f"/games/{game.pk}/view")[0] == own.get(f"/games/{game.pk}/ruleset")[0] == 404
    assert game.pk not in [found["game"] for found in own.get("/games")[1]["games"]]


def test_posting_and_reading_on(game: Game, clock: Clock) -> None:
    own, other = program(game, 2), program(game, 3)
    for number in range(5):
        clock.at(1, 10, number)
        status, post = own.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": f"[b]第{number}句[/b]"})
        assert status == 200 and post["seat"] == 2 and post["words"] == f"第{number}句" and post["body"].startswith("[b]")
    page = other.get(f"/games/{game.pk}/rooms/talk-1/posts?after=2&limit=3")[1]
    assert [one["floor"] for one in page["posts"]] == [3, 4, 5] and page["more"]
    rest = other.get(f"/games/{game.pk}/rooms/talk-1/posts?after=5")[1]
    assert [one["floor"] for one in rest["posts"]] == [6, 7] and not rest["more"]
    answer = other.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": "我答你。", "quote": 7})[1]
    assert answer["quote"] == rest["posts"][-1]["ref"]


def test_the_same_key_is_the_same_act(game: Game) -> None:
    own = program(game, 2)
    first = own.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": "只说一次。"}, Idempotency_Key="a")
    assert own.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": "只说一次。"}, Idempotency_Key="a") == first
    assert Post.objects.filter(game=game, voice="seat", room="talk-1").count() == 1
    vote = {"ballot": "election", "target": 4, "reason": "稳"}
    cast = own.post(f"/games/{game.pk}/votes", vote, Idempotency_Key="a")
    assert cast[0] == 200 and cast[1]["receipt"]["target"] == 4, "a key counts for one call"
    assert own.post(f"/games/{game.pk}/votes", vote, Idempotency_Key="a") == cast
    assert own.post(f"/games/{game.pk}/votes", vote, Idempotency_Key="b")[1]["code"] == "denied", "a second vote is none"
    signed = own.post(f"/games/{game.pk}/signatures", {"kind": "extend"}, Idempotency_Key="a")
    assert signed[0] in (200, 422) and own.post(f"/games/{game.pk}/signatures", {"kind": "extend"}, Idempotency_Key="a")[0] == signed[0]
    other = program(game, 3)
    assert other.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": "我也一次。"}, Idempotency_Key="a")[1]["seat"] == 3


def test_a_vote_and_its_change(game: Game, clock: Clock) -> None:
    own = program(game, 2)
    assert own.post(f"/games/{game.pk}/votes", {"ballot": "election", "target": 3, "change": True})[1]["code"] == "denied"
    clock.at(1, 12)
    assert own.post(f"/games/{game.pk}/votes", {"ballot": "election", "target": 3, "reason": "票型"})[1]["receipt"]["state"] == "vote"
    clock.at(1, 13)
    changed = own.post(f"/games/{game.pk}/votes", {"ballot": "election", "target": 0, "reason": "再想想", "change": True})[1]
    assert changed["receipt"]["state"] == "change" and changed["receipt"]["target"] == 0
    assert own.get(f"/games/{game.pk}/view")[1]["view"]["me"]["vote"] == {"election": 0}
    assert own.post(f"/games/{game.pk}/votes", {"ballot": "exile", "target": 3})[1]["code"] == "no_ballot"


def test_a_refused_vote_post_is_its_authors_to_see(game: Game) -> None:
    own, other = program(game, 2), program(game, 3)
    made = own.post(f"/games/{game.pk}/rooms/election-1/posts", {"body": "投票对象：没有这个人\n投票理由：试"})[1]
    assert made["receipt"]["state"] == "refused" and made["receipt"]["code"] and made["receipt"]["zh"]
    seen = [program.get(f"/games/{game.pk}/rooms/election-1/posts")[1]["posts"][-1]["receipt"] for program in (own, other)]
    assert seen == [made["receipt"], None]


def test_refusals_have_a_code_and_both_languages(game: Game, clock: Clock) -> None:
    own = program(game, seats_of(game, "civilian")[0])
    said = [
        own.post(f"/games/{game.pk}/skills", {"choices": [{"skill": 0, "targets": [1]}]}),
        own.post(f"/games/{game.pk}/signatures", {"kind": "abort"}),
        own.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": " "}),
        own.call("PUT", f"/games/{game.pk}/last-words", {"text": "走了。"}),
        own.call("DELETE", f"/games/{game.pk}/last-words"),
        own.post(f"/games/{game.pk}/surrender", {"answer": "agree"}),
    ]
    assert {status for status, _ in said} == {422}
    assert all(problem["code"] and problem["zh"] and problem["en"] for _, problem in said)
    clock.at(1, 21, 5)
    assert own.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": "晚了"})[1]["code"] == "not_day"
    assert own.get(f"/games/{game.pk}/petitions")[1]["petitions"][0]["refusal"]["code"]
    assert own.get(f"/games/{game.pk}/last-words")[1]["entitled"] is False


def test_what_cannot_be_read_says_where(game: Game) -> None:
    own = program(game, 2)
    status, said = own.post(f"/games/{game.pk}/votes", {"ballot": "tea", "target": "x", "more": 1})
    assert (status, said["code"]) == (400, "unreadable") and len(said["at"]) == 3
    answer = own.client.post(f"/api/v1/games/{game.pk}/votes", "{", content_type="application/json")
    assert answer.status_code == 400 and answer.json()["code"] == "unreadable"
    huge = own.client.post(f"/api/v1/games/{game.pk}/votes", "x" * 1_100_000, content_type="application/json")
    assert huge.status_code == 400 and huge.json()["at"] == ["body: too large"]
    status, said = own.call("DELETE", f"/games/{game.pk}/votes")
    assert (status, said["code"], own.headers["Allow"]) == (405, "method", "POST")


def test_den_line_and_hole(game: Game) -> None:
    wolf, mate = seats_of(game, "wolf")[:2]
    own = program(game, wolf)
    for room in ("den-0", f"line-{wolf}", "hole"):
        assert own.post(f"/games/{game.pk}/rooms/{room}/posts", {"body": "只给这里。"})[1]["room"] == room
        assert own.get(f"/games/{game.pk}/rooms/{room}/posts")[1]["posts"][-1]["words"] == "只给这里。"
    assert program(game, mate).get(f"/games/{game.pk}/rooms/den-0/posts")[1]["posts"][-1]["seat"] == wolf
    assert program(game, mate).get(f"/games/{game.pk}/rooms/hole/posts")[1]["posts"] == []


def test_too_many_calls_are_asked_to_wait(game: Game, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "WRITES", 3)
    monkeypatch.setattr(guard, "READS", 5)
    monkeypatch.setattr(guard, "LEASE", 2)
    clock.at(1, 11, 0, 20)
    own, other = program(game, 2), program(game, 3)
    said = [own.post(f"/games/{game.pk}/rooms/talk-1/posts", {"body": f"第{number}句"})[0] for number in range(4)]
    assert said == [200, 200, 200, 429] and own.headers["Retry-After"] == "40"
    assert [own.get("/token")[0] for _ in range(7)] == [200] * 5 + [429] * 2
    assert other.get("/token")[0] == 200, "each token has its own"
    clock.at(1, 11, 1)
    assert own.get("/token")[0] == 200


def test_a_limit_counts_for_all_processes_together() -> None:
    now = moment(1, 11, 0, 15)
    minute = timedelta(minutes=1)
    assert [limits.take("tests", now, 5, minute, 2) for _ in range(3)] == [0, 0, 0]
    limits._leases.clear()  # another process, which has nothing in hand: what this one had left is lost, not given twice
    assert [limits.take("tests", now, 5, minute, 2) for _ in range(3)] == [0, 45, 45]
    assert limits.take("tests", moment(1, 11, 1), 5, minute, 2) == 0


def test_the_stream_is_this_tokens(game: Game, clock: Clock) -> None:
    from urllib.parse import parse_qs, urlsplit

    from bansha.town import tickets

    found = program(game, 2).post(f"/games/{game.pk}/stream", {"room": "talk-1"})[1]
    ticket = tickets.check(parse_qs(urlsplit(found["address"]).query)["t"][0], moment(1, 9, 1))
    assert ticket is not None and (ticket.seat, ticket.room) == (2, "talk-1") and urlsplit(found["address"]).path == "/stream/"
    assert tickets.admit_all([ticket], moment(1, 9, 15)) and not tickets.admit_all([ticket], moment(1, 9, 16))
    assert program(game, 2).post(f"/games/{game.pk}/stream", {"room": "line-3"})[0] == 404
    public = Program(token_of("player2")).post(f"/games/{game.pk}/stream", {"room": ""})[1]
    ticket = tickets.check(parse_qs(urlsplit(public["address"]).query)["t"][0], moment(1, 9, 1))
    assert ticket is not None and (ticket.account, ticket.seat) == (0, 0)


def test_a_place_is_the_tokens_place(game: Game) -> None:
    tenure = Tenure.objects.get(game=game, seat=3, until=None)
    looked, known = people.place(game, tenure.account, moment(1, 9)), people.seated(tenure)
    assert (looked.viewer, looked.director, looked.visiting) == (known.viewer, known.director, known.visiting)


def test_the_ruleset_is_the_pinned_one(game: Game) -> None:
    import msgspec

    from bansha.rulesets.model import Ruleset

    made: dict[str, Any] = program(game, 2).get(f"/games/{game.pk}/ruleset")[1]
    assert msgspec.convert(made, Ruleset, str_keys=True) == Table(game, None).loaded.ruleset
    assert Thread.objects.filter(game=game).exists()
