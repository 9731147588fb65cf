"""The night by hand: what lapses and why, silence, windows that hang on a vision, closing early, setup's end."""

from __future__ import annotations

import pytest

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.evolve import evolve_all
from bansha.referee.night import may_close_early, opens_now, stage_due
from bansha.referee.refusals import Refused
from bansha.referee.state import State
from tests.support.stage import BAICHIBAI, M46, M205, Stage

PACK = 11  # of m205's ten seats
STANDARD = ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"]


def m205(phase: str = "night 1", **options: str) -> Stage:
    stage = Stage("m205", M205, options)
    if phase != "setup":
        stage.act(10, kin=4)
        stage.until(phase)
    return stage


def m46(phase: str = "night 0", roles: list[str] = M46, **options: str) -> Stage:
    stage = Stage("m46", roles, options)
    stage.act(6, revenge=7)
    stage.until(phase)
    return stage


def bai(phase: str = "night 1", **options: str) -> Stage:
    stage = Stage("baichibai", BAICHIBAI, options)
    stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.act(13, possess=2)
    stage.until(phase)
    return stage


def events(stage: Stage, kind: type[e.Event]) -> list[e.Event]:
    return [event for entry in stage.game.entries for event in entry[4] if isinstance(event, kind)]


def put(stage: Stage, *happened: e.Event) -> None:
    """As if this had happened just now."""
    evolve_all(stage.s, stage.s.now, happened)


def refused(stage: Stage, choices: dict[int, c.Targets], seat: int) -> str:
    with pytest.raises(Refused) as refusal:
        stage.do(c.Act(seat, choices))
    return refusal.value.code


# --- what lapses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("happened", "code"),
    [
        (e.Out(7, "kill"), "out"),
        (e.SkillLost(7, 8, "x"), "not_held"),
        (e.Out(3, "red_card"), "target_out"),
    ],
)
def test_a_kept_choice_lapses_with_its_reason(happened: e.Event, code: str) -> None:
    stage = m205()
    stage.act(7, check=3)
    put(stage, happened)
    stage.wait(60)
    assert events(stage, e.Lapsed) == [e.Lapsed(7, 8, code)] and not any(told.skill == 8 for _, told, _ in stage.s.told[7])
    assert stage.s.notices[7][-1][1] == e.Lapsed(7, 8, code)


def test_a_spent_choice_and_one_out_of_turn_lapse() -> None:
    stage = m205()
    stage.act(8, poison=3)
    put(stage, e.Used(8, 7, [1]))
    stage.wait(60)
    assert events(stage, e.Lapsed) == [e.Lapsed(8, 7, "spent")]
    stage = m205()
    stage.act(9, shield=4)
    stage.s.hands[9][2].last, stage.s.hands[9][2].last_night = 1 << 4, 0
    stage.wait(60)
    assert events(stage, e.Lapsed) == [e.Lapsed(9, 2, "not_consecutive")]


def test_the_fog_lapses_once_another_wolf_is_back() -> None:
    stage = m205()
    put(stage, e.Out(1, "director"), e.Out(2, "director"))
    stage.act(3, last_fog=True, kill=4)
    put(stage, e.Restored(2))
    stage.wait(60)
    assert events(stage, e.Lapsed) == [e.Lapsed(PACK, 11, "needs_last")]
    assert any(isinstance(event, e.Struck) and event.target == 4 for event in events(stage, e.Struck))


def test_the_frozen_is_stopped_unless_forced() -> None:
    stage = m205()
    stage.act(7, check=3)
    stage.act(1, kill=4)
    put(stage, e.Froze(7), e.Froze(1))
    stage.wait(60)
    assert events(stage, e.Stopped) == [e.Stopped(7, 8)] and stage.s.told[7] == []
    assert [event.target for event in events(stage, e.Struck)] == [4], "a pack is not frozen"  # type: ignore[attr-defined]


def test_an_ordered_skill_is_drawn_for_whoever_was_silent_or_lapsed() -> None:
    stage = m205()
    stage.act(1, shield_order=True)
    assert refused(stage, {2: None}, 9) == "ordered"
    stage.wait(60)
    (drawn,) = events(stage, e.Drawn)
    assert isinstance(drawn, e.Drawn) and drawn.label == "shield" and drawn.options == list(range(1, 11)) and len(drawn.chosen) == 1
    assert stage.s.hands[9][2].last == 1 << drawn.chosen[0]
    stage = m205()
    stage.act(9, shield=4)
    stage.act(1, shield_order=True)
    stage.wait(60)
    assert not events(stage, e.Drawn) and stage.s.hands[9][2].last == 1 << 4
    for gone in (e.Out(9, "director"), e.Froze(9)):
        stage = m205()
        stage.act(1, shield_order=True)
        put(stage, gone)
        stage.wait(60)
        assert not events(stage, e.Drawn), "neither the dead nor the frozen"


# --- handing in ---------------------------------------------------------------------------------------------------


def test_what_cannot_be_handed_in() -> None:
    stage = m205()
    number = stage.board.skill_index
    assert refused(stage, {}, 7) == "nothing"
    assert refused(stage, {len(number): [1]}, 7) == refused(stage, {-1: [1]}, 7) == "unknown_skill"
    assert refused(stage, {6: [1], 7: [2]}, 8) == "excludes"
    assert refused(stage, {8: [1]}, 8) == "not_held"
    setup = Stage("m205", M205)
    assert refused(setup, {0: None}, 10) == refused(setup, {0: False}, 10) == "forced"
    with pytest.raises(Refused, match="可选：1、2、3、4、5、6、7、8、9。"):
        setup.act(10, kin=None)


def test_one_of_two_excluding_skills_may_be_passed_with_the_other() -> None:
    stage = m205()
    stage.act(8, antidote=None, poison=3)
    assert stage.s.pending == {(8, 6): (None, 8), (8, 7): ((3,), 8)}
    stage.act(8, antidote=4)
    assert stage.s.pending == {(8, 6): ((4,), 8)}


def test_an_order_is_final_at_night_and_free_by_day() -> None:
    stage = m205()
    stage.act(1, shield_order=True)
    assert stage.s.ordered == 1 << 2 and refused(stage, {10: None}, 2) == "final"
    stage = m205("day 1")
    stage.act(1, shield_order=True)
    assert not stage.s.ordered
    stage.act(2, shield_order=None)
    stage.until("night 1")
    assert not stage.s.ordered and not stage.s.hands[PACK][10].spent
    stage = m205("day 1")
    stage.act(1, shield_order=True)
    stage.until("night 1")
    assert stage.s.ordered == 1 << 2


def test_the_automatic_shield_stands_on_each_living_holder_of_the_first_night() -> None:
    stage = m205("day 1", first_night_shield="automatic")
    shield = stage.board.auto_shield
    stage.until("night 1")
    assert stage.s.marks == {shield: 1 << 7}
    stage.until("night 2")
    assert shield not in stage.s.marks
    stage = m205("day 1", first_night_shield="automatic")
    stage.direct("out", 7)
    stage.until("night 1")
    assert stage.s.marks == {}


# --- silence ------------------------------------------------------------------------------------------------------


def silent(stage: Stage) -> list[tuple[int, str, str]]:
    clause = stage.board.rules.attendance.silence_clause
    return [(v.seat, v.colour, v.why) for v in events(stage, e.CardProposed) if isinstance(v, e.CardProposed) and v.clause == clause]


def test_silence_is_proposed_a_card_once_a_night_and_holder() -> None:
    stage = m205()
    stage.wait(60)
    own = [(7, "yellow", "first_night_shield"), (8, "yellow", "antidote"), (9, "blue", "shield")]
    assert silent(stage) == [*own, *[(seat, "blue", "kill") for seat in (1, 2, 3)]]


def test_whoever_answered_anything_a_pass_too_is_not_silent() -> None:
    stage = m205()
    stage.act(7, check=None)
    stage.act(8, poison=None)
    stage.act(9, shield=4)
    stage.act(2, feint=4)
    stage.wait(60)
    assert silent(stage) == []


def test_neither_the_dead_nor_the_stopped_nor_anyone_in_an_outage_is_silent() -> None:
    stage = m205()
    put(stage, e.Out(9, "director"), e.Out(1, "director"))
    stage.wait(60)
    assert {seat for seat, _, _ in silent(stage)} == {2, 3, 7, 8}
    stage = m205()
    stage.direct("outage", [stage.now - 5, stage.now])
    stage.wait(60)
    assert silent(stage) == []


def test_silence_in_setup_is_proposed_a_card_and_drawn_for() -> None:
    stage = Stage("m205", M205)
    stage.until("day 1")
    assert silent(stage) == [(10, "blue", "kin")]
    (drawn,) = events(stage, e.Drawn)
    assert isinstance(drawn, e.Drawn) and drawn.label == "kin" and drawn.options == list(range(1, 10))
    assert stage.s.host == {10: drawn.chosen[0]}


def test_without_a_clause_nobody_is_silent() -> None:
    stage = m46()
    stage.wait(60)
    assert stage.s.settled and not events(stage, e.CardProposed)


# --- stages and windows -------------------------------------------------------------------------------------------


def test_the_witchs_window_follows_her_vision_or_opens_at_once_without_it() -> None:
    stage = m46()
    at, number = stage.s.night_from, stage.board.skill_index
    poison = stage.board.skills[number["poison"]]
    assert not opens_now(stage.s, poison)
    stage.wait(30)
    assert stage.s.stage == 4 and stage.s.limits[4] == at + 60 and opens_now(stage.s, poison) and not events(stage, e.StageTimed)
    without = m46()
    put(without, e.SkillLost(8, number["vision"], "x"))
    evolve_all(without.s, without.s.now, [e.SkillLost(9, number["vision"], "x"), e.SkillLost(8, number["vision"], "x")])
    assert opens_now(without.s, poison)
    without.wait(30)
    assert events(without, e.StageTimed) == [e.StageTimed(4, at + 30)] and without.s.settled
    late = m46()
    late.direct("deadline", at + 50)
    late.until("night 0")
    late.wait(50)
    assert events(late, e.StageTimed) == [e.StageTimed(4, at + 80)] and late.s.limits[4] == at + 80


def test_a_window_is_open_from_its_start_until_before_its_limit() -> None:
    stage = m205()
    s, skills = stage.s, {table.id: table for table in stage.board.skills}

    def opened(minute: int) -> set[str]:
        twin = s.copy()
        twin.now = s.night_from + minute
        return {name for name, table in skills.items() if opens_now(twin, table)}

    early = {"first_night_shield", "shield", "kill", "feint", "shield_order", "last_fog"}
    late = {"vision", "antidote", "poison", "check"}
    assert (opened(0), opened(29), opened(30), opened(59), opened(60)) == (early, early, late, late, set())
    put(stage, e.StageClosed(0))
    assert opened(0) == early - {"first_night_shield", "shield_order"}
    put(stage, e.NightSettled(1))
    assert opened(0) == set()
    by_day = m205("day 1").s
    assert not [table for table in skills.values() if opens_now(by_day, table)]
    setup = m205("setup").s
    assert [table.id for table in skills.values() if opens_now(setup, table)] == ["kin"]


def test_stages_that_share_a_limit_are_due_together() -> None:
    stage = m205()
    s = stage.s
    assert not stage_due(s, s.limits[0] - 1) and stage_due(s, s.limits[0])
    put(stage, e.StageClosed(2))
    assert not stage_due(s, s.limits[0]) and stage_due(s, s.limits[3])
    put(stage, e.NightSettled(1))
    assert not stage_due(s, s.limits[4])
    assert not stage_due(m205("day 1").s, 1 << 50)


# --- closing early ------------------------------------------------------------------------------------------------


def closes(s: State) -> bool:
    return may_close_early(s)


def standard(*gone: e.Event) -> Stage:
    stage = Stage("standard12", STANDARD)
    stage.until("night 0")
    put(stage, *gone)
    return stage


def test_a_stage_closes_early_once_all_who_may_act_have_answered() -> None:
    stage = standard()
    assert not closes(stage.s)
    stage.act(12, shield=None)
    assert closes(stage.s)
    stage.direct("hold", True)
    assert not closes(stage.s)


@pytest.mark.parametrize(
    "gone", [e.Out(12, "kill"), e.Used(12, 1, []), e.Froze(12), e.SkillLost(12, 1, "x")], ids=lambda gone: type(gone).__name__
)
def test_whoever_cannot_act_is_not_waited_for(gone: e.Event) -> None:
    stage = standard(gone)
    if isinstance(gone, e.Used):
        stage.s.hands[12][1].spent = True
    assert closes(stage.s)
    put(stage, e.NightSettled(0))
    assert not closes(stage.s), "the night is settled"


def test_a_pack_is_waited_for_while_one_of_it_lives_frozen_or_not() -> None:
    pack = 13
    stage = standard(e.StageClosed(0), e.Out(1, "kill"), e.Out(2, "kill"), e.Out(3, "kill"), e.Froze(4))
    assert not closes(stage.s)
    stage.s.pending[pack, 0] = (None, 4)
    assert closes(stage.s)
    stage.s.pending.clear()
    put(stage, e.Out(4, "kill"))
    assert closes(stage.s)


def test_one_of_two_excluding_skills_is_an_answer_for_both() -> None:
    stage = standard(e.StageClosed(0), e.StageClosed(1), e.StageClosed(2))
    assert not closes(stage.s)
    stage.s.pending[10, 3] = ((1,), 10)
    assert closes(stage.s)
    stage.s.pending = {(10, 4): ((1,), 10)}
    assert closes(stage.s)


def test_only_what_may_be_used_tonight_is_waited_for() -> None:
    stage = m205()
    assert not closes(stage.s)
    stage.act(7, first_night_shield=None)
    assert not closes(stage.s), "the pack has an order to give"
    stage.s.pending[PACK, 10] = (None, 1)
    assert closes(stage.s)
    stage.s.pending.clear()
    stage.s.day = 2
    assert not closes(stage.s)
    stage.s.pending[PACK, 10] = (None, 1)
    assert closes(stage.s), "the first night's shield is past"
    put(stage, e.StageClosed(0), e.StageClosed(1))
    stage.s.pending = {(PACK, 3): ((4,), 1)}
    assert not closes(stage.s), "a feint may follow"
    stage.s.pending[PACK, 4] = (None, 1)
    assert closes(stage.s), "nobody can call the fog while there are three wolves"
    put(stage, e.Out(1, "kill"), e.Out(2, "kill"))
    assert not closes(stage.s)
    stage.s.pending[PACK, 11] = (None, 3)
    assert closes(stage.s)


def test_what_works_by_itself_is_not_waited_for_and_forced_skills_are_even_if_frozen() -> None:
    stage = bai()
    put(stage, e.StageClosed(0), e.StageClosed(1))
    assert [stage.board.skill_ids[k] for k in stage.board.stages[2]] == ["ward"] and closes(stage.s)
    assert not closes(bai("day 1").s)


# --- setup's end --------------------------------------------------------------------------------------------------


def test_who_is_told_of_whom_when_setup_ends() -> None:
    stage = m205("day 1")
    told = [(v.seat, v.others, v.faction) for v in events(stage, e.Acquainted) if isinstance(v, e.Acquainted)]
    assert told == [(1, [2, 3], 0), (2, [1, 3], 0), (3, [1, 2], 0)]
    plain = Stage("vanilla", ["wolf"] * 2 + ["villager"] * 7)
    plain.until("night 0")
    assert [(v.seat, v.others) for v in events(plain, e.Acquainted) if isinstance(v, e.Acquainted)] == [(1, [2]), (2, [1])]
    known = [(v.seat, v.others) for v in events(bai("day 1"), e.Acquainted) if isinstance(v, e.Acquainted)]
    assert known == [(4, [5]), (5, [4]), (6, [7]), (7, [6]), (10, [11]), (11, [10])], "the folk do not know each other"
    shadow = Stage("baichibai", BAICHIBAI)
    shadow.act(12, heretics=[1, 2, 3, 4, 5, 6])
    shadow.act(13, possess=4)
    shadow.until("day 1")
    known = [(v.seat, v.others) for v in events(shadow, e.Acquainted) if isinstance(v, e.Acquainted)]
    assert known[:3] == [(4, [5, 13]), (5, [4, 13]), (13, [4, 5])]


def test_setups_choice_lapses_when_its_target_is_out_and_is_drawn_anew() -> None:
    stage = Stage("m205", M205)
    stage.act(10, kin=4)
    put(stage, e.Out(4, "red_card"))
    stage.until("day 1")
    assert events(stage, e.Lapsed) == [e.Lapsed(10, 0, "target_out")]
    (drawn,) = events(stage, e.Drawn)
    assert isinstance(drawn, e.Drawn) and 4 not in drawn.options and not silent(stage)


def test_each_skill_of_setup_is_carried_out() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.act(13, possess=2)
    stage.act(6, curse=4)
    stage.until("day 1")
    assert stage.s.host == {13: 2} and stage.s.seats(stage.s.heretics[12]) == [1, 2, 3, 4, 5, 6]
    assert stage.s.cursed == [(4, 2)] and not events(stage, e.Drawn)
    silent_crow = bai("day 1")
    assert silent_crow.s.cursed == [] and not events(silent_crow, e.Drawn)
