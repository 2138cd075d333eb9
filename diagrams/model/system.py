"""A system: a diagram as a part of another diagram, with the connectors of the inner diagram as its ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from drawbar.blocks.authoring.renamed import did_you_mean_variable
from drawbar.blocks.core.errors import UsageError, did_you_mean
from drawbar.blocks.core.interface import Interface, Port
from drawbar.diagrams.model.part import ATTRIBUTES, Origin, Part

if TYPE_CHECKING:
    from drawbar.diagrams.model.diagram import Diagram

MOST_NAMES = 2000  # the most variables that are searched for the nearest name


class System(Part):
    """A diagram under a name on another diagram.

    It is connected like a part, by the connectors of its diagram (``axle.load``). Start values are given by connector,
    or by the path of a variable inside: ``system.set("spring.stiffness", 2e4)``; they win over those of its diagram.
    Step, stop time and loops are those of the outermost diagram; its `algorithm` holds for all parts in it that ask for
    none. `reference` means that its content is a file of its own, which `source` names.
    """

    _attributes: ClassVar[tuple[str, ...]] = (*ATTRIBUTES, "diagram", "reference")

    def __init__(self, name: str, diagram: Diagram, *, origin: Origin | None = None, reference: bool = False) -> None:
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

    def variable(self, name: str) -> Port | None:
        """Return the variable that a start value may name: a connector, or ``part.variable`` inside, at any depth."""
        if (found := self.port(name)) is not None:
            return found
        first, _, rest = name.partition(".")
        part = self.diagram.parts.get(first)
        return None if part is None or not rest else part.variable(rest)

    def unknown(self, name: str) -> str:
        """Return the message that there is no such connector or variable."""
        return f"{self.name} (system) has no '{name}'" + did_you_mean_variable(name, variables(self.diagram))


def system_at(diagram: Diagram, path: str) -> System:
    """Return the system of a path such as ``axle.left``; ``UsageError`` with the nearest one if there is none."""
    inside: Diagram | None = diagram
    found: System | None = None
    for name in path.split("."):
        found = None if inside is None else inside.systems.get(name)
        inside = None if found is None else found.diagram
    if found is None:
        raise UsageError(f"there is no system '{path}' in {diagram.name}" + did_you_mean(path, _paths(diagram, "")))
    return found


def _paths(diagram: Diagram, where: str) -> Iterator[str]:
    for name, system in diagram.systems.items():
        yield where + name
        yield from _paths(system.diagram, f"{where}{name}.")


def variables(diagram: Diagram) -> list[str]:
    """Return the hierarchical names that a parameter set may give values to; of very many, the first ones."""
    found = [name for port in diagram.connectors.values() for name in (port.name, *port.scalar_names()[:1])]
    for part in diagram.parts.values():
        if len(found) > MOST_NAMES:
            break
        inside = variables(part.diagram) if isinstance(part, System) else [p.name for p in part.interface.ports]
        found += [f"{part.name}.{name}" for name in inside]
    return found
