"""The interface keeps to its document: schemathesis calls everything in it, with good and with bad input, for a seat and for a
reader, and every answer must be one that is documented, in its shape. `make api` is the long form."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import from_schema
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished

from bansha.api import guard, rooms
from bansha.town import limits
from tests.browser.scenes import MAKERS, Scene, people
from tests.support.clocks import Clock
from tests.support.tokens import bearer

EXAMPLES = int(os.environ.get("BANSHA_EXAMPLES", "3"))
"""Calls with generated input that an operation gets in each pass, beside those that cover its document's edges."""
BEYOND = {"positive_data_acceptance": {"enabled": False}}
"""A call of the right shape may still be against the rules: then it is refused, which is documented."""


@pytest.fixture(scope="module")
def scene(clock: Clock) -> Scene:
    """A game by day, with votes, petitions and a den."""
    people()
    return MAKERS["day"](clock)


def run(
    address: str, headers: dict[str, str], parameters: dict[str, Any], edges: bool, only: str = "/"
) -> tuple[Counter[int], list[str]]:
    """All operations of the document (whose path has `only` in it): how many answers there were of each status, and what is wrong
    with them. `edges`: the edges of the document are covered, too."""
    phases = {"stateful": {"enabled": False}, "coverage": {"enabled": edges}}
    config = SchemathesisConfig.from_dict({
        "headers": {**headers, "Accept-Encoding": "identity"}, "parameters": parameters, "phases": phases, "checks": BEYOND,
        "generation": {"max-examples": EXAMPLES, "deterministic": True, "database": "none"}, "continue-on-failure": True,
    })  # fmt: skip
    schema = schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json", config=config).include(path_regex=only)
    answered: Counter[int] = Counter()
    wrong: list[str] = []
    for event in from_schema(schema).execute():
        if isinstance(event, ScenarioFinished):
            answered.update(one.response.status_code for one in event.recorder.interactions.values() if one.response is not None)
            for checks in event.recorder.checks.values():
                wrong += [f"{event.label}: {one.name}: {one.failure_info.failure}" for one in checks if one.failure_info is not None]
        elif isinstance(event, (FatalError, NonFatalError)):
            wrong.append(f"{getattr(event, 'label', '')}: {getattr(event, 'value', event)!r}")
    return answered, wrong


@pytest.mark.slow
@pytest.mark.parametrize("kind", ("seat", "read"))
def test_every_answer_is_documented(
    kind: str, served_at: str, scene: Scene, clock: Clock, says: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.set(scene.moment)
    monkeypatch.setattr(limits, "take", lambda *_arguments: 0)
    headers = bearer(f"player{scene.player}", scene.game, kind)
    here = {"path.game": scene.game, "path.room": f"talk-{scene.day}"}
    answered, wrong = run(served_at, headers, here, kind == "seat")
    more, also = run(served_at, headers, {}, False)
    answered, wrong = answered + more, wrong + also
    says(f"api, {kind}: {sum(answered.values())} calls, {len(wrong)} answers that are not documented; {dict(sorted(answered.items()))}")
    assert not wrong, "\n\n".join(dict.fromkeys(wrong[:10]))
    assert not [status for status in answered if status >= 500]


@pytest.mark.parametrize("wrong", ("shape", "status"))
def test_an_answer_that_is_not_documented_is_found(
    wrong: str, served_at: str, scene: Scene, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.set(scene.moment)
    if wrong == "shape":
        monkeypatch.setattr(rooms, "iso", lambda _moment: 5)
    else:
        monkeypatch.setattr(guard, "_game", lambda *_arguments: guard.said({}, 418))
    _answered, found = run(served_at, bearer(f"player{scene.player}", scene.game), {"path.game": scene.game}, False, r"games/\{game\}$")
    assert found and all("/games/{game}" in one for one in found)
