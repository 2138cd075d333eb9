"""Scalar connections between parts, each with one gain and one offset, from the connections of a diagram."""

from __future__ import annotations

from dataclasses import dataclass

from drawbar.blocks.core.arrays import natural
from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.diagram import Connection, Diagram
from drawbar.diagrams.model.ends import End


@dataclass(frozen=True)
class Wire:
    """``value at end = gain * (value at start) + offset``, between scalar variables of two parts."""

    start_part: str
    start: str
    end_part: str
    end: str
    gain: float = 1.0
    offset: float = 0.0
    algorithm: str | None = None  # the one that its connection asks for


def wires(diagram: Diagram) -> list[Wire]:
    """Return all scalar connections between parts, in canonical order: by start, then by end.

    Connections with the diagram's own connectors are not included. The diagram must be free of faults.
    """
    made: list[Wire] = []
    for connection in sorted(diagram.connections, key=canonical_order):
        a, b = connection.start, connection.end
        if a.part is None or b.part is None:
            continue
        gain, offset = transformation(diagram, connection)
        names = zip(diagram.scalars(a), diagram.scalars(b), strict=True)
        made += [Wire(a.part, start, b.part, end, gain, offset, connection.algorithm) for start, end in names]
    return made


def transformation(diagram: Diagram, connection: Connection) -> tuple[float, float]:
    """Return the gain and offset of a connection: the conversion of units, then the user's linear transformation.

    This is the order of SSP 1.0: ``target = factor * (source in the unit of the target) + offset``.
    """
    start, end = diagram.port(connection.start), diagram.port(connection.end)
    if start is None or end is None or connection.suppress_unit_conversion or not start.type == end.type == "Real":
        return connection.factor, connection.offset
    gain, offset = _conversion(start.quantity, end.quantity)
    if (connection.factor, connection.offset) == (1.0, 0.0):
        return gain, offset
    # a file may give the connector a unit other than that of its variable; the user's numbers are in the connector's
    between = connector_quantity(diagram, connection.end) or end.quantity
    gain, offset = _conversion(start.quantity, between)
    last_gain, last_offset = _conversion(between, end.quantity)
    gain, offset = connection.factor * gain, connection.factor * offset + connection.offset
    return last_gain * gain, last_gain * offset + last_offset


def _conversion(start: Quantity | None, end: Quantity | None) -> tuple[float, float]:
    if start is None or end is None or start == end:
        return 1.0, 0.0
    return start.conversion_to(end)


def connector_quantity(diagram: Diagram, end: End) -> Quantity | None:
    """Return the unit that a file gives to the connector of a part.

    It may differ from the unit of the variable behind the connector.
    """
    part = diagram.parts.get(end.part or "")
    declared = None if part is None else part.origin.connectors.get(diagram.scalars(end)[0])
    return None if declared is None else declared.quantity


def canonical_order(connection: Connection) -> tuple[object, ...]:
    """Return a sort key: by start, then by end.

    Elements come in the order of their indices, and the diagram's own ends first.
    """
    return (*_key(connection.start), *_key(connection.end))


def _key(end: End) -> tuple[str, tuple[str, tuple[int, ...]]]:
    return end.part or "", natural(end.name)
