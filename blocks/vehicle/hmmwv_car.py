"""The car of a `HmmwvVehicle` in one state: where its bodies are, how they move, and what acts on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import casadi as ca

from drawbar.blocks import cos, cross, dot, fabs, fmax, fmin, if_else, sin, vertcat
from drawbar.blocks.terrain.fiala import Fiala
from drawbar.blocks.terrain.relaxation import Relaxation
from drawbar.blocks.vehicle.drivetrain.driveline import Driveline
from drawbar.blocks.vehicle.hmmwv_parameters import DATA
from drawbar.blocks.vehicle.multibody.embedded import Embedded, first_moment, independent_forces, kinetic_energy
from drawbar.blocks.vehicle.multibody.embedding import Motion, motion, projected
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, couple, force_at, from_quaternion
from drawbar.blocks.vehicle.rolling_wheel import Brake, Rolling, Tire, rolling, standing
from drawbar.blocks.vehicle.strut_force import Spring, damper_force, element, lower_end, spring
from drawbar.blocks.vehicle.wishbone_car import WHEELS, Y, axle, mirrored

G = 9.80665  # m/s2
PITMAN_STOP = 1e5  # N m/rad
STANDING = 0.52  # m, about how high the chassis origin stands over the ground
PULL = 1e6  # N/m and N m, more than any imbalance near the ground


class Sought:
    """The pose in which a solver looks for the equilibrium: where it is, or near the ground where it is far from that.

    Far off the equations of equilibrium lead nowhere: a wheel 100 m in the ground turns the car by its lever. So there
    the unknowns are drawn to a pose that stands along the ground.
    """

    def __init__(self, block: Any) -> None:
        c, s = cos(0.5 * block.heading), sin(0.5 * block.heading)
        grounds = [getattr(block, f"ground_{w}") for w in WHEELS]
        n = sum(g.normal for g in grounds) / 4.0
        # the turn from the vertical to the normal, after that by the heading
        across, along = -n[1] / (1.0 + n[2]), n[0] / (1.0 + n[2])
        levels = [
            g.point[2] - (g.normal[0] * (block.x - g.point[0]) + g.normal[1] * (block.y - g.point[1])) / g.normal[2]
            for g in grounds
        ]
        # of the two in the middle: one wheel may hang over a hole
        level = (sum(levels) - reduce(fmax, levels) - reduce(fmin, levels)) / 2.0
        near = (level + STANDING, across * c + along * s, along * c - across * s)
        self._off = [a - b for a, b in zip((block.z, block.q_x, block.q_y), near, strict=True)]
        self._far = fmax(fabs(self._off[0]) / 0.5, fmax(fabs(self._off[1]), fabs(self._off[2])) / 0.1) > 1.0
        there = zip(near, (block.z, block.q_x, block.q_y), strict=True)
        self.pose = tuple(if_else(self._far, a, b) for a, b in there)

    def residual(self, unknown: int, balance: Any) -> Any:
        """The balance of a force or moment near the ground, far off a pull towards it."""
        return if_else(self._far, PULL * self._off[unknown], balance)


@dataclass(frozen=True)
class Corner:
    """Spring and damper of a wheel: forces in N, and their generalized force on the lower arm in N m."""

    spring: Spring
    damper: Any
    moment: Any


class Car:
    """Everything in chassis axes about the chassis origin; with a pose that is `sought`, the car without its motion.

    `block` gives states, inputs and parameters by name, and its compound tree with the numbers it is made of.
    """

    def __init__(self, block: Any, tree: Embedded, values: Any, sought: Sought | None = None) -> None:
        self.block, self.tree, self.values = block, tree, values
        z, q_x, q_y = (block.z, block.q_x, block.q_y) if sought is None else sought.pose
        self.place = vertcat(block.x, block.y, z)  # of the chassis origin in the world
        self.R = from_quaternion(vertcat(block.q_w, q_x, q_y, block.q_z))
        share = 1.0 if sought is None else 0.0
        self.base = share * vertcat(block.omega, block.v)
        self.spin = share * block.spin
        self.arm_rate, self.pitman_rate = share * block.arm_rate, share * block.pitman_rate
        q = {"pitman": block.pitman} | {f"lower_arm_{w}": block.arm[i] for i, w in enumerate(WHEELS)}
        rates = {("pitman", 0): self.pitman_rate}
        rates |= {(f"lower_arm_{w}", 0): self.arm_rate[i] for i, w in enumerate(WHEELS)}
        rates |= {(f"wheel_{w}", 0): self.spin[i] for i, w in enumerate(WHEELS)}
        self.configuration = tree.configuration(q, vertcat(*(rates[r] for r in tree.rates)))
        self.poses = {"chassis": DESIGN} | self.configuration.poses
        self.V = {"chassis": self.base}
        for k in self.configuration.compounds:
            for name, body in k.placed.items():
                self.V[name] = self.V[k.node.parent] + body.J @ k.u

    @property
    def gravity(self) -> Any:
        """In chassis axes, m/s2."""
        return self.R.T @ ca.DM([0, 0, -G])

    def centre(self, wheel: str) -> Any:
        """The centre of a wheel."""
        return self.poses[f"upright_{wheel}"].at(self.tree.mechanism.by_name[f"wheel_{wheel}"].point)

    def axis(self, wheel: str) -> Any:
        """The axis of a wheel, to its left."""
        return self.poses[f"upright_{wheel}"].along(Y)

    def plane(self, wheel: str) -> tuple[Any, Any]:
        """Point and normal of the ground under a wheel."""
        ground = getattr(self.block, f"ground_{wheel}")
        return self.R.T @ (ground.point - self.place), self.R.T @ ground.normal

    @cached_property
    def tire(self) -> Tire:
        """The tire of all wheels."""
        b, t = self.block, DATA["tire_fiala"]
        law = Fiala(
            stiffness_x=b.C_S,
            stiffness_y=b.C_a,
            mu_min=b.mu_min,
            mu_max=b.mu_max,
            mu_ref=t["reference_mu"],
            width=t["width_m"],
            relaxation=Relaxation(b.relaxation[0], b.relaxation[1], b.tire_damping_time, b.slow_speed),
            rolling=b.rolling_resistance,
        )
        return Tire(b.tire_radius, b.tire_stiffness, b.tire_damping, law)

    @cached_property
    def wheels(self) -> list[Rolling]:
        """The wheels on their grounds."""
        b = self.block
        return [
            rolling(
                self.tire,
                (b.slip[i], b.side_slip[i]),
                self.spin[i],
                self.V[f"upright_{w}"],
                self.centre(w),
                self.axis(w),
                self.plane(w),
                getattr(b, f"ground_{w}").friction,
            )
            for i, w in enumerate(WHEELS)
        ]

    @cached_property
    def brakes(self) -> list[Brake]:
        """The brakes of the wheels."""
        b = self.block
        return [Brake(b.brake[i], b.brush[i], b.brush_angle) for i in range(4)]

    @cached_property
    def driveline(self) -> Driveline:
        """Differentials on the chassis; half shafts turn against it, with the hubs and with the uprights."""
        b = self.block
        turning = [dot(self.axis(w), self.V[f"upright_{w}"][:3] - self.base[:3]) for w in WHEELS]
        shafts = [b.hub_ratio * self.spin[i] + turning[i] for i in range(4)]
        return Driveline(b.propeller, shafts, b.lock, b.lock_torque, b.torque_bias, b.front_share, b.axle_ratio)

    @cached_property
    def corners(self) -> list[Corner]:
        """Springs and dampers."""
        return [self._corner(i, w) for i, w in enumerate(WHEELS)]

    def _corner(self, i: int, w: str) -> Corner:
        b, side = self.block, axle(w)
        points, arm = self.values[side]["points_m"], self.tree.mechanism.by_name[f"lower_arm_{w}"]

        def between(name: str) -> Any:
            end, by = lower_end(self.poses[arm.name], arm.axes[0], arm.point, mirrored(points[f"{name}_lower"], w))
            return element(mirrored(points[f"{name}_upper"], w), end, by)

        def of(*names: str) -> Any:
            return tuple(getattr(b, f"{side}_{name}") for name in names)

        at_spring, at_damper = between("spring"), between("damper")
        table = DATA[side]["stops"]["penetration_m_force_N"]
        law, stops = of("spring_free", "spring_rate", "spring_progression"), of("stop_bump", "stop_rebound")
        pushed = spring(at_spring.length, law, stops, table)
        damper = damper_force(at_damper.by_angle * self.arm_rate[i], *of("damping_compression", "damping_rebound"))
        moment = (pushed.force + pushed.stops) * at_spring.by_angle + damper * at_damper.by_angle
        return Corner(pushed, damper, moment)

    @cached_property
    def twist(self) -> Any:
        """Of the steering column at its wheel, rad; the Pitman arm swings to the right in a left turn."""
        return -self.block.steering_wheel - self.block.column_ratio * self.block.pitman

    @property
    def pitman_excess(self) -> Any:
        """How far the Pitman arm is beyond its stops, rad."""
        b = self.block
        return fmax(0.0, b.pitman - b.pitman_limit) + fmin(0.0, b.pitman + b.pitman_limit)

    @cached_property
    def generalized(self) -> dict[tuple[str, int], Any]:
        """Forces along the independent joints but those at the wheels, N m."""
        b, n = self.block, self.block.column_ratio
        column = n * (b.column_stiffness * self.twist - b.column_damping * n * self.pitman_rate)
        found = {("pitman", 0): column - PITMAN_STOP * self.pitman_excess}
        return found | {(f"lower_arm_{w}", 0): c.moment for w, c in zip(WHEELS, self.corners, strict=True)}

    @cached_property
    def motion(self) -> Motion:
        """The accelerations, against free fall."""
        b = self.block
        torques = {(f"wheel_{w}", 0): brake.torque() for w, brake in zip(WHEELS, self.brakes, strict=True)}
        wrenches: dict[str, Any] = {}
        reaction = ca.SX(3, 1)
        for i, w in enumerate(WHEELS):
            # shafts bring the torque from differentials that hang on the chassis, hubs what their gears add to it
            shaft, geared = b.drive[i] + self.driveline.torques[i], (b.hub_ratio - 1.0) * self.driveline.torques[i]
            wrenches[f"wheel_{w}"] = self.wheels[i].wrench + couple((shaft + geared) * self.axis(w))
            wrenches[f"upright_{w}"] = couple(-geared * self.axis(w))
            reaction = reaction - shaft * self.axis(w)
        wrenches["chassis"] = vertcat(b.twist + reaction, b.push)
        forces = independent_forces(self.tree, self.generalized | torques)
        return motion(self.tree.mechanism, self.configuration.compounds, self.base, forces, wrenches)

    def imbalance(self) -> tuple[Any, dict[tuple[str, int], Any], list[Any]]:
        """At rest: moment and force on the whole car in chassis axes, along the independent joints, loaded radii."""
        wrenches: dict[str, Any] = {}
        radii = []
        for w in WHEELS:
            c, load = standing(self.tire, self.centre(w), self.axis(w), self.plane(w))
            wrenches[f"wheel_{w}"] = force_at(c.point, load * c.z)
            radii.append(c.radius)
        for body in self.tree.mechanism.bodies:
            weight = force_at(self.poses[body.name].at(body.com), body.mass * self.gravity)
            wrenches[body.name] = wrenches.get(body.name, 0) + weight
        forces = independent_forces(self.tree, self.generalized)
        _, f = projected(self.tree.mechanism, self.configuration.compounds, ca.SX(6, 1), forces, wrenches)
        return f[:6], dict(zip(self.tree.rates, ca.vertsplit(f[6:]), strict=True)), radii

    def acceleration(self, point: Any) -> Any:
        """Of a point of the chassis, in chassis axes."""
        A, omega, v = self.motion.A["chassis"], self.base[:3], self.base[3:]
        return A[3:] + self.gravity + cross(A[:3], point) + cross(omega, v + cross(omega, point))

    def energies(self) -> tuple[Any, Any]:
        """Kinetic; and potential: of height, springs, stops, steering column and upright tires."""
        m, b = self.tree.mechanism, self.block
        mass = sum(body.mass for body in m.bodies)
        height = mass * self.place[2] + (self.R @ first_moment(m, self.poses))[2]
        stored = sum(c.spring.energy for c in self.corners)
        stored += 0.5 * (b.column_stiffness * self.twist**2 + PITMAN_STOP * self.pitman_excess**2)
        pressed = sum(fmax(0.0, w.contact.deflection) ** 2 for w in self.wheels)
        return kinetic_energy(m, self.poses, self.V), G * height + stored + 0.5 * b.tire_stiffness * pressed


def yawed(yaw: Any, w: Any) -> Any:
    """A world vector along axes that are turned by the yaw angle alone."""
    return vertcat(cos(yaw) * w[0] + sin(yaw) * w[1], cos(yaw) * w[1] - sin(yaw) * w[0], w[2])
