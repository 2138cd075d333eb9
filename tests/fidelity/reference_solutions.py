"""Reference solutions for the closed wheel-soil formula: its integrals by quadrature, and the older linear formula.

All take expressions or numbers, as the law does. The stresses at a point are those of the law; how they are summed is
what differs.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.terrain.soil.soil_stress import ContactSegment, ForcesAndMoments, Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF


def summed(wheel: TBF, rows: list[tuple[Any, Any, Any, Any]], sines: list[tuple[Any, Any]]) -> ForcesAndMoments:
    """Force and moment of rows of weight, sigma, tau_x, tau_y, at angles with these cosines and sines."""
    b, r, r_s = wheel.width, wheel.radius, wheel.shear_radius

    def total(term: Any) -> Any:
        return sum(row[0] * term(*row[1:], *at) for row, at in zip(rows, sines, strict=True))

    return ForcesAndMoments(
        F_x=b * total(lambda s, x, y, cos, sin: r_s * x * cos - r * s * sin),
        F_y=b * r_s * total(lambda s, x, y, cos, sin: y),
        F_z=b * total(lambda s, x, y, cos, sin: r * s * cos + r_s * x * sin),
        M_x=b * r_s**2 * total(lambda s, x, y, cos, sin: y * cos),
        M_y=-b * r_s**2 * total(lambda s, x, y, cos, sin: x),
        M_z=b * r_s**2 * total(lambda s, x, y, cos, sin: y * sin),
    )


def quadrature(wheel: TBF, soil: SoilStress, entry: Any, shear: Shear, order: int = 24) -> ForcesAndMoments:
    """The integrals by Gauss and Legendre, `order` angles on each side of the greatest stress.

    Angles are quadratic in the integration variable about exit and entry, where the stress may start with infinite
    slope: with 24 the sum is exact to 1e-7.
    """
    x, weight = np.polynomial.legendre.leggauss(order)
    x, weight = (x + 1.0) / 2.0, weight / 2.0
    exit_, peak = wheel.exit(entry), wheel.peak_share(shear) * entry
    ends = np.append(0.0, np.cumsum(weight))
    rows, sines = [], []
    for end in (exit_, entry):
        for k in range(order):
            theta = end + (peak - end) * x[k] ** 2
            u = entry + (peak - entry) * x[k] ** 2  # the image of theta ahead of the peak
            size = (2.0 * x[k] * weight[k]) * (entry - peak if end is entry else peak - exit_)
            sigma = wheel.normal_stress(soil, entry, u)
            between = [end + (peak - end) * x**2 for x in ends[k : k + 2]]
            segment = ContactSegment(theta, *(between if end is exit_ else reversed(between)))
            tau = wheel.shear_stress(soil, entry, shear, sigma, segment)
            rows.append((size, sigma, *(tau * part for part in shear.direction(segment, 1.0 - ca.cos(entry)))))
            sines.append((ca.cos(theta), ca.sin(theta)))
    return summed(wheel, rows, sines)


def linear(wheel: TBF, soil: SoilStress, entry: Any, shear: Shear) -> ForcesAndMoments:
    """Stresses that run straight from the exit to the peak and on to the entry, after Shibly, Iagnemma and Dubowsky.

    sigma is 0, sigma_m, 0; the shear stress c, tau_m, 0, along the direction of tau_m.
    """
    exit_, peak = wheel.exit(entry), wheel.peak_share(shear) * entry
    top = wheel.normal_stress(soil, entry, peak)
    segment = ContactSegment(peak, peak, peak)
    size, direction = (
        wheel.shear_stress(soil, entry, shear, top, segment),
        shear.direction(segment, 1.0 - ca.cos(entry)),
    )
    x, weight = np.polynomial.legendre.leggauss(8)  # exact to rounding for a line times a sine
    rows, sines = [], []
    for end, start in ((exit_, soil.c), (entry, 0.0)):
        for k in range(8):
            share = (x[k] + 1.0) / 2.0
            theta = end + (peak - end) * share
            stress = [(start + (size - start) * share) * part for part in direction]
            rows.append((weight[k] / 2.0 * (entry - peak if end is entry else peak - exit_), share * top, *stress))
            sines.append((ca.cos(theta), ca.sin(theta)))
    return summed(wheel, rows, sines)


def by_bisection(wheel: TBF, soil: SoilStress, shear: Shear, load: Any, halvings: int = 30) -> Any:
    """The entry angle at a load by halving an interval, on the integrals by quadrature, as an expression of MX."""
    theta, s, t = (ca.SX.sym(name) for name in ("theta", "s", "t"))
    F_z = ca.Function("F_z", [theta, s, t], [quadrature(wheel, soil, theta, Shear(s, t)).F_z], {"cse": True})
    low, high = ca.MX(1e-4), ca.MX(1.45)
    for _ in range(halvings):
        middle = (low + high) / 2.0
        heavy = F_z(middle, shear.s, shear.t) > load
        low, high = ca.if_else(heavy, low, middle), ca.if_else(heavy, middle, high)
    return (low + high) / 2.0
