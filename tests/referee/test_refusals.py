"""Every refusal has its code and a sentence that says what would be legal (refusals.txt: as read by hand)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bansha.referee import commands as c
from bansha.referee.reading import Reading
from bansha.referee.refusals import SENTENCES, Refused, clock, seats
from tests.support.scenes import refusal, scene, story

TEXT = Path(__file__).with_name("refusals.txt").read_text(encoding="utf-8")
SCENES = [block.splitlines() for block in TEXT.split("\n\n") if block.strip() and not block.startswith("#")]


def _parts(lines: list[str]) -> tuple[str, str, str, str]:
    ruleset, *rest = lines
    more = "\n".join(line for line in rest if not line.startswith(("- ", "=> ")))
    return ruleset, "\n".join(line for line in rest if line.startswith("- ")), more, rest[-1].removeprefix("=> ")


@pytest.mark.parametrize("lines", SCENES, ids=lambda lines: f"{lines[0]} {lines[-2][2:]}"[:60])
def test_what_is_refused_and_why(lines: list[str]) -> None:
    ruleset, steps, more, said = _parts(lines)
    assert refusal(ruleset, steps, more) == said
    code, _, english = refusal(ruleset, steps, more, "en").partition(": ")
    assert said.startswith(f"{code}: ") and english and "{" not in english


def refused(command: c.Command, ruleset: str = "m205", steps: str = "- close: setup") -> str:
    runner = scene(ruleset, steps)
    try:
        runner.game.do(command, runner.now)
    except Refused as refusal:
        return str(refusal)
    raise AssertionError(f"accepted: {command}")


def direct(act: str, value: Any) -> c.Direct:
    return c.Direct(act, value, "改判")


FORM: list[tuple[c.Command, str]] = [
    (c.Vote(99, 1, 2), "no_seat: 没有99号座位；座位是1到10。"),
    (c.Vote(0, 1, 2), "no_seat: 没有0号座位；座位是1到10。"),
    (c.Vote(1, 1, 11), "no_seat: 没有11号座位；座位是1到10。"),
    (c.Vote(1, 1, -1), "no_seat: 没有-1号座位；座位是1到10。"),
    (c.Act(9, {}), "nothing: 没有交任何内容。"),
    (c.Act(7, {99: [1]}), "unknown_skill: 没有叫“99”的技能。"),
    (c.Act(7, {-1: [1]}), "unknown_skill: 没有叫“-1”的技能。"),
    (c.Act(9, {2: [11]}), "no_seat: 没有11号座位；座位是1到10。"),
    (c.Act(9, {2: [0]}), "no_seat: 没有0号座位；座位是1到10。"),
    (c.Act(9, {2: []}), "target_count: “守护之盾”要指定1名角色，收到0名。"),
    (c.Post(1, "闲聊", 1, "", 0, Reading()), "unknown_thread: 没有叫“闲聊”的帖子；可以发帖的有：讨论、投票、竞选、进程。"),
    (c.Sign(1, "dance"), "unknown_kind: 本规则没有“dance”申请；可以申请：加速、延时、流局。"),
    (c.Card(1, "green", "作弊"), "wrong_colour: “作弊”不能判green，可判：红牌。"),
    (c.Card(1, "red", "作弊", True), "may_not_judge: 本规则里，判负阵营不随这张牌"),
    (direct("lose", 2), "unknown_faction: 没有阵营“2”；有：狼人阵营、村民阵营。"),
    (direct("lose", -1), "unknown_faction: 没有阵营“-1”；有：狼人阵营、村民阵营。"),
    (direct("dance", True), "unknown_act: 没有这样的导演操作“dance”；有：void_vote、void_act、deadline、out、restore、lose"),
    (direct("out", 11), "no_seat: 没有11号座位；座位是1到10。"),
    (direct("out", True), "no_seat: 没有True号座位；座位是1到10。"),
    (direct("restore", 0), "no_seat: 没有0号座位；座位是1到10。"),
    (direct("deadline", "morgen"), "bad_time: morgen不在现在（09:00）之后。"),
    (direct("void_vote", [3, 0]), "nothing_to_void: 3号没有可作废的有效票。"),
]


@pytest.mark.parametrize(("command", "said"), FORM, ids=lambda value: str(value)[:50])
def test_what_no_case_file_can_say(command: c.Command, said: str) -> None:
    assert refused(command).startswith(said)


def test_the_seats_at_both_ends_are_seats() -> None:
    for seat, target in ((1, 10), (10, 1), (10, 10)):
        runner = scene("m205", "- close: setup")
        runner.game.do(c.Vote(seat, 1, target), runner.now)
        assert story(runner) == [f"vote_cast seat={seat} ballot=1 target={target} ref=0 by=0"]


def test_before_the_deal_nothing_but_the_deal() -> None:
    runner = scene("m205", "")
    runner.game.state = type(runner.game.state)(runner.case.board)
    with pytest.raises(Refused, match="not_begun: 游戏还没有发牌。"):
        runner.game.do(c.Vote(1, 1, 2), runner.now)
    with pytest.raises(Refused, match="phase: 现在不能这样做：游戏已经发牌。"):
        scene("m205", "").game.do(c.Open({}, [], [], 0, {}), 0)


VOTE_POSTS = [
    ("投谁好呢", 0, "bad_format", "no_label"),
    ("投票对象 2号\n投票理由：", 0, "bad_format", "no_colon"),
    ("投票对象：2号", 0, "bad_format", "no_reason_label"),
    ("投票对象：\n投票理由：", 0, "bad_format", "empty_target"),
    ("投票对象：二号\n投票理由：", 0, "unknown_name", "二号"),
    ("投票对象：9号\n投票理由：", 0, "vote_out", "9号"),
    ("投票对象：2号\n投票理由：", 0, "voted", "2号"),
    ("改票对象：2号\n改票理由：", 0, "must_quote", "2号"),
    ("改票对象：2号\n改票理由：", 2, "must_quote", "2号"),
]


@pytest.mark.parametrize(("text", "quote", "code", "target"), VOTE_POSTS)
def test_a_post_that_is_no_vote_is_told_why(text: str, quote: int, code: str, target: str) -> None:
    quoted = f", quote: {quote}" if quote else ""
    steps = f"""
        - close: setup
        - director: {{out: 9, reason: x}}
        - post: {{by: 1, thread: 竞选, text: "投票对象：弃权\\n投票理由："}}
        - post: {{by: 3, thread: 竞选, text: "投票对象：弃权\\n投票理由："}}
        - post: {{by: 1, thread: 竞选, text: {json.dumps(text)}{quoted}}}
    """
    assert story(scene("m205", steps)) == [
        f"post_made seat=1 thread=election ref=3 digest= quote={quote}",
        f"vote_refused seat=1 ballot=1 ref=3 code={code} target={target}",
    ]


def test_a_change_that_quotes_ones_own_vote_for_nobody() -> None:
    steps = """
        - close: setup
        - post: {by: 1, thread: 竞选, text: "投票对象：弃权\\n投票理由："}
        - post: {by: 1, thread: 竞选, text: "改票对象：2号\\n改票理由：", quote: 1}
    """
    assert story(scene("m205", steps))[1] == "vote_changed seat=1 ballot=1 target=2 ref=2"


def test_a_change_before_any_vote_is_told_that_and_not_to_quote() -> None:
    steps = '- close: setup\n- post: {by: 1, thread: 竞选, text: "改票对象：2号 改票理由："}'
    assert story(scene("m205", steps))[1] == "vote_refused seat=1 ballot=1 ref=1 code=no_vote target=2号"


def test_every_code_is_shown_here() -> None:
    shown = set(re.findall(r"^=> (\w+):", TEXT, re.MULTILINE)) | {said.partition(":")[0] for _, said in FORM}
    assert shown | {code for _, _, code, _ in VOTE_POSTS} | {"not_begun"} == set(SENTENCES)


def test_seats_and_clocks_in_a_sentence() -> None:
    assert (seats([3, 1]), seats([])) == ("3、1", "无")
    assert [clock(minute) for minute in (0, 61, 1439, 1440 + 9 * 60)] == ["00:00", "01:01", "23:59", "09:00"]


def test_a_refusal_reads_as_code_and_sentence() -> None:
    refusal = Refused("is_out", seat=lambda: 5)
    assert (str(refusal), refusal.en, refusal.sentence("zh")) == ("is_out: 5号已经出局。", "Seat 5 is out already.", "5号已经出局。")
