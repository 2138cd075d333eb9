"""Values in the XML of SSP: numbers, Booleans, source URIs, and units of measure defined by base units.

They are read strictly, so that a typing error does not become another number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.core.interface import Value
from drawbar.blocks.core.numbers import MAX_INTEGER, MIN_INTEGER
from drawbar.blocks.core.units import BASE, Quantity
from drawbar.diagrams.xml.markup import Node, Preserved, explicit_attributes, node, number, preserve
from drawbar.diagrams.xml.tags import ssc

BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def read_real(text: str) -> float:
    """Return a real number; ``ValueError`` also for what only Python accepts as one, such as ``1_0``."""
    return float(_plain(text))


def read_integer(text: str) -> int:
    """Return an integer of 32 bits; ``ValueError`` also for what only Python accepts as one, such as ``1_0``."""
    value = int(_plain(text))
    if not MIN_INTEGER <= value <= MAX_INTEGER:
        raise ValueError(text)
    return value


def read_boolean(text: str) -> bool:
    """Return a Boolean: ``true``, ``false``, ``1`` or ``0``."""
    try:
        return BOOLEANS[text.strip()]
    except KeyError:
        raise ValueError(text) from None


def _plain(text: str) -> str:
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text


def type_of_value(value: Value) -> str:
    """Return the SSP type of a Python value; a whole number beyond 32 bits is a Real."""
    if isinstance(value, bool):
        return "Boolean"
    if isinstance(value, int) and MIN_INTEGER <= value <= MAX_INTEGER:
        return "Integer"
    return "String" if isinstance(value, str) else "Real"


def path_of(source: str) -> str:
    """Return the path that a source URI means: relative to the file, or absolute."""
    try:
        parts = urlsplit(source)
    except ValueError:  # no URI at all; no file of that name will be found
        return source
    return url2pathname(parts.path) if parts.scheme == "file" else unquote(source)


def uri_of(path: str) -> str:
    """Return the URI of a path, relative or absolute."""
    return Path(path).as_uri() if Path(path).is_absolute() else quote(Path(path).as_posix(), safe="/!$&'()*+,;=@~")


@dataclass
class UnitTable:
    """Units by name, and what the file holds about them beyond that; `faults` are by line."""

    units: dict[str, Quantity] = field(default_factory=dict)
    preserved: dict[str, Preserved] = field(default_factory=dict)
    faults: list[tuple[int | None, str]] = field(default_factory=list)


def read_units(container: Any) -> UnitTable:
    """Return the units of a ``Units`` element; one with unreadable numbers is left to the schema check."""
    table = UnitTable()
    for item in () if container is None else container.iterfind(ssc("Unit")):
        base = item.find(ssc("BaseUnit"))
        name = item.get("name")
        if base is None or not name:
            continue
        preserved = preserve(item, ["name"], [ssc("BaseUnit")])
        preserved.inner["BaseUnit"] = preserve(
            base, explicit_attributes(base, {**dict.fromkeys(BASE, 0.0), "factor": 1.0, "offset": 0.0})
        )
        try:
            exponents = tuple(int(base.get(b, "0")) for b in BASE)
            factor, offset = float(base.get("factor", 1)), float(base.get("offset", 0))
        except ValueError:
            continue
        try:
            table.units[name] = Quantity(exponents, factor, offset)
        except DefinitionError as error:
            table.faults.append((item.sourceline, f"unit '{name}': {error}"))
        table.preserved[name] = preserved
    return table


def unit_nodes(units: dict[str, Quantity], preserved: dict[str, Preserved]) -> list[Any]:
    """Return the ``Unit`` elements of a file, in the order of their names."""
    return [item for name in sorted(units) for item in _unit(name, units[name], preserved.get(name, Preserved()))]


def _unit(name: str, quantity: Quantity, preserved: Preserved) -> list[Any]:
    attributes: dict[str, str | None] = {b: str(e) for b, e in zip(BASE, quantity.exponents, strict=True) if e}
    if quantity.factor != 1.0:
        attributes["factor"] = number(quantity.factor)
    if quantity.offset != 0.0:
        attributes["offset"] = number(quantity.offset)
    inner = preserved.inner.get("BaseUnit", Preserved())
    base: Node = node(ssc("BaseUnit"), attributes, (), inner)
    return [*preserved.before, node(ssc("Unit"), {"name": name}, [*inner.before, base], preserved)]
