"""The secrecy property: what a viewer can fetch is the same, byte for byte, in every twin of a moment (rules.md §7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import msgspec

from bansha.referee.game import Entry
from bansha.referee.state import OVER, State
from bansha.sight import explain as why
from bansha.sight import view as sight
from bansha.sight.types import Viewer
from tests.support.random_games import mood, new_game, play, random_options
from tests.support.twins import twin_entries, twin_state

_encode = msgspec.json.encode


@dataclass
class Found:
    """What a run came to: how many (game, moment, viewer, twin) were compared, and the first differences."""

    checked: int = 0
    edits: dict[str, int] = field(default_factory=dict)
    leaks: list[str] = field(default_factory=list)


def run(ruleset: str, enough: int, seed: int = 0, stop_at: int = 1) -> Found:
    """Compare views and explanations over random games until `enough` twins, or `stop_at` leaks, were seen."""
    found = Found()
    number = 0
    while found.checked < enough and len(found.leaks) < stop_at:
        rng = Random(f"secrecy {ruleset} {seed} {number}")
        number += 1
        game = new_game(ruleset, rng, random_options(ruleset, rng) if rng.random() < 0.6 else {})
        for _ in play(game, rng, mood(rng)):
            if game.state.phase == OVER or game.state.n == 0 or rng.random() > 0.16:
                continue
            _compare(game.state, game.entries, rng, found, f"{ruleset} game {number - 1} entry {len(game.entries)}")
            if found.checked >= enough or len(found.leaks) >= stop_at:
                break
    return found


def viewers(s: State, rng: Random) -> list[Viewer]:
    """The public, and a few seats."""
    seats = rng.sample(range(1, s.n + 1), 2)
    return [Viewer("public"), Viewer("player", seats[0]), Viewer("assistant", seats[1])]


def _compare(s: State, entries: list[Entry], rng: Random, found: Found, where: str) -> None:
    viewer = rng.choice(viewers(s, rng))
    twin, made = twin_state(s, viewer, rng)
    if not made:
        return
    found.checked += 1
    for name in made:
        found.edits[name] = found.edits.get(name, 0) + 1
    real, other = sight.view(s, viewer), sight.view(twin, viewer)
    if _encode(real) != _encode(other):
        found.leaks.append(f"{where}, {viewer.kind} {viewer.seat}, {s.phase_name()}: {difference(real, other)} after {made}")
    twin.now += rng.randint(1, 30)  # somebody handed something in a little later
    if _encode(sight.view(s, viewer, s.now).public) != _encode(sight.view(twin, viewer, s.now).public):
        found.leaks.append(f"{where}, {viewer.kind} {viewer.seat}: the minute of the latest entry shows")
    elif _encode(sight.view(s, Viewer("public"))) != _encode(sight.view(twin, Viewer("public"))):
        found.leaks.append(f"{where}, public: the minute of the latest entry shows")
    if rng.random() < 0.4:
        _compare_traces(s, entries, viewer, rng, found, where)


def questions(s: State, rng: Random) -> list[why.Question]:
    """A few questions, about somebody out where there is one."""
    seat = rng.choice(s.out_order) if s.out_order and rng.random() < 0.7 else rng.randint(1, s.n)
    others: list[why.Question] = [why.WhyTold(rng.randint(1, s.n)), why.WhyVote(seat), why.WhyCard(seat), why.WhyEnd()]
    return [why.WhyOut(seat), rng.choice(others)]


def _compare_traces(s: State, entries: list[Entry], viewer: Viewer, rng: Random, found: Found, where: str) -> None:
    twin = twin_entries(entries, s, viewer, rng)
    for question in questions(s, rng):
        real = why.explain(entries, s.board, viewer, question)
        other = why.explain(twin, s.board, viewer, question)
        if _encode(real) != _encode(other):
            said = " | ".join(why.lines_in(real)), " | ".join(why.lines_in(other))
            found.leaks.append(f"{where}, {viewer.kind} {viewer.seat}: {question}: {said[0]} ≠ {said[1]}")


def difference(real: object, other: object, path: str = "") -> str:
    """Where two views differ first."""
    one, two = msgspec.to_builtins(real), msgspec.to_builtins(other)
    return _differs(one, two, path) or "nowhere"


def _differs(one: object, two: object, path: str) -> str:
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return next((found for key in one if (found := _differs(one[key], two[key], f"{path}.{key}"))), "")
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return next((found for i in range(len(one)) if (found := _differs(one[i], two[i], f"{path}[{i}]"))), "")
    return "" if one == two else f"{path}: {one!r} ≠ {two!r}"
