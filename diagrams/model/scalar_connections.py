"""Scalar connections, which a file holds and the master needs, and the connections of arrays and buses of a diagram.

SSP 1.0 has scalar connections only: those of a file are folded to connections of arrays, and the pairs of buses that
they join are found. Those of a diagram are expanded, each with one gain and one offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from drawbar.blocks.core.arrays import natural, split
from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.connection import Connection, End, canonical_order
from drawbar.diagrams.model.structure import SystemStructure


@dataclass(frozen=True)
class ScalarConnection:
    """``value at end = gain * (value at start) + offset``, between scalar variables of two parts."""

    start_part: str
    start: str
    end_part: str
    end: str
    gain: float = 1.0
    offset: float = 0.0
    algorithm: str | None = None  # the one that its connection asks for


def scalar_connections(diagram: SystemStructure) -> list[ScalarConnection]:
    """Return all scalar connections between parts, in canonical order: by start, then by end.

    Connections with the diagram's own connectors are not included. The diagram must be free of faults.
    """
    made: list[ScalarConnection] = []
    for connection in sorted(diagram.connections, key=canonical_order):
        a, b = connection.start, connection.end
        if a.part is None or b.part is None:
            continue
        gain, offset = transformation(diagram, connection)
        names = zip(diagram.scalars(a), diagram.scalars(b), strict=True)
        made += [
            ScalarConnection(a.part, start, b.part, end, gain, offset, connection.algorithm) for start, end in names
        ]
    return made


def transformation(diagram: SystemStructure, connection: Connection) -> tuple[float, float]:
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


def connector_quantity(diagram: SystemStructure, end: End) -> Quantity | None:
    """Return the unit that a file gives to the connector of a part.

    It may differ from the unit of the variable behind the connector.
    """
    part = diagram.parts.get(end.part or "")
    declared = None if part is None else part.origin.connectors.get(diagram.scalars(end)[0])
    return None if declared is None else declared.quantity


def fold_connections(diagram: SystemStructure, found: Sequence[Connection]) -> list[Connection]:
    """Return the connections with those that join all elements of two arrays, in their order, replaced by one.

    Connections that differ in transformation, or carry something of their own beyond the first, stay as they are.
    """
    groups: dict[tuple[str | None, str, str | None, str], list[Connection]] = {}
    for c in found:
        base_a, base_b = split(c.start.name)[0], split(c.end.name)[0]
        if base_a != c.start.name and base_b != c.end.name:
            groups.setdefault((c.start.part, base_a, c.end.part, base_b), []).append(c)
    folded: dict[int, Connection] = {}
    absorbed: set[int] = set()
    for (part_a, base_a, part_b, base_b), members in groups.items():
        a, b = End(part_a, base_a), End(part_b, base_b)
        start, end = diagram.port(a), diagram.port(b)
        if start is None or end is None or start.shape != end.shape or not start.shape:
            continue
        members = sorted(members, key=lambda c: natural(c.start.name))
        pairs = [(c.start.name, c.end.name) for c in members]
        first, rest = members[0], members[1:]
        if len({c.reversed for c in members}) > 1 or pairs != list(
            zip(start.scalar_names(), end.scalar_names(), strict=True)
        ):
            continue
        if any(_setting(c) != _setting(first) or c.geometry or not c.preserved.is_empty for c in rest):
            continue
        folded[id(first)] = replace(first, start=a, end=b)
        absorbed |= {id(c) for c in rest}
    return [folded.get(id(c), c) for c in found if id(c) not in absorbed]


def _setting(c: Connection) -> tuple[float, float, bool, str | None]:
    return c.factor, c.offset, c.suppress_unit_conversion, c.algorithm


@dataclass(frozen=True)
class BusConnection:
    """All connections between two buses, seen as one; `start` is the end whose members send first."""

    start: End
    end: End
    connections: tuple[Connection, ...]


def bus_connections(diagram: SystemStructure) -> list[BusConnection]:
    """Return the pairs of buses whose members are all connected to each other, by their own names and without change.

    The connections of a pair have no transformation and all the same algorithm.
    """
    groups: dict[tuple[End, End], list[Connection]] = {}
    for c in diagram.connections:
        (bus_a, _, member_a), (bus_b, _, member_b) = c.start.name.rpartition("."), c.end.name.rpartition(".")
        if bus_a and bus_b and member_a == member_b and c.start.part is not None and c.end.part is not None:
            a, b = End(c.start.part, bus_a), End(c.end.part, bus_b)
            groups.setdefault((b, a) if (b, a) in groups else (a, b), []).append(c)
    return [
        BusConnection(a, b, tuple(found))
        for (a, b), found in groups.items()
        if all(
            {e.name for c in found for e in (c.start, c.end) if _in(e, bus)} == _ports(diagram, bus) for bus in (a, b)
        )
        and all(_setting(c) == (1.0, 0.0, False, found[0].algorithm) for c in found)
    ]


def _in(end: End, bus: End) -> bool:
    return end.part == bus.part and end.name.startswith(bus.name + ".")


def _ports(diagram: SystemStructure, bus: End) -> set[str]:
    ports = diagram.parts[bus.part].interface.ports if bus.part in diagram.parts else ()
    return {p.name for p in ports if p.name.startswith(bus.name + ".")}
