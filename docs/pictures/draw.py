"""Draws docs/pictures/demo.svg: the first day of a demonstration game as the terminal shows it.

    python docs/pictures/draw.py
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.color import Color
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from bansha.cli.screen import Screen
from bansha.lab.play import Play
from bansha.referee.board import compile_board
from bansha.rulesets.load import load
from bansha.sight.types import DIRECTOR

SEED = 7
FROM, TO = "第 1 日", "第 2 日"
COLUMNS, LINES = 80, 42
CELL, LINE, EDGE = 9.0, 24, 18  # widths and heights in points
INK, PAPER, FAINT = "#cdcdc8", "#10131a", "#7c818c"
FONTS = "'Sarasa Mono SC','Noto Sans Mono CJK SC','WenQuanYi Zen Hei Mono',Menlo,Consolas,monospace"
PIECES = re.compile(r"[\u2500-\u25ff]+|[^\s\u2500-\u25ff]+(?: [^\s\u2500-\u25ff]+)*")
"""Words, and lines drawn with characters, which not every font makes one cell wide."""
PICTURE = Path(__file__).with_name("demo.svg")


def terminal() -> Console:
    """A terminal that keeps what is printed."""
    return Console(file=io.StringIO(), width=COLUMNS, force_terminal=True, color_system="truecolor", highlight=False)


def lines() -> Iterator[Text]:
    """The lines of the day."""
    play = Play(compile_board(load("m205"), {}), SEED)
    play.run()
    console = terminal()
    Screen(play.board, DIRECTOR, console=console).show(play.game.entries, play.texts)
    shown = 0
    for line in AnsiDecoder().decode(console.file.getvalue()):  # type: ignore[attr-defined]
        if line.plain.startswith(TO) or shown == LINES:
            return
        if shown or line.plain.startswith(FROM):
            shown += 1
            yield line


def colour(of: Color | None, usual: str) -> str:
    """A colour as SVG writes it."""
    if of is None or of.is_default:
        return usual
    return FAINT if of.name == "bright_black" else of.get_truecolor().hex


def run(segment: Segment, column: int, row: int) -> Iterator[str]:
    """A run of one style: its ground and its words, stretched to the cells they take."""
    style = segment.style or Style()
    ink, ground = colour(style.color, INK), colour(style.bgcolor, "")
    if style.reverse:
        ink, ground = ground or PAPER, ink
    x, y = EDGE + column * CELL, EDGE + row * LINE
    if ground:
        yield f'<rect x="{x:g}" y="{y:g}" width="{cell_len(segment.text) * CELL:g}" height="{LINE}" fill="{ground}"/>'
    bold = ' font-weight="bold"' if style.bold else ""
    for piece in PIECES.finditer(segment.text):
        left = x + cell_len(segment.text[: piece.start()]) * CELL
        length = cell_len(piece[0]) * CELL
        yield f'<text x="{left:g}" y="{y + 17:g}" textLength="{length:g}" fill="{ink}"{bold}>{escape(piece[0])}</text>'


def draw() -> str:
    """The picture."""
    console = terminal()
    drawn: list[str] = []
    rows = 0
    for row, line in enumerate(lines()):
        rows, column = row + 1, 0
        for segment in Segment.simplify(line.render(console)):
            drawn += run(segment, column, row)
            column += cell_len(segment.text)
    width, height = 2 * EDGE + COLUMNS * CELL, 2 * EDGE + rows * LINE
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="{FONTS}" font-size="16">'
    return "\n".join([head, f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{PAPER}"/>', *drawn, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
