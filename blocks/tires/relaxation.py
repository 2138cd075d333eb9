"""Slips as states with relaxation lengths, so that they are defined at standstill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fabs, fmax, fmin, if_else
from drawbar.blocks.authoring.stability_bounds import Oscillator

DRAW = 4.0  # how many times the excess of a slip is drawn back while the tire slides by what it holds
LEAST_HELD = 0.01  # the least slip that a tire holds at rest; in the air its rate would be infinite without it
ROUNDS = 10  # of `holding`, by which half of the largest force is found to 1e-3
SMALL = 1e-3  # a slip, up to which forces are straight
SLOW = 0.1  # m/s, of axle and tread together, below which forwards passes into backwards


def forwards(v_x: Any, tread: Any) -> Any:
    """Return 1 for a wheel that rolls forward and 0 for one that rolls backward; the transition is at 0.1 m/s."""
    return 0.5 + 0.5 * fmax(-1.0, fmin(1.0, (v_x + tread) / SLOW))


def holding(
    forces: Callable[[Any, Any], tuple[Any, Any]], F_x: Any, F_y: Any, most: tuple[Any, Any]
) -> tuple[Any, Any]:
    """Return the slips kappa and t, at most `most`, at which `forces` gives F_x and F_y.

    They are exactly zero for no force. Each round takes the forces as linear up to the present slips. As the forces are
    concave, the slips grow towards the solution.
    """

    def seen(slip: Any, F: Any) -> Any:
        return if_else(F < 0.0, fmin(slip, -SMALL), fmax(slip, SMALL))

    def grown(slip: Any, F: Any, found: Any, most: Any) -> Any:
        return fmax(-most, fmin(most, F * fabs(slip) / fmax(fabs(found), 1e-9)))

    kappa, t = 0.0, 0.0
    for _ in range(ROUNDS):
        kappa, t = seen(kappa, F_x), seen(t, F_y)
        along, across = forces(kappa, t)
        kappa, t = grown(kappa, F_x, along, most[0]), grown(t, F_y, across, most[1])
    return kappa, t


@dataclass(frozen=True)
class Relaxation:
    """How longitudinal slip kappa (driving positive) and side slip t = -v_y/V follow the motion of the wheel.

    V is the larger of the speed over ground and of the tread::

        sigma_x kappa' = Omega R - v_x - V kappa          sigma_y t' = -v_y - V t

    At rest they are springs: a parked wheel holds without creep. Below a speed, `slow`, a share of the slip speed is
    added that damps them, ``kappa + tau (Omega R - v_x)/sigma_x``, and while the tire slides they are drawn back to
    what it can hold, or else a stop with locked wheels would end in a throw backwards. Both set in linearly from `slow`
    down.
    """

    sigma_x: Any  # m
    sigma_y: Any  # m
    damping_time: Any  # tau, s
    slow: Any  # m/s

    def rates(self, v_x: Any, v_y: Any, tread: Any, kappa: Any, t: Any, held: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return the rates of the two slips, in 1/s.

        `tread` is Omega R, in m/s; `held` are the slips at which the tire slides.
        """
        V = fmax(fabs(v_x), fabs(tread))

        def rate(speed: Any, slip: Any, sigma: Any, most: Any) -> Any:
            most = fmax(most, LEAST_HELD)
            excess = slip - fmax(-most, fmin(most, slip))
            return (speed - V * slip - DRAW * self._slowness(V) * fabs(speed) * excess / most) / sigma

        return rate(tread - v_x, kappa, self.sigma_x, held[0]), rate(-v_y, t, self.sigma_y, held[1])

    def damped(self, v_x: Any, v_y: Any, tread: Any, kappa: Any, t: Any) -> tuple[Any, Any]:
        """Return the slips that act: at low speed they include a share of the slip speed."""
        V = fmax(fabs(v_x), fabs(tread))
        share = self.damping_time * self._slowness(V)
        return kappa + share * (tread - v_x) / self.sigma_x, t - share * v_y / self.sigma_y

    def oscillators(
        self,
        speeds: tuple[Any, Any, Any],
        slips: tuple[Any, Any],
        held: tuple[Any, Any],
        stiffness: tuple[Any, Any],
        beyond: float = 0.0,
    ) -> tuple[Oscillator, Oscillator]:
        """How fast the slips move: spin against slip, and the body aside.

        `stiffness` holds C_x and C_y, each over the inertia that the force moves where it acts: of the wheel R^2/J;
        `beyond` is the share of it that acts beyond `held`, which is next to none of a tire that slides. The rate
        of a slip follows the speed of the tread by 1 + |kappa| at most, as V may grow with it, and by what `rates` draw
        back beyond `held`.

        With them `spectral_bound` bounds the eigenvalues of wheels in soil: tried at radii of 0.1 and 0.47 m, slips to
        1 along and 0.2 aside, to 5 m/s, but for 1 % of a tire that is flattened (`SoilGrip`). Not counted
        are force along by the slip aside and, where the axle is faster than the tread, how the share of damping
        changes with the speed of the axle.
        """
        v_x, v_y, tread = speeds
        V = fmax(fabs(v_x), fabs(tread))
        slow = self._slowness(V)
        changes = self._changes(v_x, tread)

        def oscillator(speed: Any, slip: Any, sigma: Any, most: Any, stiff: Any, change: Any) -> Oscillator:
            most = fmax(most, LEAST_HELD)
            drawn = DRAW * slow * fabs(speed) / most
            back = beyond * DRAW * change * fmax(0.0, fabs(slip) - most) / most
            swing = (1.0 + fabs(slip) + back) * stiff / sigma
            return Oscillator(swing, self.damping_time * change * stiff / sigma, (V + drawn) / sigma)

        return (
            oscillator(tread - v_x, slips[0], self.sigma_x, held[0], stiffness[0], changes),
            oscillator(v_y, slips[1], self.sigma_y, held[1], stiffness[1], slow),
        )

    def _changes(self, v_x: Any, tread: Any) -> Any:
        """Return the largest magnitude of the derivative of (1 - V/slow)(Omega R - v_x) by the spin.

        Where the tread is the faster, V grows with it, which subtracts |Omega R - v_x|/slow; below zero the damping
        drives.
        """
        V = fmax(fabs(v_x), fabs(tread))
        slow = self._slowness(V)
        turned = fabs(tread - v_x) / self.slow - slow
        return if_else((self.slow > V) * (fabs(tread) >= fabs(v_x)), fmax(slow, turned), slow)

    def _slowness(self, V: Any) -> Any:
        """Return 1 at rest, falling to 0 at the speed `slow`."""
        return fmax(0.0, 1.0 - V / self.slow)
