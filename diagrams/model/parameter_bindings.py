"""Parameter bindings other than Drawbar's own start values: the values of their sets, mapped.

SSP 1.0: later bindings win over earlier ones, those of an enclosing system over those inside; with a mapping, only what
it names is applied. The standard silently ignores a name without a variable; here it is a fault.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from drawbar.blocks.core.errors import DiagramError, DrawbarError, did_you_mean
from drawbar.blocks.core.safe_xml import parse_hostile
from drawbar.diagrams.model.connection import Connection, End
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.model.start_values import BoundValue, bound_values, known_quantity
from drawbar.diagrams.model.structure import SystemStructure, variables
from drawbar.diagrams.parameters.parameter_mapping import (
    MappingEntry,
    ParameterMapping,
    mapping_in,
    mapping_text,
    read_mapping,
)
from drawbar.diagrams.parameters.parameter_set import Parameter, ParameterSet, read_set, set_in, set_text
from drawbar.diagrams.xml.markup import preserve
from drawbar.diagrams.xml.tags import SSD, ssd, ssm, ssv
from drawbar.diagrams.xml.values import path_of, uri_of
from drawbar.fmus.loading.archive import unpack

SET_TYPE = "application/x-ssp-parameter-set"
MAPPING_TYPE = "application/x-ssp-parameter-mapping"
MAX_NAMED = 10
Fault = tuple[int | None, str]


def read_system_bindings(diagram: SystemStructure, path: Path, system: Any) -> None:
    """Give the values of the bindings of a system to its parts; the XML is preserved as it is."""
    container = system.find(ssd("ParameterBindings"))
    if container is None:
        return
    diagram.file.system.inner["ParameterBindings"] = preserve(container, (), [ssd("ParameterBinding")])
    for binding in container.iterfind(ssd("ParameterBinding")):
        add_system_binding(diagram, path, binding, preserve(binding).before)


def add_system_binding(diagram: SystemStructure, path: Path, binding: Any, before: list[Any]) -> None:
    """Append a binding to those of a diagram, and give its values to the parts."""
    diagram.file.bindings.append((before, binding))
    for bound in read_binding(diagram, path, binding):
        apply_value(diagram, bound)


def apply_value(diagram: SystemStructure, bound: BoundValue) -> None:
    """Give a value of a diagram to the parts that have the variable; a name without a variable is a fault."""
    found = propagated(diagram, [bound])
    if not found and diagram.port(End(None, bound.name)) is None:
        missing = "there is no such part" if "." in bound.name else "the diagram has no such connector"
        text = f"a parameter set sets '{bound.name}', but {missing}" + did_you_mean(bound.name, variables(diagram))
        diagram.file.faults.append((None, f"{text} (parameter set {bound.where})"))
    for name, values in found.items():
        diagram.parts[name].origin.outer_binding_values += values


def bind(
    diagram: SystemStructure,
    values: ParameterSet | str | os.PathLike[str],
    mapping: ParameterMapping | str | os.PathLike[str] | None = None,
    prefix: str = "",
    *,
    written: bool = True,
) -> None:
    """Append a parameter binding to a diagram: a set, or the file of one, with its mapping.

    A binding that is not to be `written` holds for a run only. ``DiagramError`` lists what cannot be applied; the
    diagram is then as it was.
    """
    binding = etree.Element(ssd("ParameterBinding"), nsmap={"ssd": SSD})
    _put(binding, "ParameterValues", values, diagram)
    if prefix:
        binding.set("prefix", prefix)
    if mapping is not None:
        _put(etree.SubElement(binding, ssd("ParameterMapping")), None, mapping, diagram)
    base = diagram.file.path or Path.cwd() / "diagram"
    before = {part.name: len(part.origin.outer_binding_values) for part in diagram.parts.values()}
    known = len(diagram.file.faults)
    add_system_binding(diagram, base, binding, [])
    wrong = [text for _, text in diagram.file.faults[known:]]
    for part in diagram.parts.values():
        for bound in part.origin.outer_binding_values[before[part.name] :]:
            try:
                bound_values(part, bound)
            except DrawbarError as error:
                wrong.append(f"{error} (parameter set {bound.where})")
    if wrong or not written:
        diagram.file.bindings.pop()
    if wrong:
        del diagram.file.faults[known:]
        for part in diagram.parts.values():
            del part.origin.outer_binding_values[before[part.name] :]
        raise DiagramError(wrong)


def _put(
    item: Any,
    inline: str | None,
    content: ParameterSet | ParameterMapping | str | os.PathLike[str],
    diagram: SystemStructure,
) -> None:
    """Name a file in an element, or put the content of a set or mapping into it."""
    if isinstance(content, ParameterSet | ParameterMapping):
        written = set_text(content) if isinstance(content, ParameterSet) else mapping_text(content)
        place = item if inline is None else etree.SubElement(item, ssd(inline))
        place.append(parse_hostile(written.encode()))
        return
    file = Path(content).resolve()
    folder = None if diagram.file.path is None else diagram.file.path.parent.resolve()
    inside = folder is not None and file.is_relative_to(folder)
    item.set("source", uri_of(file.relative_to(folder).as_posix() if folder is not None and inside else str(file)))


def relocated(binding: Any, home: Path | None, folder: Path) -> Any:
    """Return a binding of a file in `home`, with its sources relative to `folder`."""
    if home is not None and home.resolve() == folder:
        return binding
    made = copy.deepcopy(binding)
    for item in (made, *made.iterfind(ssd("ParameterMapping"))):
        if (source := item.get("source")) and item.get("sourceBase", "SSD") == "SSD":
            path = (home or Path.cwd()).resolve() / path_of(source)
            inside = path.is_relative_to(folder)
            item.set("source", uri_of(path.relative_to(folder).as_posix() if inside else str(path)))
    return made


def read_binding(diagram: SystemStructure, path: Path, binding: Any, part: Part | None = None) -> list[BoundValue]:
    """Return the values of a binding in the file `path`; what cannot be applied becomes a fault of the diagram."""
    faults: list[Fault] = []
    try:
        values, where = _set(path, binding, part)
        mapping, mapped_in = _mapping(path, binding, part)
    except DrawbarError as error:
        diagram.file.faults.append((binding.sourceline, str(error)))
        return []
    faults += [_placed(path, where, fault) for fault in values.faults]
    for p in values.parameters.values():
        if p.type == "Binary":
            text = f"parameter '{p.name}' is of type Binary, which no variable of FMI 2.0 has"
            faults.append(_placed(path, where, (p.preserved.line, text)))
    prefix = binding.get("prefix", "")
    named = {prefix + p.name: p for p in values.parameters.values() if p.type != "Binary"}
    units = {**diagram.file.units, **values.units}
    found = []
    used = set(named) if mapping is None else {entry.source for entry in mapping.entries}
    for name, line in values.repeated.items():
        if prefix + name in used:
            text = f"parameter '{name}' is there twice with different values"
            faults.append(_placed(path, where, (line, text)))
    if mapping is None:
        found = [_bound(name, p, units, where) for name, p in named.items()]
    else:
        faults += [_placed(path, mapped_in, fault) for fault in mapping.faults]
        unused: list[str] = []
        for entry in mapping.entries:
            if entry.source in named:
                try:
                    found.append(mapped(_bound(entry.target, named[entry.source], units, where), entry))
                except DiagramError as error:
                    faults.append(_placed(path, mapped_in, (entry.preserved.line, str(error))))
                continue
            unused.append(entry.source or "(none)")
        if unused and not found:
            text = f"no entry of the mapping names a parameter of the set, as in '{unused[0]}'"
            faults.append(_placed(path, mapped_in, (None, text + did_you_mean(unused[0], named))))
        elif unused:
            what = f"{len(unused)} of {len(mapping.entries)} entries name no parameter of the set {values.name}"
            diagram.file.remarks.append(f"mapping {mapped_in.name}: {what}: {abbreviated(list(dict.fromkeys(unused)))}")
    diagram.file.faults += faults
    return found


def abbreviated(names: list[str]) -> str:
    """Return some of the names, and how many more there are."""
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f", and {more} more" if more > 0 else "")


def mapped(bound: BoundValue, entry: MappingEntry) -> BoundValue:
    """Return a value as transformed by an entry of a mapping; ``DiagramError`` if the types do not agree."""
    kind = bound.type
    if entry.table_type:
        same = kind == entry.table_type or {kind, entry.table_type} <= {"Integer", "Enumeration"}
        if not same:
            what = f"a mapping of {entry.table_type} values"
            raise DiagramError(f"{what} cannot change '{entry.source}', which is of type {kind}")
        bound = replace(bound, value=entry.table.get(bound.value, bound.value))
    if (entry.factor, entry.offset) != (1.0, 0.0) and kind not in ("Real", "Integer"):
        raise DiagramError(f"a linear transformation cannot change '{entry.source}', which is of type {kind}")
    if entry.suppress_unit_conversion:
        bound = replace(bound, unit="", quantity=None)
    return replace(bound, factor=entry.factor, offset=entry.offset)


def _bound(name: str, p: Parameter, units: dict[str, Any], where: Path) -> BoundValue:
    return BoundValue(
        name, p.value, p.unit, units.get(p.unit) or known_quantity(p.unit), f"{where}:{p.preserved.line}", type=p.type
    )


def _placed(path: Path, where: Path, fault: Fault) -> Fault:
    """Return a fault of a set or mapping as a fault of the description, with its file if that is another."""
    line, text = fault
    return (line, text) if where == path else (None, f"{text} ({where}:{line})" if line else f"{text} ({where})")


def _set(path: Path, binding: Any, part: Part | None) -> tuple[ParameterSet, Path]:
    """Return the set of a binding and the file that holds it."""
    _check_type(binding, SET_TYPE, "parameters")
    if binding.get("source"):
        file = _file(path, binding, part, "parameter set")
        return read_set(file), file
    root = binding.find(f"{ssd('ParameterValues')}/{ssv('ParameterSet')}")
    if root is None:
        raise DiagramError("the parameter binding holds no ParameterSet")
    return set_in(root), path


def _mapping(path: Path, binding: Any, part: Part | None) -> tuple[ParameterMapping | None, Path]:
    """Return the mapping of a binding, if it has one, and the file that holds it."""
    item = binding.find(ssd("ParameterMapping"))
    if item is None:
        return None, path
    _check_type(item, MAPPING_TYPE, "a parameter mapping")
    if item.get("source"):
        file = _file(path, item, part, "parameter mapping")
        return read_mapping(file), file
    root = item.find(ssm("ParameterMapping"))
    if root is None:
        raise DiagramError("the parameter binding has a mapping that holds no ParameterMapping")
    return mapping_in(root), path


def _check_type(item: Any, known: str, what: str) -> None:
    kind = item.get("type", known)
    if kind != known:
        raise DiagramError(f"{what} of type {kind} cannot be read")


def _file(path: Path, item: Any, part: Part | None, what: str) -> Path:
    """Return the file that a ``source`` means: beside the description, or inside the FMU of the part."""
    source = item.get("source")
    file = path.parent / path_of(source)
    if item.get("sourceBase", "SSD") != "SSD":
        if part is None or part.block is not None or not part.source.endswith(".fmu"):
            raise DiagramError(f"the {what} {source} lies inside a component that is no FMU; put it beside the diagram")
        folder = unpack(part.fmu).resolve()
        file = folder / path_of(source)
        if not file.resolve().is_relative_to(folder):
            raise DiagramError(f"the {what} {source} lies outside of the FMU that is to hold it")
    try:
        there = file.is_file()
    except (OSError, ValueError):  # a name too long, or one that no file can have
        there = False
    if not there:
        near = sorted(p.name for p in file.parent.glob(f"*{file.suffix}")) if file.parent.is_dir() else []
        raise DiagramError(f"there is no {what} at {source}" + (did_you_mean(file.name, near) if near else ""))
    return file


def propagated(diagram: SystemStructure, bounds: Iterable[BoundValue]) -> dict[str, list[BoundValue]]:
    """Return what the values of a diagram give to each of its parts, by ``part.variable`` or the name of a connector.

    A value of an input or parameter connector follows its connections and is converted as a signal would be. Names
    without a variable are left out; `check` reports them.
    """
    found: dict[str, list[BoundValue]] = {}
    for bound in bounds:
        if diagram.port(End(None, bound.name)) is not None:
            for part, inside in _along_connections(diagram, bound):
                found.setdefault(part, []).append(inside)
            continue
        part_name, _, variable = bound.name.partition(".")
        if part_name in diagram.parts:
            found.setdefault(part_name, []).append(replace(bound, name=variable))
    return found


def _along_connections(diagram: SystemStructure, bound: BoundValue) -> list[tuple[str, BoundValue]]:
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
        bound = BoundValue(bound.name, value, port.unit, port.quantity, bound.where)
    names, made = port.scalar_names(), []
    values = dict(zip(names, np.broadcast_to(np.asarray(bound.value, object), port.shape).ravel(), strict=True))
    for c in diagram.connections:
        if c.start.part is None and c.end.part is not None:
            for start, end in zip(diagram.scalars(c.start), diagram.scalars(c.end), strict=False):
                if start in values:
                    made.append((c.end.part, _through(diagram, c, replace(bound, name=end, value=values[start]))))
    return made


def _through(diagram: SystemStructure, c: Connection, bound: BoundValue) -> BoundValue:
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
