"""The terramechanics-based formula: forces of soil on a rigid wheel in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from drawbar.blocks import acos, asin, cos, exp, fabs, fmax, fmin, log, sin, sqrt, tan, tanh
from drawbar.blocks.terrain.soil.bulldozing import bulldozing
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces, SoilStress, Stretch

FLAT = 1e-14  # below the cosine 1, so that the exit has a derivative without rebound
SIDE = 0.0349  # rad, 2 degrees of slip angle, within which the soil at the side takes hold
NOTHING = 1e-18  # so that nothing is divided by zero
THIRD = 1.0 / 3.0
SERIES = 7  # terms of the integrals over a piece; the rest is below 2e-13 of a piece of 1.4 rad


@dataclass(frozen=True)
class Piece:
    """A stretch of the contact between two angles; what varies over it is given by its values at both ends and midway.

    Each is taken for a parabola, so its integrals against 1, cos and sin are exact. About the middle m, with the half
    length h, they are sums of powers of h, which loses no digits on a short piece as primitives would.
    """

    middle: Any
    half: Any

    def moments(self) -> tuple[Any, Any, Any]:
        """Return ``int cos t``, ``int t sin t/h`` and ``int t^2 cos t/h^2`` from -h to h."""
        h2, series = self.half**2, [0.0, 0.0, 0.0]
        for k in reversed(range(SERIES)):
            term = (-1.0) ** k / math.factorial(2 * k)
            terms = term / (2 * k + 1), term / ((2 * k + 1) * (2 * k + 3)), term / (2 * k + 3)
            series = [h2 * s + t for s, t in zip(series, terms, strict=True)]
        even, odd, square = series
        return 2.0 * self.half * even, 2.0 * h2 * odd, 2.0 * self.half * square

    def integrals(self, moments: tuple[Any, Any, Any], values: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        """Return the integrals of the values times cos, sin and 1."""
        even, odd, square = moments
        a, m, e = values
        slope, bend = (e - a) / 2.0, (a - 2.0 * m + e) / 2.0
        level, tilt = m * even + bend * square, slope * odd
        c, s = cos(self.middle), sin(self.middle)
        return c * level - s * tilt, s * level + c * tilt, 2.0 * self.half * (m + bend * THIRD)


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
    are the share mu of the rim. The stresses of a driven wheel are taken at five places, as published. Under a braked
    one the rim slips forwards behind the angle of ``cos theta = 1 + s``, where the shear stress turns about, so the
    contact is divided there as well: with five places alone the braked force is wavy, by 1 to 2 % of the load at an
    entry of 27 degrees, and with the direction of each place it goes in steps.

    Source: Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011), equations 3 and 4, with
    the signs of ISO 8855 axes; there theta_m = theta_f/2 and theta_r = 0, and slips are 0.1 to 0.8. Valid for a rigid
    wheel on plane, homogeneous soil without rate effects.

    Between slips of -0.2 and -0.5 of the depth 1 - cos theta_f the braked force of the integrals themselves stands
    still: what has turned about adds as much as the displacement takes. The closed form of the wheel of a HMMWV follows
    it there within 0.4 % of the load on dry sand, 0.7 % on sandy loam and 1.3 % on clayey soil at an entry of 27
    degrees, and 1.6, 1.3 and 2.3 % at 45; what it is off at other slips is in docs/terrain.md. With a
    rebound, where the stress turns about at two angles and the contact is divided at one, it is off most between slips
    of 0 and -0.1 of the depth: on sand, with a rebound of 0.2 or 0.5, by 4 % of the load at an entry of 27 degrees and
    by 12 % at 45.
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
        """Return r_s, in m."""
        return self.radius + self.lug_height

    def entry(self, sinkage: Any) -> Any:
        """Return theta_f, in rad, at a sinkage in m between 0 and r."""
        return acos(1.0 - sinkage / self.radius)

    def sinkage(self, entry: Any) -> Any:
        """Return the sinkage, in m, at an entry angle."""
        return self.radius * (1.0 - cos(entry))

    @property
    def leaves_behind(self) -> bool:
        """Return whether the contact may reach behind the lowest point."""
        return not (isinstance(self.rebound, float) and self.rebound == 0.0)

    def exit(self, entry: Any) -> Any:
        """Return theta_r, in rad."""
        if not self.leaves_behind:
            return 0.0
        return -acos(fmin(1.0 - FLAT, 1.0 - self.rebound * (1.0 - cos(entry))))

    def peak_share(self, shear: Shear) -> Any:
        """Return theta_m/theta_f, bounded away from both ends."""
        return fmax(0.1, fmin(0.9, self.peak + self.peak_slip * shear.s))

    def radii(self, n: Any) -> Any:
        """Return ``mu r_s^n + (1 - mu) r^n``."""
        return self.lug_ratio * self.shear_radius**n + (1.0 - self.lug_ratio) * self.radius**n

    def normal_stress(self, soil: SoilStress, entry: Any, u: Any) -> Any:
        """Return the normal stress at the image u of an angle, in Pa."""
        above = fmax(cos(u) - cos(entry), 1e-12)
        return soil.modulus(self.width) * self.radii(soil.n) * exp(soil.n * log(above))

    def shear_stress(self, soil: SoilStress, entry: Any, shear: Shear, sigma: Any, around: Stretch) -> Any:
        """Return the size of the stress along the rim over a stretch of the contact, in Pa."""
        j_x, j_y = shear.displacement(self.shear_radius, around.theta, entry)
        # the mean of |j_x| where that passes through none in the stretch
        slipping = self.shear_radius * fabs(1.0 - shear.ratio * cos(around.theta))
        reach = 0.5 * shear.spread * slipping * (around.last - around.first)
        j_x = fabs(j_x) + fmax(0.0, reach - fabs(j_x)) ** 2 / (2.0 * reach + NOTHING)
        return (soil.c + sigma * tan(soil.phi)) * (1.0 - exp(-sqrt(j_x**2 + j_y**2 + NOTHING) / soil.K))

    def turn(self, entry: Any, shear: Shear) -> Any:
        """Return the angle behind which the rim of a braked wheel slips forward, in rad, at most the entry angle."""
        depth = 1.0 - cos(entry)
        slip = shear.braking(depth)
        turn = 2.0 * asin(sqrt(0.5 * slip + NOTHING))
        # where the contact reaches behind the lowest point, the division comes in from its end
        return fmin(entry, turn + self.exit(entry) * fmax(0.0, 1.0 - slip / depth))

    def parts(self, soil: SoilStress, entry: Any, shear: Shear) -> list[tuple[Piece, Any]]:
        """Return the pieces of the contact, each with sigma, tau_x and tau_y at its start, middle and end, in Pa."""
        exit_, peak, turn = self.exit(entry), self.peak_share(shear) * entry, self.turn(entry, shear)
        half, top = (self.normal_stress(soil, entry, u) for u in ((entry + peak) / 2.0, peak))
        rise, fall = 1.0 / (peak - exit_), 1.0 / (entry - peak)

        def pressure(theta: Any) -> Any:
            x = fmax(0.0, fmin((theta - exit_) * rise, (entry - theta) * fall))
            return fmax(0.0, x * (4.0 * half - top + x * (2.0 * top - 4.0 * half)))

        def size(around: Stretch) -> Any:
            return self.shear_stress(soil, entry, shear, pressure(around.theta), around)

        ends = (exit_, fmin(turn, peak), fmax(turn, peak), entry)
        pieces = [Piece((a + e) / 2.0, (e - a) / 2.0) for a, e in pairwise(ends)]
        # a place stands for as much of a piece as it weighs in a parabola
        edges = [
            (a, a + p.half * THIRD, e - p.half * THIRD, e) for p, (a, e) in zip(pieces, pairwise(ends), strict=True)
        ]
        first = [edges[0][0], edges[0][2], edges[1][2]]
        at_ends = [size(Stretch(a, f, e[1])) for a, f, e in zip(ends[:-1], first, edges, strict=True)]
        at_ends.append(0.0)  # at the entry nothing is sheared yet
        found = []
        for piece, (a, b, d, e), tau in zip(pieces, edges, pairwise(at_ends), strict=True):
            stretches = [Stretch(*at, self.leaves_behind) for at in ((a, a, b), (piece.middle, b, d), (e, d, e))]
            sizes = tau[0], size(stretches[1]), tau[1]
            directions = [shear.direction(at, 1.0 - cos(entry)) for at in stretches]
            along = [(t * x, t * y) for t, (x, y) in zip(sizes, directions, strict=True)]
            found.append((piece, ([pressure(s.theta) for s in stretches], *zip(*along, strict=True))))
        return found

    def reaction(self, soil: SoilStress, entry: Any, shear: Shear) -> SixForces:
        """Return the forces and moments at an entry angle, without side-wall resistance."""
        sums = [[0.0, 0.0, 0.0] for _ in range(3)]
        for piece, stresses in self.parts(soil, entry, shear):
            moments = piece.moments()
            for total, values in zip(sums, stresses, strict=True):
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
        """Return the forces and moments with side-wall resistance, without a load that would draw the wheel in."""
        found = self.reaction(soil, entry, shear)
        side = self.side_wall(soil, entry) * tanh(shear.t / SIDE)
        return replace(found, F_y=found.F_y + side, F_z=fmax(0.0, found.F_z))

    def side_wall(self, soil: SoilStress, entry: Any) -> Any:
        """Return the lateral force that the soil at the side of the wheel can give, in N (`bulldozing`)."""
        return bulldozing(soil, self.radius, entry, self.exit(entry))
