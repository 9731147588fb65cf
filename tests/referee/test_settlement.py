"""The settlement's lines, each by itself, on strikes laid out by hand (§3, M11, B2–B5, B22)."""

from __future__ import annotations

import pytest

from bansha.referee import events as e
from bansha.referee import settlement
from bansha.referee.state import NIGHT
from bansha.referee.turn import Turn
from tests.support.scenes import told
from tests.support.stage import BAICHIBAI, M205, Stage

STANDARD12 = ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"]
ROLES = {"m205": M205, "standard12": STANDARD12, "baichibai": BAICHIBAI}


def night(ruleset: str, **options: str) -> Stage:
    stage = Stage(ruleset, ROLES[ruleset], options)
    stage.until("night 1")
    return stage


def settled(stage: Stage, line: str, skill: str = "") -> list[str]:
    """What the ruleset's line says now."""
    turn = Turn(stage.s, stage.now, stage.game.dice)
    found = next(x for x in stage.board.settlement if x.line == line and x.skill == skill)
    settlement.LINES[line](turn, found)
    seats = [f"{seat} leaves by {cause}" for seat, cause in turn.leaving.items()]
    return [told(stage.board, event) for event in turn.out] + seats


def strike(stage: Stage, *strikes: tuple[str, int]) -> None:
    stage.s.strikes = [(target, stage.board.skill_index[skill], 1) for skill, target in strikes]


def mark(stage: Stage, **marks: int) -> None:
    for skill, target in marks.items():
        stage.s.marks[stage.board.skill_index[skill]] = 1 << target


# --- attacks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "marks", "said"),
    [
        ("m205", {}, ["out seat=4 cause=kill"]),
        ("m205", {"shield": 5, "antidote": 3}, ["out seat=4 cause=kill"]),
        ("m205", {"shield": 4}, ["strike_voided skill=kill target=4 by=shield"]),
        ("m205", {"antidote": 4}, ["strike_voided skill=kill target=4 by=antidote"]),
        ("standard12", {"shield": 4}, ["strike_voided skill=kill target=4 by=shield"]),
        ("standard12", {"shield": 4, "antidote": 4}, ["out seat=4 cause=kill"]),
    ],
)
def test_a_kill_and_what_voids_it(ruleset: str, marks: dict[str, int], said: list[str]) -> None:
    stage = night(ruleset)
    strike(stage, ("kill", 4))
    mark(stage, **marks)
    assert settled(stage, "attack", "kill") == said


def test_each_line_takes_its_own_strikes_and_nobody_twice() -> None:
    stage = night("m205")
    strike(stage, ("poison", 9), ("kill", 4), ("kill", 6), ("poison", 4))
    assert settled(stage, "attack", "kill") == ["out seat=4 cause=kill", "out seat=6 cause=kill"]
    assert settled(stage, "attack", "poison") == ["out seat=9 cause=poison"]


def test_when_a_kill_ends_the_game_nothing_further_is_settled() -> None:
    stage = night("m205")
    strike(stage, ("kill", 4), ("kill", 5), ("kill", 6), ("kill", 9))
    assert settled(stage, "attack", "kill")[-1] == "game_ended faction=0 why=victory.wolves.wins.1"
    assert stage.s.alive >> 9 & 1


def test_the_antidote_is_none_against_poison() -> None:
    stage = night("m205")
    strike(stage, ("poison", 4))
    mark(stage, shield=4, antidote=4)
    assert settled(stage, "attack", "poison") == ["out seat=4 cause=poison"]


# --- strikes ------------------------------------------------------------------------------------------------------


def test_the_first_strike_that_lands_is_the_cause() -> None:
    stage = night("baichibai")
    strike(stage, ("shoot", 5), ("poison", 5), ("slash", 6))
    assert settled(stage, "strikes") == ["5 leaves by shoot", "6 leaves by slash"]


@pytest.mark.parametrize(("marked", "by"), [("antidote", "antidote"), ("holy_light", "holy_light")])
def test_what_no_strike_reaches(marked: str, by: str) -> None:
    stage = night("baichibai")
    strike(stage, ("shoot", 5), ("slash", 6))
    mark(stage, **{marked: 5})
    assert settled(stage, "strikes") == [f"strike_voided skill=shoot target=5 by={by}", "6 leaves by slash"]


def test_the_saint_is_steadfast_while_it_holds_that() -> None:
    stage = night("baichibai")
    strike(stage, ("shoot", 10))
    assert settled(stage, "strikes") == ["strike_voided skill=shoot target=10 by=steadfast"]
    del stage.s.hands[10][stage.board.skill_index["steadfast"]]
    assert settled(stage, "strikes") == ["10 leaves by shoot"]


def test_the_counter_moves_the_first_strike_only() -> None:
    stage = night("baichibai")
    stage.s.counter_of = {8: 3}
    strike(stage, ("shoot", 8), ("poison", 8))
    assert settled(stage, "strikes") == [
        "strike_moved skill=shoot holder=8 target=3",
        "skill_lost holder=8 skill=counter why=counter",
        "3 leaves by shoot",
        "8 leaves by poison",
    ]


@pytest.mark.parametrize(("option", "second"), [("one", "5 leaves by slash"), ("all", "absorbed skill=slash target=5 by=torch holder=5")])
def test_the_torch_absorbs_once_or_all(option: str, second: str) -> None:
    stage = night("baichibai", torch_absorbs=option)
    stage.s.torches = [(5, 5)]
    strike(stage, ("shoot", 5), ("slash", 5))
    assert settled(stage, "strikes") == [
        "absorbed skill=shoot target=5 by=torch holder=5",
        "skill_lost holder=5 skill=torch why=torch",
        "skill_gained seat=5 skill=dance why=torch night=2 stage=0 counters=[]",
        second,
    ]


def test_the_ward_absorbs_one() -> None:
    stage = night("baichibai")
    number = stage.board.skill_index["ward"]
    stage.s.hands[12][number] = type(next(iter(stage.s.hands[12].values())))()
    stage.s.wards = 1 << 12
    strike(stage, ("shoot", 12), ("slash", 12))
    assert settled(stage, "strikes") == [
        "absorbed skill=shoot target=12 by=ward holder=12",
        "skill_lost holder=12 skill=ward why=ward",
        "12 leaves by slash",
    ]


def test_a_doomed_one_leaves_with_those_struck_and_keeps_the_first_cause() -> None:
    stage = night("baichibai")
    stage.s.doomed = 1 << 10 | 1 << 11
    assert settled(stage, "doomed", "holy_light") == ["10 leaves by holy_light", "11 leaves by holy_light"]


# --- the end of the night -----------------------------------------------------------------------------------------


def test_those_out_are_told_once_at_the_full_limit_and_not_before() -> None:
    stage = night("m205")
    s = stage.s
    assert s.phase == NIGHT
    s.settled = True
    turn = Turn(s, s.full_at - 1, stage.game.dice)
    settlement.tell_out(turn)
    assert turn.out == []
    turn = Turn(s, s.full_at, stage.game.dice)
    settlement.tell_out(turn)
    settlement.tell_out(turn)
    assert turn.out == [e.ToldOut([])]
