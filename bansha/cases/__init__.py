"""Case files: a ruleset, a deal, steps, and what must come out. See docs/cases.md."""
