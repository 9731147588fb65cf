"""Computer players: they see a view and what was said, and nothing else."""

from bansha.players.intents import Intent, Talk
from bansha.players.player import Player

__all__ = ["Intent", "Player", "Talk"]
