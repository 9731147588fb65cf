"""What the referee reads in a post: votes by the letter of C18, suspicions, and patterns that cannot hang."""

import re
from itertools import product
from time import perf_counter

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bansha.referee.reading import (
    FAULTS,
    LONGEST_READ,
    Patterns,
    Reading,
    check_pattern,
    explain_fault,
    read_post,
    read_vote,
)
from tests.bbcode.posts import posts

VOTE = "投票对象：包子\n投票理由：可疑"


def vote(target: str) -> Reading:
    return Reading("vote", target)


def change(target: str) -> Reading:
    return Reading("change", target)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (VOTE, "包子"),
        ("投票对象:包子\n投票理由:可疑", "包子"),
        ("投票对象：包子投票理由：可疑", "包子"),
        ("投票对象：包子\n投票理由：", "包子"),
        ("投票对象：弃权\n投票理由：\n\n没有", "弃权"),
        ("投票对象： \t\u3000\u00a0包子 \u3000\n投票理由：", "包子"),
        ("投票对象：\n包子\n\n投票理由：", "包子"),
        ("\n \u3000\n\n投票对象：包子投票理由：", "包子"),
        ("\r\n投票对象：包子\r\n投票理由：\r\n", "包子"),
        ("\u200b投\u200c票\u200d对\u2060象\ufeff：包\u200b子投票理\u200b由：", "包子"),
        ("\u200b\n投票对象：包子投票理由：", "包子"),
        ("投票对象：包 子投票理由：", "包 子"),
        ("投票对象：：包子投票理由：", "：包子"),
        ("投票对象：ＡＢ投票理由：", "ＡＢ"),
        ("投票对象：é投票理由：", "é"),
        ("投票对象：包子，投票理由：", "包子，"),
        ("投票对象：[b]包子[/b]投票理由：", "[b]包子[/b]"),
        ("投票对象：包子投票理由 投票理由：", "包子投票理由"),
        ("投票对象：包子改票理由：投票理由：", "包子改票理由："),
        ("投票对象：甲\n投票理由：一\n投票对象：乙\n投票理由：二", "甲"),
        ("投票对象：甲\n投票理由：一\n改票对象：乙\n改票理由：二", "甲"),
        ("[quote]投票对象：乙投票理由：[/quote]\n投票对象：包子投票理由：", "包子"),
        ("[quote=甲;3]一[quote]二[/quote]三[/quote]投票对象：包子投票理由：", "包子"),
        ("投票对象：包[quote]豆沙[/quote]子投票理由：", "包子"),
        ("投票对象：包子投票理由：[quote]没有完", "包子"),
    ],
)
def test_a_vote(text: str, target: str) -> None:
    assert read_vote(text) == vote(target)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("改票对象：馒头\n改票理由：", "馒头"),
        ("改票对象:弃权改票理由:", "弃权"),
        (f"[quote=花卷;12]{VOTE}[/quote]\n\n改票对象：馒头\n改票理由：想错了", "馒头"),
    ],
)
def test_a_change(text: str, target: str) -> None:
    assert read_vote(text) == change(target)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("no_label", ""),
        ("no_label", "我先想想"),
        ("no_label", " 投票对象：包子\n投票理由："),
        ("no_label", "\n\u3000投票对象：包子\n投票理由："),
        ("no_label", "[quote]一[/quote] 投票对象：包子投票理由："),
        ("no_label", "[b]投票对象：包子投票理由：[/b]"),
        ("no_label", f"我投了。\n{VOTE}"),
        ("no_label", "[/quote]投票对象：包子投票理由："),
        ("no_label", f"[quote]{VOTE}"),
        ("no_label", f"[quote]{VOTE}[/quote]"),
        ("no_label", f"[quote][quote]一[/quote]{VOTE}"),
        ("no_label", f"[code]{VOTE}[/code]"),
        ("no_label", "\u00ad投票对象：包子投票理由："),
        ("no_label", "\u200e投票对象：包子投票理由："),
        ("wrong_label", "投票目标：包子\n投票理由：可疑"),
        ("wrong_label", "投票：包子\n投票理由：可疑"),
        ("wrong_label", "改投对象：包子\n改票理由："),
        ("wrong_label", "投 票对象：包子\n投票理由："),
        ("no_colon", "投票对象 ：包子\n投票理由："),
        ("no_colon", "投票对象\n：包子\n投票理由："),
        ("no_colon", "投票对象包子\n投票理由："),
        ("no_colon", "投票对象︰包子\n投票理由："),
        ("no_colon", "投票对象∶包子\n投票理由："),
        ("no_colon", "投票对象﹕包子\n投票理由："),
        ("no_colon", "改票对象；包子\n改票理由："),
        ("no_reason_label", "投票对象：包子"),
        ("no_reason_label", "投票对象：包子\n理由：可疑"),
        ("no_reason_label", "投票对象：包子\n投票理由 ：可疑"),
        ("no_reason_label", "投票对象：包子\n投票理由可疑"),
        ("no_reason_label", "投票对象：包子\n改票理由：可疑"),
        ("no_reason_label", "改票对象：包子\n投票理由：可疑"),
        ("no_reason_label", "投票对象：包子[quote]投票理由：可疑[/quote]"),
        ("no_reason_label", "投票对象：包子[quote]\n投票理由：可疑"),
        ("empty_target", "投票对象：\n投票理由：可疑"),
        ("empty_target", "投票对象：\u3000 \t\u00a0\u200b\n投票理由：可疑"),
        ("empty_target", "改票对象：改票理由："),
    ],
)
def test_what_is_no_vote_has_a_fault(fault: str, text: str) -> None:
    assert read_vote(text) == Reading(fault=fault)


@given(st.text(max_size=40))
def test_a_post_is_a_vote_or_has_a_fault(text: str) -> None:
    for post in (text, f"投票对象：{text}", f"投票对象：{text}投票理由：{text}", f"[quote]{text}{VOTE}"):
        reading = read_vote(post)
        assert (reading.label in ("vote", "change")) == (reading.fault == "") == (reading.target != "")
        assert reading.fault in ("", *FAULTS)


NAMES = st.text(st.characters(exclude_characters="\n\r[]", exclude_categories=["Cs", "Cf", "Zs", "Cc"]), min_size=1)


@given(NAMES, st.text(max_size=20))
def test_a_name_is_read_as_it_is_written(name: str, reason: str) -> None:
    assume("投票理由" not in name and "改票理由" not in name)
    assume("[" not in reason)
    assert read_vote(f"投票对象：{name}\n投票理由：{reason}") == vote(name)
    assert read_vote(f"[quote]{reason}[/quote]\n改票对象:{name}改票理由:") == change(name)


@given(posts)
def test_nothing_after_a_vote_changes_it(text: str) -> None:
    assert read_vote(f"[quote]{VOTE.replace('包子', '乙')}[/quote]\n{VOTE}{text}") == vote("包子")


@pytest.mark.parametrize(("fault", "lang"), list(product(FAULTS, ("zh", "en"))))
def test_a_fault_is_explained_with_the_right_format(fault: str, lang: str) -> None:
    sentence = explain_fault(Reading(fault=fault), lang)
    assert "投票对象：" in sentence
    assert "投票理由：" in sentence
    assert "改票" in sentence
    assert bool(re.search("[a-z]{5}", sentence)) == (lang == "en")
    assert explain_fault(vote("包子"), lang) == ""


def test_a_reading_is_kept_as_a_short_list() -> None:
    reading = Reading("vote", "包子", "", (("1.1", "背锅"),))
    assert msgspec.json.encode(reading).decode() == '["vote","包子","",[["1.1","背锅"]]]'
    assert msgspec.json.decode(msgspec.json.encode(reading), type=Reading) == reading
    assert len({reading, Reading("vote", "包子", "", (("1.1", "背锅"),))}) == 1


PATTERNS = Patterns(
    [
        ("甲", ["背锅", "顶.{0,3}锅"], []),
        ("乙", ["发誓"], []),
        ("丙", [], ["director_red", "enlarged"]),
        ("丁", ["mvp"], ["enlarged"]),
    ]
)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("我发誓，谁背锅谁背锅", (("甲", "背锅"), ("乙", "发誓"))),
        ("顶一下锅，然后背锅", (("甲", "顶一下锅"),)),
        ("发\u200b誓", (("乙", "发誓"),)),
        ("发[b]誓[/b]", (("乙", "发誓"),)),
        ("你就是MVP", (("丁", "MVP"),)),
        ("[color=#FE0101]红\u200b字\n两行[/color]", (("丙", "红字 两行"),)),
        ("[size=20px]大字[/size]", (("丙", "大字"), ("丁", "大字"))),
        ("[quote]我发誓[/quote]", ()),
        ("[quote][color=red]红字[/color][/quote][color=blue]蓝字[/color]", ()),
        ("[quote]我发誓", ()),
        ("[color=red][/color][size=7] \u3000\u200b[/size]", ()),
        ("发\n誓", ()),
        ("过", ()),
    ],
)
def test_own_words_are_suspected(text: str, flags: tuple[tuple[str, str], ...]) -> None:
    assert read_post(text, PATTERNS, ballot=False) == Reading(flags=flags)


def test_a_long_match_is_cut() -> None:
    ((_, words),) = read_post(f"[size=7]{'大' * 500}[/size]", Patterns([("丙", [], ["enlarged"])]), False).flags
    assert words == "大" * 59 + "…"
    ((_, words),) = read_post(f"[size=7]{'大' * 60}[/size]", Patterns([("丙", [], ["enlarged"])]), False).flags
    assert words == "大" * 60


def test_a_ballot_post_is_a_vote_and_can_be_suspected() -> None:
    reading = read_post("投票对象：包子\n投票理由：我发誓他是狼", PATTERNS, ballot=True)
    assert reading == Reading("vote", "包子", "", (("乙", "发誓"),))
    assert read_post("我发誓", PATTERNS, ballot=True) == Reading("", "", "no_label", (("乙", "发誓"),))


def test_outside_the_ballot_thread_nothing_is_a_vote() -> None:
    assert read_post(VOTE, PATTERNS, ballot=False) == Reading()


def test_what_follows_the_longest_read_is_not_looked_at() -> None:
    assert LONGEST_READ == 20_000
    assert read_post("字" * (LONGEST_READ - 2) + "发誓", PATTERNS, False).flags
    assert not read_post("字" * (LONGEST_READ - 1) + "发誓", PATTERNS, False).flags


@given(posts)
def test_every_post_can_be_read(text: str) -> None:
    read_post(text, PATTERNS, ballot=True)


HUGE = [
    "投票对象：" * 20_000,
    "投票对象：" + " " * 100_000,
    " " * 100_000 + "x",
    "\n" * 100_000,
    " \n" * 50_000,
    "[quote]" * 15_000,
]


@pytest.mark.parametrize("text", HUGE, ids=range(len(HUGE)))
def test_a_huge_post_is_read_quickly(text: str) -> None:
    started = perf_counter()
    read_post(text, PATTERNS, ballot=True)
    assert perf_counter() - started < 3


@pytest.mark.parametrize(
    "regex",
    [
        "背锅", "背.{0,4}锅", "(?:我|你)?背锅", "[大黑]{1,3}锅", r"\d{1,2}[:：]\d{2}", "a{3}", "那场(?!上)", "a??b",
        "^锅|锅$", r"\[b\]", "(?:ab|cd){1,3}", r"[\d\-]锅", "[^，。]{1,5}锅", "{}", "a{}", "Xa", "aX", "aXa", "(?:X|XX)a",
    ],
)  # fmt: skip
def test_bounded_patterns_are_allowed(regex: str) -> None:
    assert check_pattern(regex) is None


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        ("a*b", "without bound"), ("a+b", "without bound"), ("a{2,}b", "without bound"), ("(?:a+)+b", "without bound"),
        ("(?:a{1,3}){2,3}b", "itself repeats"), ("(?:a?){3}b", "itself repeats"), ("a{1,3}+b", "repetition of"),
        (r"(a)\1", "refers back"), ("(?P<x>a)(?P=x)", "only"), ("(?<=a)b", "looks back"), ("(?<!a)b", "looks back"),
        ("(?i)a", "only"), ("(?>ab)", "only"), ("(?#a)b", "only"), (r"\Aa", "not allowed"), (r"[\A]", "no regular"),
        ("a{1,99}b", "more than"), (".{0,40}.{0,40}.{0,40}b", "ways"), ("", "nothing"), ("a?", "nothing"),
        ("a|", "nothing"), ("^", "nothing"), ("a{,3}", "nothing"), ("[a]?", "nothing"), (r"[\]a]?", "nothing"),
        ("(a", "no regular"), ("[a", "no regular"), ("*a", "no regular"), ("a" * 2000, "longer"), ("(" * 12 + "a" + ")" * 12, "deeper"),
    ],
)  # fmt: skip
def test_other_patterns_are_refused_with_a_reason(regex: str, reason: str) -> None:
    assert reason in (check_pattern(regex) or "")


@pytest.mark.filterwarnings("ignore::FutureWarning")
@given(st.text(alphabet="ab.?*+{}(),|[]^$\\:=!<-12锅", max_size=14))
def test_every_pattern_gets_an_answer_and_allowed_ones_are_quick(regex: str) -> None:
    if check_pattern(regex) is None:
        assert not re.fullmatch(regex, "")
        started = perf_counter()
        re.compile(regex, re.IGNORECASE).search("ab1" * 3000)
        assert perf_counter() - started < 2


WAYS = ".{0,39}.{0,24}"  # 40 · 25 ways; twice that is just allowed


@pytest.mark.parametrize(
    ("regex", "ways"),
    [
        ("(?:a|a)", 2000), ("b.{0,2}", 3000), ("(?:(?:a|b)|c)(?:d|d)", 2000), ("(?:(?:a|a)|c)", 2000),
        ("(?:(?:.|a)|b)", 3000), ("(?:(?:a|b)|.)", 2000), ("(?:(?:a|b)|[ab])", 2000), ("(?:(?:a|b)|(?:a|b))", 2000),
    ],
)  # fmt: skip
def test_the_ways_of_a_pattern_are_counted(regex: str, ways: int) -> None:
    reason = check_pattern(WAYS + regex)
    assert reason is None if ways <= 2000 else reason and f"in {ways} ways" in reason


def test_two_thousand_ways_are_allowed_and_no_more() -> None:
    assert check_pattern(".{0,39}.{0,24}(?:a|a)") is None
    assert "in 2001 ways" in (check_pattern("a.{0,2}.{0,22}.{0,28}") or "")


def test_the_reason_names_the_escapes_that_are_allowed() -> None:
    assert check_pattern(r"a\Ab") == r"at character 2: \A is not allowed; of such only \B D S W b d n s t w"


def test_patterns_that_are_refused_do_not_compile() -> None:
    with pytest.raises(ValueError, match=r"clause 甲: .*without bound"):
        Patterns([("甲", ["a+b"], [])])
    with pytest.raises(ValueError, match="no detector 'blue'; there are director_red, enlarged"):
        Patterns([("甲", [], ["blue"])])
