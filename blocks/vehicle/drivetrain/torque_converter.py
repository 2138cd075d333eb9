"""A hydrodynamic torque converter: torque of impeller and turbine over their speed ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax, if_else
from drawbar.blocks.vehicle.drivetrain.lookup_table import interpolate

MIN_SPEED = 1e-3  # rad/s, to prevent a division by zero


@dataclass(frozen=True)
class TorqueConverter:
    """An impeller at the engine, a turbine at the gearbox, and a stator between them that multiplies the torque.

    With the ratio ``nu = w_t/w_i`` of turbine over impeller speed::

        T_i = c(nu) w_i^2        T_t = m(nu) T_i                     0 <= nu <= 1
        T_i = T_t = -c(1/nu) w_t^2                                   nu > 1: the wheels drive the engine

    A turbine that turns backwards is treated as one at rest. Without slip no torque is transmitted, so c(1) = 0; c
    falls to it linearly from the last point before. Fluid and wheels have no inertia. Valid for w_i >= 0. The converter
    generates no power as long as ``m(nu) nu <= 1``.
    """

    speed_ratio: Any  # points of nu, from 0 to 1
    capacity: Any  # c there, N.m.s2
    torque_ratio: Any  # m there

    def torques(self, impeller: Any, turbine: Any) -> tuple[Any, Any]:
        """Return the torque against the engine and the torque on the gearbox, in N m."""
        nu = fmax(turbine, 0.0) / fmax(impeller, MIN_SPEED)
        inverse_ratio = fmax(impeller, 0.0) / fmax(turbine, MIN_SPEED)
        driving = interpolate(nu, self.speed_ratio, self.capacity) * impeller**2
        driven = -interpolate(inverse_ratio, self.speed_ratio, self.capacity) * turbine**2
        overrun = turbine > impeller
        multiplied = interpolate(nu, self.speed_ratio, self.torque_ratio) * driving
        return if_else(overrun, driven, driving), if_else(overrun, driven, multiplied)


def capacities(factors: list[float], stall_speed: float, torque: float) -> list[float]:
    """Return the points c from the capacity factors K = w_i/sqrt(T_i), of which only the shape matters.

    They are scaled so that with the turbine at rest an engine with this `torque`, in N m, runs at `stall_speed`, in
    rad/s. The last point, without slip, is 0.
    """
    scale = stall_speed / torque**0.5 / factors[0]
    return [1.0 / (scale * factor) ** 2 for factor in factors[:-1]] + [0.0]
