"""Journal files on disk: read, checked and named by line when something is wrong with them."""

from __future__ import annotations

from pathlib import Path

from bansha.cli import Mistake, Unproved
from bansha.referee import archive, proof
from bansha.referee.board import BadOption, Board, compile_board
from bansha.referee.ledger import Damaged
from bansha.rulesets.load import Loaded, RulesetError, load


def read_bytes(file: Path) -> bytes:
    """The bytes of a journal.

    Raises:
        Mistake: it cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise Mistake(f"{file}: cannot be read ({error.strerror}); give a journal as `bansha demo --save FILE` writes it") from None


def verified(file: Path) -> str:
    """What holds of a journal, in one line.

    Raises:
        Mistake: it cannot be read.
        Unproved: naming the first line that does not hold.
    """
    try:
        return proof.verify(read_bytes(file))
    except Damaged as damage:
        raise Unproved(f"{file}: {damage}") from None


def lines_of(file: Path) -> list[archive.Line]:
    """The lines of a journal, chain and events checked.

    Raises:
        Mistake: naming the first line that is wrong.
    """
    try:
        return list(archive.read(read_bytes(file)))
    except Damaged as damage:
        raise Mistake(f"{file}: {damage}") from None


def board_of(file: Path, lines: list[archive.Line], ruleset: str) -> Board:
    """The board a journal pins, compiled; `ruleset` names the file of one that does not come along.

    Raises:
        Mistake: no game was opened in it, or the ruleset at hand is another one.
    """
    try:
        n, opened = archive.opening(lines)
    except Damaged as damage:
        raise Mistake(f"{file}: {damage}") from None
    loaded = loaded_of(ruleset or opened.ruleset, f"{file}: line {n}: ")
    if loaded.hash != opened.hash:
        raise Mistake(
            f"{file}: line {n}: the game pins {opened.ruleset} with the content hash {opened.hash[:12]}…, the one at hand "
            f"({loaded.file}) has {loaded.hash[:12]}…; give the right one with --ruleset PATH"
        )
    return board_with(loaded, opened.options, f"{file}: line {n}: ")


def loaded_of(name: str, where: str = "") -> Loaded:
    """A ruleset by id or path.

    Raises:
        Mistake: there is none, or it is no ruleset.
    """
    try:
        return load(name)
    except RulesetError as error:
        raise Mistake(f"{where}{error}") from None


def board_with(loaded: Loaded, options: dict[str, str], where: str = "") -> Board:
    """A ruleset compiled with options.

    Raises:
        Mistake: an option or a value it does not have.
    """
    try:
        return compile_board(loaded, options)
    except BadOption as error:
        raise Mistake(f"{where}{error}") from None
