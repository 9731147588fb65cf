"""Votes and counts by hand-made states: who may, for whom, how ties and tallies come out (C16–C19, G6, G8, B6, M1)."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from bansha.referee import ballots
from bansha.referee import commands as c
from bansha.referee.board import ELECTION, EXILE
from bansha.referee.reading import Reading
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER
from bansha.referee.turn import Turn
from tests.support.scenes import told
from tests.support.stage import BAICHIBAI, M46, M205, Stage

STANDARD12 = ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"]
ROLES = MappingProxyType({"m205": M205, "m46": M46, "baichibai": BAICHIBAI, "standard12": STANDARD12})


def day(ruleset: str, number: int = 1, **options: str) -> Stage:
    stage = Stage(ruleset, ROLES[ruleset], options)
    stage.until(f"day {number}")
    return stage


def turn(stage: Stage) -> Turn:
    return Turn(stage.s, stage.now, stage.game.dice)


def closed(stage: Stage) -> list[str]:
    """What the exile's count says, as far as the exile itself."""
    t = turn(stage)
    ballots.exile(t)
    lines = [told(stage.board, event) for event in t.out]
    return lines[: next((i + 1 for i, line in enumerate(lines) if line.startswith("announced kind=放逐")), None)]


def elected(stage: Stage) -> list[str]:
    t = turn(stage)
    ballots.elect(t)
    return [told(stage.board, event) for event in t.out]


def refused(stage: Stage, command: c.Command) -> Refused:
    with pytest.raises(Refused) as refusal:
        stage.do(command)
    return refusal.value


# --- who may, for whom --------------------------------------------------------------------------------------------


def test_seats_at_both_ends_that_are_out_are_out_and_no_wrong_seats() -> None:
    stage = day("m205")
    for seat in (1, 10):
        stage.direct("out", seat)
    for seat in (1, 10):
        refusal = refused(stage, c.Vote(3, ELECTION, seat))
        assert str(refusal) == f"vote_out: {seat}号已经出局，不能被投；可投：2、3、4、5、6、7、8、9或弃权。"
        assert refusal.en == f"Seat {seat} is out; vote for 2、3、4、5、6、7、8、9 or 弃权."


def test_after_the_end_there_is_no_ballot() -> None:
    stage = day("m205")
    stage.s.phase = OVER
    assert refused(stage, c.Vote(1, ELECTION, 2)).code == "over"


def test_a_name_must_be_whole_and_alive_and_those_who_are_alive_are_named() -> None:
    stage = day("m205")
    stage.direct("out", 4)
    assert [ballots.named(stage.s, name) for name in ("弃权", "1号", "10号")] == [0, 1, 10]
    with pytest.raises(Refused) as refusal:
        ballots.named(stage.s, "1")
    assert refusal.value.zh.endswith("可投：1号、2号、3号、5号、6号、7号、8号、9号、10号。")
    with pytest.raises(Refused, match=r"^vote_out: "):
        ballots.named(stage.s, "4号")


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (Reading(label="vote", target="2号"), "vote_cast seat=1 ballot=1 target=2 ref=7 by=0"),
        (Reading(target="2号"), "vote_refused seat=1 ballot=1 ref=7 code=bad_format target=2号"),
        (Reading(label="vote", target="2号", fault="no_colon"), "vote_refused seat=1 ballot=1 ref=7 code=bad_format target=no_colon"),
        (Reading(label="vote", target=""), "vote_refused seat=1 ballot=1 ref=7 code=unknown_name target="),
    ],
)
def test_a_post_counts_only_when_it_has_a_label_and_no_fault(reading: Reading, said: str) -> None:
    stage = day("m205")
    t = turn(stage)
    ballots.read(t, c.Post(1, "election", 7, "", 0, reading), ELECTION)
    assert [told(stage.board, event) for event in t.out] == [said]


def test_first_votes_are_taken_until_the_close_changes_and_proxies_until_the_freeze() -> None:
    stage = day("m205")
    stage.vote({1: 2})
    stage.now = stage.s.closes_at - 61
    stage.do(c.Proxy(2, ELECTION, 3, 0, 2))
    assert told(stage.board, stage.game.entries[-1][4][0]) == "vote_cast seat=2 ballot=1 target=3 ref=0 by=2"
    stage.now += 1
    for command in (c.Change(1, ELECTION, 3), c.Proxy(3, ELECTION, 3)):
        refusal = refused(stage, command)
        assert str(refusal) == "freeze: 20:00起不能改票或代投；首次投票仍收到关门。"
        assert refusal.en == "No changes or proxy votes from 20:00 on; first votes until the close."
    stage.now += 59
    stage.vote({3: 0})
    assert told(stage.board, stage.game.entries[-1][4][0]) == "vote_cast seat=3 ballot=1 target=0 ref=0 by=0"


# --- counting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ruleset", "halves"), [("m205", 2), ("standard12", 3), ("m46", 4)])
def test_the_sheriffs_vote_in_halves_in_the_exile_only(ruleset: str, halves: int) -> None:
    stage = day(ruleset, 2)
    s = stage.s
    s.sheriff, s.sheriff_since = 5, 1
    stage.vote({5: 3, 6: 4, 7: 0})
    s.vote[ELECTION] = list(s.vote[EXILE])
    assert ballots.tally(s, EXILE) == {3: halves, 4: 2}
    assert ballots.tally(s, ELECTION) == {3: 2, 4: 2}


@pytest.mark.parametrize(("weight", "halves"), [("1", 2), ("2", 4)])
def test_one_elected_at_this_close_counts_as_the_option_says(weight: str, halves: int) -> None:
    stage = day("m46", sheriff_day1_weight=weight)
    stage.vote({5: 5}, ELECTION)
    stage.vote({5: 3}, EXILE)
    stage.until("night 1")
    assert stage.s.last_count[EXILE] == [(3, halves)]


def test_a_curse_is_added_for_the_living_only() -> None:
    stage = day("baichibai")
    stage.s.cursed = [(3, 2), (4, 1), (5, 1)]
    stage.s.alive &= ~(1 << 5)
    stage.vote({1: 3})
    assert ballots.tally(stage.s, EXILE) == {3: 6, 4: 2}


# --- the election -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "winner"),
    [
        ([(1, 3), (2, 4)], 3),
        ([(2, 4), (1, 3)], 4),
        ([(13, 3), (1, 4), (14, 3), (2, 4)], 3),
        ([(14, 4), (1, 3), (13, 4), (2, 3)], 4),
        ([(1, 3), (2, 4), (3, 4), (14, 3)], 4),
        ([(1, 3), (2, 4), (3, 4), (13, 3)], 4),
    ],
)
def test_g6_of_the_tied_the_one_that_had_them_first(order: list[tuple[int, int]], winner: int) -> None:
    stage = day("m46")
    for seat, target in order:
        stage.vote({seat: target}, ELECTION)
    assert elected(stage)[1:] == [f"sheriff_changed seat={winner} why=election lost=False", f"announced kind=警长 value={winner}"]


def test_m205_has_no_sheriff_after_a_tie_and_abstentions_elect_nobody() -> None:
    stage = day("m205")
    stage.vote({1: 3, 2: 4, 3: 0, 4: 0, 5: 0})
    assert elected(stage) == [
        "counted ballot=1 tally=[(3, 2) (4, 2)] top=[3 4]",
        "sheriff_changed seat=0 why=election lost=True",
        "announced kind=警长 value=none",
    ]


def test_a_red_carded_candidate_is_skipped() -> None:
    stage = day("m46")
    stage.vote({1: 9, 2: 9, 3: 4}, ELECTION)
    stage.do(c.Card(9, "red", "7.1"))
    assert elected(stage)[:2] == [
        "counted ballot=1 tally=[(4, 2) (9, 4)] top=[4]",
        "sheriff_changed seat=4 why=election lost=False",
    ]


# --- the exile ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("votes", "top"), [({1: 9, 2: 9, 3: 4}, "9"), ({1: 9, 2: 4}, "4 9"), ({1: 4, 2: 4, 3: 9}, "4")])
def test_g8_with_a_red_carded_one_at_the_top_nobody_is_exiled(votes: dict[int, int], top: str) -> None:
    stage = day("m46")
    stage.vote(votes, EXILE)
    stage.do(c.Card(9, "red", "7.1"))
    said = closed(stage)
    assert said[0].endswith(f"top=[{top}]")
    assert said[1:] == ["announced kind=放逐 value=4" if top == "4" else "announced kind=放逐 value=none"]


LOST = ["sheriff_changed seat=0 why=tie lost=True", "announced kind=警长 value=none"]


@pytest.mark.parametrize(
    ("vote", "scope", "out", "to"),
    [
        (3, "tied", 0, 3),
        (4, "tied", 0, 4),
        (0, "tied", 0, 0),
        (0, "literal", 0, 0),
        (-1, "literal", 0, 0),
        (9, "tied", 0, 0),
        (9, "literal", 0, 9),
        (9, "literal", 10, 9),
        (10, "literal", 0, 10),
    ],
)
def test_m1_the_sheriffs_vote_breaks_the_tie_and_the_badge_is_lost_in_any_case(vote: int, scope: str, out: int, to: int) -> None:
    stage = day("m205", 2, tie_break_scope=scope)
    s = stage.s
    s.sheriff, s.sheriff_since = 7, 1
    s.alive &= ~(1 << out)
    for seat, target in {1: 3, 2: 4, 5: 3 if vote == 4 else 4, 7: vote, 6: -1 if vote in (3, 4) else 3}.items():
        s.vote[EXILE][seat] = target
    assert closed(stage)[1:] == [f"tie_broken tied=[3 4] to={to} why=sheriff", *LOST, f"announced kind=放逐 value={to or 'none'}"]


def test_without_a_sheriff_or_where_the_rules_say_so_nobody_goes() -> None:
    for ruleset in ("m205", "m46", "standard12"):
        stage = day(ruleset, 2)
        stage.s.sheriff = 0 if ruleset == "m205" else 7
        stage.vote({1: 3, 2: 4})
        assert closed(stage)[1:] == ["tie_broken tied=[3 4] to=0 why=nobody", "announced kind=放逐 value=none"]


@pytest.mark.parametrize(
    ("exiled", "swap", "dead", "to"),
    [
        (2, "both", 0, 5), (5, "both", 0, 2), (2, "one_way", 0, 5), (5, "one_way", 0, 5), (2, "both", 5, 2), (6, "both", 0, 6),
        (2, "both", 1, 5),
    ],
)  # fmt: skip
def test_b6_the_exile_moves_to_the_other_one_if_alive(exiled: int, swap: str, dead: int, to: int) -> None:
    stage = day("baichibai", swap=swap)
    stage.s.swaps = [(11, 2, 5)]
    stage.s.alive &= ~(1 << dead)
    stage.vote({4: exiled})
    moved = [f"exile_moved seat={exiled} to={to} by=11"] if to != exiled else []
    assert closed(stage)[1:] == [*moved, f"announced kind=放逐 value={to}"]
