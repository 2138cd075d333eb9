"""The equations of motion with constraints: over the tree (TA) and in absolute coordinates (FA).

TA, with the mass matrix of composite bodies M and the rows of the cuts J::

    [M  J'] [q'' ]   [tau - C]
    [J  0 ] [-lam] = [h      ]

FA, with the inertia of each body on the diagonal of M, A the spatial accelerations of all bodies, and G the rows of all
joints and cuts::

    [M  G'] [A   ]   [f - V x* M V]
    [G  0 ] [-lam] = [h           ]

Both take the same poses and velocities, in the base frame; gravity enters as a base that accelerates upwards, so the
accelerations are those against free fall. Featherstone (2008), chapters 6 and 8; Jain, Robot and Multibody Dynamics
(2011), chapters 10 and 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.forces import with_forces
from drawbar.blocks.vehicle.multibody.mechanism import DOF, GROUND, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import (
    Matrix,
    Pose,
    cross_force,
    cross_motion,
    inertia,
    rotated,
    symmetric,
)
from drawbar.blocks.vehicle.multibody.tree import (
    constraint_wrenches,
    cut_bias,
    cut_wrenches,
    joint_bias,
    motion_subspace,
)

Poses = Mapping[str, Pose]
Motions = Mapping[str, Matrix]


@dataclass(frozen=True)
class Equations:
    """``M a - J' lam = f`` and ``J a = h``; `names` gives the body and length of each run of unknowns in `a`."""

    M: Matrix
    J: Matrix
    f: Matrix
    h: Matrix
    names: tuple[tuple[str, int], ...]

    def kkt(self) -> tuple[Matrix, Matrix]:
        """Return the matrix and right-hand side of the whole system, with the unknowns ``(a, -lam)``."""
        zero = ca.SX(self.J.shape[0], self.J.shape[0])
        return ca.vertcat(ca.horzcat(self.M, self.J.T), ca.horzcat(self.J, zero)), ca.vertcat(self.f, self.h)


def inertias(m: Mechanism, poses: Poses) -> dict[str, Matrix]:
    """Return the 6 x 6 inertia of each body about the base origin."""
    return {b.name: inertia(b.mass, poses[b.name].at(b.com), rotated(poses[b.name].R, b.inertia)) for b in m.bodies}


def tree_equations(
    m: Mechanism, poses: Poses, V: Motions, forces: Mapping[tuple[str, int], Matrix], wrenches: Motions
) -> Equations:
    """Return TA: the unknowns are the accelerations of a moving base and of each joint in the order of the bodies.

    `forces` act along joint coordinates and `wrenches` on bodies, about the base origin in base axes, in addition to
    the force elements of the mechanism.
    """
    M_of, S, applied = inertias(m, poses), _columns(m, poses), with_forces(m, poses, V, wrenches)
    A, composite, wrench = {GROUND: ca.DM.zeros(6)}, dict(M_of), {}
    for b in m.bodies:
        if b.joint == "free":
            A[b.name] = ca.DM.zeros(6)
        else:
            parent = m.parent(b.name)
            relative = V[b.name] - V[parent]
            A[b.name] = A[parent] + cross_motion(V[parent], relative) + joint_bias(b, S[b.name], relative)
        momentum = M_of[b.name] @ V[b.name]
        wrench[b.name] = M_of[b.name] @ A[b.name] + cross_force(V[b.name], momentum) - applied.get(b.name, 0)
    for b in reversed(m.bodies):
        parent = m.parent(b.name)
        if parent != GROUND and b.joint != "free":
            composite[parent] = composite[parent] + composite[b.name]
            wrench[parent] = wrench[parent] + wrench[b.name]
    names, blocks, place = _unknowns(m)
    M, f = ca.SX(len(names), len(names)), ca.SX(len(names), 1)
    for b in m.bodies:
        rows = place[b.name]
        carried = composite[b.name] @ S[b.name]
        f[rows] = ca.vertcat(*(forces.get((b.name, k), 0) for k in range(DOF[b.joint]))) - S[b.name].T @ wrench[b.name]
        M[rows, rows] = symmetric(S[b.name].T @ carried)
        for other in [*m.path(b.name)[1:], *([m.base] if m.base != GROUND and b.joint != "free" else [])]:
            M[place[other], rows] = S[other].T @ carried
            M[rows, place[other]] = M[place[other], rows].T
    J, h = [], []
    for cut in m.cuts:
        W_a, W_b = cut_wrenches(cut, poses)
        row = ca.SX(cut.rows, len(names))
        for name, W, sign in ((cut.body_a, W_a, 1), (cut.body_b, W_b, -1)):
            for link in m.path(name):
                row[:, place[link]] += sign * (W.T @ S[link])
        J.append(row)
        h.append(cut_bias(cut, poses, V) - W_a.T @ A[cut.body_a] + W_b.T @ A[cut.body_b])
    return Equations(M, ca.vertcat(ca.SX(0, len(names)), *J), f, ca.vertcat(ca.SX(0, 1), *h), tuple(blocks))


def absolute_equations(
    m: Mechanism, poses: Poses, V: Motions, forces: Mapping[tuple[str, int], Matrix], wrenches: Motions
) -> Equations:
    """Return FA: the unknowns are the spatial accelerations of the bodies, six each, about the base origin.

    `forces` and `wrenches` are those of TA.
    """
    M_of, S, applied = inertias(m, poses), _columns(m, poses), with_forces(m, poses, V, wrenches)
    size = 6 * len(m.bodies)
    place = {b.name: slice(6 * i, 6 * i + 6) for i, b in enumerate(m.bodies)}
    M, f = ca.SX(size, size), ca.SX(size, 1)
    G, h = [], []
    for b in m.bodies:
        rows = place[b.name]
        M[rows, rows] = M_of[b.name]
        f[rows] += applied.get(b.name, 0) - cross_force(V[b.name], M_of[b.name] @ V[b.name])
    for b in m.bodies:
        if b.joint == "free":
            continue
        parent = m.parent(b.name)
        relative = V[b.name] - V[parent]
        W = constraint_wrenches(b, poses[parent], poses[b.name])
        row = ca.SX(W.shape[1], size)
        row[:, place[b.name]] = W.T
        if parent != GROUND:
            row[:, place[parent]] = -W.T
        G.append(row)
        h.append(W.T @ (cross_motion(V[parent], relative) + joint_bias(b, S[b.name], relative)))
        for k in range(DOF[b.joint]):
            if (b.name, k) in forces:
                wrench = forces[(b.name, k)] * _wrench_along(S[b.name], k)
                f[place[b.name]] += wrench
                if parent != GROUND:
                    f[place[parent]] -= wrench
    for cut in m.cuts:
        G.append(_absolute_rows(cut, poses, place, size))
        h.append(cut_bias(cut, poses, V))
    return Equations(M, ca.vertcat(*G), f, ca.vertcat(*h), tuple((b.name, 6) for b in m.bodies))


def accelerations(
    m: Mechanism, poses: Poses, V: Motions, rates: Mapping[str, Matrix], base: Matrix | None
) -> dict[str, Matrix]:
    """Return the spatial acceleration of each body from those of the joint coordinates and of the base."""
    A = {GROUND: ca.DM.zeros(6)}
    for b in m.bodies:
        if b.joint == "free":
            A[b.name] = base
            continue
        parent = m.parent(b.name)
        S = motion_subspace(b, poses[parent], poses[b.name])
        relative = V[b.name] - V[parent]
        A[b.name] = A[parent] + S @ rates[b.name] + cross_motion(V[parent], relative) + joint_bias(b, S, relative)
    return A


def _columns(m: Mechanism, poses: Poses) -> dict[str, Matrix]:
    return {b.name: motion_subspace(b, poses[m.parent(b.name)], poses[b.name]) for b in m.bodies}


def _unknowns(m: Mechanism) -> tuple[list[str], list[tuple[str, int]], dict[str, slice]]:
    names: list[str] = []
    blocks, place = [], {}
    for b in m.bodies:
        place[b.name] = slice(len(names), len(names) + DOF[b.joint])
        blocks.append((b.name, DOF[b.joint]))
        names += [b.name] * DOF[b.joint]
    return names, blocks, place


def _wrench_along(S: Matrix, k: int) -> Matrix:
    """Return a wrench that does unit work along column k of a joint and none along the others."""
    if S.shape[1] > 1:
        axes = S[:3, :]
        return ca.vertcat((axes @ ca.inv(axes.T @ axes))[:, k], ca.DM.zeros(3))
    turns = not ca.SX(S[:3, 0]).is_zero()
    return ca.vertcat(S[:3, 0], ca.DM.zeros(3)) if turns else ca.vertcat(ca.DM.zeros(3), S[3:, 0])


def _absolute_rows(cut: Cut, poses: Poses, place: Mapping[str, slice], size: int) -> Matrix:
    W_a, W_b = cut_wrenches(cut, poses)
    row = ca.SX(cut.rows, size)
    for name, W in ((cut.body_a, W_a), (cut.body_b, -W_b)):
        if name != GROUND:
            row[:, place[name]] += W.T
    return row
