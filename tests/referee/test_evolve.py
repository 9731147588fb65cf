"""Each event changes exactly what it says, and undoing gives back exactly what stood before."""

from __future__ import annotations

from typing import Any

import pytest

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.evolve import evolve, evolve_all, next_clock
from bansha.referee.game import snapshot
from bansha.referee.refusals import Refused
from bansha.referee.state import FIELDS, Held, State
from tests.support.stage import BAICHIBAI, M46, M205, MONDAY, Stage

KIN, SHIELD, KILL, FEINT, VISION, ANTIDOTE, POISON, CHECK, HANDOVER = 0, 2, 3, 4, 5, 6, 7, 8, 9
PACK = 11  # of m205's ten seats
CLOSES = MONDAY + 720


def bits(*seats: int) -> int:
    return sum(1 << seat for seat in seats)


def held(**counters: Any) -> dict[str, Any]:
    fresh = {"spent": False, "used": 0, "last": 0, "last_night": -9, "night": -1, "stage": -1, "passed": False}
    return fresh | counters


def stage(phase: str = "day 1", ruleset: str = "m205", **options: str) -> Stage:
    made = Stage(ruleset, {"m205": M205, "m46": M46, "baichibai": BAICHIBAI}[ruleset], options)
    if phase != "setup":
        if ruleset == "m205":
            made.act(10, kin=4)
        made.until(phase)
    return made


def changed(s: State, *happened: e.Event, at: int = 0) -> dict[str, Any]:
    """What one entry with these events changes, where and when it stands apart."""
    before, twin = snapshot(s), s.copy()
    evolve_all(twin, at or s.now, happened)
    after = snapshot(twin)
    return {name: after[name] for name in after if after[name] != before[name] and name not in ("now", "undoable")}


def notices(s: State, holder: int, event: list[Any]) -> list[list[Any]]:
    return [[[s.now, event]] if number == holder else [] for number in range(len(s.hands))]


# --- one event, one change ----------------------------------------------------------------------------------------

BY_DAY: list[tuple[e.Event, dict[str, Any]]] = [
    (e.Committed("", "", "", {}, [], []), {}),
    (e.Voided(KILL, 1, SHIELD), {}),
    (e.Drawn("x", 7, [1, 2], [1]), {"draws": 7}),
    (e.HereticsChosen(2, [4, 5]), {"heretics": {2: bits(4, 5)}}),
    (e.DayMoved(CLOSES - 60, True, "speed_up"), {"closes_at": CLOSES - 60, "sped_up": True}),
    (e.HandoverKept(2, 5), {"kept_handover": {2: 5}}),
    (e.Postponed("警长", 3), {"postponed": [["警长", 3]]}),
    (e.PostMade(2, "discussion", 1, "", 0), {"posts": [0, 0, 1] + [0] * 8}),
    (e.PostMade(2, "ballot", 1, "", 0), {}),
    (e.Counted(1, [(2, 4), (3, 2)], [2]), {"last_count": [[], [[2, 4], [3, 2]]]}),
    (e.SheriffChanged(3, "election", False), {"sheriff": 3, "sheriff_since": 1, "elected": 3}),
    (e.SheriffChanged(3, "handover", False), {"sheriff": 3, "sheriff_since": 1}),
    (e.SheriffChanged(0, "torn", True), {"sheriff_since": 1, "badge_lost": True}),
    (e.ExileDue(4), {"exile_due": 4}),
    (e.ExileSettled(1), {"exiles_settled": 1}),
    (e.Signed(2, "extend"), {"sig": {"extend": bits(2)}}),
    (e.PetitionPassed("extend", 6, 10), {"passed_kinds": ["extend"]}),
    (e.SurrenderProposed(2, [1, 2, 3]), {"proposal": 2, "asked": bits(1, 2, 3), "agreed": bits(2)}),
    (e.SurrenderAnswered(3, True), {"agreed": bits(3)}),
    (e.SurrenderAnswered(3, False), {}),
    (e.SurrenderEnded("declined"), {"declined": True}),
    (e.SurrenderEnded("agreed"), {}),
    (e.FactionLost(1, "x"), {"lost": [1]}),
    (e.LastWordsHanded(4, ""), {"last_given": [4]}),
    (e.Submitted(8, CHECK, [3], 8), {"pending": {(8, CHECK): [[3], 8]}, "answered": bits(8)}),
    (e.Submitted(PACK, KILL, None, 2), {"pending": {(PACK, KILL): [None, 2]}, "answered": bits(PACK)}),
    (e.Marked(9, SHIELD, 4), {"marks": {SHIELD: bits(4)}}),
    (e.Struck(PACK, KILL, 4), {"strikes": [[4, KILL, PACK]]}),
    (e.Charmed(4), {"charmed": bits(4)}),
    (e.ShieldOrdered(SHIELD), {"ordered": 1 << SHIELD}),
    (e.Froze(4), {"frozen": bits(4)}),
    (e.Doomed(4), {"doomed": bits(4)}),
    (e.Cursed(4, 2), {"cursed": [[4, 2]]}),
    (e.Swapped(5, 1, 2), {"swaps": [[5, 1, 2]]}),
    (e.DenJoined(1, 4, CHECK), {"den_of": {0: 0, 1000 + CHECK: 1}, "dens": [bits(1, 2, 3), bits(4)]}),
    (e.DenJoined(3, 4, CHECK), {"den_of": {0: 0, 1000 + CHECK: 3}, "dens": [bits(1, 2, 3), 0, 0, bits(4)]}),
    (e.RedPending(4), {"red_pending": [4], "red_today": bits(4)}),
    (e.Substituted(4), {"substituted": {4: 1}}),
    (e.AssistantGiven(4), {"assistants": bits(4)}),
    (e.QuietDays([0, 3]), {"quiet": [0, 3]}),
    (e.Paused(), {"paused_at": MONDAY}),
    (e.HoldSet(True), {"hold": True}),
    (e.OutageRecorded(1, 2), {"outage": True}),
]


@pytest.mark.parametrize(("event", "change"), BY_DAY, ids=lambda value: str(value)[:40])
def test_an_event_by_day_changes_this_and_no_more(event: e.Event, change: dict[str, Any]) -> None:
    assert changed(stage().s, event) == change


def test_signatures_charms_and_marks_add_up() -> None:
    s = stage().s
    assert changed(s, e.Signed(2, "extend"), e.Signed(4, "extend"))["sig"] == {"extend": bits(2, 4)}
    assert changed(s, e.Charmed(2), e.Charmed(3), e.Charmed(2))["charmed"] == bits(2, 3)
    assert changed(s, e.Marked(9, SHIELD, 4), e.Marked(9, SHIELD, 5), e.Marked(8, SHIELD, 5))["marks"] == {SHIELD: bits(4, 5)}
    assert changed(s, e.Substituted(4), e.Substituted(4))["substituted"] == {4: 2}
    assert changed(s, e.AssistantGiven(4), e.AssistantGiven(4), e.AssistantGiven(1))["assistants"] == bits(1, 4)
    assert changed(s, e.PostMade(2, "discussion", 1, "", 0), e.PostMade(2, "discussion", 2, "", 0))["posts"][2] == 2
    assert changed(s, e.Froze(4), e.Froze(5))["frozen"] == bits(4, 5)
    assert changed(s, e.Doomed(4), e.Doomed(5), e.Doomed(5))["doomed"] == bits(4, 5)
    assert changed(s, e.ShieldOrdered(1), e.ShieldOrdered(2))["ordered"] == 0b110
    assert changed(s, e.SurrenderProposed(2, [1, 2]), e.SurrenderEnded("lapsed")) == {}
    assert changed(s, e.SurrenderProposed(2, [1, 2, 3]), e.SurrenderAnswered(1, True))["agreed"] == bits(1, 2)


def test_who_joins_has_a_host_and_with_the_den_a_den() -> None:
    s = stage("setup").s
    alone = changed(s, e.Joined(10, KIN, 1, 0, False))
    assert alone["faction"][10] == 0 and alone["faction_mask"][0] == bits(1, 2, 3, 10) and alone["host"] == {10: 1}
    assert "dens" not in alone
    assert changed(s, e.Joined(10, KIN, 1, 0, True))["dens"] == [bits(1, 2, 3, 10)]
    denless = changed(s, e.Joined(10, KIN, 4, 1, True))
    assert denless["faction_mask"] == [bits(1, 2, 3), bits(4, 5, 6, 7, 8, 9, 10)] and "dens" not in denless


def test_who_is_told_of_others_knows_each_with_the_faction() -> None:
    s = stage("setup").s
    assert changed(s, e.Acquainted(2, [1, 3], 0), e.Acquainted(2, [10], 0))["knows"][2] == [[1, 0], [3, 0], [10, 0]]


def test_what_is_said_is_logged_with_its_minute() -> None:
    s = stage().s
    told = e.Told(8, CHECK, True)
    assert changed(s, told, at=MONDAY + 5)["told"][8] == [[MONDAY + 5, ["told", 8, CHECK, True, False], 1]]
    proposed = e.CardProposed(4, "blue", "消极", "posts")
    assert changed(s, proposed)["proposed_log"] == [[MONDAY, ["card_proposed", 4, "blue", "消极", "posts"]]]
    assert changed(s, e.Flagged(4, "消极", "x", 1))["flag_log"] == [[MONDAY, ["flagged", 4, "消极", "x", 1]]]
    announced = changed(s, e.Announced("警长", 3))
    assert announced["announced"][-1] == [MONDAY, ["announced", "警长", 3]] and announced["public_sheriff"] == 3
    assert "public_sheriff" not in changed(s, e.Announced("放逐", 3))
    assert "public_sheriff" not in changed(s, e.Announced("警长", 3), e.Announced("警长", "none"))


@pytest.mark.parametrize(
    "event",
    [e.Lapsed(7, CHECK, "target_out"), e.Withdrawn(7, CHECK), e.ChoiceVoided(7, CHECK), e.Stopped(7, CHECK)],
    ids=lambda event: type(event).__name__,
)
def test_a_choice_that_goes_is_gone_and_its_holder_told(event: e.Event) -> None:
    made = stage()
    made.act(7, check=3)
    made.act(1, kill=4)
    change = changed(made.s, event)
    assert change.pop("notices") and change.pop("pending") == {(PACK, KILL): [[4], 1]}
    assert change == {}
    twin = made.s.copy()
    evolve(twin, event)
    assert twin.notices[7] == [(MONDAY, event)] and not any(twin.notices[:7] + twin.notices[8:])
    evolve(twin, event)  # nothing kept any more: no error, told again
    assert len(twin.notices[7]) == 2


def test_a_refused_vote_is_told_to_its_voter() -> None:
    s = stage().s
    event = e.VoteRefused(4, 1, 9, "no_target", "谁")
    assert changed(s, event) == {"notices": notices(s, 4, ["vote_refused", 4, 1, 9, "no_target", "谁"])}


def test_a_used_skill_counts_its_targets_and_a_limited_one_is_spent() -> None:
    s = stage().s
    after = changed(s, e.Used(9, SHIELD, [4]), e.Used(9, SHIELD, [5]))["hands"][9]
    assert after[SHIELD] == held(used=bits(4, 5), last=bits(5), last_night=1)
    witch = changed(s, e.Used(8, POISON, [1]), e.Used(8, ANTIDOTE, []))["hands"][8]
    assert witch[POISON] == held(used=bits(1), last=bits(1), last_night=1, spent=True)
    assert witch[ANTIDOTE] == held(last_night=1, spent=True)
    assert changed(s, e.Used(4, POISON, [1])) == {}


def test_a_skill_comes_with_its_counters_or_fresh() -> None:
    s = stage().s
    gained = changed(s, e.SkillGained(4, CHECK, "x", 2, 3, []))
    assert set(gained) == {"hands"} and gained["hands"][4] == {CHECK: held(night=2, stage=3)}
    counted = changed(s, e.SkillGained(4, CHECK, "x", -1, -1, [1, 6, 4, 1, 0]))["hands"][4][CHECK]
    assert counted == held(spent=True, used=6, last=4, last_night=1)
    passed = changed(s, e.SkillGained(4, CHECK, "x", -1, -1, [0, 0, 0, -9, 1]))["hands"][4][CHECK]
    assert passed == held(passed=True)


def test_a_skill_lost_fades_only_for_one_out_and_not_told_so() -> None:
    made = stage("night 1")
    lost = e.SkillLost(7, CHECK, "x")
    assert CHECK not in changed(made.s, lost)["hands"][7] and "faded" not in changed(made.s, lost)
    assert changed(made.s, e.Out(7, "kill"), lost)["faded"] == {7: [[CHECK, held()]]}
    assert "faded" not in changed(made.s, e.Out(7, "director"), lost)
    assert "faded" not in changed(made.s, e.Out(7, "kill"), lost, e.ToldOut([7]))
    assert changed(made.s, e.SkillLost(PACK, KILL, "x"), e.SkillLost(4, KILL, "x")).get("faded") is None
    two = changed(made.s, e.Out(8, "kill"), e.SkillLost(8, POISON, "x"), e.SkillLost(8, ANTIDOTE, "x"))["faded"]
    assert [skill for skill, _ in two[8]] == [POISON, ANTIDOTE]


def test_an_order_voids_passes_of_that_skill_alone() -> None:
    made = stage()
    made.act(9, shield=None)
    made.act(7, check=None)
    assert changed(made.s, e.ShieldOrdered(SHIELD)) == {"ordered": 1 << SHIELD, "answered": bits(7)}
    made.act(9, shield=4)
    assert changed(made.s, e.ShieldOrdered(SHIELD)) == {"ordered": 1 << SHIELD}


def test_the_verbs_of_bai_chi_bai_leave_their_own_marks() -> None:
    s = stage("day 1", "baichibai").s
    number = s.board.skill_index
    torch, ward, counter = number["torch"], number["ward"], number["counter"]
    assert changed(s, e.Marked(5, torch, 3)) == {"marks": {torch: bits(3)}, "torches": [[5, 3]]}
    assert changed(s, e.Marked(12, ward, 12)) == {"marks": {ward: bits(12)}, "wards": bits(12)}
    assert changed(s, e.Marked(8, counter, 3)) == {"marks": {counter: bits(3)}, "counter_of": {8: 3}}
    shoot = number["shoot"]
    play_dumb = number["play_dumb"]
    stayed = changed(s, e.ExileDue(3), e.Stayed(3, play_dumb))
    skill = s.board.skills[play_dumb]
    assert stayed.pop("no_vote", 0) == (bits(3) if skill.raw.ends_vote else 0)
    assert stayed == {"double_night": {skill.doubles: 1}} and skill.doubles == shoot


# --- outs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "cause", "public"),
    [
        ("day 1", "exile", True), ("day 1", "red_card", True), ("day 1", "director", True),
        ("night 1", "kill", False), ("night 1", "red_card", True), ("night 1", "director", False),
    ],
)  # fmt: skip
def test_an_out_by_day_is_public_at_once_one_at_night_is_not(phase: str, cause: str, public: bool) -> None:
    s = stage(phase).s
    change = changed(s, e.Out(4, cause), at=s.now + 7)
    assert change["alive"] == s.alive & ~bits(4) and change["out_order"] == change["out_since"] == [4]
    assert change["cause"] == {4: cause} and change["out_at"] == {4: s.now + 7}
    assert change.get("public_alive") == (s.public_alive & ~bits(4) if public else None)
    told = public or cause == "director"
    midnight = s.now - s.now % 1440 + 1440
    assert change.get("told_out") == (bits(4) if told else None)
    assert change.get("last_due") == ({4: midnight} if told else None)
    assert change.get("red_today") == (bits(4) if (phase, cause) == ("day 1", "red_card") else None)


def test_last_words_are_due_at_midnight_or_an_hour_after_being_told() -> None:
    s = stage("night 1").s
    late = s.now - s.now % 1440 + 1430
    assert changed(s, e.Out(4, "kill"), e.ToldOut([4]), at=late)["last_due"] == {4: late + 60}
    opening = stage("night 1", last_words_until="opening").s
    assert changed(opening, e.Out(4, "kill"), e.ToldOut([4]))["last_due"] == {4: -2}


def test_once_the_night_is_told_an_out_is_told_at_once() -> None:
    s = stage("night 1").s
    change = changed(s, e.Out(4, "kill"), e.ToldOut([4]), e.Out(5, "last_shot"))
    assert change["told_out"] == bits(4, 5) and change["night_told"] and set(change["last_due"]) == {4, 5}


def test_a_restored_seat_is_as_if_it_had_not_been_out() -> None:
    s = stage().s
    out = [e.Out(4, "red_card"), e.LastWordsHanded(4, "")]
    assert changed(s, *out, e.Restored(4)) == {}
    two = changed(s, e.Out(5, "exile"), *out, e.Awaited(4, 0), e.Awaited(5, 0), e.Restored(4))
    assert two == changed(s, e.Out(5, "exile"), e.Awaited(5, 0))
    assert changed(s, e.Out(10, "exile"), e.SkillLost(10, KIN, "x")).get("faded") is None
    asked = [*out, e.Awaited(4, 0), e.PromptOpened(4, HANDOVER, MONDAY + 10)]
    gone = changed(s, *asked, e.Restored(4))
    assert "prompt" not in gone and gone.pop("joint") == {4: MONDAY + 10} and gone == {}
    assert changed(s, *asked, e.Out(5, "exile"), e.Restored(5))["prompt"]["seat"] == 4


def test_the_end_lays_open_who_is_out() -> None:
    s = stage("night 1").s
    change = changed(s, e.Out(4, "kill"), e.Awaited(4, 0), e.PromptOpened(4, HANDOVER, s.now + 9), e.GameEnded(1, "x"))
    assert change["phase"] == 5 and change["winner"] == 1 and "prompt" not in change and "awaiting" not in change
    assert change["public_alive"] == s.alive & ~bits(4) and change["told_out"] == bits(4)


# --- the course of the game ---------------------------------------------------------------------------------------


def test_the_next_nine_o_clock_is_strictly_later() -> None:
    assert next_clock(0, 540) == 540
    assert next_clock(539, 540) == 540
    assert next_clock(540, 540) == 540 + 1440
    assert next_clock(541, 540) == 540 + 1440
    assert next_clock(1440 * 3 + 1439, 0) == 1440 * 4


def test_a_day_begins_fresh() -> None:
    made = stage()
    made.vote({1: 2, 2: 3}, 1)
    made.do(c.Change(1, 1, 4))
    made.direct("void_vote", [2, 1])
    made.post(3, "discussion", "大家好")
    made.do(c.Sign(1, "extend"))
    s = made.s.copy()
    s.exile_due, s.red_today, s.passed_kinds, s.handed = 3, 8, {"extend"}, {(8, CHECK): (None, 8)}
    s.out_since, s.postponed, s.sped_up, s.declined = [3], [("警长", 3)], True, True
    s.alive &= ~bits(3)
    evolve_all(s, s.now + 1440, [e.DayOpened(2, s.now + 2000, False)])
    assert (s.phase, s.day, s.opened_at, s.closes_at) == (1, 2, made.s.now + 1440, made.s.now + 2000)
    assert s.public_alive == s.alive and s.ballots == (0,)
    assert s.vote == [[-1] * 11, [-1] * 11] and s.vote_ref == s.vote_seq == [[0] * 11, [0] * 11]
    assert s.changed == s.voided == [0, 0] and s.posts == [0] * 11
    empty = (s.changes, s.sig, s.passed_kinds, s.handed, s.out_since, s.postponed, s.undoable)
    assert not any(empty) and (s.seq, s.red_today, s.exile_due) == (0, 0, 0)
    assert not s.sped_up and not s.declined
    assert s.vote[0] is not s.vote[1] and s.vote_ref[0] is not s.vote_ref[1] and s.vote_seq[0] is not s.vote_seq[1]


def test_the_first_day_has_its_own_ballots() -> None:
    s = stage("setup").s
    assert changed(s, e.SetupEnded(False), e.DayOpened(1, CLOSES, False))["ballots"] == [1]


def test_setup_ends_with_nothing_kept() -> None:
    made = stage("setup")
    made.act(10, kin=4)
    assert changed(made.s, e.SetupEnded(False)) == {"pending": {}, "answered": 0}
    night = changed(made.s, e.SetupEnded(True))
    assert night["phase"] == 3 and night["night_from"] == made.s.now and len(night["limits"]) == 5


def test_a_night_begins_fresh_with_windows_from_the_close() -> None:
    s = stage().s
    mess = (
        e.Marked(9, SHIELD, 4), e.Struck(PACK, KILL, 4), e.Froze(4), e.Doomed(4), e.ShieldOrdered(2), e.HandoverKept(2, 5),
        e.Stopped(8, CHECK),
    )  # fmt: skip
    dirty = s.copy()
    evolve_all(dirty, s.now, mess)
    dirty.stage, dirty.joint, dirty.charm_hold, dirty.torches, dirty.wards = 3, {2: 5}, True, [(1, 2)], 4
    dirty.counter_of = {1: 2}
    evolve_all(dirty, CLOSES, [e.DayClosed(1)])
    assert dirty.phase == 2 and dirty.night_from == dirty.entered == dirty.dusk_end == CLOSES
    assert dirty.limits == [CLOSES + 30] * 3 + [CLOSES + 60] * 2 and dirty.full_at == CLOSES + 60
    assert dirty.opens_at == MONDAY + 1440
    empty = (
        dirty.stage, dirty.settled, dirty.night_told, dirty.marks, dirty.torches, dirty.wards, dirty.strikes, dirty.counter_of,
        dirty.frozen, dirty.doomed, dirty.ordered, dirty.charm_hold, dirty.joint, dirty.kept_handover,
    )  # fmt: skip
    assert not any(empty)


@pytest.mark.parametrize(("closed", "opens"), [(7 * 60 + 59, 9 * 60), (8 * 60, 9 * 60), (8 * 60 + 1, 33 * 60), (9 * 60, 33 * 60)])
def test_the_opening_leaves_the_night_its_windows(closed: int, opens: int) -> None:
    s = stage().s.copy()
    midnight = MONDAY - MONDAY % 1440 + 1440
    evolve_all(s, midnight + closed, [e.DayClosed(1)])
    assert s.opens_at == midnight + opens


def test_stages_follow_each_other() -> None:
    s = stage("night 1").s
    change = changed(s, e.StageClosed(1), at=s.now + 12)
    assert change == {"stage": 2, "entered": s.now + 12}
    assert changed(s, e.StageTimed(3, 77))["limits"][3] == 77


@pytest.mark.parametrize(("option", "stage_number", "holds"), [("settlement", 1, True), ("settlement", 0, False), ("stage", 1, False)])
def test_charms_wait_for_the_settlement_by_option(option: str, stage_number: int, holds: bool) -> None:
    s = stage("night 0", "m46", charm_check=option).s
    assert changed(s, e.StageClosed(stage_number)).get("charm_hold", False) is holds


def test_a_settled_night_hands_its_choices_on() -> None:
    made = stage("night 1")
    made.act(7, check=3)
    change = changed(made.s, e.OutageRecorded(1, 2), e.NightSettled(1))
    assert change == {"settled": True, "handed": {(7, CHECK): [[3], 7]}, "pending": {}, "answered": 0}


def test_prompts_wait_by_line_then_by_order_of_out() -> None:
    s = stage("night 1").s
    out = [e.Out(5, "kill"), e.Out(4, "kill"), e.Awaited(4, 0), e.Awaited(5, 0), e.Awaited(6, 0)]
    assert changed(s, *out)["awaiting"] == [[0, -1, 6], [0, 0, 5], [0, 1, 4]]
    assert changed(s, *out, e.Consequence(5, 0))["awaiting"] == [[0, -1, 6], [0, 1, 4]]
    assert len(changed(s, *out, e.Consequence(5, 1))["awaiting"]) == 3
    asked = changed(s, *out, e.PromptOpened(6, HANDOVER, s.now + 10))
    assert asked["prompt"] == {"line": 0, "opened": s.now, "seat": 6, "skill": HANDOVER, "until": s.now + 10}
    assert asked["phase"] == 4 and asked["joint"] == {6: s.now + 10}
    again = changed(s, *out, e.PromptOpened(6, HANDOVER, s.now + 10), e.PromptAnswered(6, 9, 1, False), e.PromptOpened(6, 9, 5))
    assert again["joint"] == {6: s.now + 10} and again["prompt"]["until"] == 5
    dusk = s.copy()
    dusk.phase = 2
    assert "phase" not in changed(dusk, *out, e.PromptOpened(6, HANDOVER, s.now + 10))


def test_dusk_ends_into_the_night_and_is_remembered() -> None:
    s = stage().s.copy()
    evolve_all(s, CLOSES, [e.DayClosed(1)])
    assert changed(s, e.TwilightEnded(False), at=CLOSES + 9) == {"phase": 3, "dusk_end": CLOSES + 9}
    assert changed(s, e.TwilightEnded(True), at=CLOSES + 9) == {"phase": 3}


def test_the_settled_exile_clears_what_waited_for_it() -> None:
    s = stage().s
    waiting = [e.Cursed(4, 2), e.Swapped(5, 1, 2), e.RedPending(4), e.ExileDue(4)]
    assert changed(s, *waiting, e.ExileSettled(1)) == {"exiles_settled": 1, "red_today": bits(4)}
    kept = changed(s, *waiting, e.RedsSettled())
    assert "red_pending" not in kept and kept["cursed"] == [[4, 2]]


# --- cards --------------------------------------------------------------------------------------------------------


def test_the_latest_such_card_is_withdrawn() -> None:
    s = stage().s
    dealt = [e.CardDealt(4, "blue", "a"), e.CardDealt(4, "blue", "b"), e.CardDealt(4, "blue", "a")]
    assert changed(s, *dealt)["card_list"][4] == [["blue", "a"], ["blue", "b"], ["blue", "a"]]
    left = changed(s, *dealt, e.CardWithdrawn(4, "blue", "a"))
    assert left["card_list"][4] == [["blue", "a"], ["blue", "b"]]
    assert "reds_dealt" not in left
    assert changed(s, *dealt[:1], e.CardWithdrawn(4, "blue", "a")) == {}
    assert changed(s, *dealt[:1], e.CardWithdrawn(4, "yellow", "a")) == changed(s, *dealt[:1])


def test_a_red_or_what_converts_to_one_counts_as_dealt() -> None:
    s = stage().s
    assert changed(s, e.CardDealt(4, "red", "a"))["reds_dealt"]
    assert changed(s, *[e.CardDealt(4, "yellow", "a")] * s.board.rules.cards.yellow_per_red)["reds_dealt"]


def test_a_card_on_one_out_unknown_to_the_public_tells_it() -> None:
    s = stage("night 1").s
    hidden = [e.Out(4, "kill"), e.Out(10, "kill")]
    assert "public_alive" not in changed(s, *hidden)
    assert changed(s, *hidden, e.CardDealt(4, "red", "a"))["public_alive"] == s.alive & ~bits(4)
    assert "public_alive" not in changed(s, *hidden, e.CardDealt(5, "red", "a")), "the living stay"


# --- limits, pauses -----------------------------------------------------------------------------------------------


def test_a_moved_limit_moves_this_limit_alone() -> None:
    setup = stage("setup").s
    assert changed(setup, e.LimitMoved("setup", 0, 0, 77)) == {"setup_ends": 77}
    day = stage().s
    assert changed(day, e.LimitMoved("day", 0, 0, 77)) == {"closes_at": 77}
    assert changed(day, e.LimitMoved("prompt", 0, 0, 77)) == {}
    night = stage("night 1").s
    at = night.night_from
    later = changed(night, e.LimitMoved("stage", 1, 2, at + 45))
    assert later == {"limits": [at + 30, at + 45, at + 45, at + 60, at + 60]}
    last = changed(night, e.LimitMoved("stage", 0, 2, at + 90))
    assert last == {"limits": [at + 90] * 5, "full_at": at + 90}
    sooner = changed(night, e.LimitMoved("stage", 3, 4, at + 40))
    assert sooner == {"limits": [at + 30] * 3 + [at + 40] * 2}
    asked = [e.Out(4, "kill"), e.Awaited(4, 0), e.PromptOpened(4, HANDOVER, at + 10)]
    assert changed(night, *asked, e.LimitMoved("prompt", 0, 0, at + 20))["prompt"]["until"] == at + 20


def test_going_on_moves_what_is_open() -> None:
    on = e.Resumed(15, 1, 2)
    setup = stage("setup").s
    assert changed(setup, e.Paused(), on)["setup_ends"] == setup.setup_ends + 15
    day = stage().s
    assert changed(day, e.Paused(), on) == {"closes_at": 1, "opens_at": 2}
    night = stage("night 1").s
    night.stage, at = 1, night.night_from
    shifted = {"closes_at": 1, "opens_at": 2, "limits": [at + 30, at + 45, at + 45, at + 75, at + 75], "full_at": at + 75}
    assert changed(night, e.Paused(), on) == shifted
    asked = [e.Out(4, "kill"), e.Awaited(4, 0), e.NightSettled(1), e.PromptOpened(4, HANDOVER, at + 10)]
    dawn = changed(night, *asked, e.Paused(), on)
    assert dawn["prompt"]["until"] == at + 25 and "limits" not in dawn and "full_at" not in dawn


# --- undo ---------------------------------------------------------------------------------------------------------

TOLD_OF_UNDO = ("now", "undoable", "notices", "seq")


def undone(made: Stage, *, told: int = 0) -> None:
    """The last entry is taken back; `told` alone hears of it (0: nobody)."""
    before = [len(heard) for heard in made.s.notices]
    made.direct("undo", True)
    assert made.s.undoable == []
    heard = [holder for holder, heard in enumerate(made.s.notices) if len(heard) > before[holder]]
    assert heard == ([told] if told else [])


def kept(s: State) -> dict[str, Any]:
    return {name: value for name, value in snapshot(s).items() if name not in TOLD_OF_UNDO}


def test_undo_of_votes() -> None:
    made = stage()
    before = kept(made.s)
    made.vote({2: 3}, 1)
    undone(made, told=2)
    after = kept(made.s)
    assert after.pop("changes") == {(1, 2): 0} and before.pop("changes") == {} and after == before
    made.post(2, "election", "投票对象：3号\n投票理由：")
    before = kept(made.s)
    made.do(c.Change(2, 1, 4, 9))
    assert (made.s.vote[1][2], made.s.vote_ref[1][2], made.s.changed[1]) == (4, 9, bits(2))
    undone(made, told=2)
    assert kept(made.s) == before and made.s.vote[1][2] == 3 and made.s.vote_ref[1][2] == 1
    made.do(c.Change(2, 1, 5))
    before = kept(made.s)
    made.direct("void_vote", [2, 1])
    assert (made.s.vote[1][2], made.s.vote_ref[1][2], made.s.voided[1]) == (-1, 0, bits(2))
    assert made.s.changes == {(1, 2): 1} and isinstance(made.s.notices[2][-1][1], e.VoteVoided)
    undone(made, told=2)
    assert kept(made.s) == before and made.s.changed[1] == bits(2)
    made.direct("void_vote", [2, 1])
    before = kept(made.s)
    made.vote({2: 6}, 1)
    undone(made, told=2)
    assert kept(made.s) == before and made.s.voided[1] == bits(2)


def test_the_order_of_votes_is_given_back() -> None:
    made = stage()
    made.vote({2: 3, 4: 3}, 1)
    assert [made.s.vote_seq[1][seat] for seat in (2, 4)] == [1, 2]
    made.do(c.Change(2, 1, 5))
    assert made.s.vote_seq[1][2] == 3
    made.direct("undo", True)
    assert made.s.vote_seq[1][2] == 1


def test_undo_of_choices() -> None:
    made = stage()
    before = kept(made.s)
    made.act(7, check=3)
    undone(made, told=7)
    assert kept(made.s) == before
    made.act(7, check=3)
    before = kept(made.s)
    made.act(7, check=5)
    undone(made, told=7)
    assert kept(made.s) == before
    made.act(7, check=None)
    before = kept(made.s)
    made.act(7, check=5)
    undone(made, told=7)
    assert kept(made.s) == before and made.s.pending[7, CHECK] == (None, 7)
    made.act(2, kill=5)
    before = kept(made.s)
    made.act(3, kill=6, feint=1)
    undone(made, told=PACK)
    assert kept(made.s) == before
    made.direct("void_act", [2, KILL])
    assert (PACK, KILL) not in made.s.pending
    undone(made, told=PACK)
    assert kept(made.s) == before


def test_undo_of_an_excluding_choice_brings_the_excluded_back() -> None:
    made = stage()
    made.act(8, antidote=4)
    before = kept(made.s)
    made.act(8, poison=5)
    assert set(made.s.pending) == {(8, POISON)}
    undone(made, told=8)
    assert kept(made.s) == before and made.s.pending == {(8, ANTIDOTE): ((4,), 8)}


def test_undo_of_cards_days_limits_holds_and_losses() -> None:
    made = stage()
    made.do(c.Card(4, "blue", "贬低"))
    for act in (
        lambda: made.do(c.Card(4, "blue", "贬低")),
        lambda: made.do(c.Uncard(4, "blue", "贬低")),
        lambda: made.direct("speed_up", True),
        lambda: made.direct("extend", True),
        lambda: made.direct("deadline", CLOSES - 60),
        lambda: made.direct("hold", True),
    ):
        before = kept(made.s)
        act()
        assert kept(made.s) != before
        undone(made)
        announced = kept(made.s)
        announced["announced"] = before["announced"]
        assert announced == before
    made.direct("hold", True)
    before = kept(made.s)
    made.direct("hold", False)
    undone(made)
    assert kept(made.s) == before and made.s.hold


def test_undo_of_a_moved_night_or_setup_limit() -> None:
    for phase in ("setup", "night 1"):
        made = stage(phase)
        before = kept(made.s)
        made.direct("deadline", made.s.now + 400)
        assert kept(made.s) != before
        undone(made)
        assert kept(made.s) == before


def test_undo_of_a_lost_faction() -> None:
    made = Stage("m46", M46)
    made.act(6, revenge=7)
    made.until("day 1")
    before = kept(made.s)
    made.direct("lose", 2)
    assert made.s.lost == [2]
    undone(made)
    assert kept(made.s) == before and made.s.lost == []


def test_what_was_told_drawn_or_settled_bars_the_undo() -> None:
    made = stage()
    made.act(7, check=3)
    for events in (
        [e.Told(7, CHECK, True)], [e.Drawn("x", 1, [], [])], [e.Out(4, "exile")], [e.Paused()], [e.OutageRecorded(1, 2)],
        [e.HoldSet(True), e.Used(7, CHECK, [3])], [e.Used(7, CHECK, [3]), e.HoldSet(True)], [e.DayClosed(1)], [e.RedPending(4)],
        [e.StageClosed(0)], [e.NightSettled(1)], [e.PromptAnswered(4, 9, 1, False)], [e.SetupEnded(False)], [e.GameEnded(0, "x")],
        [e.Restored(4)], [e.Paused(), e.Resumed(0, 0, 0)],
    ):  # fmt: skip
        twin = made.s.copy()
        if isinstance(events[0], e.Restored):
            evolve(twin, e.Out(4, "exile"))
        evolve_all(twin, twin.now, events)
        assert twin.undoable == [], events
    twin = made.s.copy()
    evolve_all(twin, twin.now, [e.PostMade(1, "discussion", 1, "", 0)])
    assert len(twin.undoable) == 1, "what cannot be undone does not stand in the way"
    evolve_all(twin, twin.now, [e.HoldSet(True), e.CardDealt(4, "blue", "a")])
    assert [record[0] for record in twin.undoable] == ["hold", "card"]


def test_undo_of_a_moved_prompt() -> None:
    s = stage("night 1").s
    evolve_all(s, s.now, [e.Out(4, "kill"), e.Awaited(4, 0), e.PromptOpened(4, HANDOVER, 500)])
    before = kept(s)
    evolve_all(s, s.now, [e.LimitMoved("prompt", 0, 0, 900)])
    assert s.prompt is not None and s.prompt.until == 900
    evolve_all(s, s.now, [e.Undone([list(record) for record in s.undoable])])
    assert kept(s) == before and s.prompt is not None and s.prompt.until == 500


def test_nothing_to_undo_twice() -> None:
    made = stage()
    made.vote({2: 3}, 1)
    made.direct("undo", True)
    with pytest.raises(Refused, match="nothing_to_undo"):
        made.direct("undo", True)


# --- the state ----------------------------------------------------------------------------------------------------


def test_a_copy_shares_nothing_that_changes() -> None:
    made = stage("night 1")
    made.act(7, check=3)
    s = made.s
    evolve_all(s, s.now, [e.Out(4, "kill"), e.SkillLost(4, KILL, "x"), e.Awaited(4, 0), e.PromptOpened(4, HANDOVER, 5)])
    s.faded = {4: [(KILL, Held())]}
    before, twin = snapshot(s), s.copy()
    assert snapshot(twin) == before
    for name in FIELDS:
        ours, theirs = getattr(s, name), getattr(twin, name)
        if isinstance(ours, (list, dict, set)):
            assert ours is not theirs, name
        if isinstance(ours, list):
            for mine, other in zip(ours, theirs, strict=True):
                assert mine is not other or not isinstance(mine, (list, dict, set)), name
    assert twin.prompt is not s.prompt and twin.board is s.board
    assert all(twin.hands[h][k] is not s.hands[h][k] for h in range(len(s.hands)) for k in s.hands[h])
    evolve(twin, e.Used(8, POISON, [1]))
    evolve(twin, e.LimitMoved("prompt", 0, 0, 99))
    assert snapshot(s) == before


def test_cards_convert_upwards() -> None:
    s = stage().s
    cards = s.board.rules.cards
    s.card_list[4] = [("blue", "a")] * (cards.blue_per_yellow + 1)
    assert s.cards_of(4) == (1, 1, 0) and s.had_yellow(4)
    s.card_list[4] = [("blue", "a")]
    assert s.cards_of(4) == (1, 0, 0) and not s.had_yellow(4)
    s.card_list[4] = [("yellow", "a")] * (cards.yellow_per_red + 1)
    assert s.cards_of(4) == (0, 1, 1) and s.had_yellow(4)
    s.card_list[4] = [("red", "a"), ("yellow", "a")]
    assert s.cards_of(4) == (0, 1, 1)


def test_whom_a_number_means() -> None:
    s = stage().s
    assert s.packs_of(1) == [PACK] and s.packs_of(4) == []
    assert s.members(PACK) == s.pack_mask(0) == bits(1, 2, 3) and s.members(10) == bits(10)
    assert s.seats(bits(1, 10)) == [1, 10] and s.night_number() == 1
    assert [stage(phase).s.phase_name() for phase in ("setup", "day 1", "night 1")] == ["setup", "day 1", "night 1"]


def test_last_words_go_by_the_order_of_out() -> None:
    s = stage().s
    count = s.board.rules.last_words.count
    evolve_all(s, s.now, [e.Out(6, "red_card"), *[e.Out(seat, "kill") for seat in (5, 2, 4, 8, 9)][: count + 1]])
    assert s.entitled() == [5, 2, 4, 8, 9][:count]
