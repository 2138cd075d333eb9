"""The Fiala tire: brush model of a tire on a hard road, with relaxation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fabs, fmax, fmin, if_else, sign, sqrt, tanh
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.relaxation import Relaxation

EPSILON = 1e-18  # keeps the derivatives of square roots finite at zero
SIGN_CHANGE_SPEED = 0.5  # rad/s, range of the spin within which the rolling resistance changes its sign
# of `slips_at_forces`; up to 0.97 of the sliding friction, the forces at these slips are then right to 1e-6
ITERATIONS = 4
MAX_GRIP_SHARE = 0.98  # largest share of the friction limit that an initial force may use
LIGHT_LOAD = 10.0  # N, load below which the stiffnesses fade out with the load


@dataclass(frozen=True)
class Fiala:
    """The law of a Fiala tire; the coefficients may be symbols.

    Forces of the ground on the tire in the contact frame (ISO 8855), with the longitudinal slip kappa (driving
    positive), the slip t = tan alpha = -v_y/v_x (positive where it moves to its right), and the load F_z::

        S = min(1, sqrt(kappa^2 + t^2))       mu = (mu_max - (mu_max - mu_min) S) mu_road/mu_ref
        F_x = C_S kappa                                      for |kappa| < mu F_z/(2 C_S)
            = sgn(kappa) (mu F_z - (mu F_z)^2/(4 |kappa| C_S))    beyond
        H = 1 - C_a |t|/(3 mu F_z) >= 0       F_y = mu F_z (1 - H^3) sgn t       M_z = -mu F_z w (1 - H) H^3 sgn t

    with w the width of the tire. The two forces are coupled by mu alone; with `cap` their sum is limited to mu F_z
    along its own direction. Source: 2015 HMMWV paper, equations 10 to 21; the signs of equations 18 to 20 are changed
    so that a driven wheel pushes forward and the lateral force opposes the lateral slip.

    The slips relax (`Relaxation`); the tire slides beyond a slip of 3 mu F_z/C in either direction.
    """

    stiffness_x: Any  # C_S, N
    stiffness_y: Any  # C_a, N/rad
    mu_min: Any
    mu_max: Any
    mu_ref: Any
    width: Any  # m
    relaxation: Relaxation
    rolling: Any  # C_r

    @classmethod
    def of(cls, block: Any, tire: dict[str, Any], damping_time: Any) -> Fiala:
        """Return the law of a block that declares C_S, C_a, mu_min, ..., with the fixed properties of its tire."""
        return cls(
            stiffness_x=block.C_S,
            stiffness_y=block.C_a,
            mu_min=block.mu_min,
            mu_max=block.mu_max,
            mu_ref=tire["reference_mu"],
            width=tire["width_m"],
            relaxation=Relaxation(block.relaxation[0], block.relaxation[1], damping_time, block.slow_speed),
            rolling=block.rolling_resistance,
        )

    def slip_rates(
        self, v_x: Any, v_y: Any, tread: Any, kappa: Any, t: Any, load: Any, mu_road: Any
    ) -> tuple[Any, Any]:
        """Return the rates of the two slips, in 1/s; `tread` is the tread speed Omega R, in m/s."""
        return self.relaxation.rates(v_x, v_y, tread, kappa, t, self.sliding_slips(kappa, t, load, mu_road))

    def sliding_slips(self, kappa: Any, t: Any, load: Any, mu_road: Any) -> tuple[Any, Any]:
        """Return the longitudinal and the lateral slip beyond which the tire slides."""
        grip = 3.0 * self.friction(kappa, t, mu_road) * load
        return grip / self.stiffness_x, grip / self.stiffness_y

    def friction(self, kappa: Any, t: Any, mu_road: Any) -> Any:
        """Return the friction coefficient mu at a slip."""
        S = fmin(1.0, sqrt(kappa**2 + t**2 + EPSILON))
        return (self.mu_max - (self.mu_max - self.mu_min) * S) * mu_road / self.mu_ref

    def forces(self, load: Any, kappa: Any, t: Any, mu_road: Any, cap: bool = True) -> tuple[Any, Any, Any]:
        """Return F_x and F_y, in N, and M_z, in N m, at a load of zero or more; without load they are zero."""
        limit = fmax(self.friction(kappa, t, mu_road) * load, 1e-9)
        magnitude = fabs(kappa)
        sliding = sign(kappa) * (limit - limit**2 / (4.0 * fmax(magnitude, 1e-12) * self.stiffness_x))
        F_x = if_else(magnitude < limit / (2.0 * self.stiffness_x), self.stiffness_x * kappa, sliding)
        # with h = 1 - H and |t| limited to the end of H, 1 - H^3 = h (3 - 3 h + h^2): the same law without sgn t
        sliding_slip = 3.0 * limit / self.stiffness_y
        bounded = fmax(-sliding_slip, fmin(sliding_slip, t))
        h = fabs(bounded) / sliding_slip
        F_y = self.stiffness_y * bounded * (1.0 - h + h**2 / 3.0)
        M_z = -self.stiffness_y * bounded * self.width / 3.0 * (1.0 - h) ** 3
        load_share = fmin(1.0, load / LIGHT_LOAD)
        share = load_share * (fmin(1.0, limit / sqrt(F_x**2 + F_y**2 + EPSILON)) if cap else 1.0)
        return share * F_x, share * F_y, load_share * M_z

    def slips_at_forces(self, load: Any, F_x: Any, F_y: Any, mu_road: Any) -> tuple[Any, Any]:
        """Return the slips at which `forces` gives these forces, or the largest share of them that friction allows."""
        kappa, t = 0.0, 0.0
        for _ in range(ITERATIONS):
            limit = fmax(self.friction(kappa, t, mu_road) * load, 1e-9)
            share = fmin(1.0, MAX_GRIP_SHARE * limit / sqrt(F_x**2 + F_y**2 + EPSILON))
            along, across = share * F_x, share * F_y
            magnitude = fabs(along)
            sliding = limit**2 / (4.0 * self.stiffness_x * (limit - magnitude))
            kappa = if_else(magnitude < limit / 2.0, along / self.stiffness_x, sign(along) * sliding)
            h = 1.0 - (1.0 - fabs(across) / limit) ** (1.0 / 3.0)
            t = sign(across) * h * 3.0 * limit / self.stiffness_y
        return kappa, t

    def resistance(self, load: Any, omega: Any) -> Any:
        """Return the rolling resistance moment M_y, in N m, for a radius of 1 m. It is smooth through standstill."""
        return -self.rolling * load * tanh(omega / SIGN_CHANGE_SPEED)

    def oscillators(
        self, wheel: Any, slips: tuple[Any, Any], stiffness: tuple[Any, Any], inertia: Any
    ) -> list[Oscillator]:
        """Return the oscillators of a `RollingWheel` with that inertia, in kg m2: its slips and its rolling resistance.

        `stiffness` is the pair of C_S and C_a, each over the inertia that it moves (`Relaxation.oscillators`).
        """
        steepest = self.rolling * wheel.load / SIGN_CHANGE_SPEED * wheel.contact.radius
        return [
            *self.relaxation.oscillators(wheel.speeds, slips, wheel.sliding_slips, stiffness),
            Oscillator(0.0, steepest / inertia),
        ]
