"""A whole game of m205 in browsers, from registering to the last settlement; the same without JavaScript through day 2."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.play import Play
from tests.browser.stage import Town
from tests.support.served import ROOT
from tests.support.town import Clock

pytestmark = [pytest.mark.process, pytest.mark.slow]


def counted(journal: bytes) -> Counter[str]:
    """How many of each command and event a journal holds."""
    from bansha.referee import archive

    found: Counter[str] = Counter()
    for line in archive.read(journal):
        _at, _by, _key, command, events = archive.entry_of(line)
        found[f"command {type(command).__name__}"] += 1
        found.update(type(event).__name__ for event in events)
    return found


def replayed(journal: bytes, folder: Path) -> str:
    """What the command line says of a journal: every command judged again, every event compared."""
    file = folder / "game.jsonl"
    file.write_bytes(journal)
    command = [sys.executable, "-c", "import sys; from bansha.cli import main; sys.exit(main())", "replay", str(file), "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_whole_game(clock: Clock, ticking: Town, browser: Any, tmp_path: Path, says: Callable[[str], None]) -> None:
    from bansha.journal import doors
    from bansha.town.models import Game

    play = Play(browser, ticking, clock, "p")
    try:
        play.open_game()
        play.setup()
        play.first_day()
        play.first_night()
        play.second_day()
        play.second_night()
        play.third_day()
        visitor = play.players[0]
        over = visitor.open(f"/g/{play.game}/")
        assert "本局已结束" in over.locator("main").inner_text()
        play.clock.set(play.clock.at(3, 21, 1))
        for _ in range(200):
            if Game.objects.get(pk=play.game).open_until is None:
                break
            visitor.tab.wait_for_timeout(50)
        answer = visitor.context.request.get(f"/g/{play.game}/deal/journal.jsonl")
        assert answer.status == 200
        journal = answer.body()
        assert journal == doors.lines(play.journal)
        assert not [error for person in play.people for error in person.errors]
    finally:
        play.close()
    found = counted(journal)
    said = replayed(journal, tmp_path)
    days = found["DayOpened"]
    said_so = (
        f"10 players, {days} days, {found['command Post']} posts, {found['VoteRefused']} invalid votes, {found['VoteChanged']} change, "
        f"{found['PromptOpened']} prompts, {found['CardDealt']} card, {found['Substituted']} substitution; "
        "journal = command-line replay of the same commands"
    )
    says(said_so)
    wanted = {"VoteRefused": 2, "VoteChanged": 1, "PromptOpened": 3, "CardDealt": 1, "Substituted": 1, "GameEnded": 1}
    assert {name: found[name] for name in wanted} == wanted, said_so
    assert days == 3 and said


def test_without_javascript_through_day_2(clock: Clock, ticking: Town, browser: Any) -> None:
    play = Play(browser, ticking, clock, "q", script=False)
    try:
        play.open_game()
        play.setup()
        play.first_day()
        play.first_night()
        play.second_day()
        page = play.seats[play.wolves[0]].open(f"/g/{play.game}/t/talk-2/")
        assert play_posts(page) >= 9
    finally:
        play.close()


def play_posts(page: Any) -> int:
    """Posts of personas on a thread's page."""
    return int(page.locator('article.post[data-seat]:not([data-seat="0"])').count())
