"""Journal files: written, read back the same, quick to fold, and whatever is wrong with them is named by line."""

import random
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bansha.cli import main
from bansha.referee import archive, proof
from bansha.referee import commands as c
from bansha.referee.game import snapshot
from bansha.referee.ledger import START, Damaged, seal
from bansha.referee.state import State
from tests.cli.journals import game, journal
from tools import verify as tool


@pytest.mark.parametrize("name", ("m205", "m46", "baichibai"))
def test_a_journal_read_back_is_the_game(name: str) -> None:
    play = game(name, 16)
    lines = list(archive.read(journal(name, 16)))
    entries = [archive.entry_of(line) for line in lines]
    for read, kept in zip(entries, play.game.entries, strict=True):
        assert read[:3] == kept[:3]
        assert msgspec.json.encode(read[3]) == msgspec.json.encode(kept[3])
        assert msgspec.json.encode(read[4]) == msgspec.json.encode(kept[4])
    folded = archive.fold(State(play.board), lines)
    assert as_json(folded) == as_json(play.game.state)


def as_json(value: Any) -> Any:
    """Plain values as JSON has them: the keys of an answer about several seats are text."""
    if isinstance(value, State):
        return as_json(snapshot(value))
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def test_words_stand_with_their_posts_and_in_no_event() -> None:
    play = game()
    lines = list(archive.read(journal()))
    words = {}
    for line in lines:
        command = archive.command_of(line)
        text = archive.text_of(line, command)
        if isinstance(command, c.Post):
            words[command.ref] = text
            assert text is not None
            assert text not in msgspec.json.encode(line.events).decode()
    assert words == {ref: text for ref, text in play.texts.items() if ref > 0}


def test_without_words_a_journal_is_read_the_same() -> None:
    data = archive.write(game().game.entries)
    lines = list(archive.read(data))
    assert [archive.text_of(line, archive.command_of(line)) for line in lines] == [None] * len(lines)
    assert len(data) < len(journal())


def test_folding_stored_lines_is_quick() -> None:
    """2,000 events in under 10 ms, chain check included; here with room for a busy machine."""
    play = game("m46", 16)
    data = journal("m46", 16)
    events = sum(len(entry[4]) for entry in play.game.entries)
    best = 1e9
    for _ in range(12):
        started = time.perf_counter()
        archive.fold(State(play.board), archive.read(data))
        best = min(best, time.perf_counter() - started)
    assert best * 2000 / events < 0.020


# --- damage -------------------------------------------------------------------------------------------------------


def where(data: bytes) -> Damaged:
    with pytest.raises(Damaged) as caught:
        proof.verify(data)
    return caught.value


def test_any_flipped_byte_is_found_at_its_line() -> None:
    data = journal()
    rng = random.Random(500)
    for _ in range(500):
        at = rng.randrange(len(data))
        flipped = bytearray(data)
        flipped[at] ^= 1 << rng.randrange(8)
        line = data[:at].count(b"\n") + 1
        assert where(bytes(flipped)).line_number == line
        judge = tool.Game()
        with pytest.raises((ArithmeticError, LookupError, RecursionError, TypeError, ValueError)):
            tool.check(bytes(flipped), judge)
        assert judge.line == line


def with_line(number: int, events: bytes, do: bytes = b"null") -> bytes:
    """The journal's first lines, then one with other events, sealed as it should be."""
    lines = journal().split(b"\n")[: number - 1]
    prev = msgspec.json.decode(lines[-1])["hash"] if lines else START
    last, _ = seal(prev, number, 29_641_500, "clock", "", do, events)
    return b"\n".join([*lines, last, b""])


@pytest.mark.parametrize(
    ("data", "line", "words"),
    (
        (with_line(30, b'[["teleported",3]]'), 30, ["teleported", "vote_cast"]),
        (with_line(30, b'[["vote_cast","three",0,1,0,0]]'), 30, ["wrong field", "docs/reference.md"]),
        (with_line(30, b"[[}]"), 30, ["no JSON"]),
        (with_line(30, b'{"a":1}'), 30, ["no line of a journal"]),
        (journal()[:-1], journal().count(b"\n"), ["without a newline"]),
        (b"", 1, ["nothing"]),
        (b"hello\n", 1, ["hello"]),
    ),
)
def test_damage_is_named_by_line_with_what_would_be_legal(data: bytes, line: int, words: list[str]) -> None:
    damage = where(data)
    assert damage.line_number == line
    for word in words:
        assert word in str(damage)


def test_a_line_taken_out_or_swapped_is_found() -> None:
    lines = journal().split(b"\n")
    assert where(b"\n".join([*lines[:40], *lines[41:]])).line_number == 41
    assert where(b"\n".join([*lines[:40], lines[41], lines[40], *lines[42:]])).line_number == 41


def test_an_unknown_command_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(with_line(30, b"[]", b'["teleport",3]'))
    assert main(["replay", str(file)]) == 2
    err = capsys.readouterr().err
    assert "line 30" in err
    assert "teleport" in err
    assert "vote" in err


def test_a_file_without_a_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(b"\n".join([*journal().split(b"\n")[:5], b""]))
    assert main(["replay", str(file)]) == 2
    assert "no game was opened" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "code"), (("replay", 2), ("verify", 1)))
def test_binary_rubbish_is_no_traceback(command: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(bytes(range(256)) * 40)
    assert main([command, str(file)]) == code
    assert capsys.readouterr().err.count("\n") == 1
