"""A diagram without systems: the parts inside them move up, under names such as ``axle.spring``.

Connections that pass connectors of systems become one connection from the part that sends to the part that receives.
At a connector without a unit the units of the ends hold. At a connector with a unit the value is converted to that
unit on its way.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.connection import Connection, End
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.parameter_bindings import propagated
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import connector_quantity, fold_connections
from drawbar.diagrams.model.start_values import BoundValue
from drawbar.diagrams.model.structure import System, SystemStructure
from drawbar.diagrams.xml.markup import Preserved


@dataclass(frozen=True)
class _Scope:
    """A diagram and the place where it lies: in which system of which diagram."""

    diagram: SystemStructure
    prefix: str = ""
    name: str = ""
    above: _Scope | None = None

    def inside(self, name: str) -> _Scope:
        system = self.diagram.parts[name]
        assert isinstance(system, System)
        return _Scope(system.diagram, f"{self.prefix}{name}.", name, self)


@dataclass(frozen=True)
class _Hop:
    """One connection on the path of a value."""

    diagram: SystemStructure
    connection: Connection


def flatten(diagram: Diagram) -> Diagram:
    """Return the same diagram without systems; a diagram that has none is returned as it is.

    What cannot be followed, such as a connection from a connector that nothing drives inside, is left out; `check`
    reports it.
    """
    if not diagram.systems:
        return diagram
    top = _Scope(diagram)
    flat = Diagram(diagram.name, step=diagram.step, loops=diagram.loops, algorithm=diagram.algorithm)
    flat.stop, flat.file, flat.connectors = diagram.stop, diagram.file, diagram.connectors
    for part in _parts(top, {}, None):
        flat.put(part)
    flat.connections = fold_connections(flat, list(_connections(top)))
    return flat


def _parts(scope: _Scope, above: dict[str, list[BoundValue]], algorithm: str | None) -> Iterator[Part]:
    """Return copies of the parts at every depth, in order, with the values that enclosing systems give them."""
    for part in scope.diagram.parts.values():
        whole = copy.copy(part)
        whole.origin = replace(
            part.origin, outer_binding_values=[*part.origin.outer_binding_values, *above.get(part.name, ())]
        )
        whole.algorithm = part.algorithm or algorithm
        if isinstance(whole, System):
            inside = propagated(whole.diagram, whole.given())
            yield from _parts(scope.inside(part.name), inside, whole.algorithm)
        else:
            whole.name = scope.prefix + part.name
            yield whole


def _connections(scope: _Scope) -> Iterator[Connection]:
    diagram = scope.diagram
    for connection in diagram.connections:
        end = connection.end
        if isinstance(diagram.parts.get(end.part or ""), System) or (end.part is None and scope.above is not None):
            continue  # an intermediate connector, whose value goes on
        scalars = diagram.scalars(end)
        if connection.start.part is not None and connection.start.part not in diagram.systems:
            start = End(scope.prefix + connection.start.part, connection.start.name)
            yield replace(connection, start=start, end=_named(scope, end))
            continue
        for i, scalar in enumerate(scalars):
            found = _source(scope, connection, i, set())
            if found is not None:
                start, hops = found
                yield _joined(start, _named(scope, replace(end, name=scalar)), hops)
    for name in diagram.systems:
        yield from _connections(scope.inside(name))


def _named(scope: _Scope, end: End) -> End:
    return end if end.part is None else End(scope.prefix + end.part, end.name)


def _source(
    scope: _Scope, connection: Connection, index: int, seen: set[tuple[str, End]]
) -> tuple[End, list[_Hop]] | None:
    """Return where the value of an element of a connection comes from, and the hops from there to here."""
    start = connection.start
    names = scope.diagram.scalars(start)
    if index >= len(names):
        return None  # the sizes differ, which is a fault
    end, hop = End(start.part, names[index]), _Hop(scope.diagram, connection)
    if (key := (scope.prefix, end)) in seen:
        return None
    seen.add(key)
    if end.part is not None and end.part not in scope.diagram.systems:
        return _named(scope, end), [hop]
    if end.part is not None:
        there, target = scope.inside(end.part), End(None, end.name)
    elif scope.above is not None:
        there, target = scope.above, End(scope.name, end.name)
    else:
        return end, [hop]
    driver = there.diagram.driver(target.part, target.name)
    if driver is None:
        return None
    found = _source(there, driver, there.diagram.scalars(driver.end).index(target.name), seen)
    return None if found is None else (found[0], [*found[1], hop])


def _joined(start: End, end: End, hops: Sequence[_Hop]) -> Connection:
    """Return one connection with the effect of several in a row."""
    last = hops[-1].connection
    algorithm = next((h.connection.algorithm for h in reversed(hops) if h.connection.algorithm), None)
    preserved = Preserved(line=last.preserved.line)
    if all(_is_plain(h.connection) for h in hops) or not _is_real(hops):
        return Connection(start, end, algorithm=algorithm, preserved=preserved)
    gain, offset = _along(hops)
    return Connection(start, end, gain, offset, True, algorithm, preserved=preserved)


def _is_plain(c: Connection) -> bool:
    return (c.factor, c.offset, c.suppress_unit_conversion) == (1.0, 0.0, False)


def _is_real(hops: Sequence[_Hop]) -> bool:
    ports = [h.diagram.port(end) for h in hops for end in (h.connection.start, h.connection.end)]
    return all(port is not None and port.type == "Real" for port in ports)


def _along(hops: Sequence[_Hop]) -> tuple[float, float]:
    """Return the gain and offset of all hops together.

    Each hop applies the conversion of units first and then the user's own transformation.
    """
    gain, offset = 1.0, 0.0
    unit = _quantity(hops[0].diagram, hops[0].connection.start)
    for hop in hops:
        c = hop.connection
        there = connector_quantity(hop.diagram, c.end) or _quantity(hop.diagram, c.end)
        if c.suppress_unit_conversion:
            unit = there
        elif there is not None:
            gain, offset = _converted(gain, offset, unit, there)
            unit = there
        gain, offset = c.factor * gain, c.factor * offset + c.offset
    return _converted(gain, offset, unit, _quantity(hops[-1].diagram, hops[-1].connection.end))


def _converted(gain: float, offset: float, unit: Quantity | None, there: Quantity | None) -> tuple[float, float]:
    if unit is None or there is None or unit == there or unit.exponents != there.exponents:
        return gain, offset
    g, o = unit.conversion_to(there)
    return g * gain, g * offset + o


def _quantity(diagram: SystemStructure, end: End) -> Quantity | None:
    port = diagram.port(end)
    return None if port is None else port.quantity
