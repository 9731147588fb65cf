"""The independent checker: an honest journal passes, and nothing else does."""

import ast
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bansha.referee.dealing import Dice, canonical, commit, contribution_hash, deal, masks, stream_key
from bansha.referee.ledger import START, seal
from tools import verify

TOOL = Path(verify.__file__)
SECRET = bytes(range(100, 132))
PERSONAS = [f"{number}号" for number in range(1, 11)]
ROLES = ["wolf"] * 3 + ["civilian"] * 3 + ["seer", "witch", "guard", "hybrid"]
COVERED: list[Any] = ["g1", "ab" * 32, {"abort": "director"}, PERSONAS, ROLES]
TEXTS = [f'恭喜发财 {number} "\\\n' for number in range(1, 11)]
DICE = Dice(stream_key(SECRET, TEXTS))

Events = list[list[Any]]
Forgery = Callable[[Events], object]
Run = Callable[[bytes], tuple[int, str]]


def drawn(label: str, counter: int, options: list[object], k: int, dice: Dice = DICE) -> list[object]:
    return ["drawn", label, counter, options, [options[at] for at in dice.draw(label, counter, len(options), k)]]


def honest() -> Events:
    """The events of an honest game, one to a line: the ceremony on lines 1-22, three draws, the secret on line 27."""
    return [
        ["committed", commit(SECRET, *COVERED), *COVERED],
        *(["contribution_hashed", player, contribution_hash(player, text)] for player, text in enumerate(TEXTS, 1)),
        *(["contribution_opened", player, text] for player, text in enumerate(TEXTS, 1)),
        ["dealt", list(deal(DICE, ROLES)), list(masks(DICE, 10))],
        drawn("forced", 1, [1, 2, 4, 7], 1),
        ["voted", 3, 5, "青瓦"],
        drawn("寻仇", 2, [3, 4, 5], 2),
        drawn("badge", 3, [], 0),
        ["secret_opened", SECRET.hex()],
    ]


def seeded() -> Events:
    draws = [drawn("forced", counter, [1, 2], 1, Dice.from_seed(7)) for counter in (1, 2)]
    return [["seeded", 7], ["dealt", ROLES, []], *draws]


def sealed(lines: list[bytes]) -> bytes:
    """A journal of one line for each JSON text of a list of events."""
    data, prev = b"", START
    for n, events in enumerate(lines, 1):
        line, prev = seal(prev, n, 29_641_500 + n, "town", f"k{n}", b'{"do":"something"}', events)
        data += line + b"\n"
    return data


def journal(events: Events) -> bytes:
    return sealed([canonical([event]) for event in events])


def verdict(data: bytes) -> str:
    return verify.check(data, verify.Game())


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The tool's exit code and what it printed for a journal of these bytes."""
    path = tmp_path / "game.jsonl"

    def run(data: bytes) -> tuple[int, str]:
        path.write_bytes(data)
        code = verify.main([str(path)])
        return code, capsys.readouterr().out

    return run


def test_an_honest_game_passes_with_one_line(run: Run) -> None:
    said = "commitment ok, 10 contributions ok, deal ok, 3 draws ok, 27 events chained\n"
    assert run(journal(honest())) == (0, said)


def test_events_are_counted_and_not_lines() -> None:
    events = honest()
    data = sealed([canonical(events[:22]), b"[]", canonical(events[22:])])
    assert verdict(data) == "commitment ok, 10 contributions ok, deal ok, 3 draws ok, 27 events chained"


def test_a_running_game_says_that_its_commitment_is_not_opened(run: Run) -> None:
    said = "commitment not opened yet, 10 contributions ok, 3 draws not checked yet, 26 events chained\n"
    assert run(journal(honest()[:-1])) == (0, said)


def test_a_seeded_game_says_that_its_deal_is_not_committed(run: Run) -> None:
    assert run(journal(seeded())) == (0, "seeded game, deal not committed, 2 draws ok, 4 events chained\n")


def test_a_game_before_its_commitment_has_a_chain_alone() -> None:
    assert verdict(journal([["signed_up", 1], ["signed_up", 2]])) == "no commitment, 2 events chained"


def test_masks_that_the_director_pinned_are_told() -> None:
    events = honest()
    events[21][2] = []
    said = "commitment ok, 10 contributions ok, deal ok (masks not drawn), 3 draws ok, 27 events chained"
    assert verdict(journal(events)) == said


def test_a_ceremony_can_start_anew_and_the_last_one_counts() -> None:
    other = bytes(32)
    given_up = [["committed", commit(other, *COVERED), *COVERED], *honest()[1:14]]
    opened = ["secret_opened", other.hex()]
    assert verdict(journal(given_up + honest())).endswith("deal ok, 3 draws ok, 41 events chained")
    assert verdict(journal([*given_up, opened, *honest()])).endswith("deal ok, 3 draws ok, 42 events chained")
    said = "commitment ok, 3 contributions ok, nothing dealt, 0 draws ok, 15 events chained"
    assert verdict(journal([*given_up, opened])) == said


def test_who_is_replaced_before_the_opening_hashes_again() -> None:
    events = honest()
    events.insert(1, ["contribution_hashed", 4, contribution_hash(4, "another")])
    assert verdict(journal(events)).startswith("commitment ok, 10 contributions ok, deal ok")


@pytest.mark.parametrize("events", [honest(), honest()[:-1], seeded()], ids=["finished", "running", "seeded"])
def test_any_flipped_byte_is_found_and_its_line_is_named(run: Run, events: Events) -> None:
    data = journal(events)
    dice = random.Random(11)
    newlines = [at for at, byte in enumerate(data) if byte == 10]
    for at in [*newlines, *(dice.randrange(len(data)) for _ in range(500))]:
        other = dice.choice([byte for byte in range(256) if byte != data[at]])
        code, said = run(data[:at] + bytes([other]) + data[at + 1 :])
        assert code == 1, (at, other)
        assert said.startswith(f"line {data.count(10, 0, at) + 1}: "), (at, other, said)
        assert said.count("\n") == 1


@pytest.mark.parametrize("other", [0, 9, 10, 13, 32, 255])
def test_any_byte_turned_into_a_blank_is_found(other: int) -> None:
    data = journal(seeded())
    for at in range(len(data)):
        if data[at] != other:
            with pytest.raises(ValueError):
                verdict(data[:at] + bytes([other]) + data[at + 1 :])


def test_a_journal_cut_anywhere_but_between_lines_is_found(run: Run) -> None:
    data = journal(seeded())
    for end in range(len(data)):
        code, said = run(data[:end])
        if end and data[end - 1] == 10:
            assert code == 0
        else:
            assert (code, said[:7]) == (1, f"line {data.count(10, 0, end) + 1}:"), said


def change(at: int, *path: Any, to: object) -> Forgery:
    """The event of line `at` says something else at this path."""

    def forge(events: Events) -> None:
        target: Any = events[at - 1]
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = to

    return forge


def move(at: int, to: int) -> Forgery:
    """The event of line `at` comes as line `to`."""
    return lambda events: events.insert(to - 1, events.pop(at - 1))


def add(at: int, *event: object) -> Forgery:
    return lambda events: events.insert(at - 1, list(event))


def drop(at: int) -> Forgery:
    return lambda events: events.pop(at - 1)


def exchange_a_wolf_for_the_seer(events: Events) -> None:
    roles = events[21][1]
    wolf, seer = roles.index("wolf"), roles.index("seer")
    roles[wolf], roles[seer] = roles[seer], roles[wolf]


def forget_player_two(events: Events) -> None:
    del events[12], events[2]


FORGED: list[tuple[str, Forgery, str]] = [
    ("another commitment", change(1, 1, to="0" * 64), "line 27: the commitment: 000"),
    ("another game", change(1, 2, to="g2"), "line 27: the commitment"),
    ("another ruleset", change(1, 3, to="cd" * 32), "line 27: the commitment"),
    ("another option", change(1, 4, "abort", to="automatic"), "line 27: the commitment"),
    ("another persona", change(1, 5, 0, to="一号"), "line 27: the commitment"),
    ("another role", change(1, 6, 0, to="civilian"), "line 27: the commitment"),
    ("a role too many", lambda events: events[0][6].append("wolf"), "line 1: not as many personas as roles"),
    ("another secret", change(27, 1, to="00" * 32), "line 27: the commitment"),
    ("a secret in capitals", change(27, 1, to=SECRET.hex().upper()), "line 27: the secret is not 64 small hex digits"),
    ("a secret with blanks", change(27, 1, to=SECRET.hex(" ")), "line 27: the secret is not 64 small hex digits"),
    ("a short secret", change(27, 1, to="00"), "line 27: the secret is not 64 small hex digits"),
    ("a secret that is no text", change(27, 1, to=7), "line 27: not as docs/dealing.md says"),
    ("the secret twice", add(28, "secret_opened", SECRET.hex()), "line 28: a secret, but no commitment"),
    ("the secret before the deal", move(27, 22), "line 23: a deal out of its time"),
    ("the secret before a contribution", move(27, 20), "line 21: a contribution opened out of its time"),
    ("a secret without a commitment", drop(1), "line 1: a contribution hashed out of its time"),
    ("another contribution", change(15, 2, to="mine"), "line 15: the hash of player 4's contribution"),
    ("a contribution hashed after one was opened", add(13, *honest()[9]), "line 13: a contribution hashed"),
    ("a contribution opened and never hashed", drop(3), "line 12: the hash of player 2's contribution: None"),
    ("a contribution hashed and never opened", drop(13), "line 21: a deal without all the contributions"),
    ("a contribution opened twice", add(14, "contribution_opened", 2, TEXTS[1]), "line 14: a contribution opened out"),
    ("a contribution by an eleventh", change(3, 1, to=11), "line 3: there is no player 11"),
    ("a contribution by nobody", change(3, 1, to=True), "line 3: there is no player True"),
    ("a contribution that was never there", forget_player_two, "line 20: the roles"),
    ("two roles exchanged", exchange_a_wolf_for_the_seer, "line 22: the roles"),
    ("another mask", change(22, 2, 0, to=99), "line 22: the masks"),
    ("dealt twice", add(23, "dealt", [], []), "line 23: a deal out of its time"),
    ("dealt at once", move(22, 1), "line 1: a deal out of its time"),
    ("a commitment after the deal", add(23, *honest()[0]), "line 23: a commitment out of its time"),
    ("a draw before the deal", move(23, 22), "line 22: a draw before the deal"),
    ("another choice", change(23, 4, to=[[1, 2, 4, 7][(DICE.draw("forced", 1, 4)[0] + 1) % 4]]), "line 23: draw 1: "),
    ("another option offered", change(25, 3, to=[5, 4, 3]), "line 25: draw 2: "),
    ("another label", change(25, 1, to="复仇"), "line 25: draw 2: "),
    ("another order", lambda events: events[24][4].reverse(), "line 25: draw 2: "),
    ("more chosen than there are", change(23, 3, to=[]), "line 23: more were drawn than there are options"),
    ("a draw left out", drop(23), "line 24: the counter of the draw: 2, right would be 1"),
    ("a counter that is no number", change(23, 2, to=True), "line 23: the counter of the draw: True, right would be 1"),
    ("a counter that is a text", change(23, 2, to="1"), "line 23: the counter of the draw"),
    ("a seed beside the commitment", add(2, "seeded", 7), "line 2: a seed beside a commitment"),
    ("a fact too few", lambda events: events[22].pop(), "line 23: not as docs/dealing.md says"),
    ("a fact too many", lambda events: events[21].append(1), "line 22: not as docs/dealing.md says"),
    ("personas that are no list", change(1, 5, to=7), "line 1: not as docs/dealing.md says"),
    ("a player that is a list", change(12, 1, to=[]), "line 12: not as docs/dealing.md says"),
]


@pytest.mark.parametrize(("forge", "said"), [pytest.param(f, said, id=name) for name, f, said in FORGED])
def test_a_forgery_that_was_sealed_anew_is_named(run: Run, forge: Forgery, said: str) -> None:
    events: Events = json.loads(canonical(honest()))
    forge(events)
    code, printed = run(journal(events))
    assert printed.startswith(said)
    assert (code, printed.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([["seeded", 7], ["seeded", 7]], "line 2: a seed beside"),
        ([["seeded", True]], "line 1: a seed beside"),
        ([["seeded", "7"]], "line 1: a seed beside"),
        ([["seeded", 7], honest()[0]], "line 2: a commitment out of its time"),
        ([["seeded", 8], *seeded()[1:]], "line 3: draw 1"),
        ([["drawn", "forced", 1, [1, 2], [1]]], "line 1: a draw before the deal"),
        ([["seeded", 7], ["secret_opened", "00" * 32]], "line 2: a secret, but no commitment"),
    ],
)
def test_a_seeded_game_has_its_rules_too(run: Run, events: Events, said: str) -> None:
    code, printed = run(journal(events))
    assert printed.startswith(said)
    assert code == 1


@pytest.mark.parametrize(
    "events",
    [
        b"",
        b"[",
        b"null",
        b"7",
        b"[7]",
        b"[[]]",
        b'["\xff"]',
        b'[["drawn","\\ud800",1,[1,2],[1]]]',
        b"[" * 100_000,
        b"[" + b"9" * 5_000 + b"]",
        b'[],"events":[]',
        b'[],"more":[]',
        b'[{"a":1,"a":2}]',
    ],
)
def test_a_line_that_was_sealed_but_cannot_be_read_is_named(run: Run, events: bytes) -> None:
    code, said = run(sealed([b'[["seeded",7]]', events]))
    assert code == 1
    assert said.startswith("line 2: ")


@pytest.mark.parametrize("data", [b"", b"\n", b"7\n", b"\xff\xfe\n", b"{}\n", b'"hash":"\n', b"\x00" * 200 + b"\n"])
def test_what_is_no_journal_is_named_at_its_first_line(run: Run, data: bytes) -> None:
    code, said = run(data)
    assert code == 1
    assert said.startswith("line 1: ")


def tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(TOOL), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)


@pytest.mark.process
def test_it_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "对局.jsonl"
    data = journal(honest())
    path.write_bytes(data)
    good = tool(str(path))
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout == "commitment ok, 10 contributions ok, deal ok, 3 draws ok, 27 events chained\n"

    for bad in (data[:-1], data[:-30], data.replace(b"badge", b"bodge"), b"\xff" + data, b"hello", b""):
        path.write_bytes(bad)
        found = tool(str(path))
        assert (found.returncode, found.stderr) == (1, "")
        assert found.stdout.startswith("line ")


@pytest.mark.process
def test_a_file_that_cannot_be_read_is_no_traceback(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        found = tool(str(path))
        assert (found.returncode, found.stderr) == (1, "")
        assert found.stdout.startswith(f"{path}: cannot be read: ")


@pytest.mark.process
@pytest.mark.parametrize("arguments", [(), ("a", "b")])
def test_called_wrongly_it_says_how(arguments: tuple[str, ...]) -> None:
    found = tool(*arguments)
    assert found.returncode == 1
    assert "python3 -I verify.py game.jsonl" in found.stderr
    assert "Traceback" not in found.stderr


def test_it_stays_short_and_stands_alone() -> None:
    source = TOOL.read_text("utf-8")
    assert len(source.splitlines()) <= 150
    tree = ast.parse(source)
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module or "." for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
