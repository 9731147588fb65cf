"""`bansha demo` and the command line's manners."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bansha.cli import main
from bansha.referee import proof
from bansha.rulesets.load import bundled

Out = pytest.CaptureFixture[str]


def run(out: Out, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = out.readouterr()
    return code, said.out, said.err


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


# --- a game to watch ----------------------------------------------------------------------------------------------


def test_a_whole_game_is_shown_in_chinese(capsys: Out) -> None:
    code, out, err = run(capsys, "demo", "m205", "--seed", "16")
    assert (code, err) == (0, "")
    begin = ("版杀 · 普狼10人场", "承诺", "签词", "开局准备", "第 1 日", "警长竞选计票", "第 1 夜")
    for word in (*begin, "晨报", "放逐计票", "终局", "揭秘", "预言家"):
        assert word in out, word
    assert max(map(len, out.splitlines())) <= 100


def test_seats_stand_in_rows_of_five_with_the_dead_in_their_place(capsys: Out) -> None:
    _, out, _ = run(capsys, "demo", "m205", "--seed", "16")
    rows = [line for line in out.splitlines() if re.match(r"^ +\d+ (?: .  |\[.\])", line)]
    numbers = [re.findall(r"(?:^|\s)(\d+) (?: . |\[.\])", line) for line in rows]
    assert all(row in (["1", "2", "3", "4", "5"], ["6", "7", "8", "9", "10"]) for row in numbers)
    assert any("[" in row for row in rows)


def test_the_same_seed_is_shown_the_same(capsys: Out) -> None:
    assert run(capsys, "demo", "vanilla", "--seed", "3")[1] == run(capsys, "demo", "vanilla", "--seed", "3")[1]
    assert run(capsys, "demo", "vanilla", "--seed", "3")[1] != run(capsys, "demo", "vanilla", "--seed", "4")[1]


@pytest.mark.parametrize("name", bundled())
def test_every_ruleset_that_comes_along_can_be_watched(name: str, capsys: Out) -> None:
    code, out, err = run(capsys, "demo", name, "--seed", "2")
    assert (code, err) == (0, "")
    assert "揭秘" in out


def test_a_pace_waits_between_the_beats(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    run(capsys, "demo", "vanilla", "--seed", "3", "--pace", "0.25")
    assert len(waited) > 20
    assert set(waited) == {0.25}


# --- through the eyes of a seat -----------------------------------------------------------------------------------


WHOLE: list[str] = []


def whole(out: Out) -> str:
    """The game of seed 16 as the directors see it, shown once."""
    if not WHOLE:
        WHOLE.append(run(out, "demo", "m205", "--seed", "16")[1])
    return WHOLE[0]


def before_the_end(out: str) -> str:
    return out.partition("终局")[0]


@pytest.mark.parametrize("seat", range(1, 11))
def test_a_seat_is_shown_what_it_may_know(seat: int, capsys: Out) -> None:
    """Its own role and no other, its own submissions and answers (or its pack's), no stage, no settlement, no lost faction."""
    everything = whole(capsys)
    out = before_the_end(run(capsys, "demo", "m205", "--seed", "16", "--as", str(seat))[1])
    assert out.count("仅你可见") == 1
    assert "一段截止" not in out
    assert "判负（不公布）" not in out
    assert not [line for line in out.splitlines() if line[6:7] in ("○", "－", "＋", "↔")]
    names = dict(re.findall(r"^ +(?:\[.\]| . ) +(\d+) (\S+)", everything.partition("揭秘")[2], re.M))
    role_of = dict(re.findall(r"^ +(?:\[.\]| . ) +(\d+) \S+ +(\S+)", everything.partition("揭秘")[2], re.M))
    pack = {s for s, role in role_of.items() if role == "狼人"} if role_of[str(seat)] == "狼人" else set()
    for line in out.splitlines():
        acted = re.match(r"^\d\d:\d\d [·×?!？！] +(?:(\d+) \S+|狼人阵营·(\d+) \S+)　【", line)
        if acted:
            assert (acted[1] or acted[2]) in {str(seat)} | pack, line
        if "得知" in line and line[6:7] == "◁":
            assert line[9:10] == "你", line
    assert names[str(seat)] in out


def test_wolves_see_their_den_and_villagers_do_not(capsys: Out) -> None:
    reveal = whole(capsys).partition("揭秘")[2]
    role_of = dict(re.findall(r"^ +(?:\[.\]| . ) +(\d+) \S+ +(\S+)", reveal, re.M))
    wolf = next(seat for seat, role in role_of.items() if role == "狼人")
    civilian = next(seat for seat, role in role_of.items() if role == "民")
    assert "与你共群" in run(capsys, "demo", "--seed", "16", "--as", wolf)[1]
    assert "与你共群" not in run(capsys, "demo", "--seed", "16", "--as", civilian)[1]


# --- figures ------------------------------------------------------------------------------------------------------


def test_the_summary_prints_wins_sense_and_uses(capsys: Out) -> None:
    code, out, err = run(capsys, "demo", "m205", "--games", "12", "--summary", "--seed", "1")
    assert (code, err) == (0, "")
    figures = ("12 局", "▲ 狼人阵营", "● 村民阵营", "95% 区间", "没有说理由的", "查杀", "守护之盾（shield）")
    for word in (*figures, "被拒的提交：无", "提请判罚：无"):
        assert word in out, word


# --- saving -------------------------------------------------------------------------------------------------------


def test_a_saved_game_is_verified(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "game.jsonl"
    run(capsys, "demo", "m205", "--seed", "16", "--save", str(file))
    code, out, _ = run(capsys, "verify", str(file))
    assert code == 0
    assert out.startswith("commitment ok, 10 contributions ok, deal ok, ")
    assert out.strip() == proof.verify(file.read_bytes())


# --- manners ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    (
        (["demo", "m999"], ["m999", "m205", "vanilla"]),
        (["demo", "m205", "--as", "11"], ["--as 11", "1 to 10"]),
        (["demo", "m205", "--option", "weekend"], ["weekend", "name=value"]),
        (["demo", "m205", "-o", "weekend=never"], ["never", "extend, plain"]),
        (["demo", "m205", "-o", "moon=full"], ["moon", "weekend"]),
        (["demo", "m205", "--pace", "-1"], ["--pace", "0 or more"]),
        (["demo", "m205", "--seed", "two"], ["--seed", "two"]),
        (["demo", "m205", "--summary", "--games", "0"], ["--games 0", "1 to"]),
        (["demo", "vanilla", "--save", "/no/such/folder/x.jsonl"], ["/no/such/folder/x.jsonl", "folder that exists"]),
        (["demo", "--loud"], ["--loud", "--pace"]),
        (["perform"], ["perform", "demo"]),
        (["verify", "/no/such/file"], ["/no/such/file", "bansha demo --save"]),
        (["verify"], ["FILE"]),
    ),
)
def test_a_mistake_is_one_line_that_says_what_would_be_legal(arguments: list[str], words: list[str], capsys: Out) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    for word in words:
        assert word in err, err


def test_help_and_version(capsys: Out) -> None:
    assert run(capsys, "--version")[1].startswith("bansha ")
    code, out, _ = run(capsys)
    assert code == 0
    assert all(name in out for name in ("case", "demo", "replay", "explain", "verify", "rules"))


def test_case_files_run_by_command(tmp_path: Path, capsys: Out) -> None:
    good = tmp_path / "a.yaml"
    deal = ", ".join(["狼人"] * 2 + ["村民"] * 7)
    good.write_text(f"case: 无事\nruleset: vanilla\ndeal: [{deal}]\nsteps:\n  - expect: {{phase: setup}}\n", "utf-8")
    assert run(capsys, "case", str(tmp_path))[:2] == (0, f"ok  {good}  无事\n1 passed, 0 failed\n")
    good.write_text(good.read_text("utf-8").replace("setup}", "over}"), "utf-8")
    assert run(capsys, "case", str(good))[0] == 1
    good.write_text("case: 坏\nruleset: vanilla\nmoon: full\n", "utf-8")
    assert run(capsys, "case", str(good))[0] == 2


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    (
        (["case", "/no/such"], ("rich", "bansha.players", "bansha.lab", "bansha.cli.screen")),
        (["rules", "list"], ("rich", "bansha.players")),
    ),
)
def test_commands_import_only_what_they_need(arguments: list[str], unwanted: tuple[str, ...]) -> None:
    code = f"import sys; from bansha.cli import main; main({arguments!r}); print([m for m in {unwanted!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
