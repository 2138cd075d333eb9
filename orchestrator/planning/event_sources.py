"""Values whose change marks an event of a part: its outputs may have jumped, so nothing is extrapolated across it.

These are the part's own discrete outputs, because its other outputs may have changed with them. Where outputs have
direct feedthrough, they are also the discrete values on the other side (samples, flags, columns of the input file), and
all values that mark events of the other sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.fmus.backends.instance import TYPES
from drawbar.orchestrator.planning.schedule import HELD_COLUMN, LINEAR_COLUMN

if TYPE_CHECKING:
    from drawbar.orchestrator.planning.coupling import Coupling
    from drawbar.orchestrator.scenario.inputs import InputTable


class EventFields(TypedDict):
    """The fields of a `PartPlan` that describe its events."""

    event_values: tuple[int, ...]
    owners: tuple[int, ...]
    may_be_counter: tuple[int, ...]


@dataclass(frozen=True)
class EventSource:
    """A value whose change marks an event.

    `owner` is the part it belongs to, None for the input file. `counter` is True if it may be a counter, `linear` if it
    is a column that is linear between rows.
    """

    owner: str | None
    name: str
    counter: bool = False
    linear: bool = False


@dataclass(frozen=True)
class EventSources:
    """The values that mark events of one part."""

    sources: tuple[EventSource, ...] = ()

    def fields(self, position: Mapping[str, int], index: Mapping[str, int]) -> EventFields:
        """Return the sources by their index in the master's array, with the indices of their owners."""

        def owner(source: EventSource) -> int:
            return (LINEAR_COLUMN if source.linear else HELD_COLUMN) if source.owner is None else index[source.owner]

        return {
            "event_values": tuple(position[s.name] for s in self.sources),
            "owners": tuple(owner(s) for s in self.sources),
            "may_be_counter": tuple(int(s.counter) for s in self.sources),
        }


def find_event_sources(
    diagram: Diagram, coupling: Coupling, connections: Sequence[ScalarConnection], table: InputTable | None
) -> dict[str, EventSources]:
    """Return the event sources of each part; a part without continuous outputs has none."""
    ports = {name: _outputs(diagram, name) for name in diagram.parts}
    own = {name: _own(diagram, name, ports[name]) for name in diagram.parts}
    direct: dict[str, dict[EventSource, None]] = {name: dict.fromkeys(own[name]) for name in diagram.parts}
    upstream: dict[str, list[str]] = {name: [] for name in diagram.parts}
    direct_inputs = {
        name: {i for inputs in outputs.values() for i in inputs} for name, outputs in coupling.feedthrough.items()
    }
    for w in connections:
        if w.end not in direct_inputs[w.end_part]:
            continue
        source = diagram.parts[w.start_part].interface
        if source.sampled:
            direct[w.end_part][EventSource(w.start_part, f"{w.start_part}.{w.start}")] = None
            continue
        upstream[w.end_part].append(w.start_part)
        port = ports[w.start_part].get(w.start)
        if port is not None and _is_discrete(port):
            direct[w.end_part][_event_source(w.start_part, w.start, port)] = None
    for column in () if table is None else table.columns:
        for target in column.targets:
            if target.scalar in direct_inputs[target.part]:
                direct[target.part][EventSource(None, f"input {column.name}", linear=column.continuous)] = None
    changed = True
    while changed:
        changed = False
        for name, sources in upstream.items():
            for source_name in sources:
                before = len(direct[name])
                direct[name] |= direct[source_name]
                changed |= len(direct[name]) > before
    return {
        name: EventSources(tuple(sources)) if _has_continuous(diagram, name, ports[name]) else EventSources()
        for name, sources in direct.items()
    }


def _outputs(diagram: Diagram, name: str) -> dict[str, Port]:
    found = diagram.parts[name].interface.of("output")
    return {s: port for port in found if port.type in TYPES for s in port.scalar_names()}


def _is_discrete(port: Port) -> bool:
    return port.type != "Real" or port.variability == "discrete"


def _event_source(part: str, scalar: str, port: Port) -> EventSource:
    """Return a discrete output as an event source; a number may be a counter of steps, a flag cannot."""
    return EventSource(part, f"{part}.{scalar}", counter=port.type != "Boolean")


def _own(diagram: Diagram, name: str, ports: Mapping[str, Port]) -> list[EventSource]:
    if diagram.parts[name].interface.sampled:
        return []
    return [_event_source(name, s, p) for s, p in ports.items() if _is_discrete(p)]


def _has_continuous(diagram: Diagram, name: str, ports: Mapping[str, Port]) -> bool:
    return not diagram.parts[name].interface.sampled and any(not _is_discrete(p) for p in ports.values())
