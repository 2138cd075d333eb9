"""Whether an inertia is that of a rigid body: no principal value is negative, or above the sum of the other two.

With the principal values I_1, I_2, I_3 about the centre of mass, half their sum less each of them is the integral of
the square of a coordinate over the mass, so it is not negative. Equal to the sum is a thin plate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.vehicle.multibody.spatial import constant

ROUNDING = 1e-9  # relative tolerance for rounding errors of a matrix
PLATE = 1e-3  # share of a principal value by which it may be above the sum of the others: data have three digits


def inertia_fault(inertia: np.ndarray[Any, np.dtype[np.float64]]) -> str | None:
    """Return why these numbers, in kg m2, are not the inertia of a body, or None if they are."""
    scale = float(np.abs(inertia).max())
    if np.abs(inertia - inertia.T).max() > ROUNDING * scale:
        return "its inertia is not symmetric"
    low, middle, high = (float(v) for v in np.linalg.eigvalsh(inertia))
    if low < -ROUNDING * scale:
        return "its inertia has a negative principal value"
    if high > (low + middle) + PLATE * high:
        return (
            f"its principal moments of inertia are {low:.4g}, {middle:.4g} and {high:.4g} kg m2; no body has one above "
            f"the sum of the other two, which is {low + middle:.4g}: correct the inertia"
        )
    return None


def inertia_guards(inertias: Mapping[str, Any]) -> dict[str, Any]:
    """Return a guard for each body, by name, whose inertia has symbols, such as parameters of a block.

    Its value is the smallest of the scaled leading minors of ``(trace(J)/2 + tolerance) 1 - J``.
    """
    advice = "no principal moment of inertia is above the sum of the other two: correct the inertia"
    found: dict[str, Any] = {}
    for name, inertia in inertias.items():
        if constant(inertia) is None:
            found[f"the inertia of {name} is that of a body"] = (_smallest_minor(inertia) > 0.0, advice)
    return found


def _smallest_minor(J: Any) -> Any:
    trace = ca.trace(J)
    scale = trace + 1e-9  # kg m2, for a body without inertia
    P = ((0.5 * trace + PLATE * scale) * ca.DM.eye(3) - J) / scale
    second = P[0, 0] * P[1, 1] - P[0, 1] ** 2
    third = (
        P[0, 0] * (P[1, 1] * P[2, 2] - P[1, 2] ** 2)
        - P[0, 1] * (P[0, 1] * P[2, 2] - P[0, 2] * P[1, 2])
        + P[0, 2] * (P[0, 1] * P[1, 2] - P[0, 2] * P[1, 1])
    )
    return ca.fmin(P[0, 0], ca.fmin(second, third))
