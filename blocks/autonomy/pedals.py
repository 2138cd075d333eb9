"""Pedal positions for a wanted acceleration."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, fmax, fmin


class Pedals(Continuous):
    """The throttle and the brake pedal for a wanted acceleration a, one at a time.

    ::

        throttle = a/full_throttle        brake = (-a - coast)/full_brake        both within 0 and 1

    Between 0 and -coast neither is pressed. It knows nothing of engine, slope and load: a `SpeedControl` before it
    finds what is missing. Its bounds `most` and `least` are then those of the full pedals.

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
