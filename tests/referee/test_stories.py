"""What the judge records, event by event, in small scenes (stories.txt: as read by hand against the clause in the title).

A case says what must come out; these say by which events, for explanations, views and the journal live on them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scenes import scene, story

TEXT = Path(__file__).with_name("stories.txt").read_text(encoding="utf-8")
SCENES = [block.splitlines() for block in TEXT.split("\n\n") if block.strip()][1:]

OPENING = ("seeded ", "game_opened ", "dealt ")
ATTENDANCE = ("card_proposed ", "quiet_days ")


@pytest.mark.parametrize("lines", SCENES, ids=lambda lines: lines[0].removeprefix("# "))
def test_what_is_recorded(lines: list[str]) -> None:
    """Title, ruleset, header lines, steps, `=> n` (the last n entries are looked at), the events."""
    at = next(number for number, line in enumerate(lines) if line.startswith("=> "))
    title, ruleset, *rest = lines[:at]
    more = "\n".join(line for line in rest if not line.startswith("- "))
    steps = "\n".join(line for line in rest if line.startswith("- "))
    left_out = OPENING if "proposals" in title else OPENING + ATTENDANCE
    told = [line for line in story(scene(ruleset, steps, more), int(lines[at][3:])) if not line.startswith(left_out)]
    assert told == lines[at + 1 :]
