"""The terramechanics-based formula: forces of soil on a rigid wheel in closed form, and the entry angle of a load."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from drawbar.blocks import acos, asin, cos, exp, fabs, fmax, fmin, log, sin, sqrt, tan, tanh
from drawbar.blocks.terrain.soil.soil_stress import (
    ContactSegment,
    ForcesAndMoments,
    Shear,
    SoilStress,
    bulldozing,
    power_integral,
)

MIN_EXIT_MARGIN = 1e-14  # keeps the cosine of the exit angle below 1, where its derivative is finite
SIDE_SLIP_ONSET = 0.0349  # rad, 2 degrees of slip angle, within which the side-wall resistance builds up
EPSILON = 1e-18  # prevents divisions by zero
THIRD = 1.0 / 3.0
MIN_ENTRY, MAX_ENTRY = 1e-4, 1.45  # rad, limits of the entry angle
STEP_EPSILON = 1e-12  # negligible against the square of a step in log theta, prevents a division by zero
SERIES = 7  # terms of the integrals over a piece; the truncation error is below 2e-13 for a piece of 1.4 rad


@dataclass(frozen=True)
class Piece:
    """A piece of the contact between two angles, over which functions are parabolas through both ends and the middle.

    Their integrals against 1, cos and sin are exact. About the middle m, with the half length h, these are sums of
    powers of h, which lose no digits on a short piece, as antiderivatives would.
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
        slope, curvature = (e - a) / 2.0, (a - 2.0 * m + e) / 2.0
        level, tilt = m * even + curvature * square, slope * odd
        c, s = cos(self.middle), sin(self.middle)
        return c * level - s * tilt, s * level + c * tilt, 2.0 * self.half * (m + curvature * THIRD)


@dataclass(frozen=True)
class TBF:
    """A rigid wheel on soil by the terramechanics-based formula (TBF); the values may be symbols.

    Angles theta are measured at the hub from the downward vertical, positive ahead. The contact extends from the entry
    angle theta_f to the exit angle theta_r, and the normal stress is largest at theta_m. With u(theta) = theta ahead of
    theta_m and its image behind::

        sigma = (k_c/b + k_phi) (mu r_s^n + (1 - mu) r^n) (cos u - cos theta_f)^n
        tau = (c + sigma tan phi) (1 - exp(-j/K)),  along the slip velocity of the rim
        F_x = b (r_s int tau_x cos - r int sigma sin)       M_x = r_s^2 b int tau_y cos
        F_y = r_s b int tau_y                               M_y = -r_s^2 b int tau_x
        F_z = b (r int sigma cos + r_s int tau_x sin)       M_z = r_s^2 b int tau_y sin

    The stresses are approximated by parabolas on both sides of theta_m, so the integrals have a closed form. The
    displacement j and the slip velocity are those of `Shear` at the radius r_s = r + h_b, at which lugs of height h_b
    shear the soil; their tips cover the fraction mu of the rim. The stresses under a driven wheel are evaluated at five
    angles, as published. Under a braked wheel the rim slides forward behind the angle of ``cos theta = 1 + s``, where
    the shear stress reverses, so the contact is divided there as well. With five angles alone the braked force would
    oscillate over the slip by 1 to 2 % of the load at an entry angle of 27 degrees, and with the direction at each
    angle it would change in steps.

    Source: Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011), equations 3 and 4, with
    the signs of ISO 8855 axes; there theta_m = theta_f/2 and theta_r = 0, and slips are 0.1 to 0.8. Valid for a rigid
    wheel on plane, homogeneous soil without rate effects.

    Between slips of -0.2 and -0.5 of the relative depth 1 - cos theta_f the braked force of the exact integrals is
    nearly constant, because the reversed part of the contact adds what the displacement takes. The closed form of a
    HMMWV wheel differs from them there by at most 0.4 % of the load on dry sand, 0.7 % on sandy loam and 1.3 % on
    clayey soil at an entry angle of 27 degrees, and by 1.6, 1.3 and 2.3 % at 45 degrees; the error at other slips is in
    docs/terrain.md. With a rebound the stress reverses at two angles but the contact is divided at one. The error is
    then largest between slips of 0 and -0.1 of the relative depth: on sand, with a rebound of 0.2 or 0.5, 4 % of the
    load at an entry angle of 27 degrees and 12 % at 45 degrees.
    """

    width: Any  # b, m
    radius: Any  # r, m
    lug_height: Any = 0.0  # h_b, m
    lug_ratio: Any = 0.0  # mu
    peak: Any = 0.5  # a0, theta_m/theta_f without slip
    peak_slip: Any = 0.0  # a1, its change with slip
    rebound: Any = 0.0  # lambda, height of the exit above the lowest point over the sinkage

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
    def contacts_behind(self) -> bool:
        """Return whether the contact may reach behind the lowest point."""
        return not (isinstance(self.rebound, float) and self.rebound == 0.0)

    def exit(self, entry: Any) -> Any:
        """Return theta_r, in rad."""
        if not self.contacts_behind:
            return 0.0
        return -acos(fmin(1.0 - MIN_EXIT_MARGIN, 1.0 - self.rebound * (1.0 - cos(entry))))

    def peak_share(self, shear: Shear) -> Any:
        """Return theta_m/theta_f, limited to 0.1 to 0.9."""
        return fmax(0.1, fmin(0.9, self.peak + self.peak_slip * shear.s))

    def radii(self, n: Any) -> Any:
        """Return ``mu r_s^n + (1 - mu) r^n``."""
        return self.lug_ratio * self.shear_radius**n + (1.0 - self.lug_ratio) * self.radius**n

    def normal_stress(self, soil: SoilStress, entry: Any, u: Any) -> Any:
        """Return the normal stress at the image u of an angle, in Pa."""
        above = fmax(cos(u) - cos(entry), 1e-12)
        return soil.modulus(self.width) * self.radii(soil.n) * exp(soil.n * log(above))

    def shear_stress(self, soil: SoilStress, entry: Any, shear: Shear, sigma: Any, segment: ContactSegment) -> Any:
        """Return the magnitude of the shear stress on a segment of the contact, in Pa."""
        j_x, j_y = shear.displacement(self.shear_radius, segment.theta, entry)
        # the mean of |j_x| if j_x changes its sign within the segment
        slipping = self.shear_radius * fabs(1.0 - shear.ratio * cos(segment.theta))
        reach = 0.5 * shear.segment_share * slipping * (segment.last - segment.first)
        j_x = fabs(j_x) + fmax(0.0, reach - fabs(j_x)) ** 2 / (2.0 * reach + EPSILON)
        return (soil.c + sigma * tan(soil.phi)) * (1.0 - exp(-sqrt(j_x**2 + j_y**2 + EPSILON) / soil.K))

    def reversal_angle(self, entry: Any, shear: Shear) -> Any:
        """Return the angle behind which the rim of a braked wheel slides forward, in rad, at most the entry angle."""
        depth = 1.0 - cos(entry)
        slip = shear.effective_braking_slip(depth)
        reversal_angle = 2.0 * asin(sqrt(0.5 * slip + EPSILON))
        # where the contact reaches behind the lowest point, the division starts at its rear end
        return fmin(entry, reversal_angle + self.exit(entry) * fmax(0.0, 1.0 - slip / depth))

    def stress_pieces(self, soil: SoilStress, entry: Any, shear: Shear) -> list[tuple[Piece, Any]]:
        """Return the pieces of the contact, each with sigma, tau_x and tau_y at its start, middle and end, in Pa."""
        exit_angle, peak, reversal_angle = (
            self.exit(entry),
            self.peak_share(shear) * entry,
            self.reversal_angle(entry, shear),
        )
        half, top = (self.normal_stress(soil, entry, u) for u in ((entry + peak) / 2.0, peak))
        rise, fall = 1.0 / (peak - exit_angle), 1.0 / (entry - peak)

        def pressure(theta: Any) -> Any:
            x = fmax(0.0, fmin((theta - exit_angle) * rise, (entry - theta) * fall))
            return fmax(0.0, x * (4.0 * half - top + x * (2.0 * top - 4.0 * half)))

        def size(segment: ContactSegment) -> Any:
            return self.shear_stress(soil, entry, shear, pressure(segment.theta), segment)

        ends = (exit_angle, fmin(reversal_angle, peak), fmax(reversal_angle, peak), entry)
        pieces = [Piece((a + e) / 2.0, (e - a) / 2.0) for a, e in pairwise(ends)]
        # a point represents the part of the piece that corresponds to its weight in Simpson's rule
        edges = [
            (a, a + p.half * THIRD, e - p.half * THIRD, e) for p, (a, e) in zip(pieces, pairwise(ends), strict=True)
        ]
        first = [edges[0][0], edges[0][2], edges[1][2]]
        at_ends = [size(ContactSegment(a, f, e[1])) for a, f, e in zip(ends[:-1], first, edges, strict=True)]
        at_ends.append(0.0)  # at the entry nothing is sheared yet
        found = []
        for piece, (a, b, d, e), tau in zip(pieces, edges, pairwise(at_ends), strict=True):
            segments = [
                ContactSegment(*at, self.contacts_behind) for at in ((a, a, b), (piece.middle, b, d), (e, d, e))
            ]
            sizes = tau[0], size(segments[1]), tau[1]
            directions = [shear.direction(at, 1.0 - cos(entry)) for at in segments]
            along = [(t * x, t * y) for t, (x, y) in zip(sizes, directions, strict=True)]
            found.append((piece, ([pressure(s.theta) for s in segments], *zip(*along, strict=True))))
        return found

    def contact_forces(self, soil: SoilStress, entry: Any, shear: Shear) -> ForcesAndMoments:
        """Return the forces and moments of the contact at an entry angle, without side-wall resistance."""
        sums = [[0.0, 0.0, 0.0] for _ in range(3)]
        for piece, stresses in self.stress_pieces(soil, entry, shear):
            moments = piece.moments()
            for total, values in zip(sums, stresses, strict=True):
                for k, value in enumerate(piece.integrals(moments, values)):
                    total[k] += value
        (s_cos, s_sin, _), (x_cos, x_sin, x_all), (y_cos, y_sin, y_all) = sums
        b, r, r_s = self.width, self.radius, self.shear_radius
        return ForcesAndMoments(
            F_x=b * (r_s * x_cos - r * s_sin),
            F_y=b * r_s * y_all,
            F_z=b * (r * s_cos + r_s * x_sin),
            M_x=b * r_s**2 * y_cos,
            M_y=-b * r_s**2 * x_all,
            M_z=b * r_s**2 * y_sin,
        )

    def forces(self, soil: SoilStress, entry: Any, shear: Shear) -> ForcesAndMoments:
        """Return the forces and moments with side-wall resistance, and with a load of zero or more."""
        found = self.contact_forces(soil, entry, shear)
        side = self.side_wall(soil, entry) * tanh(shear.t / SIDE_SLIP_ONSET)
        return replace(found, F_y=found.F_y + side, F_z=fmax(0.0, found.F_z))

    def side_wall(self, soil: SoilStress, entry: Any) -> Any:
        """Return the largest side-wall resistance, in N (`bulldozing`)."""
        return bulldozing(soil, self.radius, entry, self.exit(entry))


def entry_angle(wheel: TBF, soil: SoilStress, shear: Shear, load: Any) -> Any:
    """Return theta_f, in rad, at which the soil carries the load in N.

    With two evaluations of the law and entry angles from 0.1 to 0.9 rad, the error of the angle, and of its derivative
    by the load, is at most 0.02 and 0.2 % while driven, 0.1 and 1 % when braked to a slip of -0.5, and 0.7 and 5 % when
    braked beyond that, to -0.9. The first estimate holds for small angles, where
    ``cos u - cos theta_f`` is ``(theta_f^2 - u^2)/2`` and the load is a power of theta_f::

        theta_0 = (load/(r b k (r/2)^n (1 + (a - theta_r/theta_f)/(1 - a)) J_n(a)))^(1/(2n+1))

    It is corrected twice with the load of the law: by the power 2n + 1, and by the power through the two estimates. The
    result stays between 1e-4 and 1.45 rad.
    """
    a, power = wheel.peak_share(shear), 2.0 * soil.n + 1.0
    log_load = log(fmax(load, 1e-9))

    def bounded(logarithm: Any) -> Any:
        return fmax(log(MIN_ENTRY), fmin(log(MAX_ENTRY), logarithm))

    def log_force(logarithm: Any) -> Any:
        return log(fmax(wheel.contact_forces(soil, exp(logarithm), shear).F_z, 1e-12))

    behind = wheel.rebound**0.5  # theta_r/theta_f for small angles
    size = wheel.radius * wheel.width * soil.modulus(wheel.width) * wheel.radii(soil.n)
    unit = size * exp(-soil.n * 0.6931471805599453) * (1.0 + (a + behind) / (1.0 - a)) * power_integral(soil.n, a)
    first = bounded((log_load - log(fmax(unit, 1e-9))) / power)
    first_load = log_force(first)
    second = bounded(first + (log_load - first_load) / power)
    second_load = log_force(second)
    step = second - first
    slope = (step * (second_load - first_load) + STEP_EPSILON * power) / (step**2 + STEP_EPSILON)
    return exp(bounded(second + (log_load - second_load) / fmax(slope, 0.2 * power)))
