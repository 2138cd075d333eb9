"""The entry angle of a wheel from its load, without iteration."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import exp, fmax, fmin, log
from drawbar.blocks.terrain.soil.power_integral import power_integral
from drawbar.blocks.terrain.soil.soil_stress import Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF

LEAST, MOST = 1e-4, 1.45  # rad
FAINT = 1e-12  # beside the square of a step in log theta that decides nothing


def entry_angle(wheel: TBF, soil: SoilStress, shear: Shear, load: Any) -> Any:
    """Return theta_f, in rad, at which the soil carries the load in N.

    The error is below 0.05 % with two evaluations of the law. The first estimate is for small angles, where
    ``cos u - cos theta_f`` is ``(theta_f^2 - u^2)/2`` and the load is a power of theta_f::

        theta_0 = (load/(r b k (r/2)^n (1 + (a - theta_r/theta_f)/(1 - a)) J_n(a)))^(1/(2n+1))

    It is corrected twice with the load that the law gives: by the power 2n + 1, and by the power between the two
    estimates. The result stays between 1e-4 and 1.45 rad.
    """
    a, power = wheel.peak_share(shear), 2.0 * soil.n + 1.0
    log_load = log(fmax(load, 1e-9))

    def held(logarithm: Any) -> Any:
        return fmax(log(LEAST), fmin(log(MOST), logarithm))

    def carried(logarithm: Any) -> Any:
        return log(fmax(wheel.reaction(soil, exp(logarithm), shear).F_z, 1e-12))

    behind = wheel.rebound**0.5  # theta_r/theta_f for small angles
    size = wheel.radius * wheel.width * soil.modulus(wheel.width) * wheel.radii(soil.n)
    unit = size * exp(-soil.n * 0.6931471805599453) * (1.0 + (a + behind) / (1.0 - a)) * power_integral(soil.n, a)
    first = held((log_load - log(fmax(unit, 1e-9))) / power)
    found = carried(first)
    second = held(first + (log_load - found) / power)
    again = carried(second)
    step = second - first
    slope = (step * (again - found) + FAINT * power) / (step**2 + FAINT)
    return exp(held(second + (log_load - again) / fmax(slope, 0.2 * power)))
