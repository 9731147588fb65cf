"""The example seats a computer player at a served town, with nothing but an address and a token."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bansha.journal import doors
from bansha.town.models import Game, Post
from tests.support.served import ROOT
from tests.support.tokens import token_of
from tests.support.town import Clock, moment, seated


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the example as anybody would, with no town of its own around it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BANSHA_", "DJANGO_", "DATABASE_"))}
    command = [sys.executable, "examples/seat_a_player.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**kept, **environment}, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.process
def test_it_plays_a_seat(served_at: str, clock: Clock, tmp_path: Path) -> None:
    clock.at(1, 8)
    game: Game = seated(seed=65)
    assert game.journal is not None
    doors.strike(game.journal, clock.set(moment(1, 9, 1)))
    clock.at(1, 16)
    (tmp_path / "token").write_text(token_of("player4", game.pk) + "\n")
    done = run(served_at, "--token-file", str(tmp_path / "token"), "--host", "localhost", "--seconds", "2")
    assert done.returncode == 0 and "seat 4 of game" in done.stdout, done.stdout + done.stderr
    said = Post.objects.filter(game=game, voice="seat")
    assert said.exists() and set(said.values_list("seat", flat=True)) == {4}


@pytest.mark.process
def test_it_says_what_is_missing(served_at: str, clock: Clock) -> None:
    clock.at(1, 8)
    game = seated(seed=66)
    nothing = run(served_at)
    assert nothing.returncode == 2 and "no token" in nothing.stderr
    dead = run(served_at, "--host", "localhost", BANSHA_TOKEN="bansha_of-nobody")
    assert dead.returncode == 1 and "No live token" in dead.stderr
    reads = run(served_at, "--host", "localhost", BANSHA_TOKEN=token_of("player4", game.pk, "read"))
    assert reads.returncode == 1 and "only reads" in reads.stderr
    assert "Traceback" not in nothing.stderr + dead.stderr + reads.stderr
