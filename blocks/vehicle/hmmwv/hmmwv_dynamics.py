"""Poses, motions and loads of a `Hmmwv` in one state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from drawbar.blocks import cross, fmax, norm_2, sign, vertcat
from drawbar.blocks.authoring.stability_bounds import Oscillator, spectral_bound
from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.data.default_vehicle import VEHICLE
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.tires.rolling_wheel import static_contact
from drawbar.blocks.tires.support import Support, effective_gravity, static_brake_capacity, tangential_ratio
from drawbar.blocks.vehicle.bodies.body_contact import BodyContact
from drawbar.blocks.vehicle.bodies.initial_pose import InitialPose
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import Y, axle, mirrored
from drawbar.blocks.vehicle.hmmwv.suspension_forces import EndStop, lower_end, strut_geometry
from drawbar.blocks.vehicle.multibody.embedded import Embedded, first_moment, independent_forces, kinetic_energy
from drawbar.blocks.vehicle.multibody.embedding import Motion, motion, projected
from drawbar.blocks.vehicle.multibody.forces import Spring, damper_force, spring
from drawbar.blocks.vehicle.multibody.spatial import force_at, from_quaternion

# The compliance of the rubber damper eyes is not in the data and is assumed. In the published lane changes the
# dampers move at most 2.4 mm beyond the lengths of the data.
DAMPER_EYES = 3e-3  # m, overtravel of a damper at which its end stop begins to act
DAMPER_ONSET = 5e-3  # m, overtravel within which the stop reaches its stiffness
PITMAN_ONSET = 5e-3  # rad
MIN_INERTIA_SHARE = 0.7  # smallest inertia of the Pitman arm over all travels, over that in the design position


# The square root of the margin is the sine of the angle between a loop and its opening. Rates and forces grow with its
# inverse: at 0.05, 13 degrees before opening, they are 2.4 times those of the HMMWV at rest, where the margin is 0.29.
NEARLY_OPEN = (0.05, "a suspension loop was near opening: stiffen the stops, or check the hardpoints")


@dataclass(frozen=True)
class Corner:
    """Spring and damper of a wheel with their stops, and the moment that they exert on the lower arm."""

    spring: Spring
    damper: Any  # force, N
    moment: Any  # generalized force, N m
    energy: Any  # J
    oscillator: Oscillator  # of damper and end stops


class HmmwvDynamics(ABC):
    """The vehicle in one state, in chassis axes about the chassis origin; at rest if its pose is `initial_pose`.

    `block` is a `Hmmwv`: it provides states, inputs and parameters by name, its compound tree with the values from
    which it is made, and the equivalent springs of its wheels. Subclasses define what acts on the wheels.
    """

    def __init__(self, block: Any, initial_pose: InitialPose | None = None) -> None:
        self.block = block
        tree, self.values = block.tree
        self.tree: Embedded = tree
        z, q_x, q_y = (block.z, block.q_x, block.q_y) if initial_pose is None else initial_pose.pose
        self.origin = vertcat(block.x, block.y, z)  # of the chassis origin in the world
        self.R = from_quaternion(vertcat(block.q_w, q_x, q_y, block.q_z))
        motion_factor = 1.0 if initial_pose is None else 0.0
        self.base = motion_factor * vertcat(block.omega, block.v)
        self.spin = motion_factor * self.spins()
        self.arm_rate, self.pitman_rate = motion_factor * block.arm_rate, motion_factor * block.pitman_rate
        q = {"pitman": block.pitman} | {f"lower_arm_{w}": block.arm[i] for i, w in enumerate(WHEELS)}
        rates = {("pitman", 0): self.pitman_rate}
        rates |= {(f"lower_arm_{w}", 0): self.arm_rate[i] for i, w in enumerate(WHEELS)}
        rates |= {(f"wheel_{w}", 0): self.spin[i] for i, w in enumerate(WHEELS)}
        self.configuration = tree.configuration(q, vertcat(*(rates[r] for r in tree.rates)))
        self.poses = self.configuration.poses
        self.V = self.configuration.motions(self.base)

    @property
    def gravity(self) -> Any:
        """Return gravity in chassis axes, in m/s2."""
        return self.R.T @ ca.DM([0, 0, -STANDARD_GRAVITY])

    # each expression is made once: what is made again is computed again
    @cached_property
    def _centres(self) -> dict[str, Any]:
        bodies = self.tree.mechanism.by_name
        return {w: self.poses[f"upright_{w}"].at(bodies[f"wheel_{w}"].point) for w in WHEELS}

    @cached_property
    def _axes(self) -> dict[str, Any]:
        return {w: self.poses[f"upright_{w}"].along(Y) for w in WHEELS}

    @cached_property
    def _planes(self) -> dict[str, tuple[Any, Any]]:
        grounds = {w: self.block.wheel_port(w) for w in WHEELS}
        return {w: (self.R.T @ (g.point - self.origin), self.R.T @ g.normal) for w, g in grounds.items()}

    def centre(self, wheel: str) -> Any:
        """Return the centre of a wheel."""
        return self._centres[wheel]

    def axis(self, wheel: str) -> Any:
        """Return the axis of a wheel, to its left."""
        return self._axes[wheel]

    def plane(self, wheel: str) -> tuple[Any, Any]:
        """Return point and normal of the ground under a wheel."""
        return self._planes[wheel]

    @cached_property
    def body_contact(self) -> BodyContact:
        """Return the contact of the chassis with the ground."""
        return BodyContact(self)

    @cached_property
    def corners(self) -> list[Corner]:
        """Return springs and dampers of the four wheels."""
        return [self._corner(i, w) for i, w in enumerate(WHEELS)]

    def _corner(self, i: int, w: str) -> Corner:
        b, side = self.block, axle(w)
        points, arm = self.values[side]["points_m"], self.tree.mechanism.by_name[f"lower_arm_{w}"]

        def geometry(name: str) -> Any:
            end, by = lower_end(self.poses[arm.name], arm.axes[0], arm.point, mirrored(points[f"{name}_lower"], w))
            return strut_geometry(mirrored(points[f"{name}_upper"], w), end, by)

        def parameters(*names: str) -> Any:
            return tuple(getattr(b, f"{side}_{name}") for name in names)

        spring_geometry, damper_geometry = geometry("spring"), geometry("damper")
        table = VEHICLE[side]["stops"]["penetration_m_force_N"]
        law, stops = (
            parameters("spring_free", "spring_rate", "spring_progression"),
            parameters("stop_bump", "stop_rebound"),
        )
        elastic = spring(spring_geometry.length, law, stops, table)
        damping, (shortest, longest) = (
            parameters("damping_compression", "damping_rebound"),
            parameters("damper_min", "damper_max"),
        )
        overtravel = shortest - damper_geometry.length, damper_geometry.length - longest
        bump_stop, rebound_stop = (EndStop(d - DAMPER_EYES, b.end_stop_stiffness, DAMPER_ONSET) for d in overtravel)
        damper = (
            damper_force(damper_geometry.by_angle * self.arm_rate[i], *damping) + bump_stop.force - rebound_stop.force
        )
        moment = (elastic.force + elastic.stops) * spring_geometry.by_angle + damper * damper_geometry.by_angle
        # a lower bound of the inertia: only the parts that turn with the arm, on a moving chassis
        lever = _distance_from_axis(points["lca_ball"], points["lca_pivot_rear"], points["lca_pivot_front"])
        inverse_inertia = (
            damper_geometry.by_angle**2 / (b.wheel_mass + sum(parameters("spindle_mass", "upright_mass"))) / lever**2
        )
        # the arms on both sides move oppositely against the anti-roll bar
        bar = 2.0 * self.anti_roll(w) / (b.wheel_mass + sum(parameters("spindle_mass", "upright_mass"))) / lever**2
        oscillator = Oscillator(
            (bump_stop.tangent + rebound_stop.tangent) * inverse_inertia + bar, fmax(*damping) * inverse_inertia
        )
        return Corner(elastic, damper, moment, elastic.energy + bump_stop.energy + rebound_stop.energy, oscillator)

    def anti_roll(self, wheel: str) -> Any:
        """Return the stiffness of the anti-roll bar of a wheel's axle, in N m/rad."""
        return getattr(self.block, f"{axle(wheel)}_anti_roll")

    def bar_moment(self, i: int) -> Any:
        """Return the moment of the anti-roll bar on the lower arm of the i-th wheel, positive in bump, in N m."""
        return -self.anti_roll(WHEELS[i]) * (self.block.arm[i] - self.block.arm[i ^ 1])

    @property
    def bar_energy(self) -> Any:
        """Return the energy of both anti-roll bars, in J."""
        arm = self.block.arm
        return sum(0.5 * self.anti_roll(WHEELS[i]) * (arm[i] - arm[i + 1]) ** 2 for i in (0, 2))

    @cached_property
    def column_twist(self) -> Any:
        """Return the twist of the steering column at the steering wheel, in rad.

        The Pitman arm turns to the right when the vehicle is steered to the left.
        """
        return -self.block.steering_wheel - self.block.column_ratio * self.block.pitman

    @property
    def pitman_stops(self) -> tuple[EndStop, EndStop]:
        """Return the stops of the Pitman arm, to the right and to the left."""
        b = self.block
        right, left = (
            EndStop(angle - b.pitman_limit, b.pitman_stop_stiffness, PITMAN_ONSET) for angle in (b.pitman, -b.pitman)
        )
        return right, left

    def end_stop_bounds(self) -> dict[str, Any]:
        """Return bounds on the rates at which dampers and end stops move the arms, in 1/s."""
        oscillators = zip(WHEELS, self.corners, strict=True)
        return {
            f"lower arm {w} against its damper and end stops": spectral_bound([c.oscillator]) for w, c in oscillators
        }

    def steering_bounds(self) -> dict[str, Any]:
        """Return a bound on the rate at which column and stops move the Pitman arm and the front wheels, in 1/s.

        It includes the end stops of the front arms, because the tie rods couple both.
        """
        b = self.block
        arm = _distance_from_axis(b.pitman_link_joint, b.pitman_pivot, b.pitman_pivot + b.steering_axis)
        knuckle = _distance_from_axis(b.front_tierod_outer, b.front_lca_ball, b.front_uca_ball)
        inertia = MIN_INERTIA_SHARE * (b.link_mass * arm**2 + 2.0 * b.wheel_inertia[0] * (arm / knuckle) ** 2)
        n, stops = b.column_ratio, self.pitman_stops
        stiffness = n**2 * b.column_stiffness + sum(stop.tangent for stop in stops)
        front = [
            Oscillator(c.oscillator.omega_squared)
            for c, w in zip(self.corners, WHEELS, strict=True)
            if axle(w) == "front"
        ]
        bound = spectral_bound([Oscillator(stiffness / inertia, n**2 * b.column_damping / inertia), *front])
        return {"Pitman arm against column and stops": bound}

    @cached_property
    def generalized_forces(self) -> dict[tuple[str, int], Any]:
        """Return the generalized forces along the independent joints except those at the wheels, in N m."""
        b, n = self.block, self.block.column_ratio
        column = n * (b.column_stiffness * self.column_twist - b.column_damping * n * self.pitman_rate)
        right, left = self.pitman_stops
        found = {("pitman", 0): column - right.force + left.force}
        moments = [c.moment + self.bar_moment(i) for i, c in enumerate(self.corners)]
        return found | {(f"lower_arm_{w}", 0): moment for w, moment in zip(WHEELS, moments, strict=True)}

    @abstractmethod
    def spins(self) -> Any:
        """Return the speeds of the wheels relative to their uprights, in rad/s."""

    @abstractmethod
    def applied_loads(self) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
        """Return the wrenches on wheels or uprights except those of shafts, and the torques about the wheel hinges."""

    @abstractmethod
    def wheel_energy(self) -> Any:
        """Return the energy that is stored in the wheels, in J."""

    @cached_property
    def shafts(self) -> list[Any]:
        """Return the moments on the wheels by shafts from differentials on the chassis."""
        return [self.block.drive[i] * self.axis(w) for i, w in enumerate(WHEELS)]

    @cached_property
    def motion(self) -> Motion:
        """Return the accelerations, relative to free fall."""
        b = self.block
        wrenches, torques = self.applied_loads()
        reaction = sum(self.shafts)
        wrenches["chassis"] = vertcat(b.external_moment - reaction, b.external_force) + self.body_contact.wrench
        forces = independent_forces(self.tree, self.generalized_forces | torques)
        return motion(self.tree.mechanism, self.configuration.compounds, self.base, forces, wrenches)

    def loop_guards(self, advice: str) -> dict[str, tuple[Any, str]]:
        """Return a guard for the loops of each wheel; `advice` is for an arm that moved too far."""
        return {
            f"the suspension loops of the wheel {w} close": (
                self.configuration.margins[f"lower_arm_{w}"] > 0.0,
                f"{advice}, or check hardpoints {axle(w)}_...",
            )
            for w in WHEELS
        }

    @property
    def rates(self) -> dict[str, Any]:
        """Return the accelerations along the independent joints by their bodies, in rad/s2.

        Those of wheels do not include the torques about their hinges.
        """
        return self.tree.by_joint(self.motion.rates)

    @cached_property
    def supports(self) -> list[Support]:
        """Return the support of each wheel by its ground, at rest."""
        b, found = self.block, []
        for w in WHEELS:
            c, load = static_contact(b.equivalent_spring(w), self.centre(w), self.axis(w), self.plane(w))
            t = self.R.T @ tangential_ratio(b.wheel_port(w).normal)
            inertia = self.tree.mechanism.by_name[f"wheel_{w}"].inertia[1, 1]
            resistance = b.resistance_capacity(w, fmax(0.0, load), c.radius)
            brake, resting = (static_brake_capacity(most, b.speed) for most in (b.brake_capacity(w), resistance))
            rolling = (resistance - resting) * sign(b.speed)
            found.append(Support(c, load, t, brake, inertia, resting, rolling))
        return found

    @cached_property
    def imbalance(self) -> tuple[Any, dict[tuple[str, int], Any]]:
        """Return, at rest, moment and force on the whole vehicle in chassis axes, and along the independent joints."""
        m = self.tree.mechanism
        wrenches = {f"wheel_{w}": s.wrench(self.axis(w)) for w, s in zip(WHEELS, self.supports, strict=True)}
        normals = [self.block.wheel_port(w).normal for w in WHEELS]
        gravity = effective_gravity(self.supports, normals, sum(body.mass for body in m.bodies), self.R)
        for body in m.bodies:
            weight = force_at(self.poses[body.name].at(body.com), body.mass * gravity)
            wrenches[body.name] = wrenches.get(body.name, 0) + weight
        forces = independent_forces(self.tree, self.generalized_forces)
        _, f = projected(m, self.configuration.compounds, ca.SX(6, 1), forces, wrenches)
        return f[:6], dict(zip(self.tree.rates, ca.vertsplit(f[6:]), strict=True))

    def energies(self) -> tuple[Any, Any]:
        """Return the kinetic energy, and the potential energy of height, springs, stops, bars, column and wheels."""
        m, b = self.tree.mechanism, self.block
        mass = sum(body.mass for body in m.bodies)
        height = mass * self.origin[2] + (self.R @ first_moment(m, self.poses))[2]
        energy = sum(c.energy for c in self.corners) + sum(stop.energy for stop in self.pitman_stops)
        energy += 0.5 * b.column_stiffness * self.column_twist**2 + self.bar_energy
        return kinetic_energy(m, self.poses, self.V), STANDARD_GRAVITY * height + energy + self.wheel_energy()


def _distance_from_axis(point: Any, one: Any, other: Any) -> Any:
    """Return the distance of a point from the axis through two others, in m."""
    along = other - one
    return norm_2(cross(point - one, along)) / norm_2(along)
