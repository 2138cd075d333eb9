"""The stresses of soil: bulldozing against a quadrature, the pressure integral against the beta function."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta, betainc

from drawbar.blocks.terrain.soil.soil_stress import SoilStress, bulldozing, power_integral, side_pressure
from drawbar.blocks.terrain.soil.tbf import TBF

# the sand of Ishigami et al. (2007)
SAND = SoilStress(1.0, 1370.0, 814e3, 800.0, np.radians(37.2), 0.036, 1600.0 * 9.80665)
LOAM = SoilStress(0.7, 5300.0, 1515e3, 1700.0, np.radians(29.0), 0.025, unit_weight=15e3)


@pytest.mark.parametrize(("entry", "exit_"), [(0.5, 0.0), (0.5, -0.2), (1.1, -0.4)])
@pytest.mark.parametrize("change", [{}, {"c": 0.0}, {"unit_weight": 0.0}], ids=["both", "weight", "cohesion"])
def test_bulldozing_is_the_integral_along_the_chord(entry: float, exit_: float, change: dict[str, float]) -> None:
    soil, r = SoilStress(**{**vars(LOAM), **change}), 0.47
    D_1, D_2 = side_pressure(soil)

    def along(theta: float) -> float:
        h = r * (np.cos(theta) - np.cos(entry))
        return float(D_1 * (soil.c * h + D_2 * soil.unit_weight * h**2 / 2.0) * r * np.cos(theta))

    exact, _ = quad(along, exit_, entry)
    assert exact > 1.0
    assert float(bulldozing(soil, r, entry, exit_)) == pytest.approx(exact, rel=1e-12)


def test_the_side_wall_is_what_a_quadrature_gives() -> None:
    """Of the pressure along the chord, for the wheel and the sand of Ishigami: 3.31 N."""
    soil, wheel = SAND, TBF(0.11, 0.09)
    entry, exit_ = np.radians(30.0), np.radians(-20.0)
    theta = np.linspace(exit_, entry, 20001)
    h = 0.09 * (np.cos(theta) - np.cos(entry))
    X = np.pi / 4 - soil.phi / 2
    cot = 1 / np.tan(X)
    R = (cot + np.tan(X + soil.phi)) * (soil.c * h + (cot + cot**2 * np.tan(soil.phi)) * soil.unit_weight * h**2 / 2)
    found = float(bulldozing(soil, 0.09, entry, exit_))
    assert found == pytest.approx(np.trapezoid(R * 0.09 * np.cos(theta), theta), rel=1e-7)
    assert found == pytest.approx(3.31, abs=0.005)
    assert float(wheel.side_wall(soil, 1e-4)) < 1e-9, "nothing is beside a wheel on the surface"


@pytest.mark.parametrize("n", [0.11, 0.5, 0.7, 1.1, 1.6])
@pytest.mark.parametrize("a", [0.1, 0.3, 0.5, 0.8])
def test_it_is_half_an_incomplete_beta_function(n: float, a: float) -> None:
    exact = 0.5 * beta(0.5, n + 1.0) * (1.0 - betainc(0.5, n + 1.0, a**2))
    assert float(power_integral(n, ca.DM(a))) == pytest.approx(exact, rel=1e-6)
