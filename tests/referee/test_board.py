"""A ruleset compiled for play: options, names, tables."""

from __future__ import annotations

import pytest

from bansha.referee.board import BadOption, Board, compile_board, parse_clock
from bansha.rulesets.load import bundled, load


def board(name: str, **options: str) -> Board:
    return Board(load(name), options)  # afresh: not the one kept by an earlier test


def ids(b: Board, skills: tuple[int, ...]) -> list[str]:
    return [b.skill_ids[index] for index in skills]


@pytest.mark.parametrize(("text", "minutes"), [("00:00", 0), ("09:00", 540), ("21:05", 1265), ("23:59", 1439)])
def test_a_time_of_day_in_minutes(text: str, minutes: int) -> None:
    assert parse_clock(text) == minutes


def test_options_stand_at_their_defaults() -> None:
    m205, m46 = board("m205").option, board("m46").option
    assert (m205["weekend"], m46["weekend"]) == ("extend", "plain")
    assert (m205["last_words_until"], m46["last_words_until"]) == ("midnight", "opening")
    assert (m205["sheriff_day1_weight"], m46["sheriff_day1_weight"]) == ("", "1")
    not_listed = {
        "tie_break_scope": "tied", "first_night_shield": "declared", "hybrid_told": "faction", "abort": "automatic",
        "swap": "both", "freeze_scope": "stages", "torch_absorbs": "one", "first": "", "tie": "",
    }  # fmt: skip
    assert {name: m46[name] for name in not_listed} == not_listed
    bai = board("baichibai").option
    assert (bai["day1_exile"], bai["oppose_piper"], bai["charm_check"]) == ("yes", "villagers", "stage")
    assert (bai["grudge_wrap"], bai["victory_moment"], bai["close_early"]) == ("yes", "each_out", "no")
    assert (bai["auto_speed_up_below"], board("vanilla").option["sped_up_spares"]) == ("off", "cards")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("dance", "yes", "option 'dance' is not one of close_early, weekend"),
        ("first", "night", "option 'first' is not one of"),
        ("close_early", "maybe", "option close_early: 'maybe' is not one of yes, no"),
        ("auto_speed_up_below", "-1", "option auto_speed_up_below: '-1' is neither off nor a number of seats"),
        ("auto_speed_up_below", "", "neither off nor a number"),
        ("auto_speed_up_below", "some", "neither off nor a number"),
        ("auto_speed_up_below", "٣", "neither off nor a number"),
    ],
)
def test_an_option_that_is_not_one(name: str, value: str, said: str) -> None:
    with pytest.raises(BadOption) as error:
        board("m205", **{name: value})
    assert said in str(error.value)


def test_options_change_the_tables() -> None:
    assert board("m205").auto_speed_up == 0 and board("m205", auto_speed_up_below="6").auto_speed_up == 6
    assert not board("m205").close_early and board("m205", close_early="yes").close_early
    assert board("vanilla").starts_at_night and not board("vanilla", first="day").starts_at_night
    assert not board("m205").starts_at_night and board("m46").starts_at_night
    assert (board("vanilla").exile_tie, board("vanilla", tie="random").exile_tie) == ("nobody", "random")
    assert not board("m46").after_shots and board("m46", victory_moment="settled").after_shots


def test_the_automatic_shield_is_in_no_hand() -> None:
    declared, automatic = board("m205"), board("m205", first_night_shield="automatic")
    shield = declared.skill_index["first_night_shield"]
    assert (declared.auto_shield, automatic.auto_shield) == (-1, shield)
    assert not any(declared.role_auto_shield) and any(shield in hand for hand in declared.role_skills)
    assert automatic.role_auto_shield == [shield in hand for hand in declared.role_skills]
    assert automatic.role_skills == [tuple(s for s in hand if s != shield) for hand in declared.role_skills]
    assert board("m46").auto_shield == -1


def test_ballots_of_the_first_and_of_later_days() -> None:
    assert (board("m46").first_ballots, board("m46").later_ballots) == ((1, 0), (0,))
    assert board("m46", day1_exile="no").first_ballots == (1,)
    assert (board("m205").first_ballots, board("baichibai").first_ballots) == ((1,), (0,))


@pytest.mark.parametrize(
    ("name", "options", "weights"),
    [
        ("m46", {}, (4, 2)),
        ("m46", {"sheriff_day1_weight": "2"}, (4, 4)),
        ("standard12", {}, (3, 3)),
        ("m205", {}, (2, 2)),
        ("vanilla", {}, (2, 2)),
    ],
)
def test_the_sheriffs_weight_in_halves(name: str, options: dict[str, str], weights: tuple[int, int]) -> None:
    b = board(name, **options)
    assert (b.weight, b.weight_first) == weights


def test_stages_stand_by_their_limits_then_as_published() -> None:
    b = board("m46")
    assert [ids(b, stage) for stage in b.stages] == [
        ["shield", "mute_shield"], ["charm"], ["kill"], ["check", "grudge"], ["vision", "antidote", "poison"],
    ]  # fmt: skip
    assert b.windows == [(0, 30)] * 4 + [(30, 60)] and b.full_limit == 60
    assert b.window_after == [-1] * 4 + [b.skill_index["vision"]] and b.window_without == [()] * 4 + [(0, 30)]
    assert [ids(b, stage) for stage in b.stage_automatic] == [[], [], [], [], ["vision"]]
    assert b.charm_stage == 1 and board("m205").charm_stage == -1
    assert board("vanilla").full_limit == 30 and (b.opens, b.closes) == (540, 1260)


def test_a_skill_knows_its_place() -> None:
    b = board("m205")
    skill = {table.id: table for table in b.skills}
    assert [skill[name].stage for name in ("shield_order", "shield", "kill", "antidote", "check", "kin", "handover")] == [
        0,
        1,
        2,
        3,
        4,
        -1,
        -1,
    ]
    assert (skill["kin"].setup, skill["kill"].setup, b.setup) == (0, -1, [skill["kin"].index])
    assert (skill["kill"].pack, skill["check"].pack, b.packs) == (0, -1, [b.faction_index["wolves"]])
    assert ids(b, skill["antidote"].excludes) == ["poison"] and ids(b, skill["antidote"].loses) == ["vision"]
    assert skill["check"].excludes == skill["check"].loses == ()
    assert ids(b, b.pack_skills[0]) == ["kill", "feint", "shield_order", "last_fog"]
    assert ids(b, b.role_skills[b.role_index["wolf"]]) == [], "what the pack holds is in no hand"
    assert [name for name, table in skill.items() if table.needs_last] == ["last_fog"]
    assert [name for name, table in skill.items() if table.automatic] == ["vision"]
    assert [name for name, table in skill.items() if table.forced] == ["kin", "vision"]
    assert [name for name, table in skill.items() if table.limited] == ["antidote", "poison", "shield_order", "last_fog"]
    assert [name for name, table in skill.items() if table.immediate] == ["shield_order"]
    assert [name for name, table in skill.items() if table.not_consecutive] == ["shield"]
    assert [name for name, table in skill.items() if table.plain] == ["kill", "feint", "antidote", "check"]
    assert b.handover == skill["handover"].index and b.after_line == {"handover": 0}
    assert (board("vanilla").handover, board("vanilla").setup, board("vanilla").after_line) == (-1, [], {})


def test_only_a_skill_with_one_target_and_no_rule_about_it_is_plain() -> None:
    m46 = {table.id: table for table in board("m46").skills}
    assert not m46["shield"].plain and m46["shield"].once_per_target
    assert not m46["charm"].plain and m46["charm"].other
    assert not m46["grudge"].plain and m46["grudge"].adjacent and m46["grudge"].targets == 3
    assert not {t.id: t for t in board("standard12").skills}["antidote"].plain, "oneself on the first night only"
    bai = {table.id: table for table in board("baichibai").skills}
    assert not bai["swap"].plain and bai["slash"].plain and bai["slash"].night_rule == "even" and bai["curse"].amount == 2
    assert (bai["play_dumb"].doubles, bai["shoot"].doubles) == (bai["shoot"].index, -1)


def test_a_name_in_either_language_or_an_alias_is_the_skill() -> None:
    b = board("standard12")
    handover = [b.skill_index["handover"]]
    assert [b.names_skill[name] for name in ("handover", "移交警徽", "Handover", "殉职")] == [handover] * 4
    bai = board("baichibai")
    assert bai.names_skill["审判"] == [bai.skill_index["judge"], bai.skill_index["cult_judge"]]
    assert [b.names_role[name] for name in ("seer", "预言家", "Seer")] == [b.role_index["seer"]] * 3
    assert [b.names_faction[name] for name in ("wolves", "狼人阵营")] == [b.faction_index["wolves"]] * 2
    assert b.skill_zh(handover[0]) == "移交警徽"
    assert [b.faction_zh(index) for index in (b.faction_index["wolves"], -1)] == ["狼人阵营", "无"]


def test_roles_have_factions_or_none() -> None:
    b = board("m46")
    faction = {name: b.role_faction[i] for name, i in b.role_index.items()}
    assert faction["avenger"] == -1 and faction["wolf"] == b.faction_index["wolves"] == 0 and faction["piper"] == 2
    assert b.each_out and b.order and set(b.order) <= set(range(3))


def test_a_board_is_compiled_once_for_a_ruleset_and_its_options() -> None:
    early = {"close_early": "yes"}
    for name in bundled():
        kept = compile_board(load(name), None)
        assert kept is compile_board(load(name)) is compile_board(load(name), {}) and kept.id == load(name).ruleset.id
        assert compile_board(load(name), early) is compile_board(load(name), dict(early)) is not kept
        assert kept.hash == load(name).hash
    assert compile_board(load("m205")) is not compile_board(load("m46"))
