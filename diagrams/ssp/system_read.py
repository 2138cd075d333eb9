"""The systems of a description: connectors, elements, connections, nested systems, and files that they refer to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.registry import block_class
from drawbar.blocks.core.arrays import fold_ports
from drawbar.blocks.core.errors import DiagramError, DrawbarError, did_you_mean
from drawbar.blocks.core.interface import Port
from drawbar.diagrams.model.connection import Connection, End
from drawbar.diagrams.model.connection_rules import is_reversed
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.parameter_bindings import read_system_bindings
from drawbar.diagrams.model.part import DeclaredConnector, Origin, Part
from drawbar.diagrams.model.scalar_connections import fold_connections
from drawbar.diagrams.model.structure import ForeignElement, System
from drawbar.diagrams.ssp.ssp_archive import open_package
from drawbar.diagrams.ssp.start_value_bindings import read_part_bindings
from drawbar.diagrams.xml.markup import Preserved, explicit_attributes, first_children, is_element, local_name, preserve
from drawbar.diagrams.xml.tags import (
    ALIASES,
    ANNOTATION,
    FMU_TYPE,
    OWN_ATTRIBUTES,
    SSD_TYPE,
    SSP_TYPE,
    TYPES,
    own,
    ssc,
    ssd,
    type_of,
)
from drawbar.diagrams.xml.values import BOOLEANS, path_of

MAX_DEPTH = 32  # the longest chain of files that refer to each other
MAX_REFERENCES = 500  # references in all; two in each of thirty files would give a thousand million systems


@dataclass(frozen=True)
class ReferenceChain:
    """The chain of files that led here, and all references that were followed."""

    places: tuple[Path, ...] = ()
    followed: list[Path] = field(default_factory=list)

    def to(self, place: Path, shown: str) -> ReferenceChain:
        """Return the chain with one more place; ``DiagramError`` if it is circular or too long."""
        if place in self.places:
            raise DiagramError(f"{shown} refers to itself, directly or through other files")
        if len(self.places) >= MAX_DEPTH:
            raise DiagramError(f"{shown}: there are more than {MAX_DEPTH - 1} references in a row")
        if len(self.followed) >= MAX_REFERENCES:
            raise DiagramError(f"{shown}: the diagram has more than {MAX_REFERENCES} references to other files")
        self.followed.append(place)
        return replace(self, places=(*self.places, place))


_TYPES = frozenset(ssc(t) for t in (*TYPES, *ALIASES))
UNNAMED = "system"  # the diagram in an element without a name, which is a fault


@dataclass
class Context:
    """What the readers of all systems of a file share; `read` reads another file, `chain` leads to this one."""

    path: Path
    chain: ReferenceChain
    read: Callable[[Path, ReferenceChain], Diagram]
    blocks: dict[str, type[Block] | str] = field(default_factory=dict)


def read_system(context: Context, diagram: Diagram, system: Any) -> None:
    """Read the ``System`` element of a file into an empty diagram."""
    _Reader(context, diagram).read(system)


def real(item: Any, name: str, default: float) -> float:
    """Return the number in an attribute, or the default if it is no number; the schema check reports that."""
    try:
        return float(item.get(name, default))
    except ValueError:
        return default


def own_annotation(diagram: Diagram, item: Any, preserved: Preserved, name: str) -> Any:
    """Return Drawbar's own annotation of an element, or None; the others stay in `preserved`."""
    container = item.find(ssd("Annotations"))
    if container is None:
        return None
    found, wrapper = None, None
    for annotation in container.iterfind(ssc("Annotation")):
        content = [c for c in annotation if is_element(c)]
        if annotation.get("type") == ANNOTATION and found is None and [c.tag for c in content] == [own(name)]:
            found, wrapper = content[0], annotation
            preserved.inner["Annotation"] = preserve(annotation, ["type"], [own(name)])
    preserved.inner["Annotations"] = preserve(container, (), [wrapper])
    if found is None:
        return None
    for word in found.attrib:
        if word not in OWN_ATTRIBUTES[name] and not word.startswith("{"):
            text = f"drawbar:{name} has no attribute '{word}'" + did_you_mean(word, OWN_ATTRIBUTES[name])
            diagram.file.faults.append((found.sourceline, text))
    return found


class _Reader:
    def __init__(self, context: Context, diagram: Diagram) -> None:
        self.context = context
        self.path = context.path
        self.diagram = diagram
        self.file = diagram.file

    def fault(self, item: Any, text: str) -> None:
        """Note a fault at an element of the file."""
        self.file.faults.append((item.sourceline, text))

    def read(self, system: Any, inside: System | None = None) -> None:
        """Read the content of a ``System``.

        A system `inside` another one has geometry, bindings and annotations, as parts do.
        """
        known = ["Connectors", "Elements", "Connections", "ParameterBindings"]
        known += [] if inside is None else ["ElementGeometry", "Annotations"]
        preserved = self.file.system = preserve(system, ["name"], first_children(system, map(ssd, known)))
        self.file.system_name = system.get("name")
        self.file.connectors = self._connectors(system, preserved)
        self._show_connectors()
        elements = system.find(ssd("Elements"))
        if elements is not None:
            tags = [ssd(n) for n in ("Component", "System", "SignalDictionaryReference")]
            preserved.inner["Elements"] = preserve(elements, (), tags)
            for item in elements:
                if is_element(item) and item.tag in tags:
                    self._element(item)
        connections = system.find(ssd("Connections"))
        if connections is not None:
            preserved.inner["Connections"] = preserve(connections, (), [ssd("Connection")])
            found = [self._connection(c) for c in connections.iterfind(ssd("Connection"))]
            if any(not declared.type for declared in self.file.connectors.values()):
                self._infer_types(found)
            self.diagram.connections = fold_connections(self.diagram, found)
        if inside is None:
            read_system_bindings(self.diagram, self.path, system)

    def _show_connectors(self) -> None:
        ports = []
        for name, d in self.file.connectors.items():
            varies = "fixed" if "arameter" in d.kind else "continuous" if d.type in ("", "Real") else "discrete"
            ports.append(Port(name, d.kind, varies, d.type or "Real", d.unit, d.quantity))
        self.diagram.connectors = {p.name: p for p in fold_ports(ports)}

    def _infer_types(self, connections: list[Connection]) -> None:
        """Give connectors of the diagram without a type the type and unit of what they are connected to."""
        found = dict(self.file.connectors)
        for c in connections:
            for mine, other in ((c.start, c.end), (c.end, c.start)):
                port = self.diagram.port(other)
                if mine.part is None and other.part is not None and port is not None and mine.name in found:
                    declared = found[mine.name]
                    if not declared.type:
                        found[mine.name] = replace(declared, type=port.type, unit=port.unit, quantity=port.quantity)
        as_written, self.file.connectors = self.file.connectors, found
        self._show_connectors()
        self.file.connectors = as_written

    def _connectors(self, item: Any, preserved: Preserved) -> dict[str, DeclaredConnector]:
        container = item.find(ssd("Connectors"))
        if container is None:
            return {}
        preserved.inner["Connectors"] = preserve(container, (), [ssd("Connector")])
        found: dict[str, DeclaredConnector] = {}
        for connector in container.iterfind(ssd("Connector")):
            name = connector.get("name") or ""
            typed = next((c for c in connector if is_element(c) and c.tag in _TYPES), None)
            inner = preserve(connector, ["name", "kind"], [] if typed is None else [typed])
            other = next(
                (local_name(c) for c in connector if is_element(c) and c.tag in map(ssc, ("Enumeration", "Binary"))), ""
            )
            unit = ""
            if typed is not None:
                unit = typed.get("unit") or ""
                inner.inner["type"] = preserve(typed, ["unit"] if unit else [])
            kind = connector.get("kind") or ""
            if name in found:
                self.fault(connector, f"connector '{name}' is there twice")
                preserved.inner["Connectors"].children += [*inner.before, connector]
                continue
            written = local_name(typed) if typed is not None else other
            quantity = self.file.units.get(unit)
            found[name] = DeclaredConnector(kind, ALIASES.get(written, written), unit, quantity, inner, written)
        return found

    def _element(self, item: Any) -> None:
        name = item.get("name") or ""
        if local_name(item) == "SignalDictionaryReference":
            self.diagram.put(ForeignElement(name, "a signal dictionary", item, preserve(item), is_idle=True))
            return
        if local_name(item) == "System":
            part: Part = self._inside(item, name)
        elif (kind := type_of(item)) in (SSD_TYPE, SSP_TYPE):
            part = self._reference(item, name, kind)
        elif kind == FMU_TYPE:
            part = self._component(item, name)
        else:
            self.diagram.put(ForeignElement(name, f"a component of type {kind}", item, preserve(item)))
            return
        preserved = part.origin.preserved
        geometry = item.find(ssd("ElementGeometry"))
        if geometry is not None:
            corners = ("x1", "y1", "x2", "y2")
            preserved.inner["ElementGeometry"] = preserve(geometry, corners)
            x1, y1, x2, y2 = (real(geometry, key, 0.0) for key in corners)
            part.geometry = (x1, y1, x2, y2)
        annotation = own_annotation(self.diagram, item, preserved, "Component")
        if annotation is not None:
            preserved.inner["own"] = preserve(annotation, OWN_ATTRIBUTES["Component"])
            part.algorithm = annotation.get("algorithm")
            part.fresh_read = self._fresh_read(annotation, name)
        self.diagram.put(part)
        bindings = item.find(ssd("ParameterBindings"))
        if bindings is not None:
            read_part_bindings(self.diagram, self.path, part, bindings)

    def _origin(self, item: Any) -> Origin:
        known = [ssd(n) for n in ("Connectors", "ElementGeometry", "ParameterBindings", "Annotations")]
        preserved = preserve(item, ["name", "source"], first_children(item, known))
        origin = Origin(
            preserved, units=self.file.units, folder=self.path.parent.resolve(), source=item.get("source") or ""
        )
        origin.connectors = self._connectors(item, preserved)
        return origin

    def _component(self, item: Any, name: str) -> Part:
        origin = self._origin(item)
        block: type[Block] | None = None
        annotation = item.find(f"{ssd('Annotations')}/{ssc('Annotation')}/{own('Component')}")
        if annotation is not None and "block" in annotation.attrib:
            origin.block = annotation.get("block")
            found = self._block(origin.block)
            if isinstance(found, str):
                origin.unresolved = found
            else:
                block = found
        return Part(name, block=block, source=path_of(origin.source), origin=origin)

    def _inside(self, item: Any, name: str) -> System:
        """Return a system whose content is in this file."""
        inner = Diagram(name or UNNAMED)
        inner.file.path, inner.file.units = self.path, self.file.units
        system = System(name, inner, origin=Origin(units=self.file.units, folder=self.path.parent.resolve()))
        _Reader(self.context, inner).read(item, system)
        system.origin.preserved = inner.file.system
        return system

    def _reference(self, item: Any, name: str, kind: str) -> System:
        """Return the system for a component that refers to another file, or to another element of this one."""
        origin = self._origin(item)
        try:
            if origin.source.startswith("#"):
                inner = self._same_document(item, origin.source)
            else:
                file = open_reference(self.path, origin.source, kind)
                inner = self.context.read(file, self.context.chain.to(file.resolve(), origin.source))
        except DrawbarError as error:
            origin.unresolved = f"part '{name}': {error}"
            inner = Diagram(name or UNNAMED)
            reader = _Reader(self.context, inner)
            reader.file.connectors = origin.connectors
            reader._show_connectors()
        return System(name, inner, origin=origin, reference=True)

    def _same_document(self, item: Any, source: str) -> Diagram:
        chain = self.context.chain.to(Path(f"{self.path.resolve()}{source}"), source)
        found = [s for s in item.getroottree().iter(ssd("System")) if s.get("id") == source[1:]]
        if not found:
            ids = [s.get("id") for s in item.getroottree().iter(ssd("System")) if s.get("id")]
            raise DiagramError(f"there is no system of id '{source[1:]}' in the file" + did_you_mean(source[1:], ids))
        inner = Diagram(found[0].get("name") or source[1:])
        inner.file.path, inner.file.units = self.path, self.file.units
        _Reader(replace(self.context, chain=chain), inner).read(found[0])
        return inner

    def _fresh_read(self, annotation: Any, name: str) -> bool | None:
        text = annotation.get("freshRead")
        if text is None:
            return None
        if (word := text.strip()) in BOOLEANS:
            return BOOLEANS[word]
        self.fault(annotation, f"part '{name}': freshRead = '{text}'; write true or false, or leave it out")
        return None

    def _block(self, reference: str) -> type[Block] | str:
        """Return the block of that name, or why there is none; many parts of a diagram share one block."""
        if reference not in self.context.blocks:
            try:
                block = block_class(reference)
                block.model()  # a fault in its equations belongs to the faults of the diagram
                self.context.blocks[reference] = block
            except DrawbarError as error:
                self.context.blocks[reference] = str(error)
        return self.context.blocks[reference]

    def _connection(self, item: Any) -> Connection:
        tags = [ssc("LinearTransformation"), ssd("ConnectionGeometry"), ssd("Annotations")]
        names = ("startElement", "startConnector", "endElement", "endConnector", "suppressUnitConversion")
        made = Connection(
            End(item.get("startElement") or None, item.get("startConnector") or ""),
            End(item.get("endElement") or None, item.get("endConnector") or ""),
            suppress_unit_conversion=item.get("suppressUnitConversion", "").strip() in ("true", "1"),
            preserved=preserve(
                item, [n for n in names if item.get(n) not in ("", "false", "0")], first_children(item, tags)
            ),
        )
        for end in dict.fromkeys((made.start, made.end)):
            self._check_declared(item, end)
        if is_reversed(self.diagram, made.start, made.end):
            made.start, made.end, made.reversed = made.end, made.start, True
        annotation = own_annotation(self.diagram, item, made.preserved, "Connection")
        if annotation is not None:
            made.preserved.inner["own"] = preserve(annotation, OWN_ATTRIBUTES["Connection"])
            made.algorithm = annotation.get("algorithm")
        linear, geometry = item.find(tags[0]), item.find(tags[1])
        if linear is not None:
            made.factor, made.offset = real(linear, "factor", 1.0), real(linear, "offset", 0.0)
            made.preserved.inner["LinearTransformation"] = preserve(
                linear, explicit_attributes(linear, {"factor": 1.0, "offset": 0.0})
            )
        if geometry is not None:
            made.preserved.inner["ConnectionGeometry"] = preserve(geometry, ["pointsX", "pointsY"])
            try:
                x, y = ([float(v) for v in geometry.get(key, "").split()] for key in ("pointsX", "pointsY"))
                made.geometry = tuple(zip(x, y, strict=True))[:: -1 if made.reversed else 1]
            except ValueError:
                self.fault(geometry, f"connection {made}: pointsX and pointsY are not lists of equal length")
        for child in item:
            if is_element(child) and local_name(child).endswith("MappingTransformation"):
                self.fault(child, f"connection {made}: {local_name(child)} is not supported yet")
        return made

    def _check_declared(self, item: Any, end: End) -> None:
        """Note a fault if a connection names a variable of a component for which the file has no connector.

        SSP 1.0 leaves out connectors as it likes, but those that connections name.
        """
        part = self.diagram.parts.get(end.part or "")
        if part is None or (isinstance(part, System) and not part.reference) or end.name in part.origin.connectors:
            return
        port = part.port(end.name)
        if port is not None:  # else there is no such variable at all, which is another fault
            advice = f'add <ssd:Connector name="{end.name}" kind="{port.causality}"/> to its Connectors'
            text = f"component '{end.part}' has no connector '{end.name}' for this connection, as SSP 1.0 requires"
            self.fault(item, f"{text}; {advice}")


def open_reference(file: Path, source: str, kind: str) -> Path:
    """Return the ``.ssd`` file that a component of `file` refers to; a package is opened in the cache.

    ``package.ssp#Variant.ssd`` means another description of a package. ``DiagramError`` if there is no such file.
    """
    place, _, variant = source.partition("#")
    path = file.parent / path_of(place)
    try:
        there = path.is_file()
    except (OSError, ValueError):  # a name too long, or one that no file can have
        there = False
    if not there:
        raise DiagramError(f"there is no file at {place}")
    return open_package(path, variant or None) if kind == SSP_TYPE else path
