"""Bodies from vehicle files: a chassis on vertical springs with two to eight axles."""

from __future__ import annotations

import math
import os
from typing import Any, ClassVar

import casadi as ca

from drawbar.blocks import Input, Output, Parameter, State, atan, cos, dot, fabs, fmax, fmin, norm_2, sin, tan, vertcat
from drawbar.blocks.authoring.resource import folder_of
from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.vehicle.bodies.body_contact import contact_parameters
from drawbar.blocks.vehicle.bodies.body_dynamics import Knuckle
from drawbar.blocks.vehicle.bodies.chassis import with_payload
from drawbar.blocks.vehicle.bodies.hub_body import HubBody
from drawbar.blocks.vehicle.bodies.initial_pose import tilted
from drawbar.blocks.vehicle.bodies.vehicle_file import VehicleFile, read_vehicle, static_travels, turning_point
from drawbar.blocks.vehicle.hub.hub import Hub
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Body, Mechanism

Z = ca.DM([0, 0, 1])
STOP = 10.0  # stiffness of a stop over that of its spring
STEERING_FREQUENCY = 30.0  # rad/s, natural frequency of the steering gear


class VehicleBody(HubBody, abstract=True, method="rk4", step=2.5e-3):
    """A body from a vehicle file (`vehicle_file`), cut at its hubs: each wheel slides along a vertical of the chassis.

    Its degrees of freedom are the six of the chassis and the travel s of each wheel, positive in bump, measured from
    the free length of the spring. Between chassis and wheel act a linear spring, a damper, an anti-roll bar, and a stop
    of ten times the spring's stiffness at either end of the spring's length::

        F = k s + c s' + k_a (s - s_other) + stop(s)        0 < s < spring_length

    The steering wheel steers the road wheels by Ackermann's geometry: with the curvature kappa of the path of the point
    x_0 in the middle of the axles that do not steer, the steering angle of a wheel at (x, y) is
    ``atan((x - x_0) kappa/(1 - y kappa))``. The steering gear is a critically damped servo that follows within some
    hundredths of a second, up to the steering limits; the reaction of its torque is neglected. Camber, toe and track do
    not change with travel.

    ::

        steering_wheel, drive[n] --------------> |             | --> position, velocity, yaw, a, ...
        external_force[3], external_moment[3] -> | VehicleBody | --> hub_fl, _fr, _rl, _rr (motion)
        hubs (force, moment, spin) ------------> |             |

    The origin of the chassis lies below its centre of gravity, at the height of the springs' upper ends. With more than
    two axles the hubs are hub_1l, hub_1r, hub_2l, ... Drive torque comes by shafts from the chassis, which takes its
    reaction.

    Class keyword `file`: the path of the vehicle file, relative to the folder of the module. Its chassis, axle and
    steering data are parameters of the block; which axles are steered and powered is fixed. Tire data belong to the
    wheel FMUs (`drawbar new vehicle` writes them as parameter sets); here radius and stiffness determine only the
    approximate initial pose, and radius and width the inertia of a wheel where the file gives none.

    Valid for travels within the spring's length that are small against the track. Source: the vehicle of MAVS, as
    described in the 2020 paper.
    """

    data: ClassVar[VehicleFile]

    def __init_subclass__(cls, *, file: str | os.PathLike[str] | None = None, **rest: Any) -> None:
        if file is not None:
            cls.data = read_vehicle(folder_of(cls) / file)
            cls.wheels = cls.data.wheels
            cls.height, _ = _static_pose(cls.data)
            for name, word in declared_variables(cls.data).items():
                setattr(cls, name, word)
                word.__set_name__(cls, name)
        elif not rest.get("abstract") and not hasattr(cls, "facts"):
            raise DefinitionError(
                f"{cls.__name__}: name its vehicle file: class {cls.__name__}(VehicleBody, file='...')"
            )
        super().__init_subclass__(**rest)

    def axle(self, i: int) -> int:
        """Return the axle of the i-th wheel."""
        return i // 2

    def wheel_position(self, i: int) -> tuple[Any, Any]:
        """Return the position of the i-th wheel in the chassis: forward and to the left."""
        side = 0.5 - i % 2
        return self.axle_offset[self.axle(i)], side * self.track_width[self.axle(i)]

    def wheel_angles(self) -> list[Any]:
        """Return the angles of the road wheels, positive to the left."""
        steered = self.data.steered
        if not steered:
            return [ca.SX(0)] * len(self.wheels)
        kappa = tan(self.steer) / self._turning_arm(steered[0])
        found = []
        for i in range(len(self.wheels)):
            _, y = self.wheel_position(i)
            arm = self._turning_arm(self.axle(i))
            found.append(atan(arm * kappa / (1.0 - y * kappa)) if self.axle(i) in steered else ca.SX(0))
        return found

    def steer_lock(self) -> Any:
        """Return the angle in the middle of the first steered axle at which an inner wheel reaches its limit."""
        limits = []
        for k in self.data.steered:
            t = tan(self.steer_limit[k])
            limits.append(t / (fabs(self._turning_arm(k)) + 0.5 * self.track_width[k] * t))
        limit = limits[0]
        for other in limits[1:]:
            limit = fmin(limit, other)
        return atan(fabs(self._turning_arm(self.data.steered[0])) * limit)

    def _turning_arm(self, k: int) -> Any:
        """Return the distance of the axle k ahead of the turning point of the vehicle."""
        offsets = ca.vertsplit(self.axle_offset)
        return offsets[k] - turning_point(offsets, self.data.steered)

    def tree(self) -> Embedded:
        """Return the chassis, and the wheels on sliders."""
        body = {
            "mass_kg": self.sprung_mass,
            "com_m": vertcat(0.0, 0.0, self.cg_offset),
            "inertia_com_kgm2": ca.diag(self.inertia),
        }
        loaded_chassis = with_payload(body, self.payload_mass, self.payload_position)
        bodies = [
            Body(
                "chassis",
                None,
                "free",
                loaded_chassis["mass_kg"],
                loaded_chassis["com_m"],
                loaded_chassis["inertia_com_kgm2"],
            )
        ]
        for i, knuckle in enumerate(self.knuckles()):
            k = self.axle(i)
            axle = knuckle.axes[:, 1]
            across = self.wheel_inertia[k, 0] * (ca.DM.eye(3) - axle @ axle.T)
            mass = self.unsprung_mass[k]
            bodies.append(Body(knuckle.carrier, "chassis", "pris", mass, knuckle.centre, across, knuckle.centre, (Z,)))
        return Embedded(Mechanism(tuple(bodies)))

    def knuckles(self) -> list[Knuckle]:
        """Return the wheel mounts at the free length of the springs."""
        found = []
        for i, (w, angle) in enumerate(zip(self.wheels, self.wheel_angles(), strict=True)):
            k = self.axle(i)
            c, s = cos(angle), sin(angle)
            axes = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
            rate = ca.jacobian(angle, self.steer) * self.steer_rate if k in self.data.steered else ca.SX(0)
            centre = vertcat(*self.wheel_position(i), -self.free_length[k])
            found.append(Knuckle(w, f"upright_{w}", centre, axes, rate * Z, "chassis", self.wheel_inertia[k, 1]))
        return found

    def joints(self) -> dict[str, tuple[Any, Any]]:
        """Return the travels and their rates."""
        return {f"upright_{w}": (self.travel[i], self.travel_rate[i]) for i, w in enumerate(self.wheels)}

    def spring(self, i: int) -> tuple[Any, Any]:
        """Return the force of spring and stops of a wheel, positive in extension, and their energy."""
        k, s = self.axle(i), self.travel[i]
        rate, stop = self.spring_rate[k], STOP * self.spring_rate[k]
        rebound, compression = fmax(0.0, -s), fmax(0.0, s - self.free_length[k])
        energy = 0.5 * (rate * s**2 + stop * (rebound**2 + compression**2))
        return rate * s + stop * (compression - rebound), energy

    def joint_forces(self, motion_factor: float) -> dict[str, Any]:
        """Return the forces of springs, stops, dampers and anti-roll bars."""
        found: dict[str, Any] = {}
        for i, w in enumerate(self.wheels):
            k, other = self.axle(i), i ^ 1
            force = self.spring(i)[0] + self.damping[k] * motion_factor * self.travel_rate[i]
            found[f"upright_{w}"] = -force - self.anti_roll[k] * (self.travel[i] - self.travel[other])
        return found

    def elastic_energy(self) -> Any:
        """Return the energy of springs, stops and anti-roll bars."""
        bars = [
            0.5 * self.anti_roll[k] * (self.travel[2 * k] - self.travel[2 * k + 1]) ** 2
            for k in range(len(self.data.axles))
        ]
        return sum(self.spring(i)[1] for i in range(len(self.wheels))) + sum(bars)

    def guess(self) -> dict[str, Any]:
        """Return the equilibrium of linear springs and tires on the given grounds, with all wheels on the ground.

        The height ``z + a x + b y`` of the chassis over the ground at a wheel determines the length of spring and tire
        in series, and their forces carry the chassis: three linear equations.
        """
        c, s = cos(self.heading), sin(self.heading)
        total = self.sprung_mass + self.payload_mass
        moment = self.payload_mass * self.payload_position
        A, supports = ca.SX(3, 3), []
        right = STANDARD_GRAVITY * vertcat(total, moment[0], moment[1])
        for i, w in enumerate(self.wheels):
            k, hub = self.axle(i), self.wheel_port(w)
            wheel_position = vertcat(*self.wheel_position(i))
            at = (
                vertcat(
                    self.x + c * wheel_position[0] - s * wheel_position[1],
                    self.y + s * wheel_position[0] + c * wheel_position[1],
                )
                - hub.point[:2]
            )
            level = hub.point[2] - dot(hub.normal[:2], at) / hub.normal[2]
            row = vertcat(1.0, wheel_position)
            series = 1.0 / (1.0 / self.spring_rate[k] + 1.0 / hub.stiffness)
            free = level + hub.radius + self.free_length[k] - self.unsprung_mass[k] * STANDARD_GRAVITY / hub.stiffness
            A += series * (row @ row.T)
            right -= series * free * row
            supports.append((row, free, series / self.spring_rate[k]))
        plane = -ca.solve(A, right)
        along, across = c * plane[1] - s * plane[2], s * plane[1] + c * plane[2]
        q_x, q_y = tilted(vertcat(-along, -across, 1.0) / norm_2(vertcat(along, across, 1.0)), self.heading)
        travel = vertcat(*(share * (free - dot(row, plane)) for row, free, share in supports))
        return {"z": plane[0], "q_x": q_x, "q_y": q_y, "travel": travel}

    def guards(self) -> dict[str, Any]:
        """Return the guards of the chassis, that axles are in their order, and that only powered ones are driven."""
        found = super().guards()
        advice = "give `axle_offset` from front to rear, positive ahead of the centre of gravity"
        for k in range(1, len(self.data.axles)):
            distance = self.axle_offset[k - 1] - self.axle_offset[k]
            found[f"axle {k + 1} is behind axle {k}"] = (distance > 0.0, advice)
        for k, axle in enumerate(self.data.axles):
            if not axle["powered"]:
                torque = fabs(self.drive[2 * k]) + fabs(self.drive[2 * k + 1])
                advice = f"axle {k + 1} of {self.data.name} is not powered: leave its drive torque at 0"
                found[f"only powered axles are driven, and axle {k + 1} is none"] = (torque <= 0.0, advice)
        return found

    def derivatives(self) -> dict[str, Any]:
        """Return the derivatives of chassis, wheels and steering."""
        rates = self.dynamics.rates()
        found = super().derivatives() | {
            "travel": self.travel_rate,
            "travel_rate": vertcat(*(rates[f"upright_{w}"] for w in self.wheels)),
        }
        if self.data.steered:
            steer_lock = self.steer_lock()
            target = fmax(-steer_lock, fmin(steer_lock, self.steering_wheel / self.steering_ratio))
            found["steer"] = self.steer_rate
            found["steer_rate"] = (
                STEERING_FREQUENCY**2 * (target - self.steer) - 2.0 * STEERING_FREQUENCY * self.steer_rate
            )
        return found

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of `HubBody`, and those of springs and steering."""
        n = range(len(self.wheels))
        return super().outputs() | {
            "wheel_steer": vertcat(*self.wheel_angles()),
            "spring_length": vertcat(*(self.free_length[self.axle(i)] - self.travel[i] for i in n)),
            "spring_force": vertcat(*(self.spring(i)[0] for i in n)),
            "damper_force": vertcat(*(self.damping[self.axle(i)] * self.travel_rate[i] for i in n)),
        }


def _static_pose(v: VehicleFile) -> tuple[float, list[float]]:
    """Return the approximate height of the chassis origin on level ground and the travel of each axle, in m.

    The loads follow from heave and pitch of the chassis on its springs, and the tire deflections from the loads.
    """
    hubs, gaps = [], []
    for compression, axle in zip(static_travels(v), v.axles, strict=True):
        tire = axle["tire"]
        load = axle["spring_constant_N_per_m"] * compression + axle["unsprung_mass_kg"] * STANDARD_GRAVITY
        hubs.append(tire["radius_m"] - load / tire["spring_constant_N_per_m"])
        gaps.append(hubs[-1] + axle["spring_length_m"] - compression)
    height = sum(gaps) / len(gaps)
    travels = [hub + axle["spring_length_m"] - height for hub, axle in zip(hubs, v.axles, strict=True)]
    return height, travels


def _body_points(v: VehicleFile, height: float) -> dict[str, list[list[float]]]:
    """Return the points of the chassis that touch the ground: the box of its dimensions about its centre of gravity.

    Its underside is at least half a wheel radius above the ground at rest, where its origin is at `height`.
    """
    length, width, tall = v.chassis["dimensions_m"]
    top = v.chassis["cg_offset_m"] + 0.5 * tall
    bottom = max(top - tall, 0.5 * max(axle["tire"]["radius_m"] for axle in v.axles) - height)
    places = {"bumper": (0.5, 0.5, bottom), "underside": (0.25, 0.25, bottom), "roof": (0.5, 0.5, top)}
    return {
        part: [[sign * along * length, across * width, z] for sign in (1.0, -1.0)]
        for part, (along, across, z) in places.items()
    }


def declared_variables(v: VehicleFile) -> dict[str, Any]:
    """Return the variables of the body of a vehicle file."""
    n, wheels = len(v.axles), v.wheels

    def per_axle(key: str, unit: str, meaning: str, limit: float | None = None) -> Parameter:
        values = [axle[key] for axle in v.axles]
        return Parameter(values, unit, f"{meaning}, of each axle", size=n, min=limit)

    chassis, position = v.chassis, v.pose["position_m"]
    height, travels = _static_pose(v)
    angles = [math.radians(axle["max_steer_angle_deg"]) for axle in v.axles]
    steer = "steering angles of the road wheels relative to the chassis, positive to the left"
    found: dict[str, Any] = {
        "drive": Input("N.m", "drive torque at each wheel, by shafts from the chassis", size=2 * n),
        "sprung_mass": Parameter(chassis["sprung_mass_kg"], "kg", "mass of the chassis", min=1.0),
        "cg_offset": Parameter(
            chassis["cg_offset_m"], "m", "height of the centre of gravity of the chassis above the upper spring ends"
        ),
        "inertia": Parameter(
            chassis["inertia_kgm2"], "kg.m2", "principal inertias of the chassis about its axes", size=3, min=1e-3
        ),
        "payload_mass": Parameter(0.0, "kg", "mass of a payload fixed to the chassis, a point mass", min=0.0),
        "payload_position": Parameter([0.0, 0.0, 0.5], "m", "position of the payload, vehicle axes", size=3),
        "axle_offset": per_axle("longitudinal_offset_m", "m", "distance ahead of the centre of gravity"),
        "track_width": per_axle("track_width_m", "m", "track width", 0.1),
        "spring_rate": per_axle("spring_constant_N_per_m", "N/m", "k, spring rate", 1.0),
        "damping": per_axle("damping_constant_Ns_per_m", "N.s/m", "c, damping coefficient", 0.0),
        "free_length": per_axle("spring_length_m", "m", "free length of the springs", 0.01),
        "anti_roll": per_axle("anti_roll_N_per_m", "N/m", "k_a, rate of the anti-roll bar", 0.0),
        "unsprung_mass": per_axle("unsprung_mass_kg", "kg", "unsprung mass of a wheel", 0.1),
        "wheel_inertia": Parameter(
            [axle["wheel_inertia_kgm2"] for axle in v.axles],
            "kg.m2",
            "inertia of a wheel across its axle and about it, of each axle",
            size=(n, 2),
        ),
        "sensor": Parameter(
            [0.0, 0.0, chassis["cg_offset_m"]], "m", "position of the sensor point, vehicle axes", size=3
        ),
        "heading": Parameter(v.heading, "rad", "initial yaw angle"),
        "x": State(position[0], "m", "x of the chassis origin in the world"),
        "y": State(position[1], "m", "y of the chassis origin in the world"),
        "z": State(height, "m", "z of the chassis origin in the world", solve=True),
        "travel": State(
            [s for s in travels for _ in "lr"],
            "m",
            "s, travels of the wheels, positive in bump",
            size=2 * n,
            solve=True,
        ),
        "travel_rate": State(0.0, "m/s", "rates of the wheel travels", size=2 * n),
        "wheel_steer": Output("rad", steer, size=2 * n),
        "spring_length": Output("m", "lengths of the springs", size=2 * n),
        "spring_force": Output("N", "forces of springs and stops, positive in extension", size=2 * n),
        "damper_force": Output("N", "forces of the dampers, positive in extension", size=2 * n),
    }
    mass = chassis["sprung_mass_kg"] + 2.0 * sum(axle["unsprung_mass_kg"] for axle in v.axles)
    found |= contact_parameters(_body_points(v, height), mass)
    found |= {f"hub_{w}": Hub.source(f"hub of the wheel {w}") for w in wheels}
    if v.steered:
        found |= {
            "steering_wheel": Input("rad", "angle of the steering wheel, positive to the left"),
            "steering_ratio": Parameter(
                v.steering["ratio"], "1", "steering wheel angle over road wheel angle", min=0.1
            ),
            "steer_limit": Parameter(angles, "rad", "largest steering angle of a wheel, of each axle", size=n, min=0.0),
            "steer": State(0.0, "rad", "steering angle in the middle of the first steered axle"),
            "steer_rate": State(0.0, "rad/s", "rate of the steering angle"),
        }
    return found
