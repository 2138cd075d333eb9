"""From a diagram to an SSP 1.0 system structure description, as canonical text.

The order is fixed: parts as they were added, connectors as their block declares them, connections sorted by start and
end, one per line. Geometry has elements of its own, so that a moved block is a difference of one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.registry import reference_of
from drawbar.blocks.core.errors import DiagramError
from drawbar.blocks.core.interface import Port
from drawbar.blocks.core.units import Quantity
from drawbar.diagrams.model.connection import Connection, canonical_order
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.master_settings import DEFAULT_ALGORITHM
from drawbar.diagrams.model.parameter_bindings import relocated
from drawbar.diagrams.model.part import DeclaredConnector, Part
from drawbar.diagrams.model.structure import ForeignElement, System, SystemStructure
from drawbar.diagrams.ssp.start_value_bindings import write_bindings
from drawbar.diagrams.xml.markup import Node, Preserved, node, number, parse, parse_content, text
from drawbar.diagrams.xml.schema import schema_faults
from drawbar.diagrams.xml.tags import ANNOTATION, TYPES, own, ssc, ssd
from drawbar.diagrams.xml.values import unit_nodes, uri_of


def to_text(diagram: Diagram, folder: Path | None = None) -> str:
    """Return the canonical text of a diagram whose file lies in `folder`."""
    file = diagram.file
    units = _units(diagram)
    system = _system(diagram, set(units), (folder or Path.cwd()).resolve())
    children: list[Any] = [*file.system.before, system]
    if units:
        container = file.root.inner.get("Units", Preserved())
        children += [*container.before, node(ssd("Units"), {}, unit_nodes(units, file.preserved_units), container)]
    children += [*file.experiment.before, _experiment(diagram)]
    attributes: dict[str, str | None] = {"version": file.version, "name": diagram.name}
    root = node(ssd("SystemStructureDescription"), attributes, children, file.root)
    return text(root, file.namespaces, file.root.before, file.after)


def text_to_write(diagram: Diagram, folder: Path) -> str:
    """Return the text of a diagram as `to_text` does; ``DiagramError`` if no program could read it again.

    What is wrong in the diagram's own file already may stay.
    """
    content = to_text(diagram, folder)
    if found := _new_faults(diagram, content):
        raise DiagramError([f"diagram {diagram.name} cannot be written: {fault}" for fault in found])
    return content


def _new_faults(diagram: Diagram, content: str) -> list[str]:
    own_file = diagram.file.path
    try:
        found = schema_faults(parse_content(content.encode(), Path(f"{diagram.name}.ssd")))
    except UnicodeEncodeError as error:
        return [f"{error.object[error.start]!r} is no character of a text"]
    except DiagramError as error:
        return [str(error)]
    before: set[str] = set()
    if found and own_file is not None and own_file.is_file():
        before = {text for _, text in schema_faults(parse(own_file))}
    return list(dict.fromkeys(text for _, text in found if text not in before))


def fraction_text(value: Fraction) -> str:
    """Return a fraction as ``0.001`` if that is exact, else as ``1/30``."""
    decimal = number(float(value))
    return decimal if "e" not in decimal and Fraction(decimal) == value else str(value)


def _system(diagram: Diagram, units: set[str], folder: Path) -> Node:
    file = diagram.file
    children = _content(diagram, units, folder)
    children += _container("ParameterBindings", _bindings(diagram, folder), file.system)
    return node(ssd("System"), {"name": file.system_name or diagram.name}, children, file.system)


def _bindings(diagram: SystemStructure, folder: Path) -> list[Any]:
    """Return the parameter bindings of a system, with their comments."""
    home = None if diagram.file.path is None else diagram.file.path.parent
    return [item for before, xml in diagram.file.bindings for item in (*before, relocated(xml, home, folder))]


def _content(diagram: SystemStructure, units: set[str], folder: Path) -> list[Any]:
    """Return the connectors, elements and connections of a system."""
    preserved = diagram.file.system
    ports = {name: port for p in diagram.connectors.values() for name, port in _scalars(p)}
    children = _connectors(ports, diagram.file.connectors, list(ports), preserved, units)
    connected: dict[str | None, set[str]] = {}
    for c in diagram.connections:
        for end in (c.start, c.end):
            connected.setdefault(end.part, set()).add(end.name)
    elements: list[Any] = []
    for item in diagram.elements:
        if isinstance(item, ForeignElement):
            elements += [*item.preserved.before, item.xml]
        elif isinstance(item, System) and not item.reference:
            elements += [*item.diagram.file.system.before, _nested(item, units, folder)]
        else:
            element = _component(item, connected.get(item.name, set()), units, folder)
            elements += [*item.origin.preserved.before, element]
    children += _container("Elements", elements, preserved)
    connections = [n for c in sorted(diagram.connections, key=canonical_order) for n in _connection(diagram, c)]
    return children + _container("Connections", connections, preserved)


def _nested(system: System, units: set[str], folder: Path) -> Node:
    """Return a system inside: the content of its diagram, and what the enclosing one holds about it."""
    file, origin = system.diagram.file, system.origin
    # a diagram from a file of its own has its settings there; here it is one of many parts
    preserved = file.system if origin.preserved is file.system else origin.preserved
    children = _content(system.diagram, units, folder)
    children += _drawn_and_bound(system, units, folder, _bindings(system.diagram, folder))
    children += _annotations(
        "Component", {"algorithm": system.algorithm}, preserved, preserved.inner.get("own", Preserved())
    )
    return node(ssd("System"), {"name": system.name}, children, preserved)


def _container(name: str, items: list[Any], preserved: Preserved) -> list[Any]:
    inner = preserved.inner.get(name, Preserved())
    return [*inner.before, node(ssd(name), {}, items, inner)] if items or not inner.is_empty else []


def _scalars(port: Port) -> list[tuple[str, Port]]:
    return [(name, port) for name in port.scalar_names()]


def _component(part: Part, connected: set[str], units: set[str], folder: Path) -> Node:
    origin = part.origin
    preserved = origin.preserved
    ports = {name: port for p in part.interface.ports for name, port in _scalars(p)}
    names = [n for n, p in ports.items() if n in origin.connectors or _is_shown(part, p, n, connected)]
    names += [n for n in origin.connectors if n not in ports]
    children = _connectors(ports, origin.connectors, names, preserved, units)
    children += _drawn_and_bound(part, units, folder)
    reference = reference_of(part.block) if part.block is not None else origin.block
    attributes = {"block": reference or None, "algorithm": part.algorithm, "freshRead": _boolean(part.fresh_read)}
    children += _annotations("Component", attributes, preserved, preserved.inner.get("own", Preserved()))
    return node(ssd("Component"), {"name": part.name, "source": _source(part, folder)}, children, preserved)


def _drawn_and_bound(part: Part, units: set[str], folder: Path, inside: Sequence[Any] = ()) -> list[Any]:
    """Return the geometry and the parameter bindings of an element.

    `inside` are the bindings of the diagram in a system.
    """
    preserved, children = part.origin.preserved, []
    if part.geometry is not None:
        corners = dict(zip(("x1", "y1", "x2", "y2"), map(number, part.geometry), strict=True))
        inner = preserved.inner.get("ElementGeometry", Preserved())
        children += [*inner.before, node(ssd("ElementGeometry"), {**corners}, (), inner)]
    bindings = write_bindings(part, units, folder, inside)
    if bindings is not None:
        children += [*preserved.inner.get("ParameterBindings", Preserved()).before, bindings]
    return children


def _is_shown(part: Part, port: Port, name: str, connected: set[str]) -> bool:
    """Return whether a port of a part becomes a connector.

    All inputs and outputs of a block, or of an FMU added in Python, do; of an FMU from a file, only ports in use do. A
    parameter does if it is connected or has a start value.
    """
    if port.causality in ("input", "output") and (part.block is not None or part.origin.folder is None):
        return True
    if name in connected or port.name in connected:
        return True
    return port.causality == "parameter" and (name in part.starts or port.name in part.starts)


def _source(part: Part, folder: Path) -> str:
    if part.origin.folder == folder and part.origin.source:
        return part.origin.source
    if part.block is not None or part.origin.block:
        return uri_of(part.source)
    path = part.fmu.resolve()
    return uri_of(path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path))


def _connectors(
    ports: dict[str, Port],
    declared: dict[str, DeclaredConnector],
    names: list[str],
    preserved: Preserved,
    units: set[str],
) -> list[Any]:
    made: list[Any] = []
    for name in names:
        found = declared.get(name)
        if found is None:
            port = ports[name]
            found = DeclaredConnector(port.causality, port.type, port.unit if port.unit in units else "", port.quantity)
        children: list[Any] = []
        if found.type in TYPES:
            inner = found.preserved.inner.get("type", Preserved())
            unit = found.unit if found.type == "Real" and found.unit else None
            children = [*inner.before, node(ssc(found.written or found.type), {"unit": unit}, (), inner)]
        made += [
            *found.preserved.before,
            node(ssd("Connector"), {"name": name, "kind": found.kind}, children, found.preserved),
        ]
    return _container("Connectors", made, preserved)


def _boolean(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _annotations(
    name: str, attributes: dict[str, str | None], preserved: Preserved, own_preserved: Preserved
) -> list[Any]:
    """Return the annotations of an element: Drawbar's own if it has content, and those of other tools."""
    inner, wrapper = preserved.inner.get("Annotations", Preserved()), preserved.inner.get("Annotation", Preserved())
    ours: list[Any] = []
    if any(value is not None for value in attributes.values()) or not (own_preserved.is_empty and wrapper.is_empty):
        content = [*own_preserved.before, node(own(name), attributes, (), own_preserved)]
        ours = [*wrapper.before, node(ssc("Annotation"), {"type": ANNOTATION}, content, wrapper)]
    if not ours and inner.is_empty:
        return []
    return [*inner.before, node(ssd("Annotations"), {}, ours, inner)]


def _connection(diagram: SystemStructure, connection: Connection) -> list[Any]:
    made: list[Any] = []
    a, b = connection.start, connection.end
    names = list(zip(diagram.scalars(a), diagram.scalars(b), strict=False))
    for i, (start, end) in enumerate(names or [(a.name, b.name)]):
        preserved = connection.preserved if i == 0 else Preserved()
        children: list[Any] = []
        if (connection.factor, connection.offset) != (1.0, 0.0) or "LinearTransformation" in preserved.inner:
            factor = number(connection.factor) if connection.factor != 1.0 else None
            offset = number(connection.offset) if connection.offset != 0.0 else None
            inner = preserved.inner.get("LinearTransformation", Preserved())
            linear = node(ssc("LinearTransformation"), {"factor": factor, "offset": offset}, (), inner)
            children += [*inner.before, linear]
        if connection.geometry and i == 0:
            points = connection.geometry[:: -1 if connection.reversed else 1]
            x, y = (" ".join(map(number, column)) for column in zip(*points, strict=True))
            inner = preserved.inner.get("ConnectionGeometry", Preserved())
            children += [*inner.before, node(ssd("ConnectionGeometry"), {"pointsX": x, "pointsY": y}, (), inner)]
        own_preserved = preserved.inner.get("own", Preserved())
        children += _annotations("Connection", {"algorithm": connection.algorithm}, preserved, own_preserved)
        first, last = (b.part, end), (a.part, start)
        if not connection.reversed:
            first, last = last, first
        attributes: dict[str, str | None] = {
            "startElement": first[0],
            "startConnector": first[1],
            "endElement": last[0],
            "endConnector": last[1],
            "suppressUnitConversion": "true" if connection.suppress_unit_conversion else None,
        }
        made += [*preserved.before, node(ssd("Connection"), attributes, children, preserved)]
    return made


def _experiment(diagram: Diagram) -> Node:
    file = diagram.file
    attributes = {
        "step": fraction_text(diagram.step),
        "loops": None if diagram.loops == "report" else diagram.loops,
        "algorithm": None if diagram.algorithm == DEFAULT_ALGORITHM else diagram.algorithm,
    }
    annotations = _annotations("Master", attributes, file.experiment, file.master)
    return node(ssd("DefaultExperiment"), {"stopTime": number(diagram.stop)}, annotations, file.experiment)


def _units(diagram: SystemStructure) -> dict[str, Quantity]:
    """Return the units that the file defines: those it had, and those of ports whose meaning is known."""
    units: dict[str, Quantity] = {}
    ports = [*diagram.connectors.values()]
    for part in diagram.parts.values():
        if isinstance(part, System) and not part.reference:
            units = {**_units(part.diagram), **units}
        ports += [p for p in part.interface.ports if p.causality in ("input", "output") or _is_set(part, p)]
    for port in ports:
        if port.type == "Real" and port.unit and port.quantity is not None:
            units[port.unit] = port.quantity
    return {**units, **diagram.file.units}


def _is_set(part: Part, port: Port) -> bool:
    """Return whether a start value of a part is in the unit of a port."""
    return port.name in part.starts or any(name in part.starts for name in port.scalar_names())
