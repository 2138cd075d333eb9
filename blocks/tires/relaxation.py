"""Slips as states with relaxation lengths, so that they are defined at standstill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from drawbar.blocks import atan2, fabs, fmax, fmin, if_else
from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.tires.combined_slip import length

RECOVERY_GAIN = 4.0  # e-folds by which an excessive slip recovers while the tire slides by its sliding slip
MIN_SLIDING_SLIP = 0.01  # lower limit of the sliding slip, which keeps the rates finite for a wheel in the air
ITERATIONS = 10  # of `slips_at_forces`; half of the largest force is then exact to 1e-3
LINEAR_SLIP = 1e-3  # slip up to which forces are linear
TRANSITION_SPEED = 0.1  # m/s, sum of axle and tread speed, below which forward and backward rolling are blended
ROLLING_SPEED = 0.1  # m/s, rolling speed from which the tire has its aligning moment
STICKING_SPEED = 0.25  # m/s, speed V below which a sliding contact comes to stick
MAX_SIDE_SLIP = 5.0  # largest side slip of wheels in soil
REST_SPEED = 1e-3  # m/s, speed below which a wheel at rest has the slip angle of its deflection


def forward_share(v_x: Any, tread: Any) -> Any:
    """Return 1 for a wheel that rolls forward and 0 for one that rolls backward; the transition is at 0.1 m/s."""
    return 0.5 + 0.5 * fmax(-1.0, fmin(1.0, (v_x + tread) / TRANSITION_SPEED))


def slips_at_forces(
    forces: Callable[[Any, Any], tuple[Any, Any]], F_x: Any, F_y: Any, limit: tuple[Any, Any]
) -> tuple[Any, Any]:
    """Return the slips kappa and t, at most `limit`, at which `forces` gives F_x and F_y.

    The slips are exactly zero for zero forces. Each iteration takes the forces as linear up to the present slips. As
    the forces are concave, the slips grow towards the solution.
    """

    def at_least(slip: Any, F: Any) -> Any:
        return if_else(F < 0.0, fmin(slip, -LINEAR_SLIP), fmax(slip, LINEAR_SLIP))

    def scaled_slip(slip: Any, F: Any, found: Any, limit: Any) -> Any:
        return fmax(-limit, fmin(limit, F * fabs(slip) / fmax(fabs(found), 1e-9)))

    kappa, t = 0.0, 0.0
    for _ in range(ITERATIONS):
        kappa, t = at_least(kappa, F_x), at_least(t, F_y)
        along, across = forces(kappa, t)
        kappa, t = scaled_slip(kappa, F_x, along, limit[0]), scaled_slip(t, F_y, across, limit[1])
    return kappa, t


@dataclass(frozen=True)
class Relaxation:
    """How longitudinal slip kappa (driving positive) and side slip t = -v_y/V follow the motion of the wheel.

    V is the largest of the speeds over ground, along and across, and of the tread, so that the steady slips are
    opposite to the sliding in every direction, and at most 1 where the wheel slides broadside::

        V = max(|v_x|, |Omega R|, |v_y|/max_side_slip)
        sigma_x kappa' = Omega R - v_x - V kappa          sigma_y t' = -v_y - V t

    At rest the slips act as springs: a parked wheel holds without creep. Below `slow_speed` a share of the slip speed
    damps them, ``kappa + tau (Omega R - v_x)/sigma_x``, and while the tire slides they return to the sliding slips,
    without a change of their direction; otherwise a vehicle would be thrown backwards after a stop with locked wheels.
    Both effects grow linearly as the speed V falls below `slow_speed`.
    """

    sigma_x: Any  # m
    sigma_y: Any  # m
    damping_time: Any  # tau, s
    slow_speed: Any  # m/s
    max_side_slip: float = 1.0  # larger for laws that take -v_y/v_x itself, as those of soil

    def speed(self, v_x: Any, v_y: Any, tread: Any) -> Any:
        """Return V, in m/s."""
        return fmax(_rolling_speed(v_x, tread), fabs(v_y) / self.max_side_slip)

    def rolling(self, v_x: Any, tread: Any) -> Any:
        """Return the share of the aligning moment: 1 from `ROLLING_SPEED` on, and 0 for a wheel that stands.

        The moment needs rubber whose deflection grows along the contact as the wheel rolls over it. A wheel that stands
        is deflected evenly, so its lateral force has no lever.
        """
        return fmin(1.0, _rolling_speed(v_x, tread) / ROLLING_SPEED)

    def sliding(self, v_x: Any, v_y: Any, tread: Any) -> Any:
        """Return the share of sliding in the motion: slip speed over V, which is 1 for a locked wheel.

        Below `STICKING_SPEED` it falls to zero, because a contact at rest sticks: a parked vehicle holds up to the
        peak. One that comes to rest from a slide swings back on its tires faster than that, and slides on. Friction
        that falls with the slip speed drives the spin, by (1 - sliding_ratio) mu F_z R^2/(J STICKING_SPEED): for the
        HMMWV 300 1/s, which steps of 2.5 ms follow. At a fifth of this speed implicit steps diverged in a full stop.
        """
        V = self.speed(v_x, v_y, tread)
        return fmin(1.0, length(tread - v_x, v_y) / fmax(V, STICKING_SPEED))

    def slip_angle(self, v_x: Any, v_y: Any, tread: Any, t: Any) -> Any:
        """Return the slip angle at a side slip, in rad: atan t, but 90 degrees where the wheel slides broadside."""
        rolling = (_rolling_speed(v_x, tread) + REST_SPEED) / (self.speed(v_x, v_y, tread) + REST_SPEED)
        return atan2(t, rolling)

    def rates(
        self, v_x: Any, v_y: Any, tread: Any, kappa: Any, t: Any, sliding_slips: tuple[Any, Any]
    ) -> tuple[Any, Any]:
        """Return the rates of the two slips, in 1/s.

        `tread` is Omega R, in m/s; the tire slides where the slips are outside the ellipse of `sliding_slips`.
        """
        V = self.speed(v_x, v_y, tread)
        recovery = (
            RECOVERY_GAIN
            * self._slowness(V)
            * length(tread - v_x, v_y)
            * _excess((kappa, t), sliding_slips)
            / length(kappa, t)
        )
        along, across = tread - v_x - (V + recovery) * kappa, -v_y - (V + recovery) * t
        return along / self.sigma_x, across / self.sigma_y

    def damped_slips(self, v_x: Any, v_y: Any, tread: Any, kappa: Any, t: Any) -> tuple[Any, Any]:
        """Return the slips with their damping: at low speed they include a share of the slip speed."""
        V = self.speed(v_x, v_y, tread)
        share = self.damping_time * self._slowness(V)
        return kappa + share * (tread - v_x) / self.sigma_x, t - share * v_y / self.sigma_y

    def oscillators(
        self,
        speeds: tuple[Any, Any, Any],
        slips: tuple[Any, Any],
        sliding_slips: tuple[Any, Any],
        stiffness: tuple[Any, Any],
        sliding_stiffness: float = 0.0,
    ) -> tuple[Oscillator, Oscillator]:
        """Return the oscillators of the slips: of the spin against the longitudinal slip, and of the body laterally.

        `stiffness` is the pair of C_x and C_y, each over the inertia that the force moves; for the spin this is C_x
        R^2/J. `sliding_stiffness` is the share of it beyond `sliding_slips`, which is almost zero for a tire. The rate
        of a slip changes with the tread speed by at most 1 + |kappa|, because V may grow with it, and by the recovery
        beyond `sliding_slips`.

        With these oscillators `spectral_bound` bounds the eigenvalues of wheels in soil. This was tested at radii of
        0.1 and 0.47 m, longitudinal slips up to 1, lateral slips up to 0.2 and speeds up to 5 m/s; a flattened tire
        exceeds the bound by up to 1 % (`TractionSlope`). The bound neglects the change of the longitudinal force with
        the lateral slip and, where the axle is faster than the tread, the change of the damping with the axle speed.
        """
        v_x, v_y, tread = speeds
        V = self.speed(v_x, v_y, tread)
        slowness = self._slowness(V)
        damping_slope = self._damping_slope(v_x, v_y, tread)
        shortest = fmin(*(fmax(limit, MIN_SLIDING_SLIP) for limit in sliding_slips))
        recovery = RECOVERY_GAIN * slowness * length(tread - v_x, v_y) / shortest
        recovery_slope = sliding_stiffness * RECOVERY_GAIN * damping_slope * _excess(slips, sliding_slips)

        def oscillator(slip: Any, sigma: Any, stiffness: Any, damping_slope: Any) -> Oscillator:
            omega_squared = (1.0 + fabs(slip) + recovery_slope) * stiffness / sigma
            return Oscillator(
                omega_squared, self.damping_time * damping_slope * stiffness / sigma, (V + recovery) / sigma
            )

        return (
            oscillator(slips[0], self.sigma_x, stiffness[0], damping_slope),
            oscillator(slips[1], self.sigma_y, stiffness[1], slowness),
        )

    def _damping_slope(self, v_x: Any, v_y: Any, tread: Any) -> Any:
        """Return the largest magnitude of the derivative of (1 - V/slow)(Omega R - v_x) by the spin.

        Where the tread is faster than the axle, V grows with it, which subtracts |Omega R - v_x|/slow; where the result
        is negative, the damping term amplifies.
        """
        V = self.speed(v_x, v_y, tread)
        slowness = self._slowness(V)
        negative_slope = fabs(tread - v_x) / self.slow_speed - slowness
        return if_else((self.slow_speed > V) * (fabs(tread) >= V), fmax(slowness, negative_slope), slowness)

    def _slowness(self, V: Any) -> Any:
        """Return 1 at rest, falling linearly to 0 at `slow_speed`."""
        return fmax(0.0, 1.0 - V / self.slow_speed)


def _rolling_speed(v_x: Any, tread: Any) -> Any:
    """Return the larger of the speeds of axle and tread along the wheel, in m/s."""
    return fmax(fabs(v_x), fabs(tread))


def _excess(slips: tuple[Any, Any], sliding_slips: tuple[Any, Any]) -> Any:
    """Return by how much slips exceed the ellipse of the sliding slips, over their size within it."""
    limit_x, limit_y = (fmax(limit, MIN_SLIDING_SLIP) for limit in sliding_slips)
    return fmax(0.0, length(slips[0] / limit_x, slips[1] / limit_y) - 1.0)
