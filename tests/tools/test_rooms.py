"""The contract that keeps the table of rooms."""

from collections.abc import Sequence

import pytest
from grimp import ImportGraph
from importlinter.domain.contract import InvalidContractOptions

from tools.rooms import Rooms

TABLE = [
    "rulesets: stdlib msgspec",
    "referee: rulesets stdlib -random",
    "sight: referee rulesets",
    "players: sight.view rulesets",
]


def refused(*imports: tuple[str, str], table: Sequence[str] = TABLE) -> list[str]:
    """What the contract says against a project in which the first of each pair imports the second."""
    graph = ImportGraph()
    graph.add_module("game")
    for pair in imports:
        for module in pair:
            parts = module.split(".")
            for length in range(1, len(parts) + 1):
                graph.add_module(".".join(parts[:length]), is_squashed=parts[0] != "game")
        graph.add_import(importer=pair[0], imported=pair[1], line_number=7, line_contents="import")
    contract = Rooms("the table", {}, {"root": "game", "rooms": list(table)})
    check = contract.check(graph, verbose=False)
    said = [f"{name} has no line" for name in check.metadata["lineless"]]
    said += [f"{breach.importer} imports {breach.imported}" for breach in check.metadata["breaches"]]
    assert check.kept == (not said)
    return said


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("game.referee.night", "game.rulesets.model"),
        ("game.referee.night", "game.referee.state"),
        ("game.referee.night", "collections"),
        ("game.rulesets.model", "msgspec"),
        ("game.players.bold", "game.sight.view"),
        ("game.players.bold", "game"),
    ],
)
def test_what_a_line_names_is_allowed(importer: str, imported: str) -> None:
    assert refused((importer, imported)) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("game.rulesets.model", "game.referee.state"),
        ("game.referee.night", "game.sight"),
        ("game.referee.night", "random"),
        ("game.referee.night", "django"),
        ("game.sight.view", "collections"),
        ("game.players.bold", "game.referee.state"),
        ("game.players.bold", "game.sight.explain"),
        ("game", "game.rulesets"),
    ],
)
def test_what_a_line_does_not_name_is_refused(importer: str, imported: str) -> None:
    assert refused((importer, imported)) == [f"{importer} imports {imported}"]


def test_a_room_with_a_name_that_begins_alike_is_another_room() -> None:
    table = ["sight: ", "sightings: "]
    assert refused(("game.sightings.a", "game.sight.b"), table=table) == ["game.sightings.a imports game.sight.b"]


def test_a_room_without_a_line_is_refused() -> None:
    assert refused(("game.attic.box", "collections")) == ["attic has no line"]


def test_a_line_without_a_room_is_only_a_warning() -> None:
    graph = ImportGraph()
    graph.add_module("game")
    check = Rooms("the table", {}, {"root": "game", "rooms": ["lab: stdlib"]}).check(graph, verbose=False)
    assert check.kept
    assert check.warnings == ["game.lab has a line in the table but does not exist"]


def test_a_line_that_cannot_be_read_is_named() -> None:
    with pytest.raises(InvalidContractOptions) as caught:
        Rooms("the table", {}, {"root": "game", "rooms": ["lab stdlib"]})
    assert "'lab stdlib'" in caught.value.errors["rooms"]
