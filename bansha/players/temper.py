"""What sort of player somebody is, and what it has said so far: drawn once, then only its record grows."""

from __future__ import annotations

from random import Random


class Temper:
    """Traits between 0 and 1, and the record of claims."""

    def __init__(self, rng: Random) -> None:
        self.talkative = 0.45 + 0.5 * rng.random()
        self.herd = 0.25 + 0.5 * rng.random()
        self.leads = rng.random() < 0.35
        self.sells = rng.random() < 0.6
        self.tone = rng.randrange(1 << 16)
        self.bluffs = 0  # the day of a planned false claim, 0: none
        self.claimed = ""
        self.honest = True
        self.told: set[int] = set()
        self.invented: set[int] = set()
        self.judged: set[int] = set()
        self.pleaded = 0
        self.chatted = 0
        self.quiet_days = 0
