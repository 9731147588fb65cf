"""A case file that cannot be run is named with its line, what was found and what would have been legal; never a traceback."""

import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from bansha.cases.read import Malformed, read_text
from bansha.cases.run import Failed, Runner, run_files
from bansha.rulesets.yaml12 import read

HERE = Path(__file__).parent
GOOD = """\
case: 一例
ruleset: m205
options: {weekend: plain}
seed: 7
start: 2026-05-13T09:00
deal: [狼人, 狼人, 狼人, 民, 民, 民, 预言家, 女巫, 守护, 混血儿]
history: {3: 5}
steps:
  - act: {10: {认亲: 4}}
  - close: setup
    expect: {phase: day 1}
"""
HEAD = GOOD.rsplit("  - act", 1)[0]
# The line of the first step written by `step`.
FIRST = HEAD.count("\n") + 1


def error(text: str) -> Malformed:
    with pytest.raises(Malformed) as caught:
        read_text(text, "a.yaml", HERE)
    assert str(caught.value).startswith(f"a.yaml:{caught.value.line}: ")
    return caught.value


def test_the_pattern_of_these_tests_is_a_good_case() -> None:
    Runner(read_text(GOOD, "a.yaml", HERE)).run()


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("case: 一例\n", "", 1, "case is missing; a case file has case, ruleset"),
        ("ruleset: m205\n", "", 1, "ruleset is missing"),
        ("ruleset: m205", "ruleset: m999", 2, "m205"),
        ("ruleset: m205", "ruleset: ./nothing.yaml", 2, "nothing.yaml"),
        ("ruleset: m205", "ruleset: 5", 2, "a text is expected"),
        ("weekend: plain", "weekend: never", 3, "'never' is not one of extend, plain"),
        ("weekend: plain", "weekends: plain", 3, "weekend"),
        ("weekend: plain", "auto_speed_up_below: few", 3, "neither off nor a number"),
        ("options: {weekend: plain}", "options: [weekend]", 3, "a mapping is expected"),
        ("seed: 7", "seed: seven", 4, "a whole number is expected, found 'seven'"),
        ("start: 2026-05-13T09:00", "start: 9:00", 5, "a local time like 2026-05-13T09:00"),
        ("start: 2026-05-13T09:00", "start: 2026-13-45T09:00", 5, "a local time like 2026-05-13T09:00"),
        ("start: 2026-05-13T09:00", "start: 9999-12-31T09:00", 5, "a local time like 2026-05-13T09:00"),
        ("start: 2026-05-13T09:00", "start:", 5, "a local time like 2026-05-13T09:00"),
        ("start: 2026-05-13T09:00", "names: [甲, 乙]", 5, "2 names for 10 seats"),
        ("start: 2026-05-13T09:00", "names: [甲, 甲, c, d, e, f, g, h, i, j]", 5, "unique"),
        ("start: 2026-05-13T09:00", "names: [弃权, 甲, c, d, e, f, g, h, i, j]", 5, "弃权"),
        ("start: 2026-05-13T09:00", "names: [x投票理由：, 甲, c, d, e, f, g, h, i, j]", 5, "label"),
        ("start: 2026-05-13T09:00", "names: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", 5, "a text is expected"),
        ("deal: [狼人, 狼人, 狼人, 民", "deal: [狼人, 狼人, 民, 民", 6, "狼人 stands 2 times; the ruleset has 3"),
        ("deal: [狼人", "deal: [猎人", 6, "unknown role '猎人'; roles here are 狼人、民、预言家、女巫、守护、混血儿"),
        ("守护, 混血儿]", "守护]", 6, "混血儿 stands 0 times; the ruleset has 1"),
        ("守护, 混血儿]", "守护, 混血儿, 民]", 6, "民 stands 4 times; the ruleset has 3"),
        ("deal: [狼人", "deal: [5", 6, "unknown role 5"),
        ("history: {3: 5}", "history: {11: 5}", 7, "11 is no seat; seats are 1 to 10"),
        ("history: {3: 5}", "history: {3: -1}", 7, "a number of games is expected"),
        ("history: {3: 5}", "histories: {3: 5}", 7, "unknown key 'histories'; legal are case, ruleset, options"),
        ("seed: 7", "seed: 7\nseed: 8", 5, "the key 'seed' stands twice"),
        ("  - act: {10: {认亲: 4}}\n", "  act: {10: {认亲: 4}}\n", 10, "not YAML"),
    ],
)
def test_headers(old: str, new: str, line: int, says: str) -> None:
    assert old in GOOD
    problem = error(GOOD.replace(old, new, 1))
    assert says in problem.what
    assert problem.line == line


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("jump: 3", "exactly one of act, vote, elect"),
        ("expect: {phase: day 1}\n    jump: 3", "exactly one of act"),
        ("{act: {1: {杀人: 4}}, vote: {1: 4}}", "exactly one of act"),
        ("act: [1]", "a mapping is expected, found [1]"),
        ("act: {0: {杀人: 4}}", "0 is no seat; seats are 1 to 10"),
        ("act: {11: {杀人: 4}}", "11 is no seat"),
        ("act: {一: {杀人: 4}}", "'一' is no seat"),
        ("act: {1: {枪决: 4}}", "unknown skill '枪决'; skills here are"),
        ("act: {1: 杀人}", "a mapping is expected, found '杀人'"),
        ("act: {1: {杀人: 14}}", "14 is no seat"),
        ("act: {1: {杀人: [4, 14]}}", "14 is no seat"),
        ("act: {1: {杀人: 无}}", "a target is a seat, a list of seats, true, or pass"),
        ("act: {1: {杀人: }}", "a target is missing; write a seat, a list of seats, true, or pass"),
        ("vote: {1: 弃票}", "a seat or 弃权"),
        ("vote: {1: 11}", "a seat or 弃权"),
        ("vote: 3", "a mapping is expected"),
        ("change: {1: true}", "a seat or 弃权"),
        ("proxy: {12: 1}", "12 is no seat"),
        ("close: evening", "'evening' is not one of setup, day, dusk, night, dawn"),
        ("close: day 1", "'day 1' is not one of setup, day, dusk, night, dawn"),
        ("clock: tomorrow", "a local time like 2026-05-13T09:00"),
        ("clock: 20:01", "a local time like 2026-05-13T09:00"),
        ("clock: 2026-02-30T20:01", "a local time like 2026-05-13T09:00"),
        ("post: {by: 1, thread: 讨论}", "text is missing"),
        ("post: {by: 1, thread: 水区, text: a}", "'水区' is not one of 讨论, 投票, 竞选, 进程"),
        ("post: {by: 99, thread: 讨论, text: a}", "99 is no seat"),
        ("post: {by: 1, thread: 讨论, text: 5}", "a text is expected (quote it), found 5"),
        ("post: {by: 1, thread: 讨论, text: a, quote: 0}", "quote is a number from 1 to"),
        ("post: {by: 1, thread: 讨论, text: a, times: 0}", "times is a number from 1 to"),
        ("post: {by: 1, thread: 讨论, text: a, times: 100000000}", "times is a number from 1 to"),
        ("post: {by: 1, thread: 讨论, text: a, floor: 2}", "unknown key 'floor'; legal are by, thread, text, quote, times"),
        ("card: {seat: 5, colour: green, clause: 贬低}", "'green' is not one of blue, yellow, red"),
        ("card: {seat: 5, colour: blue, clause: 1.1}", 'clause ids are strings, quote them: "1.1"'),
        ("card: {colour: blue, clause: 贬低}", "seat is missing; a card has seat, colour, clause"),
        ("uncard: {seat: 5, color: blue}", "unknown key 'color'; legal are seat, colour, clause"),
        ("petition: {kind: 加速}", "kind and by are needed"),
        ("petition: {kind: 投降, by: [1]}", "'投降' is not one of 加速, 延时, 流局"),
        ("petition: {kind: 加速, by: [1, 30]}", "30 is no seat"),
        ("surrender: {by: 1, agree: 2}", "exactly one of by, agree, decline"),
        ("surrender: 1", "a mapping is expected"),
        ("last_words: {1: 5}", "a text is expected"),
        ("substitute: 3", "a mapping is expected"),
        ("substitute: {}", "None is no seat; seats are 1 to 10"),
        ("assistant: {seat: 3, by: 4}", "unknown key 'by'; legal are seat"),
        ("director: {kill: 3, reason: a}", "exactly one of void_vote, void_act, deadline, out, restore, lose"),
        ("director: {reason: a}", "exactly one of void_vote"),
        ("director: {out: 3, lose: 狼人阵营, reason: a}", "exactly one of void_vote"),
        ("director: {out: 30, reason: a}", "30 is no seat"),
        ("director: {void_act: {3: 枪决}, reason: a}", "unknown skill '枪决'"),
        ("director: {void_act: 3, reason: a}", "a mapping is expected"),
        ("director: {deadline: 21, reason: a}", "a local time like 2026-05-13T09:00"),
        ("director: {lose: 宗教阵营, reason: a}", "unknown faction '宗教阵营'; factions here are 狼人阵营、村民阵营"),
        ("director: {speed_up: false, reason: a}", "speed_up: true is expected, found False"),
        ("director: {extend: 1, reason: a}", "extend: true is expected, found 1"),
        ("director: {abort: , reason: a}", "abort: true is expected, found None"),
        ("director: {out: 3, reason: 5}", "a text is expected"),
        ("refuse: {jump: 3}", "exactly one of act, vote, elect"),
        ("refuse: {vote: {1: 弃票}}", "a seat or 弃权"),
        ("refuse: vote", "a mapping is expected"),
        ("refuse: {expect: {phase: day 1}}", "refuse: wraps one step"),
        ("refuse: {refuse: {vote: {1: 2}}}", "refuse: wraps one step"),
        ("{vote: {1: 2}, reason: voted}", "reason stands beside refuse only"),
        ("{refuse: {vote: {1: 2}}, reason: 5}", "a text is expected"),
        ("vote: {1: 2, 1: 3}", "the key 1 stands twice"),
        ("vote: &a {1: 2}\n  - vote: *a", "an alias (*name); write the value out instead"),
        ("5", "a mapping is expected, found 5"),
        ("", "a mapping is expected, found None"),
    ],
)
def test_steps(step: str, says: str) -> None:
    problem = error(HEAD + f"  - {step}\n")
    assert says in problem.what
    assert FIRST <= problem.line <= FIRST + step.count("\n")


@pytest.mark.parametrize(
    ("expect", "says"),
    [
        ("{weather: fine}", "unknown key 'weather'; legal are phase, now, closes_at"),
        ("[1]", "a mapping is expected"),
        ("{phase: day}", "'day' is none of setup, day K, dusk K, night K, dawn K, over"),
        ("{phase: 3}", "3 is none of setup"),
        ("{now: 9:00}", "a local time like 2026-05-13T09:00"),
        ("{closes_at: soon}", "a local time like 2026-05-13T09:00"),
        ("{alive: 5}", "a list of seats is expected, found 5"),
        ("{alive: [11]}", "11 is no seat; seats are 1 to 10"),
        ("{out: [0]}", "0 is no seat"),
        ("{causes: {4: 摔死}}", "'摔死' is none of 放逐、红牌、导演 and the skills"),
        ("{causes: {14: 杀人}}", "14 is no seat"),
        ("{winner: 吹笛者阵营}", "unknown faction '吹笛者阵营'; factions here are 狼人阵营、村民阵营"),
        ("{winner: [狼人阵营]}", "unknown faction"),
        ("{lost: 狼人阵营}", "a list is expected"),
        ("{sheriff: 11}", "11 is no seat"),
        ("{sheriff: nobody}", "a seat or none"),
        ("{feedback: {1: {枪决: true}}}", "unknown skill '枪决'; skills here are"),
        ("{feedback: {1: true}}", "a mapping is expected, found True"),
        ("{announced: 放逐}", "a mapping is expected"),
        ("{tally: {4: many}}", "a number from 0 on is expected, found 'many'"),
        ("{elect_tally: {14: 1}}", "14 is no seat"),
        ("{ballot: {4: 弃}}", "a seat or 弃权"),
        ("{holds: {4: 毒药}}", "a list is expected, found '毒药'"),
        ("{holds: {4: [枪决]}}", "unknown skill '枪决'"),
        ("{open: {4: [枪决]}}", "unknown skill '枪决'"),
        ("{faction: {4: 宗教阵营}}", "unknown faction '宗教阵营'"),
        ("{den: {1: 2}}", "a list of seats is expected"),
        ("{den: {1: [22]}}", "22 is no seat"),
        ("{knows: {1: {2: 牧师}}}", "unknown faction '牧师'"),
        ("{knows: {1: {2: [狼人]}}}", "unknown faction"),
        ("{cards: {1: {green: 1}}}", "unknown key 'green'; legal are blue, yellow, red"),
        ("{cards: {1: {blue: one}}}", "a number from 0 on is expected"),
        ("{proposed: {1: 消极}}", "a list is expected, found '消极'"),
        ("{proposed: {1: [\"5.1\"]}}", "unknown clause '5.1'; clauses here are 违法, 作弊"),
        ("{flagged: {1: [5.1]}}", 'clause ids are strings, quote them: "5.1"'),
        ("{last_words: {1: a}}", "a list of seats is expected"),
        ("{sped_up: maybe}", "true or false is expected, found 'maybe'"),
        ("{awards_excluded: [a]}", "'a' is no seat"),
        ("{charmed: yes}", "a list of seats is expected"),
    ],
)  # fmt: skip
def test_expectations(expect: str, says: str) -> None:
    problem = error(GOOD + f"  - close: day\n    expect: {expect}\n")
    assert says in problem.what
    assert problem.line == GOOD.count("\n") + 2
    assert says in error(GOOD + f"  - expect: {expect}\n").what


def test_the_line_is_that_of_the_value_in_a_long_expectation() -> None:
    text = GOOD + "  - close: day\n    expect:\n      phase: night 1\n      holds:\n        8: [毒药]\n        7: [枪决]\n"
    assert error(text).line == GOOD.count("\n") + 6


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("\n\n", 1),
        ("- 1\n", 1),
        ("just words", 1),
        ("case: [", 1),
        ("case: a\n\truleset: m205\n", 2),
        ("case: a\n---\ncase: b\n", 2),
        ("{[1, 2]: 3}", 1),
        ("[" * 100, 1),
        (HEAD.replace("steps:\n", "steps: {close: day}\n"), 8),
        (HEAD.replace("steps:\n", "steps:\n"), 8),
        (HEAD.replace("steps:\n", ""), 1),
    ],
)
def test_files_that_are_no_case(text: str, line: int) -> None:
    problem = error(text)
    assert problem.what
    assert abs(problem.line - line) <= 1


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "bom.yaml"
    path.write_text(GOOD, "utf-8-sig")
    assert run_files([path], lambda _: None) == 0


def test_exit_codes_and_what_is_said(tmp_path: Path) -> None:
    good, failing, bad = tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "c.yaml"
    good.write_text(GOOD, "utf-8")
    failing.write_text(GOOD.replace("phase: day 1", "phase: day 2"), "utf-8")
    bad.write_text(GOOD.replace("认亲", "枪决"), "utf-8")
    latin = tmp_path / "d.yaml"
    latin.write_bytes("case: é".encode("latin-1"))
    said: list[str] = []
    assert run_files([good], said.append) == 0
    assert run_files([good, failing], said.append) == 1
    assert run_files([good, bad], said.append) == 2
    assert run_files([failing, bad], said.append) == 2, "a malformed file beside a failed one"
    assert run_files([latin], said.append) == 2
    assert run_files([tmp_path / "nowhere.yaml"], said.append) == 2
    assert "1 passed, 1 failed" in said
    line = next(line for line in said if str(bad) in line)
    assert f"{bad}:9" in line
    assert "unknown skill '枪决'" in line
    assert any("nowhere.yaml" in line for line in said)


VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 99, 1.5, "", "x", "pass", "弃权", "杀人", "2026-05-11T09:00", "2026-99-99T25:61", [], [1], [1, 1],
    ["x"], [[1]], {}, {1: 2}, {1: {}}, {"x": 1}, {1: {"杀人": 1}}, {1: [None]}, {1: ["x"]}, {1: "x"}, {None: 1}, {True: 1},
    "none", 10**30, -(10**30), "setup", "day 99999999999999", "狼人阵营", "\ud7ff",
]  # fmt: skip


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found.extend(spots(item, (*path, key)))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_whatever_stands_in_a_file_there_is_no_traceback(seed: int) -> None:
    """Given cases with one value replaced, dropped or added: they hold, fail, or are malformed, and nothing else."""
    rng = random.Random(seed)
    files = sorted((HERE / "given").glob("*.yaml"))
    for _ in range(60):
        path = rng.choice(files)
        value = deepcopy(read(path.read_text("utf-8")).value)
        spot = rng.choice(spots(value))
        parent = value
        for key in spot[:-1]:
            parent = parent[key]
        how = rng.random()
        if how < 0.75:
            parent[spot[-1]] = deepcopy(rng.choice(VALUES))
        elif how < 0.85:
            del parent[spot[-1]]
        elif isinstance(parent, dict):
            parent[rng.choice(["zz", "by", "expect", "reason", 7, "quote", "times"])] = deepcopy(rng.choice(VALUES))
        else:
            parent.insert(0, deepcopy(rng.choice(VALUES)))
        text = yaml.dump(value, allow_unicode=True, sort_keys=False)
        try:
            Runner(read_text(text, path.name, path.parent)).run()
        except (Malformed, Failed):
            continue
