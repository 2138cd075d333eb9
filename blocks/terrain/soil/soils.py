"""Records of soils and pavements with the members of the bus `Ground`."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from drawbar.blocks.core.errors import TerrainError, did_you_mean
from drawbar.blocks.core.numbers import is_finite
from drawbar.blocks.data import read
from drawbar.blocks.data.default_vehicle import TIRE


@dataclass(frozen=True)
class Soil:
    """A soil or pavement.

    Its fields are the members of `Ground`, with the same default values.
    """

    friction: float = TIRE["mu_max"]
    cohesion: float = 0.0  # c, Pa
    friction_angle: float = 0.0  # phi, rad
    shear_modulus: float = 0.025  # K, m
    sinkage_exponent: float = 1.0  # n
    k_c: float = 0.0  # N/m^(n+1)
    k_phi: float = 0.0  # N/m^(n+2)
    unit_weight: float = 0.0  # N/m3
    cone_index: float = 0.0  # Pa, 0 where it was not measured
    surface: int = 0  # place in the codes of blocks/data/surfaces.json


# the keys of a record, each with its field of `Soil` and its factor to SI units
_KEYS = {
    "friction": ("friction", 1.0),
    "cohesion_Pa": ("cohesion", 1.0),
    "friction_angle_deg": ("friction_angle", math.pi / 180.0),
    "shear_modulus_m": ("shear_modulus", 1.0),
    "sinkage_exponent": ("sinkage_exponent", 1.0),
    "k_c": ("k_c", 1.0),
    "k_phi": ("k_phi", 1.0),
    "unit_weight_N_per_m3": ("unit_weight", 1.0),
    "cone_index_Pa": ("cone_index", 1.0),
    "surface": ("surface", 1),
}
MIN_SHEAR_MODULUS = 1e-4  # m, as Ground has it
MAX_VALUE_TEXT = 80  # characters of a value in a message


@cache
def _records() -> dict[str, Any]:
    soils: dict[str, Any] = read("soils.json")["soils"]
    return soils


@cache
def _surfaces() -> list[str]:
    """Return the kinds of surface by their codes."""
    codes: list[str] = read("surfaces.json")["codes"]
    return codes


def soil_names() -> list[str]:
    """Return the names of the soils in ``blocks/data/soils.json``."""
    return list(_records())


def soil(name_or_record: str | dict[str, Any], where: str = "soil") -> Soil:
    """Return a soil by its name in ``blocks/data/soils.json``, or from a record with the keys of that file.

    A record may start from another: ``{"soil": "LETE_sand", "cone_index_Pa": 4e5}``. A soil with an angle of internal
    friction phi and no friction has the friction tan phi. Raise `TerrainError` with `where` if something is wrong.
    """
    if isinstance(name_or_record, str):
        if name_or_record not in _records():
            raise TerrainError(
                f"{where}: there is no soil '{name_or_record}'" + did_you_mean(name_or_record, _records())
            )
        return _from_record(_records()[name_or_record], where, Soil())
    if not isinstance(name_or_record, dict):
        raise TerrainError(
            f"{where}: {name_or_record!r} is not a soil; give a name of blocks/data/soils.json or a record"
        )
    own = dict(name_or_record)
    base = own.pop("soil", None)
    if base is not None and not isinstance(base, str):
        raise TerrainError(f"{where}: 'soil' is {base!r}; give the name of the soil to start from")
    return _from_record(own, where, Soil() if base is None else soil(base, where))


def _from_record(record: dict[str, Any], where: str, base: Soil) -> Soil:
    found: dict[str, Any] = {}
    for key, value in record.items():
        if key not in _KEYS:
            raise TerrainError(f"{where}: a soil has no '{key}'" + did_you_mean(key, _KEYS))
        name, factor = _KEYS[key]
        if not is_finite(value) or value < 0 or (name == "surface" and value not in range(len(_surfaces()))):
            allowed = "a number that is not negative"
            if name == "surface":
                allowed = "a whole number: " + ", ".join(f"{code} {kind}" for code, kind in enumerate(_surfaces()))
            raise TerrainError(f"{where}: {key} is {repr(value)[:MAX_VALUE_TEXT]}; give {allowed}")
        found[name] = factor * value if name != "surface" else int(value)
    result = replace(base, **found)
    if result.friction_angle >= 0.5 * math.pi or result.shear_modulus < MIN_SHEAR_MODULUS:
        raise TerrainError(
            f"{where}: the friction angle must be below 90 degrees, the shear modulus at least {MIN_SHEAR_MODULUS} m"
        )
    if "friction" not in found and "friction_angle" in found:
        result = replace(result, friction=math.tan(result.friction_angle))
    return result


def row(of: Soil) -> list[float]:
    """Return the numbers of a soil in the order of its fields."""
    return [float(getattr(of, field.name)) for field in fields(of)]


def record(of: Soil) -> dict[str, float]:
    """Return a record from which `soil` recreates it."""
    numbers = {key: getattr(of, name) / factor for key, (name, factor) in _KEYS.items()}
    return numbers | {"surface": of.surface}
