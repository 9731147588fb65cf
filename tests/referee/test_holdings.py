"""What a seat holds, may hand in now and may target, in positions set up by hand."""

from __future__ import annotations

import pytest

from bansha.referee import events as e
from bansha.referee.evolve import evolve_all
from bansha.referee.holdings import choices, holdings, may_pass, open_prompt, open_skills, prompt_targets, submittable, targets
from bansha.referee.state import State
from tests.support.stage import BAICHIBAI, M46, M205, Stage

ALL10 = list(range(1, 11))


def names(s: State, skills: list[int]) -> list[str]:
    return [s.board.skill_ids[index] for index in skills]


def held(s: State, seat: int) -> list[str]:
    return names(s, holdings(s, seat))


def open_(s: State, seat: int) -> list[str]:
    return names(s, open_skills(s, seat))


def offered(s: State) -> dict[int, dict[str, tuple[list[int], int, int, bool]]]:
    return {
        seat: {s.board.skill_ids[k]: (s.seats(mask), least, most, passing) for k, mask, least, most, passing in offers}
        for seat, offers in choices(s)
    }


def m205(phase: str = "day 1") -> Stage:
    stage = Stage("m205", M205)
    if phase != "setup":
        stage.act(10, kin=4)
        stage.until(phase)
    return stage


def after(s: State, *happened: e.Event) -> State:
    twin = s.copy()
    evolve_all(twin, s.now, happened)
    return twin


def test_what_is_held_by_day() -> None:
    s = m205().s
    assert held(s, 1) == ["kill", "feint", "shield_order", "last_fog"]
    assert held(s, 7) == ["first_night_shield", "check"]
    assert held(s, 8) == ["vision", "antidote", "poison"]
    assert held(s, 10) == [], "kin was for setup"


def test_what_is_spent_is_held_no_more() -> None:
    s = m205().s
    assert held(after(s, e.Used(8, s.board.skill_index["poison"], [1])), 8) == ["vision", "antidote"]


def test_the_first_nights_shield_is_held_until_its_stage_closes() -> None:
    assert "first_night_shield" in held(m205("setup").s, 7)
    night = m205("night 1")
    assert "first_night_shield" in held(night.s, 7)
    assert "first_night_shield" not in held(after(night.s, e.StageClosed(0)), 7)
    assert "first_night_shield" not in held(after(night.s, e.NightSettled(1)), 7)
    night.until("day 2")
    assert held(night.s, 7) == ["check"]


def test_passive_skills_and_bonds_are_not_held_to_be_used() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    assert held(stage.s, 10) == [] and held(stage.s, 12) == [] and held(stage.s, 13) == []
    assert held(stage.s, 6) == ["curse"]
    assert held(stage.s, 3) == ["play_dumb"]


def test_one_out_holds_the_prompts_that_wait() -> None:
    stage = Stage("standard12", ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"])
    stage.until("day 1")
    s, board = stage.s, stage.board
    shot, badge = board.skill_index["last_shot"], board.skill_index["handover"]
    assert held(s, 11) == ["last_shot"]
    out = after(s, e.Out(11, "exile"), e.Out(5, "exile"))
    assert held(out, 11) == []
    waiting = after(out, e.Awaited(11, 0), e.Awaited(11, 1), e.Awaited(5, 1))
    assert held(waiting, 11) == ["last_shot"] and held(waiting, 5) == []
    prompted = after(out, e.Awaited(11, 0), e.PromptOpened(11, shot, s.now + 10), e.Consequence(11, 0))
    assert held(prompted, 11) == ["last_shot"] and held(prompted, 5) == []
    assert open_prompt(prompted, 11) == shot and open_prompt(prompted, 5) == open_prompt(s, 11) == -1
    assert open_(prompted, 11) == ["last_shot"] and open_(prompted, 5) == []
    assert prompt_targets(prompted, 11, shot) == (prompted.public_alive & ~(1 << 11), True)
    assert s.seats(prompt_targets(prompted, 11, badge)[0]) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 12]


def test_a_handover_must_be_answered_and_a_stay_has_no_target() -> None:
    s = Stage("m46", M46).s
    handover = s.board.skill_index["handover"]
    assert s.seats(prompt_targets(s, 3, handover)[0]) == [1, 2, *range(4, 15)] and not prompt_targets(s, 3, handover)[1]
    s = Stage("baichibai", BAICHIBAI).s
    assert prompt_targets(s, 3, s.board.skill_index["play_dumb"]) == (0, True)


def test_a_skill_numbered_nought_may_be_prompted() -> None:
    s = m205().s
    assert open_prompt(after(s, e.Awaited(4, 0), e.PromptOpened(4, 0, s.now + 10)), 4) == 0
    assert open_skills(after(s, e.Awaited(4, 0), e.PromptOpened(4, 0, s.now + 10)), 4) == [0]


def test_what_is_open_follows_the_clock() -> None:
    setup = m205("setup").s
    assert open_(setup, 10) == ["kin"] and open_(setup, 7) == [] and open_(setup, 1) == []
    assert open_(m205().s, 7) == [], "by day it may be handed in, but no window is open"
    night = m205("night 1")
    s = night.s
    assert open_(s, 1) == ["kill", "feint", "shield_order"]
    assert open_(s, 7) == ["first_night_shield"] and open_(s, 9) == ["shield"]
    assert open_(after(s, e.Out(9, "kill"), e.ToldOut([9])), 9) == []
    two_gone = after(s, e.Out(1, "kill"), e.Out(2, "kill"))
    assert open_(two_gone, 3) == ["kill", "feint", "shield_order", "last_fog"]
    night.wait(30)
    assert open_(s, 7) == ["check"] and open_(s, 8) == ["antidote", "poison"] and open_(s, 9) == []
    night.until("day 2")
    assert open_(s, 8) == []
    assert open_(after(s, e.GameEnded(0, "x")), 8) == []


def test_what_may_be_handed_in_windows_apart() -> None:
    s = m205().s
    number = s.board.skill_index
    assert [name for name in number if submittable(s, 8, number[name])] == ["antidote", "poison"]
    setup = m205("setup").s
    assert [name for name in number if submittable(setup, 10, number[name])] == ["kin"]
    s = Stage("baichibai", BAICHIBAI).s
    number = s.board.skill_index
    assert not [name for name in ("steadfast", "sanctity", "play_dumb") for seat in (3, 10) if submittable(s, seat, number[name])]
    frozen = after(m205("night 1").s, e.Froze(9))
    assert not submittable(frozen, 9, 2)


def test_targets_and_how_many() -> None:
    s = m205().s
    number = s.board.skill_index
    assert targets(s, 7, number["check"]) == (ALL10, 1, 1)
    assert targets(s, 8, number["poison"]) == ([*range(1, 8), 9, 10], 1, 1)
    assert targets(s, 9, number["first_night_shield"]) == ([], 0, 0)
    assert targets(s, 4, number["shield"]) == (ALL10, 1, 1), "whoever does not hold it is told the rule alone"
    used = after(s, e.Used(9, number["shield"], [4]))
    used.day = 2
    assert targets(used, 9, number["shield"]) == ([1, 2, 3, *range(5, 11)], 1, 1)
    assert targets(after(s, e.Out(4, "exile")), 7, number["check"])[0] == [1, 2, 3, *range(5, 11)]
    grudge = Stage("m46", M46).s
    assert targets(grudge, 6, grudge.board.skill_index["grudge"]) == (list(range(1, 15)), 3, 3)
    bai = Stage("baichibai", BAICHIBAI).s
    assert targets(bai, 12, bai.board.skill_index["heretics"])[1:] == (6, 6)


def test_what_is_forced_or_ordered_cannot_be_passed() -> None:
    s = m205().s
    number = s.board.skill_index
    assert may_pass(s, number["shield"]) and not may_pass(s, number["kin"])
    ordered = after(s, e.ShieldOrdered(number["shield"]))
    assert not may_pass(ordered, number["shield"]) and may_pass(ordered, number["kill"])


# --- every choice at once -----------------------------------------------------------------------------------------


def test_choices_in_setup() -> None:
    assert offered(m205("setup").s) == {10: {"kin": (list(range(1, 10)), 1, 1, False)}}
    bai = offered(Stage("baichibai", BAICHIBAI).s)
    assert {seat: list(offers) for seat, offers in bai.items()} == {6: ["curse"], 12: ["heretics"], 13: ["possess"]}
    assert bai[12]["heretics"][1:] == (6, 6, False)


def test_choices_by_day() -> None:
    s = m205().s
    shield: dict[str, tuple[list[int], int, int, bool]] = {"first_night_shield": ([], 0, 0, True)}
    every = {seat: dict(shield) for seat in ALL10 if "first_night_shield" in held(s, seat)}
    every[7]["check"] = (ALL10, 1, 1, True)
    every[8] = {"antidote": (ALL10, 1, 1, True), "poison": ([*range(1, 8), 9, 10], 1, 1, True)}
    every[9] = {"shield": (ALL10, 1, 1, True)}
    pack = {"kill": (ALL10, 1, 1, True), "feint": (ALL10, 1, 1, True), "shield_order": ([], 0, 0, True)}
    found = [(seat, dict(zip([s.board.skill_ids[o[0]] for o in offers], offers, strict=True))) for seat, offers in choices(s)]
    assert [seat for seat, _ in found] == [*sorted(every), 1], "the pack comes last, by its first living member"
    assert {name: (s.seats(o[1]), *o[2:]) for name, o in found[-1][1].items()} == pack
    for seat, offers in found[:-1]:
        assert {name: (s.seats(o[1]), *o[2:]) for name, o in offers.items()} == every[seat]


def test_the_packs_last_member_hands_in_for_it_and_may_call_the_fog() -> None:
    s = m205("night 1").s
    two = after(s, e.Out(1, "kill"))
    assert choices(two)[-1][0] == 2 and "last_fog" not in names(two, [offer[0] for offer in choices(two)[-1][1]])
    one = after(two, e.Out(2, "kill"))
    assert choices(one)[-1][0] == 3 and "last_fog" in names(one, [offer[0] for offer in choices(one)[-1][1]])
    none = after(one, e.Out(3, "kill"))
    assert "kill" not in [name for offers in offered(none).values() for name in offers]
    assert not {1, 2, 3} & set(offered(none))


def test_choices_shrink_as_the_night_goes_on() -> None:
    s = m205("night 1").s
    later = after(s, e.StageClosed(0))
    assert all("first_night_shield" not in offers for offers in offered(later).values())
    assert set(offered(later)) == {1, 7, 8, 9} and "shield_order" not in offered(later)[1]
    assert set(offered(after(s, e.StageClosed(1)))) == {1, 7, 8}
    assert set(offered(after(s, e.StageClosed(3)))) == {7}


def test_the_frozen_the_spent_and_the_ordered() -> None:
    s = after(m205("night 1").s, e.StageClosed(0))
    number = s.board.skill_index
    assert set(offered(after(s, e.Froze(9)))) == {1, 7, 8}
    assert list(offered(after(s, e.Used(8, number["antidote"], [1])))[8]) == ["poison"]
    ordered = offered(after(s, e.ShieldOrdered(number["shield"])))
    assert ordered[9]["shield"] == (ALL10, 1, 1, False) and ordered[7]["check"][3]
    ordered = offered(after(s, e.ShieldOrdered(number["check"])))
    assert ordered[7]["check"] == (ALL10, 1, 1, False)


def test_a_skill_without_a_legal_target_is_left_out() -> None:
    stage = Stage("m46", M46)
    stage.act(6, revenge=7)
    stage.until("night 0")
    s, number = stage.s, stage.board.skill_index
    assert list(offered(s)[9]) == ["shield", "mute_shield"]
    all_but_one = after(s, e.Used(9, number["shield"], list(range(1, 14))))
    assert offered(all_but_one)[9]["shield"] == ([14], 1, 1, True)
    assert list(offered(after(s, e.Used(9, number["shield"], list(range(1, 15)))))[9]) == ["mute_shield"]


def test_even_nights_and_doubled_ones() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.act(13, possess=2)
    stage.until("day 1")
    s = stage.s
    assert "slash" not in offered(s)[8] and "counter" in offered(s)[8]
    shot = offered(s)[1]["shoot"]
    assert shot == (list(range(1, 14)), 1, 1, True)
    stayed = after(s, e.Stayed(3, s.board.skill_index["play_dumb"]))
    assert offered(stayed)[1]["shoot"] == (list(range(1, 14)), 1, 2, True) and offered(stayed)[2]["judge"][1:] == (1, 1, True)
    stayed.day = 2
    assert offered(stayed)[1]["shoot"][1:] == (1, 1, True) and "slash" in offered(stayed)[8]
    automatic = {"vision", "ward", "steadfast", "sanctity", "execution", "play_dumb", "last_shot"}
    assert not automatic & {name for offers in offered(s).values() for name in offers}


@pytest.mark.parametrize("public", [True, False])
def test_an_out_that_is_not_public_remains_a_target(public: bool) -> None:
    s = after(m205("night 1").s, e.Out(4, "red_card" if public else "kill"))
    assert (4 in offered(s)[7]["check"][0]) is not public and 4 not in offered(s)
