"""What is understood of posts in plain words."""

from __future__ import annotations

import pytest

from bansha.company.hear import Ear
from bansha.players.intents import HUNCH, Act
from bansha.rulesets.load import load

NAMES = {1: "摆渡人", 2: "小满", 3: "报幕员小满", 4: "铜钟"}
EAR = Ear(load("m205").ruleset, NAMES)


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("不藏了，预言家在这里。", Act("claim", role="seer")),
        ("我是女巫！", Act("claim", role="witch")),
        ("我不是女巫。", None),
        ("昨夜我看了报幕员小满，不属村民阵营。", Act("report", 3, value="!villagers", night=1)),
        ("第1夜查的是小满，狼人。", Act("report", 2, value="wolves", night=1)),
        ("我验了铜钟，好人。", Act("report", 4, value="villagers", night=1)),
        ("今天我投摆渡人，理由明天说。", Act("plan", 1, why=HUNCH)),
        ("铜钟有点可疑", Act("suspect", 4, why=HUNCH)),
        ("摆渡人我放心", Act("trust", 1, why=HUNCH)),
        ("今天天气不错。", None),
    ],
)
def test_a_sentence_is_understood(words: str, act: Act | None) -> None:
    assert EAR.post(2, 4, "discussion", words).acts == (() if act is None else (act,))


def test_a_vote_is_what_its_receipt_says() -> None:
    told = EAR.post(2, 4, "ballot", "投票对象：小满", {"state": "vote", "target": 2, "ballot": "exile"})
    assert told.acts == (Act("vote", 2, why=HUNCH, topic="exile"),)
    assert EAR.post(2, 4, "ballot", "投票对象：没有的人", {"state": "refused", "code": "x", "target": 0, "ballot": "exile"}).acts == ()


def test_several_sentences_are_several_acts() -> None:
    told = EAR.post(3, 1, "last_words", "我是预言家。第2夜查铜钟，狼人阵营。铜钟可疑！")
    assert [act.kind for act in told.acts] == ["claim", "report", "suspect"]
