"""版杀 bansha: a stage for play-by-post Werewolf; one ruleset file is the referee, the rules page and the tests."""

__version__ = "0.1.0"
