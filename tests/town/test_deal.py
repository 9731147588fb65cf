"""The ceremony: commitment, contributions, opening, deal; who is missing is replaced or the ceremony starts anew; the finished
journal is accepted by the checker; nobody below the directors learns who wears what."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from bansha.journal import doors, time
from bansha.referee import commands as c
from bansha.referee.refusals import Refused
from bansha.sight.types import DIRECTOR
from bansha.town import ceremony, opening
from bansha.town.acts import Denied
from bansha.town.models import Account, Contribution, Game, LogLine, Signup, Tenure, Visit
from bansha.town.table import Table
from tests.support.town import Clock, client, moment, seated, seats_of
from tests.town.test_opening import known, plan


@pytest.fixture(scope="module", autouse=True)
def tidied() -> Iterator[None]:
    """Games of this module are drafts to the modules after it, which share the town."""
    first = (Game.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    yield
    Game.objects.filter(pk__gte=first).update(status="draft")


def gathered(clock: Clock, reserves: int = 0, name: str = "m205", seats: int = 10, **more: Any) -> Game:
    """A game whose sign-up has closed, on Monday at nine: player1… chosen in order, reserve1… waiting."""
    clock.at(1, 9)
    director = known("director", directs=True)
    game = opening.open_game(director, plan(name, **more), time.now())
    people = [known(f"player{number}") for number in range(1, seats + 1)]
    for number, one in enumerate(people):
        opening.sign_up(game, one, "player", True, history=number, now=time.now() + timedelta(seconds=number))
    for number in range(1, reserves + 1):
        opening.sign_up(game, known(f"reserve{number}"), "reserve", True, now=time.now() + timedelta(minutes=number))
    table = Table(game, director)
    opening.choose(table, [one.pk for one in people])
    return opening.close_signup(table)


def hand_in(game: Game, *numbers: int) -> None:
    """These players hand in a contribution that the town keeps."""
    for number in numbers:
        one = Signup.objects.get(game=game, number=number).account
        opening.contribute(game, one, time.now(), words=f"第{number}签")


def verified(game: Game, folder: Path) -> str:
    """What the checker says of a game's journal."""
    assert game.journal is not None
    file = folder / "game.jsonl"
    file.write_bytes(doors.lines(game.journal))
    done = subprocess.run([sys.executable, "-I", "tools/verify.py", str(file)], capture_output=True, text=True, check=False)
    return f"{done.returncode} {done.stdout.strip()}"


def finish(game: Game, clock: Clock) -> None:
    """Directors end the game; the clock opens the secret."""
    assert game.journal is not None
    doors.submit(game.journal, c.Direct("abort", True, "试完了"), time.now(), "director 1")
    assert opening.advance_all(time.now()) >= 1
    game.refresh_from_db()


def test_from_opening_to_the_deal_in_the_browser(clock: Clock, tmp_path: Path) -> None:
    clock.at(1, 9)
    known("director", directs=True)
    from tests.town.test_opening import form

    director = client("director")
    director.post("/open/", form())
    game = Game.objects.latest("pk")
    for number in range(1, 12):
        known(f"player{number}")
        clock.at(1, 9, number)
        sent = {"kind": "player", "read1": "1", "read2": "1", "read3": "1", "history": "0"}
        assert client(f"player{number}").post(f"/g/{game.pk}/signup/", sent).status_code == 302
    ids = [str(Account.objects.get(username=f"player{number}").pk) for number in range(2, 12)]
    refused = director.post(f"/g/{game.pk}/people/", {"do": "close", "chosen": ids[:9]})
    assert refused.status_code == 422 and "正好 10 人" in refused.content.decode()
    answer = director.post(f"/g/{game.pk}/people/", {"do": "close", "chosen": ids})
    assert answer.headers["Location"] == f"/g/{game.pk}/deal/"
    page = client("player5").get(f"/g/{game.pk}/deal/").content.decode()
    assert "你是 4 号演员" in page and 'class="verse"' in page and "10 人中 0 人已添" in page
    assert "添你的签" not in client("player1").get(f"/g/{game.pk}/deal/").content.decode()
    for number in range(2, 12):
        answer = client(f"player{number}").post(f"/g/{game.pk}/deal/", {"do": "words", "words": f"月亮{number}"})
        assert answer.status_code == 302
    game.refresh_from_db()
    assert game.status == "running" and game.start == moment(2, 9)
    assert Tenure.objects.filter(game=game, until=None).count() == 10
    shown = client("player5").get(f"/g/{game.pk}/deal/").content.decode()
    assert "月亮5 " in shown and "与印相符" in shown and "已发牌" in shown
    assert verified(game, tmp_path).startswith("0 commitment not opened yet, 10 contributions ok, 0 draws not checked yet")
    full = doors.see(game.journal or 0, DIRECTOR).view.director
    assert full is not None and sorted(truth.role for truth in full.seats).count("wolf") == 3
    doors.strike(game.journal or 0, clock.at(2, 9, 1))
    assert client("player5").get(f"/g/{game.pk}/").status_code == 200


@pytest.mark.parametrize(("name", "seats"), [("m46", 14), ("baichibai", 13)])
def test_other_boards_are_dealt_too(clock: Clock, name: str, seats: int, tmp_path: Path) -> None:
    game = gathered(clock, name=name, seats=seats)
    hand_in(game, *range(1, seats + 1))
    game.refresh_from_db()
    assert game.status == "running" and Tenure.objects.filter(game=game).count() == seats
    finish(game, clock)
    assert verified(game, tmp_path).startswith(f"0 commitment ok, {seats} contributions ok, deal ok, 0 draws ok")


def test_the_checker_accepts_the_finished_journal_and_the_masks_are_those_bound(clock: Clock, tmp_path: Path) -> None:
    game = gathered(clock)
    hand_in(game, *range(1, 11))
    game.refresh_from_db()
    doors.strike(game.journal or 0, clock.at(2, 9, 1))  # a silent hybrid: the kin is drawn
    assert client("player1").get(f"/g/{game.pk}/deal/journal.jsonl").status_code == 404
    before = client("player1").get(f"/g/{game.pk}/deal/").content.decode()
    finish(game, clock)
    assert verified(game, tmp_path).startswith("0 commitment ok, 10 contributions ok, deal ok, 1 draws ok")
    assert not opening.advance(game, time.now())  # the secret is opened once
    lines = client("").get(f"/g/{game.pk}/deal/journal.jsonl").content.decode().splitlines()
    events = [event for line in lines for event in json.loads(line)["events"]]
    masks = next(event[2] for event in events if event[0] == "dealt")
    worn = {Signup.objects.get(game=game, account=tenure.account).number: tenure.seat for tenure in Tenure.objects.filter(game=game)}
    assert [worn[number] for number in range(1, 11)] == masks
    after = client("").get(f"/g/{game.pk}/deal/").content.decode()
    assert "谁戴了哪个马甲" in after and "player7" in after and "player7" not in before


def test_earlier_games_count_with_the_seat_that_was_drawn(clock: Clock) -> None:
    game = gathered(clock)
    Signup.objects.filter(game=game, account__username="player1").update(history=1)  # whatever else it has played in these tests
    hand_in(game, *range(1, 11))
    director = Table(Game.objects.get(pk=game.pk), known("director"))
    friend = known("friend")
    seats = {tenure.account.username: tenure.seat for tenure in Tenure.objects.filter(game=game)}
    with pytest.raises(Refused):  # player9 has played nine games or more, at most three may be
        opening.assistant(director, seats["player9"], friend)
    opening.assistant(director, seats["player1"], friend)
    held = Tenure.objects.get(game=game, account=friend)
    assert (held.kind, held.seat) == ("assistant", seats["player1"])
    assert Table(game, friend).viewer.kind == "assistant"


def test_nobody_can_tell_who_wears_what(clock: Clock) -> None:
    game = gathered(clock, reserves=1)
    for stage in range(2):
        if stage:
            hand_in(game, *range(1, 11))
        for path in ("deal/", "signup/", "rules/"):
            for viewer in ("", "player3", "reserve1"):
                shown = client(viewer).get(f"/g/{game.pk}/{path}").content.decode()
                named = [name for name in Account.objects.values_list("username", flat=True) if name not in (viewer, "director")]
                assert [name for name in named if re.search(rf"\b{name}\b", shown)] == []
    game.refresh_from_db()
    seats = list(Tenure.objects.filter(game=game).order_by("pk").values_list("seat", flat=True))
    assert seats == sorted(seats)  # the order of the rows is that of the seats, not of the players
    assert client("player3").get(f"/g/{game.pk}/people/").status_code == 404


def test_a_contribution_can_be_handed_in_as_a_hash_and_opened_by_oneself(clock: Clock, tmp_path: Path) -> None:
    game = gathered(clock)
    text = "我自己的月亮 x81"
    digest = hashlib.sha256(
        b"bansha/contribution/1\n" + json.dumps([4, text], ensure_ascii=False, separators=(",", ":")).encode()
    ).hexdigest()
    mine = client("player4")
    refused = mine.post(f"/g/{game.pk}/deal/", {"do": "digest", "digest": "12ab"})
    assert refused.status_code == 422 and "64 位" in refused.content.decode() and "12ab" in refused.content.decode()
    assert mine.post(f"/g/{game.pk}/deal/", {"do": "digest", "digest": digest}).status_code == 302
    with pytest.raises(Denied, match="还没有到揭签"):
        opening.open_own(game, known("player4"), text, time.now())
    hand_in(game, 1, 2, 3, 5, 6, 7, 8, 9, 10)
    game.refresh_from_db()
    assert game.status == "ceremony" and opening.phase(game, time.now()) == "open"
    assert not Contribution.objects.filter(game=game, opened=True).exists()  # the others wait for the one who might withhold
    with pytest.raises(Denied, match="已经截止"):
        opening.contribute(game, known("player5"), time.now(), words="后悔了")
    assert "揭你的签" in mine.get(f"/g/{game.pk}/deal/").content.decode()
    wrong = mine.post(f"/g/{game.pk}/deal/", {"do": "open", "text": "我自己的月亮"})
    assert wrong.status_code == 422 and "对不上" in wrong.content.decode()
    assert mine.post(f"/g/{game.pk}/deal/", {"do": "open", "text": text}).status_code == 302
    game.refresh_from_db()
    assert game.status == "running"
    finish(game, clock)
    assert verified(game, tmp_path).startswith("0 commitment ok, 10 contributions ok, deal ok")


def test_a_contribution_can_be_handed_in_again_and_is_kept_from_others(clock: Clock) -> None:
    game = gathered(clock)
    player = known("player6")
    with pytest.raises(Denied, match="添几个字"):
        opening.contribute(game, player, time.now(), words=" ")
    with pytest.raises(Denied, match="最多 120 字"):
        opening.contribute(game, player, time.now(), words="长" * 121)
    opening.contribute(game, player, time.now(), words="第一句")
    opening.contribute(game, player, time.now(), words="第二句")
    kept = Contribution.objects.get(game=game, player=6)
    assert re.fullmatch("第二句 [a-z]{16}", kept.text)
    assert kept.digest == doors.contribution_hash(6, kept.text)
    assert "第二句" in client("player6").get(f"/g/{game.pk}/deal/").content.decode()
    for viewer in ("player5", "", "director"):
        shown = client(viewer).get(f"/g/{game.pk}/deal/").content.decode()
        assert "第二句" not in shown and kept.digest[:4] in shown
    with pytest.raises(Denied, match="不在这次发牌礼"):
        opening.contribute(game, known("stranger"), time.now(), words="我也要")


def test_who_hands_in_nothing_is_replaced_by_a_reserve(clock: Clock, tmp_path: Path) -> None:
    game = gathered(clock, reserves=2)
    hand_in(game, 1, 2, 3, 4, 5, 6, 8, 9, 10)
    assert not opening.advance(game, clock.at(1, 17, 59))
    assert opening.advance(game, clock.at(1, 18, 0))
    game.refresh_from_db()
    assert (game.status, game.ceremony, game.hash_until) == ("ceremony", 1, moment(2, 18))
    assert Signup.objects.get(game=game, number=7).account.username == "reserve1"
    gone = Signup.objects.get(game=game, account__username="player7")
    assert (gone.chosen, gone.number, gone.kind) == (False, 0, "spectator")
    assert "7 号演员离开，由替补接上" in client("player1").get(f"/g/{game.pk}/deal/").content.decode()
    with pytest.raises(Denied, match="不在这次发牌礼"):
        opening.contribute(game, known("player7"), time.now(), words="晚了")
    hand_in(game, 7)
    game.refresh_from_db()
    assert game.status == "running"
    assert Tenure.objects.filter(game=game, account__username="reserve1").exists()
    assert not Tenure.objects.filter(game=game, account__username="player7").exists()
    finish(game, clock)
    assert verified(game, tmp_path).startswith("0 commitment ok, 10 contributions ok, deal ok")


def test_without_a_reserve_the_ceremony_starts_anew(clock: Clock, tmp_path: Path) -> None:
    game = gathered(clock)
    hand_in(game, *range(1, 10))
    first = doors.ceremony(game.journal or 0)[0].value
    assert opening.advance(game, clock.at(1, 18, 0))
    assert not opening.advance(game, time.now())
    game.refresh_from_db()
    assert (game.status, game.ceremony, game.hash_until, game.open_until) == ("ceremony", 2, moment(2, 18), moment(3, 6))
    assert not Contribution.objects.filter(game=game, ceremony=2).exists()
    steps = doors.ceremony(game.journal or 0)
    assert [step.kind for step in steps] == ["committed", *["hashed"] * 9, "secret", "committed"]
    assert steps[-1].value != first
    page = client("player1").get(f"/g/{game.pk}/deal/").content.decode()
    assert "10 号演员没有添签，也没有替补可接" in page and "作废" in page
    hand_in(game, *range(1, 11))
    game.refresh_from_db()
    assert game.status == "running"
    assert game.start == moment(4, 9)  # at the latest dealt on Wednesday at six: six hours of setup, then the next opening
    finish(game, clock)
    assert verified(game, tmp_path).startswith("0 commitment ok, 10 contributions ok, deal ok")


def test_a_contribution_that_is_not_opened_starts_the_ceremony_anew(clock: Clock) -> None:
    game = gathered(clock)
    opening.contribute(game, known("player2"), time.now(), digest="ab" * 32)
    hand_in(game, 1, *range(3, 11))
    assert not opening.advance(game, clock.at(1, 20, 59))
    assert opening.advance(game, clock.at(1, 21, 0))
    game.refresh_from_db()
    assert (game.status, game.ceremony) == ("ceremony", 2)
    assert "2 号演员没有揭签" in LogLine.objects.get(game=game, kind="ceremony").words
    assert not [step for step in doors.ceremony(game.journal or 0) if step.kind == "opened"]  # nobody's kept text came out
    hand_in(game, *range(1, 11))
    game.refresh_from_db()
    assert game.status == "running"


def test_a_director_replaces_a_player_or_starts_anew(clock: Clock) -> None:
    game = gathered(clock, reserves=1)
    hand_in(game, 3)
    browser = client("director")
    refused = browser.post(f"/g/{game.pk}/people/", {"do": "replace", "number": "3"})
    assert refused.status_code == 422 and "选一位换上" in refused.content.decode()
    with pytest.raises(Denied, match="没有报名"):
        opening.replace(Table(game, known("director")), 3, known("stranger"))
    new = known("reserve1")
    assert browser.post(f"/g/{game.pk}/people/", {"do": "replace", "number": "3", "account": str(new.pk)}).status_code == 302
    assert Signup.objects.get(game=game, number=3).account == new
    assert not Contribution.objects.filter(game=game, player=3).exists()
    assert browser.post(f"/g/{game.pk}/people/", {"do": "anew", "reason": " "}).status_code == 422
    assert browser.post(f"/g/{game.pk}/people/", {"do": "anew", "reason": "写错了马甲"}).status_code == 302
    game.refresh_from_db()
    assert game.ceremony == 2 and "写错了马甲" in client("player1").get(f"/g/{game.pk}/deal/").content.decode()
    hand_in(game, *range(1, 11))
    game.refresh_from_db()
    assert Tenure.objects.filter(game=game, account=new).exists()


def test_a_chosen_player_leaves_only_when_a_reserve_steps_in(clock: Clock) -> None:
    game = gathered(clock, reserves=1)
    assert client("player8").post(f"/g/{game.pk}/signup/", {"do": "withdraw"}).status_code == 302
    assert Signup.objects.get(game=game, number=8).account.username == "reserve1"
    refused = client("player9").post(f"/g/{game.pk}/signup/", {"do": "withdraw"})
    assert refused.status_code == 422 and "请告诉导演" in refused.content.decode()
    assert Signup.objects.get(game=game, number=9).account.username == "player9"


def test_a_late_deal_leaves_setup_at_least_half_its_time(clock: Clock) -> None:
    game = gathered(clock, hash_until=moment(2, 2), deal_at=moment(2, 3))
    hand_in(game, *range(1, 10))
    opening.contribute(game, known("player10"), time.now(), digest=doors.contribution_hash(10, "自己的"))
    assert ceremony.setup_ends(game, moment(2, 3, 30)) == ceremony.setup_ends(game, moment(2, 3))
    assert ceremony.setup_ends(game, moment(2, 6, 30)) == ceremony.setup_ends(game, moment(2, 3)) + 1440


def test_several_clocks_advance_a_ceremony_once(clock: Clock, tmp_path: Path) -> None:
    game = gathered(clock)
    for number in range(1, 11):
        one = Signup.objects.get(game=game, number=number).account
        text = f"并发 {number}"
        digest = doors.contribution_hash(number, text)
        Contribution.objects.create(game=game, ceremony=1, player=number, digest=digest, text=text)
        doors.contribute(game.journal or 0, number, digest, time.now())
        assert one is not None

    def look(_n: int) -> int:
        try:
            return opening.advance_all(time.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(look, range(4)))
    game.refresh_from_db()
    assert game.status == "running" and Tenure.objects.filter(game=game).count() == 10
    kinds = [step.kind for step in doors.ceremony(game.journal or 0)]
    assert kinds == ["committed", *["hashed"] * 10, *["opened"] * 10, "dealt"]


# --- who takes over --------------------------------------------------------------------------------------------------


def test_a_substitute_takes_the_seat_and_the_predecessor_knows_nothing_more(clock: Clock) -> None:
    game = gathered(clock, reserves=1, name="m46", seats=14)
    hand_in(game, *range(1, 15))
    game.refresh_from_db()
    seat = seats_of(game, "wolf")[0]
    before = Tenure.objects.get(game=game, seat=seat, until=None).account
    table = Table(game, known("director"))
    with pytest.raises(Denied, match="有过座位"):
        other = Tenure.objects.get(game=game, seat=seat % 14 + 1).account
        opening.substitute(table, seat, other)
    with pytest.raises(Denied, match="没有这个座位"):
        opening.substitute(table, 15, known("reserve1"))
    with pytest.raises(Denied, match="只有本局导演"):
        opening.substitute(Table(game, before), seat, known("reserve1"))
    head = doors.head(game.journal or 0)
    answer = opening.substitute(table, seat, known("reserve1"), "k1")
    assert opening.substitute(table, seat, known("reserve1"), "k1").n == answer.n == head + 1
    assert Table(game, before).viewer.kind == "public"
    assert Table(game, known("reserve1")).seat == seat
    with pytest.raises(Refused):  # once per persona on this board
        opening.substitute(table, seat, known("stranger"))
    assert Table(game, known("reserve1")).seat == seat and doors.head(game.journal or 0) == head + 1
    with pytest.raises(Denied, match="有过座位"):
        opening.substitute(table, seat % 14 + 1, before)


def test_a_manager_who_has_looked_into_the_game_cannot_come_in(clock: Clock) -> None:
    game = seated(seed=11, title="看过的人")
    clock.at(1, 10)
    doors.strike(game.journal, clock.at(1, 10))
    warden = Account.objects.create_user("lookedin", password="lamplight-lamplight", manages=True)
    Visit.objects.create(game=game, manager=warden, reason="投诉", since=clock.at(1, 10), until=clock.at(1, 12))
    table = Table(game, Account.objects.get(username="director"))
    with pytest.raises(Denied):
        opening.substitute(table, 3, warden)
    assert Tenure.objects.get(game=game, seat=3, until=None).account.username == "player3"
