"""Differences are told in a player's words, none is missed, and nothing else is told."""

from pathlib import Path

import pytest

from bansha.rulesets.diff import diff
from bansha.rulesets.load import Loaded, RulesetError, bundled, find, load
from tools.rename_mutator import Mutant, changed, leaves, plain_of

# What is not a rule: who wrote it, where it comes from, in which order names are listed.
NO_RULE = ("bansha", "id", "inherits", "source")


def made(id: str, path: tuple[str | int, ...], value: object) -> Loaded:
    """A bundled ruleset with one value changed."""
    of = load(id)
    return Mutant(path, "changed", changed(plain_of(of.ruleset), path, value)).load(of)


@pytest.mark.parametrize("id", bundled())
def test_a_ruleset_does_not_differ_from_itself(id: str) -> None:
    assert diff(load(id), load(id)) == ["没有差别"]
    assert diff(load(id), load(id), "en") == ["No differences"]


def test_formatting_is_no_difference(tmp_path: Path) -> None:
    lines = find("m205").read_text("utf-8").splitlines()
    other = tmp_path / "other.yaml"
    other.write_text("# another hand\n\n" + "\n".join(f"{text}  # so" if text.endswith("]") else text for text in lines), "utf-8")
    assert diff(load("m205"), load(str(other))) == ["没有差别"]


def test_a_flag_is_told_as_the_brief_asks() -> None:
    looser = made("m205", ("skills", "shield", "not_consecutive"), False)
    assert diff(load("m205"), looser) == ["守护之盾可连续两夜指同一人：不可 → 可"]
    assert diff(looser, load("m205")) == ["守护之盾可连续两夜指同一人：可 → 不可"]
    assert diff(load("m205"), looser, "en") == ["Shield, the same character on consecutive nights: no → yes"]


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("badge", "weight"), 1.5, "警长的票：放逐时计 1 票 → 放逐时计 1.5 票"),
        (("last_words", "count"), 4, "名额：最先出局的 3 人 → 最先出局的 4 人"),
        (("ballots", "exile_tie"), "nobody", "放逐平票：警长投的那人出局；没有警长则无人出局 → 无人出局"),
        (("roles", "wolf", "count"), 2, "狼人的人数：3 → 2"),
        (("night", 3, "window"), [30, 50], "【救药】的时限：21:30–22:00 → 21:30–21:50"),
        (("options", "weekend", "default"), "plain", "周末：首次排定的关门落在周六或周日的，推后一个自然日，只推一次 → 周末与平日一样"),
        (("skills", "vision", "shows"), ["kill"], "通灵看得见：【杀人】和【虚刀】 → 【杀人】"),
        (("skills", "check", "tells"), [], "预言分辨的阵营：村民阵营 → 无"),
        (("factions", "wolves", "acquaint"), "known", "狼人阵营：互知并共群 → 互知，不共群"),
        (("conduct", "辱骂", "colours"), ["blue"], "违规条款 辱骂：黄牌 → 蓝牌"),
        (("victory", "order"), ["villagers", "wolves"], "胜负的先后：狼人阵营、村民阵营 → 村民阵营、狼人阵营"),
        (("surrender",), {"faction": "wolves"}, "投降：没有 → 有"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_changes_in_words(path: tuple[str | int, ...], value: object, told: str) -> None:
    assert told in diff(load("m205"), made("m205", path, value))


def test_a_season_against_the_one_before() -> None:
    lines = diff(load("m205-2026-summer"), load("m205"))
    assert "狼人多了技能：盾控、终夜雾" in lines
    assert any(line.startswith("新增技能 盾控：令持有【守护之盾】的人当夜必须用它") for line in lines)
    assert "夜里新增【盾控】：第 1 段，21:00–21:30" in lines
    assert any(line.startswith("新增裁定 M16") for line in lines)
    back = diff(load("m205"), load("m205-2026-summer"))
    assert "狼人少了技能：盾控、终夜雾" in back and "删去技能 盾控" in back


def test_the_order_of_the_night_is_told_once() -> None:
    night = plain_of(load("m46").ruleset)["night"]
    swapped = made("m46", ("night",), [night[1], night[0], *night[2:]])
    orders = [line for line in diff(load("m46"), swapped) if line.startswith("一夜的次序")]
    rest = "杀人；通灵、救药、毒药；预言、寻仇"
    assert orders == [f"一夜的次序：守护之盾、隔音之盾；吹笛；{rest} → 吹笛；守护之盾、隔音之盾；{rest}"]


@pytest.mark.slow
@pytest.mark.parametrize("id", ["baichibai", "m205", "m46", "vanilla"])
def test_every_rule_that_changes_is_told(id: str) -> None:
    of = load(id)
    silent = []
    for mutant in leaves(of.ruleset, texts=False):
        if mutant.path[0] in NO_RULE or mutant.path[-1] == "seed" or str(mutant) == "declared_empty: turned round":
            continue
        try:
            new = mutant.load(of)
        except RulesetError:
            continue
        if diff(of, new) == ["没有差别"]:
            silent.append(str(mutant))
    assert not silent


def test_every_text_that_changes_is_told() -> None:
    of = load("vanilla")
    silent = []
    for mutant in leaves(of.ruleset):
        lang = str(mutant.path[-1])
        if lang in ("zh", "en") and len(diff(of, mutant.load(of), lang)) == 1 and "→" not in "".join(diff(of, mutant.load(of), lang)):
            silent.append(str(mutant))
    assert not [path for path in silent if not path.startswith(("revisions", "etiquette", "rewards", "left_overs"))]
