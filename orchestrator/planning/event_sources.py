"""Values whose change marks an event of a part: its outputs may have jumped, so nothing is extrapolated across it.

These are the part's own discrete outputs, because its other outputs may have changed with them. Where outputs have
direct feedthrough, they are also the discrete values on the other side (samples, flags, columns of the input file), and
all values that mark events of the other sources.

A part whose outputs are not read again after the exchange shows an event of another only after its next step. Such a
delayed event is counted by the master, and the counter marks an event like any other value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import ScalarConnection
from drawbar.fmus.backends.instance import TYPES
from drawbar.orchestrator.planning.coupling import SET_AND_READ
from drawbar.orchestrator.planning.schedule import DELAYED, HELD_COLUMN, LINEAR_COLUMN, DelayedEvent, EventPlan
from drawbar.orchestrator.planning.scheduling import depths

if TYPE_CHECKING:
    from drawbar.orchestrator.planning.coupling import Coupling
    from drawbar.orchestrator.scenario.inputs import InputTable


@dataclass(frozen=True)
class EventSource:
    """A value whose change marks an event.

    `owner` is the name of the part it belongs to, or one of HELD_COLUMN, LINEAR_COLUMN and DELAYED. `counter` is True
    if it may be a counter of steps.
    """

    owner: str | int
    name: str
    counter: bool = False


@dataclass(frozen=True)
class DelayedEvents:
    """Events of `sources` that the outputs of `part` show after its next step; `counter` names their number."""

    part: str
    counter: str
    sources: tuple[EventSource, ...]
    at_start: bool

    def plan(self, position: Mapping[str, int], index: Mapping[str, int]) -> DelayedEvent:
        """Return the record of the schedule."""
        events = event_plan(self.sources, position, index)
        return DelayedEvent(index[self.part], position[self.counter], events, self.at_start)


@dataclass(frozen=True)
class EventSources:
    """The event sources of each part, and the delayed events among them, each behind those that it depends on."""

    parts: Mapping[str, tuple[EventSource, ...]]
    delayed: tuple[DelayedEvents, ...]


# outputs of a part that depend directly on the same inputs
_Group = tuple[str, tuple[str, ...]]
# a set in the order of insertion
_Sources = dict[EventSource, None]


def event_plan(sources: Sequence[EventSource], position: Mapping[str, int], index: Mapping[str, int]) -> EventPlan:
    """Return the sources by their index in the master's array, with the indices of their owners."""
    return EventPlan(
        values=tuple(position[s.name] for s in sources),
        owners=tuple(s.owner if isinstance(s.owner, int) else index[s.owner] for s in sources),
        may_be_counter=tuple(int(s.counter) for s in sources),
    )


def find_event_sources(
    diagram: Diagram, coupling: Coupling, connections: Sequence[ScalarConnection], table: InputTable | None
) -> EventSources:
    """Return the event sources of each part; a part without continuous outputs has none."""
    ports = {name: _outputs(part) for name, part in diagram.parts.items()}
    own = {name: dict.fromkeys(_own(part, ports[name])) for name, part in diagram.parts.items()}
    groups = {
        (name, output): (name, inputs)
        for name, outputs in coupling.feedthrough.items()
        for output, inputs in outputs.items()
    }
    into = {(w.end_part, w.end): w for w in connections}
    columns = _columns(table)
    delayed: dict[tuple[str, tuple[EventSource, ...]], DelayedEvents] = {}

    def delay(part: Part, sources: Iterable[EventSource]) -> EventSource:
        key = part.name, tuple(sources)
        if key not in delayed:
            name = f"delayed event {len(delayed) + 1} of {part.name}"
            delayed[key] = DelayedEvents(part.name, name, key[1], not _allows_fresh_read(part))
        return EventSource(DELAYED, delayed[key].counter)

    seen: dict[_Group, _Sources] = {}
    for name, inputs in _in_order(groups, into):
        found: _Sources = {}
        for i in inputs:
            found |= dict.fromkeys(columns.get((name, i), ()))
            if (w := into.get((name, i))) is not None:
                source = diagram.parts[w.start_part]
                found |= dict.fromkeys(_of_output(source, w.start, ports[w.start_part]))
                found |= own[w.start_part]
                if (group := groups.get((w.start_part, w.start))) is not None:
                    found |= seen.get(group, {})
        # an input may be newer than the last exchange, so the output may show an event at once as well
        if coupling.fresh[name] != SET_AND_READ:
            found[delay(diagram.parts[name], found)] = None
        seen[(name, inputs)] = found

    sources: dict[str, _Sources] = {name: dict(found) for name, found in own.items()}
    for (name, _), found in seen.items():
        sources[name] |= found
    for name, part in diagram.parts.items():
        if not _has_continuous(part, ports[name]):
            sources[name] = {}
        elif not _allows_fresh_read(part) and not any(d.part == name for d in delayed.values()):
            # outputs that follow the start values, or a timed change, only with the next step
            sources[name][delay(part, ())] = None
    return EventSources({name: tuple(found) for name, found in sources.items()}, tuple(delayed.values()))


def _in_order(
    groups: Mapping[tuple[str, str], _Group], into: Mapping[tuple[str, str], ScalarConnection]
) -> Iterable[_Group]:
    """Return each group once, behind those that it depends on; one dependency around each loop is left out."""
    before: dict[_Group, list[_Group]] = {}
    for name, inputs in dict.fromkeys(groups.values()):
        drivers = [into[(name, i)] for i in inputs if (name, i) in into]
        found = [groups[(w.start_part, w.start)] for w in drivers if (w.start_part, w.start) in groups]
        before[(name, inputs)] = list(dict.fromkeys(found))
    depth = depths(before, before.__getitem__)
    return sorted(before, key=depth.__getitem__)


def _columns(table: InputTable | None) -> dict[tuple[str, str], list[EventSource]]:
    """Return the columns of the input file by the inputs that they drive."""
    found: dict[tuple[str, str], list[EventSource]] = {}
    for column in () if table is None else table.columns:
        source = EventSource(LINEAR_COLUMN if column.continuous else HELD_COLUMN, f"input {column.name}")
        for target in column.targets:
            found.setdefault((target.part, target.scalar), []).append(source)
    return found


def _outputs(part: Part) -> dict[str, Port]:
    found = part.interface.of("output")
    return {s: port for port in found if port.type in TYPES for s in port.scalar_names()}


def _is_discrete(port: Port) -> bool:
    return port.type != "Real" or port.variability == "discrete"


def _of_output(part: Part, scalar: str, ports: Mapping[str, Port]) -> list[EventSource]:
    """Return an output as an event source if it is a sample or a discrete value.

    A number may be a counter of steps, a flag or a sample cannot.
    """
    if part.interface.sampled:
        return [EventSource(part.name, f"{part.name}.{scalar}")]
    port = ports.get(scalar)
    if port is None or not _is_discrete(port):
        return []
    return [EventSource(part.name, f"{part.name}.{scalar}", counter=port.type != "Boolean")]


def _own(part: Part, ports: Mapping[str, Port]) -> list[EventSource]:
    return [] if part.interface.sampled else [source for s in ports for source in _of_output(part, s, ports)]


def _has_continuous(part: Part, ports: Mapping[str, Port]) -> bool:
    return not part.interface.sampled and any(not _is_discrete(p) for p in ports.values())


def _allows_fresh_read(part: Part) -> bool:
    return part.interface.fresh_read if part.fresh_read is None else part.fresh_read
