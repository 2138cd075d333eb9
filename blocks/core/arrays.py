"""Arrays from the names of their elements, such as ``J[1,2]``: FMI 2.0 and SSP 1.0 have scalars only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from drawbar.blocks.core.interface import Port, scalar_names

_ELEMENT = re.compile(r"^(?P<base>.+)\[(?P<index>[1-9]\d{0,8}(?:,[1-9]\d{0,8})*)\]$")


def split(name: str) -> tuple[str, tuple[int, ...]]:
    """Return base name and indices: ``J[1,2]`` gives ``("J", (1, 2))``, a name without indices an empty tuple."""
    match = _ELEMENT.match(name)
    if match is None:
        return name, ()
    return match["base"], tuple(int(n) for n in match["index"].split(","))


def natural(name: str) -> tuple[str, tuple[int, ...]]:
    """Return a sort key that puts ``x[2]`` before ``x[10]``."""
    return split(name)


def complete_shape(indices: Iterable[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return the shape of the array that has exactly these indices, or None if there is no such array."""
    found = set(indices)
    if not found or len({len(i) for i in found}) != 1 or not next(iter(found)):
        return None
    shape = tuple(max(column) for column in zip(*found, strict=True))
    count = 1
    for n in shape:
        count *= n
    return shape if count == len(found) else None


def arrays_in(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the arrays that are complete in a list of scalar names, with their shapes."""
    grouped: dict[str, list[tuple[int, ...]]] = {}
    for name in names:
        base, index = split(name)
        if index:
            grouped.setdefault(base, []).append(index)
    shapes = {base: complete_shape(indices) for base, indices in grouped.items() if base not in names}
    return {base: shape for base, shape in shapes.items() if shape is not None}


def fold_ports(ports: Sequence[Port]) -> tuple[Port, ...]:
    """Join scalar ports into arrays where they are all elements of one and agree in everything but name and start."""
    by_name = {p.name: p for p in ports}
    shapes = arrays_in(list(by_name))
    arrays: dict[str, Port] = {}
    for base, shape in shapes.items():
        elements = [by_name[n] for n in scalar_names(base, shape)]
        alike = {
            (e.causality, e.variability, e.type, e.unit, e.quantity, e.minimum, e.maximum, e.initial, len(e.start))
            for e in elements
        }
        if len(alike) == 1:
            start = tuple(v for e in elements for v in e.start)
            arrays[base] = replace(elements[0], name=base, shape=shape, start=start)
    folded: dict[str, Port] = {}
    for port in ports:
        whole = arrays.get(split(port.name)[0], port)
        folded.setdefault(whole.name, whole)
    return tuple(folded.values())
