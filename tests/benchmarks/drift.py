"""How far constraints open in ten seconds of free motion: the HMMWV with 36 bodies in three formulations.

The car tumbles freely on undamped springs with spinning wheels, from one state, by RK4 with a fixed step. TA and FA
solve their constraints for accelerations; as they are, or with Baumgarte's terms ``-2 a e' - a^2 e`` that pull errors
back. Errors are lengths (m) and angles (rad): of the cuts, and for FA of all hinges too. CE has no constraints; shown
is how far the cuts are open where it places its bodies.

    python tests/benchmarks/drift.py [--json] [--figure docs/drift.png] [--seconds 10]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from car_formulations import Car
from straight_line import solve_whole

from drawbar.blocks.data import read
from drawbar.blocks.terrain.ground.ground import WHEELS
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import axle, mirrored, values
from drawbar.blocks.vehicle.multibody.augmented import Equations, absolute_equations, tree_equations
from drawbar.blocks.vehicle.multibody.embedded import independent_forces
from drawbar.blocks.vehicle.multibody.embedding import motion
from drawbar.blocks.vehicle.multibody.force_element import ForceLaw, LineElement
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Body
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Pose, from_quaternion, quaternion_rate
from drawbar.blocks.vehicle.multibody.tree import (
    COORDINATES,
    DOF,
    cut_error,
    motion_subspace,
    perpendiculars,
    tree_poses,
)

STEP, SAMPLES = 2e-3, 100
BAUMGARTE = 50.0  # a, 1/s
E3 = ca.DM.eye(3)


def spring(w: str) -> LineElement:
    """The spring of a wheel, free in the design position."""
    data = values(read("vehicles/hmmwv.json"))[axle(w)]
    upper, lower = (mirrored(data["points_m"][f"spring_{end}"], w) for end in ("upper", "lower"))
    return LineElement("chassis", f"lower_arm_{w}", upper, lower, ForceLaw(data["spring"]["rate_N_per_m"]))


class Drift:
    """The motion of each formulation from one state."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.car = Car()
        self.m, self.e = replace(self.car.m, forces=tuple(spring(w) for w in WHEELS)), self.car.e
        at, self.V = np.zeros(len(self.e.joints)), np.array([0.3, 0.5, 0.8, 0.0, 0.0, 0.0])
        names = [name for name, _ in self.e.rates]
        self.u = np.array([20.0 + i if n.startswith("spindle") else 0.6 * (-1) ** i for i, n in enumerate(names)])
        self.states = self.car.share(at, self.V, self.u)

    def embedded(self) -> dict[str, Any]:
        q, V, u = ca.SX.sym("q", len(self.e.joints)), ca.SX.sym("V", 6), ca.SX.sym("u", len(self.e.rates))
        c = self.e.configuration({n: q[i] for i, n in enumerate(self.e.joints)}, u)
        found = motion(self.m, c.compounds, V, independent_forces(self.e, {}), {})
        along = u[[self.e.rates.index((n, 0)) for n in self.e.joints]]
        rate = ca.vertcat(along, found.A[self.m.base], *found.rates)
        errors = ca.vertcat(*(cut_error(cut, c.poses) for cut in self.m.cuts))
        return self.run(ca.vertcat(q, V, u), rate, errors, np.concatenate(self.states[0]))

    def tree(self, stiffness: float) -> dict[str, Any]:
        joints = self.car.joints
        q = {b.name: ca.SX.sym(b.name, COORDINATES[b.joint]) for b in joints}
        u = {b.name: ca.SX.sym(b.name, DOF[b.joint]) for b in joints}
        base = ca.SX.sym("V", 6)
        poses = tree_poses(self.m, q)
        V = {GROUND: ca.SX(6, 1), self.m.base: base}
        for b in joints:
            up = self.m.parent(b.name)
            V[b.name] = V[up] + motion_subspace(b, poses[up], poses[b.name]) @ u[b.name]
        equations = tree_equations(self.m, poses, V, {}, {})
        errors = ca.vertcat(*(cut_error(cut, poses) for cut in self.m.cuts))
        rates = ca.vertcat(base, *u.values())
        state = ca.vertcat(*q.values(), rates)
        start = np.concatenate(self.states[1])
        A = self.solved(equations, state, start, rates, errors, stiffness)
        change = [quaternion_rate(q[b.name], u[b.name]) if b.joint == "ball" else u[b.name] for b in joints]
        return self.run(state, ca.vertcat(*change, A), errors, start)

    def absolute(self, stiffness: float) -> dict[str, Any]:
        names = [b.name for b in self.m.bodies]
        turn, at, V = (ca.SX.sym(n, k, len(names)) for n, k in (("turn", 4), ("place", 3), ("V", 6)))
        poses = {n: Pose(from_quaternion(turn[:, i]), at[:, i]) for i, n in enumerate(names)} | {GROUND: DESIGN}
        motions = {n: V[:, i] for i, n in enumerate(names)} | {GROUND: ca.SX(6, 1)}
        equations = absolute_equations(self.m, poses, motions, {}, {})
        hinges = [hinge_errors(b, poses[self.m.parent(b.name)], poses[b.name]) for b in self.car.joints]
        errors = ca.vertcat(*hinges, *(cut_error(cut, poses) for cut in self.m.cuts))
        state = ca.vertcat(ca.vec(turn), ca.vec(at), ca.vec(V))
        start = np.concatenate([np.ravel(v, order="F") for v in self.states[2]])
        A = self.solved(equations, state, start, ca.vec(V), errors, stiffness)
        turning = [quaternion_rate(turn[:, i], poses[n].R.T @ V[:3, i]) for i, n in enumerate(names)]
        moving = [V[3:, i] + ca.cross(V[:3, i], at[:, i]) for i in range(len(names))]
        return self.run(state, ca.vertcat(*turning, *moving, A), errors, start)

    def solved(self, e: Equations, state: Any, start: Any, rates: Any, errors: Any, stiffness: float) -> Any:
        """Accelerations, with errors pulled back at a stiffness."""
        numbers = [v.full() for v in ca.Function("parts", [state], [ca.densify(e.M), ca.densify(e.J)])(start)]
        demand = e.h - 2 * stiffness * (e.J @ rates) - stiffness**2 * errors
        return solve_whole(e.M, e.J, e.f, demand, [tuple(numbers)])

    def run(self, state: Any, rate: Any, errors: Any, start: Any) -> dict[str, Any]:
        """Times and the largest error so far, by RK4."""
        f = ca.Function("rate", [state], [rate], {"cse": True})
        largest = ca.Function("errors", [state], [ca.norm_inf(errors)], {"cse": True})
        x = ca.MX.sym("x", state.shape[0])
        k1 = f(x)
        k2 = f(x + STEP / 2 * k1)
        k3 = f(x + STEP / 2 * k2)
        k4 = f(x + STEP * k3)
        step = ca.Function("step", [x], [x + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
        block = step.fold(max(1, round(self.seconds / STEP / SAMPLES)))
        seen, now = [float(largest(start))], start
        for _ in range(SAMPLES):
            now = block(now)
            seen.append(float(largest(now)))
        return {"t": np.linspace(0, self.seconds, SAMPLES + 1).tolist(), "error": seen, "largest": max(seen)}


def hinge_errors(b: Body, up: Pose, pose: Pose) -> Any:
    """How far a hinge is off, whose rates are the rows that `held` gives; small."""
    gap = pose.at(b.point) - up.at(b.point)
    if b.joint == "rev":
        axis = ca.cross(up.along(b.axes[0]), pose.along(b.axes[0]))
        return ca.vertcat(gap, *(ca.dot(up.along(d), axis) for d in perpendiculars(b.axes[0])))
    if b.joint == "pris":
        return ca.vertcat(turned(up, pose), *(ca.dot(up.along(d), gap) for d in perpendiculars(b.axes[0])))
    if b.joint == "univ":
        angle = ca.dot(b.axes[0], b.axes[1]) - ca.dot(up.along(b.axes[0]), pose.along(b.axes[1]))
        return ca.vertcat(gap, angle)
    return gap if b.joint == "ball" else ca.vertcat(gap, turned(up, pose))


def turned(up: Pose, pose: Pose) -> Any:
    """The small turn of one body against another."""
    return 0.5 * sum((ca.cross(up.R[:, k], pose.R[:, k]) for k in range(3)), ca.SX(3, 1))


def measure(seconds: float) -> dict[str, Any]:
    drift = Drift(seconds)
    return {
        "step": STEP,
        "baumgarte": BAUMGARTE,
        "CE": drift.embedded(),
        "TA": drift.tree(0.0),
        "TA, stabilised": drift.tree(BAUMGARTE),
        "FA": drift.absolute(0.0),
        "FA, stabilised": drift.absolute(BAUMGARTE),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--figure", type=Path, help="write the picture here")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    result = measure(options.seconds)
    if options.figure is not None:
        import drift_figure

        drift_figure.draw(result, options.figure)
    if options.json:
        print(json.dumps(result))
    else:
        for name in ("CE", "TA", "TA, stabilised", "FA", "FA, stabilised"):
            print(f"{name:15} {result[name]['largest']:.2e}")
