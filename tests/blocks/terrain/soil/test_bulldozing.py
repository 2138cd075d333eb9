"""The force of soil on the side wall of a wheel, against numerical integration along the chord."""

import numpy as np
import pytest
from scipy.integrate import quad

from drawbar.blocks.terrain.soil.bulldozing import bulldozing
from drawbar.blocks.terrain.soil.soil_stress import SoilStress, side_pressure

LOAM = SoilStress(0.7, 5300.0, 1515e3, 1700.0, np.radians(29.0), 0.025, unit_weight=15e3)


@pytest.mark.parametrize(("entry", "exit_"), [(0.5, 0.0), (0.5, -0.2), (1.1, -0.4)])
@pytest.mark.parametrize("change", [{}, {"c": 0.0}, {"unit_weight": 0.0}], ids=["both", "weight", "cohesion"])
def test_the_closed_form_is_the_integral_along_the_chord(entry: float, exit_: float, change: dict[str, float]) -> None:
    soil, r = SoilStress(**{**vars(LOAM), **change}), 0.47
    D_1, D_2 = side_pressure(soil)

    def along(theta: float) -> float:
        h = r * (np.cos(theta) - np.cos(entry))
        return float(D_1 * (soil.c * h + D_2 * soil.unit_weight * h**2 / 2.0) * r * np.cos(theta))

    exact, _ = quad(along, exit_, entry)
    assert exact > 1.0
    assert float(bulldozing(soil, r, entry, exit_)) == pytest.approx(exact, rel=1e-12)
