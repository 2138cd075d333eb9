"""A vehicle as a JSON file: chassis, axles with their springs and tires, and a pose, each quantity with its unit.

::

    {"name": "Humvee", "source": "where the numbers come from",
     "chassis": {"sprung_mass_kg": 2086.5, "cg_offset_m": 0.3, "dimensions_m": [3.85, 1.85, 1.2]},
     "axles": [{"longitudinal_offset_m": 1.53, "track_width_m": 1.59, "spring_constant_N_per_m": 190000,
                "damping_constant_Ns_per_m": 13110, "spring_length_m": 0.3, "steered": true, "powered": true,
                "unsprung_mass_kg": 62, "max_steer_angle_deg": 30,
                "tire": {"spring_constant_N_per_m": 322369, "damping_constant_Ns_per_m": 5187, "radius_m": 0.392,
                         "width_m": 0.241, "high_slip_crossover_angle_deg": 5}}, ...]}

Masses and constants of an axle are those of one side. The box of the dimensions about the centre of gravity is what
touches the ground. These are the quantities of tables 2 to 4 of the 2020 paper on
MAVS. Optional entries are: of the chassis `inertia_kgm2` (about its axes; by default that of a solid box of the
dimensions); of an axle `anti_roll_N_per_m` (force per difference of travels; by default 0) and `wheel_inertia_kgm2`
(across the axle and about it; by default that of a cylinder of the tire's size with the unsprung mass);
``"steering": {"ratio": 16}`` (angle of the steering wheel over that of the road wheels); ``"initial_pose":
{"position_m": [0, 0, 0], "orientation_wxyz": [1, 0, 0, 0]}``. Only x, y and the yaw angle of the pose are used: the
vehicle starts at rest on its springs, so its height comes from the balance of forces, and a pose that rolls or pitches
is refused.

`read_vehicle` raises `DefinitionError` with the place of the fault.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.numbers import as_float
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.vehicle.multibody.inertia_check import inertia_fault

MAX_BYTES = 1_000_000  # bytes of a file
AXLES = (2, 8)
MAX_TEXT = 200  # largest number of characters of a text
MAX_TILT = 1e-3  # largest q_x and q_y, which roll and pitch
DEFAULT_STEERING_RATIO = 16.0  # where the file gives no ratio

# the lower and upper limits of numbers
RANGES = {
    "sprung_mass_kg": (1.0, 1e6),
    "cg_offset_m": (-5.0, 5.0),
    "longitudinal_offset_m": (-50.0, 50.0),
    "track_width_m": (0.1, 20.0),
    "spring_constant_N_per_m": (100.0, 1e8),
    "damping_constant_Ns_per_m": (0.0, 1e7),
    "spring_length_m": (0.01, 5.0),
    "unsprung_mass_kg": (0.1, 1e5),
    "max_steer_angle_deg": (0.0, 80.0),
    "anti_roll_N_per_m": (0.0, 1e8),
    "radius_m": (0.05, 5.0),
    "width_m": (0.01, 3.0),
    "high_slip_crossover_angle_deg": (0.1, 90.0),
    "ratio": (0.1, 100.0),
}
VECTORS = {
    "dimensions_m": (3, 0.05, 50.0),
    "inertia_kgm2": (3, 1e-3, 1e8),
    "wheel_inertia_kgm2": (2, 1e-6, 1e5),
    "position_m": (3, -1e6, 1e6),
    "orientation_wxyz": (4, -1.0, 1.0),
}
BOOLEANS = ("steered", "powered")
CHASSIS = ("sprung_mass_kg", "cg_offset_m", "dimensions_m")
TIRE = ("spring_constant_N_per_m", "damping_constant_Ns_per_m", "radius_m", "width_m", "high_slip_crossover_angle_deg")
AXLE = (
    "longitudinal_offset_m",
    "track_width_m",
    "spring_constant_N_per_m",
    "damping_constant_Ns_per_m",
    "spring_length_m",
    "steered",
    "powered",
    "unsprung_mass_kg",
    "tire",
)


@dataclass(frozen=True)
class VehicleFile:
    """A complete vehicle file: entries that it leaves open have their defaults. Keys are as in the file."""

    name: str
    source: str
    chassis: Mapping[str, Any]
    axles: tuple[Mapping[str, Any], ...]
    steering: Mapping[str, Any]
    pose: Mapping[str, Any]

    @property
    def steered(self) -> list[int]:
        """Return the axles that are steered."""
        return [i for i, axle in enumerate(self.axles) if axle["steered"]]

    @property
    def wheels(self) -> tuple[str, ...]:
        """Return the names of the wheels: fl, fr, rl, rr for two axles, else 1l, 1r, 2l, ... from the front."""
        rows = ("f", "r") if len(self.axles) == 2 else tuple(str(i + 1) for i in range(len(self.axles)))
        return tuple(f"{row}{side}" for row in rows for side in "lr")

    @property
    def heading(self) -> float:
        """Return the yaw angle of the pose, in rad."""
        w, x, y, z = self.pose["orientation_wxyz"]
        return math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)


def read_vehicle(path: Path) -> VehicleFile:
    """Return the vehicle of a JSON file; messages of errors begin with the name of the file."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise DefinitionError(f"it has more than {MAX_BYTES} bytes")
        return from_dict(json.loads(text, object_pairs_hook=_unique_keys))
    except OSError as error:
        raise DefinitionError(f"{path.name}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise DefinitionError(
            f"{path.name}: it is no JSON file: {error}; a vehicle file is one, as `drawbar new vehicle` writes it"
        ) from None
    except (ValueError, RecursionError, DefinitionError) as error:
        raise DefinitionError(f"{path.name}: {error}") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise DefinitionError for a repeated name, whose last entry would win silently."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise DefinitionError(f"an object has two entries '{key[:MAX_TEXT]}'; leave one out")
        found[key] = value
    return found


def from_dict(data: Any) -> VehicleFile:
    """Return a vehicle from its JSON form."""
    if isinstance(data, dict) and data and not {"chassis", "axles"} & set(data):
        raise DefinitionError(_of_another_tool(list(data)))
    top = _object(data, "the vehicle", ("name", "source", "chassis", "axles"), ("steering", "initial_pose"))
    name, source = (_text(top[key], key) for key in ("name", "source"))
    if len(name) > MAX_TEXT or not name.isprintable():
        raise DefinitionError(f"name is {name[:40]!r}...; give one line of at most {MAX_TEXT} characters")
    chassis = _object(top["chassis"], "chassis", CHASSIS, ("inertia_kgm2",))
    if not isinstance(top["axles"], list) or not AXLES[0] <= len(top["axles"]) <= AXLES[1]:
        raise DefinitionError(f"axles must be a list of {AXLES[0]} to {AXLES[1]} axles, from front to rear")
    axles = tuple(_axle(axle, f"axles[{i}]") for i, axle in enumerate(top["axles"]))
    steering = _object(top.get("steering", {}), "steering", (), ("ratio",))
    pose = _object(top.get("initial_pose", {}), "initial_pose", (), ("position_m", "orientation_wxyz"))
    x, y, z = chassis["dimensions_m"]
    box = [chassis["sprung_mass_kg"] * (a * a + b * b) / 12.0 for a, b in ((y, z), (x, z), (x, y))]
    found = VehicleFile(
        name,
        source,
        {"inertia_kgm2": box} | chassis,
        axles,
        {"ratio": DEFAULT_STEERING_RATIO} | steering,
        {"position_m": [0.0, 0.0, 0.0], "orientation_wxyz": [1.0, 0.0, 0.0, 0.0]} | pose,
    )
    _check_vehicle(found)
    return found


def _of_another_tool(keys: list[str]) -> str:
    """Return the message for an object without any of the entries of a vehicle."""
    shown = ", ".join(f"'{key[:MAX_TEXT]}'" for key in keys[:4]) + (", ..." if len(keys) > 4 else "")
    chrono = ", which looks like a file of Project Chrono" if {"Type", "Template"} <= set(keys) else ""
    return (
        f"it has the entries {shown}, and neither 'chassis' nor 'axles'{chrono}; it is no vehicle file of Drawbar, and "
        "files of other tools are not read: write one with `drawbar new vehicle`, which makes an example, and copy the "
        "values"
    )


def _check_inertias(v: VehicleFile) -> None:
    given = [("chassis.inertia_kgm2", v.chassis["inertia_kgm2"])]
    for i, axle in enumerate(v.axles):
        across, spin = axle["wheel_inertia_kgm2"]
        given.append((f"axles[{i}].wheel_inertia_kgm2 (across, about the axle)", [across, spin, across]))
    for where, principal in given:
        if (fault := inertia_fault(np.diag(principal))) is not None:
            raise DefinitionError(f"{where}: {fault}")


def _check_vehicle(v: VehicleFile) -> None:
    _check_inertias(v)
    offsets = [axle["longitudinal_offset_m"] for axle in v.axles]
    for i, (ahead, behind) in enumerate(pairwise(offsets)):
        if not ahead > behind:
            raise DefinitionError(
                f"axles[{i + 1}].longitudinal_offset_m is {behind:g} and that of the axle before it {ahead:g}; "
                "list axles from the front to the rear"
            )
    if not offsets[0] > 0.0 > offsets[-1]:
        raise DefinitionError(
            f"the axles stand from {offsets[0]:g} m to {offsets[-1]:g} m from the center of gravity, which must lie "
            "between the first and the last; longitudinal_offset_m is positive in front of it"
        )
    for i, (axle, travel) in enumerate(zip(v.axles, static_travels(v), strict=True)):
        rate, length, tire = axle["spring_constant_N_per_m"], axle["spring_length_m"], axle["tire"]
        if travel > length:
            raise DefinitionError(
                f"axles[{i}].spring_constant_N_per_m is {rate:g}: the chassis at rest compresses these springs "
                f"by {travel:.3g} m, more than their spring_length_m of {length:g}; make them stiffer or longer"
            )
        load, tire_rate = rate * travel + axle["unsprung_mass_kg"] * STANDARD_GRAVITY, tire["spring_constant_N_per_m"]
        if load > tire_rate * tire["radius_m"]:
            raise DefinitionError(
                f"axles[{i}].tire.spring_constant_N_per_m is {tire_rate:g}: {load:.4g} N at rest compress the tire by "
                f"{load / tire_rate:.3g} m, more than its radius_m of {tire['radius_m']:g}; make it stiffer"
            )
    length = math.hypot(*v.pose["orientation_wxyz"])
    if abs(length - 1.0) > 1e-3:
        raise DefinitionError(f"initial_pose.orientation_wxyz has length {length:.6g}, not 1; it is a unit quaternion")
    if max(map(abs, v.pose["orientation_wxyz"][1:3])) > MAX_TILT:
        raise DefinitionError(
            f"initial_pose.orientation_wxyz is {v.pose['orientation_wxyz']}, which rolls or pitches; a vehicle starts "
            "at rest on its springs, so give a turn about the vertical alone: [cos(yaw/2), 0, 0, sin(yaw/2)]"
        )
    if v.steered:
        centre = turning_point(offsets, v.steered)
        for i in v.steered:
            if abs(offsets[i] - centre) < 0.05 * (offsets[0] - offsets[-1]):
                raise DefinitionError(
                    f"axles[{i}] is steered but stands at the turning point of the vehicle, {centre:g} m from the "
                    "center of gravity, where steering has no effect; set steered to false"
                )


def static_travels(v: VehicleFile) -> list[float]:
    """Return the static compression of the springs of each axle, in m, by heave and pitch on springs without stops."""
    offsets = [axle["longitudinal_offset_m"] for axle in v.axles]
    stiff = [2.0 * axle["spring_constant_N_per_m"] for axle in v.axles]
    weight = v.chassis["sprung_mass_kg"] * STANDARD_GRAVITY
    a, c = sum(stiff), sum(k * x for k, x in zip(stiff, offsets, strict=True))
    b = sum(k * x * x for k, x in zip(stiff, offsets, strict=True))
    heave, slope = weight * b / (a * b - c * c), -weight * c / (a * b - c * c)
    return [heave + slope * x for x in offsets]


def turning_point(offsets: Any, steered: list[int]) -> Any:
    """Return the position along the vehicle of the centre of a turn without slip.

    It is the mean position of the axles that do not steer, or of all axles if all steer. `offsets` may be symbols.
    """
    fixed = [i for i in range(len(offsets)) if i not in steered] or list(range(len(offsets)))
    return sum(offsets[i] for i in fixed) / len(fixed)


def _axle(data: Any, where: str) -> dict[str, Any]:
    axle = _object(data, where, AXLE, ("max_steer_angle_deg", "anti_roll_N_per_m", "wheel_inertia_kgm2"))
    tire = _object(axle["tire"], f"{where}.tire", TIRE, ())
    if axle["steered"] and not axle.get("max_steer_angle_deg"):
        raise DefinitionError(f"{where} is steered; give it a max_steer_angle_deg above 0")
    m, r, w = axle["unsprung_mass_kg"], tire["radius_m"], tire["width_m"]
    cylinder = [m * (3.0 * r * r + w * w) / 12.0, m * r * r / 2.0]
    return (
        {"max_steer_angle_deg": 0.0, "anti_roll_N_per_m": 0.0, "wheel_inertia_kgm2": cylinder} | axle | {"tire": tire}
    )


def _object(data: Any, where: str, required: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    """Return the entries of an object, each checked by its name."""
    if not isinstance(data, dict):
        raise DefinitionError(f"{where} must be an object of names and values")
    for key in data:
        if key not in required + optional:
            raise DefinitionError(
                f"{where} has the unknown entry '{key[:MAX_TEXT]}'" + did_you_mean(key, required + optional)
            )
    for key in required:
        if key not in data:
            raise DefinitionError(f"{where} has no {key}")
    return {key: _value(f"{where}.{key}", key, value) for key, value in data.items()}


def _value(where: str, key: str, value: Any) -> Any:
    if key in RANGES:
        return _number(where, value, *RANGES[key])
    if key in VECTORS:
        count, low, high = VECTORS[key]
        if not isinstance(value, list) or len(value) != count:
            raise DefinitionError(f"{where} must be a list of {count} numbers")
        return [_number(f"{where}[{i}]", number, low, high) for i, number in enumerate(value)]
    if key in BOOLEANS and not isinstance(value, bool):
        raise DefinitionError(f"{where} is {str(value)[:MAX_TEXT]!r}; write true or false")
    return value


def _number(where: str, value: Any, low: float, high: float) -> float:
    found = as_float(value)
    if found is None:
        raise DefinitionError(f"{where} is {str(value)[:MAX_TEXT]!r}, which is not a number")
    if not low <= found <= high:
        raise DefinitionError(f"{where} is {found:g}; it must lie between {low:g} and {high:g}")
    return found


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DefinitionError(f"{key} must be a text")
    return value
