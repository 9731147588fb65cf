"""`bansha replay`, `explain` and `verify`: a game from its file alone."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bansha.cli import main
from bansha.referee.ledger import START, seal
from tests.cli.journals import game, journal
from tools import verify as tool

Out = pytest.CaptureFixture[str]
TOOL = Path(tool.__file__)


def run(out: Out, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = out.readouterr()
    return code, said.out, said.err


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_bytes(journal())
    return path


def resealed(change: Any) -> bytes:
    """The journal with its lines changed as objects and sealed anew: the chain is whole, the game is not the referee's."""
    lines = [msgspec.json.decode(line) for line in journal().splitlines()]
    change(lines)
    data, prev = b"", START
    for n, line in enumerate(lines, 1):
        do, events = msgspec.json.encode(line["do"]), msgspec.json.encode(line["events"])
        raw, prev = seal(prev, n, line["at"], line["by"], line["key"], do, events)
        data += raw + b"\n"
    return data


# --- shown again --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ([], ["--as", "4"]))
def test_a_replay_shows_what_the_demonstration_showed(seat: list[str], file: Path, capsys: Out) -> None:
    shown = run(capsys, "demo", "m205", "--seed", "16", *seat)[1]
    assert run(capsys, "replay", str(file), *seat)[1] == shown


def test_until_stops_with_the_phase(file: Path, capsys: Out) -> None:
    whole = run(capsys, "replay", str(file))[1]
    night = run(capsys, "replay", str(file), "--until", "night 2")[1]
    assert whole.startswith(night)
    assert "第 2 夜" in night
    assert "第 3 日" not in night
    day = run(capsys, "replay", str(file), "--until", "day 2")[1]
    assert night.startswith(day)
    assert "第 2 日" in day
    assert "第 2 夜" not in day
    dusk = run(capsys, "replay", str(file), "--until", "dusk 2")[1]
    assert night.startswith(dusk)
    assert "放逐计票" in dusk[len(day) :]
    assert run(capsys, "replay", str(file), "--until", "over")[1] == whole


@pytest.mark.parametrize("until", ("night", "noon 2", "day x"))
def test_an_unknown_phase_is_refused(until: str, file: Path, capsys: Out) -> None:
    code, _, err = run(capsys, "replay", str(file), "--until", until)
    assert code == 2
    assert "night 1" in err


def test_explain_tells_why_a_seat_is_out(file: Path, capsys: Out) -> None:
    state = game().game.state
    exiled = next(seat for seat in state.out_order if state.cause[seat] == "exile")
    code, out, _ = run(capsys, "explain", str(file), str(exiled))
    assert code == 0
    assert "票" in out
    assert "[" in out
    assert "exile" in run(capsys, "explain", str(file), str(exiled), "--lang", "en", "--as", "1")[1].lower()


def test_explain_names_what_is_wrong(file: Path, capsys: Out) -> None:
    assert "seats are 1 to 10" in run(capsys, "explain", str(file), "11")[2]
    assert "zh, en" in run(capsys, "explain", str(file), "1", "--lang", "fr")[2]
    assert run(capsys, "explain", str(file), "1", "--as", "12")[0] == 2


# --- judged again -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ("m205", "m46", "baichibai", "vanilla"))
def test_every_command_judged_again_gives_the_same_events(name: str, tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(journal(name, 5))
    code, out, err = run(capsys, "replay", str(file), "--check")
    assert (code, err) == (0, "")
    assert "events the same" in out
    assert "draws with legal options" in out


def test_before_the_secret_is_opened_chance_is_not_checked(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(resealed(lambda lines: lines.pop()))
    code, out, _ = run(capsys, "replay", str(file), "--check")
    assert code == 0
    assert "not checked yet" in out


def first(lines: list[Any], kind: str) -> tuple[int, list[Any]]:
    return next((n, event) for n, line in enumerate(lines) for event in line["events"] if event[0] == kind)


def other_target(lines: list[Any]) -> None:
    first(lines, "counted")[1][2].append([9, 2])


def other_told(lines: list[Any]) -> None:
    first(lines, "told")[1][3] = "wolves"


def later_clock(lines: list[Any]) -> None:
    n, _ = first(lines, "day_opened")
    lines[n]["at"] += 1


def left_out(lines: list[Any]) -> None:
    first(lines, "day_closed")
    n, _ = first(lines, "counted")
    lines[n]["events"].pop()


def forbidden(lines: list[Any]) -> None:
    n, event = first(lines, "vote_cast")
    lines[n + 1 : n + 1] = [lines[n] | {"do": ["vote", event[1], event[2], event[3], 0], "events": [event]}]


@pytest.mark.parametrize("change", (other_target, other_told, later_clock, left_out, forbidden))
def test_what_the_referee_would_not_have_said_is_named_by_line(change: Any, tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "game.jsonl"
    changed: list[int] = []

    def noted(lines: list[Any]) -> None:
        before = [msgspec.json.encode(line) for line in lines]
        change(lines)
        after = [msgspec.json.encode(line) for line in lines]
        changed.append(next(n for n, (a, b) in enumerate(zip(before, after, strict=False), 1) if a != b))

    file.write_bytes(resealed(noted))
    assert "chained" in run(capsys, "verify", str(file))[1]
    code, out, err = run(capsys, "replay", str(file), "--check")
    assert (code, out) == (1, "")
    assert f"line {changed[0]}:" in err, err


def test_a_draw_from_other_options_is_named(tmp_path: Path, capsys: Out) -> None:
    """With the secret closed the dice cannot tell, but the referee says what could be drawn."""
    data = [msgspec.json.decode(line) for line in journal("m46", 4).splitlines()]
    drawn = [(n, event) for n, line in enumerate(data) for event in line["events"] if event[0] == "drawn"]
    assert drawn, "seed 4 of m46 draws"
    n, event = drawn[0]
    spare = next(seat for seat in range(1, 15) if seat not in event[3])
    event[3].append(spare)
    lines, prev = b"", START
    for number, line in enumerate(data[:-1], 1):
        raw, prev = seal(prev, number, line["at"], line["by"], "", msgspec.json.encode(line["do"]), msgspec.json.encode(line["events"]))
        lines += raw + b"\n"
    file = tmp_path / "game.jsonl"
    file.write_bytes(lines)
    code, _, err = run(capsys, "replay", str(file), "--check")
    assert code == 1
    assert f"line {n + 1}:" in err


# --- the independent checker --------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize(("name", "players"), (("m205", 10), ("m46", 14), ("baichibai", 13)))
def test_the_tool_alone_verifies_a_demonstration(name: str, players: int, tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(journal(name, 5))
    done = subprocess.run([sys.executable, "-I", str(TOOL), str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(f"commitment ok, {players} contributions ok, deal ok, ")
    assert run(capsys, "verify", str(file))[1] == done.stdout


def test_another_ruleset_than_the_pinned_one_is_refused(file: Path, capsys: Out) -> None:
    code, _, err = run(capsys, "replay", str(file), "--ruleset", "m46")
    assert code == 2
    assert "pins m205" in err
