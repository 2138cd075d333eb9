"""What a picture shows of a diagram: the pins on both sides of each box, and the lines between pins.

An array is one pin, and so is a bus that is connected as a whole or not at all. Of parts with many ports, those that
nothing is connected to are counted, not shown.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.connection import End, canonical_order
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.scalar_connections import BusConnection, bus_connections
from drawbar.diagrams.model.structure import SystemStructure

MAX_FREE_PINS = 10  # the most pins without a connection that one side may show


@dataclass(frozen=True)
class Pin:
    """A port, array or bus at the side of a box; `part` is None for a connector of the diagram itself.

    `shape` is that of an array as it is printed, such as ``[4]``; `unit` is empty for a bus and a plain number.
    """

    part: str | None
    name: str
    bus: bool = False
    shape: str = field(default="", compare=False)
    unit: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """Name, shape and unit of measure."""
        return f"{self.name}{self.shape}{' ' if self.unit else ''}{self.unit}"


@dataclass
class BoxPins:
    """The pins of one box from top to bottom, and how many ports are not shown."""

    left: list[Pin] = field(default_factory=list)
    right: list[Pin] = field(default_factory=list)
    hidden: int = 0


@dataclass(frozen=True)
class Line:
    """A drawn line: one or more connections between the same two pins.

    `elements` are the names of both ports, with their indices, for a line that is a single connection.
    """

    start: Pin
    end: Pin
    elements: tuple[str, str] | None = field(default=None, compare=False)


def pins_and_lines(diagram: SystemStructure) -> tuple[dict[str | None, BoxPins], list[Line]]:
    """Return the pins of every element (under None those of the diagram itself), and the lines in canonical order."""
    found: dict[str | None, BoxPins] = {name: BoxPins() for name in [*diagram.parts, *diagram.others]}
    order = {name: i for i, name in enumerate(found)}
    whole = [_directed(bus, order) for bus in bus_connections(diagram)]
    ends = [diagram.whole(e) for c in diagram.connections for e in (c.start, c.end)]
    connected = {(e.part, e.name) for e in ends}
    pins: dict[tuple[str | None, str], Pin] = {}
    for part in diagram.parts.values():
        found[part.name] = _of_part(
            part, connected, [b for b in whole if part.name in (b.start.part, b.end.part)], pins
        )
    found[None] = own = BoxPins()
    lines: dict[Line, list[tuple[str, str]]] = {}

    def pin_of(end: End, is_start: bool) -> Pin | None:
        end = diagram.whole(end)
        key = end.part, end.name
        if key not in pins and key[0] in found:
            pins[key] = Pin(*key)
            side = own if key[0] is None else found[key[0]]
            (side.right if is_start else side.left).append(pins[key])
        return pins.get(key)

    for connection in sorted(diagram.connections, key=canonical_order):
        start, end = pin_of(connection.start, True), pin_of(connection.end, False)
        if start is not None and end is not None:
            line = Line(start, end)
            if not (start.bus and end.bus and Line(end, start) in lines):
                lines.setdefault(line, []).append((connection.start.name, connection.end.name))
    firsts = {(b.start, b.end) for b in whole}
    made = [
        Line(s.end, s.start)
        if s.start.bus and (End(s.end.part, s.end.name), End(s.start.part, s.start.name)) in firsts
        else Line(s.start, s.end, joined[0] if len(joined) == 1 else None)
        for s, joined in lines.items()
    ]
    for name, port in diagram.connectors.items():
        if (None, name) not in pins:
            (own.right if port.causality == "input" else own.left).append(Pin(None, name, False, *_facts(port)))
    return found, made


def _facts(port: Port) -> tuple[str, str]:
    """Return shape and unit of measure as they are printed."""
    shape = f"[{','.join(str(n) for n in port.shape)}]" if port.shape else ""
    return shape, "" if port.unit == "1" or port.type != "Real" else port.unit


def _directed(bus: BusConnection, order: dict[str | None, int]) -> BusConnection:
    """Return a bus as it is drawn: from its sender, or from the part that comes first if it runs both ways."""
    senders = {c.start.part for c in bus.connections}
    first = min(senders, key=lambda part: order[part])
    return bus if bus.start.part == first else BusConnection(bus.end, bus.start, bus.connections)


def _of_part(
    part: Part,
    connected: set[tuple[str | None, str]],
    whole: list[BusConnection],
    pins: dict[tuple[str | None, str], Pin],
) -> BoxPins:
    """Return the pins of a part in the order of its ports; `pins` receives the pin of each port."""
    buses = {e.name: e == b.start for b in whole for e in (b.start, b.end) if e.part == part.name}
    ports = [p for p in part.interface.ports if p.causality in ("input", "output") or (part.name, p.name) in connected]
    sizes = Counter(p.name.rpartition(".")[0] for p in ports)
    broken = {p.name.rpartition(".")[0] for p in ports if (part.name, p.name) in connected} - buses.keys()
    sides = BoxPins()
    free: dict[str, list[Pin]] = {"left": [], "right": []}
    made: dict[str, Pin] = {}
    for port in ports:
        bus = port.name.rpartition(".")[0]
        is_bus = bus in buses or (bus != "" and sizes[bus] > 1 and bus not in broken)
        name = bus if is_bus else port.name
        if name not in made:
            made[name] = Pin(part.name, name, is_bus, *(("", "") if is_bus else _facts(port)))
            on_right = buses.get(bus, port.causality == "output")
            (sides.right if on_right else sides.left).append(made[name])
            if name not in buses and (part.name, port.name) not in connected:
                free["right" if on_right else "left"].append(made[name])
        pins[part.name, port.name] = made[name]
    for side, hidden in ((sides.left, free["left"]), (sides.right, free["right"])):
        if len(hidden) > MAX_FREE_PINS:
            side[:] = [pin for pin in side if pin not in hidden]
            sides.hidden += len(hidden)
    return sides
