"""Poses, motions and loads of a body that is cut at its hubs, in one state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import cross, fmax, vertcat
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.tires.rolling_wheel import static_contact
from drawbar.blocks.tires.support import Support, effective_gravity, static_brake_capacity, tangential_ratio
from drawbar.blocks.vehicle.bodies.body_contact import BodyContact
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hub.upright import Upright, hub_ground_plane, hub_wrench
from drawbar.blocks.vehicle.multibody.embedded import Embedded, first_moment, independent_forces, kinetic_energy
from drawbar.blocks.vehicle.multibody.embedding import Motion, motion, projected
from drawbar.blocks.vehicle.multibody.spatial import couple, force_at, from_quaternion


@dataclass(frozen=True)
class Knuckle:
    """The mount of a wheel on the body `carrier`, with its centre and axes in the design position.

    `steering_velocity` is the angular velocity of the axes relative to the carrier. The drive torque comes from a motor
    or differential on the body `drive_body`, which takes its reaction. `inertia` is the spin inertia of the wheel.
    """

    wheel: str
    carrier: str
    centre: Any
    axes: Any
    steering_velocity: Any
    drive_body: str
    inertia: Any


class BodyDynamics:
    """The body in one state, in chassis axes about the chassis origin; at rest if its pose is `initial_pose`.

    `block` is a `HubBody`; `joints` are the coordinates and rates of its independent joints by name.
    """

    def __init__(
        self,
        block: Any,
        tree: Embedded,
        knuckles: Sequence[Knuckle],
        joints: Mapping[str, tuple[Any, Any]],
        initial_pose: InitialPose | None = None,
    ) -> None:
        self.block, self.tree, self.knuckles, self.joints = block, tree, knuckles, joints
        z, q_x, q_y = (block.z, block.q_x, block.q_y) if initial_pose is None else initial_pose.pose
        self.origin = vertcat(block.x, block.y, z)  # position of the chassis origin in the world
        self.R = from_quaternion(vertcat(block.q_w, q_x, q_y, block.q_z))
        self.motion_factor = 1.0 if initial_pose is None else 0.0
        self.base = self.motion_factor * vertcat(block.omega, block.v)
        rates = vertcat(*(self.motion_factor * joints[name][1] for name, _ in tree.rates))
        self.configuration = tree.configuration({name: q for name, (q, _) in joints.items()}, rates)
        self.poses = self.configuration.poses
        self.V = self.configuration.motions(self.base)

    @property
    def gravity(self) -> Any:
        """Return gravity in chassis axes, in m/s2."""
        return self.R.T @ ca.DM([0, 0, -STANDARD_GRAVITY])

    @cached_property
    def uprights(self) -> list[Upright]:
        """Return the uprights, to which the wheels are mounted."""
        found = []
        for k in self.knuckles:
            pose = self.poses[k.carrier]
            steering_velocity = self.motion_factor * pose.R @ k.steering_velocity
            centre = pose.at(k.centre)
            # the rotation about the kingpin does not move the wheel centre
            motion = self.V[k.carrier] + vertcat(steering_velocity, -cross(steering_velocity, centre))
            found.append(Upright(centre, pose.R @ k.axes, motion))
        return found

    def centre(self, wheel: str) -> Any:
        """Return the centre of a wheel."""
        return self.uprights[self.block.wheels.index(wheel)].centre

    def plane(self, wheel: str) -> tuple[Any, Any]:
        """Return point and normal of the ground under a wheel."""
        return hub_ground_plane(self.block.wheel_port(wheel), self.origin, self.R)

    @cached_property
    def body_contact(self) -> BodyContact:
        """Return the contact of the chassis with the ground."""
        return BodyContact(self)

    @cached_property
    def motion(self) -> Motion:
        """Return the accelerations, relative to free fall."""
        b = self.block
        wrenches: dict[str, Any] = {"chassis": vertcat(b.external_moment, b.external_force) + self.body_contact.wrench}
        for i, (k, upright) in enumerate(zip(self.knuckles, self.uprights, strict=True)):
            wrench = hub_wrench(b.wheel_port(k.wheel), upright, self.R, k.inertia)
            wrenches[k.carrier] = wrenches.get(k.carrier, 0) + wrench
            wrenches[k.drive_body] = wrenches.get(k.drive_body, 0) - couple(b.drive[i] * upright.axis)
        return motion(self.tree.mechanism, self.configuration.compounds, self.base, self._joint_forces, wrenches)

    @property
    def _joint_forces(self) -> list[Any]:
        return independent_forces(
            self.tree, {(name, 0): f for name, f in self.block.joint_forces(self.motion_factor).items()}
        )

    def imbalance(self) -> tuple[Any, dict[str, Any]]:
        """Return, at rest, the total moment and force in chassis axes, and the residuals along the joints."""
        b, m = self.block, self.tree.mechanism
        wrenches: dict[str, Any] = {}
        supports, normals = [], []
        for k, upright in zip(self.knuckles, self.uprights, strict=True):
            hub = b.wheel_port(k.wheel)
            plane = self.plane(k.wheel)
            c, load = static_contact((hub.radius, hub.stiffness), upright.centre, upright.axis, plane)
            t = self.R.T @ tangential_ratio(hub.normal)
            resistance = hub.rolling_resistance * fmax(0.0, load) * fmax(0.0, c.radius)
            brake, resting = (static_brake_capacity(most, b.speed) for most in (hub.brake, resistance))
            s = Support(c, load, t, brake, k.inertia, resting)
            wrenches[k.carrier] = wrenches.get(k.carrier, 0) + s.wrench(upright.axis)
            supports.append(s)
            normals.append(hub.normal)
        gravity = effective_gravity(supports, normals, sum(body.mass for body in m.bodies), self.R)
        for body in m.bodies:
            weight = force_at(self.poses[body.name].at(body.com), body.mass * gravity)
            wrenches[body.name] = wrenches.get(body.name, 0) + weight
        _, f = projected(m, self.configuration.compounds, ca.SX(6, 1), self._joint_forces, wrenches)
        return f[:6], {name: f[6 + i] for i, (name, _) in enumerate(self.tree.rates)}

    def rates(self) -> dict[str, Any]:
        """Return the accelerations of the joints."""
        return self.tree.by_joint(self.motion.rates)

    def energies(self) -> tuple[Any, Any]:
        """Return the kinetic energy without wheel spin, and the potential energy without tires."""
        m = self.tree.mechanism
        height = sum(body.mass for body in m.bodies) * self.origin[2] + (self.R @ first_moment(m, self.poses))[2]
        return kinetic_energy(m, self.poses, self.V), STANDARD_GRAVITY * height + self.block.elastic_energy()
