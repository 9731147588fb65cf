"""Any one name renamed or deleted, in any ruleset that comes with bansha: lint finds it."""

from functools import cache

import pytest

from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets.lint import Vocabulary, lint
from bansha.rulesets.load import RulesetError, bundled, load
from tools.rename_mutator import Mutant, names

# Patterns do not change here: each is checked once.
QUICK = Vocabulary(
    VOCABULARY.verbs,
    VOCABULARY.settlement,
    VOCABULARY.aftermath,
    VOCABULARY.conditions,
    VOCABULARY.options,
    cache(VOCABULARY.pattern_check),
)


@pytest.mark.slow
def test_every_broken_name_is_caught() -> None:
    total = 0
    missed: list[str] = []
    for id in bundled():
        of = load(id)
        for mutant in names(of.ruleset):
            total += 1
            try:
                faults = lint(mutant.load(of), QUICK)
            except RulesetError:
                continue  # refused before lint
            if not faults:
                missed.append(f"{id}: {mutant}")
    print(f"{total} mutants, {total - len(missed)} caught")
    assert total > 1500
    assert missed == []


def test_mutants_reach_every_kind_of_name() -> None:
    found: list[Mutant] = [mutant for id in bundled() for mutant in names(load(id).ruleset)]
    fields = {next(str(part) for part in reversed(mutant.path) if isinstance(part, str)) for mutant in found}
    assert {
        *("skills", "faction", "stage", "setup", "voided_by", "immune", "moved_by", "absorbed_by", "excludes", "loses"),
        *("becomes", "shows", "orders", "takes", "gains", "doubles", "blocked_by", "tells", "den", "dooms", "leaves"),
        *("reveals", "counts", "pack", "role", "roles", "factions", "order", "when", "line", "verb", "after"),
        *("posts_clause", "silence_clause", "option", "default", "section", "not_after", "declared_empty"),
    } <= fields
    assert {"renamed where it is used", "deleted where it is used", "renamed where it is defined", "deleted where it is defined"} == {
        mutant.how.partition("' ")[2] for mutant in found
    }
