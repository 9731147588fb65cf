"""Ruleset files: names, numbers, lists, times and texts; loading, linting, and the rule sheet made from them."""
