"""A rigid wheel in soft soil: the integrals of Bekker's pressure and of the shear stress under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from drawbar.blocks import acos, cos, exp, fmax, fmin, log, sin, sqrt
from drawbar.blocks.terrain.soil.soil_stress import (
    ContactSegment,
    ForcesAndMoments,
    Shear,
    SoilStress,
    anisotropic,
    isotropic,
    power_integral,
)

POINTS = 8  # Gauss-Legendre points on each side of the largest pressure
MIN_ENTRY_COSINE = 0.12  # cosine of the largest entry angle
EPSILON = 1e-14  # keeps the derivative of the entry angle finite at zero sinkage
PEAK_MARGIN = 0.02  # smallest distance of the largest pressure from both ends, over the length of the contact


@dataclass(frozen=True)
class Bekker:
    """The law of a rigid wheel in soft soil; coefficients may be symbols.

    With the angle theta from straight down, forwards positive, entry theta_f and exit theta_r, the largest pressure
    at ``theta_m = (a_0 + a_1 s) theta_f``::

        sigma = (k_c/b + k_phi) [R (cos u - cos theta_f)]^n
        u = theta                                                             in front of theta_m
          = theta_f - (theta - theta_r)(theta_f - theta_m)/(theta_m - theta_r)    behind it
        tau = (c + sigma tan phi) (mobilized fraction at the shear displacement)

    The forces are ``F = b R int (stresses) d theta``, and the moments have one more factor R. In isotropic soil the
    shear stress follows from the length of the displacement; in anisotropic soil its components have their own moduli
    ``K + K_alpha |alpha|``. Valid for a sinkage below 0.88 of the radius. The integrals use 8 Gauss-Legendre points on
    each side of theta_m, in front of it over the root of theta_f - theta, in which the power n is smooth. The error is
    3e-7 of the load for a driven wheel. Under a braked wheel the stress reverses within the contact for slips down to
    about -(1 - cos theta_f), and the error is up to 3e-3 of the load at an entry angle of 0.6 rad; beyond that slip it
    is up to 2e-5.

    Source: 2015 HMMWV paper, equations 1 to 9, with the signs of equations 4 and 5 changed so that friction opposes
    sliding.
    """

    b: Any  # width, m
    a_0: Any = 0.4
    a_1: Any = 0.15

    def entry(self, sinkage: Any, R: Any) -> Any:
        """Return theta_f, in rad, at a sinkage in m."""
        return acos(fmax(MIN_ENTRY_COSINE, fmin(1.0 - EPSILON, 1.0 - sinkage / R)))

    def forces(
        self,
        soil: SoilStress,
        R: Any,
        theta_f: Any,
        theta_r: Any,
        shear: Shear,
        across: tuple[Any, Any] | None = None,
        centre_height: Any = None,
        points: int = POINTS,
    ) -> ForcesAndMoments:
        """Return the forces and moments at given entry and exit angles, about the wheel centre.

        `across` gives K_x and K_y of anisotropic soil. The centre of a flattened wheel is at the height `centre_height`
        over the lowest point of its contact, which has the radius R. Its rim slips at that height, which is therefore
        the arm of the shear stress about the axle. Pressure takes no power from the spin and so has no moment about the
        axle.
        """
        centre_height = R if centre_height is None else centre_height
        k, span = soil.modulus(self.b), theta_f - theta_r
        theta_m = theta_r + fmax(
            PEAK_MARGIN * span, fmin((1.0 - PEAK_MARGIN) * span, (self.a_0 + self.a_1 * shear.s) * theta_f - theta_r)
        )
        sums = [0.0] * 6
        for segment, u, weight in _points(theta_f, theta_r, theta_m, points):
            theta = segment.theta
            # cos u - cos theta_f, without cancellation
            depth = 2.0 * R * sin(0.5 * (theta_f + u)) * sin(0.5 * (theta_f - u))
            sigma = k * fmax(depth, 1e-15) ** soil.n
            j = shear.displacement(R, theta, theta_f)
            if across is None:
                share = isotropic(j, shear.direction(segment, 1.0 - cos(theta_f)), soil.K)
            else:
                share = anisotropic(j, across)
            strength = soil.strength(sigma)
            along, side = strength * share[0], strength * share[1]
            c, s = cos(theta), sin(theta)
            f_x, x, z = along * c - sigma * s, R * s, R * (1.0 - c) - centre_height
            for i, value in enumerate((f_x, side, along * s + sigma * c, -z * side, -centre_height * along, x * side)):
                sums[i] = sums[i] + weight * value
        return ForcesAndMoments(*(R * self.b * value for value in sums))


def static_sinkage(soil: SoilStress, b: Any, R: Any, a: float, W: Any, d: Any = 0.0) -> tuple[Any, Any]:
    """Return estimates of the sinkage, in m, and of the soil stiffness, in N/m, under a load, rolling without slip.

    The estimates hold for small angles and for a tire deflection d: ``W = b k c_n h^n (sqrt(2 R d) + sqrt(2 R (d +
    h)))`` with ``c_n = J_n(a)/(1 - a)`` (`power_integral`), where the largest pressure is at a times the entry
    angle. They differ from the integrals by a few percent.
    """
    target = W / (b * fmax(soil.modulus(b), 1.0) * power_integral(soil.n, a) / (1.0 - a))
    h = (target / sqrt(2.0 * R)) ** (1.0 / (soil.n + 0.5))
    power: Any = soil.n + 0.5
    for _ in range(4):  # Newton steps in the logarithm of h
        flat_length, total_length = sqrt(2.0 * R * d), sqrt(2.0 * R * (d + h))
        power = soil.n + R * h / (total_length * (flat_length + total_length))
        h = h * exp((log(target) - soil.n * log(h) - log(flat_length + total_length)) / power)
    return h, W * power / h


def _points(theta_f: Any, theta_r: Any, theta_m: Any, points: int) -> list[tuple[ContactSegment, Any, Any]]:
    """Return the segment of each quadrature point, the angle at which its pressure is evaluated, and its weight."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    front, behind = theta_f - theta_m, theta_m - theta_r
    ends = np.append(
        0.0, np.cumsum(0.5 * weights)
    )  # by the separation theorem of Chebyshev, Markov and Stieltjes one node lies between two of them
    ends[-1] = 1.0
    ahead, back = [theta_f - front * e**2 for e in ends], [theta_r + behind * e**2 for e in ends]
    behind_lowest = not (isinstance(theta_r, float) and theta_r == 0.0)
    found = []
    for i, (x, w) in enumerate(zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True)):
        # with theta_f - theta proportional to x^2 the power is smooth in x
        theta, image = theta_f - front * x**2, theta_r + behind * x**2
        found.append((ContactSegment(theta, ahead[i + 1], ahead[i], behind_lowest), theta, 2.0 * x * w * front))
        found.append((ContactSegment(image, back[i], back[i + 1], behind_lowest), theta, 2.0 * x * w * behind))
    return found
