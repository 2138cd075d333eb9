"""The structure of a system: elements under their names, connectors, and the connections between them.

A diagram is such a structure with settings for the master. A system is a part that holds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from drawbar.blocks.authoring.renamed import did_you_mean_variable
from drawbar.blocks.core.arrays import element, split
from drawbar.blocks.core.errors import DiagramError, UsageError, did_you_mean
from drawbar.blocks.core.interface import Interface, Port
from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.connection import Connection, End
from drawbar.diagrams.model.part import ATTRIBUTES, DeclaredConnector, Origin, Part
from drawbar.diagrams.xml.markup import Preserved

MAX_NAMES = 2000  # the most variables that are searched for the nearest name


@dataclass
class ForeignElement:
    """An element of a file that is no part, such as a signal dictionary. It is preserved, and cannot run yet."""

    name: str
    kind: str
    xml: Any
    preserved: Preserved
    is_idle: bool = False  # a run misses nothing unless something is connected to it


@dataclass
class FileContent:
    """What a file holds about the diagram beyond what a `Diagram` holds; it is written back."""

    path: Path | None = None
    version: str = "1.0"
    root: Preserved = field(default_factory=Preserved)
    after: list[Any] = field(default_factory=list)  # comments after the root element
    system: Preserved = field(default_factory=Preserved)
    system_name: str | None = None
    experiment: Preserved = field(default_factory=Preserved)
    master: Preserved = field(default_factory=Preserved)
    namespaces: dict[str, str] = field(default_factory=dict)
    connectors: dict[str, DeclaredConnector] = field(default_factory=dict)
    units: dict[str, Quantity] = field(default_factory=dict)
    preserved_units: dict[str, Preserved] = field(default_factory=dict)
    # for each parameter binding of the system itself, the comments before it and its XML
    bindings: list[tuple[list[Any], Any]] = field(default_factory=list)
    faults: list[tuple[int | None, str]] = field(default_factory=list)  # found while reading, by line
    remarks: list[str] = field(default_factory=list)  # notes for the user, which are no faults


class SystemStructure:
    """Parts under their names, connectors, and connections; what a diagram and the inside of a system have in common.

    `file` is what the file held beyond that.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.elements: list[Part | ForeignElement] = []  # in order; change the list through the methods only
        self.parts: dict[str, Part] = {}
        self.others: dict[str, ForeignElement] = {}
        self.connections: list[Connection] = []
        self.connectors: dict[str, Port] = {}
        self.file = FileContent()
        self._drivers: dict[tuple[str | None, str], Connection] = {}
        self._driven = 0  # the number of connections that `_drivers` covers, and the last of them
        self._last_driven: Connection | None = None

    def put(self, element: Part | ForeignElement) -> None:
        """Append an element as it is; if a name comes twice, it means the first one."""
        self.elements.append(element)
        if isinstance(element, Part):
            self.parts.setdefault(element.name, element)
        else:
            self.others.setdefault(element.name, element)

    @property
    def systems(self) -> dict[str, System]:
        """The parts that are diagrams themselves."""
        return {name: part for name, part in self.parts.items() if isinstance(part, System)}

    def locate(self, path: str) -> tuple[Part, str] | None:
        """Return the part and the rest of a name such as ``wheel.radius``.

        Names of parts of a flat diagram may contain dots.
        """
        dots = [i for i, letter in enumerate(path) if letter == "."]
        return next(((self.parts[path[:i]], path[i + 1 :]) for i in reversed(dots) if path[:i] in self.parts), None)

    def __getitem__(self, name: str) -> End:
        """Return a connector of the diagram itself, as an end to connect."""
        if self.port(End(None, name)) is None:
            raise DiagramError(f"diagram {self.name} has no connector '{name}'" + did_you_mean(name, self.connectors))
        return End(None, name, self)

    def is_foreign(self, end: End) -> bool:
        """Return whether an end was taken from a part or diagram that is none of this one."""
        return end.owner is not None and end.owner is not (self if end.part is None else self.parts.get(end.part))

    def port(self, end: End) -> Port | None:
        """Return the port at an end, for an element of an array as a scalar port; None if there is none."""
        if self.is_foreign(end):
            return None
        if end.part is not None:
            part = self.parts.get(end.part)
            return None if part is None else part.port(end.name)
        found = self.connectors.get(end.name)
        if found is None and end.name.endswith("]"):
            whole = self.connectors.get(end.name.rpartition("[")[0])
            return None if whole is None else element(whole, end.name)
        return found

    def whole(self, end: End) -> End:
        """Return the end of the array that an end is an element of, or the end itself."""
        array = End(end.part, split(end.name)[0])
        return end if array == end or self.port(array) is None else array

    def scalars(self, end: End) -> list[str]:
        """Return the names of the elements at an end."""
        port = self.port(end)
        return [end.name] if port is None else port.scalar_names()

    def driver(self, part: str | None, scalar: str) -> Connection | None:
        """Return the first connection that ends at this element, or None."""
        known = self._driven
        if known > len(self.connections) or (known and self.connections[known - 1] is not self._last_driven):
            self._drivers.clear()
            known = 0
        for connection in self.connections[known:]:
            for name in self.scalars(connection.end):
                self._drivers.setdefault((connection.end.part, name), connection)
            self._last_driven = connection
        self._driven = len(self.connections)
        return self._drivers.get((part, scalar))


class System(Part):
    """A diagram under a name on another diagram.

    It is connected like a part, by the connectors of its diagram (``axle.load``). Start values are given by connector,
    or by the path of a variable inside: ``system.set("spring.stiffness", 2e4)``; they win over those of its diagram.
    Step, stop time and loops are those of the outermost diagram; its `algorithm` holds for all parts in it that ask for
    none. `reference` means that its content is a file of its own, which `source` names.
    """

    _attributes: ClassVar[tuple[str, ...]] = (*ATTRIBUTES, "diagram", "reference")

    def __init__(
        self, name: str, diagram: SystemStructure, *, origin: Origin | None = None, reference: bool = False
    ) -> None:
        super().__init__(name, origin=origin, source="" if origin is None else origin.source)
        self.diagram = diagram
        self.reference = reference

    @property
    def kind(self) -> str:
        """The kind of part, for messages."""
        return "system"

    def _resolve(self) -> tuple[Interface, str]:
        return Interface(self.diagram.name, tuple(self.diagram.connectors.values())), self.origin.unresolved

    @property
    def interface(self) -> Interface:
        """The connectors of the diagram inside, as they are now."""
        interface, self._fault = self._resolve()
        return interface

    def port(self, name: str) -> Port | None:
        """Return the connector of that name, or the element of an array as a scalar port."""
        return self.diagram.port(End(None, name))

    def variable(self, name: str) -> Port | None:
        """Return the variable that a start value may name: a connector, or ``part.variable`` inside, at any depth."""
        if (found := self.port(name)) is not None:
            return found
        first, _, rest = name.partition(".")
        part = self.diagram.parts.get(first)
        return None if part is None or not rest else part.variable(rest)

    def unknown(self, name: str) -> str:
        """Return the message that there is no such connector or variable."""
        if self.variable(name) is not None:
            outer = ", ".join(self.diagram.connectors) or "none"
            return (
                f"{self.name} (system) has no connector '{name}', which is a variable inside it; its connectors: "
                f"{outer}; connect it inside {self.name}, or expose it there"
            )
        return f"{self.name} (system) has no '{name}'" + did_you_mean_variable(name, variables(self.diagram))


def system_at(diagram: SystemStructure, path: str) -> System:
    """Return the system of a path such as ``axle.left``; ``UsageError`` with the nearest one if there is none."""
    inside: SystemStructure | None = diagram
    found: System | None = None
    for name in path.split("."):
        found = None if inside is None else inside.systems.get(name)
        inside = None if found is None else found.diagram
    if found is None:
        raise UsageError(f"there is no system '{path}' in {diagram.name}" + did_you_mean(path, _paths(diagram, "")))
    return found


def _paths(diagram: SystemStructure, where: str) -> Iterator[str]:
    for name, system in diagram.systems.items():
        yield where + name
        yield from _paths(system.diagram, f"{where}{name}.")


def variables(diagram: SystemStructure) -> list[str]:
    """Return the hierarchical names that a parameter set may give values to; of very many, the first ones."""
    found = [name for port in diagram.connectors.values() for name in (port.name, *port.scalar_names()[:1])]
    for part in diagram.parts.values():
        if len(found) > MAX_NAMES:
            break
        inside = variables(part.diagram) if isinstance(part, System) else [p.name for p in part.interface.ports]
        found += [f"{part.name}.{name}" for name in inside]
    return found


def all_systems(diagram: SystemStructure) -> Iterator[System]:
    """Yield the systems of a diagram at every depth, outer ones first."""
    for system in diagram.systems.values():
        yield system
        yield from all_systems(system.diagram)
