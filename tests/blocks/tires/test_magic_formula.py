"""The curves of the Magic Formula: the bound of their slope, and slips on low friction."""

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.tires.magic_formula import Curve, Curves


@pytest.mark.parametrize("C", [0.01, 0.3, 0.8, 1.0, 1.4, 1.9])
@pytest.mark.parametrize(
    "E",
    [
        (1.0, 0.0),
        (0.0, 0.0),
        (-1.0, 0.0),
        (-3.0, 0.0),
        (-6.0, 0.0),
        (-10.0, 0.0),
        (-1e3, 0.0),
        (0.4, 20.0),
        (-4.0, 2.0),
    ],
)
def test_no_slope_is_steeper_than_the_bound(C: float, E: tuple[float, float]) -> None:
    x = ca.SX.sym("x")
    curve = Curve(C=C, D=5000.0, E=E, K=1e5, S_H=0.0, S_V=0.0)
    slope = ca.Function("slope", [x], [ca.gradient(curve.without_shift(x), x)])
    slips = np.geomspace(1e-5, 30.0, 4001) * 0.05 * C
    steepest = max(np.asarray(slope(sign * slips[None])).max() for sign in (1.0, -1.0))
    assert steepest <= float(curve.steepest)
    if E[0] >= -10.0 and E[1] == 0.0 and (C < 1.5 or E[0] > -2.0):
        assert float(curve.steepest) < 1.3 * steepest


@pytest.mark.parametrize(
    ("slip", "friction", "found"),
    [(0.3, 1.0, 0.3), (0.01, 0.2, 0.05), (-0.01, 0.2, -0.05), (0.1, 0.2, 0.15), (0.5, 0.2, 0.5), (0.3, 1.2, 0.25)],
)
def test_slips_over_the_friction_end_where_the_contact_slides_at_full_friction(
    slip: float, friction: float, found: float
) -> None:
    """There at 3 D/K = 0.15; slips beyond it stay as they are."""
    curve = Curve(C=1.5, D=5000.0 * friction, E=(0.0, 0.0), K=1e5, S_H=0.0, S_V=0.0)
    curves = Curves(6500.0, 0.0, (friction, friction), curve, curve)
    assert [float(v) for v in curves.at_full_friction(slip, slip)] == pytest.approx([found, found])
    assert curves.sliding_slips == pytest.approx((0.15 * friction, 0.15 * friction))
