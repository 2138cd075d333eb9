"""From connections to scalar wires between parts, each with one gain and offset."""

from __future__ import annotations

from dataclasses import dataclass

from drawbar.diagrams.diagram import Connection, Diagram
from drawbar.diagrams.ends import End
from drawbar.diagrams.folding import natural


@dataclass(frozen=True)
class Wire:
    """``value at end = gain * (value at start) + offset``, between scalar variables of two parts."""

    start_part: str
    start: str
    end_part: str
    end: str
    gain: float = 1.0
    offset: float = 0.0


def wires(diagram: Diagram) -> list[Wire]:
    """All scalar wires between parts, in canonical order: by start, then by end.

    Connections with the diagram's own connectors are no wires. The diagram must be free of faults.
    """
    made: list[Wire] = []
    for connection in sorted(diagram.connections, key=canonical_order):
        a, b = connection.start, connection.end
        if a.part is None or b.part is None:
            continue
        gain, offset = transformation(diagram, connection)
        names = zip(diagram.scalars(a), diagram.scalars(b), strict=True)
        made += [Wire(a.part, start, b.part, end, gain, offset) for start, end in names]
    return made


def transformation(diagram: Diagram, connection: Connection) -> tuple[float, float]:
    """Gain and offset of a connection: first the conversion of units, then the user's own linear transformation.

    This is the order of SSP 1.0: ``target = factor * (source in the unit of the target) + offset``.
    """
    start, end = diagram.port(connection.start), diagram.port(connection.end)
    gain, offset = 1.0, 0.0
    if start is not None and end is not None and not connection.suppress_unit_conversion:
        both = start.unit and end.unit and start.type == end.type == "Real"
        if both and start.quantity is not None and end.quantity is not None and start.quantity != end.quantity:
            gain, offset = start.quantity.conversion_to(end.quantity)
    return connection.factor * gain, connection.factor * offset + connection.offset


def canonical_order(connection: Connection) -> tuple[object, ...]:
    """A sort key: by start, then by end; elements in the order of their indices; the diagram's own ends first."""
    return (*_key(connection.start), *_key(connection.end))


def _key(end: End) -> tuple[str, tuple[str, tuple[int, ...]]]:
    return end.part or "", natural(end.name)
