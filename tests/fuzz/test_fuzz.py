"""Whatever a person hands in is read or refused with a sentence, never with a crash, in time linear in its length.

`make fuzz` looks a hundred times longer (`--long`), each time elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bansha.bbcode import has_markup, own_words, parse, read_words, without_quotes
from bansha.bbcode.render import render_post
from bansha.cases.read import Malformed, read_text
from bansha.cases.run import Failed, Runner
from bansha.referee import archive
from bansha.referee.board import compile_board
from bansha.referee.ledger import START, Damaged, seal
from bansha.referee.reading import explain_fault, read_post, read_vote
from bansha.referee.state import State
from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets import yaml12
from bansha.rulesets.lint import lint
from bansha.rulesets.load import RulesetError, bundled, load
from tests.bbcode.posts import posts
from tests.bbcode.test_render import Strict
from tests.cli.journals import journal
from tests.fuzz.mangled import NASTY, grows, mangled

CASES = Path(__file__).parents[1] / "cases"
RULESETS = Path(load("m205").file).parent
LIMIT = 10.0
"""Linear time is 4; a square is 16."""
VOTES = [
    "投票对象：1号 摆渡人\n投票原因：无", "改投\n投票对象：3\n投票原因：前后不一", "投票对象：弃权\n投票原因：无", "[b]投票对象：[/b]灯",
    "[quote=甲;12]投票对象：2[/quote]\n投票对象：5 青瓷碗\n投票原因：他说了[color=red]谎[/color]",
]  # fmt: skip


def many(few: int) -> Callable[[Any], Any]:
    """So many examples, a hundred times as many in a long search."""
    chosen = settings.get_profile("searching") is settings.default
    return settings(max_examples=few * 100 if chosen else few, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def good_cases() -> list[str]:
    """Some of the case files."""
    chosen = random.Random(7).sample(sorted(CASES.glob("*.yaml")), 12)
    return [path.read_text("utf-8") for path in chosen]


@cache
def good_rulesets() -> list[str]:
    """The bundled rulesets."""
    return [Path(load(name).file).read_text("utf-8") for name in bundled()]


@many(150)
@given(posts | mangled(VOTES) | st.lists(st.sampled_from(NASTY), max_size=30).map("".join))
def test_any_post_is_read(text: str) -> None:
    Strict().feed(render_post(text))
    parse(text), has_markup(text), own_words(text), read_words(text), without_quotes(text)
    patterns = compile_board(load("m205"), {}).patterns
    for ballot in (True, False):
        reading = read_post(text, patterns, ballot)
        if reading.fault:
            assert explain_fault(reading, "zh") and explain_fault(reading, "en")
    read_vote(text)


@many(60)
@given(mangled(good_cases()))
def test_any_case_file_runs_or_is_named(text: str) -> None:
    try:
        case = read_text(text, "mangled.yaml", CASES)
    except Malformed as error:
        assert str(error).startswith(f"mangled.yaml:{error.line}: ")
        return
    try:
        Runner(case).run()
    except Failed as error:
        assert str(error)


@many(60)
@given(mangled(good_rulesets()))
def test_any_ruleset_file_loads_or_is_named(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("rules") / "mangled.yaml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        loaded = load(str(file), RULESETS)
    except RulesetError as error:
        assert error.line >= 1 and error.what
        return
    for finding in lint(loaded, VOCABULARY):
        assert str(finding)


@many(80)
@given(st.data())
def test_any_journal_file_is_read_or_its_line_is_named(data: st.DataObject) -> None:
    raw = bytearray(journal("m205", 3))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        to = at + data.draw(st.integers(0, 60))
        raw[at:to] = data.draw(st.binary(max_size=12) | st.sampled_from([piece.encode() for piece in NASTY]))
    state = State(compile_board(load("m205"), {}))
    try:
        for line in archive.read(bytes(raw)):
            archive.entry_of(line)
            archive.fold(state, [line])
    except Damaged as damage:
        assert str(damage).startswith("line ")


GROWING: dict[str, Callable[[int], str]] = {
    "open codes": lambda n: "[b]" * n,
    "closing codes": lambda n: "[/b]" * n,
    "nested quotes": lambda n: "[quote]" * n + "x" + "[/quote]" * n,
    "crossed codes": lambda n: "[b][i]" * n + "[/b][/i]" * n,
    "brackets": lambda n: "[" * n,
    "half an address": lambda n: "[url=" * n,
    "addresses": lambda n: "http://a.b/ " * n,
    "one long address": lambda n: "http://" + "a." * n,
    "list items": lambda n: "[list]" + "[*]x" * n,
    "tables": lambda n: "[table][tr][td]" * n,
    "open code blocks": lambda n: "[code]" * n,
    "colours": lambda n: "[color=#ff0000]x[/color]" * n,
    "labels": lambda n: "投票对象：" * n,
    "lines": lambda n: "投票对象：1\n" * n,
    "blanks": lambda n: " \u3000\t" * n,
    "blank lines": lambda n: "\n" * n,
    "digits": lambda n: "1" * n,
    "quotation marks": lambda n: '[quote="' * n,
    "letters": lambda n: "字a" * n,
}


@pytest.mark.parametrize("family", GROWING)
def test_a_post_is_read_in_linear_time(family: str) -> None:
    patterns = compile_board(load("m205"), {}).patterns

    def all_of_it(text: str) -> None:
        render_post(text), read_words(text), read_post(text, patterns, True)

    assert grows(all_of_it, GROWING[family], 1500) < LIMIT


YAMLS: dict[str, Callable[[int], str]] = {
    "keys": lambda n: "".join(f"k{i}: {i}\n" for i in range(n)),
    "a flow": lambda n: "a: [" + "1, " * n + "1]\n",
    "a text": lambda n: "a: " + "字" * n + "\n",
    "comments": lambda n: "# x\n" * n + "a: 1\n",
    "blank lines": lambda n: "a: 1\n" + "\n" * n,
    "brackets": lambda n: "a: " + "[" * n,
    "steps": lambda n: "steps:\n" + "  - {vote: {1: 2}}\n" * n,
}


@pytest.mark.parametrize("family", YAMLS)
def test_a_file_is_read_in_linear_time(family: str, tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"

    def all_of_it(text: str) -> None:
        for reads in (yaml12.read, lambda text: read_text(text, "long.yaml", CASES), lambda _text: load(str(file), RULESETS)):
            file.write_text("bansha: 1\nid: long\ninherits: vanilla\n" + text, "utf-8")
            with suppress(yaml12.YamlError, Malformed, RulesetError):
                reads(text)

    assert grows(all_of_it, YAMLS[family], 1500) < LIMIT


def test_a_journal_is_read_in_linear_time() -> None:
    def read(text: str) -> None:
        list(archive.read(text.encode()))

    def fill(n: int) -> str:
        made, prev = [], START
        for number in range(1, n + 1):
            line, prev = seal(prev, number, number, "clock", "", b'["tick"]', b"[]")
            made.append(line)
        return b"\n".join([*made, b""]).decode()

    assert grows(read, fill, 4000) < LIMIT
