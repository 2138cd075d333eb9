"""The motion of the HMMWV beside that of MuJoCo's tree of it: a drop of 0.1 m, and a step of the steering wheel.

Ours is the block `HmmwvVehicle` as it is exported: 15 degrees of freedom, the loops embedded. Theirs is the tree of 33
coordinates by MuJoCo, with the 18 rows of the loops as constraints with multipliers (`mujoco_tree.py`), from the data
file. Both are integrated by SciPy's DOP853 at a relative tolerance of 1e-11. Printed are the largest distances between
the two chassis, and between the wheel centres, over all times that are compared.

Independent are the kinematics of the tree, the mass matrix, gyroscopic and centrifugal terms (MuJoCo), the treatment of
the loops, coordinates and integration of them, and the springs, stops, dampers and the steering column, which are
written here once more and act between points of MuJoCo's bodies. Shared are the data file, the tire with its bristles
(`rolling_wheel`, evaluated at MuJoCo's state) and the start: the static equilibrium by the block.

    python tests/fidelity/mujoco_motion.py [--json] [--case drop|steer] [--heavier BODY=FACTOR]
"""

from __future__ import annotations

import argparse
import json
import runpy
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import casadi as ca
import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from drawbar.blocks.core.units import STANDARD_GRAVITY
from drawbar.blocks.data.default_vehicle import VEHICLE
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.tires.rolling_wheel import Brake, rolling_wheel
from drawbar.blocks.vehicle.hmmwv import hmmwv_dynamics as constants
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import axle, mechanism, mirrored, values
from drawbar.blocks.vehicle.hmmwv.hmmwv_parameters import END_STOP, PITMAN_STOP
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.blocks.vehicle.hmmwv.wheel_dynamics import WheelDynamics
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Pose
from drawbar.fmus.backends.interpreted import InterpretedInstance

ROOT = Path(__file__).parents[1]
MUJOCO = runpy.run_path(str(ROOT / "blocks/vehicle/multibody/mujoco_tree.py"))
TOLERANCE, ATOL = 1e-11, 1e-12  # of the integrations
BETWEEN = 0.05  # s, between two comparisons
# start values of the block, rise of the chassis in m, length in s
CASES: dict[str, tuple[dict[str, float], float, float]] = {
    "drop": ({}, 0.1, 0.4),
    "steer": ({"speed": 15.0}, 0.0, 1.0),
}
ENDS = ("upper", "lower")
STEERING_WHEEL = 1.5  # rad, from the beginning of "steer" on
Vector = NDArray[np.float64]


class Ours:
    """The block, by the functions that its FMU is made of."""

    def __init__(self, starts: dict[str, float], rise: float, steering_wheel: float) -> None:
        model = HmmwvVehicle.model()
        instance = InterpretedInstance(HmmwvVehicle, "car")
        for name, value in starts.items():
            instance.set({name: value})
        instance.initialize(0.0, {})
        instance.start()

        def values_of(ports: Any) -> Vector:
            return np.array(instance.get([name for port in ports for name in port.scalar_names()]))

        self.p, self.u, self.x = (values_of(ports) for ports in (model.p, model.u, model.x))
        self.columns = dict(_columns(model.x))
        self.out_columns = dict(_columns(model.y))
        self.u[dict(_columns(model.u))["steering_wheel"]] = steering_wheel
        self.x[self.columns["z"]] += rise
        self._ode, self._out = model.ode, model.out

    def rates(self, t: float, x: Vector) -> Vector:
        return flat(self._ode(t, x, [], self.u, self.p))

    def states(self, name: str) -> Vector:
        return self.x[self.columns[name]]

    def places(self, x: Vector) -> Vector:
        """Chassis origin and wheel centres in the world, one row each."""
        y = flat(self._out(0.0, x, [], self.u, self.p))
        chassis = x[[self.columns[n].start for n in ("x", "y", "z")]]
        return np.vstack([chassis, y[self.out_columns["hub"]].reshape(4, 3)])


def _columns(ports: Any) -> Any:
    begin = 0
    for port in ports:
        yield port.name, slice(begin, begin + port.size)
        begin += port.size


class Theirs:
    """MuJoCo's tree with loops, force elements and tires."""

    def __init__(self, m: Mechanism, ours: Ours, steering_wheel: float) -> None:
        self.tree, self.m, self.steering_wheel = MUJOCO["Tree"](m), m, steering_wheel
        self.tree.model.opt.gravity[:] = [0.0, 0.0, -STANDARD_GRAVITY]
        self.hinges = {b.name: self.tree.dofs(b)[0] for b in m.bodies if b.joint == "rev"}
        self.tire, self.column_damping = tire_function(), defaults().column_damping
        self.ends = {
            (name, w): [flat(mirrored(ca.DM(VEHICLE[axle(w)]["points_m"][f"{name}_{end}"]), w)) for end in ENDS]
            for name in ("spring", "damper")
            for w in WHEELS
        }
        self.nq, self.nv = self.tree.model.nq, self.tree.model.nv
        self._put(ours)
        data = self.tree.data
        slips = [ours.states(name) for name in ("slip", "side_slip", "bristle_torque")]
        self.y = np.concatenate([data.qpos, data.qvel, np.stack(slips, axis=1).ravel()])

    def _put(self, ours: Ours) -> None:
        """Set the coordinates of all bodies from the independent ones of ours."""
        e = Embedded(self.m, tuple(f"wheel_{w}" for w in WHEELS))
        q = {"pitman": ours.states("pitman")[0]} | dict(
            zip((f"lower_arm_{w}" for w in WHEELS), ours.states("arm"), strict=True)
        )
        u = {("pitman", 0): ours.states("pitman_rate")[0]}
        u |= {(f"lower_arm_{w}", 0): ours.states("arm_rate")[i] for i, w in enumerate(WHEELS)}
        u |= {(f"wheel_{w}", 0): ours.states("spin")[i] for i, w in enumerate(WHEELS)}
        base = ca.vertcat(*ours.states("omega"), *ours.states("v"))
        rates = ca.vertcat(*(ca.SX(u[r]) for r in e.rates))
        c = e.configuration({name: ca.SX(value) for name, value in q.items()}, rates)
        poses = {self.m.base: DESIGN}
        poses |= {name: Pose(*(ca.evalf(ca.SX(part)) for part in (p.R, p.p))) for name, p in c.poses.items()}
        motions = {name: ca.evalf(v) for name, v in c.motions(ca.SX(base)).items()}
        self.tree.put(poses, motions)
        pose = self.tree.data.joint("chassis.0").qpos
        pose[:3] = [ours.states(n)[0] for n in ("x", "y", "z")]
        pose[3:] = [ours.states(n)[0] for n in ("q_w", "q_x", "q_y", "q_z")]
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, np.array(pose[3:]) / np.linalg.norm(pose[3:]))
        self.tree.data.qvel[:3] = R.reshape(3, 3) @ self.tree.data.qvel[:3]

    def _state(self, y: Vector) -> Vector:
        self.tree.data.qpos[:], self.tree.data.qvel[:] = y[: self.nq], y[self.nq : self.nq + self.nv]
        self.tree.update()
        return y[self.nq + self.nv :].reshape(4, 3)

    def rates(self, t: float, y: Vector) -> Vector:
        tires = self._state(y)
        data, forces = self.tree.data, np.zeros(self.nv)
        found, wrenches = [], {}
        for w, states in zip(WHEELS, tires, strict=True):
            linear, angular = self.tree.jacobians(f"upright_{w}", np.zeros(3))
            carrier = np.concatenate([angular @ data.qvel, linear @ data.qvel])
            hinge, axis = self.hinges[f"wheel_{w}"], self.tree.rotation(f"upright_{w}")[:, 1]
            centre = data.xpos[self.tree.ids[f"wheel_{w}"]]
            result = flat(self.tire(np.concatenate([carrier, centre, axis, [data.qvel[hinge]], states])))
            wrenches[f"wheel_{w}"], torque, rates = result[:6], result[6], result[7:]
            forces[hinge] += torque
            found.append(rates)
            forces += self._struts(w)
        forces[self.hinges["pitman"]] += self._column()
        acceleration, _ = self.tree.accelerations(forces, wrenches)
        return np.concatenate([self._coordinate_rates(), acceleration, *found])

    def _coordinate_rates(self) -> Vector:
        """Rates of positions; those of quaternions keep them at their length."""
        model, data = self.tree.model, self.tree.data
        rates = np.zeros(self.nq)
        for i in range(model.njnt):
            q, v = model.jnt_qposadr[i], model.jnt_dofadr[i]
            kind = mujoco.mjtJoint(model.jnt_type[i])
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                rates[q : q + 3] = data.qvel[v : v + 3]
                q, v = q + 3, v + 3
            if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                now = data.qpos[q : q + 4]
                turned = np.zeros(4)
                mujoco.mju_mulQuat(turned, now, np.concatenate([[0.0], data.qvel[v : v + 3]]))
                rates[q : q + 4] = 0.5 * turned + (1.0 - now @ now) * now
            else:
                rates[q] = data.qvel[v]
        return rates

    def _struts(self, w: str) -> Vector:
        """Joint forces of spring, stops and damper, which act along the lines between their ends."""
        d = VEHICLE[axle(w)]
        force = np.zeros(self.nv)
        for name in ("spring", "damper"):
            bodies = ("chassis", f"lower_arm_{w}")
            at = [self.tree.place(body, point) for body, point in zip(bodies, self.ends[name, w], strict=True)]
            J = self.tree.jacobians(bodies[1], at[1])[0] - self.tree.jacobians(bodies[0], at[0])[0]
            length = float(np.linalg.norm(at[1] - at[0]))
            along = (at[1] - at[0]) / length @ J
            law = self._spring if name == "spring" else self._damper
            force += law(d, length, float(along @ self.tree.data.qvel)) * along
        return force

    @staticmethod
    def _spring(d: Any, length: float, rate: float) -> float:
        depths, pushes = np.array(d["stops"]["penetration_m_force_N"]).T

        def stop(depth: float) -> float:
            last = (pushes[-1] - pushes[-2]) / (depths[-1] - depths[-2])
            return float(np.interp(depth, depths, pushes) + last * max(0.0, depth - depths[-1]))

        low, high = d["stops"]["spring_length_m"]
        spring = d["spring"]["rate_N_per_m"] * (d["spring"]["free_length_m"] - length)
        return float(spring + stop(low - length) - stop(length - high))

    def _damper(self, d: Any, length: float, rate: float) -> float:
        side = "compression" if rate < 0.0 else "rebound"
        low, high = d["damper"]["length_limits_m"]
        eyes, onset = constants.DAMPER_EYES, constants.DAMPER_ONSET
        bump, droop = (end_stop(depth - eyes, END_STOP, onset) for depth in (low - length, length - high))
        return -d["damper"][f"midstroke_{side}_Ns_per_m"] * rate + bump - droop

    def _column(self) -> float:
        s, data = VEHICLE["steering"], self.tree.data
        angle, rate = data.joint("pitman.0").qpos[0], data.qvel[self.hinges["pitman"]]
        n, limit = s["column_ratio"], np.radians(s["pitman_limit_deg"])
        twist = -self.steering_wheel - n * angle
        right, left = (end_stop(a - limit, PITMAN_STOP, constants.PITMAN_ONSET) for a in (angle, -angle))
        return n * (s["column_stiffness_Nm_per_rad"] * twist - self.column_damping * n * rate) - right + left

    def places(self, y: Vector) -> Vector:
        self._state(y)
        return np.vstack([self.tree.data.xpos[self.tree.ids[n]] for n in ("chassis", *(f"wheel_{w}" for w in WHEELS))])

    def opening(self, y: Vector) -> float:
        """How far the loops are open, in m."""
        self._state(y)
        return max(self.tree.rows(k)[2] for k in range(len(self.m.cuts)))


def end_stop(depth: float, stiffness: float, onset: float) -> float:
    if depth <= 0.0:
        return 0.0
    return float(stiffness * (depth**2 / (2.0 * onset) if depth < onset else depth - onset / 2.0))


def flat(value: Any) -> Vector:
    found: Vector = np.asarray(value, dtype=float).ravel()
    return found


def defaults() -> SimpleNamespace:
    """Return the parameters of the block by name, at their declared values."""
    return SimpleNamespace(
        **{p.name: ca.DM(p.start) if p.size > 1 else p.start[0] for p in HmmwvVehicle.model().p if p.start}
    )


def tire_function() -> ca.Function:
    """Return the tire with its bristles: from the motion of the wheel to wrench about the origin, torque and rates."""
    b = defaults()
    dynamics = SimpleNamespace(block=b)
    tire = WheelDynamics.tire.func(dynamics)  # the tire of the block, with numbers for its parameters
    given = ca.SX.sym("given", 16)
    carrier, centre, axis, spin, states = ca.vertsplit(given, [0, 6, 9, 12, 13, 16])
    brake = Brake(0.0, states[2], b.bristle_angle)
    level = ca.DM([0, 0, 0]), ca.DM([0, 0, 1])
    wheel = rolling_wheel(
        tire, (states[0], states[1]), spin, brake, carrier, centre, axis, level, VEHICLE["tire_fiala"]["mu_max"]
    )
    rates = ca.vertcat(wheel.slip_rate, wheel.side_slip_rate, wheel.brake.rate(spin))
    return ca.Function("tire", [given], [ca.vertcat(wheel.wrench, wheel.brake.torque(), rates)])


def their_mechanism(heavier: tuple[str, float] | None) -> Mechanism:
    """Return the bodies and cuts by the data file, one of them heavier by a factor."""
    data = json.loads(json.dumps(VEHICLE))
    # half shafts turn with the wheels; the idler of the block is parallel to the Pitman arm
    data["wheel"]["rim"]["inertia_kgm2_xyz"][1] += data["front"]["axle_shaft_spin_inertia_kgm2"]
    del data["steering"]["idler_link_joint_m"]
    m = mechanism(values(data))
    if heavier is None:
        return m
    name, factor = heavier
    bodies = tuple(replace(b, mass=factor * b.mass) if b.name == name else b for b in m.bodies)
    return Mechanism(bodies, m.cuts, m.independent)


def compare(case: str, heavier: tuple[str, float] | None = None, length: float | None = None) -> dict[str, Any]:
    """Return the largest distances of a case, in m."""
    starts, rise, stop = CASES[case]
    stop = length or stop
    steering_wheel = STEERING_WHEEL if case == "steer" else 0.0
    ours = Ours(starts, rise, steering_wheel)
    theirs = Theirs(their_mechanism(heavier), ours, steering_wheel)
    x, y, began = ours.x, theirs.y, ours.places(ours.x)
    gaps, calls, moved = [np.abs(began - theirs.places(y)).max(axis=1)], 0, 0.0
    seconds = [0.0, 0.0]
    for i in range(round(stop / BETWEEN)):
        span, ends = (i * BETWEEN, (i + 1) * BETWEEN), []
        for k, (rates, at) in enumerate(((ours.rates, x), (theirs.rates, y))):
            before = time.process_time()
            found = solve_ivp(rates, span, at, method="DOP853", rtol=TOLERANCE, atol=ATOL)
            if not found.success:
                raise RuntimeError(f"{case}: {found.message}")
            seconds[k] += time.process_time() - before
            calls += found.nfev
            ends.append(found.y[:, -1])
        x, y = ends
        here = ours.places(x)
        gaps.append(np.linalg.norm(here - theirs.places(y), axis=1))
        moved = max(moved, float(np.abs(here - began)[:, 2].max()))
    largest = np.max(gaps, axis=0)
    return {
        "case": case,
        "seconds": stop,
        "chassis_m": float(largest[0]),
        "wheels_m": float(largest[1:].max()),
        "moved_up_or_down_m": moved,
        "travelled_m": float(np.linalg.norm(here[0] - began[0])),
        "sideways_m": float(abs(here[0, 1] - began[0, 1])),
        "loops_open_m": theirs.opening(y),
        "calls": calls,
        "cpu_s": {"ours": round(seconds[0], 1), "theirs": round(seconds[1], 1)},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--case", choices=CASES, action="append", help="default: all")
    parser.add_argument("--heavier", metavar="BODY=FACTOR", help="change a mass of theirs, as in chassis=1.001")
    parser.add_argument("--length", type=float, help="seconds to integrate")
    options = parser.parse_args(arguments)
    name, _, factor = (options.heavier or "").partition("=")
    found = [compare(case, (name, float(factor)) if name else None, options.length) for case in options.case or CASES]
    if options.json:
        print(json.dumps(found))
        return
    for row in found:
        print(
            f"{row['case']}: {row['seconds']:g} s, {row['travelled_m']:.2f} m travelled; largest distance of the "
            f"chassis {row['chassis_m']:.1e} m, of a wheel centre {row['wheels_m']:.1e} m"
        )


if __name__ == "__main__":
    main()
