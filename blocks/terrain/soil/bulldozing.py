"""The lateral resistance of soil at the side of a sunken wheel."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import cos, sin
from drawbar.blocks.terrain.soil.soil_stress import SoilStress, side_pressure


def bulldozing(soil: SoilStress, radius: Any, entry: Any, exit_: Any) -> Any:
    """Return the force on the side wall between two contact angles, in N, by Hegedus and Bekker.

    At the depth ``h = r (cos theta - cos theta_f)`` a wedge of soil gives ``D_1 (c h + D_2 gamma h^2/2)`` for each
    metre of length (`side_pressure`), which is integrated along the chord. The force opposes the motion.
    """
    D_1, D_2 = side_pressure(soil)

    def integrals(t: Any) -> tuple[Any, Any]:
        s, half = sin(t), t / 2.0 + sin(2.0 * t) / 4.0
        return half - cos(entry) * s, s - s**3 / 3.0 - 2.0 * cos(entry) * half + cos(entry) ** 2 * s

    (first_e, second_e), (first_x, second_x) = integrals(entry), integrals(exit_)
    depth, square = radius * (first_e - first_x), radius**2 * (second_e - second_x)
    return D_1 * radius * (soil.c * depth + D_2 * soil.unit_weight / 2.0 * square)
