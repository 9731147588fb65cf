"""One small function per skill verb. A verb says what happened; it never writes state. Register a new one in VERBS."""

from __future__ import annotations

from collections.abc import Callable

from bansha.referee.board import SkillTable
from bansha.referee.skills import bonds, day_effects, protection, seeing, strikes
from bansha.referee.turn import Turn

Verb = Callable[[Turn, int, SkillTable, list[int]], None]

# Executed when their stage (or setup) closes, on legal targets.
VERBS: dict[str, Verb] = {
    "join": bonds.join,
    "heretics": bonds.heretics,
    "charm": bonds.charm,
    "mark": protection.mark,
    "torch": protection.mark,
    "counter": protection.mark,
    "ward": protection.ward,
    "holy_light": protection.holy_light,
    "order": protection.order,
    "freeze": protection.freeze,
    "attack": strikes.attack,
    "fog": strikes.fog,
    "vision": seeing.vision,
    "read": seeing.read,
    "read_some": seeing.read_some,
    "curse": day_effects.curse,
    "swap": day_effects.swap,
}

# Held, but never executed at a stage: read by the settlement, the aftermath or the prompts.
PASSIVE = ("steadfast", "sanctity", "execution", "play_dumb", "last_shot", "handover")
