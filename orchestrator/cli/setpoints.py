"""A changed initial value whose controller has a setpoint of its own, which would lead the run back at once.

A controller names the setpoint of what it measures, ``setpoints = {"target": "u"}``. Another block names the parameter
with which an output begins, ``initial_values = {"velocity[1]": "speed"}``; a state begins with its start value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from drawbar.blocks.core.interface import Value
from drawbar.diagrams.model.connection import Connection
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.start_values import settable


@dataclass(frozen=True)
class Setpoint:
    """The `target` of a controller and the parameter `initial` with which the part that it measures begins.

    `driver` is what drives the target, empty if it keeps its start value.
    """

    controlled: str
    initial: str
    controller: str
    target: str
    driver: str = ""

    def values(self, diagram: Diagram) -> tuple[Value, Value]:
        """Return the initial value and the setpoint."""
        return _value(diagram.parts[self.controlled], self.initial), _value(diagram.parts[self.controller], self.target)


def find_setpoints(diagram: Diagram) -> list[Setpoint]:
    """Return the setpoints in a diagram whose controller measures an output with a known initial value."""
    by_end = {(c.end.part, c.end.name): c for c in diagram.connections}
    return [setpoint for name, part in diagram.parts.items() for setpoint in _setpoints_of(diagram, name, part, by_end)]


def follow(diagram: Diagram, before: dict[Setpoint, tuple[Value, Value]]) -> list[str]:
    """Give setpoints that were equal to a changed initial value the same value; return notes on all that matter.

    `before` has the values of the diagram as its file gives them. A setpoint that was changed as well is left alone.
    """
    notes: list[str] = []
    for setpoint, (initial, target) in before.items():
        now, wanted = setpoint.values(diagram)
        is_set = setpoint.target in diagram.parts[setpoint.controller].overrides
        if now == initial or is_set or wanted != target or (now == target and not setpoint.driver):
            continue
        port = diagram.parts[setpoint.controlled].port(setpoint.initial)
        unit = port.unit if port is not None else ""
        begins = f"{setpoint.controlled}.{setpoint.initial}"
        aims = f"{setpoint.controller}.{setpoint.target}"
        if setpoint.driver:
            notes.append(
                f"{begins} = {now:g} {unit} is where the run begins; {setpoint.controller} then controls it to what "
                f"{setpoint.driver} sends"
            )
        elif initial == target:
            diagram.parts[setpoint.controller].overrides[setpoint.target] = now
            notes.append(
                f"{aims} is {now:g} {unit} too, as {begins}: the diagram has both alike; --set {aims}={target:g} keeps "
                f"the target"
            )
        else:
            notes.append(
                f"{begins} = {now:g} {unit} is where the run begins; {setpoint.controller} then controls it to "
                f"{target:g} {unit}: to stay there, add --set {aims}={now:g}"
            )
    return notes


def _setpoints_of(
    diagram: Diagram, name: str, part: Part, by_end: dict[tuple[str | None, str], Connection]
) -> Iterator[Setpoint]:
    for target, measured in (part.block.setpoints if part.block is not None else {}).items():
        connection = by_end.get((name, measured))
        if connection is None or connection.start.part is None:
            continue
        source = diagram.parts.get(connection.start.part)
        if source is None or source.block is None or (connection.factor, connection.offset) != (1.0, 0.0):
            continue
        output = connection.start.name
        initial = source.block.initial_values.get(output, output)
        begins, aims = source.port(initial), part.port(target)
        if begins is None or aims is None or begins.shape or begins.type != "Real" or not settable(begins):
            continue
        if begins.unit != aims.unit:
            continue
        driver = by_end.get((name, target))
        yield Setpoint(source.name, initial, name, target, str(driver.start) if driver is not None else "")


def _value(part: Part, name: str) -> Value:
    given = part.start_values()
    port = part.port(name)
    return given[name] if name in given or port is None or not port.start else port.start[0]
