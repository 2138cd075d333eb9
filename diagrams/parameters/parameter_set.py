"""Parameter sets of SSP 1.0 (``.ssv``): values with types and units, under names.

What a file holds beyond the values (comments, annotations, enumerations) stays with them and is written back. The text
is canonical: one parameter per line, in the order of the set.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drawbar.blocks.core.atomic_write import save
from drawbar.blocks.core.errors import DiagramError, did_you_mean
from drawbar.blocks.core.interface import Value
from drawbar.blocks.core.numbers import INTEGERS, are_integers
from drawbar.blocks.core.units import Quantity, parse_unit
from drawbar.diagrams.xml.markup import Node, Preserved, is_element, local_name, node, number, parse_as, preserve, text
from drawbar.diagrams.xml.tags import ALIASES, ssc, ssv
from drawbar.diagrams.xml.values import read_boolean, read_integer, read_real, read_units, type_of_value, unit_nodes

TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration", "Binary")


@dataclass
class Parameter:
    """One value: a number, a Boolean, a text, or the name of an enumeration item; for Binary, its text in hex."""

    name: str
    type: str
    value: Value
    unit: str = ""
    preserved: Preserved = field(default_factory=Preserved)
    typed: Preserved = field(default_factory=Preserved)  # that of the element that holds the value
    written: str = ""  # its type as written in the file


@dataclass
class ParameterSet:
    """Parameters by name; `units` gives their units in base units."""

    name: str
    parameters: dict[str, Parameter] = field(default_factory=dict)
    units: dict[str, Quantity] = field(default_factory=dict)
    path: Path | None = None
    faults: list[tuple[int | None, str]] = field(default_factory=list)
    repeated: dict[str, int] = field(default_factory=dict)  # names that are repeated with another value, with the line
    root: Preserved = field(default_factory=Preserved)
    preserved_units: dict[str, Preserved] = field(default_factory=dict)
    after: list[Any] = field(default_factory=list)  # comments after the root element
    version: str = "1.0"

    def set(self, name: str, value: Value, unit: str = "", *, type: str | None = None) -> None:
        """Set a value, in `unit` or in the unit of the variable it is for; `type` defaults to that of the value."""
        kind = type or type_of_value(value)
        if type is None and unit and kind == "Integer":
            kind = "Real"  # a value with a unit is a quantity, however its number is written
        if kind not in TYPES:
            raise DiagramError(f"parameter '{name}': type = '{kind}'" + did_you_mean(kind, TYPES))
        if kind == "Integer" and not are_integers(value):
            raise DiagramError(f"parameter '{name}' = {value!r} is of type Integer; it is none of {INTEGERS}")
        if unit and kind != "Real":
            raise DiagramError(f"parameter '{name}' is of type {kind}; only Real has a unit, and it is given [{unit}]")
        if unit and unit not in self.units:
            self.units[unit] = parse_unit(unit)
        old = self.parameters.get(name)
        made = Parameter(name, kind, float(value) if kind == "Real" else value, unit)
        if old is not None:
            made.preserved, made.typed = old.preserved, old.typed if old.type == kind else Preserved()
        self.parameters[name] = made


def read_set(path: str | os.PathLike[str]) -> ParameterSet:
    """Return the parameter set of an ``.ssv`` file; its `faults` list what is wrong in it.

    ``DiagramError`` if the file is no parameter set.
    """
    file = Path(path)
    root = parse_as(file, ssv("ParameterSet"))
    found = set_in(root)
    found.path, found.after = file, list(root.itersiblings())
    return found


def set_in(root: Any) -> ParameterSet:
    """Return the parameter set of a ``ParameterSet`` element."""
    found = ParameterSet(root.get("name") or "", version=root.get("version") or "1.0")
    known = [ssv(n) for n in ("Parameters", "Units")]
    found.root = preserve(root, ["name", "version"], known)
    container, units = root.find(known[0]), root.find(known[1])
    if container is None:
        found.faults.append((root.sourceline, "the parameter set has no Parameters"))
    else:
        found.root.inner["Parameters"] = preserved = preserve(container, (), [ssv("Parameter")])
        for item in container.iterfind(ssv("Parameter")):
            if (made := _parameter(found, item)) is not None:
                found.parameters[made.name] = made
            else:
                preserved.children += [*preserve(item).before, item]
    if units is not None:
        found.root.inner["Units"] = preserve(units, (), [ssc("Unit")])
        table = read_units(units)
        found.units, found.preserved_units = table.units, table.preserved
        found.faults += table.faults
    return found


def _parameter(found: ParameterSet, item: Any) -> Parameter | None:
    """Return the parameter of an element; None, with a fault, if it has no readable value."""
    name = item.get("name") or ""
    tags = [ssv(t) for t in (*TYPES, *ALIASES)]
    typed = [c for c in item if is_element(c) and c.tag in tags]
    if len(typed) != 1:
        others = [local_name(c) for c in item if is_element(c) and local_name(c) != "Annotations"]
        what = f"is of type {others[0]}" + did_you_mean(others[0], TYPES) if others else "has no value"
        found.faults.append((item.sourceline, f"parameter '{name}' {what}"))
        return None
    written, given = local_name(typed[0]), typed[0].get("value")
    kind = ALIASES.get(written, written)
    try:
        value = _read(kind, given)
    except (ValueError, TypeError, AttributeError):
        found.faults.append(
            (
                item.sourceline,
                f"parameter '{name}': value = '{given}' is no {kind}{' of 32 bits' * (kind == 'Integer')}",
            )
        )
        return None
    if (old := found.parameters.get(name)) is not None:
        if (old.type, old.value) == (kind, value):
            return None  # a repetition with the same value
        found.repeated[name] = item.sourceline
        return None
    unit = typed[0].get("unit") or "" if kind == "Real" else ""
    preserved, inner = (
        preserve(item, ["name"], [typed[0]]),
        preserve(typed[0], ["value", *(["unit"] if kind == "Real" else [])]),
    )
    return Parameter(name, kind, value, unit, preserved, inner, written)


def _read(kind: str, given: str) -> Value:
    if kind == "Real":
        return read_real(given)
    if kind == "Integer":
        return read_integer(given)
    return read_boolean(given) if kind == "Boolean" else str(given.strip() if kind == "Binary" else given[:])


def set_node(values: ParameterSet) -> Node:
    """Return the ``ParameterSet`` element of a set."""
    parameters: list[Any] = []
    for p in values.parameters.values():
        shown = str(p.value).lower() if p.type == "Boolean" else str(p.value)
        attributes = {"value": number(float(p.value)) if p.type == "Real" else shown, "unit": p.unit or None}
        typed = node(ssv(p.written or p.type), attributes, (), p.typed)
        parameters += [
            *p.preserved.before,
            node(ssv("Parameter"), {"name": p.name}, [*p.typed.before, typed], p.preserved),
        ]
    inner = values.root.inner
    container = inner.get("Parameters", Preserved())
    children: list[Any] = [*container.before, node(ssv("Parameters"), {}, parameters, container)]
    if values.units:
        units = inner.get("Units", Preserved())
        children += [*units.before, node(ssv("Units"), {}, unit_nodes(values.units, values.preserved_units), units)]
    return node(ssv("ParameterSet"), {"version": values.version, "name": values.name}, children, values.root)


def set_text(values: ParameterSet) -> str:
    """Return the canonical text of an ``.ssv`` file."""
    return text(set_node(values), {}, values.root.before, values.after)


def write_set(values: ParameterSet, path: str | os.PathLike[str]) -> None:
    """Write an ``.ssv`` file; it is replaced as a whole or not at all."""
    save(Path(path), set_text(values))
