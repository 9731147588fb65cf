"""The judge's two doors and the game in memory: when the next thing falls due, what the clock does, what is refused when."""

from __future__ import annotations

from typing import Any

import pytest

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.referee.dealing import Dice
from bansha.referee.evolve import evolve_all
from bansha.referee.game import NEVER, all_events, snapshot
from bansha.referee.judge import decide, due, tick
from bansha.referee.refusals import Refused
from bansha.referee.state import State
from bansha.referee.turn import Turn
from bansha.rulesets.load import load
from tests.support.stage import BAICHIBAI, M46, M205, MONDAY, Stage

CLOSES = MONDAY + 720
OPENS = MONDAY + 1440
STANDARD = ["wolf"] * 4 + ["villager"] * 4 + ["seer", "witch", "hunter", "guard"]
DICE = Dice.from_seed(0)


def m205(phase: str = "day 1", **options: str) -> Stage:
    stage = Stage("m205", M205, options)
    if phase != "setup":
        stage.act(10, kin=4)
        stage.until(phase)
    return stage


def after(s: State, *happened: e.Event) -> State:
    twin = s.copy()
    evolve_all(twin, s.now, happened)
    return twin


def kinds(events: list[e.Event]) -> list[str]:
    return [str(event.__struct_config__.tag) for event in events]


# --- when something falls due -------------------------------------------------------------------------------------


def test_nothing_is_due_before_the_deal_after_the_end_or_in_a_pause() -> None:
    assert due(State(compile_board(load("m205"), {}))) == NEVER
    for phase in ("setup", "day 1", "night 1"):
        s = m205(phase).s
        assert due(s) < NEVER
        assert due(after(s, e.Paused())) == NEVER
        assert due(after(s, e.GameEnded(0, "x"))) == NEVER
        at_nought = s.copy()
        at_nought.paused_at = 0
        assert due(at_nought) == NEVER


def test_the_next_deadline_of_each_phase() -> None:
    stage = m205("setup")
    assert due(stage.s) == stage.s.setup_ends == MONDAY
    stage = m205()
    assert due(stage.s) == CLOSES
    stage.until("night 1")
    assert [due(stage.s)] == [CLOSES + 30]
    stage.wait(30)
    assert stage.s.stage == 3 and due(stage.s) == CLOSES + 60
    stage.wait(30)
    assert stage.s.settled and stage.s.night_told and due(stage.s) == OPENS


def test_a_stage_is_due_no_sooner_than_it_was_entered_or_dusk_ended() -> None:
    s = m205("night 1").s
    assert due(after(s, e.LimitMoved("stage", 0, 0, CLOSES + 10))) == CLOSES + 10
    late = s.copy()
    late.dusk_end = CLOSES + 40
    assert due(late) == CLOSES + 40
    late = s.copy()
    late.entered = CLOSES + 45
    assert due(late) == CLOSES + 45


def test_prompts_at_dusk_and_dawn_have_their_limits() -> None:
    s = after(m205().s, e.DayClosed(1))
    assert due(s) == s.now, "dusk without a prompt runs at once"
    asked = after(s, e.Out(4, "exile"), e.Awaited(4, 0), e.PromptOpened(4, 9, s.now + 10))
    assert due(asked) == s.now + 10
    settled = after(m205("night 1").s, e.NightSettled(1), e.Out(4, "kill"), e.Awaited(4, 0))
    assert due(settled) == CLOSES + 60, "those out are told at the night's full limit"
    dawn = after(settled, e.PromptOpened(4, 9, CLOSES + 50))
    assert due(dawn) == CLOSES + 50
    assert due(after(dawn, e.LimitMoved("prompt", 0, 0, CLOSES + 90))) == CLOSES + 60
    told = after(dawn, e.LimitMoved("prompt", 0, 0, CLOSES + 90), e.ToldOut([4]))
    assert due(told) == CLOSES + 90
    assert due(after(told, e.PromptAnswered(4, 9, 1, False))) == OPENS
    late = after(told, e.PromptAnswered(4, 9, 1, False))
    late.full_at = OPENS + 5
    assert due(late) == OPENS + 5


# --- the clock ----------------------------------------------------------------------------------------------------


def test_the_clock_refuses_to_do_nothing() -> None:
    s = after(m205().s, e.Paused())
    with pytest.raises(RuntimeError, match="nothing is due"):
        tick(s, DICE)


def test_each_tick_happens_at_its_own_minute() -> None:
    stage = m205("setup")
    stage.act(10, kin=4)
    said = []
    for _ in range(5):
        at, events = tick(stage.s, DICE)
        said.append((at - MONDAY, [kind for kind in kinds(events) if kind in KEY_EVENTS]))
        assert stage.s.now == at
    assert said == [
        (0, ["setup_ended", "day_opened"]),
        (720, ["day_closed", "twilight_ended"]),
        (750, ["stage_closed"] * 3),
        (780, ["stage_closed", "stage_closed", "night_settled", "told_out"]),
        (1440, ["day_opened"]),
    ]


KEY_EVENTS = {"setup_ended", "day_opened", "day_closed", "twilight_ended", "stage_closed", "night_settled", "told_out"}


def test_a_game_that_starts_at_night_has_no_day_before() -> None:
    stage = Stage("standard12", STANDARD)
    at, events = tick(stage.s, DICE)
    assert at == MONDAY + 720 and "day_opened" not in kinds(events) and stage.s.phase_name() == "night 0"


def hunter_shot(told_later: int = 0) -> Stage:
    """standard12's hunter, killed in night 0: the last shot is open at dawn."""
    stage = Stage("standard12", STANDARD)
    stage.until("night 0")
    stage.act(1, kill=11)
    stage.until("dawn 0")
    return stage


def test_a_prompt_nobody_answers_runs_out_and_the_night_is_told_at_its_limit() -> None:
    stage = hunter_shot()
    opened = stage.s.now
    assert stage.s.prompt is not None and due(stage.s) == opened + 30
    at, events = tick(stage.s, DICE)
    assert at == opened + 30 and kinds(events)[:2] == ["prompt_answered", "consequence_done"]
    assert stage.s.prompt is None and due(stage.s) > at
    stage.until("day 1")


def test_with_stages_closing_early_the_clock_closes_those_after_as_well() -> None:
    stage = Stage("vanilla", ["wolf"] * 2 + ["villager"] * 7, {"close_early": "yes"})
    stage.until("night 0")
    before = stage.s.now
    stage.act(1, kill=5)
    assert stage.s.settled and stage.s.now == before
    waits = Stage("vanilla", ["wolf"] * 2 + ["villager"] * 7, {"close_early": "yes"})
    waits.until("night 0")
    waits.direct("hold", True)
    waits.act(1, kill=5)
    assert not waits.s.settled
    waits.direct("hold", False)
    assert waits.s.settled
    paused = Stage("vanilla", ["wolf"] * 2 + ["villager"] * 7, {"close_early": "yes"})
    paused.until("night 0")
    paused.direct("hold", True)
    paused.act(1, kill=5)
    paused.direct("pause", True)
    paused.direct("hold", False)
    assert not paused.s.settled, "nothing closes in a pause"
    paused.direct("resume", True)
    assert paused.s.settled
    plain = Stage("vanilla", ["wolf"] * 2 + ["villager"] * 7)
    plain.until("night 0")
    plain.act(1, kill=5)
    assert not plain.s.settled


def test_what_was_answered_before_the_close_closes_early_with_it() -> None:
    stage = Stage("vanilla", ["wolf"] * 2 + ["villager"] * 7, {"close_early": "yes"})
    stage.until("day 1")
    stage.act(1, kill=5)
    events = stage.game.step()
    assert "night_settled" in kinds(events) and stage.s.now == stage.s.night_from


# --- submissions --------------------------------------------------------------------------------------------------


def test_an_overdue_game_takes_nothing_but_the_clock() -> None:
    stage = m205()
    vote = c.Vote(2, 1, 3)
    for at in (CLOSES, CLOSES + 5):
        with pytest.raises(RuntimeError, match="overdue"):
            decide(stage.s, vote, at, DICE)
    assert kinds(decide(stage.s, vote, CLOSES - 1, DICE)) == ["vote_cast"] and stage.s.now == CLOSES - 1
    assert "day_closed" in kinds(decide(stage.s, c.Tick(), 0, DICE)) and stage.s.now == CLOSES


def test_before_the_deal_only_the_deal() -> None:
    s = State(compile_board(load("m205"), {}))
    with pytest.raises(Refused, match="not_begun"):
        decide(s, c.Vote(1, 1, 2), 0, DICE)
    assert decide(s, c.Record([e.Seeded(3)]), 0, DICE) == [e.Seeded(3)]
    names = [f"{seat}号" for seat in range(1, 11)]
    opened = decide(s, c.Open({"close_early": "no"}, names, M205, MONDAY, {3: 2}, [5]), 7, DICE)
    board = s.board
    assert opened == [e.GameOpened("m205", board.hash, {"close_early": "no"}, names, MONDAY, {3: 2}), e.Dealt(M205, [5])]
    assert (s.personas, s.setup_ends, s.history, s.n, s.now) == (["", *names], MONDAY, {3: 2}, 10, 7)
    with pytest.raises(Refused, match="phase: "):
        decide(s, c.Open({}, names, M205, MONDAY, {}), 8, DICE)


REFUSED: list[tuple[str, c.Command, str]] = [
    ("day 1", c.Vote(0, 1, 2), "no_seat"),
    ("day 1", c.Vote(11, 1, 2), "no_seat"),
    ("day 1", c.Sign(11, "extend"), "no_seat"),
    ("day 1", c.Act(0, {8: [1]}), "no_seat"),
    ("day 1", c.Card(11, "blue", "贬低"), "no_seat"),
    ("setup", c.Vote(1, 1, 2), "not_day"),
]


@pytest.mark.parametrize(("phase", "command", "code"), REFUSED, ids=str)
def test_a_refusal_leaves_everything_as_it_was(phase: str, command: c.Command, code: str) -> None:
    s = m205(phase).s
    before = snapshot(s)
    with pytest.raises(Refused) as refusal:
        decide(s, command, s.now + 3, DICE)
    assert refusal.value.code == code and snapshot(s) == before


WHILE_PAUSED: list[tuple[c.Command, bool]] = [
    (c.Vote(1, 1, 2), False),
    (c.Act(7, {8: [1]}), False),
    (c.Post(1, "discussion", 1, "", 0, None), False),  # type: ignore[arg-type]
    (c.Sign(1, "extend"), False),
    (c.LastWords(1, ""), False),
    (c.Card(4, "blue", "贬低"), True),
    (c.Substitute(4), True),
    (c.Assistant(4), True),
    (c.Direct("hold", True, "理由"), True),
    (c.Record([e.SecretOpened("x")]), True),
]


@pytest.mark.parametrize(("command", "taken"), WHILE_PAUSED, ids=lambda value: type(value).__name__)
def test_in_a_pause_only_directors_act(command: c.Command, taken: bool) -> None:
    for paused_at in (MONDAY, 0):
        s = m205().s
        s.paused_at = paused_at
        if taken:
            assert decide(s, command, MONDAY + 5, DICE)
        else:
            with pytest.raises(Refused, match="paused"):
                decide(s, command, MONDAY + 5, DICE)


def test_after_the_end_only_the_record_grows() -> None:
    stage = m205()
    stage.direct("abort", True)
    assert stage.game.over and not m205().game.over
    for command in (c.Vote(1, 1, 2), c.Direct("hold", True, "x"), c.Card(4, "blue", "贬低"), c.Open({}, [], [], 0, {})):
        with pytest.raises(Refused, match="over"):
            decide(stage.s, command, MONDAY + 1, DICE)
    assert decide(stage.s, c.Record([e.SecretOpened("x")]), MONDAY + 1, DICE) == [e.SecretOpened("x")]


# --- the game in memory -------------------------------------------------------------------------------------------


def test_a_command_comes_after_what_was_due() -> None:
    stage = m205()
    events = stage.game.do(c.Act(7, {8: [1]}), CLOSES, "seat 7", "k")
    assert kinds(events) == ["submitted"] and stage.s.phase_name() == "night 1"
    clock, own = stage.game.entries[-2:]
    assert clock[:4] == (CLOSES, "clock", "", c.Tick()) and "day_closed" in kinds(clock[4])
    assert own == (CLOSES, "seat 7", "k", c.Act(7, {8: [1]}), events)


def test_a_refused_command_leaves_no_entry_but_the_clocks() -> None:
    stage = m205()
    count = len(stage.game.entries)
    with pytest.raises(Refused):
        stage.game.do(c.Vote(2, 1, 3), CLOSES)
    assert [entry[1] for entry in stage.game.entries[count:]] == ["clock"] and stage.s.phase_name() == "night 1"


def test_time_runs_up_to_and_including_the_minute() -> None:
    stage = m205()
    assert stage.game.advance(CLOSES - 1) == []
    events = stage.game.advance(CLOSES + 30)
    assert kinds(events).count("stage_closed") == 3 and "day_closed" in kinds(events)
    assert stage.game.board is stage.board and due(stage.s) == CLOSES + 60


def test_the_journal_folds_to_the_same_state() -> None:
    stage = m205()
    stage.vote({2: 3}, 1)
    stage.act(7, check=3)
    stage.until("day 2")
    fresh = stage.game.refold()
    assert fresh is not stage.s and snapshot(fresh) == snapshot(stage.s)
    entries = stage.game.entries
    assert all_events(entries) == [event for _at, _by, _key, _command, events in entries for event in events]
    assert all_events(entries)[:2] == [e.Seeded(0), entries[1][4][0]] and len(all_events(entries)) > len(entries)


def test_a_snapshot_is_plain() -> None:
    stage = m205("night 1")
    evolve_all(stage.s, CLOSES, [e.Out(4, "kill"), e.Awaited(4, 0), e.PromptOpened(4, 9, 77), e.LastWordsHanded(4, "")])
    evolve_all(stage.s, CLOSES, [e.LastWordsHanded(2, ""), e.Told(7, 8, True)])
    plain = snapshot(stage.s)
    assert not {"board", "entry_fresh", "entry_barred"} & set(plain) and {"now", "hands", "prompt"} <= set(plain)
    assert plain["prompt"] == {"line": 0, "opened": CLOSES, "seat": 4, "skill": 9, "until": 77}
    assert plain["last_given"] == [2, 4] and plain["told"][7] == [[CLOSES, ["told", 7, 8, True, False], 1]]
    assert plain["awaiting"] == [[0, 0, 4]] and plain["n"] == 10 and plain["personas"][1] == "1号"
    assert plain["hands"][7][8]["last_night"] == -9 and plain["winner"] is None

    def check(value: Any) -> None:
        assert isinstance(value, (dict, list, int, str, type(None))), value
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            check(item)

    check(plain)
    assert snapshot(State(stage.board))["alive"] is None, "what is not there yet is nothing"


# --- one turn -----------------------------------------------------------------------------------------------------


def test_a_turn_draws_from_the_recorded_stream() -> None:
    class Last:
        asked: list[tuple[str, int, int, int]] = []  # noqa: RUF012

        def draw(self, label: str, counter: int, n: int, k: int = 1) -> tuple[int, ...]:
            self.asked.append((label, counter, n, k))
            return tuple(range(n - k, n))

    s = m205().s
    s.undoable = [["hold", False]]
    t = Turn(s, MONDAY + 9, Last())
    assert (s.now, s.entry_fresh, s.entry_barred, t.leaving, t.over) == (MONDAY + 9, True, False, {}, False)
    assert t.draw("a", [5, 6, 7], 2) == [6, 7] and t.draw("b", "xyz") == ["z"]
    assert Last.asked == [("a", 1, 3, 2), ("b", 2, 3, 1)]
    assert t.out == [e.Drawn("a", 1, [5, 6, 7], [6, 7]), e.Drawn("b", 2, ["x", "y", "z"], ["z"])] and s.draws == 2
    t.announce("警长", 3)
    assert t.out[-1] == e.Announced("警长", 3) and s.public_sheriff == 3
    t.say(e.GameEnded(0, "x"))
    assert t.over


# --- directors ----------------------------------------------------------------------------------------------------


def refused(stage: Stage, act: str, value: object, reason: str = "理由") -> str:
    with pytest.raises(Refused) as refusal:
        stage.do(c.Direct(act, value, reason))
    return refusal.value.code


def test_a_pause_by_day_moves_the_close_to_the_next_21_that_leaves_what_was_left() -> None:
    stage = m205()
    stage.now = MONDAY + 60
    stage.direct("pause", True)
    assert refused(stage, "pause", True) == "paused"
    stage.now += 30
    stage.direct("resume", True)
    assert stage.s.closes_at == CLOSES + 1440 and refused(stage, "resume", True) == "not_paused"
    stage.direct("pause", True)
    stage.direct("resume", True)
    assert stage.s.closes_at == CLOSES + 1440, "no time gone, nothing moves"


def test_a_pause_at_night_moves_its_limits_and_the_opening() -> None:
    stage = m205("night 1")
    stage.direct("pause", True)
    stage.now += 20
    stage.direct("resume", True)
    assert stage.s.limits == [CLOSES + 50] * 3 + [CLOSES + 80] * 2 and stage.s.opens_at == OPENS + 1440
    assert stage.s.full_at == CLOSES + 80


def test_a_moved_limit_takes_along_the_stages_that_are_open_with_it() -> None:
    stage = m205("night 1")
    stage.direct("deadline", CLOSES + 20)
    assert stage.s.limits == [CLOSES + 20] * 3 + [CLOSES + 60] * 2
    stage = m205("night 1")
    stage.wait(10)
    assert refused(stage, "deadline", stage.now) == refused(stage, "deadline", None) == "bad_time"
    stage.wait(20)
    stage.direct("deadline", CLOSES + 45)
    assert stage.s.limits[3:] == [CLOSES + 45] * 2
    stage.until("day 2")
    stage.direct("deadline", stage.now + 5)
    assert due(stage.s) == stage.now + 5
    asked = hunter_shot()
    asked.direct("deadline", asked.s.now + 77)
    assert asked.s.prompt is not None and asked.s.prompt.until == asked.s.now + 77


def test_a_stage_not_open_yet_keeps_its_limit_unless_it_would_close_too_soon() -> None:
    stage = m205("night 1")
    stage.direct("deadline", CLOSES + 60)
    assert stage.s.limits == [CLOSES + 60] * 5
    stage.direct("deadline", CLOSES + 20)
    assert stage.s.limits == [CLOSES + 20] * 3 + [CLOSES + 60] * 2


def test_by_day_what_needs_no_prompt_follows_an_out_at_once() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.act(13, possess=1)
    stage.until("day 1")
    stage.direct("out", 10)
    assert stage.s.awaiting == [] and stage.s.phase_name() == "day 1"


def test_nothing_is_open_once_the_night_is_settled() -> None:
    stage = m205("night 1")
    stage.wait(60)
    assert stage.s.settled and refused(stage, "deadline", stage.now + 5) == "nothing_open"


ODD: list[tuple[str, object, str]] = [
    ("void_vote", 3, "nothing_to_void"),
    ("void_vote", [3, 1], "nothing_to_void"),
    ("void_act", [7, 8], "nothing_to_void"),
    ("void_act", [4, 8], "nothing_to_void"),
    ("out", 0, "no_seat"),
    ("restore", 4, "not_out"),
    ("lose", "x", "unknown_faction"),
    ("correct", [7, 8, True], "nothing_told"),
    ("undo", True, "nothing_to_undo"),
]


@pytest.mark.parametrize(("act", "value", "code"), ODD, ids=str)
def test_what_a_director_cannot_do(act: str, value: object, code: str) -> None:
    stage = m205()
    assert refused(stage, act, value) == code
    assert refused(stage, act, value, " ") == "needs_reason"


def test_an_act_is_logged_before_what_it_does() -> None:
    stage = m205()
    stage.vote({3: 0}, 1)
    said = stage.do(c.Direct("void_vote", 3, "看错了"))
    assert said == [e.DirectorActed("void_vote", 3, "看错了"), e.VoteVoided(3, 1, "director")]
    assert stage.do(c.Direct("outage", [3, 4], "断网"))[1:] == [e.OutageRecorded(3, 4)]
    assert stage.do(c.Direct("hold", 1, "等"))[1:] == [e.HoldSet(True)]
    moved = stage.do(c.Direct("extend", True, "等"))[1]
    assert isinstance(moved, e.DayMoved) and moved.why == "director"
    moved = stage.do(c.Direct("speed_up", True, "快"))[1]
    assert isinstance(moved, e.DayMoved) and moved.why == "director" and moved.sped_up
    assert stage.do(c.Direct("abort", True, "完"))[1:] == [e.GameEnded(-1, "abort")]


def test_one_judged_out_in_the_night_leaves_once_and_may_be_restored() -> None:
    stage = hunter_shot()
    assert refused(stage, "out", 11) == "is_out"
    stage.direct("restore", 11)
    assert stage.s.prompt is None and stage.s.alive >> 11 & 1 and stage.s.phase_name() == "night 0"
    other = hunter_shot()
    other.direct("out", 5)
    other.direct("restore", 5)
    assert other.s.prompt is not None and other.s.prompt.seat == 11, "the open prompt stays"


def test_a_faction_is_judged_lost_once() -> None:
    stage = Stage("m46", M46)
    stage.act(6, revenge=7)
    stage.until("day 1")
    stage.direct("lose", 2)
    assert refused(stage, "lose", 2) == "faction_lost" and refused(stage, "lose", 3) == "unknown_faction"
