"""Records of soils and pavements with the members of the bus `Ground`."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from drawbar.blocks.core.errors import TerrainError, did_you_mean
from drawbar.blocks.core.numbers import is_finite
from drawbar.blocks.data import read


@dataclass(frozen=True)
class Soil:
    """A soil or pavement.

    Its fields are the members of `Ground`, with the start values of `Ground` where nothing is known.
    """

    friction: float = 0.8
    cohesion: float = 0.0  # c, Pa
    friction_angle: float = 0.0  # phi, rad
    shear_modulus: float = 0.025  # K, m
    sinkage_exponent: float = 1.0  # n
    k_c: float = 0.0  # N/m^(n+1)
    k_phi: float = 0.0  # N/m^(n+2)
    unit_weight: float = 0.0  # N/m3
    cone_index: float = 0.0  # Pa, 0 where it was not measured
    surface: int = 0  # place in the codes of blocks/data/surfaces.json


# the words of a record, and what they are of a `Soil`
_WORDS = {
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
LEAST_SHEAR_MODULUS = 1e-4  # m, as Ground has it
LONGEST = 80  # characters of a value in a message


@cache
def _known() -> dict[str, Any]:
    soils: dict[str, Any] = read("soils.json")["soils"]
    return soils


@cache
def _surfaces() -> list[str]:
    """Return the kinds of surface by their codes."""
    codes: list[str] = read("surfaces.json")["codes"]
    return codes


def soil_names() -> list[str]:
    """Return the names of the soils in ``blocks/data/soils.json``."""
    return list(_known())


def soil(given: str | dict[str, Any], where: str = "soil") -> Soil:
    """Return a soil by its name in ``blocks/data/soils.json``, or from a record with the keys of that file.

    A record may start from another: ``{"soil": "LETE_sand", "cone_index_Pa": 4e5}``. A soil with an angle of internal
    friction phi and no friction has the friction tan phi. Raise `TerrainError` with `where` if something is wrong.
    """
    if isinstance(given, str):
        if given not in _known():
            raise TerrainError(f"{where}: there is no soil '{given}'" + did_you_mean(given, _known()))
        return _made(_known()[given], where, Soil())
    if not isinstance(given, dict):
        raise TerrainError(f"{where}: {given!r} is no soil; give a name of blocks/data/soils.json or a record")
    rest = dict(given)
    base = rest.pop("soil", None)
    if base is not None and not isinstance(base, str):
        raise TerrainError(f"{where}: 'soil' is {base!r}; it is the name of the soil to begin with")
    return _made(rest, where, Soil() if base is None else soil(base, where))


def _made(record: dict[str, Any], where: str, base: Soil) -> Soil:
    found: dict[str, Any] = {}
    for word, value in record.items():
        if word not in _WORDS:
            raise TerrainError(f"{where}: a soil has no '{word}'" + did_you_mean(word, _WORDS))
        name, factor = _WORDS[word]
        if not is_finite(value) or value < 0 or (name == "surface" and value not in range(len(_surfaces()))):
            wanted = "a number that is not negative"
            if name == "surface":
                wanted = "a whole number: " + ", ".join(f"{code} {kind}" for code, kind in enumerate(_surfaces()))
            raise TerrainError(f"{where}: {word} is {repr(value)[:LONGEST]}; it is {wanted}")
        found[name] = factor * value if name != "surface" else int(value)
    made = replace(base, **found)
    if made.friction_angle >= 0.5 * math.pi or made.shear_modulus < LEAST_SHEAR_MODULUS:
        raise TerrainError(
            f"{where}: friction angles are below 90 degrees, shear moduli at least {LEAST_SHEAR_MODULUS} m"
        )
    if "friction" not in found and "friction_angle" in found:
        made = replace(made, friction=math.tan(made.friction_angle))
    return made


def row(of: Soil) -> list[float]:
    """Return the numbers of a soil in the order of its fields."""
    return [float(getattr(of, field.name)) for field in fields(of)]


def record(of: Soil) -> dict[str, float]:
    """Return a record from which `soil` recreates it."""
    numbers = {word: getattr(of, name) / factor for word, (name, factor) in _WORDS.items()}
    return numbers | {"surface": of.surface}
