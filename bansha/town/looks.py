"""How personas, skylines and rulers look, as numbers for templates: nothing here knows a request.

A window is made from a name: h = FNV-1a of its UTF-8, lattice (h >> 9) mod 8, tone h mod 12; in one game tones are given in
seat order, a taken one moves on by 5 while fewer than 12 are taken (design/README).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple


def fnv(name: str) -> int:
    """FNV-1a, 32 bits, of a name in UTF-8."""
    value = 0x811C9DC5
    for byte in name.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def windows(names: Sequence[str]) -> list[tuple[int, int]]:
    """(tone, lattice) of each name, in seat order."""
    taken: set[int] = set()
    found = []
    for name in names:
        h = fnv(name)
        tone = h % 12
        while len(taken) < 12 and tone in taken:
            tone = (tone + 5) % 12
        taken.add(tone)
        found.append((tone, (h >> 9) % 8))
    return found


class Pane(NamedTuple):
    """The window of a house in the skyline: its corner, middle and bars, and whose it is (`state`: pane, dark, lamp)."""

    seat: int
    x: str
    y: str
    centre_x: str
    centre_y: str
    bars: str
    state: str


class Skyline(NamedTuple):
    """Three layers of roofs as paths of a 720 × 132 drawing, and the windows of the near one in seat order."""

    far: str
    middle: str
    near: str
    panes: list[Pane]


WIDE, HIGH = 720, 132


def skyline(seed: str, seats: int, out: Collection[int] = (), mine: int = 0) -> Skyline:
    """The roofs of a game: the same for the same seed; the near layer has exactly one house per seat."""
    near: list[str] = []
    panes: list[Pane] = []
    pitch = WIDE / seats
    for seat in range(1, seats + 1):
        h = fnv(f"{seed} near {seat}")
        width = round(min(pitch - 4, 67))
        left = round(pitch * (seat - 0.5) - width / 2) + h % 3 - 1
        wall = 80 + h // 3 % 4 * 6
        stepped = h // 16 % 3 == 0
        near.append(_gable(left, width, wall + 6) if stepped else _eaves(left, width, wall))
        x, y = left + width / 2 - 7, wall + 9
        state = "dark" if seat in out else "lamp" if seat == mine else "pane"
        bars = f"M{x + 6.4:.1f} {y}h1.2v19h-1.2zM{x:.1f} {y + 8}h14v1.2h-14z"
        panes.append(Pane(seat, f"{x:.1f}", str(y), f"{x + 7:.1f}", f"{y + 9.5}", bars, state))
    return Skyline(_row(f"{seed} far", 38, 22, 46, True), _row(f"{seed} mid", 72, 20, 70, False), "".join(near), panes)


def _row(seed: str, top: int, spread: int, width: int, towers: bool) -> str:
    """A layer behind: houses close together from edge to edge, some of them towers."""
    found: list[str] = []
    left, k = -20, 0
    while left < WIDE:
        h = fnv(f"{seed} {k}")
        wide = width + h % 5 * 6 - 12
        high = top + h // 8 % spread
        kind = h // 256 % 5
        if towers and kind == 0:
            found.append(_tower(left, 14 + h % 4, 18 + h // 8 % 16))
            wide = 44
        else:
            found.append(_gable(left, wide, high) if kind < 3 else _eaves(left, wide, high))
        left += wide + h // 64 % 8 - 2
        k += 1
    return "".join(found)


def _eaves(x: int, wide: int, wall: int) -> str:
    """A house with upturned eaves."""
    a, b, c, d = (round(x + wide * part) for part in (0.25, 0.34, 0.66, 0.75))
    return f"M{x} {HIGH}V{wall}l-7-1Q{a} {wall - 4} {b} {wall - 15}H{c}Q{d} {wall - 4} {x + wide + 7} {wall - 1}l-7 1V{HIGH}Z"


def _gable(x: int, wide: int, wall: int) -> str:
    """A house with a stepped gable."""
    side = round(wide * 0.27)
    step = f"h-3v-4h{side + 6}v4h-3"
    return f"M{x} {HIGH}V{wall}{step}V{wall - 14}h-3v-4h{wide - 2 * side + 6}v4h-3V{wall}{step}V{HIGH}Z"


def _tower(x: int, half: int, top: int) -> str:
    """A tower with a pointed roof."""
    return f"M{x} {HIGH}L{x + 5} {top}h-4v-4h4l{half}-12 {half} 12h4v4h-4L{x + 10 + 2 * half} {HIGH}Z"
