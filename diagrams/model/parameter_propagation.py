"""Values of a system, passed on to the parts inside: by their names, and along the connections of its connectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from drawbar.diagrams.model.diagram import Connection, Diagram
from drawbar.diagrams.model.ends import End
from drawbar.diagrams.model.start_values import Bound


def handed_down(diagram: Diagram, bounds: Iterable[Bound]) -> dict[str, list[Bound]]:
    """Return what the values of a diagram give to each of its parts, by ``part.variable`` or the name of a connector.

    A value of an input or parameter connector follows its connections and is converted as a signal would be. Names
    without a variable are left out; `check` reports them.
    """
    found: dict[str, list[Bound]] = {}
    for bound in bounds:
        if diagram.port(End(None, bound.name)) is not None:
            for part, inside in _along_wires(diagram, bound):
                found.setdefault(part, []).append(inside)
            continue
        part_name, _, variable = bound.name.partition(".")
        if part_name in diagram.parts:
            found.setdefault(part_name, []).append(replace(bound, name=variable))
    return found


def _along_wires(diagram: Diagram, bound: Bound) -> list[tuple[str, Bound]]:
    """Return the variables behind a connector of the diagram, with the value that reaches them."""
    port = diagram.port(End(None, bound.name))
    assert port is not None
    if (bound.factor, bound.offset) != (1.0, 0.0):
        # the transformation of a mapping applies in the unit of the connector, before the connections
        value = np.asarray(bound.value, float)
        if bound.quantity is not None and port.quantity is not None:
            gain, offset = bound.quantity.conversion_to(port.quantity)
            value = gain * value + offset
        value = bound.factor * value + bound.offset
        bound = Bound(bound.name, value, port.unit, port.quantity, bound.where)
    names, made = port.scalar_names(), []
    values = dict(zip(names, np.broadcast_to(np.asarray(bound.value, object), port.shape).ravel(), strict=True))
    for c in diagram.connections:
        if c.start.part is None and c.end.part is not None:
            for start, end in zip(diagram.scalars(c.start), diagram.scalars(c.end), strict=False):
                if start in values:
                    made.append((c.end.part, _through(diagram, c, replace(bound, name=end, value=values[start]))))
    return made


def _through(diagram: Diagram, c: Connection, bound: Bound) -> Bound:
    """Return the value behind a connection; its unit stays with it if the connection only converts."""
    start, end = diagram.port(c.start), diagram.port(c.end)
    if start is None or end is None or not start.type == end.type == "Real" or isinstance(bound.value, bool):
        return bound  # a Boolean for a Real is reported as a fault of the variable that it reaches
    unit, quantity = bound.unit or start.unit, bound.quantity if bound.unit else start.quantity
    if (c.factor, c.offset, c.suppress_unit_conversion) == (1.0, 0.0, False):
        return replace(bound, unit=unit, quantity=quantity)
    value, wanted = float(bound.value), start.quantity if c.suppress_unit_conversion else end.quantity
    if quantity is not None and wanted is not None and quantity.exponents == wanted.exponents:
        gain, offset = quantity.conversion_to(wanted)
        value = gain * value + offset
    return replace(bound, value=c.factor * value + c.offset, unit="", quantity=None)
