"""The strength of the soil under a wheel, and its shear displacement as the wheel turns over it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from drawbar.blocks import cos, exp, fmax, fmin, sin, sqrt, tan

HELD = 0.05  # the least 1 + s of a braked wheel: a locked one shears the soil as one that still turns a little
NOTHING = 1e-12  # under roots, so that they have a derivative at zero
BLUNT = 0.02  # of the depth 1 - cos theta_f, a braking slip in which the turn of the rim's slip sets in
ALL_FORWARDS = 0.1  # a slip from which on a driven rim slides forwards everywhere by enough to have a direction


@dataclass(frozen=True)
class SoilStress:
    """Bekker's moduli of sinkage and Mohr and Coulomb's strength; values may be symbols.

    Pressure under a plate of width b at depth z is ``(k_c/b + k_phi) z^n``, the largest shear stress ``c + p tan phi``,
    reached within a few times the displacement K (Janosi and Hanamoto). Wong, Theory of Ground Vehicles, chapter 2.
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
        """Return the largest shear stress, in Pa; it is zero where there is no pressure."""
        return (self.c + pressure * tan(self.phi)) * (pressure > 0.0)


@dataclass(frozen=True)
class SixForces:
    """Forces and moments of the ground on a wheel about its centre: x along its heading, y to its left, z upward."""

    F_x: Any
    F_y: Any
    F_z: Any
    M_x: Any
    M_y: Any
    M_z: Any

    def mirrored(self) -> SixForces:
        """Return those of a wheel that rolls the other way, in the same axes."""
        return SixForces(-self.F_x, self.F_y, self.F_z, self.M_x, -self.M_y, -self.M_z)

    def pressing(self) -> SixForces:
        """Return them without a load that would draw the wheel into the ground."""
        return replace(self, F_z=fmax(0.0, self.F_z))

    def faded(self, share: Any) -> SixForces:
        """Return a share of each."""
        return SixForces(*(share * value for value in vars(self).values()))

    def mixed(self, other: SixForces, share: Any) -> SixForces:
        """Return a share of these plus the remaining share of the others."""
        mine, theirs = (vars(f).values() for f in (self, other))
        return SixForces(*(share * a + (1.0 - share) * b for a, b in zip(mine, theirs, strict=True)))


@dataclass(frozen=True)
class Shear:
    """How the soil under a rolling wheel is sheared, by its bounded slip s and its side slip t.

    With `a` the share of the tread's speed and `b` that of the wheel over ground, both of the larger of the two, so
    that ``b/a = v_x/(R Omega)`` and ``t/a = -v_y/(R Omega)``: nothing is singular for a wheel that is locked or spins
    in place. Displacement since the soil came under the wheel at theta_f, and its direction at theta::

        j_x = R [(theta_f - theta) - (b/a) (sin theta_f - sin theta)]       j_y = R (t/a) (theta_f - theta)
        w_x = 1 - (b/a) cos theta                                            w_y = t/a

    which are the displacements of the 2011 paper (driven) and of Wong (braked). Positive x is where the tread pushes
    the wheel to, positive y to the wheel's left.

    Braked, w_x is negative behind the angle of cos theta = a/b. As that angle moves with the slip it would pass the
    places of a quadrature one by one, and the force would go in steps. So a place has the direction of the stretch that
    it stands for, from w' to w'': of w' + w'' over |w'| + |w''|, which is the mean where w runs straight and t is none.
    Driven, stretches shrink to their places until the slip is 0.1, from where on sums are those of the 2011 paper.
    """

    s: Any
    t: Any

    @property
    def a(self) -> Any:
        """Return the share of the tread's speed."""
        return fmax(HELD, fmin(1.0, 1.0 + self.s))

    @property
    def ratio(self) -> Any:
        """Return ``b/a``."""
        return fmin(1.0, 1.0 - self.s) / self.a

    def displacement(self, R: Any, theta: Any, theta_f: Any) -> tuple[Any, Any]:
        """Return j_x and j_y, in m."""
        swept = theta_f - theta
        return R * (swept - self.ratio * (sin(theta_f) - sin(theta))), R * self.t / self.a * swept

    def braking(self, depth: Any) -> Any:
        """Return the braking slip of which the direction is taken, at a depth 1 - cos theta_f.

        It is less than 1 - a for a small slip. Since the slip is forward behind the angle of ``cos theta = a``, the
        force grows with the root of a braking slip, and would have an infinite slope where braking begins.
        """
        slip = 1.0 - self.a
        return slip**2 / sqrt(slip**2 + (BLUNT * depth) ** 2 + NOTHING**2)

    def direction(self, around: Stretch, depth: Any) -> tuple[Any, Any]:
        """Return the longitudinal and lateral direction of the slip of the rim.

        It is shorter than 1 where the slip reverses.
        """
        aside, (at, *ends) = self.t / self.a, around.cosines()
        ratio = fmin(1.0, 1.0 - self.s) / (1.0 - self.braking(depth))
        first, last = (1.0 - ratio * (at + self.spread * (end - at)) for end in ends)
        share = 1.0 / sum(sqrt(w**2 + aside**2 + NOTHING) for w in (first, last))
        return share * (first + last), share * 2.0 * aside

    @property
    def spread(self) -> Any:
        """Return the share of a stretch for which a place stands."""
        return fmax(0.0, fmin(1.0, 1.0 - self.s / ALL_FORWARDS))


@dataclass(frozen=True)
class Stretch:
    """A stretch of the contact, between two angles, and the angle in it at which its stress is taken."""

    theta: Any
    first: Any
    last: Any
    may_hold_lowest: bool = False

    def cosines(self) -> tuple[Any, Any, Any]:
        """Return the cosines of its place and of its ends.

        The lowest point of the wheel counts as an end, as the slip reverses there.
        """
        cosine, sine = cos(self.theta), sin(self.theta)

        def at(angle: Any) -> Any:
            # series, as functions of angles are most of what the closed formula costs; 4e-6 off at half a radian
            off = angle - self.theta
            square = off**2
            even = 1.0 - square * (1.0 / 2.0 - square * (1.0 / 24.0 - square * (1.0 / 720.0)))
            return cosine * even - sine * (off - off * square * (1.0 / 6.0 - square * (1.0 / 120.0)))

        first, last = at(self.first), at(self.last)
        if not self.may_hold_lowest:
            return cosine, first, last
        return cosine, at(fmax(0.0, self.first) + fmin(0.0, self.last)), fmin(first, last)


def mobilized(j: Any, K: Any) -> Any:
    """Return the share of the shear strength at a displacement, with its sign."""
    rises, falls = (exp(-fmax(0.0, sided) / K) for sided in (-j, j))
    return rises - falls


def isotropic(j: tuple[Any, Any], direction: tuple[Any, Any], K: Any) -> tuple[Any, Any]:
    """Return the longitudinal and lateral shares of the strength.

    Their size follows the length of the displacement, their direction that of sliding.
    """
    share = 1.0 - exp(-sqrt(j[0] ** 2 + j[1] ** 2 + NOTHING) / K)
    return share * direction[0], share * direction[1]


def anisotropic(j: tuple[Any, Any], K: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the longitudinal and lateral shares of the strength, each by its own displacement and its own K.

    2015 HMMWV paper, equation 5, with the sign of the displacement that the print has lost. Together they may exceed
    the strength, by a factor of up to the root of two.
    """
    return mobilized(j[0], K[0]), mobilized(j[1], K[1])


def side_pressure(soil: SoilStress) -> tuple[Any, Any]:
    """Return D_1 and D_2 of the soil at the side of a wheel: ``R_b(h) = D_1 (c h + D_2 gamma h^2/2)``, in N/m.

    By Hegedus, with the angle of approach ``X_c = 45 deg - phi/2``.
    """
    X = 0.7853981633974483 - 0.5 * soil.phi
    cot = 1.0 / tan(X)
    return cot + tan(X + soil.phi), cot + cot**2 * tan(soil.phi)
