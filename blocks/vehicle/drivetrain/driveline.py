"""Three differentials between a transfer case and four wheels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from drawbar.blocks.authoring.stability_bounds import Oscillator
from drawbar.blocks.vehicle.drivetrain.differential import Differential


@dataclass(frozen=True)
class Driveline:
    """The driveline from the propeller shaft by a centre differential and one in each axle to the four wheels.

    `torque` is that of the shaft behind the transfer case; the centre sends the fraction `share` of it to the front,
    and the differentials of the axles have the ratio `axle`. `bristle_torque`, `lock` and `bias` are of centre, front
    and rear (`Differential`). Half shafts transmit the torque from the chassis to the hubs. Hub gears multiply it; the
    upright takes the reaction of the additional torque.
    """

    torque: Any
    shafts: Any  # speeds of the four half shafts relative to the chassis, rad/s
    bristle_torque: Any
    lock: Any
    bias: Any
    share: Any
    axle: Any

    @cached_property
    def differentials(self) -> tuple[Differential, Differential, Differential]:
        """Return the differentials: centre, front and rear."""

        def differential(k: int, torque: Any, ratio: Any, speeds: tuple[Any, Any], share: Any = 0.5) -> Differential:
            return Differential(torque, ratio, speeds, self.bristle_torque[k], self.lock[k], self.bias[k], share)

        # speeds do not depend on torques: they are computed from the axles inwards, torques from the centre outwards
        unloaded = [differential(k, 0.0, self.axle, (self.shafts[2 * k - 2], self.shafts[2 * k - 1])) for k in (1, 2)]
        centre = differential(0, self.torque, 1.0, (unloaded[0].speed, unloaded[1].speed), self.share)
        front, rear = (differential(k, centre.torques[k - 1], self.axle, unloaded[k - 1].speeds) for k in (1, 2))
        return centre, front, rear

    @property
    def speed(self) -> Any:
        """Return the speed of the propeller shaft, in rad/s."""
        return self.differentials[0].speed

    @property
    def torques(self) -> list[Any]:
        """Return the torques of the half shafts, in N m."""
        return [torque for axle in self.differentials[1:] for torque in axle.torques]

    def oscillators(self, inertia: Any, hub: Any) -> list[list[Oscillator]]:
        """Return, for each wheel of this inertia in kg m2 behind a gear `hub`, the oscillators of its differentials."""
        centre, *axles = [
            d.coupling.oscillator(d.speeds[0] - d.speeds[1], inertia / share)
            for d, share in zip(self.differentials, ((self.axle * hub) ** 2, 2.0 * hub**2, 2.0 * hub**2), strict=True)
        ]
        return [[centre, axles[k // 2]] for k in range(4)]

    @property
    def rates(self) -> list[Any]:
        """Return the rates of `bristle_torque`, in N m/s."""
        return [d.rate for d in self.differentials]
