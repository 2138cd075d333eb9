"""A combustion engine by its map: steady torque over speed and throttle, with governors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax, fmin
from drawbar.blocks.vehicle.drivetrain.lookup_table import interpolate


@dataclass(frozen=True)
class Engine:
    """Steady torque over speed w, between the full-throttle torque and the motored torque without fuel.

    With the opening a::

        T = a T_full(w) + (1 - a) T_motored(w)        a = max(throttle, (w_idle - w)/span), within 0 and 1

    The idle governor opens the throttle in proportion to the deficit of idle speed. The upper governor is in T_full,
    which falls beyond the rated speed.
    """

    full: tuple[Any, Any]  # speeds, rad/s, and torques, N m
    motored: tuple[Any, Any]
    idle: Any  # rad/s, idle speed, below which the governor opens the throttle
    span: Any  # rad/s below idle at which the throttle is fully open

    def torque(self, throttle: Any, speed: Any) -> Any:
        """Return the torque at the crankshaft, in N m."""
        a = fmin(fmax(fmax(throttle, (self.idle - speed) / self.span), 0.0), 1.0)
        return a * interpolate(speed, *self.full) + (1.0 - a) * interpolate(speed, *self.motored)


def full_throttle_curve(torque: float, power: float, rated: float, droop: float) -> list[list[float]]:
    """Return the points of a full-throttle map by its largest torque, N m, and power, W, up to the rated speed, rad/s.

    Beyond it the governor cuts the fuel within the fraction `droop` of that speed.
    """
    corner = power / torque
    speeds = [corner + (rated - corner) * k / 4.0 for k in range(5)]
    falling = [[w, power / w] for w in speeds]
    return [[0.0, torque], *falling, [rated * (1.0 + droop), 0.0], [rated * (1.0 + 1.3 * droop), -0.3 * power / rated]]
