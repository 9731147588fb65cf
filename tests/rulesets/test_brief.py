"""The brief tells each kind of reader what is unusual, and only that, in at most a dozen lines."""

import re

import pytest

from bansha.rulesets.brief import FEATURES, MODERN, MOST, OLDER, brief
from bansha.rulesets.load import Loaded, bundled, load
from bansha.rulesets.words import OptionError
from tools.rename_mutator import Mutant, changed, plain_of


def made(id: str, *changes: tuple[tuple[str | int, ...], object]) -> Loaded:
    """A bundled ruleset with some values changed."""
    of = load(id)
    plain = plain_of(of.ruleset)
    for path, value in changes:
        plain = changed(plain, path, value)
    return Mutant((), "changed", plain).load(of)


def line(lines: list[str], word: str) -> str:
    """The one line that holds a word; "" when none does."""
    found = [text for text in lines if word in text]
    assert len(found) < 2
    return found[0] if found else ""


@pytest.mark.parametrize("id", bundled())
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_at_most_a_dozen_marked_lines(id: str, lang: str) -> None:
    lines = brief(load(id), lang)
    assert 3 <= len(lines) <= MOST == 12
    assert all(re.match(r"(〔老〕|〔新〕|〔老〕〔新〕)[^〔]", text) for text in lines)
    assert len(set(lines)) == len(lines)


def test_profiles_know_every_feature() -> None:
    assert set(OLDER) == set(MODERN) == set(FEATURES)


def test_m205_for_both_readers() -> None:
    lines = brief(load("m205"))
    assert line(lines, "放逐票计") == "〔老〕〔新〕警长的放逐票计 1 票。"
    assert line(lines, "放逐平票").startswith("〔老〕〔新〕放逐平票：警长投的那人出局")
    assert line(lines, "第一日只竞选").startswith("〔老〕〔新〕")
    assert line(lines, "不会反而出局").startswith("〔新〕")
    assert line(lines, "哪一夜都可用于自己").startswith("〔新〕")
    assert line(lines, "不可连续两夜").startswith("〔老〕")
    assert "盾控" in line(lines, "〔老〕〔新〕少见的技能")


def test_m46_is_what_older_boards_are() -> None:
    lines = brief(load("m46"))
    assert line(lines, "放逐票计") == "〔新〕警长的放逐票计 2 票。"
    assert line(lines, "从第零夜开始").startswith("〔老〕")
    assert line(lines, "只能用一次").startswith("〔新〕")
    assert line(lines, "达到在场总数的一半").startswith("〔新〕")


def test_the_common_board_is_what_modern_boards_are() -> None:
    lines = brief(load("standard12"))
    assert line(lines, "1.5 票") == "〔老〕警长的放逐票计 1.5 票。"
    assert line(lines, "反而出局").startswith("〔老〕")
    assert line(lines, "头一夜").startswith("〔老〕")
    assert line(lines, "全部出局；或").startswith("〔老〕")


def test_what_a_profile_expects_is_not_marked_for_it() -> None:
    usual = made("m46", (("badge", "weight"), 1.5))
    assert line(brief(usual), "放逐票计").startswith("〔老〕警长")


def test_what_both_expect_is_left_out() -> None:
    plain = brief(load("m205"))
    assert line(plain, "个阵营各有胜负") == ""
    assert line(brief(load("m46")), "个阵营各有胜负").startswith("〔老〕〔新〕3 个阵营")


def test_lines_follow_the_data() -> None:
    kills = made("m205", (("settlement", 0, "overlap"), "kills"))
    assert line(brief(kills), "反而出局") == "〔老〕【守护之盾】和【救药】同在一人身上，反而出局。"
    first = made("m205", (("skills", "antidote", "self_only_first_night"), True))
    assert line(brief(first), "【救药】只有").startswith("〔老〕")


def test_lines_follow_the_options() -> None:
    assert "不在平票者之中也一样" in line(brief(load("m205"), options={"tie_break_scope": "literal"}), "放逐平票")
    only = brief(load("m46"), options={"day1_exile": "no"})
    assert line(only, "第一日只竞选警长，不放逐").startswith("〔新〕")
    day = brief(load("vanilla"), options={"first": "day"})
    assert line(day, "先有一个白天").startswith("〔新〕")


def test_an_option_that_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionError, match="no option 'mood'"):
        brief(load("m205"), options={"mood": "good"})
