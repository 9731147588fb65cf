"""Deadlines under four competing clocks, one killed at random every second: none lost, none doubled, each in its order.

    python tools/soak.py [--deadlines 10000] [--database sqlite|postgresql]

Many games are opened and nobody in them does anything, so that every stage, close and opening falls due by itself. The
test clock then jumps five days ahead, four clock processes (our own children) work it off, and one of them is killed
without warning every second and started anew. In the end every game's journal must be, line for line in time and
events, that of the same game played undisturbed in memory.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

MONDAY = datetime(2026, 5, 11, 1, 0, tzinfo=UTC)
DAYS = 5


def main(arguments: list[str]) -> int:
    """Run the soak; returns 0 when nothing was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deadlines", type=int, default=10_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--clocks", type=int, default=4)
    parser.add_argument("--every", type=float, default=1.0, help="seconds between two kills")
    chosen = parser.parse_args(arguments)

    from tests.support import served

    environment = served.start(chosen.database)
    from bansha.journal import doors
    from bansha.referee import archive
    from bansha.referee.board import compile_board
    from bansha.referee.dealing import Dice
    from bansha.referee.game import Game
    from bansha.rulesets.load import load
    from tests.support import table

    with tempfile.NamedTemporaryFile("w", suffix=".clock", delete=False) as file:
        file.write(str((MONDAY - timedelta(hours=6)).timestamp()))
    clock_file = Path(file.name)
    end = MONDAY + timedelta(days=DAYS)

    names = ("m205", "m46", "baichibai", "vanilla")
    undisturbed: dict[tuple[str, int], list[tuple[int, int]]] = {}
    games: dict[int, tuple[str, int]] = {}
    total = 0
    number = 0
    while total < chosen.deadlines:
        name, seed = names[number % len(names)], number % 12
        number += 1
        if (name, seed) not in undisturbed:
            undisturbed[name, seed] = _alone(Game(compile_board(load(name)), Dice.from_seed(seed)), name, seed, end)
        games[table.opened(name, seed, MONDAY)] = (name, seed)
        total += len(undisturbed[name, seed])
    clock_file.write_text(str(end.timestamp()), encoding="ascii")

    rng = random.Random(1)
    more = {"BANSHA_TEST_CLOCK": str(clock_file), "PYTHONPATH": str(ROOT)}
    command = ["-c", "from bansha.cli import main; raise SystemExit(main(['clock', '--rest', '0.05']))"]
    start = time.monotonic()
    clocks: list[subprocess.Popen[bytes]] = []
    kills = 0
    try:
        clocks = [served.child(command, environment, **more) for _ in range(chosen.clocks)]
        next_kill = start + chosen.every
        while doors.due_games(end, 1):
            time.sleep(0.05)
            if time.monotonic() >= next_kill:
                next_kill += chosen.every
                victim = rng.randrange(len(clocks))
                clocks[victim].kill()
                clocks[victim].wait()
                clocks[victim] = served.child(command, environment, **more)
                kills += 1
            if time.monotonic() - start > 600:
                print("not done after ten minutes", file=sys.stderr)
                return 1
    finally:
        served.end(*clocks)
        os.unlink(clock_file)
    took = time.monotonic() - start

    lost = doubled = wrong = 0
    for game, key in games.items():
        strokes = [(line.at, len(line.events)) for line in archive.read(doors.lines(game)) if line.by == "clock"]
        expected = undisturbed[key]
        lost += max(0, len(expected) - len(strokes))
        doubled += max(0, len(strokes) - len(expected))
        wrong += strokes != expected
    print(
        f"{total} deadlines in {len(games)} games, {chosen.clocks} clocks on {chosen.database}, {kills} kills, {took:.0f} s: "
        f"{lost} lost, {doubled} doubled, {wrong} games out of order"
    )
    return 1 if lost or doubled or wrong else 0


def _alone(game: object, name: str, seed: int, end: datetime) -> list[tuple[int, int]]:
    """(minute, number of events) of every stroke of the clock in the same game played undisturbed in memory."""
    from bansha.journal.time import local_minute
    from bansha.referee import commands as c
    from bansha.referee import events as e
    from bansha.referee.game import Game
    from tests.support import table

    assert isinstance(game, Game)
    roles = table.roles_of(name)
    starts = local_minute(MONDAY, table.ZONE)
    game.do(c.Record([e.Seeded(seed)]), starts - 360, "town")
    game.do(c.Open({}, [f"{i}号" for i in range(1, len(roles) + 1)], roles, starts, {}), starts - 360, "town")
    game.advance(local_minute(end, table.ZONE))
    return [(entry[0], len(entry[4])) for entry in game.entries if entry[1] == "clock"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
