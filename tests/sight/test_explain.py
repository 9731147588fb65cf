"""Explanations: what is said, in which clauses, and to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from bansha.cases.read import Malformed, read_case
from bansha.cases.run import Failed, Runner, files
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import BALLOTS, EXILE, Board
from bansha.referee.game import Entry, Game
from bansha.referee.judge import NEVER, due
from bansha.referee.refusals import Refused
from bansha.rulesets.load import bundled, load
from bansha.rulesets.sheet import clause_ids
from bansha.sight.explain import Line, WhyCard, WhyEnd, WhyOut, WhyTold, WhyVote, explain, lines_in
from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from tests.support.stage import BAICHIBAI, M46, M205, Stage

ROOT = Path(__file__).parents[2]
CASES = files([ROOT / "tests" / "cases"])
GIVEN = {path.name for path in CASES}
CASES += [path for path in sorted((ROOT.parent / "shared" / "cases").glob("*.yaml")) if path.name not in GIVEN]


# --- over all case files -------------------------------------------------------------------------------------------


def _played() -> Iterator[tuple[str, Game]]:
    for path in CASES:
        try:
            runner = Runner(read_case(path))
            runner.run()
        except (Malformed, Failed):
            continue  # the tests of the cases say so
        yield path.name, runner.game


@cache
def _games() -> list[tuple[str, Game]]:
    return list(_played())


@cache
def _clauses(board: Board) -> frozenset[str]:
    return frozenset(clause_ids(board.rules))


def test_whoever_went_out_has_a_line_citing_an_existing_clause() -> None:
    """For its director; and whoever asks, no line cites a clause that does not exist."""
    outs = 0
    for name, game in _games():
        for seat in game.state.out_order:
            outs += 1
            lines = explain(game.entries, game.board, DIRECTOR, WhyOut(seat))
            cited = [clause for line in lines for clause in line.clauses]
            assert cited, f"{name}: {seat}"
            assert set(cited) <= _clauses(game.board), f"{name}: {seat}: {cited}"
    assert outs > 400


def test_every_question_has_an_answer_for_everybody() -> None:
    asked = 0
    for name, game in _games()[::16]:
        for viewer in (DIRECTOR, PUBLIC, Viewer("player", 3)):
            for seat in range(1, game.state.n + 1, 2):
                for question in (WhyOut(seat), WhyTold(seat), WhyVote(seat), WhyCard(seat), WhyEnd()):
                    lines = explain(game.entries, game.board, viewer, question)
                    asked += 1
                    assert lines and all(line.text.zh and line.text.en for line in lines), f"{name} {question}"
                    assert all(set(line.clauses) <= _clauses(game.board) for line in lines)
    assert asked > 1000


def test_without_the_decisive_submission_the_text_is_another() -> None:
    """Played again without the submission that took a seat out, or folded again without its entry, the trace of that out
    changes."""
    played = folded = 0
    for name, game in _games():
        for seat in game.state.out_order:
            decisive = _decisive(game, seat)
            if decisive is None:
                continue
            told = _text(explain(game.entries, game.board, DIRECTOR, WhyOut(seat)))
            less = [entry for index, entry in enumerate(game.entries) if index != decisive]
            if _stands_alone(game.entries[decisive]):
                folded += 1
                assert _text(explain(less, game.board, DIRECTOR, WhyOut(seat))) != told, f"{name}: {seat}"
            again = _again(game, decisive)
            if again is not None:
                played += 1
                assert _text(explain(again.entries, game.board, DIRECTOR, WhyOut(seat))) != told, f"{name}: {seat}"
    assert played > 350 and folded > 250


def _text(lines: list[Line]) -> str:
    return "\n".join(lines_in(lines))


def _decisive(game: Game, seat: int) -> int | None:
    """Index of the submission that took this seat out: the last one naming it for the skill that was its cause, a vote
    for it, its red card, the shot, the director's word."""
    cause = game.state.cause[seat]
    skill = game.board.skill_index.get(cause, -1)
    found: int | None = None
    decisive: int | None = None
    for index, (_, _, _, command, events) in enumerate(game.entries):
        match command:
            case c.Act() if isinstance(targets := command.choices.get(skill), list) and seat in targets:
                found = index
            case c.Card() if cause == "red_card" and command.seat == seat:
                found = index
            case c.Direct() if cause == "director" and command.act == "out" and command.value == seat:
                found = index
            case _:
                pass
        if any(isinstance(event, e.Counted) and event.ballot == EXILE for event in events) and cause == "exile":
            top = next(event.top for event in events if isinstance(event, e.Counted) and event.ballot == EXILE)
            found = _last_vote(game, index, top)
        if any(isinstance(event, e.Out) and event.seat == seat for event in events):
            decisive = found
    return decisive


def _last_vote(game: Game, before: int, top: list[int]) -> int | None:
    """Index of the last vote that day for one of the first, 弃权 and others apart."""
    found: int | None = None
    for index, (_, _, _, command, events) in enumerate(game.entries[:before]):
        if any(isinstance(event, e.DayOpened) for event in events):
            found = None
        if isinstance(command, (c.Vote, c.Change, c.Proxy)) and command.target in top and command.ballot == EXILE:
            found = index
    return found


def _stands_alone(entry: Entry) -> bool:
    """Whether the rest of the journal can be folded without this entry: it only handed something in."""
    return isinstance(entry[3], (c.Act, c.Vote)) and all(isinstance(event, (e.Submitted, e.VoteCast, e.Withdrawn)) for event in entry[4])


def _again(game: Game, without: int) -> Game | None:
    """The same commands at the same minutes without one; what is refused for want of it is left out, too."""
    again = Game(game.board, game.dice)
    for index, (at, by, _key, command, _events) in enumerate(game.entries):
        if index == without or isinstance(command, c.Tick):
            continue
        try:
            again.do(command, at, by)
        except Refused:
            continue
    last = game.entries[-1][0]
    while due(again.state) <= min(last, NEVER - 1):
        again.step()
    return again


# --- why is seat N out -----------------------------------------------------------------------------------------------


def m205_night() -> Stage:
    stage = Stage("m205", M205)
    stage.act(10, kin=4)
    stage.until("day 1")
    stage.vote(dict.fromkeys(range(1, 11), 7))
    stage.until("night 1")
    return stage


def test_a_kill_is_traced_to_who_chose_it_and_what_did_not_stop_it() -> None:
    stage = m205_night()
    stage.act(2, kill=4)
    stage.act(1, kill=5)
    stage.act(9, shield=4)
    stage.until("day 2")
    lines = stage.why(DIRECTOR, WhyOut(5))
    text = " ".join(line.text.zh for line in lines)
    assert "1号（狼人）替狼人阵营交【杀人】：5号（此前交过1次" in text
    assert "9号（守护）的【守护之盾】在4号身上，不在5号身上" in text
    assert [line.clauses[0] for line in lines] == ["skill.kill", "skill.shield", "settle.1"]
    assert "seat 1 (Wolf) for the Wolves handed in Kill on seat 5" in lines[0].text.en


def test_the_public_learns_that_a_seat_is_out_and_nothing_more() -> None:
    stage = m205_night()
    stage.act(1, kill=5)
    stage.wait(61)
    assert "在场" in stage.trace(PUBLIC, WhyOut(5)), "C27: not before the opening"
    stage.until("day 2")
    text = stage.trace(PUBLIC, WhyOut(5))
    assert "开门公示的出局名单里有5号" in text and "杀人" not in text and "狼" not in text
    assert stage.why(PUBLIC, WhyOut(5))[0].clauses == ["C13", "C9"]


def test_a_player_is_told_out_of_what_it_knows() -> None:
    stage = m205_night()
    stage.act(1, kill=5)
    stage.wait(61)
    assert "你得知自己出局" in stage.trace(Viewer("player", 5), WhyOut(5))
    assert "在场" in stage.trace(Viewer("player", 4), WhyOut(5))
    stage.until("day 2")
    assert "1号（狼人）替狼人阵营交【杀人】" in stage.trace(Viewer("player", 1), WhyOut(5))
    assert "1号替狼人阵营交【杀人】：5号" in stage.trace(Viewer("player", 3), WhyOut(5)), "the pack sees who submitted what"
    assert "【通灵】的答复里有5号" in stage.trace(Viewer("player", 8), WhyOut(5))
    assert "杀人" not in stage.trace(Viewer("player", 9), WhyOut(5))


def test_an_exile_names_votes_tie_and_badge() -> None:
    stage = m205_night()
    stage.until("day 2")
    stage.vote({4: 1, 7: 1, 1: 4, 2: 4, 9: 0})
    stage.until("night 2")
    text = stage.trace(PUBLIC, WhyOut(1))
    assert "1号2票（4、7号投），4号2票（1、2号投）" in text and "弃权9号" in text
    assert "警长投的是1号" in text
    assert {"C16", "M1", "C13"} <= {clause for line in stage.why(PUBLIC, WhyOut(1)) for clause in line.clauses}


def test_a_swap_is_named_and_its_holder_is_not() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("night 1")
    stage.act(11, swap=[3, 5])
    stage.until("day 2")
    stage.vote(dict.fromkeys(range(1, 9), 5))
    stage.until("dusk 2")
    stage.act(3, play_dumb=None)
    text = stage.trace(PUBLIC, WhyOut(3))
    assert "票数第一的是5号，公示放逐的却是3号" in text and "11号" not in text
    assert "11号（煤气灯人）前一夜的【隐患】" in stage.trace(DIRECTOR, WhyOut(3))
    assert "装唐" not in text and "【装唐】留下，答复不用" in stage.trace(Viewer("player", 3), WhyOut(3))


def test_a_counter_and_what_it_moved() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("night 1")
    stage.act(8, counter=4)
    stage.act(1, shoot=8)
    stage.until("day 2")
    lines = stage.why(DIRECTOR, WhyOut(4))
    text = " ".join(line.text.zh for line in lines)
    assert "8号的【防反】把【枪决（猎人）】移到4号身上" in text
    assert {"skill.counter", "skill.shoot", "settle.1"} <= {clause for line in lines for clause in line.clauses}


def test_holy_light_dooms_and_says_why() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("night 1")
    stage.act(9, holy_light=11)
    stage.until("day 2")
    text = stage.trace(DIRECTOR, WhyOut(11))
    assert "9号（牧师）交【圣光】：11号" in text and "11号属钟楼阵营" in text


def test_a_shot_at_dusk_is_public_one_at_dawn_is_not() -> None:
    stage = Stage("m46", M46)
    stage.until("night 0")
    stage.act(1, kill=10)
    stage.until("dawn 0")
    stage.act(10, last_shot=2)
    stage.until("day 1")
    assert "最后一枪" not in stage.trace(PUBLIC, WhyOut(2))
    assert "10号（猎人）用【最后一枪】指2号" in stage.trace(DIRECTOR, WhyOut(2))
    dusk = Stage("m46", M46)
    dusk.until("day 1")
    dusk.vote(dict.fromkeys(range(1, 9), 10), EXILE)
    dusk.until("dusk 1")
    dusk.act(10, last_shot=2)
    assert "2号中枪出局，当即公示" in dusk.trace(PUBLIC, WhyOut(2))


def test_red_cards_name_their_clauses() -> None:
    stage = Stage("m46", M46)
    stage.until("day 1")
    stage.do(c.Card(5, "yellow", "1.1"))
    stage.do(c.Card(5, "yellow", "1.2"))
    stage.do(c.Card(5, "yellow", "1.3"))
    lines = stage.why(PUBLIC, WhyOut(5))
    assert [line.clauses[0] for line in lines] == ["conduct.1.1", "conduct.1.2", "conduct.1.3", "P2"]
    assert "G8" in lines[-1].clauses


def test_a_directors_word_and_its_reason() -> None:
    stage = m205_night()
    stage.until("day 2")
    stage.direct("out", 5)
    assert "理由：理由" in stage.trace(DIRECTOR, WhyOut(5))
    assert "理由" not in stage.trace(PUBLIC, WhyOut(5)) and "导演判5号出局" in stage.trace(PUBLIC, WhyOut(5))
    stage.direct("restore", 5)
    assert "复原" in stage.trace(PUBLIC, WhyOut(5))


# --- why did the answer say so ---------------------------------------------------------------------------------------


def test_a_check_is_explained_to_its_holder_without_the_truth() -> None:
    stage = m205_night()
    stage.act(7, check=10)
    stage.until("day 2")
    seer = stage.trace(Viewer("player", 7), WhyTold(7, 1, "check"))
    assert "7号（预言家）交【预言】：10号" in seer and "答复：村民阵营" in seer and "混血儿" not in seer
    director = stage.trace(DIRECTOR, WhyTold(7, 1, "check"))
    assert "10号（混血儿）当时属村民阵营，由【认亲】归入" in director
    assert "M4" in stage.why(DIRECTOR, WhyTold(7, 1, "check"))[-1].clauses


def test_answers_of_others_are_not_explained() -> None:
    stage = m205_night()
    stage.act(7, check=10)
    stage.until("day 2")
    for viewer in (PUBLIC, Viewer("player", 8)):
        assert "不是你可以知道的" in stage.trace(viewer, WhyTold(7))
        assert stage.why(viewer, WhyTold(7))[0].clauses == ["C9", "V8"]


def test_a_vision_lists_what_was_named_before_it() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("night 1")
    stage.act(1, shoot=9)
    stage.until("day 2")
    witch = stage.trace(Viewer("player", 4), WhyTold(4))
    assert "答复：9号" in witch and "按指定的先后" in witch and "1号" not in witch
    assert "1号（猎人）的【枪决（猎人）】指9号" in stage.trace(DIRECTOR, WhyTold(4))


def test_a_charm_that_did_not_hold_and_the_shield_behind_it() -> None:
    stage = Stage("m46", M46)
    stage.until("night 0")
    stage.act(9, mute_shield=7)
    stage.act(5, charm=7)
    stage.until("day 1")
    assert "答复：否" in stage.trace(Viewer("player", 5), WhyTold(5))
    assert "9号" not in stage.trace(Viewer("player", 5), WhyTold(5))
    assert "9号（守卫）的【隔音之盾】护着7号" in stage.trace(DIRECTOR, WhyTold(5))


def test_chance_is_named_where_nobody_answered() -> None:
    stage = Stage("m205", M205)
    stage.until("day 1")
    assert "没有交【认亲】，由留档的随机流抽中" in stage.trace(DIRECTOR, WhyTold(10))
    assert "C3" in stage.why(DIRECTOR, WhyTold(10))[0].clauses


def test_a_correction_is_named() -> None:
    stage = m205_night()
    stage.act(7, check=10)
    stage.until("day 2")
    stage.direct("correct", [7, stage.board.skill_index["check"], "!villagers"])
    assert "导演更正【预言】的答复：非村民阵营" in stage.trace(Viewer("player", 7), WhyTold(7))


# --- why was a vote not counted --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said", "clause"),
    [
        ("投票对象：没有这个人\n投票理由：", "没有叫“没有这个人”的马甲", "C18"),
        ("投票对象：4号", "缺少理由的标签", "C18"),
        ("改票对象：4号\n改票理由：", "还没有票可改", "C18"),
        ("先说两句\n投票对象：4号\n投票理由：", "开头的", "C18"),
    ],
)
def test_a_post_that_is_no_vote(text: str, said: str, clause: str) -> None:
    stage = m205_night()
    stage.until("day 2")
    ref = stage.post(3, "ballot", text)
    lines = stage.why(Viewer("player", 3), WhyVote(3, "exile", ref))
    assert said in lines[0].text.zh and clause in lines[0].clauses
    assert said not in stage.trace(PUBLIC, WhyVote(3, "exile", ref))


def test_a_vote_for_someone_who_went_out() -> None:
    stage = m205_night()
    stage.until("day 2")
    stage.vote({3: 5})
    stage.do(c.Card(5, "red", "作弊"))
    stage.until("night 2")
    text = stage.trace(Viewer("player", 3), WhyVote(3))
    assert "所投的人在关门前出局" in text and "3号没有有效票" in text
    assert "C19" in {clause for line in stage.why(Viewer("player", 3), WhyVote(3)) for clause in line.clauses}


def test_a_vote_that_was_counted_and_one_never_cast() -> None:
    stage = m205_night()
    stage.until("day 2")
    stage.vote({3: 5})
    stage.until("night 2")
    assert "3号投5号的票计入" in stage.trace(PUBLIC, WhyVote(3))
    assert "4号没有有效票" in stage.trace(PUBLIC, WhyVote(4))
    assert BALLOTS[EXILE] == WhyVote(3).ballot


# --- why did it end, why a card --------------------------------------------------------------------------------------


def test_the_end_names_its_condition_and_the_last_out() -> None:
    stage = m205_night()
    assert "还没有结束" in stage.trace(PUBLIC, WhyEnd())
    for seat in (1, 2, 3):
        stage.direct("out", seat)
    lines = stage.why(PUBLIC, WhyEnd())
    text = " ".join(line.text.zh for line in lines)
    assert "狼人阵营判负" in text and "村民阵营" in text and "3号（狼人）出局（导演判定）" in text
    assert lines[-1].clauses[0].startswith("victory.villagers.wins") or "C15" in lines[-1].clauses


def test_the_end_by_abort() -> None:
    stage = m205_night()
    stage.direct("abort", True)
    assert "流局" in stage.trace(PUBLIC, WhyEnd())


def test_a_proposed_card_is_for_the_directors() -> None:
    stage = m205_night()
    stage.until("day 2")
    assert "只发了0帖，不足5帖" in stage.trace(DIRECTOR, WhyCard(4))
    assert "夜间超时" in stage.trace(DIRECTOR, WhyCard(9, "夜间超时"))
    for viewer in (PUBLIC, Viewer("player", 4)):
        assert stage.why(viewer, WhyCard(4))[0].clauses == ["P6", "V8"]


def test_no_such_seat() -> None:
    stage = m205_night()
    with pytest.raises(ValueError, match="no seat 11"):
        stage.why(PUBLIC, WhyOut(11))
    with pytest.raises(ValueError, match="no seat 12"):
        stage.why(Viewer("player", 12), WhyOut(1))


def test_clauses_cited_by_the_code_exist_somewhere() -> None:
    """Every id written in the tellers is a clause of some ruleset."""
    known = {id for name in bundled() for id in clause_ids(load(name).ruleset)}
    folder = ROOT / "bansha" / "sight"
    cited = {
        id for path in [*folder.glob("why_*.py"), folder / "teller.py"] for id in re.findall(r'"([A-Z]\d{1,2})"', path.read_text("utf-8"))
    }
    assert cited and cited <= known, cited - known
