"""Bounds of the slope of the longitudinal soil force over slip, for the micro-steps of explicit integration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import exp, fabs, fmax, fmin, if_else, sqrt, tan
from drawbar.blocks.terrain.soil.soil_stress import MIN_TREAD_SHARE, SoilStress
from drawbar.blocks.tires.relaxation import TRANSITION_SPEED
from drawbar.blocks.tires.rolling_wheel import RollingWheel
from drawbar.blocks.tires.soil_rolling import REVERSED_SPEED

MEAN_ANGLE_SHARE = 2.0 / 3.0  # largest mean of (theta_f - theta)/theta_f, for any position of the peak pressure
REVERSAL_SLOPE = 24.0  # slope by the reversal of the stress, over the strength and the inverse of 1 - cos theta_f


@dataclass(frozen=True)
class TractionSlope:
    """Bounds for a wheel with a contact of length l and relative depth D = 1 - cos theta_f; values may be symbols.

    The strength S of the soil under the wheel is ``c b l + W tan phi``. In the transition between forward and backward
    rolling the shear displacement is at most ``R (theta_f - sin theta_f) = l D/3``, so the fraction
    ``m = 1 - exp(-l D/(3 K))`` of S is mobilized.

    - The displacement grows with the slip by ``R (sin theta_f - sin theta)``, and the force by at most 2/3 S l/K,
      because the mean of theta is at least a third of theta_f. Under a braked wheel displacements grow as 1/(1 + s),
      and the slope decreases as the strength is used up, by ``(1 + z/3)^2`` with
      ``z = l/K (1/(1 + s) - 1/cos theta_f)``.
    - Under a braked wheel the stress reverses behind ``theta_0 = sqrt(-2 s)``, so the force grows with the root of the
      slip where braking begins. In the laws the reversal sets in within 2 % of D (`Shear.effective_braking_slip`), so
      theta_0 grows by at most ``sqrt(2/(0.02 D))``, and the force by ``2 S m/theta_f`` times that, 14 S m/D. Because
      one point of the quadrature reverses for a whole segment of the contact, the slope may be 24 S m/D. The pressure
      is small at the end of the contact, so friction contributes only 4^-n of this if the contact does not reach behind
      the lowest point. At rest a wheel counts as half driven and half braked.
    - In the transition between forward and backward rolling, 0.1 m/s to both sides, S m changes its sign; for a wheel
      with slip the difference between a driven and a braked wheel of that slip is added.
    - The force on a wheel that turns against its travel, which the soil would push on, decreases with its spin by
      S |v_x|/(1 m2/s2).
    """

    soil: SoilStress
    width: Any  # b, m
    length: Any  # l, m
    depth: Any  # D
    wheel: RollingWheel
    contacts_behind: Any = 0.0  # whether the contact reaches behind the lowest point
    reverses: Any = 1.0  # whether the stress reverses with the slip of the rim

    def by_slip(self) -> Any:
        """Return the largest slope of the force over the slip, in N."""
        soil, K = self.soil, self.soil.K
        a = fmax(MIN_TREAD_SHARE, 1.0 - fabs(self.wheel.slip))
        braked_displacement = self.length / K * fmax(0.0, 1.0 / a - 1.0 / (1.0 - fmin(self.depth, 0.9)))
        braked = fmax(1.0, 1.0 / (a * (1.0 + braked_displacement / 3.0)) ** 2)
        by_displacement = MEAN_ANGLE_SHARE * sum(self._strength) * self.length / K * braked
        cohesion, friction = self._strength
        friction = friction * if_else(self.contacts_behind > 0.0, 1.0, 0.25**soil.n)
        by_reversal = self.reverses * REVERSAL_SLOPE * (cohesion + friction) * self._mobilized / fmax(self.depth, 1e-9)
        v_x, _, tread = self.wheel.speeds
        return by_displacement + fmin(1.0, 0.5 + 0.5 * fabs(v_x + tread) / TRANSITION_SPEED) * by_reversal

    def by_speed(self) -> Any:
        """Return the slope of the force over the rim speed in the transition between forward and backward, in N s/m."""
        v_x, _, tread = self.wheel.speeds
        in_transition = fabs(v_x + tread) < 2.0 * TRANSITION_SPEED
        opposition = -v_x * tread
        reversed_motion = (opposition > 0.0) * (opposition < REVERSED_SPEED**2) * (self.wheel.F_x * v_x > 0.0)
        sign_change = (self._mobilized + 0.5 * self._asymmetry) / TRANSITION_SPEED
        return sum(self._strength) * (sign_change * in_transition + fabs(v_x) / REVERSED_SPEED**2 * reversed_motion)

    @property
    def _asymmetry(self) -> Any:
        """Return the share of the strength by which a driven and a braked wheel of equal |slip| differ."""
        s, reach = fmin(1.0, fabs(self.wheel.slip)), self.length / self.soil.K
        extra_displacement = 1.0 / fmax(MIN_TREAD_SHARE, 1.0 - s) - 1.0 - s
        return fmin(1.0 / (1.0 + 0.5 * reach * s), MEAN_ANGLE_SHARE * reach * fmax(0.0, extra_displacement))

    @property
    def _strength(self) -> tuple[Any, Any]:
        return self.soil.c * self.width * self.length, self.wheel.load * tan(self.soil.phi)

    @property
    def _mobilized(self) -> Any:
        return 1.0 - exp(-self.length * self.depth / (3.0 * self.soil.K))


def rigid_contact(radius: Any, deflection: Any, exit_ratio: Any) -> tuple[Any, Any]:
    """Return the length of the contact of a rigid wheel, in m, and its relative depth.

    Behind its lowest point the wheel leaves the soil at the height `exit_ratio` times the sinkage.
    """
    h = fmax(deflection, 0.0)
    return sqrt(2.0 * radius * h + 1e-12) * (1.0 + sqrt(exit_ratio + 1e-12)), h / radius
