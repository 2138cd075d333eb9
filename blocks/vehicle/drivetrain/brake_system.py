"""Service and parking brake: from pedal and lever to the brake capacity of each wheel."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, fmax, fmin, vertcat
from drawbar.blocks.data.default_vehicle import VEHICLE

BRAKES = VEHICLE["brakes"]


class BrakeSystem(Continuous):
    """Brake capacities of the wheels from the brake pedal and the parking brake.

    The relative pressure p, 1 at full pedal, follows with a lag; beyond a knee a proportioning valve reduces it at the
    rear axle::

        lag p' = pedal - p        front = full_torque[0] p
        rear = max(full_torque[1] (min(p, knee) + slope max(p - knee, 0)), parking_torque parking)

    With the default valve the front wheels of an empty HMMWV lock first, up to a friction of 0.8. The output is a
    capacity: it holds wheels, standing or rolling (`Brake`). Valid with the engine running, for cool brakes: anti-lock
    control, fading and a separate booster are not modelled.

    ::

        pedal, parking --> | BrakeSystem | --> brake[4]

    Source: full torques of ``blocks/data/vehicles/hmmwv.json``; valve, lag and parking brake are estimates.
    """

    pedal = Input("1", "brake pedal position, 0 to 1", min=0.0, max=1.0)
    parking = Input("1", "parking brake lever, 0 to 1", min=0.0, max=1.0)

    full_torque = Parameter(
        [BRAKES["max_torque_front_Nm"], BRAKES["max_torque_rear_Nm"]],
        "N.m",
        "torque of each front and each rear brake at full pressure",
        size=2,
        min=0.0,
    )
    knee = Parameter(0.1, "1", "pressure at the knee of the proportioning valve", min=0.0, max=1.0)
    slope = Parameter(0.26, "1", "rear over front pressure beyond the knee", min=0.0, max=1.0)
    parking_torque = Parameter(2500.0, "N.m", "torque of each rear brake by the parking brake", min=0.0)
    lag = Parameter(0.1, "s", "time constant of the pressure", min=1e-2)

    pressure = State(0.0, "1", "p, pressure over that at full pedal", output=True)

    brake = Output("N.m", "brake capacity of each wheel: front left, front right, rear left, rear right", size=4)

    def derivatives(self) -> dict[str, Any]:
        return {"pressure": (self.pedal - self.pressure) / self.lag}

    def initial(self) -> dict[str, Any]:
        """Return the pressure of the pedal as it is held."""
        return {"pressure": self.pedal}

    def outputs(self) -> dict[str, Any]:
        p = fmax(self.pressure, 0.0)
        rear_pressure = fmin(p, self.knee) + self.slope * fmax(p - self.knee, 0.0)
        rear = fmax(self.full_torque[1] * rear_pressure, self.parking_torque * self.parking)
        front = self.full_torque[0] * p
        return {"brake": vertcat(front, front, rear, rear)}
