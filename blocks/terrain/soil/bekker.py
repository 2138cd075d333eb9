"""A rigid wheel in soft soil by Bekker's pressure: the integrals of the stresses under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from drawbar.blocks import acos, cos, exp, fmax, fmin, log, sin, sqrt
from drawbar.blocks.terrain.soil.power_integral import power_integral
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces, SoilStress, Stretch, anisotropic, isotropic

POINTS = 8  # of Gauss and Legendre on each side of the largest pressure
DEEPEST = 0.12  # cosine of the largest angle of entry
NOTHING = 1e-14  # so that the angle has a derivative at zero
MARGIN = 0.02  # how far the largest pressure stays from both ends, in parts of the contact


@dataclass(frozen=True)
class Bekker:
    """The law of a rigid wheel in soft soil; coefficients may be symbols.

    With the angle theta from straight down, forwards positive, entry theta_f and exit theta_r, the largest pressure
    at ``theta_m = (a_0 + a_1 s) theta_f``::

        sigma = (k_c/b + k_phi) [R (cos u - cos theta_f)]^n
        u = theta                                                             in front of theta_m
          = theta_f - (theta - theta_r)(theta_f - theta_m)/(theta_m - theta_r)    behind it
        tau = (c + sigma tan phi) (share of the shear displacement)

    and forces ``F = b R int (stresses) d theta``, moments with R once more. Isotropic soil is sheared to the length of
    the displacement; anisotropic soil along and across by moduli of their own, ``K + K_alpha |alpha|``. Valid for
    wheels that sink by less than 0.88 of the radius. The integrals are taken at 8 points of Gauss and Legendre on each
    side of theta_m, over the root of theta_f - theta in front of it, where the power n leaves no corner. The error is
    3e-7 of the load driven. Under a braked wheel the stress turns about within the contact, up to a slip of about
    -(1 - cos theta_f), and the sums are up to 3e-3 off at an entry of 0.6 rad; beyond, up to 2e-5.

    Source: 2015 HMMWV paper, equations 1 to 9, with the signs of its equations 4 and 5 as they must be for friction.
    """

    b: Any  # width, m
    a_0: Any = 0.4
    a_1: Any = 0.15

    def entry(self, sinkage: Any, R: Any) -> Any:
        """Return theta_f, in rad, at a sinkage in m."""
        return acos(fmax(DEEPEST, fmin(1.0 - NOTHING, 1.0 - sinkage / R)))

    def forces(
        self,
        soil: SoilStress,
        R: Any,
        theta_f: Any,
        theta_r: Any,
        shear: Shear,
        across: tuple[Any, Any] | None = None,
        below: Any = None,
        points: int = POINTS,
    ) -> SixForces:
        """Return the forces at these entry and exit angles, about the centre of the wheel.

        `across` gives K_x and K_y of anisotropic soil. The centre of a flattened wheel is at the height `below` over
        the lowest point of its contact, which has the radius R. Its rim slips at that height, which is therefore the
        arm of the shear stress about the axle. Pressure takes no power from the spin and so has no moment about the
        axle.
        """
        below = R if below is None else below
        k, span = soil.modulus(self.b), theta_f - theta_r
        theta_m = theta_r + fmax(
            MARGIN * span, fmin((1.0 - MARGIN) * span, (self.a_0 + self.a_1 * shear.s) * theta_f - theta_r)
        )
        sums = [0.0] * 6
        for around, u, weight in _points(theta_f, theta_r, theta_m, points):
            theta = around.theta
            # cos u - cos theta_f, without cancellation
            depth = 2.0 * R * sin(0.5 * (theta_f + u)) * sin(0.5 * (theta_f - u))
            sigma = k * fmax(depth, 1e-15) ** soil.n
            j = shear.displacement(R, theta, theta_f)
            if across is None:
                share = isotropic(j, shear.direction(around, 1.0 - cos(theta_f)), soil.K)
            else:
                share = anisotropic(j, across)
            most = soil.strength(sigma)
            along, side = most * share[0], most * share[1]
            c, s = cos(theta), sin(theta)
            f_x, x, z = along * c - sigma * s, R * s, R * (1.0 - c) - below
            for i, value in enumerate((f_x, side, along * s + sigma * c, -z * side, -below * along, x * side)):
                sums[i] = sums[i] + weight * value
        return SixForces(*(R * self.b * value for value in sums))


def static_sinkage(soil: SoilStress, b: Any, R: Any, a: float, W: Any, d: Any = 0.0) -> tuple[Any, Any]:
    """Return estimates of the sinkage, in m, and of the soil stiffness, in N/m, under a load, rolling without slip.

    They hold for small angles, and for a tire that is flattened by d: ``W = b k c_n h^n (sqrt(2 R d) + sqrt(2 R (d +
    h)))`` with ``c_n = J_n(a)/(1 - a)`` (`power_integral`), with the largest pressure at the share a of the entry
    angle. They are within a few percent of the integrals.
    """
    aim = W / (b * fmax(soil.modulus(b), 1.0) * power_integral(soil.n, a) / (1.0 - a))
    h = (aim / sqrt(2.0 * R)) ** (1.0 / (soil.n + 0.5))
    power: Any = soil.n + 0.5
    for _ in range(4):  # Newton steps in the logarithm of h
        flat, whole = sqrt(2.0 * R * d), sqrt(2.0 * R * (d + h))
        power = soil.n + R * h / (whole * (flat + whole))
        h = h * exp((log(aim) - soil.n * log(h) - log(flat + whole)) / power)
    return h, W * power / h


def _points(theta_f: Any, theta_r: Any, theta_m: Any, points: int) -> list[tuple[Stretch, Any, Any]]:
    """Return the angle of each point, its stretch of the contact, the angle that gives the pressure, and its weight."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    front, behind = theta_f - theta_m, theta_m - theta_r
    ends = np.append(0.0, np.cumsum(0.5 * weights))  # between two of them lies one node, as Chebyshev knew
    ends[-1] = 1.0
    ahead, back = [theta_f - front * e**2 for e in ends], [theta_r + behind * e**2 for e in ends]
    behind_lowest = not (isinstance(theta_r, float) and theta_r == 0.0)
    found = []
    for i, (x, w) in enumerate(zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True)):
        # with theta_f - theta = x^2 of the piece the power is smooth in x
        theta, image = theta_f - front * x**2, theta_r + behind * x**2
        found.append((Stretch(theta, ahead[i + 1], ahead[i], behind_lowest), theta, 2.0 * x * w * front))
        found.append((Stretch(image, back[i], back[i + 1], behind_lowest), theta, 2.0 * x * w * behind))
    return found
