"""The HMMWV as one unit: chassis, steering, suspension, wheels and tires, with constraint embedding."""

from __future__ import annotations

from dataclasses import dataclass
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
    fabs,
    fmax,
    fmin,
    sin,
    vertcat,
)
from drawbar.blocks.terrain.contact import Contact, contact
from drawbar.blocks.terrain.fiala import Fiala
from drawbar.blocks.terrain.ground import Ground
from drawbar.blocks.vehicle.hmmwv_parameters import DATA, Hardpoints, car_values
from drawbar.blocks.vehicle.multibody.embedded import Configuration, Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.embedding import Motion, motion, projected
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, couple, force_at, from_quaternion, quaternion_rate, velocity
from drawbar.blocks.vehicle.strut_force import damper_force, element, lower_end, spring_force, stop_force
from drawbar.blocks.vehicle.wishbone_car import WHEELS, Y, axle, mechanism, mirrored, rotors

TIRE = DATA["tire_fiala"]
G = 9.80665  # m/s2


@dataclass(frozen=True)
class Wheel:
    """One wheel on its ground: contact, load, forces and what the states of its tire do."""

    contact: Contact
    load: Any
    F_x: Any
    F_y: Any
    wrench: Any  # on the wheel, about the chassis origin in chassis axes
    slip_rate: Any
    side_slip_rate: Any
    brush_rate: Any
    brake: Any  # N m, on the wheel


def _yawed(yaw: Any, w: Any) -> Any:
    """A world vector along axes that are turned by the yaw angle alone."""
    return vertcat(cos(yaw) * w[0] + sin(yaw) * w[1], cos(yaw) * w[1] - sin(yaw) * w[0], w[2])


@dataclass(frozen=True)
class Loads:
    """What acts on the car: its wheels, generalized forces by node, wrenches on bodies."""

    wheels: list[Wheel]
    forces: list[Any]
    wrenches: dict[str, Any]


class HmmwvVehicle(Continuous, Hardpoints, method="rk4", step=1e-3):  # type: ignore[misc]
    """A HMMWV with double wishbones, parallelogram steering and Fiala tires: 15 degrees of freedom."""

    steering_wheel = Input("rad", "angle of the steering wheel, positive to the left")
    drive = Input("N.m", "drive torque at each wheel, by shafts from the chassis", size=4)
    brake = Input("N.m", "brake capacity of each wheel", size=4, min=0.0)
    push = Input("N", "force on the chassis at its origin, chassis axes", size=3)
    twist = Input("N.m", "moment on the chassis, chassis axes", size=3)
    ground_fl = Ground.sink("ground under the front left wheel")
    ground_fr = Ground.sink("ground under the front right wheel")
    ground_rl = Ground.sink("ground under the rear left wheel")
    ground_rr = Ground.sink("ground under the rear right wheel")

    tire_radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.1)
    tire_stiffness = Parameter(TIRE["vertical_stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    tire_damping = Parameter(TIRE["vertical_damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    C_S = Parameter(TIRE["c_slip_N"], "N", "longitudinal slip stiffness", min=1.0)
    C_a = Parameter(TIRE["c_alpha_N_per_rad"], "N/rad", "cornering stiffness", min=1.0)
    mu_min = Parameter(TIRE["mu_min"], "1", "friction in full slide", min=0.0)
    mu_max = Parameter(TIRE["mu_max"], "1", "friction without slip", min=0.0)
    relaxation = Parameter([TIRE["relaxation_x_m"], TIRE["relaxation_y_m"]], "m", "sigma, along and across", size=2, min=0.01)
    rolling_resistance = Parameter(TIRE["rolling_resistance"], "1", "C_r", min=0.0)
    tire_damping_time = Parameter(0.1, "s", "tau, damping of the slips at low speed", min=0.0)
    brush_angle = Parameter(0.02, "rad", "turn in which a brake takes hold", min=1e-4)
    sensor = Parameter([0.04833, 0.0, 0.1687], "m", "where accelerations are measured, vehicle axes", size=3)
    speed = Parameter(0.0, "m/s", "forward speed at the start")
    heading = Parameter(0.0, "rad", "yaw angle at the start")
    axle_inertia = Parameter(DATA["front"]["axle_shaft_spin_inertia_kgm2"], "kg.m2", "of a half shaft, turning with its wheel")

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
    arm = State([-0.0948, -0.0948, -0.2108, -0.2108], "rad", "angles of the lower arms, bump positive", size=4, solve=True)
    arm_rate = State(0.0, "rad/s", "their rates", size=4)
    spin = State(0.0, "rad/s", "speeds of the wheels against their uprights", size=4, solve=True, nominal=10.0)
    slip = State(0.0, "1", "kappa, relaxed longitudinal slip of the tires", size=4)
    side_slip = State(0.0, "1", "t, relaxed side slip of the tires", size=4)
    brush = State(0.0, "1", "hold of the brakes, -1 to 1", size=4)

    position = Output("m", "position of the sensor point in the world", size=3)
    velocity = Output("m/s", "velocity of the sensor point along the yawed axes", size=3)
    yaw = Output("rad", "yaw angle")
    yaw_rate = Output("rad/s", "rate of the yaw angle")
    roll_rate = Output("rad/s", "rate of turning about the forward axis of the chassis")
    pitch = Output("rad", "pitch angle, positive nose down")
    roll = Output("rad", "roll angle, positive to the right")
    a = Output("m/s2", "acceleration of the sensor point along the yawed axes", size=3)
    wheel_load = Output("N", "loads of the wheels", size=4)
    margin = Output("1", "how far the loops are from opening, 1 at best")

    @property
    def quaternion(self) -> Any:
        """The rotation of the chassis, scalar first."""
        return vertcat(self.q_w, self.q_x, self.q_y, self.q_z)

    def car(self, moving: float = 1.0) -> tuple[Embedded, Configuration, Any]:
        """The compound tree and the rates u; at rest with `moving` 0."""
        values = car_values(self)
        e = Embedded(mechanism(values), rotors())
        q = {"pitman": self.pitman} | {f"lower_arm_{w}": self.arm[i] for i, w in enumerate(WHEELS)}
        rates = {("pitman", 0): self.pitman_rate}
        rates |= {(f"lower_arm_{w}", 0): self.arm_rate[i] for i, w in enumerate(WHEELS)}
        rates |= {(f"wheel_{w}", 0): self.spin[i] for i, w in enumerate(WHEELS)}
        u = moving * vertcat(*(rates[r] for r in e.rates))
        return e, e.configuration(q, u), values

    def wheel(self, i: int, e: Embedded, poses: Any, V: Any, R: Any, moving: float) -> Wheel:
        """One wheel; all in chassis axes about the chassis origin."""
        w = WHEELS[i]
        upright = poses[f"upright_{w}"]
        body = e.mechanism.by_name[f"wheel_{w}"]
        ground = getattr(self, f"ground_{w}")
        centre, axis = upright.at(body.point), upright.along(Y)
        plane = R.T @ (ground.point - vertcat(self.x, self.y, self.z))
        c = contact(centre, axis, self.tire_radius, plane, R.T @ ground.normal)
        motion_of = V[f"upright_{w}"]
        at_centre, at_ground = velocity(motion_of, centre), velocity(motion_of, c.point)
        load = fmax(0.0, self.tire_stiffness * c.deflection - self.tire_damping * dot(at_ground, c.z))
        load = load * (c.deflection > 0.0)
        v_x, v_y = dot(at_centre, c.x), dot(at_ground, c.y)
        spin = moving * self.spin[i]
        turning = spin + dot(motion_of[:3], axis)
        tread = turning * c.radius
        law = self.tire()
        kappa, t = law.damped(v_x, v_y, tread, self.slip[i], self.side_slip[i])
        F_x, F_y, M_z = law.forces(load, kappa, t, ground.friction)
        M_y = law.resistance(load, turning) * c.radius
        kappa_rate, t_rate = law.slip_rates(v_x, v_y, tread, self.slip[i], self.side_slip[i])
        force = F_x * c.x + F_y * c.y + load * c.z
        wrench = force_at(c.point, force) + couple(M_z * c.z + M_y * c.y)
        speed = fabs(spin)
        hold = (spin - speed * self.brush[i]) / (self.brush_angle + 0.005 * speed)
        return Wheel(c, load, F_x, F_y, wrench, kappa_rate, t_rate, hold, -self.brake[i] * self.brush[i])

    def tire(self) -> Fiala:
        """The law of the tires."""
        return Fiala(
            self.C_S,
            self.C_a,
            self.mu_min,
            self.mu_max,
            TIRE["reference_mu"],
            TIRE["width_m"],
            self.relaxation[0],
            self.relaxation[1],
            self.tire_damping_time,
            2.5,
            self.rolling_resistance,
        )

    def suspension_force(self, i: int, e: Embedded, poses: Any, values: Any) -> Any:
        """The generalized force of spring, damper and stops on a lower arm, N m."""
        w = WHEELS[i]
        side = axle(w)
        points = values[side]["points_m"]
        arm = e.mechanism.by_name[f"lower_arm_{w}"]
        force = 0.0
        for name in ("spring", "damper"):
            end, by = lower_end(poses[arm.name], arm.axes[0], arm.point, mirrored(points[f"{name}_lower"], w))
            part = element(mirrored(points[f"{name}_upper"], w), end, by)
            if name == "damper":
                rate = part.by_angle * self.arm_rate[i]
                compression, rebound = (getattr(self, f"{side}_damping_{k}") for k in ("compression", "rebound"))
                along = damper_force(rate, compression, rebound)
            else:
                table = DATA[side]["stops"]["penetration_m_force_N"]
                along = spring_force(
                    part.length, *(getattr(self, f"{side}_spring_{k}") for k in ("free", "rate", "progression"))
                )
                along = along + stop_force(getattr(self, f"{side}_stop_bump") - part.length, table)
                along = along - stop_force(part.length - getattr(self, f"{side}_stop_rebound"), table)
            force = force + along * part.by_angle
        return force

    def loads(
        self, e: Embedded, configuration: Configuration, values: Any, V: Any, R: Any, moving: float = 1.0
    ) -> Loads:
        """All that acts on the car but its weight."""
        poses = configuration.poses
        wheels = [self.wheel(i, e, poses, V, R, moving) for i in range(4)]
        forces: dict[tuple[str, int], Any] = {}
        wrenches: dict[str, Any] = {}
        reaction = ca.SX(3, 1)
        for i, w in enumerate(WHEELS):
            axis = poses[f"upright_{w}"].along(Y)
            forces[(f"lower_arm_{w}", 0)] = self.suspension_force(i, e, poses, values)
            forces[(f"wheel_{w}", 0)] = wheels[i].brake
            wrenches[f"wheel_{w}"] = wheels[i].wrench + couple(self.drive[i] * axis)
            reaction = reaction - self.drive[i] * axis
        n = self.column_ratio
        twist = -self.steering_wheel - n * self.pitman  # the Pitman arm swings to the right in a left turn
        limit = 1e5 * (fmax(0.0, self.pitman - self.pitman_limit) + fmin(0.0, self.pitman + self.pitman_limit))
        forces[("pitman", 0)] = n * (self.column_stiffness * twist - self.column_damping * n * self.pitman_rate) - limit
        wrenches["chassis"] = vertcat(self.twist + reaction, self.push)
        return Loads(wheels, independent_forces(e, forces), wrenches)

    def everything(self) -> tuple[Embedded, Configuration, Motion, list[Wheel], Any]:
        """The car in motion."""
        e, configuration, values = self.car()
        R = from_quaternion(self.quaternion)
        base = vertcat(self.omega, self.v)
        V: dict[str, Any] = {"chassis": base}
        for k in configuration.compounds:
            for name, body in k.placed.items():
                V[name] = V[k.node.parent] + body.J @ k.u
        loads = self.loads(e, configuration, values, V, R)
        moved = motion(e.mechanism, configuration.compounds, base, loads.forces, loads.wrenches)
        return e, configuration, moved, loads.wheels, R

    def initial(self) -> dict[str, Any]:
        """On the wheels, heading as asked for."""
        return {
            "q_w": cos(0.5 * self.heading),
            "q_z": sin(0.5 * self.heading),
        }

    def residuals(self) -> dict[str, Any]:
        """Static equilibrium on the ground, and wheels that roll at the speed of the start."""
        e, configuration, values = self.car(moving=0.0)
        R = from_quaternion(self.quaternion)
        poses = configuration.poses | {"chassis": DESIGN}
        still = {name: ca.SX(6, 1) for name in poses}
        loads = self.loads(e, configuration, values, still, R, moving=0.0)
        wrenches = dict(loads.wrenches)
        fall = R.T @ ca.DM([0, 0, -G])
        for body in e.mechanism.bodies:
            weight = force_at(poses[body.name].at(body.com), body.mass * fall)
            wrenches[body.name] = wrenches.get(body.name, 0) + weight
        _, f = projected(e.mechanism, configuration.compounds, ca.SX(6, 1), loads.forces, wrenches)
        force = dict(zip(e.rates, ca.vertsplit(f[6:]), strict=True))
        return {
            "force on the chassis": f[5],
            "roll moment on the chassis": f[0],
            "pitch moment on the chassis": f[1],
            "moment on the Pitman arm": force[("pitman", 0)],
            **{f"moment on the lower arm {w}": force[(f"lower_arm_{w}", 0)] for w in WHEELS},
            "velocity against the heading": R @ self.v - self.speed * vertcat(cos(self.heading), sin(self.heading), 0.0),
            **{
                f"slip of the wheel {w}": self.spin[i] * loads.wheels[i].contact.radius - self.speed
                for i, w in enumerate(WHEELS)
            },
        }

    def derivatives(self) -> dict[str, Any]:
        """The state equations."""
        e, _, moved, wheels, R = self.everything()
        rates = {}
        for node, rate in zip(e.nodes, moved.rates, strict=True):
            rates |= {joint: rate[k] for k, (joint, _) in enumerate(node.independent)}
        place = R @ self.v
        q = self.quaternion
        turned = quaternion_rate(q, self.omega) + (1.0 - dot(q, q)) * q
        fall = R.T @ ca.DM([0, 0, -G])
        return {
            "x": place[0],
            "y": place[1],
            "z": place[2],
            **dict(zip(("q_w", "q_x", "q_y", "q_z"), ca.vertsplit(turned), strict=True)),
            "omega": moved.A["chassis"][:3],
            "v": moved.A["chassis"][3:] + fall,
            "pitman": self.pitman_rate,
            "pitman_rate": rates["pitman"],
            "arm": self.arm_rate,
            "arm_rate": vertcat(*(rates[f"lower_arm_{w}"] for w in WHEELS)),
            "spin": vertcat(*(rates[f"wheel_{w}"] for w in WHEELS)),
            "slip": vertcat(*(w.slip_rate for w in wheels)),
            "side_slip": vertcat(*(w.side_slip_rate for w in wheels)),
            "brush": vertcat(*(w.brush_rate for w in wheels)),
        }

    def outputs(self) -> dict[str, Any]:
        """What is seen."""
        e, configuration, moved, wheels, R = self.everything()
        bodies = e.mechanism.by_name
        poses = configuration.poses
        s = self.sensor
        A = moved.A["chassis"] + vertcat(ca.SX(3, 1), R.T @ ca.DM([0, 0, -G]))
        a = A[3:] + cross(A[:3], s) + cross(self.omega, self.v + cross(self.omega, s))
        yaw = atan2(R[1, 0], R[0, 0])
        level, going = R @ a, R @ (self.v + cross(self.omega, s))
        turning = R @ self.omega
        place = vertcat(self.x, self.y, self.z)
        centres = {w: place + R @ poses[f"upright_{w}"].at(bodies[f"wheel_{w}"].point) for w in WHEELS}
        return {
            "position": place + R @ s,
            "velocity": _yawed(yaw, going),
            "yaw": yaw,
            "yaw_rate": turning[2],
            "roll_rate": self.omega[0],
            "pitch": -asin(R[2, 0]),
            "roll": atan2(R[2, 1], R[2, 2]),
            "a": _yawed(yaw, level),
            "wheel_load": vertcat(*(w.load for w in wheels)),
            "margin": configuration.margin,
            **{f"ground_{w}.at": centres[w][:2] for w in WHEELS},
        }
