"""How steeply the force of soil along a wheel follows its slip: bounds for the steps of explicit integration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import exp, fabs, fmax, fmin, if_else, sqrt, tan
from drawbar.blocks.terrain.soil.soil_stress import HELD, SoilStress
from drawbar.blocks.tires.relaxation import SLOW
from drawbar.blocks.tires.rolling_wheel import Rolling
from drawbar.blocks.tires.soil_rolling import AGAINST

PEAKED = 2.0 / 3.0  # mean of (theta_f - theta)/theta_f under a pressure that peaks anywhere, at most
TURNING = 24.0  # of the strength, over the depth 1 - cos theta_f


@dataclass(frozen=True)
class SoilGrip:
    """Bounds for a wheel in its contact, of length l with the depth share D = 1 - cos theta_f; symbols.

    The strength S of the soil under it is ``c b l + W tan phi``. Where forwards passes into backwards the soil has
    sheared the rim by up to ``R (theta_f - sin theta_f) = l D/3``, so ``m = 1 - exp(-l D/(3 K))`` of it acts.

    - With the slip grows the displacement, by ``R (sin theta_f - sin theta)``: the force by 2/3 S l/K at most, as the
      mean of theta is a third of theta_f or more. Of a braked wheel displacements grow as 1/(1 + s), and with them
      fades what is left to grow: over ``(1 + z/3)^2`` with ``z = l/K (1/(1 + s) - 1/cos theta_f)``.
    - Of a braked wheel the stress turns about behind ``theta_0 = sqrt(-2 s)``, so force goes with the root of the slip
      where braking begins. The laws let that set in within 2 % of D (`Shear.braking`), so theta_0 grows by
      ``sqrt(2/(0.02 D))`` at most, and the force by ``2 S m/theta_f`` times that, 14 S m/D. As a place turns about for
      a stretch of the contact, it may be 24 S m/D. Pressure is small where the contact ends, so of friction it is
      4^-n, if the contact does not reach behind the lowest point. At rest a wheel is half driven and half braked.
    - Where forwards passes into backwards, within 0.1 m/s to both sides, S m changes its sign; of a wheel with slip
      what a driven and a braked one of that slip differ by comes to it.
    - A wheel that turns against its travel and would be pushed on loses its force with its spin, by S |v_x|/(1 m2/s2).
    """

    soil: SoilStress
    width: Any  # b, m
    length: Any  # l, m
    depth: Any  # D
    wheel: Rolling
    reaches_behind: Any = 0.0  # whether the contact does
    turns: Any = 1.0  # whether the stress turns about with the slip of the rim

    def by_slip(self) -> Any:
        """Return the force, in N, that a slip of 1 would give at the largest slope."""
        soil, K = self.soil, self.soil.K
        a = fmax(HELD, 1.0 - fabs(self.wheel.slip))
        dragged = self.length / K * fmax(0.0, 1.0 / a - 1.0 / (1.0 - fmin(self.depth, 0.9)))
        braked = fmax(1.0, 1.0 / (a * (1.0 + dragged / 3.0)) ** 2)
        displaced = PEAKED * sum(self._strength) * self.length / K * braked
        cohesion, friction = self._strength
        friction = friction * if_else(self.reaches_behind > 0.0, 1.0, 0.25**soil.n)
        turned = self.turns * TURNING * (cohesion + friction) * self._acting / fmax(self.depth, 1e-9)
        v_x, _, tread = self.wheel.speeds
        return displaced + fmin(1.0, 0.5 + 0.5 * fabs(v_x + tread) / SLOW) * turned

    def by_speed(self) -> Any:
        """Return the slope at which the force of a wheel without slip changes its sign with the rim speed, in N s/m."""
        v_x, _, tread = self.wheel.speeds
        passes = fabs(v_x + tread) < 2.0 * SLOW
        faced = -v_x * tread
        against = (faced > 0.0) * (faced < AGAINST**2) * (self.wheel.F_x * v_x > 0.0)
        changed = (self._acting + 0.5 * self._apart) / SLOW
        return sum(self._strength) * (changed * passes + fabs(v_x) / AGAINST**2 * against)

    @property
    def _apart(self) -> Any:
        """Return the share of the strength by which a driven and a braked wheel of equal |slip| differ."""
        s, reach = fmin(1.0, fabs(self.wheel.slip)), self.length / self.soil.K
        further = 1.0 / fmax(HELD, 1.0 - s) - 1.0 - s
        return fmin(1.0 / (1.0 + 0.5 * reach * s), PEAKED * reach * fmax(0.0, further))

    @property
    def _strength(self) -> tuple[Any, Any]:
        return self.soil.c * self.width * self.length, self.wheel.load * tan(self.soil.phi)

    @property
    def _acting(self) -> Any:
        return 1.0 - exp(-self.length * self.depth / (3.0 * self.soil.K))


def rigid_contact(radius: Any, deflection: Any, exit_ratio: Any) -> tuple[Any, Any]:
    """Return the length of the contact of a rigid wheel, in m, and its depth share.

    Behind its lowest point the wheel leaves the soil at a share of its sinkage.
    """
    h = fmax(deflection, 0.0)
    return sqrt(2.0 * radius * h + 1e-12) * (1.0 + sqrt(exit_ratio + 1e-12)), h / radius
