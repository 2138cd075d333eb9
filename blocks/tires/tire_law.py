"""What the laws of tires on hard roads share: the relaxation of the slips, and the slips that give a force."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import casadi as ca

from drawbar.blocks import floor, fmax, fmin
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.combined_slip import length
from drawbar.blocks.tires.relaxation import Relaxation

# of `slips_at_forces`
NEWTON_STEPS = 8
STEP, MIN_STEP = 0.7, 0.3  # largest step over the utilization, and its lower limit
ROUNDING = 2.0**40  # of the slips before the last step
MAX_GRIP_SHARE = 0.95  # largest share of the friction limit that an initial force may use


@dataclass(frozen=True)
class TireLaw(ABC):
    """The forces of the ground on a tire in the contact frame (ISO 8855), at a load and at slips that relax.

    The slips are kappa (driving positive) and t = -v_y/V, positive where the tire moves to its right (`Relaxation`).
    """

    relaxation: Relaxation

    @abstractmethod
    def forces(self, load: Any, kappa: Any, t: Any, mu_road: Any, sliding: Any = 0.0) -> tuple[Any, Any, Any]:
        """Return F_x and F_y, in N, and M_z, in N m; `sliding` is the share of sliding in the present motion."""

    @abstractmethod
    def sliding_slips(self, kappa: Any, t: Any, load: Any, mu_road: Any, sliding: Any = 0.0) -> tuple[Any, Any]:
        """Return the longitudinal and the lateral slip beyond which the tire slides."""

    @abstractmethod
    def grip(self, kappa: Any, t: Any, load: Any, mu_road: Any, sliding: Any = 0.0) -> Any:
        """Return the largest force along the ground, in N."""

    @abstractmethod
    def resistance(self, load: Any, radius: Any, F_x: Any = 0.0) -> Any:
        """Return the rolling resistance moment of a wheel that rolls, in N m; zero where its centre is underground."""

    @abstractmethod
    def approximate_slips(self, load: Any, F_x: Any, F_y: Any, mu_road: Any, sliding: Any) -> tuple[Any, Any]:
        """Return slips near those at which `forces` gives these forces."""

    @abstractmethod
    def coefficients(self) -> list[Any]:
        """Return the coefficients on which F_x and F_y depend."""

    @abstractmethod
    def with_coefficients(self, values: Sequence[Any]) -> Self:
        """Return the law with other coefficients, in the order of `coefficients`."""

    def in_motion(self, camber: Any, v_x: Any, tread: Any) -> Self:
        """Return the law at a camber angle, in rad (ISO 8855), and speeds of axle and tread; here none of them act."""
        return self

    def overturning(self, load: Any, F_y: Any) -> Any:
        """Return M_x, in N m."""
        return 0.0

    def slip_rates(
        self, v_x: Any, v_y: Any, tread: Any, kappa: Any, t: Any, load: Any, mu_road: Any
    ) -> tuple[Any, Any]:
        """Return the rates of the two slips, in 1/s; `tread` is the tread speed Omega R, in m/s."""
        sliding = self.relaxation.sliding(v_x, v_y, tread)
        limits = self.sliding_slips(kappa, t, load, mu_road, sliding)
        return self.relaxation.rates(v_x, v_y, tread, kappa, t, limits)

    def slips_at_forces(self, load: Any, F_x: Any, F_y: Any, mu_road: Any, speed: Any = 0.0) -> tuple[Any, Any]:
        """Return the slips at which `forces` gives these forces, or the largest share of them that friction allows.

        The wheel stands or rolls freely with the `speed`, in m/s. Newton's method starts from `approximate_slips`.
        """
        sliding = self.relaxation.sliding(speed, 0.0, speed)
        kappa, t = self.approximate_slips(load, F_x, F_y, mu_road, sliding)
        found = self._force_and_slope()
        for step in range(NEWTON_STEPS):
            if step == NEWTON_STEPS - 1:  # its derivative alone is that of the solution
                kappa, t = _constant(kappa), _constant(t)
            found_x, found_y, xx, xy, yx, yy = found(load, kappa, t, mu_road, sliding, *self.coefficients())
            share = self.admissible_share(F_x, F_y, self.grip(kappa, t, load, mu_road, sliding))
            d_x, d_y = share * F_x - found_x, share * F_y - found_y
            determinant = fmax(xx * yy - xy * yx, 1.0)
            d_kappa, d_t = (yy * d_x - xy * d_y) / determinant, (xx * d_y - yx * d_x) / determinant
            limit_x, limit_y = (fmax(slip, 1e-9) for slip in self.sliding_slips(kappa, t, load, mu_road, sliding))
            reach = fmax(MIN_STEP, STEP * length(kappa / limit_x, t / limit_y))
            shorter = fmin(1.0, reach / length(d_kappa / limit_x, d_t / limit_y))
            kappa, t = kappa + shorter * d_kappa, t + shorter * d_t
        return kappa, t

    @staticmethod
    def admissible_share(F_x: Any, F_y: Any, grip: Any) -> Any:
        """Return the largest share of a force that an initial state may take from the grip, at most 1."""
        return fmin(1.0, MAX_GRIP_SHARE * fmax(grip, 1e-9) / length(F_x, F_y))

    def _force_and_slope(self) -> ca.Function:
        """Return a function of load, slips, friction, sliding and coefficients: F_x, F_y and their four slopes."""
        symbols = [ca.SX.sym(f"coefficient_{i}") for i in range(len(self.coefficients()))]
        load, kappa, t, mu_road, sliding = at = [ca.SX.sym(n) for n in ("load", "kappa", "t", "mu_road", "sliding")]
        force = ca.vertcat(*self.with_coefficients(symbols).forces(load, kappa, t, mu_road, sliding)[:2])
        slope = ca.jacobian(force, ca.vertcat(kappa, t))
        return ca.Function("f", [*at, *symbols], [*ca.vertsplit(force), *ca.vertsplit(ca.vec(slope.T))])

    def oscillators(
        self, wheel: Any, slips: tuple[Any, Any], stiffness: tuple[Any, Any]
    ) -> tuple[Oscillator, Oscillator]:
        """Return the oscillators of the slips of a `RollingWheel`.

        `stiffness` is the pair of the slopes of F_x and F_y, each over the inertia that it moves
        (`Relaxation.oscillators`).
        """
        return self.relaxation.oscillators(wheel.speeds, slips, wheel.sliding_slips, stiffness)


def _constant(slip: Any) -> Any:
    """Return a slip, rounded, whose derivative counts as zero."""
    return floor(slip * ROUNDING + 0.5) / ROUNDING
