"""The base of all vehicles that move freely in space: the chassis, its initialization, and its outputs."""

from __future__ import annotations

from collections.abc import Mapping
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
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.multibody.inertia_check import inertia_guards
from drawbar.blocks.vehicle.multibody.spatial import quaternion_rate

MIN_TILT_COSINE = 0.3  # cosine of the angle between chassis z axis and ground normal at which it has rolled over


class Chassis(Continuous, abstract=True):
    """A chassis with six degrees of freedom, and the parts that are mounted on it, in one FMU.

    Axes are ISO 8855: x forward, y left, z up, roll positive to the right, pitch positive nose down, yaw to the left;
    the world's z is up. Pose and motion of the chassis are those of its origin. It starts in static equilibrium on the
    grounds of its `wheels`, on slopes as brakes and tires hold it (`Support`), with `speed` along its `heading`; drive
    torque at initialization has no effect. Bumpers, underside and roof touch the ground (`BodyContact`), so a vehicle
    that rolls over lies on it. During initialization the ground query points are those of the wheels at the
    given `x`, `y` and `heading`, level and in the design position; afterwards they follow the wheels.
    """

    initial_values = {"velocity[1]": "speed"}
    warn_if_below = {"tilt_cosine": (MIN_TILT_COSINE, "the vehicle has rolled over")}

    external_force = Input("N", "external force on the chassis at its origin, chassis axes", size=3)
    external_moment = Input("N.m", "external moment on the chassis, chassis axes", size=3)
    sensor = Parameter(0.0, "m", "position of the sensor point, vehicle axes", size=3)
    speed = Parameter(0.0, "m/s", "initial forward speed")
    heading = Parameter(0.0, "rad", "initial yaw angle")

    x = State(0.0, "m", "x of the chassis origin in the world")
    y = State(0.0, "m", "y of the chassis origin in the world")
    z = State(0.5, "m", "z of the chassis origin in the world", solve=True)
    q_w = State(1.0, "1", "scalar part of the chassis quaternion")
    q_x = State(0.0, "1", "x part of the chassis quaternion", solve=True)
    q_y = State(0.0, "1", "y part of the chassis quaternion", solve=True)
    q_z = State(0.0, "1", "z part of the chassis quaternion")
    omega = State(0.0, "rad/s", "angular velocity of the chassis, chassis axes", size=3)
    v = State(0.0, "m/s", "velocity of the chassis origin, chassis axes", size=3, solve=True)

    position = Output("m", "position of the sensor point in the world", size=3)
    velocity = Output("m/s", "velocity of the sensor point, along the axes turned by yaw alone", size=3)
    a = Output("m/s2", "acceleration of the sensor point, along the axes turned by yaw alone; zero at rest", size=3)
    yaw = Output("rad", "yaw angle, from the world's x to the left")
    pitch = Output("rad", "pitch angle, positive nose down")
    roll = Output("rad", "roll angle, positive to the right")
    yaw_rate = Output("rad/s", "angular velocity about the world's vertical")
    pitch_rate = Output("rad/s", "angular velocity about the left axis of the chassis")
    roll_rate = Output("rad/s", "angular velocity about the forward axis of the chassis")
    kinetic_energy = Output("J", "kinetic energy")
    potential_energy = Output("J", "potential energy of height above z = 0, springs, stops and other elastic parts")

    ground_clearance = Output(
        "m", "smallest distance of bumpers, underside and roof to the ground at the wheels, negative if compressed"
    )
    body_load = Output("N", "sum of the normal forces of the ground on the body")
    tilt_cosine = Output("1", "cosine of the angle between the z axis of the chassis and the normal of the ground")

    wheels: tuple[str, ...] = ()

    def wheel_port(self, wheel: str) -> Any:
        """Return the port with the `point` and the `normal` of the ground under a wheel."""
        raise TypeError(f"{type(self).__name__} has no ground ports: define wheel_port()")

    def design_centre(self, wheel: str) -> Any:
        """Return the centre of a wheel in the design position, vehicle axes."""
        raise TypeError(f"{type(self).__name__} has no wheel positions: define design_centre()")

    @property
    def dynamics(self) -> Any:
        """Return the vehicle in this state: `origin`, `R`, `gravity`, `motion` and `energies`."""
        raise TypeError(f"{type(self).__name__} has no dynamics: define dynamics")

    def ground_query_point(self, wheel: str) -> Any:
        """Return the ground query point of a wheel at initialization: x and y of its centre in the given pose."""
        c, s, at = cos(self.heading), sin(self.heading), self.design_centre(wheel)
        return vertcat(self.x + c * at[0] - s * at[1], self.y + s * at[0] + c * at[1])

    def initial(self) -> dict[str, Any]:
        """Return the quaternion of the given heading."""
        return {"q_w": cos(0.5 * self.heading), "q_z": sin(0.5 * self.heading)}

    def chassis_residuals(self, initial_pose: InitialPose, total_wrench: Any, R: Any) -> dict[str, Any]:
        """Return the initial residuals of the chassis: moment and force on the whole vehicle, and its velocity."""
        normal = sum(self.wheel_port(w).normal for w in self.wheels)
        ahead = vertcat(cos(self.heading), sin(self.heading), 0.0)
        ahead = ahead - normal * dot(normal, ahead) / dot(normal, normal)
        return {
            "force on the chassis": initial_pose.residual(0, total_wrench[5]),
            "roll moment on the chassis": initial_pose.residual(1, total_wrench[0]),
            "pitch moment on the chassis": initial_pose.residual(2, total_wrench[1]),
            "velocity against the heading": R @ self.v - self.speed * ahead / norm_2(ahead),
        }

    def guards(self) -> dict[str, Any]:
        """Return the guards that the inertias are those of bodies."""
        return inertia_guards({body.name: body.inertia for body in self.dynamics.tree.mechanism.bodies})

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bound on the steps of explicit methods by the ground under the body."""
        car = self.dynamics
        mass = sum(body.mass for body in car.tree.mechanism.bodies)
        return {"body on the ground": car.body_contact.stability_bound(mass)}

    def acceleration(self, point: Any) -> Any:
        """Return the acceleration of a point of the chassis, in chassis axes."""
        A, omega = self.dynamics.motion.A["chassis"], self.omega
        return A[3:] + self.dynamics.gravity + cross(A[:3], point) + cross(omega, self.v + cross(omega, point))

    def derivatives(self) -> dict[str, Any]:
        """Return the derivatives of the states of the chassis."""
        car = self.dynamics
        q = vertcat(self.q_w, self.q_x, self.q_y, self.q_z)
        quaternion_derivative = quaternion_rate(q, self.omega) + (1.0 - dot(q, q)) * q
        return {
            **dict(zip(("x", "y", "z"), ca.vertsplit(car.R @ self.v), strict=True)),
            **dict(zip(("q_w", "q_x", "q_y", "q_z"), ca.vertsplit(quaternion_derivative), strict=True)),
            "omega": car.motion.A["chassis"][:3],
            "v": car.motion.A["chassis"][3:] + car.gravity,
        }

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the chassis."""
        car, s = self.dynamics, self.sensor
        normal = sum(self.wheel_port(w).normal for w in self.wheels) / len(self.wheels)
        R = car.R
        yaw = atan2(R[1, 0], R[0, 0])
        kinetic, potential = car.energies()
        return {
            "position": car.origin + R @ s,
            "velocity": yawed(yaw, R @ (self.v + cross(self.omega, s))),
            "a": yawed(yaw, R @ self.acceleration(s)),
            "yaw": yaw,
            "pitch": -asin(R[2, 0]),
            "roll": atan2(R[2, 1], R[2, 2]),
            "yaw_rate": dot(R[2, :].T, self.omega),
            "pitch_rate": self.omega[1],
            "roll_rate": self.omega[0],
            "kinetic_energy": kinetic,
            "potential_energy": potential + car.body_contact.energy,
            "ground_clearance": car.body_contact.clearance,
            "body_load": car.body_contact.load,
            "tilt_cosine": dot(normal, car.R[:, 2]),
        }


def yawed(yaw: Any, w: Any) -> Any:
    """Return a world vector in axes that are rotated by the yaw angle alone."""
    return vertcat(cos(yaw) * w[0] + sin(yaw) * w[1], cos(yaw) * w[1] - sin(yaw) * w[0], w[2])


def with_payload(body: Mapping[str, Any], mass: Any, at: Any) -> dict[str, Any]:
    """Return the mass properties of a body with a point mass fixed to it."""
    total = body["mass_kg"] + mass
    arm = at - body["com_m"]
    share = mass / total
    spread = body["mass_kg"] * share * (ca.dot(arm, arm) * ca.DM.eye(3) - arm @ arm.T)
    return {
        "mass_kg": total,
        "com_m": body["com_m"] + share * arm,
        "inertia_com_kgm2": body["inertia_com_kgm2"] + spread,
    }
