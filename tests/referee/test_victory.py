"""Winning and losing: each condition by itself, on states made by hand (§3, C14, C15, G14, G17)."""

from __future__ import annotations

import pytest

from bansha.referee import events as e
from bansha.referee import victory
from bansha.referee.state import Prompt
from bansha.referee.turn import Turn
from bansha.rulesets.model import Condition
from tests.support.scenes import told
from tests.support.stage import BAICHIBAI, M46, M205, Stage

ROLES = {"m205": M205, "m46": M46, "baichibai": BAICHIBAI}


def stage_of(ruleset: str, out: list[int], charmed: list[int] | None = None, **options: str) -> Stage:
    """On day 1 (kin and possess: seat 7), with these out and these charmed."""
    stage = Stage(ruleset, ROLES[ruleset], options)
    if ruleset == "m205":
        stage.act(10, kin=7)
    elif ruleset == "m46":
        stage.act(6, revenge=1)
    else:
        stage.act(13, possess=7)
        stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.until("day 1")
    for seat in out:
        stage.s.alive &= ~(1 << seat)
    stage.s.charmed = sum(1 << seat for seat in charmed or [])
    return stage


def judged(stage: Stage, how: str = "check") -> list[str]:
    turn = Turn(stage.s, stage.now, stage.game.dice)
    getattr(victory, how)(turn)
    return [told(stage.board, event) for event in turn.out]


WOLVES = [1, 2, 3, 4]
CASES = [
    ("m205", [], [], []),
    ("m205", [1, 2], [], []),
    ("m205", [1, 2, 3], [], ["faction_lost faction=0 why=victory.wolves.lost.1", "game_ended faction=1 why=victory.villagers.wins.1"]),
    ("m205", [4, 5, 6], [], ["faction_lost faction=1 why=victory.villagers.lost.1", "game_ended faction=0 why=victory.wolves.wins.1"]),
    ("m205", [7, 8, 9], [], ["faction_lost faction=1 why=victory.villagers.lost.2", "game_ended faction=0 why=victory.wolves.wins.2"]),
    ("m46", [], [], []),
    ("m46", [5, 6, 7, 8], [], ["faction_lost faction=2 why=victory.piper.lost.1"]),
    ("m46", [5, 6, 7, 8, 9, 11], [], ["faction_lost faction=2 why=victory.piper.lost.1", "game_ended faction=0 why=victory.wolves.wins.1"]),
    ("m46", [7, 8, 9, 10], [], ["faction_lost faction=1 why=victory.villagers.lost.1"]),
    ("m46", [], WOLVES, ["faction_lost faction=0 why=victory.wolves.lost.2", "skills"]),
    ("m46", [], [1, 2, 3], []),
    ("m46", [1, 2, 3], [4], ["faction_lost faction=0 why=victory.wolves.lost.2", "skills"]),
    ("m46", list(range(1, 15)), [], [
        "faction_lost faction=0 why=victory.wolves.lost.1", "skills", "faction_lost faction=1 why=victory.villagers.lost.1",
        "faction_lost faction=2 why=victory.piper.lost.1", "game_ended faction=-1 why=C15",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("ruleset", "out", "charmed", "said"), CASES)
def test_who_has_won_and_lost(ruleset: str, out: list[int], charmed: list[int], said: list[str]) -> None:
    lines = judged(stage_of(ruleset, out, charmed))
    kept: list[str] = []
    for line in lines:
        line = "skills" if line.startswith(("skill_lost", "told")) else line
        if not kept or kept[-1] != line:
            kept.append(line)
    assert kept == said


def test_the_last_faction_not_lost_wins() -> None:
    stage = stage_of("m46", [5])
    stage.s.lost = [2, 1]
    assert judged(stage) == ["game_ended faction=0 why=C15"]
    stage = stage_of("m46", [5])
    stage.s.lost = [2]
    assert judged(stage) == []


def test_a_game_that_is_over_is_not_judged_again() -> None:
    stage = stage_of("m205", [4, 5, 6])
    assert judged(stage)[-1] == "game_ended faction=0 why=victory.wolves.wins.1"
    assert judged(stage) == []


def holds(stage: Stage, faction: str, when: str, **more: object) -> bool:
    board = stage.board
    cond = Condition(when=when, **more)  # type: ignore[arg-type]
    return victory.CONDITIONS[when](board, board.faction_index[faction], cond)(stage.s)


@pytest.mark.parametrize(("alive", "holding"), [([1, 2, 3, 8], True), ([1, 2, 3, 4], False), ([1, 2, 8], False), ([1, 2, 3, 4, 8], False)])
def test_exactly_so_many_alive_and_one_of_its_own(alive: list[int], holding: bool) -> None:
    stage = stage_of("baichibai", [seat for seat in range(1, 14) if seat not in alive])
    assert holds(stage, "whisper", "alive_exactly", count=4) is holding


@pytest.mark.parametrize(("settled", "out", "holding"), [(4, [], False), (5, [], True), (6, [10], True), (5, [10, 11], False)])
def test_alive_after_the_exile_of_that_day(settled: int, out: list[int], holding: bool) -> None:
    stage = stage_of("baichibai", out)
    stage.s.exiles_settled = settled
    assert holds(stage, "clocktower", "survives_exile", day=5) is holding


@pytest.mark.parametrize(("out", "holding"), [([1, 2, 3, 4, 5], False), ([1, 2, 3, 4, 5, 6], True), ([7, 8, 9], False)])
def test_all_heretics_out(out: list[int], holding: bool) -> None:
    assert holds(stage_of("baichibai", out), "cult", "marked_out", skill="heretics") is holding


@pytest.mark.parametrize(
    ("out", "charmed", "hold", "holding"),
    [
        ([], [1, 2, 3], False, False),
        ([], WOLVES, False, True),
        ([], WOLVES, True, False),
        ([1], [2, 3, 4], False, True),
        (WOLVES, [], False, False),
    ],
)
def test_all_of_a_role_charmed_and_one_alive(out: list[int], charmed: list[int], hold: bool, holding: bool) -> None:
    stage = stage_of("m46", out, charmed)
    stage.s.charm_hold = hold
    assert holds(stage, "wolves", "role_charmed", roles=["wolf"]) is holding
    assert holds(stage, "piper", "all_charmed", factions=["wolves"]) is ((holding or out == WOLVES) and not hold)


# --- a pack that is lost ------------------------------------------------------------------------------------------


def lost(stage: Stage) -> list[str]:
    turn = Turn(stage.s, stage.now, stage.game.dice)
    victory.lose(turn, 0, "director")
    return [told(stage.board, event) for event in turn.out if not isinstance(event, e.Told)]


LOST = ["faction_lost faction=0 why=director", "skill_lost holder=15 skill=kill why=director"]
LAPSED = ["lapsed holder=15 skill=kill code=faction_lost"]


@pytest.mark.parametrize(("ahead", "lapses"), [(-1, True), (0, True), (1, False)])
def test_at_night_a_kept_kill_lapses_until_its_stage_has_closed(ahead: int, lapses: bool) -> None:
    stage = stage_of("m46", [])
    stage.until("night 1")
    stage.act(1, kill=9)
    stage.s.stage = stage.board.skills[stage.board.skill_index["kill"]].stage + ahead
    assert lost(stage) == LOST + (LAPSED if lapses else [])


def test_by_day_a_kept_kill_lapses_though_last_nights_stage_closed() -> None:
    stage = stage_of("m46", [])
    stage.act(1, kill=9)
    assert stage.s.stage > stage.board.skills[stage.board.skill_index["kill"]].stage
    assert lost(stage) == LOST + LAPSED


def test_nothing_kept_nothing_lapses() -> None:
    assert lost(stage_of("m46", [])) == LOST


# --- when it is checked -------------------------------------------------------------------------------------------


PARITY = [5, 6, 7, 8, 9, 11]


def with_prompt(moment: str, line: str) -> Stage:
    stage = stage_of("m46", PARITY, victory_moment=moment)
    board = stage.board
    stage.s.prompt = Prompt(10, board.skill_index[line], board.after_line[line], stage.now, stage.now + 10)
    return stage


@pytest.mark.parametrize(
    ("moment", "line", "checked"),
    [("settled", "last_shot", False), ("settled", "handover", True), ("each_out", "last_shot", True)],
)
def test_settled_waits_for_an_open_shot_and_for_nothing_else(moment: str, line: str, checked: bool) -> None:
    assert bool(judged(with_prompt(moment, line), "after_out")) is checked


@pytest.mark.parametrize(("line", "checked"), [("last_shot", False), ("handover", True)])
def test_settled_waits_for_a_shot_that_waits_its_turn(line: str, checked: bool) -> None:
    stage = stage_of("m46", PARITY, victory_moment="settled")
    stage.s.awaiting = [(stage.board.after_line[line], 0, 10)]
    assert bool(judged(stage, "after_out")) is checked
