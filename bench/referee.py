"""Whole games per CPU-second on one core, per ruleset, as a ratio to the tight loop in the same run."""

from __future__ import annotations

import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import m205_loop
import play

from bansha.referee.board import compile_board
from bansha.rulesets.load import load


def reference(games: int) -> float:
    """Games per CPU-second of the loop: the median of five rounds."""
    rng = random.Random(7)
    rates = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(games):
            m205_loop.play(rng.random, rng.shuffle)
        rates.append(games / (time.process_time() - start))
    return statistics.median(rates)


def measure(name: str, games: int) -> tuple[float, float, float]:
    """(games per CPU-second, events a game, entries a game): the median of five rounds."""
    loaded = load(name)
    board = compile_board(loaded)
    roles = [role for role, spec in loaded.ruleset.roles.items() for _ in range(spec.count)]
    rng = random.Random(7)
    rates = []
    events = entries = 0
    for round_ in range(5):
        start = time.process_time()
        for i in range(games):
            rng.shuffle(roles)
            game = play.play(board, roles, rng.random, round_ * games + i)
            if round_ == 0:
                entries += len(game.entries)
                events += sum(len(entry[4]) for entry in game.entries)
        rates.append(games / (time.process_time() - start))
    return statistics.median(rates), events / games, entries / games


if __name__ == "__main__":
    loop = reference(4000)
    print(f"loop {loop:8.0f} games per CPU-second")
    for name in sys.argv[1:] or ("m205", "m46", "baichibai", "vanilla"):
        rate, events, entries = measure(name, 200)
        print(f"{name:10s} {rate:8.0f} games per CPU-second, 1:{loop / rate:.1f} of the loop, {events:.0f} events, {entries:.0f} entries a game")
