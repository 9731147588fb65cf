"""A game that has just been dealt, and what can be asked of a state."""

from __future__ import annotations

from bansha.referee.game import snapshot
from bansha.referee.state import NONE, OVER, State, seats_of
from tests.support.stage import BAICHIBAI, M205, MONDAY, Stage

NOTHING_YET: dict[str, object] = {
    # the day
    "day": 0, "phase": 0, "closes_at": 0, "opens_at": 0, "opened_at": 0, "sped_up": False, "ballots": [], "seq": 0,
    "changed": [0, 0], "changes": {}, "voided": [0, 0], "no_vote": 0, "last_count": [[], []], "sig": {}, "passed_kinds": [],
    "sheriff": 0, "sheriff_since": 0, "elected": 0, "badge_lost": False, "public_sheriff": 0, "postponed": [],
    "exile_due": 0, "exiles_settled": 0, "red_pending": [], "red_today": 0, "reds_dealt": False, "cursed": [], "swaps": [],
    # the night
    "night_from": 0, "dusk_end": 0, "entered": 0, "stage": 0, "limits": [], "full_at": 0, "settled": True, "night_told": True,
    "pending": {}, "answered": 0, "marks": {}, "torches": [], "wards": 0, "strikes": [], "counter_of": {}, "frozen": 0,
    "doomed": 0, "ordered": 0, "double_night": {}, "charmed": 0, "charm_hold": False,
    # outs, dusk and dawn
    "out_order": [], "cause": {}, "out_at": {}, "out_since": [], "told_out": 0, "last_due": {}, "last_given": [], "lost": [],
    "winner": None, "aborted": False, "awaiting": [], "prompt": None, "joint": {}, "kept_handover": {},
    # people
    "substituted": {}, "assistants": 0, "proposal": 0, "asked": 0, "agreed": 0, "declined": False, "paused_at": -1,
    "hold": False, "outage": False, "announced": [], "proposed_log": [], "flag_log": [], "host": {}, "heretics": {},
    "draws": 0, "undoable": [],
}  # fmt: skip


def test_nothing_has_happened_when_the_roles_have_been_dealt() -> None:
    stage = Stage("m205", M205)
    shown = snapshot(stage.s)
    assert {name: shown[name] for name in NOTHING_YET} == NOTHING_YET
    assert (shown["n"], shown["now"], shown["setup_ends"], shown["personas"][10]) == (10, MONDAY - 360, MONDAY, "10号")
    everyone = sum(1 << seat for seat in range(1, 11))
    assert shown["alive"] == shown["public_alive"] == shown["seats_mask"] == everyone
    for name, empty in (("posts", 0), ("quiet", 0), ("card_list", []), ("told", []), ("knows", [])):
        assert shown[name] == [empty] * 11, name
    for name, empty in (("vote", -1), ("vote_ref", 0), ("vote_seq", 0)):
        assert shown[name] == [[empty] * 11] * 2, name
    assert shown["notices"] == [[]] * 12  # the pack is a holder


def test_roles_factions_hands_and_dens_as_dealt() -> None:
    stage = Stage("m205", M205)
    s, skill = stage.s, stage.board.skill_index
    assert s.role == [NONE, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5] and s.faction == [NONE, 0, 0, 0, 1, 1, 1, 1, 1, 1, NONE]
    assert s.role_mask == [0b1110, 0b1110000, 1 << 7, 1 << 8, 1 << 9, 1 << 10]
    assert s.faction_mask == [0b1110, 0b1111110000] and s.dens == [0b1110] and s.den_of == {0: 0}
    assert [set(hand) for hand in s.hands[:8]] == [set()] * 7 + [{skill["first_night_shield"], skill["check"]}]
    assert set(s.hands[11]) == {skill[name] for name in ("kill", "feint", "shield_order", "last_fog")}


def test_a_board_without_a_sheriff_has_no_badge_from_the_start() -> None:
    assert Stage("baichibai", BAICHIBAI).s.badge_lost


def test_the_seats_of_a_mask() -> None:
    s = Stage("m205", M205).s
    assert (seats_of(0), seats_of(0b10), seats_of(0b10101100)) == ((), (1,), (2, 3, 5, 7))
    assert list(s.seats(0b10101100)) == [2, 3, 5, 7]


def test_who_stands_behind_a_holder() -> None:
    s = Stage("m205", M205).s
    assert (s.members(5), s.members(11), s.pack_mask(0)) == (1 << 5, 0b1110, 0b1110)
    assert (s.packs_of(1), s.packs_of(4)) == ([11], [])


def test_cards_as_they_stand_and_yellows_that_count() -> None:
    s = Stage("m205", M205).s
    for cards, standing, yellow in (
        ([], (0, 0, 0), False),
        (["blue"] * 2, (2, 0, 0), False),
        (["blue"] * 3, (0, 1, 0), True),
        (["blue"] * 4 + ["yellow"], (1, 2, 0), True),
        (["yellow"] * 3, (0, 0, 1), True),
        (["blue"] * 3 + ["yellow"] * 3 + ["red"], (0, 1, 2), True),
        (["red"], (0, 0, 1), False),
    ):
        s.card_list[4] = [(colour, "x") for colour in cards]
        assert (s.cards_of(4), s.had_yellow(4)) == (standing, yellow), cards


def test_the_name_of_the_phase_and_the_number_of_the_night() -> None:
    stage = Stage("m205", M205)
    assert stage.s.phase_name() == "setup"
    stage.until("day 1")
    assert stage.s.phase_name() == "day 1" and stage.s.night_number() == 1
    stage.s.phase = OVER
    assert stage.s.phase_name() == "over"


def test_a_fresh_state_holds_nothing() -> None:
    s = State(Stage("m205", M205).board)
    assert (s.n, s.now, s.phase, s.day, s.draws, s.undoable) == (0, 0, 0, 0, 0, [])
    assert s.entry_fresh and not s.entry_barred
