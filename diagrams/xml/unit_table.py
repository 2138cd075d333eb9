"""The units that a description or a parameter set defines by base units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.core.units import BASE, Quantity
from drawbar.diagrams.xml.markup import Kept, Node, keep, node, number, said
from drawbar.diagrams.xml.tags import ssc


@dataclass
class UnitTable:
    """Units by name, and what the file holds about them beyond that; `faults` are by line."""

    units: dict[str, Quantity] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)
    faults: list[tuple[int | None, str]] = field(default_factory=list)


def read_units(container: Any) -> UnitTable:
    """Return the units of a ``Units`` element; one with unreadable numbers is left to the schema check."""
    table = UnitTable()
    for item in () if container is None else container.iterfind(ssc("Unit")):
        base = item.find(ssc("BaseUnit"))
        name = item.get("name")
        if base is None or not name:
            continue
        kept = keep(item, ["name"], [ssc("BaseUnit")])
        kept.inner["BaseUnit"] = keep(base, said(base, {**dict.fromkeys(BASE, 0.0), "factor": 1.0, "offset": 0.0}))
        try:
            exponents = tuple(int(base.get(b, "0")) for b in BASE)
            factor, offset = float(base.get("factor", 1)), float(base.get("offset", 0))
        except ValueError:
            continue
        try:
            table.units[name] = Quantity(exponents, factor, offset)
        except DefinitionError as error:
            table.faults.append((item.sourceline, f"unit '{name}': {error}"))
        table.kept[name] = kept
    return table


def unit_nodes(units: dict[str, Quantity], kept: dict[str, Kept]) -> list[Any]:
    """Return the ``Unit`` elements of a file, in the order of their names."""
    return [item for name in sorted(units) for item in _unit(name, units[name], kept.get(name, Kept()))]


def _unit(name: str, quantity: Quantity, kept: Kept) -> list[Any]:
    attributes: dict[str, str | None] = {b: str(e) for b, e in zip(BASE, quantity.exponents, strict=True) if e}
    if quantity.factor != 1.0:
        attributes["factor"] = number(quantity.factor)
    if quantity.offset != 0.0:
        attributes["offset"] = number(quantity.offset)
    inner = kept.inner.get("BaseUnit", Kept())
    base: Node = node(ssc("BaseUnit"), attributes, (), inner)
    return [*kept.before, node(ssc("Unit"), {"name": name}, [*inner.before, base], kept)]
