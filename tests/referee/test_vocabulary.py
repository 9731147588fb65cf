"""The names that rulesets may use are the names that functions stand behind."""

from __future__ import annotations

import pytest

from bansha.referee import skills
from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets.lint import lint
from bansha.rulesets.load import bundled, load


def test_every_verb_is_executed_at_a_stage_or_only_held() -> None:
    assert not set(skills.VERBS) & set(skills.PASSIVE)
    assert set(skills.VERBS) | set(skills.PASSIVE) == VOCABULARY.verbs
    assert set(skills.PASSIVE) == {"steadfast", "sanctity", "execution", "play_dumb", "last_shot", "handover"}


def test_every_verb_is_used_by_some_board() -> None:
    used = {skill.verb for name in bundled() for skill in load(name).ruleset.skills.values()}
    assert used == VOCABULARY.verbs


@pytest.mark.parametrize("name", bundled())
def test_a_bundled_board_uses_no_other_name(name: str) -> None:
    assert lint(load(name), VOCABULARY) == []
