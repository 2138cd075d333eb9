"""The tree of a mechanism as a model of MuJoCo, with the loops closed here.

MuJoCo knows neither our spatial algebra nor our loops. The tree is written as MJCF from the description, the rows of
the cuts are made of its point Jacobians and their rates, and the equations with multipliers are solved by numpy. Tests
and scripts load this file with `runpy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import mujoco
import numpy as np

from drawbar.blocks.vehicle.multibody.mechanism import DOF, Body, Mechanism
from drawbar.blocks.vehicle.multibody.tree import motion_subspace

GRAVITY = np.array([0.0, 0.0, -9.81])
JOINTS = {"rev": "hinge", "pris": "slide", "univ": "hinge", "ball": "ball"}


def flat(value: Any) -> Any:
    return value.ravel() if isinstance(value, np.ndarray) else ca.DM(value).full().ravel()


def text(values: Any) -> str:
    return " ".join(repr(float(v)) for v in np.ravel(values))


class Tree:
    """A mechanism on a free base as a model of MuJoCo."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        first = self._body(m.bodies[0], np.zeros(3))
        mjcf = f'<mujoco><option gravity="{text(GRAVITY)}"/><worldbody>{first}</worldbody></mujoco>'
        self.model = mujoco.MjModel.from_xml_string(mjcf)
        for b in m.bodies:
            # after the compiler, which refuses an inertia that no body can have, as the data give for the lower arms
            i = self.model.body(b.name).id
            principal, axes = np.linalg.eigh(ca.DM(b.inertia).full())
            axes[:, 2] *= np.sign(np.linalg.det(axes))
            self.model.body_inertia[i] = principal if b.mass else 1.0
            mujoco.mju_mat2Quat(self.model.body_iquat[i], axes.ravel())
        self.data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, self.data)
        self.ids = {b.name: int(self.model.body(b.name).id) for b in m.bodies}
        self._origins = {b.name: flat(b.point) for b in m.bodies}
        self._ends = [(flat(c.point_a), flat(c.point_b)) for c in m.cuts]
        self._directions = [[flat(v) for v in c.directions] for c in m.cuts]
        for b in m.bodies:
            if not b.mass:  # which it takes here only
                i = self.model.body(b.name).id
                self.model.body_mass[i] = self.model.body_inertia[i] = 0.0

    def _body(self, b: Body, parent: Any) -> str:
        """A body and all that hangs on it; its frame is at the point of its joint."""
        at = flat(b.point)
        kind = JOINTS.get(b.joint)
        axes = [f'axis="{text(flat(a))}"' for a in b.axes] if b.axes else [""]
        joints = (
            "".join(f'<joint name="{b.name}.{k}" type="{kind}" {axis}/>' for k, axis in enumerate(axes)) if kind else ""
        )
        joints = f'<freejoint name="{b.name}.0"/>' if b.joint == "free" else joints
        inner = "".join(self._body(c, at) for c in self.m.bodies if c.parent == b.name)
        inertial = f'<inertial pos="{text(flat(b.com) - at)}" mass="{float(b.mass) or 1.0!r}" diaginertia="1 1 1"/>'
        return f'<body name="{b.name}" pos="{text(at - parent)}">{inertial}{joints}{inner}</body>'

    def dofs(self, b: Body) -> list[int]:
        """The places of a joint's rates among all."""
        if b.joint == "univ":
            return [int(self.model.joint(f"{b.name}.{k}").dofadr[0]) for k in range(2)]
        first = int(self.model.joint(f"{b.name}.0").dofadr[0]) if DOF[b.joint] else 0
        return list(range(first, first + DOF[b.joint]))

    def put(self, poses: Mapping[str, Any], V: Mapping[str, Any]) -> None:
        """Set all coordinates and rates; the base is at the origin with the motion V."""
        for b in self.m.bodies:
            if b.joint == "free":
                self.data.joint(f"{b.name}.0").qpos[:] = [0, 0, 0, 1, 0, 0, 0]
                self.data.qvel[self.dofs(b)] = [*flat(V[b.name])[3:], *flat(V[b.name])[:3]]
                continue
            up, pose = poses[self.m.parent(b.name)], poses[b.name]
            R = (up.R.T @ pose.R).full()
            if b.joint == "ball":
                mujoco.mju_mat2Quat(self.data.joint(f"{b.name}.0").qpos, R.ravel())
            elif b.joint == "pris":
                self.data.joint(f"{b.name}.0").qpos[0] = float(ca.dot(b.axes[0], up.R.T @ (pose.p - up.p)))
            elif b.joint in ("rev", "univ"):
                for k, angle in enumerate(angles(R, [flat(a) for a in b.axes])):
                    self.data.joint(f"{b.name}.{k}").qpos[0] = angle
            if DOF[b.joint]:
                S = ca.DM(motion_subspace(b, up, pose)).full()
                self.data.qvel[self.dofs(b)] = np.linalg.lstsq(
                    S, flat(V[b.name] - V[self.m.parent(b.name)]), rcond=None
                )[0]
        self.update()

    def update(self) -> None:
        """Calculate positions, velocities, mass matrix and bias from the coordinates and rates.

        Not `mj_forward`, which factorizes the mass matrix without the loops; with an idler without mass it is singular.
        """
        model, data = self.model, self.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, data.qfrc_bias)

    def jacobians(self, name: str, point: Any) -> tuple[Any, Any]:
        """Of the velocity of a point, and of the turning."""
        linear, angular = (np.zeros((3, self.model.nv)) for _ in range(2))
        mujoco.mj_jac(self.model, self.data, linear, angular, point, self.ids[name])
        return linear, angular

    def jacobian_rate(self, name: str, point: Any) -> Any:
        """The rate of the first of them, times the rates of the joints."""
        rate = np.zeros((3, self.model.nv))
        mujoco.mj_jacDot(self.model, self.data, rate, None, point, self.ids[name])
        return rate @ self.data.qvel

    def rotation(self, name: str) -> Any:
        return self.data.xmat[self.ids[name]].reshape(3, 3)

    def place(self, name: str, point: Any) -> Any:
        """Where the point of a body is that was at `point` in the design position."""
        return self.data.xpos[self.ids[name]] + self.rotation(name) @ (flat(point) - self._origins[name])

    def rows(self, k: int) -> tuple[Any, Any, float]:
        """Rows of the k-th cut, what their accelerations must be, and how far it is open."""
        cut, (end_a, end_b) = self.m.cuts[k], self._ends[k]
        a, b = self.place(cut.body_a, end_a), self.place(cut.body_b, end_b)
        J = self.jacobians(cut.body_a, a)[0] - self.jacobians(cut.body_b, b)[0]
        c = self.jacobian_rate(cut.body_a, a) - self.jacobian_rate(cut.body_b, b)
        s = J @ self.data.qvel
        if cut.kind == "ball":
            return J, -c, float(np.abs(a - b).max())
        if cut.kind == "dist":
            length = np.linalg.norm(a - b)
            d = (a - b) / length
            error = length - np.linalg.norm(end_a - end_b)
            return d[None] @ J, np.array([-d @ c - (s @ s - (d @ s) ** 2) / length]), abs(float(error))
        turning = self.jacobians(cut.fixed_in, a)[1] @ self.data.qvel
        d = np.array([self.rotation(cut.fixed_in) @ v for v in self._directions[k]])
        return d @ J, -d @ c - 2 * np.cross(turning, d) @ s, float(np.abs(d @ (a - b)).max())

    def accelerations(self, forces: Any, wrenches: Mapping[str, Any]) -> tuple[Any, float]:
        """All joint accelerations under joint forces and wrenches about the origin, and how far the cuts are open."""
        n = self.model.nv
        M = np.zeros((n, n))
        mujoco.mj_fullM(self.model, self.data, M)
        right = forces - self.data.qfrc_bias
        for name, wrench in wrenches.items():
            linear, angular = self.jacobians(name, np.zeros(3))
            right += angular.T @ wrench[:3] + linear.T @ wrench[3:]
        J, h, gaps = zip(*(self.rows(k) for k in range(len(self.m.cuts))), strict=True)
        G = np.vstack(J)
        kkt = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
        return np.linalg.solve(kkt, np.concatenate([right, *h]))[:n], max(gaps)


def angles(R: Any, axes: list[Any]) -> list[float]:
    """The angles of turns about one axis, or about a first and then a second one that has turned with it."""
    if len(axes) == 2:
        # the first turn takes the second axis where the whole takes it
        first = about(axes[0], axes[1], R @ axes[1])
        back = np.zeros(4)
        turned = np.zeros(9)
        mujoco.mju_axisAngle2Quat(back, axes[0], -first)
        mujoco.mju_quat2Mat(turned, back)
        return [first, *angles(turned.reshape(3, 3) @ R, axes[1:])]
    probe = np.eye(3)[np.abs(axes[0]).argmin()]
    return [about(axes[0], probe, R @ probe)]


def about(axis: Any, start: Any, end: Any) -> float:
    """The angle about an axis from one direction to another."""
    start, end = start - axis * (axis @ start), end - axis * (axis @ end)
    return float(np.arctan2(axis @ np.cross(start, end), start @ end))
