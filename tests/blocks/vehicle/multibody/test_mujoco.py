"""The car beside MuJoCo: its tree, mass matrix, bias and Jacobians, with the loops closed here, give the same motion.

Of trees without loops MuJoCo tells the inverse dynamics too.

MuJoCo knows neither our spatial algebra nor our loops. Its tree of 45 coordinates is written as MJCF from the
description; positions and rates of its joints come from our poses and motions; the 30 rows of the cuts are made of its
point Jacobians and their rates; the equations with multipliers are solved by numpy.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import casadi as ca
import mujoco
import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.embedded import Embedded, independent_forces
from drawbar.blocks.vehicle.multibody.embedding import motion
from drawbar.blocks.vehicle.multibody.inverse_dynamics import inverse_dynamics
from drawbar.blocks.vehicle.multibody.mechanism import DOF, GROUND, Body, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Pose
from drawbar.blocks.vehicle.multibody.tree import motion_subspace

Made = Mapping[str, Callable[..., Mechanism]]
GRAVITY = np.array([0.0, 0.0, -9.81])
JOINTS = {"rev": "hinge", "pris": "slide", "univ": "hinge", "ball": "ball"}


def flat(value: Any) -> Any:
    return ca.DM(value).full().ravel()


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
            self.model.body_inertia[i] = principal
            mujoco.mju_mat2Quat(self.model.body_iquat[i], axes.ravel())
        self.data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, self.data)

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
        inertial = f'<inertial pos="{text(flat(b.com) - at)}" mass="{float(b.mass)!r}" diaginertia="1 1 1"/>'
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
        mujoco.mj_forward(self.model, self.data)

    def jacobians(self, name: str, point: Any) -> tuple[Any, Any, Any]:
        """Of the velocity of a point, of the turning, and the rate of the first times the rates."""
        i, n = self.model.body(name).id, self.model.nv
        linear, angular, rate = (np.zeros((3, n)) for _ in range(3))
        mujoco.mj_jac(self.model, self.data, linear, angular, point, i)
        mujoco.mj_jacDot(self.model, self.data, rate, None, point, i)
        return linear, angular, rate @ self.data.qvel

    def place(self, name: str, point: Any) -> Any:
        """Where the point of a body is that was at `point` in the design position."""
        body = self.data.body(name)
        return body.xpos + body.xmat.reshape(3, 3) @ (flat(point) - flat(self.m.by_name[name].point))

    def rows(self, cut: Cut) -> tuple[Any, Any, float]:
        """Rows of a cut, what their accelerations must be, and how far the cut is open."""
        a, b = self.place(cut.body_a, cut.point_a), self.place(cut.body_b, cut.point_b)
        (J_a, _, c_a), (J_b, _, c_b) = self.jacobians(cut.body_a, a), self.jacobians(cut.body_b, b)
        J, c, s = J_a - J_b, c_a - c_b, (J_a - J_b) @ self.data.qvel
        if cut.kind == "ball":
            return J, -c, float(np.abs(a - b).max())
        if cut.kind == "dist":
            length = np.linalg.norm(a - b)
            d = (a - b) / length
            error = length - np.linalg.norm(flat(cut.point_a) - flat(cut.point_b))
            return d[None] @ J, np.array([-d @ c - (s @ s - (d @ s) ** 2) / length]), abs(error)
        turning = self.jacobians(cut.fixed_in, a)[1] @ self.data.qvel
        R = self.data.body(cut.fixed_in).xmat.reshape(3, 3)
        d = np.array([R @ flat(v) for v in cut.directions])
        return d @ J, -d @ c - 2 * np.cross(turning, d) @ s, float(np.abs(d @ (a - b)).max())

    def accelerations(self, forces: Any, wrenches: Mapping[str, Any]) -> tuple[Any, float]:
        """All joint accelerations under joint forces and wrenches about the origin, and how far the cuts are open."""
        n = self.model.nv
        M = np.zeros((n, n))
        mujoco.mj_fullM(self.model, self.data, M)
        right = forces - self.data.qfrc_bias
        for name, wrench in wrenches.items():
            linear, angular, _ = self.jacobians(name, np.zeros(3))
            right += angular.T @ wrench[:3] + linear.T @ wrench[3:]
        J, h, gaps = zip(*(self.rows(c) for c in self.m.cuts), strict=True)
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


def embedded_car(m: Mechanism) -> tuple[Embedded, ca.Function]:
    """Ours: base and rate accelerations, poses and motions, from q, V, u, joint forces, and wrenches on all hubs."""
    e = Embedded(m, rotors(detailed=True))
    q, V, u = ca.SX.sym("q", len(e.joints)), ca.SX.sym("V", 6), ca.SX.sym("u", len(e.rates))
    tau = ca.SX.sym("tau", len(e.rates))
    on = {name: ca.SX.sym(name, 6) for name in (*rotors(detailed=True), "chassis")}
    c = e.configuration({n: q[i] for i, n in enumerate(e.joints)}, u)
    forces = independent_forces(e, {r: tau[i] for i, r in enumerate(e.rates)})
    found = motion(m, c.compounds, V, forces, on)
    poses = {m.base: DESIGN} | c.poses
    states = [v for b in m.bodies for v in (ca.SX(poses[b.name].R), ca.SX(poses[b.name].p), found.V[b.name])]
    return e, ca.Function("car", [q, V, u, tau, *on.values()], [ca.vertcat(found.A[m.base], *found.rates), *states])


def largest_difference(ours: Mechanism, theirs: Mechanism, states: int) -> float:
    """Of all independent accelerations at random states with random forces, relative to the largest of each state."""
    tree = Tree(theirs)
    assert (tree.model.nv, sum(c.rows for c in theirs.cuts)) == (45, 30)
    e, car = embedded_car(ours)
    places = [tree.dofs(theirs.by_name[name])[k] for name, k in e.rates]
    rng, worst = np.random.default_rng(8), 0.0
    for _ in range(states):
        q, u = rng.uniform(-0.28, 0.28, len(e.joints)), rng.normal(size=len(e.rates)) * 5
        V = rng.normal(size=6) * [1, 1, 1, 15, 3, 3]
        tau = rng.normal(size=len(e.rates)) * 300
        wrenches = {name: rng.normal(size=6) * 3000 for name in (*rotors(detailed=True), "chassis")}
        A, *bodies = car(q, V, u, tau, *wrenches.values())
        mine = flat(A)
        # ours is spatial, against free fall; theirs is of the moving point, in the world
        mine[3:6] += np.cross(V[:3], V[3:]) + GRAVITY
        poses = {b.name: Pose(*bodies[3 * i : 3 * i + 2]) for i, b in enumerate(ours.bodies)}
        tree.put(poses, {b.name: bodies[3 * i + 2] for i, b in enumerate(ours.bodies)})
        forces = np.zeros(45)
        forces[places] = tau
        found, gap = tree.accelerations(forces, wrenches)
        assert gap < 1e-13
        base = found[tree.dofs(theirs.bodies[0])]
        wanted = np.concatenate([base[3:], base[:3], found[places]])
        worst = max(worst, float(np.abs(mine - wanted).max() / np.abs(wanted).max()))
    return worst


def test_accelerations_of_the_car_are_those_of_mujoco(mechanisms: Made) -> None:
    """Measured 1e-14."""
    m = mechanisms["hmmwv"]()
    assert largest_difference(m, m, 20) < 1e-11


def test_a_heavier_rod_of_theirs_is_seen(mechanisms: Made) -> None:
    """Negative control: one per cent more on one strut rod of 2 kg."""
    m = mechanisms["hmmwv"]()
    heavy = tuple(replace(b, mass=1.01 * b.mass) if b.name == "rod_fl" else b for b in m.bodies)
    assert largest_difference(m, Mechanism(heavy, m.cuts, m.independent), 1) > 1e-7


def efforts(ours: Mechanism, theirs: Mechanism) -> float:
    """Of all forces along joints and on the base that random accelerations take, relative to the largest of each."""
    tree, e = Tree(theirs), Embedded(ours)
    sizes = {n: {"ball": 4, "univ": 2}.get(ours.by_name[n].joint, 1) for n in e.joints}
    q, u = {n: ca.SX.sym(n, size) for n, size in sizes.items()}, ca.SX.sym("u", len(e.rates))
    V, A, given = ca.SX.sym("V", 6), ca.SX.sym("A", 6), ca.SX.sym("given", len(e.rates))
    c = e.configuration(q, u)
    parts = np.cumsum([0, *(len(n.independent) for n in e.nodes)]).tolist()
    found = inverse_dynamics(ours, c.compounds, V, ca.vertsplit(given, parts), {}, A)
    motions = c.motions(V)
    states = [v for b in ours.bodies for v in (ca.SX(c.poses[b.name].R), ca.SX(c.poses[b.name].p), motions[b.name])]
    f = ca.Function("f", [*q.values(), u, V, A, given], [ca.vertcat(*found.forces), found.base, *states])
    rng, worst = np.random.default_rng(2), 0.0
    free = ours.base != GROUND
    for _ in range(5):
        at = [np.append(1.0, rng.normal(size=3) * 0.3) if s == 4 else rng.uniform(-1, 1, s) for s in sizes.values()]
        base, spatial = (rng.normal(size=6) * 5 if free else np.zeros(6) for _ in range(2))
        rates = rng.normal(size=len(e.rates)) * 9
        # against free fall: what is at rest accelerates upwards
        against = spatial - np.append(np.zeros(3), GRAVITY)
        forces, left, *bodies = f(*at, rng.normal(size=len(e.rates)) * 3, base, against, rates)
        poses = {b.name: Pose(*bodies[3 * i : 3 * i + 2]) for i, b in enumerate(ours.bodies)} | {GROUND: DESIGN}
        tree.put(poses, {b.name: bodies[3 * i + 2] for i, b in enumerate(ours.bodies)} | {GROUND: ca.DM(6, 1)})
        places = [tree.dofs(theirs.by_name[name])[k] for name, k in e.rates]
        tree.data.qacc[places] = rates
        mine = flat(forces)
        if free:
            moving = tree.dofs(theirs.bodies[0])
            # theirs is of the moving point, force before moment
            linear = spatial[3:] + np.cross(base[:3], base[3:])
            tree.data.qacc[moving] = [*linear, *spatial[:3]]
            places, mine = [*places, *moving], np.concatenate([mine, flat(left)[3:], flat(left)[:3]])
        mujoco.mj_inverse(tree.model, tree.data)
        wanted = tree.data.qfrc_inverse[places]
        worst = max(worst, float(np.abs(mine - wanted).max() / np.abs(wanted).max()))
    return worst


@pytest.mark.parametrize("name", ["pendulum", "hexapod"])
def test_inverse_dynamics_is_that_of_mujoco(name: str, mechanisms: Made) -> None:
    """Measured 1e-15; and a part that is heavier by a per cent is seen."""
    m = mechanisms[name]()
    assert efforts(m, m) < 1e-12
    heavy = replace(m.bodies[-1], mass=1.01 * m.bodies[-1].mass)
    assert efforts(m, Mechanism((*m.bodies[:-1], heavy))) > 1e-5
