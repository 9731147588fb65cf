"""Days, petitions, cards and people at their edges: what no bundled board or no case file can say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bansha.referee import commands as c
from bansha.referee.refusals import Refused
from tests.support.scenes import refusal, scene, story


def variant(folder: Path, of: str, lines: str) -> str:
    """A board that differs from a bundled one in a few lines."""
    file = folder / "variant.yaml"
    file.write_text(f"bansha: 1\nid: variant\ninherits: {of}\n{lines}\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(("start", "closes"), [("T20:59", "11T21:00"), ("T21:00", "12T21:00"), ("T22:00", "12T21:00")])
def test_a_first_day_that_opens_late_closes_at_the_next_close(start: str, closes: str) -> None:
    runner = scene("m205", "- close: setup", f"start: 2026-05-11{start}")
    runner._see_closes_at("closes_at", f"2026-05-{closes}")


QUORUMS = [("half", 0, 5), ("half", 1, 5), ("half", 2, 4), ("majority", 0, 6), ("majority", 1, 5)]


@pytest.mark.parametrize(("quorum", "out", "needed"), QUORUMS)
def test_how_many_signatures_pass_a_petition(tmp_path: Path, quorum: str, out: int, needed: int) -> None:
    board = variant(tmp_path, "m205", f"petitions: {{quorum: {quorum}}}")
    outs = "".join(f"- director: {{out: {seat}, reason: x}}\n" for seat in (10, 9)[:out])
    for signed, passed in ((needed - 1, False), (needed, True)):
        steps = f"- close: setup\n{outs}- petition: {{kind: 延时, by: {list(range(1, signed + 1))}}}"
        assert any(line.startswith("petition_passed kind=extend") for line in story(scene(board, steps))) is passed


def test_signing_for_a_speed_up_stops_three_hours_before_the_close_it_would_bring() -> None:
    """On the first evening of a long day that is 18:00 for 21:00; a minute later the close would be tomorrow's."""
    before = "- close: setup\n- close: night\n- clock: 2026-05-12T"
    assert story(scene("m46", before + "17:59\n- petition: {kind: 加速, by: [1]}")) == ["signed seat=1 kind=speed_up"]
    said = refusal("m46", before + "18:00\n- petition: {kind: 加速, by: [1]}")
    assert said == "closing: 关门前3小时（18:00）起不再接受“加速”签名。"
    assert story(scene("m46", before + "18:01\n- petition: {kind: 加速, by: [1]}")) == ["signed seat=1 kind=speed_up"]
    assert story(scene("m46", before + "18:00\n- petition: {kind: 延时, by: [1]}")) == ["signed seat=1 kind=extend"]


def test_a_day_that_opens_with_few_is_sped_up() -> None:
    runner = scene("m46", "- close: setup\n- close: night", "options: {auto_speed_up_below: 15}")
    assert story(runner)[-1] == f"day_moved closes_at={runner.state.opened_at + 720} sped_up=True why=auto_speed_up_below"
    assert not story(scene("m46", "- close: setup\n- close: night", "options: {auto_speed_up_below: 14}"))[-1].startswith("day_moved")


def test_three_quiet_days_are_proposed_and_the_row_starts_anew() -> None:
    quiet = "- close: setup\n" + "- close: night\n- close: day\n" * 3
    runner = scene("m46", quiet)
    assert "card_proposed seat=14 colour=yellow clause=5.2 why=streak" in story(runner)
    assert "quiet_days runs=[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]" in story(runner)
    assert "card_proposed seat=14 colour=yellow clause=5.3 why=no_vote" in story(runner)


def test_quiet_days_are_recorded_only_when_a_row_changes() -> None:
    posts = "".join(f"- post: {{by: {seat}, thread: 讨论, text: 早, times: 10}}\n" for seat in range(1, 15))
    assert not any(line.startswith("quiet_days") for line in story(scene("m46", f"- close: setup\n- close: night\n{posts}- close: day")))


def test_the_director_judges_a_faction_lost_with_a_red_card() -> None:
    runner = scene("m46", "- close: setup")
    runner.game.do(c.Card(1, "red", "7.1", True), runner.now)
    assert [line.partition(" why")[0] for line in story(runner)][:3] == [
        "card_dealt seat=1 colour=red clause=7.1", "out seat=1 cause=red_card", "faction_lost faction=0",
    ]  # fmt: skip
    assert runner.state.lost == [0] and "faction_lost faction=0 why=director" in story(runner)
    runner.game.do(c.Card(2, "red", "7.1", True), runner.now)
    assert runner.state.lost == [0]  # judged already
    with pytest.raises(Refused, match="may_not_judge"):
        runner.game.do(c.Card(3, "yellow", "7.1", True), runner.now)


def test_judging_the_last_but_one_faction_lost_ends_the_game() -> None:
    runner = scene("m46", "- close: setup\n- director: {lose: piper, reason: x}")
    runner.game.do(c.Card(1, "red", "7.1", True), runner.now)
    assert story(runner)[-1] == "game_ended faction=1 why=C15"


def test_a_red_card_to_someone_out_takes_nobody_out() -> None:
    runner = scene("m205", '- close: setup\n- director: {out: 4, reason: x}\n- card: {seat: 4, colour: red, clause: 作弊}')
    assert story(runner) == ["card_dealt seat=4 colour=red clause=作弊"]


def test_the_red_cards_of_the_last_seats_count_for_their_faction() -> None:
    steps = '- close: setup\n- card: {seat: 13, colour: red, clause: "7.1"}\n- card: {seat: 14, colour: red, clause: "7.1"}'
    assert "faction_lost faction=1 why=G9" in story(scene("m46", steps))


def test_the_pipers_out_at_night_is_announced_when_the_day_opens_and_never_again() -> None:
    runner = scene("m46", "- close: setup\n- act: {1: {杀人: 5}}\n- close: night\n- close: day\n- close: night")
    assert [line for line in story(runner) if "吹笛者出局" in line] == []


def test_the_sheriff_in_office_is_announced_once_at_an_opening() -> None:
    steps = "- close: setup\n- close: night\n- elect: {1: 7}\n- close: day\n- act: {1: {杀人: 7}}\n- clock: 2026-05-13T22:05"
    runner = scene("m46", steps + "\n- act: {7: {殉职: 8}}\n- close: night")
    assert [line for line in story(runner) if "警长" in line] == ["announced kind=警长 value=8"]
