"""The calendar of a person's deadlines: a secret address, public limits, nothing else."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import icalendar

from bansha.journal import doors
from bansha.notify import diary
from bansha.referee import commands as c
from bansha.town import acts
from bansha.town.models import Account, Tenure
from tests.browser.scenes import MAKERS, Stage, people
from tests.support.town import NAMES, Clock, client, moment


def path_of(name: str) -> str:
    """The path of a fresh address for an account."""
    return "/calendar/" + diary.token_of(diary.renew(Account.objects.get(username=name), moment(1, 9))) + ".ics"


def events(path: str, game: int = 0) -> dict[str, Any]:
    """Uid → event, of one game."""
    answer = client("").get(path)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    read = icalendar.Calendar.from_ical(answer.content)
    found = {str(event["uid"]): event for event in read.walk("VEVENT")}
    return {uid.partition("@")[0].partition("-")[2]: event for uid, event in found.items() if not game or uid.startswith(f"g{game}-")}


def times(path: str, game: int) -> dict[str, tuple[datetime, datetime]]:
    """Uid → from when to when."""
    return {uid: (event["dtstart"].dt, event["dtend"].dt) for uid, event in events(path, game).items()}


def test_the_limits_of_a_day_and_of_its_night(stage: Stage, clock: Clock) -> None:
    clock.at(1, 12)
    found = times(path_of("player1"), stage.game.pk)
    assert {uid: begin for uid, (begin, _end) in found.items()} == {
        "day1-open": moment(1, 9), "day1-freeze": moment(1, 20), "day1-close": moment(1, 21),
        "night1-1": moment(1, 21), "night1-2": moment(1, 21, 30), "day2-open": moment(2, 9),
    }  # fmt: skip
    assert found["night1-2"] == (moment(1, 21, 30), moment(1, 22))
    event = events(path_of("player1"), stage.game.pk)["day1-close"]
    assert str(event["summary"]) == "末班渡船 · 第 1 日关门" and str(event["url"]) == f"http://localhost/g/{stage.game.pk}/"
    assert event["dtstart"].to_ical() == b"20261123T130000Z" and str(event["uid"]).endswith("@localhost")


def test_it_says_nothing_of_who_its_owner_is(stage: Stage, clock: Clock) -> None:
    clock.at(1, 12)
    bodies = {client("").get(path_of(name)).content for name in ("player1", f"player{stage.role('wolf')[0]}", "director")}
    mine = [body for body in bodies if f"g{stage.game.pk}-".encode() in body]
    assert len(mine) == 1, "one file, whoever of the game it belongs to"
    text = mine[0].decode()
    roles = [said for role in stage.table(0).loaded.ruleset.roles.values() for said in (role.name.zh, role.name.en)]
    skills = [said for skill in stage.table(0).loaded.ruleset.skills.values() for said in (skill.name.zh, skill.name.en)]
    for secret in (*NAMES, *roles, *skills, "player", "director"):
        assert secret not in text, secret


def test_an_address_is_renewed_switched_off_and_shown_again(stage: Stage, clock: Clock) -> None:
    clock.at(1, 12)
    me = client("player2")
    me.post("/profile/notices/", {"do": "renew"})
    first = diary.address_of(Account.objects.get(username="player2"))
    assert first in me.get("/profile/notices/").content.decode() and first.startswith("http://localhost/calendar/")
    path = first.removeprefix("http://localhost")
    assert client("").get(path).status_code == 200
    me.post("/profile/notices/", {"do": "renew"})
    second = diary.address_of(Account.objects.get(username="player2")).removeprefix("http://localhost")
    assert (client("").get(path).status_code, client("").get(second).status_code) == (404, 200)
    me.post("/profile/notices/", {"do": "off"})
    assert client("").get(second).status_code == 404 and second not in me.get("/profile/notices/").content.decode()
    row = diary.renew(Account.objects.get(username="player2"), moment(1, 12))
    assert diary.token_of(row) not in (row.nonce, row.fingerprint), "the database alone does not give the address away"
    assert client("").get("/calendar/x.ics").status_code == 404


def test_a_limit_that_moves_is_taken_up(stage: Stage, clock: Clock) -> None:
    path = path_of("player1")
    clock.at(1, 12)
    game = stage.game.pk
    before = events(path, game)["day1-close"]
    clock.at(1, 12, 30)
    acts.direct(stage.table(0), c.Direct("deadline", stage.table(0).public.closes_at + 120, "再等等", 1))
    after = events(path, game)["day1-close"]
    assert before["uid"] == after["uid"] and after["dtstart"].dt - before["dtstart"].dt == timedelta(hours=2)
    assert (int(before["sequence"]), int(after["sequence"])) == (0, 1)
    assert after["last-modified"].dt == moment(1, 12, 30) > before["last-modified"].dt
    assert int(events(path, game)["day1-open"]["sequence"]) == 0, "what stands where it stood is as it was"
    clock.at(1, 13)
    acts.direct(stage.table(0), c.Direct("undo", None, "算了", 1))
    again = events(path, game)["day1-close"]
    assert again["dtstart"].dt == before["dtstart"].dt and int(again["sequence"]) == 2


def test_what_has_not_changed_is_not_sent_again(stage: Stage, clock: Clock) -> None:
    clock.at(1, 14)
    path = path_of("player3")
    first = client("").get(path)
    stage.act(stage.role("seer")[0], "check", [stage.role("wolf")[0]])
    acts.say(stage.table(1), "talk-1", "各位早。")
    clock.at(1, 15)
    again = client("").get(path, headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304 and "private" in first["Cache-Control"]


def test_who_leaves_a_game_loses_its_limits(stage: Stage, clock: Clock) -> None:
    clock.at(1, 16)
    path = path_of("player5")
    assert times(path, stage.game.pk)
    Tenure.objects.filter(game=stage.game, seat=5, until=None).update(until=moment(1, 16))
    assert not times(path, stage.game.pk)
    assert not times(path_of("onlooker"), stage.game.pk)


def test_the_night_counts_from_its_close(stage: Stage, clock: Clock) -> None:
    path = path_of("player1")
    clock.at(1, 20, 30)
    before = times(path, stage.game.pk)
    stage.strike(moment(1, 21))
    clock.at(1, 21, 10)
    found = times(path, stage.game.pk)
    assert found == {uid: before[uid] for uid in ("day1-open", "night1-1", "night1-2", "day2-open")}


def test_a_night_that_comes_first_a_faster_game_and_the_ceremony(clock: Clock) -> None:
    people()
    night = Stage(clock, "many", "vanilla", seed=8)
    ends = moment(1, 21)
    night.strike(ends)
    found = times(path_of("player1"), night.game.pk)
    assert found["night0-1"][0] == ends and found["day1-open"][0] > ends
    fast = Stage(clock, "election", seed=4, pace=48)
    pace = doors.pace(fast.game.journal)
    opens = pace.moment(fast.table(0).public.opens_at)
    doors.strike(fast.game.journal, clock.set(opens))
    found = times(path_of("player1"), fast.game.pk)
    close = found["day1-close"][0]
    assert timedelta() < close - opens < timedelta(minutes=16), "twelve hours of the game in a quarter of an hour"
    scene = MAKERS["ceremony"](clock)
    clock.set(scene.moment)
    assert set(times(path_of("player3"), scene.game)) == {"hash-1", "open-1"} == set(times(path_of("director"), scene.game))
    assert not times(path_of("player12"), scene.game), "a reserve waits"


def test_a_game_that_is_over_has_no_limits(clock: Clock) -> None:
    people()
    scene = MAKERS["over"](clock)
    clock.set(scene.moment)
    assert not times(path_of(scene.account("player")), scene.game)
