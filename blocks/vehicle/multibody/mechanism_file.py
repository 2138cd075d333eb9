"""A mechanism as JSON: ``bodies``, ``cuts`` and the names ``independent``, in SI values.

A body has ``name``, ``parent`` (null: the ground), ``joint``, ``mass_kg``, ``com_m``, ``inertia_com_kgm2_rowmajor``
(nine numbers), and where its joint needs them ``point_m`` and ``axes`` (of any length). A cut has ``type``, ``body_a``,
``body_b``, either ``point_m`` or ``point_a_m`` and ``point_b_m``, and if it is inplane ``directions`` and
``directions_fixed_in``. `read_mechanism` raises `DefinitionError` with the place of what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from drawbar.blocks.authoring.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Cut, Mechanism, unit

TOP = ("bodies", "cuts", "independent")
BODY = ("name", "parent", "joint", "mass_kg", "com_m", "inertia_com_kgm2_rowmajor", "point_m", "axes")
CUT = ("type", "body_a", "body_b", "point_m", "point_a_m", "point_b_m", "directions", "directions_fixed_in")
LARGEST = 10_000_000  # bytes of a file

T = TypeVar("T")


def read_mechanism(path: Path) -> Mechanism:
    """The mechanism of a JSON file; its messages begin with the name of the file."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise DefinitionError(f"it has more than {LARGEST} bytes")
        return from_dict(json.loads(text))
    except (OSError, ValueError, RecursionError, DefinitionError) as error:
        raise DefinitionError(f"{path.name}: {error}") from None


def from_dict(data: Any) -> Mechanism:
    """A mechanism from its JSON form."""
    _check_keys(data, TOP, "the mechanism")
    bodies = tuple(_each(data, "bodies", BODY, _body))
    cuts = tuple(_each(data, "cuts", CUT, _cut)) if "cuts" in data else ()
    independent = data.get("independent", [])
    if not isinstance(independent, list) or not all(isinstance(name, str) for name in independent):
        raise DefinitionError("independent is no list of names")
    return Mechanism(bodies, cuts, tuple(independent))


def to_dict(m: Mechanism) -> dict[str, Any]:
    """The JSON form of a mechanism of numbers."""
    bodies = [
        {
            "name": b.name,
            "parent": b.parent,
            "joint": b.joint,
            "point_m": _numbers(b.point),
            "axes": [_numbers(a) for a in b.axes],
            "mass_kg": float(b.mass),
            "com_m": _numbers(b.com),
            "inertia_com_kgm2_rowmajor": _numbers(b.inertia.T),
        }
        for b in m.bodies
    ]
    cuts = [
        {
            "type": c.kind,
            "body_a": c.body_a,
            "body_b": c.body_b,
            "point_a_m": _numbers(c.point_a),
            "point_b_m": _numbers(c.point_b),
            "directions": [_numbers(d) for d in c.directions],
            "directions_fixed_in": c.fixed_in,
        }
        for c in m.cuts
    ]
    return {"bodies": bodies, "cuts": cuts, "independent": list(m.independent)}


def _body(b: Mapping[str, Any]) -> Body:
    mass = b["mass_kg"]
    if isinstance(mass, bool) or not isinstance(mass, int | float):
        raise DefinitionError(f"mass_kg is {mass!r}, which is no number")
    return Body(
        _word(b, "name"),
        b["parent"] if b["parent"] is None else _word(b, "parent"),
        _word(b, "joint"),
        float(mass),
        _row(b["com_m"], 3, "com_m"),
        np.reshape(_row(b["inertia_com_kgm2_rowmajor"], 9, "inertia_com_kgm2_rowmajor"), (3, 3)),
        _row(b.get("point_m", [0, 0, 0]), 3, "point_m"),
        tuple(unit(_row(a, 3, "an axis")) for a in _list(b.get("axes", []), "axes")),
    )


def _cut(c: Mapping[str, Any]) -> Cut:
    ends = [c.get(name, c.get("point_m")) for name in ("point_a_m", "point_b_m")]
    if None in ends:
        raise DefinitionError("it has neither point_m nor both of point_a_m and point_b_m")
    return Cut(
        _word(c, "type"),
        _word(c, "body_a"),
        _word(c, "body_b"),
        _row(ends[0], 3, "point_a_m"),
        _row(ends[1], 3, "point_b_m"),
        tuple(unit(_row(d, 3, "a direction")) for d in _list(c.get("directions", []), "directions")),
        _word(c, "directions_fixed_in") if "directions_fixed_in" in c else GROUND,
    )


def _each(data: Mapping[str, Any], name: str, keys: tuple[str, ...], make: Callable[[Mapping[str, Any]], T]) -> list[T]:
    found = []
    for i, entry in enumerate(_list(data.get(name), name)):
        try:
            _check_keys(entry, keys, "it")
            found.append(make(entry))
        except KeyError as error:
            raise DefinitionError(f"{name}[{i}]: it has no {error}") from None
        except DefinitionError as error:
            raise DefinitionError(f"{name}[{i}]: {error}") from None
    return found


def _check_keys(data: Any, keys: tuple[str, ...], what: str) -> None:
    if not isinstance(data, dict):
        raise DefinitionError(f"{what} is no object of names and values")
    for key in data:
        if key not in keys:
            raise DefinitionError(f"there is no entry '{key}'" + did_you_mean(key, keys))


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise DefinitionError(f"{name} is no list")
    return value


def _word(data: Mapping[str, Any], key: str) -> str:
    if not isinstance(data[key], str):
        raise DefinitionError(f"{key} is {data[key]!r}, which is no name")
    return str(data[key])


def _row(value: Any, count: int, what: str) -> list[float]:
    numbers = isinstance(value, list) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    if not numbers or len(value) != count:
        raise DefinitionError(f"{what} is no list of {count} numbers")
    return [float(v) for v in value]


def _numbers(values: Iterable[float]) -> list[float]:
    return [float(v) for v in ca.DM(values).full().ravel(order="F")]
