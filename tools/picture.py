"""Draws docs/pictures/demo.svg: the evening, the night and the next morning of a demonstration game, as the terminal shows it.

    python tools/picture.py [FILE]

The picture names no font to fetch: it is drawn with whatever monospaced font the reader has.
"""

import html
import re
import sys
from io import StringIO
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.terminal_theme import TerminalTheme

from bansha.cli.screen import Screen
from bansha.lab.play import Play
from bansha.referee.board import compile_board
from bansha.referee.state import DAY
from bansha.rulesets.load import load
from bansha.sight.types import Viewer

SEED = 16
WIDTH = 84
DAY_SHOWN = 2
CELL = 12.2  # how wide the export draws one cell
EVENING = 240  # minutes before the close

NIGHT = TerminalTheme(
    (24, 27, 33),
    (214, 211, 200),
    [(24, 27, 33), (215, 95, 95), (127, 159, 95), (215, 175, 0), (95, 135, 175), (175, 95, 135), (79, 159, 159), (190, 188, 180)],
    [(124, 126, 128), (235, 120, 120), (150, 185, 115), (235, 200, 60), (120, 160, 200), (200, 120, 160), (105, 185, 185), (235, 233, 225)],
)
"""Ink on a misty night, as the town's pages have it."""


def draw() -> str:
    """The SVG."""
    board = compile_board(load("m205"))
    play = Play(board, SEED)
    play.run()
    console = Console(record=True, width=WIDTH, file=StringIO(), color_system="truecolor", force_terminal=True, highlight=False)
    screen = Screen(board, Viewer("director"), console=console)
    screen.texts = play.texts
    for entry in play.game.entries:
        s = screen.s
        evening = bool(s.n) and s.phase == DAY and s.day == DAY_SHOWN and entry[0] >= s.closes_at - EVENING
        morning = bool(s.n) and s.phase == DAY and s.day > DAY_SHOWN
        if morning:
            break
        if evening and not console.record:
            console.record = True
        elif not evening and (not s.n or s.day < DAY_SHOWN or s.phase == DAY):
            console.record = False
        screen.show([entry], play.texts)
    svg = console.export_svg(title="bansha demo m205", theme=NIGHT)
    svg = re.sub(r"\s*@font-face\s*\{[^}]*\}", "", svg)
    return re.sub(r'textLength="[\d.]+"([^>]*)>([^<]*)</text>', _as_wide_as_it_is, svg)


def _as_wide_as_it_is(found: re.Match[str]) -> str:
    """A Chinese character is two cells wide; the export counts it as one and would squeeze the words."""
    return f'textLength="{CELL * cell_len(html.unescape(found[2])):g}"{found[1]}>{found[2]}</text>'


def main(arguments: list[str]) -> int:
    """Write the picture; returns the exit code."""
    path = Path(arguments[0]) if arguments else Path(__file__).parent.parent / "docs" / "pictures" / "demo.svg"
    path.write_text(draw(), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
