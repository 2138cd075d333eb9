"""SSP 1.0 system structure description (.ssd) to diagram.

What is wrong in the file but does not hinder reading is noted in ``diagram.file.faults`` for `check`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.arrays import fold_ports
from drawbar.blocks.authoring.block import Block
from drawbar.blocks.authoring.errors import DefinitionError, DiagramError, DrawbarError, did_you_mean
from drawbar.blocks.authoring.interface import Port
from drawbar.blocks.authoring.quantities import BASE, Quantity
from drawbar.blocks.authoring.registry import block_class
from drawbar.diagrams.diagram import Connection, Diagram, Other
from drawbar.diagrams.ends import End
from drawbar.diagrams.folding import fold_connections
from drawbar.diagrams.markup import OWN, SSC, SSD, Kept, is_element, keep, local, parse
from drawbar.diagrams.parameters import read_part_bindings, read_system_bindings
from drawbar.diagrams.part import Declared, Origin, Part
from drawbar.diagrams.uris import path_of

FMU_TYPE = "application/x-fmu-sharedlibrary"
ANNOTATION = "org.drawbar"
TYPES = ("Real", "Integer", "Boolean", "String")
# the attributes of Drawbar's own annotations
WORDS = {
    "Master": ("step", "loops", "algorithm"),
    "Component": ("block", "algorithm", "freshRead"),
    "Connection": ("algorithm",),
}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def ssd(name: str) -> str:
    """A tag of the SSD namespace."""
    return f"{{{SSD}}}{name}"


def ssc(name: str) -> str:
    """A tag of the SSC namespace."""
    return f"{{{SSC}}}{name}"


def own(name: str) -> str:
    """A tag of Drawbar's annotations."""
    return f"{{{OWN}}}{name}"


def read_ssd(path: Path) -> Diagram:
    """The diagram of an ``.ssd`` file."""
    root = parse(path)
    if root.tag != ssd("SystemStructureDescription"):
        raise DiagramError(
            f"{path}:{root.sourceline}: begins with <{local(root)}>, not with SystemStructureDescription"
        )
    return _Reader(path, root).diagram


class _Reader:
    def __init__(self, path: Path, root: Any) -> None:
        self.path = path
        self.blocks: dict[str, type[Block] | str] = {}
        self.diagram = Diagram(root.get("name") or path.parent.name)
        self.file = self.diagram.file
        self.file.path = path
        self.file.root = keep(root, ["name", "version"], map(ssd, ("System", "Units", "DefaultExperiment")))
        self.file.after = list(root.itersiblings())
        self.file.version = root.get("version") or "1.0"
        self.file.namespaces = {p: u for p, u in root.nsmap.items() if p and u not in (SSD, SSC, OWN) and p != "xml"}
        self._units(root.find(ssd("Units")))
        self._experiment(root.find(ssd("DefaultExperiment")))
        system = root.find(ssd("System"))
        if system is None:
            self.fault(root, "there is no System in the file")
        else:
            self._system(system)

    def fault(self, item: Any, text: str) -> None:
        """Note a fault at an element of the file."""
        self.file.faults.append((item.sourceline, text))

    def _number(self, item: Any, name: str, default: float) -> float:
        try:
            return float(item.get(name, default))
        except ValueError:
            return default  # the schema check names it

    def _units(self, container: Any) -> None:
        if container is None:
            return
        self.file.root.inner["Units"] = keep(container, (), [ssc("Unit")])
        for item in container.iterfind(ssc("Unit")):
            base = item.find(ssc("BaseUnit"))
            name = item.get("name")
            if base is None or not name:
                continue
            kept = keep(item, ["name"], [ssc("BaseUnit")])
            kept.inner["BaseUnit"] = keep(base, [*BASE, "factor", "offset"])
            try:
                exponents = tuple(int(base.get(b, "0")) for b in BASE)
            except ValueError:
                continue
            factor, offset = self._number(base, "factor", 1.0), self._number(base, "offset", 0.0)
            try:
                self.file.units[name] = Quantity(exponents, factor, offset)
            except DefinitionError as error:
                self.file.faults.append((item.sourceline, f"unit '{name}': {error}"))
            self.file.kept_units[name] = kept

    def _experiment(self, item: Any) -> None:
        if item is None:
            return
        kept = self.file.experiment = keep(item, ["stopTime"], [ssd("Annotations")])
        if self._number(item, "startTime", 0.0) != 0.0:
            self.fault(item, f"startTime is {item.get('startTime')}; a run of Drawbar begins at 0")
        stop = self._number(item, "stopTime", self.diagram.stop)
        master = self._own_annotation(item, kept, "Master")
        given: dict[str, Any] = {"stop": stop}
        if master is not None:
            self.file.master = keep(master, WORDS["Master"])
            given |= {key: master.get(key) for key in ("step", "loops") if key in master.attrib}
            self.diagram.algorithm = master.get("algorithm", self.diagram.algorithm)  # `check` judges the name
        where = item if master is None else master
        for key, value in given.items():
            try:
                setattr(self.diagram, key, getattr(Diagram(self.diagram.name, **{key: value}), key))
            except DiagramError as error:
                self.fault(where if key != "stop" else item, str(error))

    def _own_annotation(self, item: Any, kept: Kept, name: str) -> Any:
        """Drawbar's own annotation of an element; the others stay in `kept`."""
        container = item.find(ssd("Annotations"))
        if container is None:
            return None
        found, wrapper = None, None
        for annotation in container.iterfind(ssc("Annotation")):
            content = [c for c in annotation if is_element(c)]
            if annotation.get("type") == ANNOTATION and found is None and [c.tag for c in content] == [own(name)]:
                found, wrapper = content[0], annotation
                kept.inner["Annotation"] = keep(annotation, ["type"], [own(name)])
        kept.inner["Annotations"] = keep(container, (), [wrapper])
        for word in () if found is None else found.attrib:
            if word not in WORDS[name] and not word.startswith("{"):
                self.fault(found, f"drawbar:{name} has no attribute '{word}'" + did_you_mean(word, WORDS[name]))
        return found

    def _system(self, system: Any) -> None:
        known = [ssd(n) for n in ("Connectors", "Elements", "Connections")]
        kept = self.file.system = keep(system, ["name"], known)
        self.file.system_name = system.get("name")
        self.file.connectors = self._connectors(system, kept)
        ports = [
            Port(name, d.kind, "continuous" if d.type == "Real" else "discrete", d.type or "Real", d.unit, d.quantity)
            for name, d in self.file.connectors.items()
        ]
        self.diagram.connectors = {p.name: p for p in fold_ports(ports)}
        elements = system.find(ssd("Elements"))
        if elements is not None:
            tags = [ssd(n) for n in ("Component", "System", "SignalDictionaryReference")]
            kept.inner["Elements"] = keep(elements, (), tags)
            for item in elements:
                if is_element(item) and item.tag in tags:
                    self._element(item)
        read_system_bindings(self.diagram, self.path, system)
        connections = system.find(ssd("Connections"))
        if connections is not None:
            kept.inner["Connections"] = keep(connections, (), [ssd("Connection")])
            found = [self._connection(c) for c in connections.iterfind(ssd("Connection"))]
            self.diagram.connections = fold_connections(self.diagram, found)

    def _connectors(self, item: Any, kept: Kept) -> dict[str, Declared]:
        container = item.find(ssd("Connectors"))
        if container is None:
            return {}
        kept.inner["Connectors"] = keep(container, (), [ssd("Connector")])
        found: dict[str, Declared] = {}
        for connector in container.iterfind(ssd("Connector")):
            name = connector.get("name") or ""
            types = [ssc(t) for t in TYPES]
            inner = keep(connector, ["name", "kind"], types)
            typed = next((c for c in connector if is_element(c) and c.tag in types), None)
            other = next(
                (local(c) for c in connector if is_element(c) and c.tag in map(ssc, ("Enumeration", "Binary"))), ""
            )
            unit = ""
            if typed is not None:
                inner.inner["type"] = keep(typed, ["unit"])
                unit = typed.get("unit") or ""
            kind = connector.get("kind") or ""
            if name in found:
                self.fault(connector, f"connector '{name}' is there twice")
                kept.inner["Connectors"].children += [*inner.before, connector]
                continue
            type_name = local(typed) if typed is not None else other
            found[name] = Declared(kind, type_name, unit, self.file.units.get(unit), inner)
        return found

    def _element(self, item: Any) -> None:
        name = item.get("name") or ""
        kind = {"System": "a nested system", "SignalDictionaryReference": "a signal dictionary"}.get(local(item))
        if kind is None and item.get("type", FMU_TYPE) != FMU_TYPE:
            kind = f"a component of type {item.get('type')}"
        if kind is not None:
            self.diagram.put(Other(name, kind, item, keep(item)))
            return
        known = [ssd(n) for n in ("Connectors", "ElementGeometry", "ParameterBindings", "Annotations")]
        kept = keep(item, ["name", "source"], known)
        origin = Origin(kept, units=self.file.units, folder=self.path.parent.resolve(), source=item.get("source") or "")
        origin.connectors = self._connectors(item, kept)
        annotation = self._own_annotation(item, kept, "Component")
        block: type[Block] | None = None
        if annotation is not None and "block" in annotation.attrib:
            origin.block = annotation.get("block")
            found = self._block(origin.block)
            if isinstance(found, str):
                origin.unresolved = found
            else:
                block = found
        part = Part(name, block=block, source=path_of(origin.source), origin=origin)
        if annotation is not None:
            kept.inner["own"] = keep(annotation, WORDS["Component"])
            part.algorithm = annotation.get("algorithm")
            part.fresh_read = self._fresh_read(annotation, name)
        geometry = item.find(ssd("ElementGeometry"))
        if geometry is not None:
            corners = ("x1", "y1", "x2", "y2")
            kept.inner["ElementGeometry"] = keep(geometry, corners)
            x1, y1, x2, y2 = (self._number(geometry, key, 0.0) for key in corners)
            part.geometry = (x1, y1, x2, y2)
        self.diagram.put(part)
        bindings = item.find(ssd("ParameterBindings"))
        if bindings is not None:
            read_part_bindings(self.diagram, self.path, part, bindings)

    def _fresh_read(self, annotation: Any, name: str) -> bool | None:
        text = annotation.get("freshRead")
        if text is None:
            return None
        if (word := text.strip()) in _BOOLEANS:
            return _BOOLEANS[word]
        self.fault(annotation, f"part '{name}': freshRead = '{text}'; write true or false, or leave it out")
        return None

    def _block(self, reference: str) -> type[Block] | str:
        """The block of that name, or why there is none; many parts of a diagram share one."""
        if reference not in self.blocks:
            try:
                self.blocks[reference] = block_class(reference)
            except DrawbarError as error:
                self.blocks[reference] = str(error)
        return self.blocks[reference]

    def _connection(self, item: Any) -> Connection:
        tags = [ssc("LinearTransformation"), ssd("ConnectionGeometry"), ssd("Annotations")]
        names = ("startElement", "startConnector", "endElement", "endConnector", "suppressUnitConversion")
        made = Connection(
            End(item.get("startElement"), item.get("startConnector") or ""),
            End(item.get("endElement"), item.get("endConnector") or ""),
            suppress_unit_conversion=item.get("suppressUnitConversion", "").strip() in ("true", "1"),
            kept=keep(item, names, tags),
        )
        annotation = self._own_annotation(item, made.kept, "Connection")
        if annotation is not None:
            made.kept.inner["own"] = keep(annotation, WORDS["Connection"])
            made.algorithm = annotation.get("algorithm")
        linear, geometry = item.find(tags[0]), item.find(tags[1])
        if linear is not None:
            made.factor, made.offset = self._number(linear, "factor", 1.0), self._number(linear, "offset", 0.0)
            made.kept.inner["LinearTransformation"] = keep(linear, ["factor", "offset"])
        if geometry is not None:
            made.kept.inner["ConnectionGeometry"] = keep(geometry, ["pointsX", "pointsY"])
            try:
                x, y = ([float(v) for v in geometry.get(key, "").split()] for key in ("pointsX", "pointsY"))
                made.geometry = tuple(zip(x, y, strict=True))
            except ValueError:
                self.fault(geometry, f"connection {made}: pointsX and pointsY are not lists of equal length")
        for child in item:
            if is_element(child) and local(child).endswith("MappingTransformation"):
                self.fault(child, f"connection {made}: {local(child)} cannot run yet")
        return made
