"""Seats a computer player: a program like any other, with a token and nothing else.

    python3 examples/seat_a_player.py http://localhost:8000 --token-file my-token

Make a token for your seat on the town's page 程序接口 and keep it in a file (or in BANSHA_TOKEN: what stands on a command line,
other users of the machine can read). The player looks when the town's event stream says that something has happened, and at its
own hours; it talks, votes and acts until the game is over. It knows what the interface (docs/api.md) shows its seat.

`bansha.company.client` is the whole client, in the standard library's terms; write a mind of your own in place of `Troupe`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from threading import Event, Thread

from bansha.company.client import Busy, Client, Gone, Line, Refused
from bansha.company.troupe import Troupe


def listen(client: Client, woken: Event) -> None:
    """Wake the player whenever the stream says that something is new for its seat; when it ends, ask again."""
    while True:
        try:
            for event in client.stream():
                if event.name != "ping":
                    woken.set()
            time.sleep(1)
        except Busy as busy:
            time.sleep(busy.seconds)
        except Refused:
            return  # the game is over, or the seat somebody else's: the player finds out by itself


def play(client: Client, line: Line, until: float) -> int:
    """Play until the game is over or the time has come. Returns how much was handed in."""
    seat = client.me()["seat"]
    if not seat:
        raise SystemExit("this token only reads: make one for your seat")
    woken = Event()
    Thread(target=listen, args=(Client(Line(line.url, line.host), client.token, client.game), woken), daemon=True).start()
    troupe = Troupe({seat: client})
    pace, handed_in = client.facts()["pace"], 0
    print(f"seat {seat} of game {client.game}: {troupe.ear.personas[seat]}", flush=True)
    while time.monotonic() < until:
        try:
            done = troupe.step()
        except Busy as busy:
            print(f"{busy}; trying again", file=sys.stderr)
            time.sleep(busy.seconds)
            continue
        handed_in += done
        if done:
            print(f"day {troupe.stamp[1]}, {troupe.stamp[0]}: handed in {done}", flush=True)
        if troupe.stamp[0] == "over":
            break
        woken.wait(max(0.0, min(60.0 * troupe.idle / pace, until - time.monotonic())))
        woken.clear()
    return handed_in


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description="Seats a computer player by a token (docs/api.md).")
    parser.add_argument("url", help="the town, e.g. http://localhost:8000")
    parser.add_argument("--token-file", type=Path, help="a file with the token (default: BANSHA_TOKEN)")
    parser.add_argument("--host", default="", help="the name the town is addressed by, where it is not that of the URL")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="play so long (default: to the end)")
    chosen = parser.parse_args(arguments)
    token = chosen.token_file.read_text("ascii").strip() if chosen.token_file else os.environ.get("BANSHA_TOKEN", "")
    if not token:
        parser.error("no token: give --token-file or BANSHA_TOKEN")
    line = Line(chosen.url, chosen.host)
    try:
        print(f"handed in {play(Client(line, token), line, time.monotonic() + chosen.seconds)}")
    except Gone as gone:
        print(f"the seat is not yours (any more): {gone.en}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
