"""The laws of `Pac2002` that several test files evaluate: the published tire of the HMMWV.

Angles are those of the Magic Formula: alpha positive where the tire moves to its left, gamma where its top leans right.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.tires.pac2002 import Pac2002
from drawbar.blocks.tires.pac2002_tire import published
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.tires.tir_file import TireProperties

RELAXATION = Relaxation(0.4, 0.2, 0.1, 2.5)
HMMWV = published("hmmwv_pac2002")
Evaluate = Callable[..., list[float]]


def law(tire: TireProperties, factors: dict[str, Any] | None = None, **values: Any) -> Pac2002:
    return Pac2002(RELAXATION, tire, tire.scaling | (factors or {}), **values)


def evaluated(pacejka: Pac2002) -> Evaluate:
    """Return F_x, F_y and M_z as a function of load, kappa, alpha, gamma, friction and sliding."""
    F_z, kappa, t, gamma, mu, sliding = symbols = [ca.SX.sym(n) for n in ("F_z", "kappa", "t", "gamma", "mu", "s")]
    forces = replace(pacejka, camber=gamma).forces(F_z, kappa, t, mu, sliding)
    f = ca.Function("f", symbols, list(forces))

    def at(F_z: float, kappa: float, alpha: float, gamma: float = 0.0, mu: float = 1.0, s: float = 0.0) -> list[float]:
        driving = 1.0 + max(0.0, kappa)
        return [float(v) for v in f(F_z, kappa / driving, -np.tan(alpha) / driving, gamma, mu, s)]

    return at


def without_combined_slip(tire: TireProperties) -> TireProperties:
    return replace(tire, values={**tire.values, "RBX1": 0.0, "RBY1": 0.0})


SYMMETRIC = evaluated(law(HMMWV, {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0))
HMMWV_AT = evaluated(law(HMMWV))
ALONE = evaluated(law(without_combined_slip(HMMWV), {"LHX": 0.0, "LVX": 0.0}, asymmetry=0.0))
