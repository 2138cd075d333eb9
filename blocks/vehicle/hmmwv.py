"""What both HMMWVs with suspensions share: what moves but the wheels, where it starts, and what is seen of it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import (
    Continuous,
    Input,
    Output,
    Parameter,
    State,
    asin,
    atan2,
    cos,
    cross,
    dot,
    norm_2,
    sin,
    vertcat,
)
from drawbar.blocks.vehicle.hmmwv_car import Car, Sought, yawed
from drawbar.blocks.vehicle.hmmwv_parameters import Hardpoints, car_values
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.spatial import quaternion_rate
from drawbar.blocks.vehicle.wishbone_car import WHEELS, axle, mechanism, mirrored, rotors

LEAN = 0.3  # cosine of the largest angle between the chassis and the ground


class Hmmwv(Continuous, Hardpoints, abstract=True):  # type: ignore[misc]
    """Chassis (6 coordinates), Pitman arm (1) and lower arms (4) of a HMMWV; all other bodies follow them.

    The loops of steering and suspensions are embedded: the articulated-body recursion runs over them as compound
    bodies, so that no constraint and no drift is left. With the rates u of the free joints::

        M(q) u' = tau(q, u) - C(q, u)

    Springs ``F = k x (1 + p x^2)`` with rubber stops, dampers with two slopes; the steering wheel turns the Pitman arm
    through a column that twists. Drive torque comes by half shafts from differentials on the chassis, which takes its
    reaction. It starts in static equilibrium on the grounds, with `speed` along its `heading`. These it asks for where
    its wheels are by the given `x`, `y` and `heading`, level and in design position; from then on where they are.

    Axes are ISO 8855: x forward, y left, z up, roll positive to the right, pitch positive nose down, yaw to the left;
    the world's z is up. The origin of the chassis lies midway between the suspensions at the height of the lower
    pivots. Wheels: front left, front right, rear left, rear right.
    """

    steering_wheel = Input("rad", "angle of the steering wheel, positive to the left")
    drive = Input("N.m", "drive torque at each wheel, by shafts from the chassis", size=4)
    push = Input("N", "force on the chassis at its origin, chassis axes", size=3)
    twist = Input("N.m", "moment on the chassis, chassis axes", size=3)
    sensor = Parameter([0.04833, 0.0, 0.1687], "m", "where accelerations are measured, vehicle axes", size=3)
    speed = Parameter(0.0, "m/s", "forward speed at the start")
    heading = Parameter(0.0, "rad", "yaw angle at the start")

    x = State(0.0, "m", "x of the chassis origin in the world")
    y = State(0.0, "m", "y of the chassis origin in the world")
    z = State(0.52, "m", "z of the chassis origin in the world", solve=True)
    q_w = State(1.0, "1", "rotation of the chassis: scalar part of its quaternion")
    q_x = State(0.0, "1", "its x part", solve=True)
    q_y = State(0.0, "1", "its y part", solve=True)
    q_z = State(0.0, "1", "its z part")
    omega = State(0.0, "rad/s", "angular velocity in chassis axes", size=3)
    v = State(0.0, "m/s", "velocity of the chassis origin in chassis axes", size=3, solve=True)
    pitman = State(0.0, "rad", "angle of the Pitman arm, to the right", solve=True)
    pitman_rate = State(0.0, "rad/s", "its rate")
    arm = State(
        [-0.0948, -0.0948, -0.2108, -0.2108], "rad", "angles of the lower arms, bump positive", size=4, solve=True
    )
    arm_rate = State(0.0, "rad/s", "their rates", size=4)
    position = Output("m", "position of the sensor point in the world", size=3)
    velocity = Output("m/s", "velocity of the sensor point along the yawed axes", size=3)
    a = Output("m/s2", "acceleration of the sensor point along the yawed axes, zero at rest", size=3)
    yaw = Output("rad", "yaw angle, from the world's x to the left")
    pitch = Output("rad", "pitch angle, positive nose down")
    roll = Output("rad", "roll angle, positive to the right")
    yaw_rate = Output("rad/s", "rate of turning about the vertical")
    pitch_rate = Output("rad/s", "rate of turning about the left axis of the chassis")
    roll_rate = Output("rad/s", "rate of turning about the forward axis of the chassis")
    wheel_steer = Output("rad", "angles of the road wheels to the chassis, positive to the left", size=4)
    spring_length = Output("m", "lengths of the springs", size=4)
    spring_force = Output("N", "forces of springs and stops, positive pushing apart", size=4)
    damper_force = Output("N", "forces of the dampers, positive pushing apart", size=4)
    kinetic_energy = Output("J", "kinetic energy")
    potential_energy = Output("J", "potential energy of height over z = 0, springs, stops, column and upright tires")
    margin = Output("1", "how far the loops are from opening, 1 at best")

    def make_car(self, sought: Sought | None = None) -> Car:
        """The car in this state, or at rest in a pose that is sought."""
        raise TypeError(f"{type(self).__name__} does not say what its wheels are: give it make_car()")

    def footing(self, wheel: str) -> Any:
        """What has the `point` and the `normal` of the ground under a wheel."""
        raise TypeError(f"{type(self).__name__} does not say where it stands: give it footing()")

    def stance(self, wheel: str) -> tuple[Any, Any]:
        """Free radius in m and stiffness in N/m of the spring that a wheel is at the start."""
        raise TypeError(f"{type(self).__name__} does not say how its wheels stand: give it stance()")

    @cached_property
    def tree(self) -> tuple[Embedded, Any]:
        """The compound tree, and the values it is made of."""
        values = car_values(self)
        return Embedded(mechanism(values), rotors()), values

    @cached_property
    def car(self) -> Any:
        """The car in motion."""
        return self.make_car()

    @cached_property
    def still(self) -> tuple[Sought, Any]:
        """The pose of the start, and the car at rest in it."""
        sought = Sought(self)
        return sought, self.make_car(sought)

    def initial(self) -> dict[str, Any]:
        """Heading as asked for."""
        return {"q_w": cos(0.5 * self.heading), "q_z": sin(0.5 * self.heading)}

    def residuals(self) -> dict[str, Any]:
        """Static equilibrium on the ground, and the speed of the start."""
        sought, still = self.still
        whole, along, _ = still.imbalance
        normal = sum(self.footing(w).normal for w in WHEELS)
        ahead = vertcat(cos(self.heading), sin(self.heading), 0.0)
        ahead = ahead - normal * dot(normal, ahead) / dot(normal, normal)
        return {
            "force on the chassis": sought.residual(0, whole[5]),
            "roll moment on the chassis": sought.residual(1, whole[0]),
            "pitch moment on the chassis": sought.residual(2, whole[1]),
            "moment on the Pitman arm": along[("pitman", 0)],
            **{f"moment on the lower arm {w}": along[(f"lower_arm_{w}", 0)] for w in WHEELS},
            "velocity against the heading": still.R @ self.v - self.speed * ahead / norm_2(ahead),
        }

    def asked(self, wheel: str) -> Any:
        """Where a wheel asks for its ground before it stands: x and y of its centre in the pose that is given."""
        c, s = cos(self.heading), sin(self.heading)
        at = mirrored(getattr(self, f"{axle(wheel)}_wheel_center"), wheel)
        return vertcat(self.x + c * at[0] - s * at[1], self.y + s * at[0] + c * at[1])

    def guards(self) -> dict[str, Any]:
        """Loops that close, and wheels that do not lie on their sides."""
        normal = sum(self.footing(w).normal for w in WHEELS) / 4.0
        return {
            "the suspension loops close": (
                self.car.configuration.margin > 0.0,
                "an arm is beyond its travel: soften the impact, stiffen the stops, or check the hardpoints",
            ),
            "the vehicle stands on its wheels": (
                dot(normal, self.car.R[:, 2]) > LEAN,
                "it has rolled over, and its body touches no ground",
            ),
        }

    def derivatives(self) -> dict[str, Any]:
        """Of what moves but the wheels."""
        car = self.car
        q = vertcat(self.q_w, self.q_x, self.q_y, self.q_z)
        turned = quaternion_rate(q, self.omega) + (1.0 - dot(q, q)) * q
        place = car.R @ self.v
        return {
            **dict(zip(("x", "y", "z"), ca.vertsplit(place), strict=True)),
            **dict(zip(("q_w", "q_x", "q_y", "q_z"), ca.vertsplit(turned), strict=True)),
            "omega": car.motion.A["chassis"][:3],
            "v": car.motion.A["chassis"][3:] + car.gravity,
            "pitman": self.pitman_rate,
            "pitman_rate": car.rates["pitman"],
            "arm": self.arm_rate,
            "arm_rate": vertcat(*(car.rates[f"lower_arm_{w}"] for w in WHEELS)),
        }

    def outputs(self) -> dict[str, Any]:
        """What is seen of it."""
        car, s = self.car, self.sensor
        R, corners = car.R, car.corners
        yaw = atan2(R[1, 0], R[0, 0])
        axes = [car.axis(w) for w in WHEELS]
        kinetic, potential = car.energies()
        return {
            "position": car.place + R @ s,
            "velocity": yawed(yaw, R @ (self.v + cross(self.omega, s))),
            "a": yawed(yaw, R @ car.acceleration(s)),
            "yaw": yaw,
            "pitch": -asin(R[2, 0]),
            "roll": atan2(R[2, 1], R[2, 2]),
            "yaw_rate": dot(R[2, :].T, self.omega),
            "pitch_rate": self.omega[1],
            "roll_rate": self.omega[0],
            "wheel_steer": vertcat(*(atan2(-a[0], a[1]) for a in axes)),
            "spring_length": vertcat(*(c.spring.length for c in corners)),
            "spring_force": vertcat(*(c.spring.force + c.spring.stops for c in corners)),
            "damper_force": vertcat(*(c.damper for c in corners)),
            "kinetic_energy": kinetic,
            "potential_energy": potential,
            "margin": car.configuration.margin,
        }
