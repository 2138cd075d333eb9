"""A differential: open, limited-slip or locked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fabs
from drawbar.blocks.tires.rolling_wheel import Brake

ENGAGEMENT_ANGLE = 0.02  # rad, rotation between the shafts within which a lock engages


@dataclass(frozen=True)
class Differential:
    """One shaft drives two, 1 and 2, with the torque T and the ratio r.

    Its gears divide torque and speed::

        T_1 = s r T - T_c        T_2 = (1 - s) r T + T_c        w = r (s w_1 + (1 - s) w_2)

    The torque T_c goes from the faster to the slower shaft, like the torque of a brake between them that holds by
    bristles (`Brake`), with the capacity::

        lock + r |T| (b - 1)/(b + 1)/2

    An open differential has neither lock nor bias, b = 1. A clutch or a lock has a `lock` torque, up to which the
    shafts are locked. A geared one (Torsen) has a bias b > 1: with s = 1/2 the slower shaft gets at most b times the
    torque of the faster one. The differential dissipates the power ``T_c (w_1 - w_2)``.
    """

    torque: Any  # T, N m, into it
    ratio: Any  # r
    speeds: tuple[Any, Any]  # rad/s
    bristle_torque: Any  # torque of the bristles, N m
    lock: Any = 0.0  # N m
    bias: Any = 1.0  # b
    share: Any = 0.5  # s

    @property
    def coupling(self) -> Brake:
        """Return the brake between the two shafts."""
        return Brake(self.capacity, self.bristle_torque, ENGAGEMENT_ANGLE)

    @property
    def capacity(self) -> Any:
        """Return the largest torque between the shafts, in N m."""
        return self.lock + 0.5 * self.ratio * fabs(self.torque) * (self.bias - 1.0) / (self.bias + 1.0)

    @property
    def speed(self) -> Any:
        """Return the speed of the input shaft, in rad/s."""
        return self.ratio * (self.share * self.speeds[0] + (1.0 - self.share) * self.speeds[1])

    @property
    def torques(self) -> tuple[Any, Any]:
        """Return the torques of the two output shafts, in N m."""
        transferred, driven = self.coupling.torque(), self.ratio * self.torque
        return self.share * driven + transferred, (1.0 - self.share) * driven - transferred

    @property
    def rate(self) -> Any:
        """Return the rate of the torque of the bristles, in N m/s."""
        return self.coupling.rate(self.speeds[0] - self.speeds[1])
