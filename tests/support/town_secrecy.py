"""The secrecy property over everything that is served (rules.md §7, docs/security.md): at a moment of a random game a viewer
fetches all it can; in the twin of that moment it fetches the same, byte for byte up to `surface.VOLATILE`; and nothing it
fetches names an account of the running game, or tells "not there" from "not for you".

    found = Found()
    look(played, eye, seed, found)
"""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from bansha.referee.judge import due
from bansha.referee.state import DAWN, DUSK, NIGHT, OVER
from tests.support.played import KINDS, Eye, Played
from tests.support.surface import Reader, broken, forget, named, unlike, world
from tests.support.town import Clock, one_transaction
from tests.support.town_leaks import Leak
from tests.support.town_twins import edit, stir


@dataclass
class Found:
    """What a run came to."""

    games: int = 0
    moments: int = 0
    looks: int = 0
    fetches: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    twins: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """On one line."""
        return (
            f"secrecy: {self.games} games, {self.moments} moments, {self.looks} looks of {len(self.kinds)} kinds of viewers, "
            f"{self.fetches} fetches, {len(self.leaks)} differences"
        )


def look(played: Played, eye: Eye, seed: int, found: Found, cap: int = 2, sends: float = 0.6) -> None:
    """One viewer at this moment and at its twin."""
    rng = Random(f"look {seed} {eye.kind}")
    runs_on = eye.viewer.kind == "public" and rng.random() < 0.5
    sent = eye.viewer.kind != "director" and rng.random() < sends
    sights: list[dict[str, bytes]] = []
    validators: dict[str, dict[str, str]] = {}
    for twin in (False, True):
        chance = Random(f"twin {seed} {eye.kind}")
        with world(played):
            reader = Reader(played, eye, seed, cap)
            reader.glance()
            hears = reader.listen()
            made = stir(played, eye, chance) if twin else []
            if runs_on and _to_the_end_of_the_night(played):
                return  # the night has ended the game: everybody may know everything
            seen = hears()
            if sent:
                seen |= reader.send()
            if twin:
                made += edit(played, eye, chance)
                found.twins.update(made)
            seen |= reader.waiting()
            seen |= reader.fetch(validators)
            validators = reader.validators
            found.fetches += reader.fetches
        where = f"{played.game.ruleset} seed {played.seed} entry {played.entries}, {eye.kind}"
        if eye.viewer.kind != "director":
            found.leaks += [f"{where}: {fault}" for fault in named(seen, played, eye)]
        found.leaks += [f"{where}: {fault}" for fault in unlike(seen, reader)]
        found.broken += [f"{where}: {fault}" for fault in broken(seen)]
        sights.append(seen)
    found.looks += 1
    found.kinds[eye.kind] += 1
    found.leaks += [f"{where}: {fault} after {made}" for fault in differences(*sights)]


def differences(one: dict[str, bytes], two: dict[str, bytes]) -> list[str]:
    """Where two sights part: what was fetched, and the lines that differ."""
    faults = []
    for what in dict.fromkeys([*one, *two]):
        was, now = one.get(what, b"(nothing)"), two.get(what, b"(nothing)")
        if was != now:
            before, after = (answer.decode(errors="replace").splitlines() for answer in (was, now))
            lines = difflib.unified_diff(before, after, lineterm="", n=0)
            faults.append(f"{what} differs: " + " | ".join(line[:240] for line in list(lines)[3:9]))
    return faults


def _to_the_end_of_the_night(played: Played) -> bool:
    """By night the clock strikes on, to a minute before the opening: however a night goes, nobody outside sees any of it. Says
    whether the game has ended."""
    from bansha.journal import doors

    with played.state() as s:
        if s.phase not in (DUSK, NIGHT, DAWN) or s.paused_at >= 0:
            return False
        opening = s.opens_at
    doors.strike(played.game.journal, played.at(opening - 1))
    with played.state() as s:
        return s.phase == OVER


def moment(played: Played, found: Found, steps: int, wish: str = "") -> bool:
    """Play on to a moment that is drawn: so many commands, and on to a phase that is wished for ("" for any) where it comes
    soon. False: the game has ended."""
    if not played.play(steps):
        return False
    for _ in range(60):
        with played.state() as s:
            hidden = s.alive != s.public_alive
            phase = "out, not told" if hidden and s.settled else "night" if s.phase in (DUSK, NIGHT, DAWN) else "day"
        if not wish or phase == wish:
            break
        if not played.play(1):
            return False
    with played.state() as s:
        if due(s) <= s.now:
            return False
        found.phases[s.phase_name().split()[0]] += 1
    found.moments += 1
    return True


def run(clock: Clock, ruleset: str, seed: int, found: Found, moments: int, each: int, kinds: tuple[str, ...] = KINDS, cap: int = 2,
        sends: float = 0.6, enough: int = 1) -> None:  # fmt: skip
    """A game: looks of `each` viewers at `moments` moments, until `enough` leaks are found."""
    from django.db import transaction

    rng = Random(f"run {ruleset} {seed}")
    with one_transaction():
        played = Played(ruleset, seed, clock)
        found.games += 1
        try:
            for _ in range(moments):
                wish = rng.choice(("", "night", "night", "day", "out, not told"))
                if not moment(played, found, rng.randrange(5, 45), wish):
                    break
                played.visit()
                eyes = {kind: eye for kind, eye in played.eyes().items() if kind in kinds}
                rare = sorted(eyes, key=lambda kind: (found.kinds[kind], rng.random()))
                for kind in rare[:each]:
                    look(played, eyes[kind], rng.getrandbits(32), found, cap, sends)
                    if len(found.leaks) >= enough:
                        return
        finally:
            transaction.set_rollback(True)
            forget()


def leaking(clock: Clock, leak: Leak, games: int, seed: int = 0) -> Found:
    """Look for a leak that is planted: games of its ruleset, until it is found or there were so many."""
    found = Found()
    for number in range(games):
        if not found.leaks:
            run(clock, leak.ruleset, seed + number, found, 3, 1, leak.kinds, cap=1, sends=0)
    return found
