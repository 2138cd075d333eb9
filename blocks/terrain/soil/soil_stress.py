"""The stresses of soft soil under a wheel: strength, shear displacement, bulldozing, and pressure for small angles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import cos, exp, fmax, fmin, log, sin, sqrt, tan

MIN_TREAD_SHARE = 0.05  # lower limit of 1 + s: a locked wheel shears the soil like one that still turns slowly
EPSILON = 1e-12  # keeps the derivatives of square roots finite at zero
REVERSAL_ONSET = 0.02  # braking slip over 1 - cos theta_f within which the reversal of the rim's slip sets in
FULLY_DRIVEN_SLIP = 0.1  # slip of a driven wheel from which the direction of sliding is taken at a point
TERMS = 10  # of `power_integral`; the truncation error is below 1e-6 of the result for a >= 0.1, 2e-8 for a >= 0.4


@dataclass(frozen=True)
class SoilStress:
    """A soil by Bekker's sinkage moduli and the strength of Mohr and Coulomb; values may be symbols.

    Pressure under a plate of width b at depth z is ``(k_c/b + k_phi) z^n``, the shear strength ``c + p tan phi``,
    reached within a few times the displacement K (Janosi and Hanamoto). Source: Wong, Theory of Ground Vehicles,
    chapter 2.
    """

    n: Any
    k_c: Any  # N/m^(n+1)
    k_phi: Any  # N/m^(n+2)
    c: Any  # Pa
    phi: Any  # rad
    K: Any  # m
    unit_weight: Any = 0.0  # gamma, N/m3

    @classmethod
    def of(cls, ground: Any) -> SoilStress:
        """Return the soil that a `Ground` bus carries."""
        return cls(
            ground.sinkage_exponent,
            ground.k_c,
            ground.k_phi,
            ground.cohesion,
            ground.friction_angle,
            ground.shear_modulus,
            ground.unit_weight,
        )

    def modulus(self, b: Any) -> Any:
        """Return ``k_c/b + k_phi``, in Pa/m^n."""
        return self.k_c / b + self.k_phi

    def strength(self, pressure: Any) -> Any:
        """Return the shear strength, in Pa; it is zero without pressure."""
        return (self.c + pressure * tan(self.phi)) * (pressure > 0.0)


@dataclass(frozen=True)
class ForcesAndMoments:
    """Forces and moments of the ground on a wheel about its centre: x along its heading, y to its left, z upward."""

    F_x: Any
    F_y: Any
    F_z: Any
    M_x: Any
    M_y: Any
    M_z: Any

    def mirrored(self) -> ForcesAndMoments:
        """Return the values for a wheel that rolls in the opposite direction, in the same axes."""
        return ForcesAndMoments(-self.F_x, self.F_y, self.F_z, self.M_x, -self.M_y, -self.M_z)

    def without_suction(self) -> ForcesAndMoments:
        """Return the values with a load of zero or more, without suction into the ground."""
        return replace(self, F_z=fmax(0.0, self.F_z))

    def scaled(self, share: Any) -> ForcesAndMoments:
        """Return all values times a factor."""
        return ForcesAndMoments(*(share * value for value in vars(self).values()))

    def blended(self, other: ForcesAndMoments, share: Any) -> ForcesAndMoments:
        """Return the weighted mean of these values, with the weight `share`, and those of `other`."""
        own, others = (vars(f).values() for f in (self, other))
        return ForcesAndMoments(*(share * a + (1.0 - share) * b for a, b in zip(own, others, strict=True)))


@dataclass(frozen=True)
class Shear:
    """The shear of the soil under a rolling wheel, by its bounded longitudinal slip s and its lateral slip t.

    With `a` the tread speed and `b` the speed over ground, both relative to the larger of them, so that
    ``b/a = v_x/(R Omega)`` and ``t/a = -v_y/(R Omega)``; no expression is singular for a locked wheel or one that spins
    in place. The displacement since the soil came under the wheel at theta_f, and the slip velocity at theta, are::

        j_x = R [(theta_f - theta) - (b/a) (sin theta_f - sin theta)]       j_y = R (t/a) (theta_f - theta)
        w_x = 1 - (b/a) cos theta                                            w_y = t/a

    which are the displacements of the 2011 paper (driven) and of Wong (braked). Positive x is the direction in which
    the tread pushes the wheel, positive y is to the left of the wheel.

    Under a braked wheel w_x is negative behind the angle of cos theta = a/b. As this angle moves with the slip it would
    pass the points of a quadrature one by one, and the force would change in steps. Each point therefore has the mean
    direction of the segment of the contact that it represents: (w' + w'')/(|w'| + |w''|) with the slip velocities w'
    and w'' at its ends, which is exact for linear w and t = 0. Under a driven wheel the segments shrink to their points
    up to a slip of 0.1; beyond it the sums are those of the 2011 paper.
    """

    s: Any
    t: Any

    @property
    def a(self) -> Any:
        """Return the relative tread speed."""
        return fmax(MIN_TREAD_SHARE, fmin(1.0, 1.0 + self.s))

    @property
    def ratio(self) -> Any:
        """Return ``b/a``."""
        return fmin(1.0, 1.0 - self.s) / self.a

    def displacement(self, R: Any, theta: Any, theta_f: Any) -> tuple[Any, Any]:
        """Return j_x and j_y, in m."""
        angle_passed = theta_f - theta
        return R * (angle_passed - self.ratio * (sin(theta_f) - sin(theta))), R * self.t / self.a * angle_passed

    def effective_braking_slip(self, depth: Any) -> Any:
        """Return the braking slip that determines the direction of sliding, at a relative depth 1 - cos theta_f.

        For a small slip it is less than 1 - a. Because the rim slides forward behind the angle of ``cos theta = a``,
        the force grows with the root of the braking slip and would have an infinite slope where braking begins.
        """
        slip = 1.0 - self.a
        return slip**2 / sqrt(slip**2 + (REVERSAL_ONSET * depth) ** 2 + EPSILON**2)

    def direction(self, segment: ContactSegment, depth: Any) -> tuple[Any, Any]:
        """Return the longitudinal and lateral component of the direction in which the rim slides.

        The vector is shorter than 1 where the slip reverses within the segment.
        """
        lateral, (at, *ends) = self.t / self.a, segment.cosines()
        ratio = fmin(1.0, 1.0 - self.s) / (1.0 - self.effective_braking_slip(depth))
        first, last = (1.0 - ratio * (at + self.segment_share * (end - at)) for end in ends)
        share = 1.0 / sum(sqrt(w**2 + lateral**2 + EPSILON) for w in (first, last))
        return share * (first + last), share * 2.0 * lateral

    @property
    def segment_share(self) -> Any:
        """Return the fraction of its segment over which the direction at a point is averaged."""
        return fmax(0.0, fmin(1.0, 1.0 - self.s / FULLY_DRIVEN_SLIP))


@dataclass(frozen=True)
class ContactSegment:
    """A segment of the contact between two angles, and the angle in it at which its stress is evaluated."""

    theta: Any
    first: Any
    last: Any
    may_include_lowest: bool = False

    def cosines(self) -> tuple[Any, Any, Any]:
        """Return the cosines of its angle and of its ends.

        The lowest point of the wheel counts as an end, because the slip velocity is extreme there.
        """
        cosine, sine = cos(self.theta), sin(self.theta)

        def at(angle: Any) -> Any:
            # a series, because trigonometric functions dominate the cost of the formula; error 4e-6 at half a radian
            offset = angle - self.theta
            square = offset**2
            even = 1.0 - square * (1.0 / 2.0 - square * (1.0 / 24.0 - square * (1.0 / 720.0)))
            return cosine * even - sine * (offset - offset * square * (1.0 / 6.0 - square * (1.0 / 120.0)))

        first, last = at(self.first), at(self.last)
        if not self.may_include_lowest:
            return cosine, first, last
        return cosine, at(fmax(0.0, self.first) + fmin(0.0, self.last)), fmin(first, last)


def mobilized(j: Any, K: Any) -> Any:
    """Return the mobilized fraction of the shear strength at a displacement, with its sign."""
    negative_part, positive_part = (exp(-fmax(0.0, sided) / K) for sided in (-j, j))
    return negative_part - positive_part


def isotropic(j: tuple[Any, Any], direction: tuple[Any, Any], K: Any) -> tuple[Any, Any]:
    """Return the longitudinal and lateral stress over the strength.

    The magnitude follows from the length of the displacement, the direction is that of sliding.
    """
    share = 1.0 - exp(-sqrt(j[0] ** 2 + j[1] ** 2 + EPSILON) / K)
    return share * direction[0], share * direction[1]


def anisotropic(j: tuple[Any, Any], K: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the longitudinal and lateral stress over the strength, each by its own displacement and modulus.

    2015 HMMWV paper, equation 5, with the sign of the displacement, which is missing in print. The resultant may
    exceed the strength by a factor of up to the root of two.
    """
    return mobilized(j[0], K[0]), mobilized(j[1], K[1])


def side_pressure(soil: SoilStress) -> tuple[Any, Any]:
    """Return D_1 and D_2 of the soil at the side of a wheel: ``R_b(h) = D_1 (c h + D_2 gamma h^2/2)``, in N/m.

    By Hegedus, with the angle of approach ``X_c = 45 deg - phi/2``.
    """
    X = 0.7853981633974483 - 0.5 * soil.phi
    cot = 1.0 / tan(X)
    return cot + tan(X + soil.phi), cot + cot**2 * tan(soil.phi)


def bulldozing(soil: SoilStress, radius: Any, entry_angle: Any, exit_angle: Any) -> Any:
    """Return the bulldozing resistance at the side wall between two contact angles, in N, by Hegedus and Bekker.

    At the depth ``h = r (cos theta - cos theta_f)`` a wedge of soil gives ``D_1 (c h + D_2 gamma h^2/2)`` for each
    metre of length (`side_pressure`), which is integrated along the chord. The force opposes the motion.
    """
    D_1, D_2 = side_pressure(soil)

    def integrals(t: Any) -> tuple[Any, Any]:
        s, half = sin(t), t / 2.0 + sin(2.0 * t) / 4.0
        return half - cos(entry_angle) * s, s - s**3 / 3.0 - 2.0 * cos(entry_angle) * half + cos(entry_angle) ** 2 * s

    (first_e, second_e), (first_x, second_x) = integrals(entry_angle), integrals(exit_angle)
    depth, square = radius * (first_e - first_x), radius**2 * (second_e - second_x)
    return D_1 * radius * (soil.c * depth + D_2 * soil.unit_weight / 2.0 * square)


def power_integral(n: Any, a: Any) -> Any:
    """Return ``J_n(a) = int_a^1 (1 - x^2)^n dx``, half an incomplete beta function.

    With ``x = 1 - (1 - a) y`` it is ``2^n (1 - a)^(n+1) int y^n (1 - y (1 - a)/2)^n``, whose binomial series is
    truncated. So n and a may vary, and the result has a derivative. Quadrature would lose digits at x = 1, where a
    power n < 1 is steep.
    """
    ratio, term, total = (a - 1.0) / 2.0, 1.0, 0.0
    for i in range(TERMS):
        total += term / (n + 1.0 + i)
        term *= (n - i) / (i + 1.0) * ratio
    return exp(n * 0.6931471805599453 + (n + 1.0) * log(1.0 - a)) * total
