"""Why two ends cannot be connected: one predicate for the loader, the Python interface, the editor and messages."""

from __future__ import annotations

import math

from drawbar.blocks.core.errors import did_you_mean
from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.connection import End
from drawbar.diagrams.model.structure import SystemStructure

_SENDS = {True: ("output",), False: ("input",)}  # key: whether the port belongs to a part, not to the diagram itself
_RECEIVES = {True: ("input",), False: ("output",)}
# a value passes without loss to its own type, and from a whole number to a real one
_PASSES = {("Integer", "Real"), ("Enumeration", "Integer"), ("Integer", "Enumeration"), ("Enumeration", "Real")}


def connection_fault(
    diagram: SystemStructure, a: End, b: End, *, factor: float = 1.0, offset: float = 0.0, convert: bool = True
) -> str | None:
    """Return the reason why `a` cannot be connected to `b`, or None if it can be (or is).

    Checked in this order: both ends exist; kind (which end sends, value type); size; unit of measure, if the connection
    is to `convert`; second driver; the user's own factor and offset.
    """
    for end in (a, b):
        if (reason := missing(diagram, end)) is not None:
            return reason
    start, end_port = diagram.port(a), diagram.port(b)
    assert start is not None and end_port is not None
    return (
        _kind(a, start, b, end_port)
        or _size(start, end_port)
        or (_unit(start, end_port) if convert else None)
        or _second_driver(diagram, a, b, end_port)
        or _transformation(b, end_port, factor, offset)
    )


def refusal(
    diagram: SystemStructure, a: End, b: End, *, factor: float = 1.0, offset: float = 0.0, convert: bool = True
) -> str | None:
    """Return the whole sentence for a connection that is refused: both ends with their units, and the reason."""
    reason = connection_fault(diagram, a, b, factor=factor, offset=offset, convert=convert)
    return None if reason is None else f"cannot connect {_shown(diagram, a)} to {_shown(diagram, b)}: {reason}"


def missing(diagram: SystemStructure, end: End) -> str | None:
    """Return why an end does not exist, or None if it does."""
    if diagram.is_foreign(end):
        return _foreign(diagram, end)
    if end.part is None:
        if diagram.port(end) is None:
            return f"the diagram has no connector '{end.name}'" + did_you_mean(end.name, diagram.connectors)
        return None
    part = diagram.parts.get(end.part)
    if part is None:
        if end.part in diagram.others:
            return f"'{end.part}' is {diagram.others[end.part].kind}, which Drawbar cannot run yet"
        return f"there is no part '{end.part}'" + did_you_mean(end.part, diagram.parts)
    return part.unknown(end.name) if part.port(end.name) is None else None


def _foreign(diagram: SystemStructure, end: End) -> str:
    if isinstance(end.owner, SystemStructure):
        return f"'{end.name}' is a connector of diagram {end.owner.name}, not of {diagram.name}"
    text = f"part '{end.part}' belongs to another diagram than {diagram.name}, or was replaced"
    return f"{text}; take the port from parts['{end.part}'] of {diagram.name}" if end.part in diagram.parts else text


def is_reversed(diagram: SystemStructure, a: End, b: End) -> bool:
    """Return whether what a file calls the start receives and the end sends.

    In SSP the kinds of the connectors decide the direction of a connection.
    """
    start, end = diagram.port(a), diagram.port(b)
    if start is None or end is None:
        return False
    a_sends, b_sends = start.causality in _SENDS[a.part is not None], end.causality in _SENDS[b.part is not None]
    return not a_sends and b_sends and start.causality in _RECEIVES[a.part is not None]


def _kind(a: End, start: Port, b: End, end: Port) -> str | None:
    for connector, port in ((a, start), (b, end)):
        if not port.causality:
            return f'connector {connector} has no kind; write kind="input" or kind="output" in the file'
    sends = start.causality in _SENDS[a.part is not None]
    receives = end.causality in _RECEIVES[b.part is not None]
    is_passed_inside = start.causality == "parameter" and a.part is None and b.part is not None
    if is_passed_inside and end.causality in ("parameter", "input"):  # a parameter of a system, passed inside once
        return None if _passes(start, end) else _types(start, end)
    if "arameter" in start.causality + end.causality:
        return "a parameter cannot be connected; set the start value of the part instead"
    if not sends and not receives and end.causality in _SENDS[b.part is not None]:
        return f"{b} sends and {a} receives; swap the two"
    if not sends:
        return (
            f"{a} is {_article(start.causality)}, and a connection starts at {_article(_SENDS[a.part is not None][0])}"
        )
    if not receives:
        return (
            f"{b} is {_article(end.causality)}, and a connection ends at {_article(_RECEIVES[b.part is not None][0])}"
        )
    if "String" in (start.type, end.type):
        return "a String cannot be connected; set the start value of the part instead"
    if not _passes(start, end):
        return _types(start, end)
    return None


def _types(start: Port, end: Port) -> str:
    return (
        f"types differ, {start.type} against {end.type}; connect ports of one type, or put a block with an input of "
        f"type {start.type} and an output of type {end.type} between them"
    )


def _passes(start: Port, end: Port) -> bool:
    return start.type == end.type or (start.type, end.type) in _PASSES


def _article(causality: str) -> str:
    return f"an {causality}" if causality[0] in "aeiou" else f"a {causality} variable"


def _size(start: Port, end: Port) -> str | None:
    if start.shape == end.shape:
        return None
    return f"sizes differ, {_extent(start)} against {_extent(end)}"


def _extent(port: Port) -> str:
    return " × ".join(map(str, port.shape)) if port.shape else "scalar"


def _unit(start: Port, end: Port) -> str | None:
    if "Real" not in (start.type, end.type) or start.type != end.type or not start.unit or not end.unit:
        return None
    if start.quantity is None or end.quantity is None:
        if start.unit == end.unit:
            return None
        unknown = start.unit if start.quantity is None else end.unit
        return f"units differ by name, and the meaning of [{unknown}] is not known"
    if start.quantity.exponents == end.quantity.exponents:
        return None
    return f"units differ, {_in_base_units(start)} against {_in_base_units(end)}"


def _in_base_units(port: Port) -> str:
    """Return the unit as its author wrote it, with its base units if they are others."""
    assert port.quantity is not None
    base = port.quantity.si_name()
    return port.unit if port.unit == base else f"{port.unit} ({base} in base units)"


def _second_driver(diagram: SystemStructure, a: End, b: End, end: Port) -> str | None:
    for name in end.scalar_names():
        driver = diagram.driver(b.part, name)
        if driver is not None and (driver.start, driver.end) != (a, b):
            return f"{End(b.part, name)} is already driven by {driver.start}; an input has one driver"
    return None


def _transformation(b: End, end: Port, factor: float, offset: float) -> str | None:
    if end.type != "Real" and (factor, offset) != (1.0, 0.0):
        return f"a factor or an offset is for real numbers, {b} is of type {end.type}"
    if not (math.isfinite(factor) and math.isfinite(offset)):
        return f"factor {factor} and offset {offset} are not both finite"
    return None


def _shown(diagram: SystemStructure, end: End) -> str:
    port = diagram.port(end)
    unit = f" [{port.unit}]" if port is not None and port.unit and port.type == "Real" else ""
    return f"{end}{unit}"
