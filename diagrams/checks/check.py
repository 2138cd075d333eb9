"""All faults of a diagram at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from drawbar.blocks.core.errors import DiagramError, DrawbarError
from drawbar.diagrams.checks.loops import connection_loops, loops
from drawbar.diagrams.model.connection import Connection, End
from drawbar.diagrams.model.connection_rules import missing, refusal
from drawbar.diagrams.model.diagram import Diagram, name_fault
from drawbar.diagrams.model.flatten import flatten
from drawbar.diagrams.model.master_settings import algorithm_fault, stop_time_fault
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.start_values import bound_values, convert, values_of
from drawbar.diagrams.model.structure import System, SystemStructure
from drawbar.diagrams.xml.markup import parse
from drawbar.diagrams.xml.schema import schema_faults

Fault = tuple[int | None, str]
Placed = tuple[Path | None, int | None, str]


def check(diagram: Diagram) -> None:
    """Raise ``DiagramError`` with all faults if there are any."""
    if found := faults(diagram):
        raise DiagramError(found)


def faults(diagram: Diagram, *, stop: bool = False) -> list[str]:
    """Return every reason why the diagram cannot run, one line each, with file and line where it came from a file.

    Systems are checked at every depth. Inputs that nothing drives are no fault: they hold their start values. Whether
    the diagram's own stop time is a whole number of steps is checked with `stop` only, because a run may be given
    another.
    """
    path = diagram.file.path
    found = [(path, *fault) for fault in _settings(diagram, stop)]
    found += _level(diagram, "", set())
    for loop in connection_loops(diagram) if diagram.systems else ():
        around = " -> ".join(map(str, loop))
        found.append((path, None, f"loop of connections: {around}; no part gives it a value, so connect a part in it"))
    if diagram.loops == "report" or diagram.systems:
        flat = flatten(diagram)
        if diagram.loops == "report":
            found += [(path, _line_of(flat, loop), loop_fault(loop)) for loop in loops(flat)]
        found += [(path, c.preserved.line, text) for c in flat.connections if (text := _through(diagram, flat, c))]
    # the schema and this file may report the same line for the same reason
    files = {file: i for i, file in enumerate(dict.fromkeys(file for file, _, _ in found))}
    unique = dict.fromkeys(sorted(found, key=lambda f: (files[f[0]], f[1] is None, f[1] or 0)))
    return [
        text if file is None else f"{file}:{line}: {text}" if line else f"{file}: {text}" for file, line, text in unique
    ]


def _level(diagram: SystemStructure, where: str, seen: set[Path]) -> Iterator[Placed]:
    """Yield the faults of a diagram and of its systems; `where` opens their messages, `seen` are checked files."""
    path = diagram.file.path
    if path is not None and path not in seen and path.is_file():
        seen.add(path)
        yield from ((path, *fault) for fault in schema_faults(parse(path)))
    found = [*diagram.file.faults, *_elements(diagram)]
    for part in diagram.parts.values():
        found += _part(part)
    for connection in diagram.connections:
        found += _connection(diagram, connection)
    yield from ((path, line, where + text) for line, text in found)
    for system in diagram.systems.values():
        if not system.fault:
            yield from _level(system.diagram, f"{where}in system '{system.name}': ", seen)


def _through(diagram: Diagram, flat: Diagram, connection: Connection) -> str | None:
    """Return why a path through connectors of systems is refused though each of its connections is right, or None.

    That is the case if units differ.
    """
    start, end = (e.part if e.part is None else e.part.partition(".")[0] for e in (connection.start, connection.end))
    if start not in diagram.systems and end not in diagram.systems:
        return None
    if missing(flat, connection.start) is not None or missing(flat, connection.end) is not None:
        return None  # which is a fault of one of the connections
    plain = (connection.factor, connection.offset) == (1.0, 0.0) and not connection.suppress_unit_conversion
    return refusal(flat, connection.start, connection.end) if plain else None


def loop_fault(loop: list[End]) -> str:
    """Return the message for a loop of direct feedthrough: its path and what to do."""
    path = " -> ".join(map(str, loop))
    advice = 'put a Sampled block into it, or set loops="delay" to accept one step of delay around it'
    return f"algebraic loop: {path}; {advice}"


def _line_of(diagram: Diagram, loop: list[End]) -> int | None:
    """Return the line of the first connection of a loop."""
    steps = list(pairwise(loop))
    lines = [
        c.preserved.line
        for c in diagram.connections
        if c.preserved.line and (diagram.whole(c.start), diagram.whole(c.end)) in steps
    ]
    return min(lines, default=None)


def _elements(diagram: SystemStructure) -> Iterator[Fault]:
    seen: set[str] = set()
    for item in diagram.elements:
        preserved = item.origin.preserved if isinstance(item, Part) else item.preserved
        if item.name in seen:
            yield preserved.line, f"there is already a part '{item.name}'; names are unique"
        elif isinstance(item, Part):
            if (fault := name_fault(item.name)) is not None:
                yield preserved.line, fault
        elif not item.is_idle:  # an element that nothing is connected to is no fault; notes name it
            yield preserved.line, f"'{item.name}' is {item.kind}, which Drawbar cannot run yet"
        seen.add(item.name)


def _settings(diagram: Diagram, stop: bool) -> Iterator[Fault]:
    file, where = diagram.file, f"diagram {diagram.name}"
    if (fault := algorithm_fault(where, diagram.algorithm)) is not None:
        yield file.master.line, fault
    if stop and (fault := stop_time_fault(diagram.stop, diagram.step)) is not None:
        yield file.experiment.line, f"{where}: {fault}"


def _coupling(part: Part) -> Iterator[Fault]:
    line = part.origin.preserved.inner.get("own", part.origin.preserved).line
    if part.algorithm is not None and (fault := algorithm_fault(f"part '{part.name}'", part.algorithm)) is not None:
        yield line, fault
    if part.fresh_read is not None and not isinstance(part.fresh_read, bool):
        advice = "give True, False, or None for what the FMU declares"
        yield line, f"part '{part.name}': fresh_read = {part.fresh_read!r}; {advice}"
    elif part.fresh_read and not part.fault and part.interface.sampled:
        why = f"{part.kind} is sampled, and its outputs change only when it steps"
        yield line, f"part '{part.name}' asks for a fresh read, but {why}; leave fresh_read out"


def _part(part: Part) -> Iterator[Fault]:
    line = part.origin.preserved.line
    yield from _coupling(part)
    if part.fault:
        yield line, part.fault
        return
    if part.origin.preserved.attributes.get("implementation") == "ModelExchange":
        yield line, f"part '{part.name}' asks for model exchange; Drawbar couples by co-simulation"
    if isinstance(part, System) and part.fresh_read is not None:
        yield line, f"part '{part.name}' is a system; set freshRead of the parts in it"
    for name, declared in part.origin.connectors.items():
        port = part.port(name)
        if port is None:
            yield declared.preserved.line, part.unknown(name)
        elif port.causality != declared.kind and declared.kind in ("input", "output", "inout"):
            yield (
                declared.preserved.line,
                f"connector {part.name}.{name} is declared as {declared.kind}, but the variable is {port.causality}",
            )
        elif _unit_differs(declared.unit, port.unit):
            given = declared.quantity
            if given is None or port.quantity is None or given.exponents != port.quantity.exponents:
                text = f"connector {part.name}.{name} is in [{declared.unit}], but the variable is in [{port.unit}]"
                yield declared.preserved.line, text
    inner = part.origin.binding.inner
    for name, value in part.starts.items():
        unit = part.start_units.get(name, "")
        try:
            values_of(part, name, convert(part, name, value, unit, part.origin.units.get(unit)))
        except DrawbarError as error:
            port = part.variable(name)
            first = port.scalar_names()[0] if port is not None else name
            preserved = inner.get(f"Parameter {name}") or inner.get(f"Parameter {first}")
            yield preserved.line if preserved is not None else line, str(error)
    for bound in [*part.origin.binding_values, *part.origin.outer_binding_values]:
        try:
            bound_values(part, bound)
        except DrawbarError as error:
            yield line, f"{error} (parameter set {bound.where})"


def _unit_differs(declared: str, actual: str) -> bool:
    return bool(declared and actual and declared != actual)


def _connection(diagram: SystemStructure, connection: Connection) -> Iterator[Fault]:
    name = connection.algorithm
    if name is not None and (fault := algorithm_fault(f"connection {connection}", name)) is not None:
        yield connection.preserved.inner.get("own", connection.preserved).line, fault
    for end in (connection.start, connection.end):
        part = diagram.parts.get(end.part or "")
        # a missing part is one fault; its ports are known only as far as the file declares them
        if part is not None and part.fault and missing(diagram, end) is not None:
            return
    reason = refusal(
        diagram,
        connection.start,
        connection.end,
        factor=connection.factor,
        offset=connection.offset,
        convert=not connection.suppress_unit_conversion,
    )
    if reason is None and _is_repeated(diagram, connection):
        reason = f"cannot connect {connection.start} to {connection.end}: they are connected already"
    if reason is not None:
        yield connection.preserved.line, reason


def _is_repeated(diagram: SystemStructure, connection: Connection) -> bool:
    part = connection.end.part
    return any(diagram.driver(part, name) is not connection for name in diagram.scalars(connection.end))
