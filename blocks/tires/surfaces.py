"""Traction on six surfaces: paved dry and wet, snow, ice, fine-grained and coarse-grained soil."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import atan, exp, fabs, fmax, fmin, if_else, log, sign, sin, sqrt
from drawbar.blocks.data import read
from drawbar.blocks.tires.combined_slip import combined_forces, length

DATA = read("surfaces.json")
CODES: list[str] = DATA["codes"]
FINE, COARSE = CODES.index("fine"), CODES.index("coarse")
SLIDING_SLIP = 0.2  # approximate slip of the largest traction
LINEAR_SLIP = 0.02  # slip up to which the traction on soil is linear


@dataclass(frozen=True)
class Section:
    """The cross section of a tire and the soil under it, for the mobility numbers; values may be symbols."""

    width: Any  # b, m
    diameter: Any  # d, m
    height: Any  # h, of the section, m
    deflection: Any  # delta, m
    load: Any  # W, N
    cone_index: Any  # CI, Pa


def paved(code: Any, s: Any) -> tuple[Any, Any]:
    """Return traction over load at a slip and its largest value, by the Magic Formula of `code` 0 to 3.

    ``mu = D sin(C atan(B s - E (B s - atan(B s))))``
    """
    names = CODES[:FINE]

    def coefficient(letter: str) -> Any:
        value: Any = DATA["magic_formula"][names[-1]][letter]
        for i in range(len(names) - 2, -1, -1):
            value = if_else(code < i + 0.5, DATA["magic_formula"][names[i]][letter], value)
        return value

    B, C, D, E = (coefficient(letter) for letter in "BCDE")
    return D * sin(C * atan(B * s - E * (B * s - atan(B * s)))), D


def fine_soil(c: Section, s: Any) -> tuple[Any, Any, Any]:
    """Return gross traction over load at a slip, its largest value, and motion resistance over load, on clay.

    ::

        N_c = (CI b d/W) (1 - delta/h)^(-3/2) (1 + b/d)^(-3/4)      S_sp = 21/N_c^(5/2)
        T = 1/2 log10(|s|/S_sp) (1 + b/d)^(1/4) sgn s               M = 12/N_c^2 + 0.007

    T is limited to 1 and is linear through zero below a slip of 0.02.
    """
    width_factor = 1.0 + c.width / c.diameter
    deflection_factor = fmax(1.0 - c.deflection / c.height, 0.05)
    N_c = fmax(
        c.cone_index * c.width * c.diameter / fmax(c.load, 1.0) / deflection_factor**1.5 / width_factor**0.75, 0.1
    )
    S_sp = 21.0 / N_c**2.5

    def traction(size: Any) -> Any:
        return fmax(0.0, fmin(1.0, 0.5 / 2.302585092994046 * log(size / S_sp) * width_factor**0.25))

    T = _linear_near_zero(traction, s) - _linear_near_zero(traction, -s)
    return T, traction(1.0), fmin(1.0, 12.0 / N_c**2 + 0.007)


def coarse_soil(c: Section, s: Any) -> tuple[Any, Any, Any]:
    """Return the same as `fine_soil` on sand, with the contact pressure CP on a hard floor and q = CP/CI.

    ::

        CP = W/(2 b sqrt(d a - a^2) (b/h)^0.52)       a = delta + 0.026 d
        T = -0.5 + (T_max + 0.5) (1 + A exp(-7 s))^(-1/C)
        T_max = 0.42 + 0.009/q     A = 0.76 + 0.014/q     C = 1.56 - 0.022/q
        M = 0.4 q + 0.6 s - 0.03 powered,    0.21 q - 0.75 s + 0.04 unpowered

    The formula gives some traction without slip; traction against the slip is left out, because it would generate
    energy. q is limited to 0.02 and above, where C is positive, and M to zero and above. The powered and the unpowered
    form of M are blended within a slip of 0.02.
    """
    a = c.deflection + 0.026 * c.diameter
    area = 2.0 * c.width * sqrt(fmax(c.diameter * a - a**2, 1e-8)) * (c.width / c.height) ** 0.52
    q = fmin(fmax(c.load / area / c.cone_index, 0.02), 5.0)
    peak = 0.42 + 0.009 / q
    A, C = 0.76 + 0.014 / q, 1.56 - 0.022 / q

    def traction(slip: Any) -> Any:
        return -0.5 + (peak + 0.5) * (1.0 + A * exp(-7.0 * slip)) ** (-1.0 / C)

    T = _linear_near_zero(lambda slip: fmax(0.0, traction(slip)), s) - _linear_near_zero(
        lambda size: fmax(0.0, -traction(-size)), -s
    )
    powered, unpowered = 0.4 * q + 0.6 * s - 0.03, 0.21 * q - 0.75 * s + 0.04
    share = 0.5 + 0.5 * fmax(-1.0, fmin(1.0, s / LINEAR_SLIP))
    return T, peak, fmin(1.0, fmax(0.0, share * powered + (1.0 - share) * unpowered))


def _linear_near_zero(traction: Any, s: Any) -> Any:
    """Return the traction at a positive slip, linear from zero up to a small slip; it is zero at negative slip."""
    return fmax(0.0, fmin(1.0, s / LINEAR_SLIP)) * traction(fmax(s, LINEAR_SLIP))


@dataclass(frozen=True)
class Surfaces:
    """Forces of the ground on a tire by the code of its surface: 0 dry, 1 wet, 2 snow, 3 ice, 4 fine, 5 coarse soil.

    Longitudinally the traction T(s) of the surface acts, laterally the law of Crolla,
    ``mu_y = L (1 - exp(-|alpha|/g))`` with L the largest traction. Where their combination exceeds the ellipse of their
    largest values, both are scaled back onto it, and as the tire slides, the force turns against the sliding
    (`combined_forces`). With the share x of `sliding` in the motion, T is at most ``peak - x^3 (peak - |T(1)|)``: a
    locked wheel has the traction of slip 1 also at low speed, where its slips recover. At steady slips at speed this
    changes T by less than 0.3 %. With `published`, as in MAVS, the force does not turn, and T follows from the slip
    alone: a locked wheel keeps its lateral force.

    On soil a motion resistance M W acts at the axle, along the ground against the rolling direction: it slows the
    vehicle without a torque. The slip s lies between -1 and 1: ``1 - v/(R w)`` driving and ``R w/v - 1`` braking,
    driving positive. ``t = tan alpha`` is positive where the tire
    moves to its right; the lateral force then points to its left.
    """

    crolla_angle: Any  # g, rad
    published: Any = False

    @property
    def sliding_slips(self) -> tuple[Any, Any]:
        """Return approximate longitudinal and lateral slips beyond which the tire slides."""
        return SLIDING_SLIP, 3.0 * self.crolla_angle

    def forces(
        self, code: Any, c: Section, s: Any, t: Any, forward_share: Any = 1.0, sliding: Any = 0.0
    ) -> tuple[Any, Any, Any]:
        """Return the traction, the lateral force and the magnitude of the motion resistance, in N.

        `forward_share` is 1 for a wheel that rolls forward, 0 for one that rolls backward (the mirror image), and
        between them near standstill.
        """
        s = fmax(-1.0, fmin(1.0, s))
        T, peak, M = self._traction(code, c, s, forward_share)
        at_full_slip = fabs(self._traction(code, c, if_else(s < 0.0, -1.0, 1.0), forward_share)[0])
        limit = peak - if_else(self.published, 0.0, sliding**3) * fmax(0.0, peak - at_full_slip)
        T = fmax(-limit, fmin(limit, T))
        across = self._lateral(t, peak)
        share = 1.0 / fmax(1.0, length(T, across) / fmax(peak, 1e-6))
        separate = share * T, share * across
        limit_x, limit_y = self.sliding_slips
        F_x, F_y = combined_forces(
            separate,
            (s, t),
            (
                lambda size: fmin(limit, fabs(self._traction(code, c, sign(s) * fmin(1.0, size), forward_share)[0])),
                lambda size: self._lateral(size, peak),
            ),
            length(s / limit_x, t / limit_y),
        )
        F_x, F_y = if_else(self.published, separate[0], F_x), if_else(self.published, separate[1], F_y)
        return c.load * F_x, c.load * F_y, M * c.load

    def _traction(self, code: Any, c: Section, s: Any, forward_share: Any) -> tuple[Any, Any, Any]:
        """Return traction over load at a slip, its largest value, and motion resistance over load."""
        (T_p, most_p), (T_f, most_f, M_f) = paved(code, s), fine_soil(c, s)
        # only the law for sand distinguishes driving from braking
        (T_a, most_c, M_a), (T_b, _, M_b) = coarse_soil(c, s), coarse_soil(c, -s)
        T_c, M_c = forward_share * T_a - (1.0 - forward_share) * T_b, forward_share * M_a + (1.0 - forward_share) * M_b
        on_fine, on_soil = code < FINE + 0.5, code > FINE - 0.5
        T = if_else(on_soil, if_else(on_fine, T_f, T_c), T_p)
        peak = if_else(on_soil, if_else(on_fine, most_f, most_c), most_p)
        return T, peak, if_else(on_soil, if_else(on_fine, M_f, M_c), 0.0)

    def _lateral(self, t: Any, peak: Any) -> Any:
        """Return lateral force over load at a lateral slip, by the law of Crolla."""
        alpha = atan(t)
        # the law of |alpha| with its sign, in a form that has a slope at zero
        left, right = (exp(-fmax(0.0, angle) / self.crolla_angle) for angle in (-alpha, alpha))
        return peak * (left - right)
