"""Pedal positions for a desired acceleration."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, fmax, fmin


class Pedals(Continuous):
    """Throttle and brake pedal for a desired acceleration a, one at a time.

    ::

        throttle = a/full_throttle        brake = (-a - coast)/full_brake        both limited to 0 and 1

    Between 0 and -coast neither is pressed. Engine, slope and load are not considered: a `SpeedControl` in front of it
    makes up for them. Set its `upper_limit` and `lower_limit` to the accelerations at full pedals.

    ::

        SpeedControl.acceleration --> | Pedals | --> throttle, brake
    """

    acceleration = Input("m/s2", "a, desired rate of change of the forward speed")

    full_throttle = Parameter(3.0, "m/s2", "acceleration at full throttle", min=0.01)
    full_brake = Parameter(8.0, "m/s2", "deceleration at full brake beyond coasting", min=0.01)
    coast = Parameter(0.3, "m/s2", "deceleration by rolling resistance and engine drag", min=0.0)

    throttle = Output("1", "throttle opening, 0 to 1")
    brake = Output("1", "brake pedal position, 0 to 1")

    def outputs(self) -> dict[str, Any]:
        braking = -self.acceleration - self.coast
        return {
            "throttle": fmin(fmax(self.acceleration / self.full_throttle, 0.0), 1.0),
            "brake": fmin(fmax(braking / self.full_brake, 0.0), 1.0),
        }
