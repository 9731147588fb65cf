"""Placeholders stand for the value itself, in the language of the text."""

import pytest

from bansha.rulesets.load import load
from bansha.rulesets.model import Text
from bansha.rulesets.placeholders import PlaceholderError, fill, placeholders
from bansha.rulesets.words import Words


def said(text: str, id: str = "m205", lang: str = "zh", options: dict[str, str] | None = None) -> str:
    """A text filled for a bundled ruleset."""
    return fill(text, Words(load(id).ruleset, lang, options))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{last_words.count}", "3"),
        ("{petitions.closing_minutes|hours}", "3"),
        ("{petitions.closing_minutes|minutes}", "180"),
        ("{ballots.freeze_minutes|hours}", "1"),
        ("{calendar.opens}", "09:00"),
        ("{seats}", "10"),
        ("{roles.wolf.count}", "3"),
        ("{roles.wolf.name}", "狼人"),
        ("{roles.wolf}", "狼人"),
        ("{skills.kill}", "杀人"),
        ("{factions.wolves}", "狼人阵营"),
        ("{skills.antidote|window}", "21:30–22:00"),
        ("{night.3|window}", "21:30–22:00"),
        ("{night.3}", "通灵、救药、毒药"),
        ("{night.3.window.1}", "60"),
        ("{aftermath.0.dusk}", "10"),
        ("{badge.lost_on_tie}", "是"),
        ("{badge.weight}", "1"),
        ("{roles.witch.skills}", "通灵、救药、毒药"),
        ("{options.weekend.default}", "extend"),
        ("{conduct.辱骂.colours.0}", "yellow"),
        ("甲{last_words.count}乙{seats}丙", "甲3乙10丙"),
        ("没有", "没有"),
    ],
)
def test_values(text: str, filled: str) -> None:
    assert said(text) == filled


def test_half_hours_and_half_votes() -> None:
    assert said("{badge.weight}", "standard12") == "1.5"
    assert said("{night.0.window.1|hours}") == "0.5"


def test_keys_with_dots() -> None:
    assert said("{conduct.5.1.colours.0}", "m46") == "yellow"
    assert said("{clauses.m46.badge.3.section}", "m46") == "badge"


def test_numbers_as_keys() -> None:
    assert said("{skills.execution.gains.3}", "baichibai") == "ward"


def test_the_language_of_the_text() -> None:
    words = Words(load("m205").ruleset, "en")
    assert fill(Text("中文", "{skills.kill}, {badge.lost_on_tie}"), words) == "Kill, yes"


def test_an_option_as_it_stands() -> None:
    assert said("{options.weekend}", options={"weekend": "plain"}) == "周末与平日一样"


def test_names_of_the_texts_own() -> None:
    words = Words(load("m205").ruleset)
    assert fill("{coins} 硬币", words, own={"coins": 500}) == "500 硬币"
    with pytest.raises(PlaceholderError):
        fill("{coins} 硬币", words)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{last_words.number}", "'number' is not in last_words; it has count, least_minutes"),
        ("{lastwords.count}", "'lastwords' is not in a ruleset; it has bansha"),
        ("{}", "names a value, such as {last_words.count}"),
        ("{surrender.faction}", "surrender is not set on this board"),
        ("{last_words.count|days}", "the form 'days' is not one of hours, minutes, window"),
        ("{roles.wolf.name|hours}", "wants a number of minutes"),
        ("{skills.handover|window}", "stands in no stage of the night"),
        ("{calendar|window}", "wants skills.X or night.N"),
        ("{night.9.window}", "'9' is not in night"),
        ("{calendar}", "go on to one of start, opens"),
        ("{last_words.count.more}", "it has nothing more"),
    ],
)
def test_what_leads_nowhere(text: str, what: str) -> None:
    with pytest.raises(PlaceholderError) as caught:
        said(text)
    assert what in str(caught.value)
    assert caught.value.placeholder == text.strip("{}")


def test_an_error_says_where_the_text_stands() -> None:
    with pytest.raises(PlaceholderError, match=r"^skills\.kill\.text: \{last_words\.number\}: "):
        fill("{last_words.number}", Words(load("m205").ruleset), "skills.kill.text")


def test_quiet_leaves_it_as_it_is() -> None:
    assert fill("{nowhere} {seats}", Words(load("m205").ruleset), quiet=True) == "{nowhere} 10"


def test_finding_them() -> None:
    assert list(placeholders("{a.b} 与 {c|hours}")) == ["a.b", "c|hours"]
