"""What an out sets off, each line of the aftermath by itself, on states made by hand (stories.txt has the whole scenes)."""

from __future__ import annotations

import pytest

from bansha.referee import aftermath
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.refusals import Refused
from bansha.referee.state import DAY, DUSK, NIGHT, Held
from bansha.referee.turn import Turn
from tests.support.scenes import told
from tests.support.stage import BAICHIBAI, M46, M205, Stage

STANDARD12 = ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"]
HUNTERS = [*M46[:10], "hunter", *M46[11:]]


def baichibai(**options: str) -> Stage:
    """On day 1, the host of the shadow (13) is the penguin (7); the heretics are 1 to 6."""
    stage = Stage("baichibai", BAICHIBAI, options)
    stage.act(13, possess=7)
    stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.until("day 1")
    return stage


def dusk(elected: int, exiled: int, roles: list[str] = HUNTERS, **options: str) -> Stage:
    """m46 on its first dusk, with prompts open for the one exiled."""
    stage = Stage("m46", roles, options)
    stage.until("day 1")
    stage.vote({8: elected}, 1)
    stage.vote({1: exiled}, 0)
    stage.until("dusk 1")
    return stage


def turn(stage: Stage) -> Turn:
    return Turn(stage.s, stage.now, stage.game.dice)


def said(stage: Stage, events: list[e.Event]) -> list[str]:
    return [told(stage.board, event) for event in events]


def last(stage: Stage) -> list[str]:
    return said(stage, stage.game.entries[-1][4])


def gains(stage: Stage) -> list[e.SkillGained]:
    return [event for event in stage.game.entries[-1][4] if isinstance(event, e.SkillGained)]


def refused(stage: Stage, seat: int, **skills: c.Targets | int) -> str:
    with pytest.raises(Refused) as refusal:
        stage.act(seat, **skills)
    return str(refusal.value)


def leaves(stage: Stage, seat: int, cause: str = "director") -> list[str]:
    t = turn(stage)
    aftermath.leave(t, [seat], cause)
    return said(stage, t.out)


# --- going out ----------------------------------------------------------------------------------------------------


def test_one_already_out_does_not_go_out_again() -> None:
    stage = baichibai()
    assert leaves(stage, 1)[0] == "out seat=1 cause=director"
    assert leaves(stage, 1) == []


def test_votes_of_the_last_seats_for_someone_out_are_void() -> None:
    stage = Stage("m205", M205)
    stage.until("day 1")
    stage.vote({1: 4, 9: 4, 10: 4, 4: 10})
    assert leaves(stage, 4)[1:] == [f"vote_voided seat={seat} ballot=1 why=out" for seat in (1, 9, 10)]


@pytest.mark.parametrize("target", [0, 1])
def test_a_red_card_voids_ones_own_vote_whatever_it_says(target: int) -> None:
    stage = Stage("m205", M205)
    stage.until("day 1")
    stage.vote({9: target})
    assert leaves(stage, 9, "red_card")[1:] == ["vote_voided seat=9 ballot=1 why=red_card"]


# --- what waits ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "frozen", "scope", "waits"),
    [
        (NIGHT, True, "all", False),
        (NIGHT, False, "all", True),
        (NIGHT, True, "stages", True),
        (DAY, True, "all", True),
        (DUSK, False, "all", True),
    ],
)
def test_a_frozen_last_shot(phase: int, frozen: bool, scope: str, waits: bool) -> None:
    stage = baichibai(freeze_scope=scope)
    stage.s.phase, stage.s.frozen = phase, 1 << 1 if frozen else 0
    assert ("awaited seat=1 line=3" in leaves(stage, 1)) is waits


def test_the_shot_passes_on_from_the_hunter_of_old_only() -> None:
    stage = baichibai()
    stage.s.hands[2][stage.board.skill_index["shoot"]] = stage.s.hands[1][stage.board.skill_index["shoot"]]
    assert "awaited seat=2 line=4" not in leaves(stage, 2)
    del stage.s.hands[1][stage.board.skill_index["shoot"]]
    assert "awaited seat=1 line=4" not in leaves(stage, 1)


@pytest.mark.parametrize(
    ("hosts", "out", "awaited"),
    [({13: 7}, 7, True), ({13: 7}, 8, False), ({12: 3, 13: 7}, 7, True), ({12: 7, 13: 3}, 7, False)],
)
def test_the_heir_waits_for_its_own_host(hosts: dict[int, int], out: int, awaited: bool) -> None:
    stage = baichibai()
    stage.s.host = hosts
    assert (f"awaited seat={out} line=5" in leaves(stage, out)) is awaited


def test_a_shadow_that_is_out_inherits_nothing() -> None:
    stage = baichibai()
    leaves(stage, 13)
    assert leaves(stage, 7) == ["out seat=7 cause=director"]


@pytest.mark.parametrize(("out", "gains"), [(0, True), (12, False)])
def test_only_a_living_holder_gains_by_the_heretics(out: int, gains: bool) -> None:
    stage = baichibai()
    if out:
        leaves(stage, out)
    assert ("skill_gained seat=12 skill=cult_judge why=execution night=1 stage=0 counters=[]" in leaves(stage, 3)) is gains


def test_what_is_gained_on_a_later_day_is_for_the_whole_coming_night() -> None:
    stage = baichibai()
    stage.until("day 2")
    stage.direct("out", 3)
    assert last(stage)[2:] == ["skill_gained seat=12 skill=cult_judge why=execution night=2 stage=0 counters=[]"]


def test_everybodys_heretics_are_their_own() -> None:
    stage = baichibai()
    stage.s.heretics = {12: 1 << 5, 13: 1 << 3}
    stage.s.hands[13][stage.board.skill_index["execution"]] = Held()
    gained = "skill=cult_judge why=execution night=1 stage=0 counters=[]"
    assert leaves(stage, 3)[1:] == [f"skill_gained seat=13 {gained}"]
    assert leaves(stage, 5)[1:] == [f"skill_gained seat=12 {gained}"]


def test_one_without_heretics_gains_nothing() -> None:
    stage = baichibai()
    stage.s.heretics = {}
    assert leaves(stage, 3) == ["out seat=3 cause=director"]


# --- the queue ----------------------------------------------------------------------------------------------------


def test_by_day_what_needs_no_prompt_happens_at_once() -> None:
    stage = baichibai()
    stage.direct("out", 7)
    assert last(stage)[1:] == [
        "out seat=7 cause=director",
        "awaited seat=7 line=5",
        "consequence_done seat=7 line=5",
        "skill_gained seat=13 skill=freeze why=inherit night=1 stage=0 counters=[0 0 0 -9 0]",
        "announced kind=附身 value=True",
    ]


def test_at_a_dusk_without_a_prompt_it_opens_at_once() -> None:
    stage = dusk(8, 10)
    stage.s.prompt, stage.s.awaiting = None, []
    leaves(stage, 11)
    t = turn(stage)
    aftermath.run_if_free(t)
    assert said(stage, t.out) == [f"prompt_opened seat=11 skill=last_shot until={stage.now + 10}"]
    aftermath.run_if_free(t)
    assert len(t.out) == 1


def test_a_badge_that_is_gone_is_not_handed_over() -> None:
    stage = dusk(8, 8)
    stage.s.prompt, stage.s.sheriff = None, 0
    t = turn(stage)
    aftermath.run(t)
    assert said(stage, t.out)[0] == "consequence_done seat=8 line=1"
    assert not any(isinstance(event, e.PromptOpened) for event in t.out)


def test_a_handover_kept_with_the_shot_may_tear_the_badge() -> None:
    stage = Stage("standard12", STANDARD12)
    stage.until("day 1")
    stage.vote({8: 11}, 1)
    stage.vote({1: 11}, 0)
    stage.until("dusk 1")
    stage.act(11, last_shot=3, handover=None)
    assert [line.partition(" until")[0] for line in last(stage)[4:-1]] == [
        "out seat=3 cause=last_shot",
        "handover_kept seat=11 target=-1",
        "prompt_opened seat=11 skill=handover",
        "prompt_answered seat=11 skill=handover target=-1 silent=False",
        "consequence_done seat=11 line=1",
        "sheriff_changed seat=0 why=torn lost=True",
        "announced kind=警长 value=none",
        "exile_settled day=1",
    ]


@pytest.mark.parametrize(("kept", "alive", "asked"), [(4, True, False), (4, False, True), (-1, True, False)])
def test_a_kept_successor_must_still_be_alive(kept: int, alive: bool, asked: bool) -> None:
    stage = dusk(8, 8)
    s = stage.s
    s.prompt, s.kept_handover, s.now = None, {8: kept}, stage.now
    if not alive:
        s.alive &= ~(1 << kept)
    t = turn(stage)
    aftermath.run(t)
    assert (s.prompt is not None and s.prompt.seat == 8) is asked
    assert (f"prompt_answered seat=8 skill=handover target={kept} silent=False" in said(stage, t.out)) is not asked


def test_the_badge_goes_to_seat_one_as_to_any_other() -> None:
    stage = dusk(8, 8)
    stage.act(8, handover=1)
    assert "sheriff_changed seat=1 why=handover lost=False" in last(stage)


def test_silence_is_told_from_a_refusal() -> None:
    stage = baichibai()
    stage.vote({1: 3})
    stage.until("dusk 1")
    stage.wait(10)
    assert last(stage)[:3] == [
        "prompt_answered seat=3 skill=play_dumb target=-1 silent=True",
        "consequence_done seat=3 line=2",
        "announced kind=放逐 value=3",
    ]


# --- handing over while another shoots ----------------------------------------------------------------------------


def test_after_ones_shot_the_badge_may_go_while_another_aims() -> None:
    stage = dusk(10, 10)
    assert refused(stage, 10, handover=4).startswith("no_prompt: ")
    stage.act(10, last_shot=11)
    assert stage.s.prompt is not None and stage.s.prompt.seat == 11
    assert refused(stage, 11, handover=4).startswith("no_prompt: ")
    stage.act(10, handover=4)
    assert last(stage) == ["handover_kept seat=10 target=4"]
    stage.act(11, last_shot=None)
    assert "prompt_answered seat=10 skill=handover target=4 silent=False" in last(stage)


def test_before_ones_shot_the_badge_stays() -> None:
    stage = dusk(11, 10)
    stage.direct("out", 11)
    assert stage.s.awaiting == [(0, 0, 10), (0, 1, 11), (1, 1, 11)]
    assert refused(stage, 11, handover=4).startswith("no_prompt: ")
    stage.act(10, last_shot=None)
    assert stage.s.prompt is not None and stage.s.prompt.seat == 11
    assert refused(stage, 11, handover=4).startswith("no_prompt: ")
    stage.act(11, last_shot=None)
    stage.act(11, handover=4)
    assert "sheriff_changed seat=4 why=handover lost=False" in last(stage)


# --- the shot -----------------------------------------------------------------------------------------------------


def test_a_shot_at_dawn_is_a_strike() -> None:
    stage = baichibai()
    stage.until("night 1")
    stage.act(4, poison=1)
    stage.until("dawn 1")
    stage.act(1, last_shot=5)
    assert last(stage)[:5] == [
        "prompt_answered seat=1 skill=last_shot target=5 silent=False",
        "consequence_done seat=1 line=3",
        "used holder=1 skill=last_shot targets=[5]",
        "struck holder=1 skill=last_shot target=5",
        "out seat=5 cause=last_shot",
    ]


def test_what_the_hunter_killed_at_night_passes_on_is_usable_from_the_stage_then() -> None:
    stage = baichibai()
    stage.until("night 1")
    stage.act(4, poison=1)
    stage.until("dawn 1")
    stage.act(1, last_shot=None)
    gained = [event for event in gains(stage) if event.why == "pass_on"]
    assert [(event.night, event.stage, event.counters) for event in gained] == [(1, 12, [0, 0, 0, -9, 1])]


def test_what_passes_on_by_day_is_for_the_whole_coming_night() -> None:
    stage = baichibai()
    stage.until("day 2")
    stage.s.hands[1][stage.board.skill_index["last_shot"]].spent = True
    stage.direct("out", 1)
    gained = [event for event in gains(stage) if event.why == "pass_on"]
    assert [(event.night, event.stage) for event in gained] == [(2, 0)]


def test_what_has_passed_on_once_passes_no_further_and_is_not_inherited() -> None:
    stage = baichibai()
    stage.s.host = {13: 1}
    stage.s.hands[1][stage.board.skill_index["shoot"]].passed = True
    stage.s.hands[1][stage.board.skill_index["last_shot"]].spent = True
    stage.direct("out", 1)
    assert [line for line in last(stage) if line.startswith("skill_")] == [
        "skill_gained seat=12 skill=cult_judge why=execution night=1 stage=0 counters=[]",
        "skill_gained seat=13 skill=last_shot why=inherit night=1 stage=0 counters=[1 0 0 -9 0]",
    ]


def test_nothing_is_passed_on_that_was_lost_before_its_turn() -> None:
    stage = baichibai()
    del stage.s.hands[1][stage.board.skill_index["shoot"]]
    t = turn(stage)
    aftermath._pass_on(t, 1, stage.board.skills[stage.board.skill_index["shoot"]])
    assert t.out == []


@pytest.mark.parametrize(("moment", "ended"), [("settled", True), ("each_out", False)])
def test_a_shot_at_one_already_out_lets_the_check_happen_that_waited_for_it(moment: str, ended: bool) -> None:
    stage = dusk(8, 10, victory_moment=moment)
    s = stage.s
    for seat in (5, 6, 7, 8, 9, 11):
        s.alive &= ~(1 << seat)
    t = turn(stage)
    aftermath._shoot(t, 10, stage.board.skills[stage.board.skill_index["last_shot"]], 7)
    assert any(isinstance(event, e.GameEnded) for event in t.out) is ended
    assert not any(isinstance(event, e.Out) for event in t.out)


# --- the shadow ---------------------------------------------------------------------------------------------------


def test_the_shadow_of_the_grandpa_inherits_all_but_setup() -> None:
    stage = baichibai()
    stage.s.host = {13: 12}
    stage.direct("out", 3)
    stage.direct("out", 12)
    assert [line for line in last(stage) if line.startswith("skill_")] == [
        "skill_gained seat=13 skill=execution why=inherit night=1 stage=0 counters=[0 0 0 -9 0]",
        "skill_gained seat=13 skill=cult_judge why=inherit night=1 stage=0 counters=[0 0 0 -9 0]",
    ]


@pytest.mark.parametrize(("spent", "gained"), [(False, ["vision", "poison"]), (True, ["vision", "antidote", "poison"])])
def test_what_the_shadow_holds_already_stays_as_it_is_unless_the_hosts_is_spent(spent: bool, gained: list[str]) -> None:
    stage = baichibai()
    number = stage.board.skill_index["antidote"]
    stage.s.host = {13: 4}
    stage.s.hands[13][number] = type(stage.s.hands[4][number])()
    stage.s.hands[4][number].spent = spent
    stage.direct("out", 4)
    assert [stage.board.skill_ids[event.skill] for event in gains(stage) if event.seat == 13] == gained


def test_each_shadow_has_its_own_host() -> None:
    stage = Stage("baichibai", [*BAICHIBAI[:11], "shadow", "shadow"])
    stage.until("day 1")
    stage.s.host = {12: 3, 13: 7}
    stage.direct("out", 7)
    assert [line.partition(" why")[0] for line in last(stage) if line.startswith("skill_")] == ["skill_gained seat=13 skill=freeze"]


def test_inherited_at_night_it_is_usable_from_the_stage_then() -> None:
    stage = baichibai()
    stage.until("night 1")
    stage.act(4, poison=7)
    stage.until("day 2")
    events = [event for entry in stage.game.entries for event in entry[4]]
    gained = [event for event in events if isinstance(event, e.SkillGained) and event.seat == 13]
    assert [(stage.board.skill_ids[event.skill], event.night, event.stage) for event in gained] == [("freeze", 1, 12)]


def test_a_red_card_of_one_gone_meanwhile_settles_nothing() -> None:
    stage = baichibai()
    stage.do(c.Card(4, "red", "7.1"))
    stage.direct("out", 4)
    stage.until("night 1")
    assert last(stage)[-2:] == ["exile_settled day=1", "twilight_ended dawn=False"]
    assert not any(isinstance(event, e.RedsSettled) for entry in stage.game.entries for event in entry[4])
