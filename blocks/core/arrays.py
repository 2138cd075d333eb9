"""Arrays from the names of their elements, such as ``J[1,2]``: FMI 2.0 and SSP 1.0 have scalars only.

The elements of an array are counted from 1, or all of its indices from 0, as tools that follow C or Python do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from drawbar.blocks.core.interface import Port, scalar_names

_ELEMENT = re.compile(r"^(?P<base>.+)\[(?P<index>(?:0|[1-9]\d{0,8})(?:,(?:0|[1-9]\d{0,8}))*)\]$")


def split(name: str) -> tuple[str, tuple[int, ...]]:
    """Return base name and indices: ``J[1,2]`` gives ``("J", (1, 2))``, a name without indices an empty tuple."""
    match = _ELEMENT.match(name)
    if match is None:
        return name, ()
    return match["base"], tuple(int(n) for n in match["index"].split(","))


def natural(name: str) -> tuple[str, tuple[int, ...]]:
    """Return a sort key that puts ``x[2]`` before ``x[10]``."""
    return split(name)


class Extent(NamedTuple):
    """The shape of an array, and the number from which its elements are counted."""

    shape: tuple[int, ...]
    first: int = 1


def complete_array(indices: Iterable[tuple[int, ...]]) -> Extent | None:
    """Return the array that has exactly these indices, or None if there is no such array."""
    found = set(indices)
    if not found or len({len(i) for i in found}) != 1 or not next(iter(found)):
        return None
    first = min(map(min, found))
    shape = tuple(max(column) + 1 - first for column in zip(*found, strict=True))
    return Extent(shape, first) if first in (0, 1) and math.prod(shape) == len(found) else None


def arrays_in(names: Sequence[str]) -> dict[str, Extent]:
    """Return the arrays that are complete in a list of scalar names."""
    grouped: dict[str, list[tuple[int, ...]]] = {}
    for name in names:
        base, index = split(name)
        if index:
            grouped.setdefault(base, []).append(index)
    known = set(names)
    arrays = {base: complete_array(indices) for base, indices in grouped.items() if base not in known}
    return {base: extent for base, extent in arrays.items() if extent is not None}


def index_of(array: Port, name: str) -> int | None:
    """Return the place of an element in the row-major order of its array, or None if it is none of the array's."""
    base, index = split(name)
    places = [i - array.first for i in index]
    if base != array.name or len(places) != len(array.shape):
        return None
    if any(not 0 <= i < n for i, n in zip(places, array.shape, strict=True)):
        return None
    found = 0
    for i, n in zip(places, array.shape, strict=True):
        found = found * n + i
    return found if places else None


def element(array: Port, name: str) -> Port | None:
    """Return an element of an array as a scalar port, or None if it is none of the array's."""
    index = index_of(array, name)
    return None if index is None else replace(array, name=name, shape=(), start=array.start[index : index + 1])


def fold_ports(ports: Sequence[Port]) -> tuple[Port, ...]:
    """Join scalar ports into arrays where they are all elements of one and agree in everything but name and start."""
    by_name = {p.name: p for p in ports}
    arrays: dict[str, Port] = {}
    for base, (shape, first) in arrays_in(list(by_name)).items():
        elements = [by_name[n] for n in scalar_names(base, shape, first)]
        alike = {
            (e.causality, e.variability, e.type, e.unit, e.quantity, e.minimum, e.maximum, e.initial, len(e.start))
            for e in elements
        }
        if len(alike) == 1:
            start = tuple(v for e in elements for v in e.start)
            arrays[base] = replace(elements[0], name=base, shape=shape, first=first, start=start)
    folded: dict[str, Port] = {}
    for port in ports:
        whole = arrays.get(split(port.name)[0], port)
        folded.setdefault(whole.name, whole)
    return tuple(folded.values())
