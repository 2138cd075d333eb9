"""A differential: open, limited-slip or locked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fabs
from drawbar.blocks.tires.rolling_wheel import Brake

ANGLE = 0.02  # rad of one shaft against the other, in which a lock takes hold


@dataclass(frozen=True)
class Differential:
    """One shaft drives two, 1 and 2, with the torque T and the ratio r.

    Its gears divide torque and speed::

        T_1 = s r T - moved        T_2 = (1 - s) r T + moved        w = r (s w_1 + (1 - s) w_2)

    `moved` goes from the faster to the slower shaft, as of a brake between them that holds by bristles (`Brake`), with
    the capacity::

        lock + r |T| (b - 1)/(b + 1)/2

    An open one has neither lock nor bias, b = 1. A clutch or a lock has a `lock` torque, which locks as long as no more
    is asked for. A geared one (Torsen) has a bias b > 1: with s = 1/2 the slower shaft gets at most b times the torque
    of the faster one. It costs the power ``moved (w_1 - w_2)``.
    """

    torque: Any  # T, N m, into it
    ratio: Any  # r
    speeds: tuple[Any, Any]  # rad/s
    hold: Any  # torque of the bristles, N m
    lock: Any = 0.0  # N m
    bias: Any = 1.0  # b
    share: Any = 0.5  # s

    @property
    def between(self) -> Brake:
        """What the two shafts turn against."""
        return Brake(self.capacity, self.hold, ANGLE)

    @property
    def capacity(self) -> Any:
        """The most that is moved, N m."""
        return self.lock + 0.5 * self.ratio * fabs(self.torque) * (self.bias - 1.0) / (self.bias + 1.0)

    @property
    def speed(self) -> Any:
        """Of the shaft that drives, rad/s."""
        return self.ratio * (self.share * self.speeds[0] + (1.0 - self.share) * self.speeds[1])

    @property
    def torques(self) -> tuple[Any, Any]:
        """Of the two shafts, N m."""
        moved, driven = self.between.torque(), self.ratio * self.torque
        return self.share * driven + moved, (1.0 - self.share) * driven - moved

    @property
    def rate(self) -> Any:
        """The rate of what the bristles hold, N m/s."""
        return self.between.rate(self.speeds[0] - self.speeds[1])
