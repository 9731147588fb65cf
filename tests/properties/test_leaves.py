"""Every number, flag, policy and option of every ruleset means something: changed, it changes the rule sheet, and a game.

What the loader or the linter refuses, naming the line, means something too. Money is paid by people: its figures are
shown on the sheet and judged by nobody.
"""

from __future__ import annotations

import pytest

from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets.lint import lint
from bansha.rulesets.load import Loaded, RulesetError, bundled, load
from bansha.rulesets.sheet import show
from tests.properties.probes import Leaf, Probe, changed, leaves, probes

ONLY_SHOWN = "coins"


class Judge:
    """Tells whether a changed ruleset plays differently; what told the last ones of its sort apart is asked first."""

    def __init__(self, name: str) -> None:
        self.true = load(name)
        self.probes = probes(self.true, name)
        self.told: dict[str, list[Probe]] = {}
        self.known = {(fault.code, fault.what) for fault in lint(self.true, VOCABULARY)}

    def refused(self, other: Loaded) -> bool:
        """Whether the linter finds a fault in the changed ruleset, at a line."""
        return any(fault.line > 0 and (fault.code, fault.what) not in self.known for fault in lint(other, VOCABULARY))

    def differs(self, leaf: Leaf, other: Loaded) -> str:
        """The probe that tells them apart, or ""."""
        first = self.told.setdefault(leaf.shape, [])
        for probe in [*first, *(probe for probe in self.probes if probe not in first)]:
            if probe.differs(self.true, other):
                if probe in first:
                    first.remove(probe)
                first.insert(0, probe)
                return probe.name
        return ""


def fault(judge: Judge, leaf: Leaf, sheet: str) -> str:
    """What is wrong with a leaf; "" when it is shown and judged."""
    try:
        other = changed(judge.true, leaf)
    except RulesetError:
        return ""
    place = ":".join(map(str, judge.true.place(leaf.at)))
    if show(other) == sheet:
        return "" if judge.refused(other) else f"{leaf} is not on the sheet ({place})"
    if leaf.at[-1] == ONLY_SHOWN:
        return ""
    try:
        told_apart = judge.differs(leaf, other)
    except (KeyError, IndexError, ValueError) as error:  # cannot be played: then the linter must have said so
        return "" if judge.refused(other) else f"{leaf} cannot be played: {error!r} ({place})"
    return "" if told_apart or judge.refused(other) else f"{leaf} changes no game ({place})"


@pytest.mark.slow
@pytest.mark.parametrize("name", bundled())
def test_no_leaf_is_dead(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    judge = Judge(name)
    sheet = show(judge.true)
    faults = [fault(judge, leaf, sheet) for leaf in leaves(judge.true)]
    dead = [one for one in faults if one]
    with capsys.disabled():
        print(f"\n{name}: {len(faults)} leaves, {len(faults) - len(dead)} shown, {len(dead)} dead")
    assert not dead, "\n".join(dead)


def test_a_dead_leaf_is_noticed() -> None:
    """A flag that nothing reads: the badge of a board whose ballots elect nobody."""
    judge = Judge("vanilla")
    silent = Leaf(("assistants", "games"), 3, 3)
    assert fault(judge, silent, show(judge.true)).startswith("assistants.games: 3 → 3 is not on the sheet")
