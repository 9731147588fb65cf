"""The legality check, rule by rule, on states made by hand: the code, what is named, and the minute (C2, C5, C7, C13)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bansha.referee import legality
from bansha.referee.refusals import Refused, clock
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, Held
from tests.support.stage import BAICHIBAI, M46, M205, Stage

STANDARD12 = ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"]
ROLES = {"m205": M205, "m46": M46, "baichibai": BAICHIBAI, "standard12": STANDARD12}


def at(ruleset: str, phase: str, roles: list[str] | None = None, **options: str) -> Stage:
    stage = Stage(ruleset, roles or ROLES[ruleset], options)
    stage.until(phase)
    return stage


def checked(stage: Stage, seat: int, skill: str, targets: Sequence[int] | bool, held: Held | None = None) -> str:
    """The targets as taken, or the refusal."""
    number = stage.board.skill_index[skill]
    held = held or stage.s.hands[seat].get(number) or Held()
    try:
        return str(legality.check_targets(stage.s, seat, stage.board.skills[number], held, targets))
    except Refused as refusal:
        return str(refusal)


def holding(stage: Stage, seat: int, skill: str) -> str:
    """The holder's number, or the refusal's code."""
    try:
        return str(legality.check_holding(stage.s, seat, stage.board.skills[stage.board.skill_index[skill]]))
    except Refused as refusal:
        return refusal.code


def window(stage: Stage, skill: str, seat: int = 1) -> str:
    """'open', or the refusal."""
    stage.s.now = stage.now
    try:
        legality.check_window(stage.s, stage.board.skills[stage.board.skill_index[skill]], seat)
    except Refused as refusal:
        return str(refusal)
    return "open"


# --- targets ------------------------------------------------------------------------------------------------------


def test_night_zero_is_the_first_where_the_game_starts_at_night() -> None:
    stage = at("standard12", "night 0")
    assert checked(stage, 10, "antidote", [10]) == "[10]"
    stage = at("standard12", "night 1")
    assert checked(stage, 10, "antidote", [10]).startswith("self_first_night: ")
    stage = at("baichibai", "night 1")
    assert checked(stage, 4, "antidote", [4]) == "[4]"


def test_self_in_a_later_night_is_refused_as_such_even_if_it_was_named_last() -> None:
    stage = at("baichibai", "night 2")
    held = Held()
    held.last, held.last_night = 1 << 4, 1
    assert checked(stage, 4, "antidote", [4], held) == (
        "self_first_night: “救药”只有第一晚可以用在自己身上；可选：1、2、3、5、6、7、8、9、10、11、12、13。"
    )
    assert checked(stage, 4, "antidote", [5], held) == "[5]"


@pytest.mark.parametrize(("night", "taken"), [(0, True), (1, False), (-9, True)])
def test_not_the_same_as_last_night(night: int, taken: bool) -> None:
    stage = at("m205", "night 2")
    held = Held()
    held.last, held.last_night = 1 << 3, night
    said = checked(stage, 9, "shield", [3], held)
    why = "not_consecutive: “守护之盾”不可连续两晚指定同一人，3号昨晚已被指定；可选：1、2、4、5、6、7、8、9、10。"
    assert said == ("[3]" if taken else why)


def test_each_target_once_for_good() -> None:
    stage = at("baichibai", "night 2")
    held = Held()
    held.used = 1 << 3 | 1 << 5
    assert checked(stage, 7, "freeze", [4], held) == "[4]"
    assert checked(stage, 7, "freeze", [5], held).endswith("5号已被指定过；可选：1、2、4、6、7、8、9、10、11、12、13。")


def test_the_badge_goes_to_the_living_only_also_before_they_are_told() -> None:
    stage = at("m46", "night 1")
    stage.s.alive &= ~(1 << 4)
    legal = "1、2、3、5、6、7、9、10、11、12、13、14"
    assert checked(stage, 8, "handover", [4]) == f"target_out: 4号已经出局，不能作为目标；可选：{legal}。"
    assert checked(stage, 8, "handover", [8]) == f"other: “殉职”不能指定自己；可选：{legal}。"
    assert checked(stage, 10, "last_shot", [4]) == "[4]"


@pytest.mark.parametrize("target", [0, -1, 15])
def test_no_such_seat(target: int) -> None:
    stage = at("m46", "night 1")
    said = f"no_seat: 没有{target}号座位；座位是1到14。"
    assert checked(stage, 1, "kill", [target]) == checked(stage, 6, "grudge", [1, 2, target]) == said


def test_a_double_night_takes_one_or_two_the_same_one_too() -> None:
    stage = at("baichibai", "night 1")
    assert checked(stage, 1, "shoot", [3, 3]) == "target_count: “枪决”要指定1名角色，收到2名。"
    shoot = stage.board.skills[stage.board.skill_index["shoot"]]
    stage.s.double_night[shoot.index] = 1
    assert legality.target_need(stage.s, shoot) == (1, 2)
    assert checked(stage, 1, "shoot", [3]) == "[3]"
    assert checked(stage, 1, "shoot", [3, 4]) == "[3, 4]"
    assert checked(stage, 1, "shoot", [3, 3]) == "[3, 3]"
    assert checked(stage, 1, "shoot", [3, 4, 5]) == "target_count: “枪决”要指定2名角色，收到3名。"
    assert checked(stage, 1, "shoot", []) == "target_count: “枪决”要指定2名角色，收到0名。"
    stage.s.double_night[shoot.index] = 0
    assert legality.target_need(stage.s, shoot) == (1, 1)
    assert checked(stage, 1, "shoot", [3, 4]).startswith("target_count: ")


@pytest.mark.parametrize(
    ("wrap", "targets", "so"),
    [
        ("yes", [1, 2, 3], True), ("yes", [14, 1, 2], True), ("yes", [2, 13, 14], False), ("yes", [3, 1, 2], True),
        ("yes", [13, 14, 1], True), ("yes", [12, 13, 14], True), ("no", [12, 13, 14], True), ("no", [13, 14, 1], False),
        ("no", [1, 2, 3], True), ("yes", [1, 1, 2], False), ("no", [4, 5, 5], False),
    ],
)  # fmt: skip
def test_g11_consecutive_seats(wrap: str, targets: list[int], so: bool) -> None:
    stage = at("m46", "night 1", grudge_wrap=wrap)
    assert legality.consecutive(stage.s, targets) is so


# --- windows ------------------------------------------------------------------------------------------------------


def test_a_stage_takes_submissions_until_its_limit_and_no_minute_longer() -> None:
    stage = at("m205", "night 1")
    limit = stage.s.night_from + 30
    stage.now = limit - 1
    assert window(stage, "shield") == "open"
    stage.now = limit
    assert window(stage, "shield") == f"late: “守护之盾”今晚的时限已过（{clock(limit)}止）；下一次从开门起可交。"
    assert window(stage, "poison") == "open"


def test_a_stage_that_has_closed_early_takes_no_more() -> None:
    stage = at("m205", "night 1")
    stage.s.stage = 3
    assert window(stage, "shield").startswith("late: ")
    assert window(stage, "poison") == "open"


@pytest.mark.parametrize(("phase", "settled"), [(DAWN, True), (NIGHT, True)])
def test_after_the_settlement_it_is_late_for_everything(phase: int, settled: bool) -> None:
    stage = at("m205", "night 1")
    s = stage.s
    s.phase, s.settled, s.stage = phase, settled, len(s.limits)
    limit = clock(s.limits[stage.board.skills[stage.board.skill_index["poison"]].stage])
    assert window(stage, "poison") == f"late: “毒药”今晚的时限已过（{limit}止）；下一次从开门起可交。"


@pytest.mark.parametrize(("witch", "late"), [(1, 60), (8, 60), (0, 30)])
def test_c7_a_stage_that_waits_for_a_vision_ends_earlier_without_one(witch: int, late: int) -> None:
    """Also when the witch sits on seat 1."""
    roles = [*M46]
    if witch == 1:
        roles[0], roles[7] = "witch", "wolf"
    stage = at("m46", "night 1", roles)
    s = stage.s
    if not witch:
        s.alive &= ~(1 << 8)
    stages = stage.board.skills
    poison, check = (stages[stage.board.skill_index[name]].stage for name in ("poison", "check"))
    s.stage = 0
    assert legality.stage_limit(s, poison) == s.night_from + late
    assert legality.stage_limit(s, check) == s.night_from + 30
    s.stage = poison
    assert legality.stage_limit(s, poison) == s.limits[poison]


# --- who holds what -----------------------------------------------------------------------------------------------


def test_living_holders_from_the_first_seat_to_the_last() -> None:
    stage = at("m46", "night 1", ["witch", *M46[1:13], "witch"])
    vision = stage.board.skill_index["vision"]
    assert legality.living_holders(stage.s, vision) == [1, 8, 14]
    stage.s.alive &= ~(1 << 8)
    assert legality.living_holders(stage.s, vision) == [1, 14]


def test_c13_one_out_tonight_acts_on_until_told() -> None:
    stage = at("m205", "night 1")
    s = stage.s
    assert holding(stage, 9, "shield") == "9"
    s.alive &= ~(1 << 9)
    assert holding(stage, 9, "shield") == "9"
    s.told_out |= 1 << 9
    assert holding(stage, 9, "shield") == "out"
    assert holding(stage, 8, "poison") == "8"


@pytest.mark.parametrize(
    ("phase", "settled", "frozen", "skill", "seat", "said"),
    [
        (DUSK, False, 4, "poison", 4, "frozen"),
        (NIGHT, False, 4, "poison", 4, "frozen"),
        (NIGHT, False, 5, "poison", 4, "4"),
        (NIGHT, True, 4, "poison", 4, "4"),
        (DAY, False, 4, "poison", 4, "4"),
        (NIGHT, False, 13, "possess", 13, "13"),
    ],
)
def test_what_a_frozen_one_may_not(phase: int, settled: bool, frozen: int, skill: str, seat: int, said: str) -> None:
    stage = at("baichibai", "night 1")
    stage.s.phase, stage.s.settled, stage.s.frozen = phase, settled, 1 << frozen
    assert holding(stage, seat, skill) == said


@pytest.mark.parametrize(("out", "said"), [([1, 2], "11"), ([1], "needs_last"), ([], "needs_last")])
def test_m4_the_last_wolf_by_role(out: list[int], said: str) -> None:
    stage = at("m205", "night 1")
    for seat in out:
        stage.s.alive &= ~(1 << seat)
    assert holding(stage, 3, "last_fog") == said


@pytest.mark.parametrize(("night", "said"), [(1, "not_tonight"), (2, "8"), (3, "not_tonight"), (4, "8")])
def test_even_nights(night: int, said: str) -> None:
    stage = at("baichibai", "night 1")
    stage.s.day = night
    assert holding(stage, 8, "slash") == said


def test_a_spent_skill_names_what_is_left() -> None:
    stage = at("m205", "night 1")
    stage.s.hands[8][stage.board.skill_index["antidote"]].spent = True
    with pytest.raises(Refused) as refusal:
        legality.check_holding(stage.s, 8, stage.board.skills[stage.board.skill_index["antidote"]])
    assert refusal.value.zh == "“救药”是限定技能，已经用过。现在持有：通灵、毒药。"
    assert refusal.value.en == "救药 is limited and has been used. Held now: 通灵、毒药."
