"""Parameter mappings of SSP 1.0 (``.ssm``): which parameter of a set becomes which of a diagram, and how.

With a mapping, only what it names is applied. A value is first converted to the unit of its target and then
transformed. A mapping of Booleans, integers or enumeration items does not change the values that it does not name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drawbar.blocks.core.atomic_write import save
from drawbar.blocks.core.interface import Value
from drawbar.diagrams.xml.markup import (
    Node,
    Preserved,
    explicit_attributes,
    is_element,
    local_name,
    node,
    number,
    parse_as,
    preserve,
    text,
)
from drawbar.diagrams.xml.tags import ssc, ssm
from drawbar.diagrams.xml.values import read_boolean, read_integer, read_real

TABLES = {
    "BooleanMappingTransformation": "Boolean",
    "IntegerMappingTransformation": "Integer",
    "EnumerationMappingTransformation": "Enumeration",
}


@dataclass
class MappingEntry:
    """``target = factor * source + offset``, or a `table` of source and target values of the type `table_type`."""

    source: str
    target: str
    factor: float = 1.0
    offset: float = 0.0
    table: dict[Value, Value] = field(default_factory=dict)
    table_type: str = ""
    suppress_unit_conversion: bool = False
    preserved: Preserved = field(default_factory=Preserved)


@dataclass
class ParameterMapping:
    """The entries of a mapping, in order; a source may have several targets."""

    entries: list[MappingEntry] = field(default_factory=list)
    path: Path | None = None
    faults: list[tuple[int | None, str]] = field(default_factory=list)
    root: Preserved = field(default_factory=Preserved)
    after: list[Any] = field(default_factory=list)
    version: str = "1.0"

    def add(self, source: str, target: str, factor: float = 1.0, offset: float = 0.0, **more: Any) -> None:
        """Append an entry."""
        self.entries.append(MappingEntry(source, target, factor, offset, **more))


def read_mapping(path: str | os.PathLike[str]) -> ParameterMapping:
    """Return the mapping of an ``.ssm`` file; its `faults` list what is wrong in it.

    ``DiagramError`` if the file is no mapping.
    """
    file = Path(path)
    root = parse_as(file, ssm("ParameterMapping"))
    found = mapping_in(root)
    found.path, found.after = file, list(root.itersiblings())
    return found


def mapping_in(root: Any) -> ParameterMapping:
    """Return the mapping of a ``ParameterMapping`` element."""
    found = ParameterMapping(version=root.get("version") or "1.0")
    found.root = preserve(root, ["version"], [ssm("MappingEntry")])
    seen: dict[str, MappingEntry] = {}
    for item in root.iterfind(ssm("MappingEntry")):
        entry = _entry(found, item)
        if entry.target in seen:
            first = seen[entry.target].source
            text = f"'{entry.target}' is the target of both '{first}' and '{entry.source}'; only one can hold"
            found.faults.append((item.sourceline, text))
        seen.setdefault(entry.target, entry)
        found.entries.append(entry)
    return found


def _entry(found: ParameterMapping, item: Any) -> MappingEntry:
    tags = [ssc(n) for n in ("LinearTransformation", *TABLES)]
    preserved = preserve(item, ["source", "target", "suppressUnitConversion"], tags)
    entry = MappingEntry(item.get("source") or "", item.get("target") or "", preserved=preserved)
    entry.suppress_unit_conversion = item.get("suppressUnitConversion", "").strip() in ("true", "1")
    for child in item:
        if not is_element(child) or child.tag not in tags:
            continue
        if local_name(child) == "LinearTransformation":
            _read_linear(found, entry, child)
        else:
            _read_table(found, entry, child)
    return entry


def _read_linear(found: ParameterMapping, entry: MappingEntry, item: Any) -> None:
    try:
        entry.factor, entry.offset = read_real(item.get("factor", "1")), read_real(item.get("offset", "0"))
        known = explicit_attributes(item, {"factor": 1.0, "offset": 0.0})
    except ValueError:
        found.faults.append(
            (item.sourceline, f"the {local_name(item)} of '{entry.source}' has a value that is no number")
        )
        entry.factor, entry.offset, known = 1.0, 0.0, []
    entry.preserved.inner[local_name(item)] = preserve(item, known)


def _read_table(found: ParameterMapping, entry: MappingEntry, item: Any) -> None:
    kind = local_name(item)
    preserved = entry.preserved.inner[kind] = preserve(item, (), [ssc("MapEntry")])
    entry.table_type = TABLES[kind]
    for row in item.iterfind(ssc("MapEntry")):
        try:
            source, target = (_value(entry.table_type, row.get(key)) for key in ("source", "target"))
            if source in entry.table:
                raise ValueError(source)
        except (ValueError, TypeError, AttributeError):
            text = f"the {kind} of '{entry.source}' has a value that is none or comes twice"
            found.faults.append((row.sourceline, text))
            preserved.children += [*preserve(row).before, row]
            continue
        entry.table[source] = target
        preserved.inner[_row(source)] = preserve(row, ["source", "target"])


def _value(kind: str, given: str) -> Value:
    if kind == "Boolean":
        return read_boolean(given)
    return read_integer(given) if kind == "Integer" else str(given[:])


def _row(source: Value) -> str:
    """Return the name under which the further content of a row, beyond its two values, is preserved."""
    return f"MapEntry {_text(source)}"


def mapping_node(mapping: ParameterMapping) -> Node:
    """Return the ``ParameterMapping`` element of a mapping."""
    children: list[Any] = []
    for entry in mapping.entries:
        inner = entry.preserved.inner
        transformation: list[Any] = []
        if (entry.factor, entry.offset) != (1.0, 0.0) or "LinearTransformation" in inner:
            factor = number(entry.factor) if entry.factor != 1.0 else None
            offset = number(entry.offset) if entry.offset != 0.0 else None
            preserved = inner.get("LinearTransformation", Preserved())
            linear = node(ssc("LinearTransformation"), {"factor": factor, "offset": offset}, (), preserved)
            transformation += [*preserved.before, linear]
        if entry.table_type:
            kind = next(k for k, v in TABLES.items() if v == entry.table_type)
            preserved = inner.get(kind, Preserved())
            rows: list[Any] = []
            for a, b in entry.table.items():
                inside = preserved.inner.get(_row(a), Preserved())
                values: dict[str, str | None] = {"source": _text(a), "target": _text(b)}
                rows += [*inside.before, node(ssc("MapEntry"), values, (), inside)]
            transformation += [*preserved.before, node(ssc(kind), {}, rows, preserved)]
        attributes = {
            "source": entry.source,
            "target": entry.target,
            "suppressUnitConversion": "true" if entry.suppress_unit_conversion else None,
        }
        children += [*entry.preserved.before, node(ssm("MappingEntry"), attributes, transformation, entry.preserved)]
    return node(ssm("ParameterMapping"), {"version": mapping.version}, children, mapping.root)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def mapping_text(mapping: ParameterMapping) -> str:
    """Return the canonical text of an ``.ssm`` file."""
    return text(mapping_node(mapping), {}, mapping.root.before, mapping.after)


def write_mapping(mapping: ParameterMapping, path: str | os.PathLike[str]) -> None:
    """Write an ``.ssm`` file; it is replaced as a whole or not at all."""
    save(Path(path), mapping_text(mapping))
