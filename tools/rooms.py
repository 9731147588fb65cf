"""The table of rooms as an import-linter contract: which room may import what (docs/architecture.md).

import-linter's own contracts forbid; the table allows. So the table is written once, in pyproject.toml, a line a room,
and whatever a line does not name is refused: another room, a new dependency, a room that has no line yet.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.fields import ValidationError

STDLIB = "stdlib"


@dataclass(frozen=True)
class Room:
    """One line of the table: `referee: rulesets bbcode stdlib -random`.

    `may` holds rooms (`rulesets`), single modules of a room (`sight.view`), packages from elsewhere (`msgspec`) and
    `stdlib`; `not_` what is taken out of it again.
    """

    name: str
    may: frozenset[str]
    not_: frozenset[str]

    def allows(self, imported: str, root: str) -> bool:
        """Whether a module of this room may import `imported`, a dotted name; the root itself holds only a version."""
        inside = imported == root or imported.startswith(f"{root}.")
        name = imported.removeprefix(root).removeprefix(".") if inside else imported
        if inside and (not name or _within(name, self.name)):
            return True
        if any(_within(name, refused) for refused in self.not_):
            return False
        if not inside and STDLIB in self.may and name.partition(".")[0] in sys.stdlib_module_names:
            return True
        return any(_within(name, allowed) for allowed in self.may)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


class RoomField(fields.Field[Room]):
    """Reads one line of the table."""

    def parse(self, raw_data: str | list[str]) -> Room:
        name, colon, rest = str(raw_data).partition(":")
        if not colon or not name.strip().isidentifier():
            raise ValidationError(f"in {raw_data!r}: a line of the table is 'room: what it may import'")
        words = rest.split()
        return Room(
            name=name.strip(),
            may=frozenset(word for word in words if not word.startswith("-")),
            not_=frozenset(word[1:] for word in words if word.startswith("-")),
        )


@dataclass(frozen=True)
class Breach:
    """An import that the importer's line does not allow; `lines` are line numbers of the importer's file."""

    importer: str
    imported: str
    lines: tuple[int, ...]


class Rooms(Contract):
    """Every module directly under `root` has a line in `rooms` and imports only what its line allows.

    Only direct imports are looked at: what a room reaches through another room is that room's line.
    A line whose room does not exist (yet) is a warning.
    """

    type_name = "rooms"

    root = fields.StringField()
    rooms = fields.ListField(subfield=RoomField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        root = str(self.root)
        table: dict[str, Room] = {room.name: room for room in self.rooms}  # type: ignore[attr-defined]
        present = {child.removeprefix(f"{root}.") for child in graph.find_children(root)}
        lineless = sorted(present - table.keys())
        breaches = [
            breach for name in sorted(present & table.keys()) for breach in _breaches(graph, root, table[name])
        ]
        breaches += _breaches(graph, root, Room("", may=frozenset(), not_=frozenset()))
        roomless = [name for name in table if name not in present]
        return ContractCheck(
            kept=not lineless and not breaches,
            metadata={"root": root, "lineless": lineless, "breaches": breaches},
            warnings=[f"{root}.{name} has a line in the table but does not exist" for name in roomless],
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        root = check.metadata["root"]
        for name in check.metadata["lineless"]:
            output.print_error(f"{root}.{name} has no line in the table of rooms; see pyproject.toml")
        for breach in check.metadata["breaches"]:
            where = ", ".join(f"l.{number}" for number in breach.lines)
            output.print_error(f"{breach.importer} ({where}) must not import {breach.imported}")
        output.new_line()


def _breaches(graph: ImportGraph, root: str, room: Room) -> Iterator[Breach]:
    top = f"{root}.{room.name}" if room.name else root
    modules = {top} | (graph.find_descendants(top) if room.name else set())
    for importer in sorted(modules):
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            if not room.allows(imported, root):
                details = graph.get_import_details(importer=importer, imported=imported)
                yield Breach(importer, imported, tuple(sorted({detail["line_number"] for detail in details})))
