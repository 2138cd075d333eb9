"""The terramechanics-based formula: forces of soil on a rigid wheel in closed form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import acos, cos, exp, fmax, fmin, log, sin, sqrt, tan, tanh
from drawbar.blocks.terrain.bulldozing import bulldozing
from drawbar.blocks.terrain.soil_stress import Shear, SixForces, SoilStress

NOTHING = 1e-18  # under roots, so that they have a derivative at zero
FLAT = 1e-14  # below the cosine 1, so that the exit has a derivative without rebound
SIDE = 0.0349  # rad, 2 degrees of slip angle, within which the soil at the side takes hold
STILL = 1e-4  # slip of the rim, as a part of the speed, below which its direction fades: there it would jump at no slip
WIDE = 0.2  # of the depth 1 - cos theta_f: the same when braked, where the rim's slip turns about within the contact
SERIES = 9  # terms of the integrals over a piece; the rest is below 1e-16 for half a piece of 1 rad


Stress = tuple[Any, Any, Any]  # normal, along and to the left, Pa


@dataclass(frozen=True)
class Piece:
    """A stretch of the contact between two angles; what varies over it is given by its values at both ends and midway.

    Each is taken for a parabola, so its integrals against 1, cos and sin are exact. About the middle m, with the half
    length h, they are sums of powers of h, which loses no digits on a short piece as primitives would.
    """

    middle: Any
    half: Any

    def moments(self) -> tuple[Any, Any, Any]:
        """``int cos t``, ``int t sin t/h`` and ``int t^2 cos t/h^2`` from -h to h."""
        h2 = self.half**2
        term, even, odd, square = 2.0 * self.half, 0.0, 0.0, 0.0
        factorial = 1.0
        for k in range(SERIES):
            even += term * factorial / (2 * k + 1)
            square += term * factorial / (2 * k + 3)
            odd += term * self.half * factorial / ((2 * k + 1) * (2 * k + 3))
            term, factorial = term * h2, -factorial / ((2 * k + 1) * (2 * k + 2))
        return even, odd, square

    def integrals(self, moments: tuple[Any, Any, Any], values: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        """Of the values against cos, sin and 1."""
        even, odd, square = moments
        a, m, e = values
        slope, bend = (e - a) / 2.0, (a - 2.0 * m + e) / 2.0
        level, tilt = m * even + bend * square, slope * odd
        c, s = cos(self.middle), sin(self.middle)
        return c * level - s * tilt, s * level + c * tilt, 2.0 * self.half * (m + bend / 3.0)


@dataclass(frozen=True)
class TBF:
    """A rigid wheel on soil by the terramechanics-based formula (TBF); the values may be symbols.

    Angles theta are taken at the hub from straight down, positive ahead. The soil is met at theta_f and left at
    theta_r, the normal stress is greatest at theta_m. With u(theta) = theta ahead of theta_m and its image behind::

        sigma = (k_c/b + k_phi) (mu r_s^n + (1 - mu) r^n) (cos u - cos theta_f)^n
        tau = (c + sigma tan phi) (1 - exp(-j/K)),  along the slip velocity of the rim
        F_x = b (r_s int tau_x cos - r int sigma sin)       M_x = r_s^2 b int tau_y cos
        F_y = r_s b int tau_y                               M_y = -r_s^2 b int tau_x
        F_z = b (r int sigma cos + r_s int tau_x sin)       M_z = r_s^2 b int tau_y sin

    Stresses are taken for parabolas on both sides of theta_m, so the integrals are closed. Displacement j and slip
    velocity are those of `Shear` at the radius r_s = r + h_b, at which lugs of height h_b shear the soil; their tips
    are the share mu of the rim. Braked, the slip velocity turns about within the contact, from one of the five places
    where stresses are evaluated to the next; its direction is spread over as much, or the force would go in steps.

    Source: Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011), equations 3 and 4, with
    the signs of ISO 8855 axes; there theta_m = theta_f/2 and theta_r = 0. Valid for a rigid wheel on plane, homogeneous
    soil without rate effects.
    """

    width: Any  # b, m
    radius: Any  # r, m
    lug_height: Any = 0.0  # h_b, m
    lug_ratio: Any = 0.0  # mu
    peak: Any = 0.5  # a0, theta_m/theta_f without slip
    peak_slip: Any = 0.0  # a1, what slip adds to it
    rebound: Any = 0.0  # lambda, sinkage at the exit over that at the entry

    @property
    def shear_radius(self) -> Any:
        """r_s, m."""
        return self.radius + self.lug_height

    def entry(self, sinkage: Any) -> Any:
        """theta_f, rad, of a sinkage between 0 and r, m."""
        return acos(1.0 - sinkage / self.radius)

    def sinkage(self, entry: Any) -> Any:
        """The sinkage in m, of an entry angle."""
        return self.radius * (1.0 - cos(entry))

    def exit(self, entry: Any) -> Any:
        """theta_r, rad."""
        if isinstance(self.rebound, float) and self.rebound == 0.0:
            return 0.0
        return -acos(fmin(1.0 - FLAT, 1.0 - self.rebound * (1.0 - cos(entry))))

    def peak_share(self, shear: Shear) -> Any:
        """theta_m/theta_f, held off both ends."""
        return fmax(0.1, fmin(0.9, self.peak + self.peak_slip * shear.s))

    def radii(self, n: Any) -> Any:
        """``mu r_s^n + (1 - mu) r^n``."""
        return self.lug_ratio * self.shear_radius**n + (1.0 - self.lug_ratio) * self.radius**n

    def normal_stress(self, soil: SoilStress, entry: Any, u: Any) -> Any:
        """The normal stress at the image u of an angle, Pa."""
        above = fmax(cos(u) - cos(entry), 1e-12)
        return soil.modulus(self.width) * self.radii(soil.n) * exp(soil.n * log(above))

    def shear_stress(self, soil: SoilStress, entry: Any, shear: Shear, theta: Any, sigma: Any) -> tuple[Any, Any]:
        """Along and to the left at an angle, as the soil acts on the wheel, Pa."""
        j_x, j_y = shear.displacement(self.shear_radius, theta, entry)
        j = sqrt(j_x**2 + j_y**2 + NOTHING)
        w_x, w_y = 1.0 - shear.ratio * cos(theta), shear.t / shear.a
        still = STILL + fmax(0.0, fmin(WIDE * (1.0 - cos(entry)), -shear.s))
        tau = (soil.c + sigma * tan(soil.phi)) * (1.0 - exp(-j / soil.K)) / sqrt(w_x**2 + w_y**2 + still**2)
        return tau * w_x, tau * w_y

    def stresses(self, soil: SoilStress, entry: Any, shear: Shear) -> tuple[tuple[Piece, Piece], list[Stress]]:
        """The two pieces of the contact, and the stresses at their five ends and middles from the exit on."""
        exit_, peak = self.exit(entry), self.peak_share(shear) * entry
        middle = (entry + peak) / 2.0
        angles = (exit_, (exit_ + peak) / 2.0, peak, middle, entry)
        half, top = (self.normal_stress(soil, entry, u) for u in (middle, peak))
        sigmas = (0.0, half, top, half, 0.0)  # the middles of both pieces have one image
        found = [(s, *self.shear_stress(soil, entry, shear, t, s)) for t, s in zip(angles, sigmas, strict=True)]
        found[-1] = (0.0, 0.0, 0.0)  # at the entry nothing is sheared yet
        rear = Piece((exit_ + peak) / 2.0, (peak - exit_) / 2.0)
        return (rear, Piece(middle, (entry - peak) / 2.0)), found

    def reaction(self, soil: SoilStress, entry: Any, shear: Shear) -> SixForces:
        """Forces and moments at an entry angle, without the side wall."""
        pieces, found = self.stresses(soil, entry, shear)
        sums = [[0.0, 0.0, 0.0] for _ in range(3)]
        for piece, at in zip(pieces, (found[:3], found[2:]), strict=True):
            moments = piece.moments()
            for total, values in zip(sums, zip(*at, strict=True), strict=True):
                for k, value in enumerate(piece.integrals(moments, values)):
                    total[k] += value
        (s_cos, s_sin, _), (x_cos, x_sin, x_all), (y_cos, y_sin, y_all) = sums
        b, r, r_s = self.width, self.radius, self.shear_radius
        return SixForces(
            F_x=b * (r_s * x_cos - r * s_sin),
            F_y=b * r_s * y_all,
            F_z=b * (r * s_cos + r_s * x_sin),
            M_x=b * r_s**2 * y_cos,
            M_y=-b * r_s**2 * x_all,
            M_z=b * r_s**2 * y_sin,
        )

    def acting(self, soil: SoilStress, entry: Any, shear: Shear) -> SixForces:
        """Forces and moments with those of the soil at the side, and no load that would draw the wheel in."""
        found = self.reaction(soil, entry, shear)
        side = self.side_wall(soil, entry) * tanh(shear.t / SIDE)
        return replace(found, F_y=found.F_y + side, F_z=fmax(0.0, found.F_z))

    def side_wall(self, soil: SoilStress, entry: Any) -> Any:
        """The force that the soil beside the wheel can give across it, N (`bulldozing`)."""
        return bulldozing(soil, self.radius, entry, self.exit(entry))
