"""A bench for one wheel, which measures its pull against its slip."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, State, dot, fabs, fmax, fmin, if_else, logic_and, vertcat
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.vehicle.hub.hub import UPRIGHT, Hub


class SingleWheelTester(Continuous):
    """A single wheel under a dead load on a carriage, whose speed makes the slip run from one value to another.

    The wheel is turned at the speed omega; the drive holds it, be it a torque or a brake. The carriage goes at the
    speed of the slip s, over the free radius R, and is free up and down::

        v = R omega (1 - s) driving (s >= 0)         v = R omega/(1 + s) braking
        (load/g) z'' = F_z - load - damping z'       drive = gain (omega - spin) + gain/reset int (omega - spin)

    `pull` is what the wheel gives to the carriage, `torque` what it takes from the drive, `sinkage` how far its free
    circle reaches below the ground, and ``efficiency = pull v/(torque omega)`` where the wheel pulls. The sweep is slow
    beside all that settles in wheel and soil: 10 s or more for a slip of 1.

    ::

        hub (force, spin) --> | SingleWheelTester | --> hub (motion)
                              |                   | --> drive, pull, sinkage, torque, efficiency, slip
    """

    hub = Hub.source("hub of the wheel")

    load = Parameter(6000.0, "N", "dead load", min=1.0)
    radius = Parameter(0.47, "m", "R, free radius of the wheel", min=0.01)
    omega = Parameter(4.0, "rad/s", "speed of the wheel", min=0.01)
    first = Parameter(-0.2, "1", "slip at the beginning", min=-0.9, max=1.0)
    last = Parameter(0.9, "1", "slip at the end", min=-0.9, max=1.0)
    settle = Parameter(3.0, "s", "time before the sweep", min=0.0)
    duration = Parameter(20.0, "s", "of the sweep", min=0.1)
    damping = Parameter(2000.0, "N.s/m", "of the guide, up and down", min=0.0)
    gain = Parameter(500.0, "N.m.s/rad", "torque of the drive per difference of speed", min=0.0)
    reset = Parameter(0.1, "s", "time in which its integral doubles it", min=1e-3)

    x = State(0.0, "m", "way of the carriage")
    z = State(0.0, "m", "height of the hub")
    rising = State(0.0, "m/s", "its rate")
    lag = State(0.0, "rad", "integral of the difference of speed")

    drive = Output("N.m", "torque on the wheel")
    slip = Output("1", "slip over the free radius, driving positive")
    pull = Output("N", "drawbar pull")
    sinkage = Output("m", "of the free circle below the ground")
    torque = Output("N.m", "drive torque")
    efficiency = Output("1", "power of the pull over that of the drive")
    speed = Output("m/s", "of the carriage")

    def aim(self) -> Any:
        """Return the present commanded slip."""
        done = fmin(fmax((self.time - self.settle) / self.duration, 0.0), 1.0)
        return self.first + (self.last - self.first) * done

    def advance(self) -> Any:
        """Return the speed of the carriage, in m/s."""
        s = self.aim()
        return self.radius * self.omega * (1.0 - fmax(s, 0.0)) / (1.0 + fmin(s, 0.0))

    def turns(self) -> Any:
        """Return the torque of the drive, in N m."""
        return self.gain * (self.omega - self.hub.spin + self.lag / self.reset)

    def height(self) -> Any:
        """Return the height of the hub over the ground along its normal, in m."""
        return dot(vertcat(self.x, 0.0, self.z) - self.hub.point, self.hub.normal)

    def initial(self) -> dict[str, Any]:
        """Return the start values: the wheel stands on the spring whose data it sends."""
        hub = self.hub
        return {"z": hub.point[2] + (hub.radius - self.load / hub.stiffness) / hub.normal[2]}

    def guards(self) -> dict[str, Any]:
        """Return the guards: the radius must be that of the wheel, or the slip would be wrong."""
        return {
            "the bench has the radius of its wheel": (
                fabs(self.hub.radius / self.radius - 1.0) < 0.15,
                "the slip is taken over `radius` of the bench, and the wheel stands as one of another: set both alike",
            )
        }

    def derivatives(self) -> dict[str, Any]:
        up = self.hub.force[2] - self.load - self.damping * self.rising
        return {
            "x": self.advance(),
            "z": self.rising,
            "rising": up * STANDARD_GRAVITY / self.load,
            "lag": self.omega - self.hub.spin,
        }

    def outputs(self) -> dict[str, Any]:
        torque, v, spin = self.turns(), self.advance(), self.hub.spin
        pull, rim = self.hub.force[0], self.radius * spin
        given, taken = pull * v, torque * spin
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
            "efficiency": if_else(logic_and(given > 0.0, taken > given), given / fmax(taken, 1e-6), 0.0),
            "speed": v,
        }
