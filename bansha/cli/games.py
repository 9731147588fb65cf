"""`bansha demo`: a game of computer players, watched or counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from bansha.cli import Mistake
from bansha.cli.journals import board_with, loaded_of
from bansha.cli.screen import Screen
from bansha.lab.figures import Figures, play_all, unused, wilson
from bansha.lab.play import Play
from bansha.referee import archive
from bansha.referee.board import Board
from bansha.sight.types import Viewer

MOST_GAMES = 1_000_000


def demo(ruleset: str, seed: int, pace: float, seat: int, save: Path | None, option: Sequence[str], games: int | None) -> None:
    """Play and show one game, or with `games` play that many and print figures.

    Raises:
        Mistake: no such ruleset, option, seat or file.
    """
    board = board_with(loaded_of(ruleset), _options(option))
    if games is not None:
        if not 0 < games <= MOST_GAMES:
            raise Mistake(f"--games {games}: a number from 1 to {MOST_GAMES} is expected")
        print_summary(board, ruleset, _options(option), seed, games)
        return
    check_view(board.rules.seats, seat, pace)
    play = Play(board, seed)
    play.run()
    if save is not None:
        try:
            save.write_bytes(archive.write(play.game.entries, play.texts))
        except OSError as error:
            raise Mistake(f"--save {save}: cannot be written ({error.strerror}); give a file in a folder that exists") from None
    screen = Screen(board, Viewer("player", seat) if seat else Viewer("director"), pace)
    screen.show(play.game.entries, play.texts)


def check_view(seats: int, seat: int, pace: float) -> None:
    """Whether there is such a seat to look from.

    Raises:
        Mistake: no such seat, or a pace below 0.
    """
    if seat and not 1 <= seat <= seats:
        raise Mistake(f"--as {seat}: no such seat; seats are 1 to {seats}")
    if pace < 0:
        raise Mistake(f"--pace {pace}: seconds between two beats, 0 or more")


def _options(pairs: Sequence[str]) -> dict[str, str]:
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Mistake(f"--option {pair!r}: write name=value, for example weekend=plain")
        options[name.strip()] = value.strip()
    return options


def print_summary(board: Board, ruleset: str, options: dict[str, str], seed: int, games: int) -> None:
    """The figures as tables."""
    figures = play_all(ruleset, options, seed, games)
    for line in summary_lines(board, figures):
        typer.echo(line)


def summary_lines(board: Board, figures: Figures) -> list[str]:
    """Wins by faction with 95 % intervals, days, sense, uses of skills, and what should be none."""
    rules = board.rules
    games = figures.games
    lines = [f"{rules.name.zh}（{board.id}）　{games} 局，平均 {figures.days / games:.2f} 日，每局 {figures.posts / games:.0f} 帖", ""]
    lines.append(_row("阵营", "胜", "胜率", "95% 区间"))
    names = {id: f"{faction.sign} {faction.name.zh}" for id, faction in rules.factions.items()}
    names |= {"none": "无人获胜", "abort": "流局"}
    for id, name in names.items():
        wins = figures.wins[id]
        if id in rules.factions or wins:
            low, high = wilson(wins, games)
            lines.append(_row(name, str(wins), _percent(wins, games), f"{100 * low:.1f}–{100 * high:.1f} %"))
    lines += ["", _row("打法", "次", "占比", "标准")]
    pack = figures.pack_votes
    for name, hits, of, wanted in (
        ("狼群投给同伴的票", figures.pack_on_pack, pack, "说了理由的不限"),
        ("其中没有说理由的", figures.pack_on_pack_bare, pack, "至多 5 %"),
        ("公布的查杀居下次放逐之首", figures.blacks_on_top, figures.blacks, "至少 60 %"),
    ):
        lines.append(_row(name, f"{hits}/{of}", _percent(hits, of), wanted))
    lines += ["", _row("技能", "用", "每局", "")]
    for table in board.skills:
        used = figures.used[table.id]
        lines.append(_row(f"{table.zh}（{table.id}）", str(used), f"{used / games:.2f}", "" if used else "没有用过"))
    missing = unused(board, figures)
    lines += ["", f"没有用过的技能：{'、'.join(missing) or '无'}"]
    lines.append(f"被拒的提交：{_counted(figures.refused)}　提请判罚：{_counted(figures.proposed)}　疑似犯规：{_counted(figures.flagged)}")
    return lines


def _counted(counts: dict[str, int]) -> str:
    return "、".join(f"{name} {count}" for name, count in sorted(counts.items())) or "无"


def _percent(hits: int, of: int) -> str:
    return f"{100 * hits / of:.1f} %" if of else "—"


def _row(name: str, *cells: str) -> str:
    """A line of a table: a column of 34, then of 12 each, Chinese characters two wide."""
    from rich.cells import cell_len

    padded = name + " " * max(1, 34 - cell_len(name))
    return padded + "".join(" " * max(1, 12 - cell_len(cell)) + cell for cell in cells[:2]) + "   " + "  ".join(cells[2:])
