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


@pytest.mark.parametrize("name", bundled())
def test_no_leaf_is_dead(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    judge = Judge(name)
    true = judge.true
    sheet = show(true)
    count = shown = 0
    dead: list[str] = []
    for leaf in leaves(true):
        count += 1
        try:
            other = changed(true, leaf)
        except RulesetError:
            shown += 1
            continue
        if show(other) == sheet:
            dead.append(f"{leaf} is not on the sheet ({':'.join(map(str, true.place(leaf.at)))})")
        elif leaf.at[-1] == ONLY_SHOWN or judge.differs(leaf, other):
            shown += 1
        else:
            dead.append(f"{leaf} changes no game ({':'.join(map(str, true.place(leaf.at)))})")
    with capsys.disabled():
        print(f"\n{name}: {count} leaves, {shown} shown, {len(dead)} dead")
    assert not dead, "\n".join(dead)
