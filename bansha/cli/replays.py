"""`bansha replay` and `bansha explain`: a game from its journal alone, shown, judged again, or asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import typer

from bansha.cli import Mistake, Unproved
from bansha.cli.games import check_view
from bansha.cli.journals import board_of, lines_of, read_bytes
from bansha.referee import archive, proof, rejudge
from bansha.referee.board import Board
from bansha.referee.events import Dealt
from bansha.referee.evolve import evolve_all
from bansha.referee.game import Entry
from bansha.referee.ledger import Damaged
from bansha.referee.state import State
from bansha.sight.explain import Question, WhyCard, WhyOut, WhyTold, WhyVote, lines_in
from bansha.sight.explain import explain as why
from bansha.sight.types import Viewer

PHASE = re.compile(r"(setup|over|(?:day|dusk|night|dawn) \d+)")
ORDER = {"day": 0, "dusk": 1, "night": 2, "dawn": 3}


def replay(file: Path, until: str, seat: int, pace: float, ruleset: str) -> None:
    """Show a game again.

    Raises:
        Mistake: a damaged file, no such phase or seat.
    """
    from bansha.cli.screen import Screen

    lines = lines_of(file)
    board = board_of(file, lines, ruleset)
    _phase(until)
    entries, texts = [], {}
    seats = board.rules.seats
    for line in lines:
        entry = _checked(file, line)
        entries.append(entry)
        command = entry[3]
        text = archive.text_of(line, command)
        if text is not None:
            texts[getattr(command, "ref", 0) or -getattr(command, "seat", 0)] = text
        seats = next((len(event.roles) for event in entry[4] if isinstance(event, Dealt)), seats)
    check_view(seats, seat, pace)
    shown = entries[: _until(board, entries, until)] if until else entries
    Screen(board, Viewer("player", seat) if seat else Viewer("director"), pace).show(shown, texts)


def _checked(file: Path, line: archive.Line) -> Entry:
    try:
        return archive.entry_of(line)
    except Damaged as damage:
        raise Mistake(f"{file}: {damage}") from None


def _phase(until: str) -> str:
    """The phase named, in the referee's words.

    Raises:
        Mistake: there is no such phase.
    """
    words = " ".join(until.split()).lower()
    if until and PHASE.fullmatch(words) is None:
        raise Mistake(f"--until {until!r}: phases are setup, day 1, dusk 1, night 1, dawn 1 and so on, and over")
    return words


def _until(board: Board, entries: Sequence[Entry], until: str) -> int:
    """How many entries stand before the phase has ended; dusk ends with the entry that closes it."""
    wanted = _rank(_phase(until))
    state = State(board)
    for count, (at, _, _, _, events) in enumerate(entries):
        evolve_all(state, at, events)
        if state.n and _rank(state.phase_name()) > wanted:
            return count + (wanted[1] == ORDER["dusk"] and wanted[0] >= 0)
    return len(entries)


def _rank(phase: str) -> tuple[int, int]:
    """Phases in the order in which they come."""
    name, _, day = phase.partition(" ")
    if not day:
        return (-1, 0) if name == "setup" else (1 << 30, 0)
    return int(day), ORDER[name]


def check(file: Path, ruleset: str) -> None:
    """Judge every command again, with the opened secret or the seed, and compare every event.

    Raises:
        Mistake: a damaged file, or another ruleset than the pinned one.
        Unproved: naming the first line that does not come out the same.
    """
    lines = lines_of(file)
    board = board_of(file, lines, ruleset)
    try:
        verdict = rejudge.rejudge(board, lines, proof.dice_of(read_bytes(file)))
    except Damaged as damage:
        raise Unproved(f"{file}: {damage}") from None
    typer.echo(verdict)


class Asked(NamedTuple):
    """What `bansha explain` was asked about a seat; without more, why it is out."""

    seat: int
    told: str = ""
    night: int = -1
    vote: str = ""
    day: int = 0
    card: bool = False


def _question(asked: Asked, board: Board) -> Question:
    """The question to put.

    Raises:
        Mistake: more than one thing asked, an unknown skill or ballot.
    """
    if sum((bool(asked.told), bool(asked.vote), asked.card)) > 1:
        raise Mistake("one question at a time: --told SKILL, --vote BALLOT or --card")
    if asked.told:
        numbers = board.names_skill.get(asked.told)
        if not numbers:
            raise Mistake(f"--told {asked.told!r}: skills are {', '.join(table.zh for table in board.skills)}")
        return WhyTold(asked.seat, asked.night, board.skills[numbers[0]].id)
    if asked.vote:
        if asked.vote not in ("exile", "election"):
            raise Mistake(f"--vote {asked.vote!r}: ballots are exile, election")
        return WhyVote(asked.seat, asked.vote, 0, asked.day)
    return WhyCard(asked.seat) if asked.card else WhyOut(asked.seat)


def explain(file: Path, asked: Asked, asker: int, lang: str, ruleset: str) -> None:
    """Say why a seat is out, what it was told and why, what became of its vote, or why a card was proposed.

    Raises:
        Mistake: a damaged file, no such seat or language.
    """
    if lang not in ("zh", "en"):
        raise Mistake(f"--lang {lang!r}: languages are zh, en")
    lines = lines_of(file)
    board = board_of(file, lines, ruleset)
    entries = [_checked(file, line) for line in lines]
    viewer = Viewer("player", asker) if asker else Viewer("director")
    try:
        for sentence in lines_in(why(entries, board, viewer, _question(asked, board)), lang):
            typer.echo(sentence)
    except ValueError as error:
        raise Mistake(f"{error}") from None

