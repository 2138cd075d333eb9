"""A payload fixed to a body, as a point mass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca


def with_payload(body: Mapping[str, Any], mass: Any, at: Any) -> dict[str, Any]:
    """Return a body with a point mass fixed to it."""
    total = body["mass_kg"] + mass
    arm = at - body["com_m"]
    share = mass / total
    spread = body["mass_kg"] * share * (ca.dot(arm, arm) * ca.DM.eye(3) - arm @ arm.T)
    return {
        "mass_kg": total,
        "com_m": body["com_m"] + share * arm,
        "inertia_com_kgm2": body["inertia_com_kgm2"] + spread,
    }
