"""Plants leaks of secrets one by one and runs the secrecy property on each: every one must be found.

    python tools/leaks.py [name ...]        twice `12/12 caught`; exit 1 when one was not

A leak is a small mistake of the kind that happens: the truth where the public's knowledge belongs, a count, a minute, an
event whose audience was opened. Twelve are planted into views and explanations, twelve into what the town serves: pages,
validators, feeds, notices.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bansha.referee import events as e
from bansha.referee.state import PHASES, State
from bansha.sight import view as sight
from bansha.sight.types import Announcement, MeView, PublicView
from tests.support.secrecy import run
from tests.support.town_leaks import LEAKS as SERVED
from tests.support.town_leaks import Leak, instead

Plant = Callable[[], Any]
ENOUGH = 1500
"""Twins compared on a ruleset before a leak counts as missed there."""
GAMES = 12
"""Games in the town before a leak counts as missed there."""


def _public(change: Callable[[State, PublicView], None]) -> Plant:
    """A leak in what everybody sees."""
    true = sight._public

    def leaking(s: State, now: int) -> PublicView:
        result = true(s, now)
        change(s, result)
        return result

    return lambda: instead(sight, "_public", leaking)


def _me(change: Callable[[State, MeView], None]) -> Plant:
    """A leak in what a seat sees."""
    true = sight._me

    def leaking(s: State, seat: int, now: int) -> MeView:
        result = true(s, seat, now)
        change(s, result)
        return result

    return lambda: instead(sight, "_me", leaking)


def _audience(kind: type[e.Event]) -> Plant:
    """An event opened to everybody; explanations use it."""
    return lambda: instead(kind, "audience", "public")


def _aside(what: str, value: Callable[[State], Any]) -> Callable[[State, PublicView], None]:
    def change(s: State, shown: PublicView) -> None:
        shown.announced.append(Announcement(0, what, value(s)))

    return change


def _alive(s: State, shown: PublicView) -> None:
    shown.alive = s.seats(s.alive)


def _sheriff(s: State, shown: PublicView) -> None:
    shown.sheriff = s.sheriff


def _dusk(s: State, shown: PublicView) -> None:
    shown.phase = PHASES[s.phase]  # type: ignore[assignment]


def _outs(s: State, shown: PublicView) -> None:
    shown.out = list(s.out_order)


def _roles_of_the_dead(s: State, shown: PublicView) -> None:
    shown.roles = {seat: s.board.role_ids[s.role[seat]] for seat in s.out_order if not s.public_alive >> seat & 1}


def _charm(s: State, shown: MeView) -> None:
    shown.notices.append((0, "charmed", str(s.charmed >> shown.seat & 1)))


def _window(s: State, shown: MeView) -> None:
    for skill in shown.skills:
        if skill.until and s.limits:
            skill.until = max(skill.until, s.limits[min(3, len(s.limits) - 1)])


LEAKS: dict[str, tuple[str, str, Plant]] = {
    "alive": ("m205", "who lives, in truth, before the opening tells", _public(_alive)),
    "sheriff": ("m46", "who has the badge, before the opening tells", _public(_sheriff)),
    "dusk": ("baichibai", "that it is dusk or dawn, not just night", _public(_dusk)),
    "outs": ("m46", "who is out tonight, in order, before the opening", _public(_outs)),
    "dens": ("baichibai", "how many share each den", _public(_aside("共群", lambda s: [d.bit_count() for d in s.dens]))),
    "pending": ("m205", "how many choices are kept for tonight", _public(_aside("待执行", lambda s: len(s.pending)))),
    "stage": ("m205", "which stage of the night is open", _public(_aside("段", lambda s: s.stage))),
    "charmed": ("m46", "the charmed are told that they are", _me(_charm)),
    "window": ("m46", "the end of the witch's window, by which all others see whether she has her vision", _me(_window)),
    "roles": ("standard12", "the roles of those out", _public(_roles_of_the_dead)),
    "kept": ("m205-2026-summer", "another's choice, in an explanation: Submitted opened to everybody", _audience(e.Submitted)),
    "proposed": ("baichibai", "a proposed card, in an explanation: CardProposed opened to everybody", _audience(e.CardProposed)),
}
"""Name → (ruleset it is looked for in, what it tells, how it is planted)."""


def _caught(name: str, what: str, plant: Plant, look: Callable[[], tuple[list[str], str]]) -> bool:
    """Plant one, look, and say what came of it. `look` gives the leaks found and what was looked at."""
    started = time.monotonic()
    with plant():
        leaks, looked = look()
    seconds = time.monotonic() - started
    if leaks:
        print(f"caught  {name:9} {what}\n        after {looked} in {seconds:.1f} s: {leaks[0][:170]}", flush=True)
    else:
        print(f"MISSED  {name:9} {what}: {looked} in {seconds:.1f} s, none differed", flush=True)
    return bool(leaks)


def in_views(names: list[str]) -> int:
    """Plant leaks in views and explanations; returns how many were found."""
    caught = 0
    for name in names:
        ruleset, what, plant = LEAKS[name]

        def look(ruleset: str = ruleset) -> tuple[list[str], str]:
            found = run(ruleset, ENOUGH)
            return found.leaks, f"{found.checked} twins of {ruleset}"

        caught += _caught(name, what, plant, look)
    return caught


def in_town(names: list[str]) -> int:
    """Plant leaks in what the town serves; returns how many were found."""
    import os
    import tempfile

    from tests.support import served, town_secrecy
    from tests.support.town import Clock

    os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
    served.start("sqlite")
    caught = 0
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(Path(folder))
        for name in names:
            leak = SERVED[name]

            def look(leak: Leak = leak) -> tuple[list[str], str]:
                found = town_secrecy.leaking(clock, leak, GAMES)
                return found.leaks, f"{found.looks} looks of {len(found.kinds)} kinds at {leak.ruleset}, {found.fetches} fetches"

            caught += _caught(name, leak.tells, leak.plant, look)
    return caught


def main(names: list[str]) -> int:
    """Returns the exit code."""
    unknown = [name for name in names if name not in {*LEAKS, *SERVED}]
    if unknown:
        print(f"no leak {', '.join(unknown)}; there are {' '.join([*LEAKS, *SERVED])}", file=sys.stderr)
        return 2
    missed = 0
    for where, planted, look in (("in views", LEAKS, in_views), ("over HTTP", SERVED, in_town)):
        chosen = [name for name in planted if not names or name in names]
        caught = look(chosen) if chosen else 0
        if chosen:
            print(f"{where}: {caught}/{len(chosen)} caught")
        missed += len(chosen) - caught
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
