"""Open differentials between a powertrain and wheels that are FMUs of their own."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, vertcat
from drawbar.blocks.vehicle.drivetrain.driveline import Driveline
from drawbar.blocks.vehicle.drivetrain.presets import HMMWV_AXLES as AXLES


class TorqueSplit(Continuous):
    """Open differentials that divide the torque of a propeller shaft among wheel FMUs (`Wheel`).

    With the fraction s of the front, the ratio i of the axles and that of the hubs j::

        T_front = s i j T/2        T_rear = (1 - s) i j T/2        each wheel
        w = i j (s (w_1 + w_2) + (1 - s) (w_3 + w_4))/2

    so that power is conserved. Only torques and speeds cross between these FMUs. A locked axle would couple two spins
    as stiffly as the lock, and no macro step is short enough for this coupling between states of different FMUs. A
    `lock_torque` is therefore refused; locks and limited slip are in `HmmwvVehicle`, which owns the spins of all
    wheels.

    Forward is positive. Half shafts and the gears of hubs react on the chassis.

    ::

        propshaft_torque ------------> |             | --> drive[4]
        spin[4], from each hub.spin -> | TorqueSplit | --> propshaft_speed

    Valid for wheels on the ground or in the air, forwards and backwards; without loss in the gears.

    Source: ratios of ``blocks/data/powertrains/hmmwv.json``.
    """

    propshaft_torque = Input("N.m", "T, torque of the propeller shaft behind the transfer case")
    spin = Input("rad/s", "speed of each wheel relative to its upright", size=4)

    front_share = Parameter(AXLES.front_share, "1", "s, fraction of the torque at the front axle", min=0.0, max=1.0)
    axle_ratio = Parameter(AXLES.axle_ratio, "1", "i, propeller shaft speed over mean half-shaft speed", min=0.1)
    hub_ratio = Parameter(AXLES.hub_ratio, "1", "j, half-shaft speed over wheel speed", min=0.1)
    lock_torque = Parameter(
        0.0, "N.m", "lock torques of the centre, front and rear differential; only 0 is possible", size=3
    )

    drive = Output("N.m", "drive torque of each wheel, for the wheel and for the body that takes its reaction", size=4)
    propshaft_speed = Output("rad/s", "w, speed of the propeller shaft behind the transfer case")

    @cached_property
    def driveline(self) -> Driveline:
        """Return the differentials."""
        shafts = [self.hub_ratio * self.spin[i] for i in range(4)]
        no_lock, no_bias = [0.0] * 3, [1.0] * 3
        return Driveline(self.propshaft_torque, shafts, no_lock, no_lock, no_bias, self.front_share, self.axle_ratio)

    def guards(self) -> dict[str, Any]:
        """Return the guard that nothing is locked."""
        advice = "a locked axle must be in the FMU that owns the spins of its wheels: use HmmwvVehicle"
        return {"lock torque of the differentials": (self.lock_torque == 0.0, advice)}

    def outputs(self) -> dict[str, Any]:
        return {
            "drive": self.hub_ratio * vertcat(*self.driveline.torques),
            "propshaft_speed": self.driveline.speed,
        }
