"""The golden games come out as they were checked by hand; `python tools/golden.py` writes them anew."""

from pathlib import Path

import pytest

from tools.golden import GOLDEN, play

SCRIPTS = sorted(GOLDEN.glob("*.yaml"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_golden_game_is_as_it_was(script: Path) -> None:
    made = play(script).splitlines()
    kept = script.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    for number, (now, then) in enumerate(zip(made, kept, strict=False), 1):
        assert now == then, f"{script.stem}.txt:{number}"
    assert len(made) == len(kept)


def test_a_golden_game_of_each_ruleset() -> None:
    assert {path.stem for path in SCRIPTS} >= {"m205", "m46", "baichibai", "vanilla"}
