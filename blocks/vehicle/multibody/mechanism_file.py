"""Mechanisms as JSON: ``bodies``, ``cuts``, ``forces`` and the names ``independent``, in SI units.

A body has ``name``, ``parent`` (null for the ground), ``joint``, ``mass_kg``, ``com_m``, ``inertia_com_kgm2_rowmajor``
(nine numbers), and, where its joint needs them, ``point_m`` and ``axes`` (of any length). A cut has ``type``,
``body_a``, ``body_b``, either ``point_m`` or ``point_a_m`` and ``point_b_m``, and, if it is inplane, ``directions`` and
``directions_fixed_in``. A force has ``type``: ``line`` with the ends of a cut, or ``turn`` or ``slide`` with ``joint``;
and those entries of its law that are not zero: ``free_m``, ``rate_N_per_m``, ``progression_per_m2``, ``preload_N``,
``compression_Ns_per_m``, ``rebound_Ns_per_m``, ``stops_m``, ``stop_table_m_N``; those of a turn end in ``rad`` and
``Nm``. `read_mechanism` raises `DefinitionError` with the place of the fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import casadi as ca
import numpy as np

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.force_element import ALONG, ForceElement, ForceLaw, JointElement, LineElement
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body, Cut, Mechanism, unit

TOP = ("bodies", "cuts", "forces", "independent")
BODY = ("name", "parent", "joint", "mass_kg", "com_m", "inertia_com_kgm2_rowmajor", "point_m", "axes")
CUT = ("type", "body_a", "body_b", "point_m", "point_a_m", "point_b_m", "directions", "directions_fixed_in")
ENDS = ("body_a", "body_b", "point_m", "point_a_m", "point_b_m")
LAW = {  # by type: the entries of a law
    kind: {
        "free": f"free_{s}",
        "rate": f"rate_{F}_per_{s}",
        "progression": f"progression_per_{s}2",
        "preload": f"preload_{F}",
        "compression": f"compression_{F}s_per_{s}",
        "rebound": f"rebound_{F}s_per_{s}",
        "stops": f"stops_{s}",
        "stop_table": f"stop_table_{s}_{F}",
    }
    for kind, s, F in (("line", "m", "N"), ("slide", "m", "N"), ("turn", "rad", "Nm"))
}
MAX_BYTES = 10_000_000  # bytes of a file

T = TypeVar("T")


def read_mechanism(path: str | Path) -> Mechanism:
    """Read a mechanism from a JSON file; messages begin with the name of the file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise DefinitionError(f"it has more than {MAX_BYTES} bytes")
        return from_dict(json.loads(text))
    except (OSError, ValueError, OverflowError, RecursionError, DefinitionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DefinitionError(f"{path.name}: {reason}") from None


def from_dict(data: Any) -> Mechanism:
    """Return a mechanism from its JSON form."""
    _check_keys(data, TOP, "the mechanism")
    bodies = tuple(_each(data, "bodies", _body))
    cuts = tuple(_each(data, "cuts", _cut)) if "cuts" in data else ()
    force = partial(_force, joints={b.name: b.joint for b in bodies})
    forces = tuple(_each(data, "forces", force)) if "forces" in data else ()
    independent = data.get("independent", [])
    if not isinstance(independent, list) or not all(isinstance(name, str) for name in independent):
        raise DefinitionError("independent must be a list of names")
    return Mechanism(bodies, cuts, tuple(independent), forces)


def to_dict(m: Mechanism) -> dict[str, Any]:
    """Return the JSON form of a mechanism without symbols."""
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
    forces = [_force_entry(m, force) for force in m.forces]
    return {"bodies": bodies, "cuts": cuts, "forces": forces, "independent": list(m.independent)}


def _force_entry(m: Mechanism, force: ForceElement) -> dict[str, Any]:
    if isinstance(force, LineElement):
        entry: dict[str, Any] = {"type": "line", "body_a": force.body_a, "body_b": force.body_b}
        entry |= {"point_a_m": _numbers(force.point_a), "point_b_m": _numbers(force.point_b)}
    else:
        entry = {"type": ALONG[m.by_name[force.joint].joint], "joint": force.joint}
    law, names = force.law, LAW[entry["type"]]
    for name in ("free", "rate", "progression", "preload", "compression", "rebound"):
        if (value := getattr(law, name)) is not None:
            entry[names[name]] = float(value)
    if law.stops is not None:
        entry[names["stops"]] = [float(v) for v in law.stops]
        entry[names["stop_table"]] = [[float(v) for v in row] for row in law.stop_table]
    return entry


def _body(b: Mapping[str, Any]) -> Body:
    _check_keys(b, BODY, "it")
    return Body(
        _word(b, "name"),
        b["parent"] if b["parent"] is None else _word(b, "parent"),
        _word(b, "joint"),
        _number(b["mass_kg"], "mass_kg"),
        _row(b["com_m"], 3, "com_m"),
        np.reshape(_row(b["inertia_com_kgm2_rowmajor"], 9, "inertia_com_kgm2_rowmajor"), (3, 3)),
        _row(b.get("point_m", [0, 0, 0]), 3, "point_m"),
        tuple(unit(_row(a, 3, "an axis")) for a in _list(b.get("axes", []), "axes")),
    )


def _cut(c: Mapping[str, Any]) -> Cut:
    _check_keys(c, CUT, "it")
    return Cut(
        _word(c, "type"),
        *_ends(c),
        tuple(unit(_row(d, 3, "a direction")) for d in _list(c.get("directions", []), "directions")),
        _word(c, "directions_fixed_in") if "directions_fixed_in" in c else GROUND,
    )


def _force(f: Mapping[str, Any], joints: Mapping[str, str]) -> ForceElement:
    kind = _word(_object(f, "it"), "type")
    if kind not in LAW:
        raise DefinitionError(f"there is no type '{kind}'" + did_you_mean(kind, LAW))
    _check_keys(f, ("type", *(ENDS if kind == "line" else ("joint",)), *LAW[kind].values()), "it")
    law = _law(f, LAW[kind])
    if kind == "line":
        return LineElement(*_ends(f), law)
    joint = _word(f, "joint")
    fitting = ALONG.get(joints.get(joint, ""), kind)
    if fitting != kind:
        raise DefinitionError(f"the joint of '{joint}' is {joints[joint]}, so the type is '{fitting}', not '{kind}'")
    return JointElement(joint, law)


def _law(f: Mapping[str, Any], names: Mapping[str, str]) -> ForceLaw:
    single = ("free", "rate", "progression", "preload", "compression", "rebound")
    given: dict[str, Any] = {k: _number(f[names[k]], names[k]) for k in single if names[k] in f}
    stops, table = names["stops"], names["stop_table"]
    if stops in f:
        given["stops"] = tuple(_row(f[stops], 2, stops))
    if table in f:
        given["stop_table"] = tuple(tuple(_row(row, 2, f"a row of {table}")) for row in _list(f[table], table))
    return ForceLaw(**given)


def _ends(data: Mapping[str, Any]) -> tuple[str, str, list[float], list[float]]:
    own = [name for name in ("point_a_m", "point_b_m") if name in data]
    if own and "point_m" in data:
        raise DefinitionError(f"it has point_m, which is for both bodies, and {own[0]} as well; leave one of them out")
    points = [data.get(name, data.get("point_m")) for name in ("point_a_m", "point_b_m")]
    if None in points:
        raise DefinitionError("it has neither point_m nor both of point_a_m and point_b_m")
    a, b = (_row(point, 3, name) for point, name in zip(points, ("point_a_m", "point_b_m"), strict=True))
    return _word(data, "body_a"), _word(data, "body_b"), a, b


def _each(data: Mapping[str, Any], name: str, make: Callable[[Mapping[str, Any]], T]) -> list[T]:
    found = []
    for i, entry in enumerate(_list(data.get(name), name)):
        try:
            found.append(make(entry))
        except KeyError as error:
            raise DefinitionError(f"{name}[{i}]: it has no {error}") from None
        except DefinitionError as error:
            raise DefinitionError(f"{name}[{i}]: {error}") from None
    return found


def _check_keys(data: Any, keys: tuple[str, ...], what: str) -> None:
    for key in _object(data, what):
        if key not in keys:
            raise DefinitionError(f"there is no entry '{key}'" + did_you_mean(key, keys))


def _object(data: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise DefinitionError(f"{what} must be an object of names and values")
    return data


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise DefinitionError(f"{name} must be a list")
    return value


def _word(data: Mapping[str, Any], key: str) -> str:
    if not isinstance(data[key], str):
        raise DefinitionError(f"{key} is {data[key]!r}, which is not a name")
    return str(data[key])


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DefinitionError(f"{what} is {value!r}, which is not a number")
    return _float(value, what)


def _row(value: Any, count: int, what: str) -> list[float]:
    numbers = isinstance(value, list) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    if not numbers or len(value) != count:
        raise DefinitionError(f"{what} must be a list of {count} numbers")
    return [_float(v, what) for v in value]


def _float(value: float, what: str) -> float:
    try:
        return float(value)
    except OverflowError:  # for an unbounded integer of JSON
        raise DefinitionError(f"{what} holds a number of {len(str(value))} digits, which no float can hold") from None


def _numbers(values: Iterable[float]) -> list[float]:
    return [float(v) for v in ca.DM(values).full().ravel(order="F")]
