"""The rule sheet says everything the file says, in four formats, and cites only what can be cited."""

import html.parser
import re
import typing
from collections import Counter
from pathlib import Path

import pytest

from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets import model
from bansha.rulesets.document import FORMATS
from bansha.rulesets.load import Loaded, RulesetError, bundled, find, load
from bansha.rulesets.model import Skill
from bansha.rulesets.phrases import CONDITIONS, FIELD_KINDS, FLAGS, LINES, OPTIONS, SECTIONS, SETTINGS, VERBS
from bansha.rulesets.sheet import build, clause_ids, show, week
from bansha.rulesets.words import OptionError
from tools.rename_mutator import Mutant, changed, leaves, plain_of

ALL = bundled()
OWN = [id for id in ALL if id != "m205-2026-summer"]  # m205 holds everything of it


def made(of: Loaded, path: tuple[str | int, ...], value: object) -> Loaded:
    """The ruleset with one value changed; hash and places kept."""
    return Mutant(path, "changed", changed(plain_of(of.ruleset), path, value)).load(of)


# ── nothing is left out ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("id", OWN)
def test_every_number_flag_policy_and_list_changes_the_sheet(id: str) -> None:
    of = load(id)
    before = show(of, "zh")
    silent, tried = [], 0
    for mutant in leaves(of.ruleset, texts=False):
        try:
            new = mutant.load(of)
            after = show(new, "zh")
        except RulesetError:
            continue  # the file would be refused, or a text names what is gone
        tried += 1
        if after == before:
            silent.append(str(mutant))
    assert tried > 200
    assert not silent


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_text_is_on_the_sheet(lang: str) -> None:
    of = load("vanilla")
    before = show(of, lang)
    texts = [mutant for mutant in leaves(of.ruleset) if mutant.path[-1] == lang]
    assert len(texts) > 100
    hidden = []
    for mutant in texts:
        if show(mutant.load(of), lang) == before:
            hidden.append(str(mutant))
    assert not hidden


def test_a_comment_in_the_file_changes_nothing(tmp_path: Path) -> None:
    same = tmp_path / "same.yaml"
    same.write_text("# a remark\n" + find("m205").read_text("utf-8"), "utf-8")
    assert show(load(str(same))) == show(load("m205"))


def test_every_flag_of_a_skill_has_words() -> None:
    assert set(FLAGS) == set(Skill.__struct_fields__) - {"name", "verb", "text"}
    assert set(FIELD_KINDS) <= set(FLAGS)


def test_every_name_of_the_referee_has_words() -> None:
    assert VOCABULARY.verbs <= set(VERBS)
    assert VOCABULARY.settlement | VOCABULARY.aftermath <= set(LINES)
    assert VOCABULARY.conditions <= set(CONDITIONS)
    for name, values in VOCABULARY.options.items():
        legal = {"off", "N"} if values == {"off|N"} else set(values)
        assert legal <= set(OPTIONS[name].values)


def test_every_policy_of_the_model_has_words() -> None:
    for path, setting in SETTINGS.items():
        section, name = path.split(".")
        struct = {"last_words": model.LastWords}.get(section) or getattr(model, section.capitalize())
        kind = typing.get_type_hints(struct)[name]
        if isinstance(setting.says, dict):
            legal = {"true", "false"} if kind is bool else set(typing.get_args(kind))
            assert set(setting.says) == legal, path


# ── contents ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("id", ALL)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_section_stands_on_every_sheet(id: str, lang: str) -> None:
    sections = build(load(id), lang).sections
    assert [section.id for section in sections] == list(SECTIONS)
    assert all(section.blocks for section in sections)


def test_title_hash_and_the_exact_posts() -> None:
    of = load("m205")
    text = show(of)
    assert text.startswith("普狼10人场\n")
    assert of.hash in text.replace(" ", "")
    assert "投票对象：" in text and "投票理由：" in text
    assert "改票对象：" in text and "改票理由：" in text


def test_the_night_is_a_timetable_in_minutes_and_clock_times() -> None:
    night = show(load("m205")).partition("一夜的时刻表 — ")[2]
    assert re.search(r"4 +女巫 +救药 +30–60 +21:30–22:00 +全场一次、与毒药至多其一、不答黄牌", night)
    assert re.search(r"1 +预言家 +首夜盾 +0–30 +21:00–21:30 +限第一夜", night)


def test_clock_times_follow_the_close() -> None:
    late = made(load("m205"), ("calendar", "closes"), "23:45")
    assert "次日 00:15" in show(late)
    assert "21:30" not in show(late)


def test_a_window_that_waits_for_an_answer_says_so() -> None:
    assert "30–60，从【通灵】答复起；没有则 0–30" in show(load("m46"))


def test_the_first_night_is_called_by_its_number() -> None:
    assert "头一夜（第一夜）" in show(load("m205"))
    assert "头一夜（第零夜）" in show(load("standard12"))


def test_what_does_not_apply_says_so_in_one_line() -> None:
    sheet = {section.id: section for section in build(load("vanilla")).sections}
    assert len(sheet["badge"].blocks) == 1
    assert "本板没有警长。" in show(load("vanilla"))
    assert "没有声明" not in show(load("vanilla"))
    undeclared = made(load("vanilla"), ("declared_empty",), [])
    assert "没有声明此节为空" in show(undeclared)


def test_settings_without_a_use_are_not_printed_unless_written() -> None:
    assert "竞选平票" not in show(load("baichibai"))
    odd = made(load("baichibai"), ("ballots", "election_tie"), "first_reached")
    assert "用不上" in show(odd)


# ── options ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_option_changes_what_is_in_force_and_says_it_was_changed() -> None:
    before, after = show(load("m205")), show(load("m205"), options={"tie_break_scope": "literal"})
    assert "警长投谁谁出局，不在平票者之中也一样" not in before
    assert "警长投谁谁出局，不在平票者之中也一样" in after
    assert "改动 1 个" in after and "[本场改动]" in after and "[本场改动]" not in before


def test_the_other_reading_of_a_ruling_is_printed() -> None:
    ruling = show(load("m205")).partition("裁定\n\n")[2]
    assert "另一读法：照字面" in ruling


@pytest.mark.parametrize("id", ALL)
def test_every_value_of_every_option_can_be_shown(id: str) -> None:
    of = load(id)
    before = show(of)
    for name, option in of.ruleset.options.items():
        for value in ["5"] if option.values == ["off|N"] else option.values:
            if value != option.default:
                assert show(of, options={name: value}) != before, (name, value)


def test_a_number_stands_in_the_words_of_an_option() -> None:
    assert "开门时在场不足 5 人" in show(load("m46"), options={"auto_speed_up_below": "5"})


def test_an_unknown_option_or_value_is_named() -> None:
    with pytest.raises(OptionError, match="no option 'mood' in m205; options are close_early"):
        show(load("m205"), options={"mood": "good"})
    with pytest.raises(OptionError, match="weekend cannot be 'maybe'; values are extend, plain"):
        show(load("m205"), options={"weekend": "maybe"})


def test_the_quorum_is_worked_out_for_this_board() -> None:
    assert "本局 10 人都在场时，要 5 人" in show(load("m205"))
    majority = made(load("m205"), ("petitions", "quorum"), "majority")
    assert "本局 10 人都在场时，要 6 人" in show(majority)


# ── the week ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_week_of_one_day_each_skips_the_weekend_once() -> None:
    days = week(load("m205").ruleset, "extend", "day")
    assert [f"{day.closes:%a %H:%M}" for day in days] == [
        "Mon 21:00", "Tue 21:00", "Wed 21:00", "Thu 21:00", "Fri 21:00", "Sun 21:00", "Mon 21:00",
    ]  # fmt: skip
    assert [day.moved for day in days] == [False] * 5 + [True, False]


def test_a_week_of_two_days_each() -> None:
    days = week(load("baichibai").ruleset, "extend", "day")
    assert [f"{day.opens:%a}–{day.closes:%a}" for day in days] == ["Mon–Tue", "Wed–Thu", "Fri–Sun", "Mon–Tue"]


def test_a_game_that_starts_at_night_opens_the_next_day() -> None:
    days = week(load("m46").ruleset, "plain", "night")
    assert f"{days[0].opens:%a %H:%M}–{days[0].closes:%a}" == "Tue 09:00–Wed"
    assert not any(day.moved for day in days)


def test_a_close_before_the_opening_still_ends() -> None:
    odd = made(load("vanilla"), ("calendar", "closes"), "08:30")
    assert len(week(odd.ruleset, "plain", "day")) < 10


# ── clause ids ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("id", ALL)
def test_every_clause_id_is_an_anchor_and_no_anchor_stands_twice(id: str) -> None:
    of = load(id)
    anchors = re.findall(r' id="([^"]+)"', show(of, "zh", "html"))
    assert [anchor for anchor, count in Counter(anchors).items() if count > 1] == []
    assert set(clause_ids(of.ruleset)) <= set(anchors)


def test_clause_ids_have_their_text_in_both_languages() -> None:
    ids = clause_ids(load("m46").ruleset)
    assert {"C21", "G6", "skill.kill", "settle.1", "after.2", "victory.piper.wins.1", "victory.wolves.lost.2", "conduct.5.1"} <= set(ids)
    assert ids["settle.2"].zh.startswith("【毒药】") and ids["settle.2"].en.startswith("Poison")
    assert ids["victory.wolves.wins.1"].en == "those of Wolves alive are at least half of all alive."
    for id, text in ids.items():
        assert text.zh and text.en and "…" not in (text.zh, text.en), id
        assert "{" not in text.zh + text.en, id


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Balanced(html.parser.HTMLParser):
    """Fails on a tag that does not close what is open, on styles and on scripts."""

    EMPTY = frozenset({"br", "rect", "line"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("style", "script", "html", "body")
        assert not {name for name, _ in attrs if name == "style" or name.startswith("on")}
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {name for name, _ in attrs if name == "style" or name.startswith("on")}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("id", ALL)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_html_is_a_balanced_fragment_without_style_or_script(id: str, lang: str) -> None:
    parser = Balanced()
    page = show(load(id), lang, "html")
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert '<ol class="stages plan">' in page and '<dl class="terms gap">' in page
    assert '<table class="table fold-rows prose" role="table">' in page
    assert f'lang="{"en" if lang == "en" else "zh-Hans"}"' in page


def test_html_escapes_what_a_ruleset_writes() -> None:
    bad = made(load("vanilla"), ("about", "zh"), '<script>alert("狼")</script> & 更多')
    page = show(bad, "zh", "html")
    assert "<script>" not in page and "&lt;script&gt;" in page and "&amp; 更多" in page


@pytest.mark.parametrize("id", ALL)
def test_bbcode_closes_what_it_opens_and_no_text_breaks_it(id: str) -> None:
    code = show(made(load(id), ("about", "zh"), "方括号[b]不算[/quote]代码"), "zh", "bbcode")
    assert "［b］不算［/quote］代码" in code
    opened: list[str] = []
    for slash, tag in re.findall(r"\[(/?)(\w+)(?:=[^\]]*)?\]", code):
        if slash:
            assert opened.pop() == tag
        else:
            opened.append(tag)
    assert opened == []
    assert set(re.findall(r"\[(\w+)", code)) <= {"b", "size", "list", "table", "tr", "td", "quote", "color", "s"}


def test_markdown_escapes_and_tables() -> None:
    page = show(made(load("m205"), ("about", "zh"), "竖线|星*号"), "zh", "md")
    assert "竖线\\|星\\*号" in page
    assert "| --- |" in page and '<a id="skill.kill"></a>' in page


@pytest.mark.parametrize("form", FORMATS)
def test_formats_hold_the_same_sentences(form: str) -> None:
    sheet = show(load("baichibai"), "zh", form)
    for sentence in ("恰有 4 名角色在场", "次日的放逐票另加 2 票", "目标为可指角色的一半，零头进一，本局 6 名"):
        assert sentence in sheet


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="formats are text, md, html, bbcode"):
        show(load("m205"), "zh", "pdf")


@pytest.mark.parametrize("id", ALL)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_placeholder_and_no_bare_id_is_left(id: str, lang: str) -> None:
    text = show(load(id), lang)
    assert not re.search(r"\{\w", text)
    assert "。。" not in text and ".." not in text.replace("...", "")


def test_a_text_with_a_bad_placeholder_is_located() -> None:
    bad = made(load("m205"), ("skills", "check", "text", "zh"), "最先 {last_words.number} 人")
    with pytest.raises(RulesetError, match=r"skills\.check\.text") as caught:
        show(bad)
    assert caught.value.line == load("m205").place(("skills", "check", "text"))[1]
