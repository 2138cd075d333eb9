"""A four-wheeled rover in the plane, with wheels in soft soil."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, cos, dot, fmax, sin, vertcat
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.terrain.ground.ground import WHEELS, Ground
from drawbar.blocks.terrain.ground.level import level_guards
from drawbar.blocks.terrain.soil.soil_stress import SoilStress
from drawbar.blocks.terrain.soil.tbf import TBF
from drawbar.blocks.tires.relaxation import MAX_SIDE_SLIP, Relaxation
from drawbar.blocks.tires.soil_rolling import soil_guards
from drawbar.blocks.vehicle.rover.rover_wheel import RoverWheel

CARRIED_SHARE = 0.98  # of the largest sinkage; `entry_angle` stops just below it where the soil does not carry the load


class PlanarRover(Continuous, step=2e-3):
    """A rigid body with three degrees of freedom on four wheels by the terramechanics-based formula (`TBF`).

    Steering angles and speeds of the wheels are given, as in the experiments of the paper. Loads are static, with the
    transfer by the acceleration of the centre of gravity, which is lagged so that no algebraic loop closes; the entry
    angle follows from the load without iteration (`entry_angle`)::

        m (v_x' - r v_y) = sum F_x          m (v_y' + r v_x) = sum F_y          I r' = sum (x F_y - y F_x + M_z)
        N = m (g o/(2 L) - h (+- a_x/(2 L) +- a_y o/(T L)))          tau a' = (sum F)/m - a

    with o the arm of the other axle and L the wheelbase. Slips relax (`Relaxation`), so the model holds at standstill
    as well. Valid on plane, level ground, without roll and pitch: a slope beyond 1 %, a ground without soil, or a wheel
    that sinks to its axle ends the run. Wheels are in the order front left, front right, rear left, rear right; axes
    are those of ISO 8855.

    ::

        steer[4], wheel_speed[4] --> |             | --> position, yaw, velocity, yaw_rate
        ground_fl, ... ------------> | PlanarRover | --> wheel_load, slip, slip_angle, sinkage, torque, power

    Source: Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011), figure 8; wheels of its
    table 3 with lugs. It gives no mass and size of its rover: those here are assumed.
    """

    steer = Input("rad", "steering angle of each wheel, positive to the left", size=4)
    wheel_speed = Input("rad/s", "speed of each wheel", size=4)
    ground_fl = Ground.sink("ground under the front left wheel")
    ground_fr = Ground.sink("ground under the front right wheel")
    ground_rl = Ground.sink("ground under the rear left wheel")
    ground_rr = Ground.sink("ground under the rear right wheel")

    mass = Parameter(18.0, "kg", "m, mass", min=0.1)
    yaw_inertia = Parameter(1.0, "kg.m2", "I, moment of inertia about the vertical", min=1e-3)
    front_arm = Parameter(0.25, "m", "distance of the front axle ahead of the centre of gravity", min=0.01)
    rear_arm = Parameter(0.25, "m", "distance of the rear axle behind the centre of gravity", min=0.01)
    track = Parameter(0.40, "m", "T, track width", min=0.01)
    cg_height = Parameter(0.15, "m", "h, height of the centre of gravity above the ground", min=0.0)
    radius = Parameter(0.080, "m", "r, radius of the wheels", min=0.01)
    width = Parameter(0.075, "m", "b, width of the wheels", min=0.01)
    lug_height = Parameter(0.005, "m", "h_b, height of the lugs", min=0.0)
    lug_ratio = Parameter(0.1, "1", "mu, fraction of the rim covered by lug tips", min=0.0, max=1.0)
    relaxation = Parameter(0.02, "m", "sigma, relaxation length of the slips, half the contact length", min=1e-3)
    damping_time = Parameter(0.02, "s", "tau, damping time of the slips at low speed", min=0.0)
    slow_speed = Parameter(
        0.02, "m/s", "speed below which the slips are damped and forward and backward rolling are blended", min=1e-4
    )
    lag = Parameter(0.02, "s", "tau, time constant of the acceleration in the load transfer", min=1e-3)

    place = State([0.0, 0.0], "m", "x and y of the centre of gravity", size=2)
    heading = State(0.0, "rad", "yaw angle")
    v = State([0.0, 0.0], "m/s", "v_x and v_y of the centre of gravity, rover axes", size=2)
    rate = State(0.0, "rad/s", "r, yaw rate")
    a = State([0.0, 0.0], "m/s2", "lagged longitudinal and lateral acceleration", size=2)
    s = State([0.0, 0.0, 0.0, 0.0], "1", "relaxed longitudinal slips", size=4)
    t = State([0.0, 0.0, 0.0, 0.0], "1", "relaxed lateral slips", size=4)

    position = Output("m", "x and y of the centre of gravity in the world", size=2)
    yaw = Output("rad", "yaw angle")
    velocity = Output("m/s", "velocity of the centre of gravity, rover axes", size=2)
    yaw_rate = Output("rad/s", "yaw rate")
    wheel_load = Output("N", "load of each wheel", size=4)
    slip = Output("1", "slip of each wheel, driving positive", size=4)
    slip_angle = Output("rad", "slip angle of each wheel, positive where it moves to its right", size=4)
    sinkage = Output("m", "sinkage of each wheel", size=4)
    torque = Output("N.m", "drive torque of each wheel", size=4)
    power = Output("W", "total power of the drives")

    @property
    def slip_relaxation(self) -> Relaxation:
        """Return the relaxation of the slips."""
        return Relaxation(self.relaxation, self.relaxation, self.damping_time, self.slow_speed, MAX_SIDE_SLIP)

    @property
    def wheel_positions(self) -> list[tuple[Any, Any]]:
        """Return x and y of the wheels from the centre of gravity, in m."""
        half = self.track / 2.0
        return [(x, y) for x in (self.front_arm, -self.rear_arm) for y in (half, -half)]

    def load(self, i: int) -> Any:
        """Return the load of a wheel, in N."""
        front, left = (1.0 if i < 2 else -1.0), (1.0 if i % 2 == 0 else -1.0)
        length, other = self.front_arm + self.rear_arm, self.rear_arm if i < 2 else self.front_arm
        transfer = front * self.a[0] / (2.0 * length) + left * self.a[1] * other / (self.track * length)
        return fmax(0.0, self.mass * (STANDARD_GRAVITY * other / (2.0 * length) - self.cg_height * transfer))

    @cached_property
    def wheels(self) -> list[RoverWheel]:
        """Return the four wheels in this state."""
        law, found = TBF(self.width, self.radius, self.lug_height, self.lug_ratio), []
        for i, (w, (x, y)) in enumerate(zip(WHEELS, self.wheel_positions, strict=True)):
            soil, c, s = SoilStress.of(getattr(self, f"ground_{w}")), cos(self.steer[i]), sin(self.steer[i])
            u, v = self.v[0] - self.rate * y, self.v[1] + self.rate * x
            motion = (c * u + s * v, c * v - s * u, self.wheel_speed[i] * law.shear_radius)
            found.append(RoverWheel.of(law, soil, self.load(i), self.slip_relaxation, motion, (self.s[i], self.t[i])))
        return found

    @cached_property
    def wrench(self) -> tuple[Any, Any, Any]:
        """Return longitudinal and lateral force in N and yaw moment in N m of all wheels, in axes of the rover."""
        X, Y, M = 0.0, 0.0, 0.0
        for i, ((x, y), wheel) in enumerate(zip(self.wheel_positions, self.wheels, strict=True)):
            c, s, f = cos(self.steer[i]), sin(self.steer[i]), wheel.forces
            F_x, F_y = c * f.F_x - s * f.F_y, s * f.F_x + c * f.F_y
            X, Y, M = X + F_x, Y + F_y, M + x * F_y - y * F_x + f.M_z
        return X, Y, M

    @property
    def wheel_places(self) -> list[Any]:
        """Return x and y of the wheels in the world, in m."""
        c, s = cos(self.heading), sin(self.heading)
        return [self.place + vertcat(c * x - s * y, s * x + c * y) for x, y in self.wheel_positions]

    def guards(self) -> dict[str, Any]:
        """Return the guards that the ground is level, that it has soil, and that the soil carries the wheels."""
        grounds = [getattr(self, f"ground_{w}") for w in WHEELS]
        instead = "on a slope use a body with hubs, such as WarthogBody"
        found = level_guards("PlanarRover", list(zip(grounds, self.wheel_places, strict=True)), instead)
        for w, ground, wheel in zip(WHEELS, grounds, self.wheels, strict=True):
            modulus = SoilStress.of(ground).modulus(self.width)
            found |= soil_guards(modulus, wheel.sinkage, CARRIED_SHARE * self.radius, f"the wheel {w}")
        return found

    def derivatives(self) -> dict[str, Any]:
        X, Y, M = self.wrench
        acceleration, c, s = vertcat(X, Y) / self.mass, cos(self.heading), sin(self.heading)
        return {
            "place": vertcat(c * self.v[0] - s * self.v[1], s * self.v[0] + c * self.v[1]),
            "heading": self.rate,
            "v": acceleration + self.rate * vertcat(self.v[1], -self.v[0]),
            "rate": M / self.yaw_inertia,
            "a": (acceleration - self.a) / self.lag,
            "s": vertcat(*(w.rates[0] for w in self.wheels)),
            "t": vertcat(*(w.rates[1] for w in self.wheels)),
        }

    def outputs(self) -> dict[str, Any]:
        torque = vertcat(*(-w.forces.M_y for w in self.wheels))
        found = {
            "position": self.place,
            "yaw": self.heading,
            "velocity": self.v,
            "yaw_rate": self.rate,
            "wheel_load": vertcat(*(self.load(i) for i in range(4))),
            "slip": vertcat(*(w.slip for w in self.wheels)),
            "slip_angle": vertcat(*(w.slip_angle for w in self.wheels)),
            "sinkage": vertcat(*(w.sinkage for w in self.wheels)),
            "torque": torque,
            "power": dot(torque, self.wheel_speed),
        }
        return found | {f"ground_{w}.at": at for w, at in zip(WHEELS, self.wheel_places, strict=True)}
