"""The HMMWV with 36 bodies in three formulations: functions of their own states, and one state that all three share."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

from drawbar.blocks.data import read
from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import mechanism, rotors, values
from drawbar.blocks.vehicle.multibody.augmented import Equations, absolute_equations, tree_equations
from drawbar.blocks.vehicle.multibody.closure import solve_loops
from drawbar.blocks.vehicle.multibody.embedded import Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.embedding import LDLFactors, motion, projected
from drawbar.blocks.vehicle.multibody.mechanism import DOF, GROUND
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Pose, from_quaternion
from drawbar.blocks.vehicle.multibody.tree import COORDINATES, motion_subspace, tree_poses

NEWTON_STEPS = 12


class Car:
    """The car, detailed or as produced; functions take the state, joint forces, and wrenches on hubs and chassis."""

    def __init__(self, detailed: bool = True) -> None:
        self.detailed = detailed
        self.m = mechanism(values(read("vehicles/hmmwv.json")), detailed=detailed)
        self.e = Embedded(self.m, rotors(detailed))
        self.tau = ca.SX.sym("tau", len(self.e.rates))
        self.wrenches = {name: ca.SX.sym(name, 6) for name in (*rotors(detailed), "chassis")}
        self.forces = {rate: self.tau[i] for i, rate in enumerate(self.e.rates)}
        self.inputs = [self.tau, *self.wrenches.values()]
        self.joints = [b for b in self.m.bodies if b.joint != "free"]

    def embedded(self) -> ca.Function:
        """CE: accelerations of the base and of the independent joints by the recursion."""
        state, compounds, forces = self.compounds()
        found = motion(self.m, compounds, state[1], forces, self.wrenches)
        out = ca.vertcat(found.A[self.m.base], *found.rates)
        return ca.Function("CE", [*state, *self.inputs], [out], {"cse": True})

    def projected(self) -> ca.Function:
        """CE: the same by the projected mass matrix."""
        state, compounds, forces = self.compounds()
        H, f = projected(self.m, compounds, state[1], forces, self.wrenches)
        return ca.Function("CE_projected", [*state, *self.inputs], [LDLFactors(H).solve(f)], {"cse": True})

    def compounds(self) -> tuple[list[ca.SX], Any, list[ca.SX]]:
        """State, compound bodies and forces of CE."""
        q, V, u = ca.SX.sym("q", len(self.e.joints)), ca.SX.sym("V", 6), ca.SX.sym("u", len(self.e.rates))
        c = self.e.configuration({n: q[i] for i, n in enumerate(self.e.joints)}, u)
        return [q, V, u], c.compounds, independent_forces(self.e, self.forces)

    def tree(self) -> tuple[list[ca.SX], Equations]:
        """TA: over the coordinates and rates of all joints."""
        q = {b.name: ca.SX.sym("q_" + b.name, COORDINATES[b.joint]) for b in self.joints}
        u = {b.name: ca.SX.sym("u_" + b.name, DOF[b.joint]) for b in self.joints}
        base = ca.SX.sym("V", 6)
        poses = tree_poses(self.m, q)
        V = {GROUND: ca.SX(6, 1), self.m.base: base}
        for b in self.joints:
            up = self.m.parent(b.name)
            V[b.name] = V[up] + motion_subspace(b, poses[up], poses[b.name]) @ u[b.name]
        equations = tree_equations(self.m, poses, V, self.forces, self.wrenches)
        return [ca.vertcat(*q.values()), base, ca.vertcat(*u.values()), *self.inputs], equations

    def absolute(self) -> tuple[list[ca.SX], Equations]:
        """FA: over quaternion, place and motion of each body."""
        turn = ca.SX.sym("turn", 4, len(self.m.bodies))
        at, V = ca.SX.sym("place", 3, len(self.m.bodies)), ca.SX.sym("V", 6, len(self.m.bodies))
        names = [b.name for b in self.m.bodies]
        poses = {n: Pose(from_quaternion(turn[:, i]), at[:, i]) for i, n in enumerate(names)} | {GROUND: DESIGN}
        motions = {n: V[:, i] for i, n in enumerate(names)} | {GROUND: ca.SX(6, 1)}
        return [turn, at, V, *self.inputs], absolute_equations(self.m, poses, motions, self.forces, self.wrenches)

    def states(self, seed: int) -> tuple[list[Any], list[Any], list[Any]]:
        """One random state and load as the arguments of each formulation."""
        rng = np.random.default_rng(seed)
        q, V = rng.uniform(-0.25, 0.25, len(self.e.joints)), rng.normal(size=6) * [0.5, 0.5, 1, 15, 2, 1]
        u = rng.normal(size=len(self.e.rates)) * 3
        load = [rng.normal(size=self.tau.shape[0]) * 300, *(rng.normal(size=6) * 3000 for _ in self.wrenches)]
        ce, ta, fa = self.share(q, V, u)
        return [*ce, *load], [*ta, *load], [*fa, *load]

    def share(self, q: Any, V: Any, u: Any) -> tuple[list[Any], list[Any], list[Any]]:
        """One state in the coordinates of each formulation."""
        given = {n: ca.SX(float(v)) for n, v in zip(self.e.joints, q, strict=True)}
        c = self.e.configuration(given, ca.SX(u))
        found = motion(self.m, c.compounds, ca.SX(V), independent_forces(self.e, {}), {})
        poses = {n: Pose(_number(p.R), _number(p.p)) for n, p in ({self.m.base: DESIGN} | c.poses).items()}
        motions = {n: _number(v) for n, v in found.V.items()}
        tree, rates = [], []
        coordinates = self._tree_coordinates(given)
        for b in self.joints:
            tree.append(coordinates[b.name])
            S = _number(motion_subspace(b, poses[self.m.parent(b.name)], poses[b.name]))
            relative = motions[b.name] - motions[self.m.parent(b.name)]
            rates.append(np.linalg.lstsq(S.full(), relative.full(), rcond=None)[0].ravel())
        turn = [Rotation.from_matrix(poses[b.name].R.full()).as_quat(scalar_first=True) for b in self.m.bodies]
        at = [poses[b.name].p.full().ravel() for b in self.m.bodies]
        absolute = [np.transpose(turn), np.transpose(at), np.hstack([motions[b.name].full() for b in self.m.bodies])]
        return [q, V, u], [np.concatenate(tree), V, np.concatenate(rates)], absolute

    def _tree_coordinates(self, given: dict[str, Any]) -> dict[str, Any]:
        above = {GROUND: DESIGN, self.m.base: DESIGN}
        found: dict[str, Any] = {}
        for node in self.e.nodes:
            q = {b: given.get(b, ca.SX(COORDINATES[self.m.by_name[b].joint], 1)) for b in node.bodies}
            if node.dependent:
                q, _ = solve_loops(self.m, node, q, above, NEWTON_STEPS)
            found |= {b: _number(ca.densify(ca.SX(v))).full().ravel() for b, v in q.items()}
        return found


def _number(value: Any) -> ca.DM:
    return ca.DM(ca.evalf(ca.SX(value)))
