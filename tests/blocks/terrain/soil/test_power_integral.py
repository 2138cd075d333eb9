"""The integral of pressure for small angles, against the incomplete beta function."""

import casadi as ca
import pytest
from scipy.special import beta, betainc

from drawbar.blocks.terrain.soil.power_integral import power_integral


@pytest.mark.parametrize("n", [0.11, 0.5, 0.7, 1.1, 1.6])
@pytest.mark.parametrize("a", [0.1, 0.3, 0.5, 0.8])
def test_it_is_half_an_incomplete_beta_function(n: float, a: float) -> None:
    exact = 0.5 * beta(0.5, n + 1.0) * (1.0 - betainc(0.5, n + 1.0, a**2))
    assert float(power_integral(n, ca.DM(a))) == pytest.approx(exact, rel=1e-6)
