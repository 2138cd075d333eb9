"""A single-wheel tester, which measures drawbar pull over slip."""

from typing import Any

from drawbar.blocks import (
    Continuous,
    Output,
    Parameter,
    State,
    dot,
    fabs,
    fmax,
    fmin,
    if_else,
    logic_and,
    vertcat,
)
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.terrain.ground.level import level_guards
from drawbar.blocks.vehicle.hub.hub import UPRIGHT, Hub

MIN_HEIGHT = 0.15  # least height of the hub at rest over the radius; laws of soil end at a sinkage of 0.88
MAX_RADIUS_ERROR = 0.15  # of the radius; a wheel sends the radius of its spring, which in soil is not quite its own


class SingleWheelTester(Continuous):
    """A single wheel under a dead load on a carriage, whose speed sweeps the slip from one value to another.

    A drive keeps the wheel at the angular speed omega, by driving or braking it. The carriage moves at the speed of the
    commanded slip s with the free radius R, and is free to move vertically::

        v = R omega (1 - s) driving (s >= 0)         v = R omega/(1 + s) braking
        (load/g) z'' = F_z - load - damping z'       drive = gain (omega - spin) + gain/reset int (omega - spin)

    `pull` is the force of the wheel on the carriage, `torque` that of the drive on the wheel, `sinkage` the depth of
    the free circle below the ground, and ``efficiency = pull v/(torque omega)`` where the wheel pulls. The sweep must
    be slow against the settling of wheel and soil: 10 s or more for a slip of 1. Valid on level ground; a slope beyond
    1 % ends the run.

    ::

        hub (force, spin) --> | SingleWheelTester | --> hub (motion)
                              |                   | --> drive, pull, sinkage, torque, efficiency, slip
    """

    hub = Hub.source("hub of the wheel")

    load = Parameter(6000.0, "N", "dead load on the wheel", min=1.0)
    radius = Parameter(0.47, "m", "R, free radius of the wheel", min=0.01)
    omega = Parameter(4.0, "rad/s", "angular speed of the wheel", min=0.01)
    first = Parameter(-0.2, "1", "slip at the beginning of the sweep", min=-0.9, max=1.0)
    last = Parameter(0.9, "1", "slip at the end of the sweep", min=-0.9, max=1.0)
    settle = Parameter(3.0, "s", "time before the sweep", min=0.0)
    duration = Parameter(20.0, "s", "duration of the sweep", min=0.1)
    damping = Parameter(2000.0, "N.s/m", "vertical damping of the guide", min=0.0)
    gain = Parameter(500.0, "N.m.s/rad", "proportional gain of the drive: torque per speed error", min=0.0)
    reset = Parameter(0.1, "s", "integral time of the drive", min=1e-3)

    x = State(0.0, "m", "travel of the carriage")
    z = State(0.0, "m", "height of the hub")
    rising = State(0.0, "m/s", "vertical velocity of the hub")
    lag = State(0.0, "rad", "integral of the speed error")

    drive = Output("N.m", "drive torque on the wheel")
    slip = Output("1", "longitudinal slip with the free radius, driving positive")
    pull = Output("N", "drawbar pull")
    sinkage = Output("m", "depth of the free circle below the ground")
    torque = Output("N.m", "drive torque")
    efficiency = Output("1", "tractive efficiency: power of the pull over power of the drive")
    speed = Output("m/s", "speed of the carriage")

    def commanded_slip(self) -> Any:
        """Return the present commanded slip."""
        done = fmin(fmax((self.time - self.settle) / self.duration, 0.0), 1.0)
        return self.first + (self.last - self.first) * done

    def carriage_speed(self) -> Any:
        """Return the speed of the carriage, in m/s."""
        s = self.commanded_slip()
        return self.radius * self.omega * (1.0 - fmax(s, 0.0)) / (1.0 + fmin(s, 0.0))

    def drive_torque(self) -> Any:
        """Return the torque of the drive, in N m."""
        return self.gain * (self.omega - self.hub.spin + self.lag / self.reset)

    def height(self) -> Any:
        """Return the height of the hub over the ground along its normal, in m."""
        return dot(vertcat(self.x, 0.0, self.z) - self.hub.point, self.hub.normal)

    def initial(self) -> dict[str, Any]:
        """Return the start values: the wheel stands on the equivalent spring that it sends."""
        hub = self.hub
        return {"z": hub.point[2] + (hub.radius - self.load / hub.stiffness) / hub.normal[2]}

    def guards(self) -> dict[str, Any]:
        """Return the guards that the ground is level and carries the wheel, and that the radius is that of the wheel.

        Otherwise the pull, which is taken along the world's x, and the slip would be wrong.
        """
        hub = self.hub
        height = hub.radius - self.load / hub.stiffness  # of the hub at rest; of a drowned wheel it is near zero
        carried = height > MIN_HEIGHT * self.radius
        return level_guards("the bench", [(hub, None)], "set the slope of its ground to 0") | {
            "the ground carries the wheel of the bench": (
                carried,
                "the wheel sinks to its axle under the dead load: choose a firmer soil or a smaller `load`",
            ),
            "the bench has the radius of its wheel": (
                if_else(carried, fabs(hub.radius / self.radius - 1.0), 0.0) < MAX_RADIUS_ERROR,
                "the slip is formed with `radius` of the bench, but the wheel has another radius: set both alike",
            ),
        }

    def derivatives(self) -> dict[str, Any]:
        up = self.hub.force[2] - self.load - self.damping * self.rising
        return {
            "x": self.carriage_speed(),
            "z": self.rising,
            "rising": up * STANDARD_GRAVITY / self.load,
            "lag": self.omega - self.hub.spin,
        }

    def outputs(self) -> dict[str, Any]:
        torque, v, spin = self.drive_torque(), self.carriage_speed(), self.hub.spin
        pull, rim = self.hub.force[0], self.radius * spin
        output_power, input_power = pull * v, torque * spin
        return {
            "hub.position": vertcat(self.x, 0.0, self.z),
            "hub.rotation": UPRIGHT,
            "hub.velocity": vertcat(v, 0.0, self.rising),
            "hub.omega": [0.0, 0.0, 0.0],
            "hub.at": vertcat(self.x, 0.0),
            "drive": torque,
            "slip": (rim - v) / fmax(fmax(rim, v), 1e-6),
            "pull": pull,
            "sinkage": self.radius - self.height(),
            "torque": torque,
            "efficiency": if_else(
                logic_and(output_power > 0.0, input_power > output_power), output_power / fmax(input_power, 1e-6), 0.0
            ),
            "speed": v,
        }
