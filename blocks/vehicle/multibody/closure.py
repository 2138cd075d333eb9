"""The motion of a node's bodies from its independent coordinates, for any loop, by solving the constraints.

With the rows of the cuts split by joint rates, ``J_d q_d' + J_i u = 0``, the joint rates are ``E u`` and the joint
accelerations ``E u' + gamma``. Positions are closed by Newton's method, starting from the design position.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from drawbar.blocks.vehicle.multibody.mechanism import DOF, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import BodyKinematics, Compound, Node, loop_jacobian
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, cross_motion
from drawbar.blocks.vehicle.multibody.tree import (
    cut_bias,
    cut_error,
    cut_wrenches,
    joint_bias,
    joint_pose,
    motion_subspace,
)


def node_poses(m: Mechanism, node: Node, q: Mapping[str, Matrix], above: Mapping[str, Pose]) -> dict[str, Pose]:
    """Return the poses of a node's bodies together with those of the bodies above it."""
    poses = dict(above)
    for name in node.bodies:
        poses[name] = poses[m.parent(name)].after(joint_pose(m.by_name[name], q[name]))
    return poses


def compound_body(m: Mechanism, node: Node, q: Mapping[str, Matrix], u: Matrix, above: Mapping[str, Pose]) -> Compound:
    """Return the compound body of a node with the joint coordinates q, which close its loops, and the rates u."""
    poses = node_poses(m, node, q, above)
    S = {n: motion_subspace(m.by_name[n], poses[m.parent(n)], poses[n]) for n in node.bodies}
    free = [(b, k) for b in node.bodies for k in range(DOF[m.by_name[b].joint])]
    E = _embedding(m, node, free, poses)
    rate = E @ u
    at = {name: [i for i, (b, _) in enumerate(free) if b == name] for name in node.bodies}
    zero = ca.SX(6, 1)
    V, bias = {node.parent: zero}, {node.parent: zero}
    for n in node.bodies:
        up = m.parent(n)
        relative = S[n] @ rate[at[n]] if at[n] else zero
        V[n] = V[up] + relative
        bias[n] = bias[up] + cross_motion(V[up], relative) + joint_bias(m.by_name[n], S[n], relative)
    gamma = _gamma(m, node, free, poses, V, bias)
    kinematics = {}
    jacobian = {node.parent: ca.SX(6, len(free))}
    for n in node.bodies:
        jacobian[n] = ca.SX(jacobian[m.parent(n)])
        if at[n]:
            jacobian[n][:, at[n]] = S[n]
        kinematics[n] = BodyKinematics(poses[n], jacobian[n] @ E, bias[n] + jacobian[n] @ gamma)
    return Compound(node, kinematics, u)


def closure_errors(m: Mechanism, node: Node, q: Mapping[str, Matrix], above: Mapping[str, Pose]) -> Matrix:
    """Return the closure errors of the loops of a node, in m."""
    poses = node_poses(m, node, q, above)
    return ca.vertcat(*(cut_error(c, poses) for c in node.cuts))


def _split(node: Node, free: list[tuple[str, int]]) -> tuple[list[int], list[int]]:
    return [free.index(f) for f in node.dependent], [free.index(f) for f in node.independent]


def _embedding(m: Mechanism, node: Node, free: list[tuple[str, int]], poses: Mapping[str, Pose]) -> Matrix:
    dependent, independent = _split(node, free)
    E = ca.SX(len(free), len(independent))
    E[independent, :] = ca.DM.eye(len(independent))
    if dependent:
        J = loop_jacobian(m, node.bodies, node.cuts, poses)
        E[dependent, :] = -ca.solve(J[:, dependent], J[:, independent])
    return E


def _gamma(
    m: Mechanism,
    node: Node,
    free: list[tuple[str, int]],
    poses: Mapping[str, Pose],
    V: Mapping[str, Matrix],
    bias: Mapping[str, Matrix],
) -> Matrix:
    dependent, _ = _split(node, free)
    gamma = ca.SX(len(free), 1)
    if not dependent:
        return gamma
    zero = ca.SX(6, 1)  # bodies outside of the node move with its parent
    speeds = {name: V.get(name, zero) for cut in node.cuts for name in (cut.body_a, cut.body_b, cut.fixed_in)}
    right = []
    for cut in node.cuts:
        W_a, W_b = cut_wrenches(cut, poses)
        known = W_a.T @ bias.get(cut.body_a, zero) - W_b.T @ bias.get(cut.body_b, zero)
        right.append(cut_bias(cut, poses, speeds) - known)
    J = loop_jacobian(m, node.bodies, node.cuts, poses)
    gamma[dependent] = ca.solve(J[:, dependent], ca.vertcat(*right))
    return gamma


def solve_loops(
    m: Mechanism, node: Node, q: Mapping[str, Matrix], above: Mapping[str, Pose], iterations: int
) -> tuple[dict[str, Matrix], Matrix]:
    """Return all joint coordinates of a node from its independent ones, and the remaining closure errors in m.

    The number of Newton steps from the design position is fixed, so the result can be compiled. A dependent ball joint
    is represented by the vector part of its quaternion, so it may turn by less than 180 degrees. The coordinates of one
    joint are either all dependent or all independent.
    """
    dependent = list(dict.fromkeys(b for b, _ in node.dependent))
    sizes = [DOF[m.by_name[b].joint] for b in dependent]
    x = ca.SX.sym("x", sum(sizes))

    def full(values: Matrix) -> dict[str, Matrix]:
        found, at = dict(q), 0
        for b, size in zip(dependent, sizes, strict=True):
            part = values[at : at + size]
            at += size
            found[b] = ca.vertcat(ca.sqrt(1 - ca.sumsqr(part)), part) if m.by_name[b].joint == "ball" else part
        return found

    opening = closure_errors(m, node, full(x), above)
    step = -ca.solve(ca.jacobian(opening, x), opening)
    now = ca.SX(ca.DM.zeros(sum(sizes)))
    for _ in range(iterations):
        now = now + ca.substitute(step, x, now)
    return full(now), ca.substitute(opening, x, now)
