"""Constraint embedding (CE): loops become compound bodies of a tree for the articulated-body recursion.

A node has bodies i with the partial velocities J_i over its own rates u and the bias c_i, relative to its parent::

    V_i = V_parent + J_i u        A_i = A_parent + J_i u' + V_parent x (J_i u) + c_i

The backward pass, with the inertias M_i and bias wrenches b_i of the bodies and of everything outboard of them::

    g = sum M_i J_i     D = sum J_i' M_i J_i     e = tau - sum J_i' (b_i + M_i a_i)
    M_parent += sum M_i - g D^-1 g'              b_parent += sum (b_i + M_i a_i) + g D^-1 e

where ``a_i = V_parent x (J_i u) + c_i``. Then ``A_base = -M^-1 b``, and the forward pass gives
``u' = D^-1 (e - g' A_parent)``. No constraint remains, so nothing can drift. Jain, Robot and Multibody Dynamics (2011),
chapter 15; the closed-chain suspension of the 2013 HMMWV paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.augmented import inertias
from drawbar.blocks.vehicle.multibody.compound import Compound
from drawbar.blocks.vehicle.multibody.forces import with_forces
from drawbar.blocks.vehicle.multibody.lumps import Lumps, Rigid, composite, sum_of
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import (
    DESIGN,
    Matrix,
    cross_force,
    cross_motion,
    reciprocal,
    symmetric,
)


@dataclass(frozen=True)
class Motion:
    """Velocities, and the accelerations of base and nodes relative to free fall, in a state."""

    V: Mapping[str, Matrix]
    A: Mapping[str, Matrix]
    rates: tuple[Matrix, ...]  # u' of each node


def motion(
    m: Mechanism,
    compounds: Sequence[Compound],
    base: Matrix,
    forces: Sequence[Matrix],
    wrenches: Mapping[str, Matrix],
    base_acceleration: Matrix | None = None,
) -> Motion:
    """Return the accelerations by the O(N) recursion.

    `base` is the motion of the base in its own axes, `forces` are the generalized forces of each node, and `wrenches`
    act on bodies, about the base origin in base axes, in addition to the force elements of the mechanism. The
    acceleration relative to free fall must be given for a base that cannot move.
    """
    lumps = Lumps(m, compounds)
    poses = {m.base: DESIGN} | {name: body.pose for k in compounds for name, body in k.placed.items()}
    V, lean = {m.base: base}, {m.base: ca.SX(6, 1)}
    for k in compounds:
        up = V[k.node.parent]
        for name, body in k.placed.items():
            relative = body.J @ k.u
            V[name] = up + relative
            lean[name] = cross_motion(up, relative) + body.c
    acting = lumps.wrenches(with_forces(m, poses, V, wrenches))
    spin_up: dict[int, Matrix] = {}
    for k, tau in zip(compounds, forces, strict=True):
        if k.rotor:
            leader = lumps.leader[k.node.parent]
            spin_up[id(k)], reaction = _rotor(k, tau, V[k.node.parent], lumps, acting)
            acting[leader] = acting.get(leader, 0) + reaction
    rigid = {name: Rigid(lumps.lumped(name), poses[name], V[name], lean[name]) for name in lumps.names}
    inner = {name: r.wrench - acting.get(name, 0) for name, r in rigid.items()}
    heavy: dict[str, Matrix] = {}  # of what hangs on a body: 6 x 6, added to its own
    solved: dict[int, tuple[Positive, Matrix, Matrix]] = {}
    for k, tau in zip(reversed(compounds), reversed(forces), strict=True):
        if k.rotor:
            continue
        J = {name: k.placed[name].J for name in k.placed if name in rigid}
        MJ = {name: rigid[name].times(J[name]) for name in J}
        for name in heavy.keys() & J.keys():
            MJ[name] = MJ[name] + heavy[name] @ J[name]
            inner[name] = inner[name] + heavy[name] @ lean[name]
        g = sum_of([MJ[name] for name in J])
        D = Positive(sum_of([J[name].T @ MJ[name] for name in J]))
        e = tau - sum_of([J[name].T @ inner[name] for name in J])
        solved[id(k)] = D, g, e
        if k.node.parent != GROUND:
            up = lumps.leader[k.node.parent]
            reduced = D.forward(ca.horzcat(g.T, e))
            scaled = D.scaled(reduced)
            mass, left = [heavy.get(up, 0)], [inner[up]]
            if not k.node.independent:  # bodies welded to their parent
                mass += [composite([rigid[name] for name in J]), *(heavy[name] for name in J if name in heavy)]
                left += [inner[name] for name in J]
            for row, names in enumerate(D.shares(J)):
                column = reduced[row, :6].T
                own = [composite([rigid[name] for name in names])] if names else []
                whole = sum_of([*own, *(heavy[name] for name in names if name in heavy)])
                mass.append(whole - column @ scaled[row, :6])
                left.append(sum_of([inner[name] for name in names]) + column @ scaled[row, 6])
            heavy[up], inner[up] = symmetric(sum_of(mass)), sum_of(left)
    if base_acceleration is None:
        whole = composite([rigid[m.base]]) + heavy.get(m.base, 0)
        base_acceleration = -Positive(whole).solve(inner[m.base])
    A, rates = {m.base: base_acceleration}, []
    for k in compounds:
        up = A[k.node.parent]
        if k.rotor:
            axis = next(iter(k.placed.values())).J[:3, 0]
            rates.append(spin_up[id(k)] - ca.dot(axis, up[:3]))
        else:
            D, g, e = solved[id(k)]
            rates.append(D.solve(e - g.T @ up))
        for name, body in k.placed.items():
            A[name] = up + body.J @ rates[-1] + lean[name]
    return Motion(V, A, tuple(rates))


def _rotor(k: Compound, tau: Matrix, up: Matrix, lumps: Lumps, acting: dict[str, Matrix]) -> tuple[Matrix, Matrix]:
    """Return ``h'/I`` of a rotor, and the wrench on its parent beyond that of a rigidly attached part."""
    leader = next(iter(k.placed))
    body = k.placed[leader]
    axis = body.J[:3, 0]
    spin_inertia = lumps.about_axis(k)
    outer = acting.pop(leader, ca.SX(6, 1))
    # the moment about the axis is that about a line through the centre, not about the origin
    torque = tau[0] + ca.dot(body.J[:, 0], outer)
    momentum = spin_inertia * (ca.dot(axis, up[:3]) + k.u[0])
    moment = -axis * torque - momentum * ca.cross(up[:3], axis)
    return torque * reciprocal(spin_inertia), outer + ca.vertcat(moment, ca.SX(3, 1))


def projected(
    m: Mechanism, compounds: Sequence[Compound], base: Matrix, forces: Sequence[Matrix], wrenches: Mapping[str, Matrix]
) -> tuple[Matrix, Matrix]:
    """Return the mass matrix over base and node rates, and the right-hand side, as a check of the recursion.

    They follow from the Jacobian of every body over all rates: ``sum J_i' M_i J_i`` and
    ``sum J_i' (f_i - V_i x* M_i V_i - M_i A_i0)``.
    """
    moving = m.base != GROUND
    size = 6 * moving + sum(k.u.shape[0] for k in compounds)
    full, V, A = {m.base: ca.SX(6, size)}, {m.base: base}, {m.base: ca.SX(6, 1)}
    poses = {m.base: DESIGN}
    if moving:
        full[m.base][:, :6] = ca.DM.eye(6)
    at = 6 * moving
    tau = [ca.SX(6 * moving, 1)]
    for k, force in zip(compounds, forces, strict=True):
        columns = slice(at, at + k.u.shape[0])
        at = columns.stop
        for name, body in k.placed.items():
            full[name] = ca.SX(full[k.node.parent])
            full[name][:, columns] += body.J
            relative = body.J @ k.u
            V[name] = V[k.node.parent] + relative
            A[name] = A[k.node.parent] + cross_motion(V[k.node.parent], relative) + body.c
            poses[name] = body.pose
        tau.append(force)
    M, acting = inertias(m, poses), with_forces(m, poses, V, wrenches)
    H, f = ca.SX(size, size), ca.vertcat(*tau)
    for name, mass in M.items():
        H += full[name].T @ mass @ full[name]
        bias = mass @ A[name] + cross_force(V[name], mass @ V[name]) - acting.get(name, 0)
        f -= full[name].T @ bias
    return H, f


class Positive:
    """The LDL' factors of a symmetric positive definite matrix; only the lower triangle is read, zeros are kept.

    Rows with few entries are eliminated first, so that an arrow matrix has no fill-in.
    """

    def __init__(self, D: Matrix) -> None:
        n = D.shape[0]
        D = ca.sparsify(ca.SX(D))
        filled = [[D.sparsity().has_nz(max(i, j), min(i, j)) for j in range(n)] for i in range(n)]
        self._order = sorted(range(n), key=lambda i: sum(filled[i]))
        self._L = [[ca.SX(1, 1)] * n for _ in range(n)]
        self._inverse: list[Matrix] = []
        d: list[Matrix] = []
        for j, b in enumerate(self._order):
            d.append(D[b, b] - sum_of([self._L[j][k] ** 2 * d[k] for k in range(j)]))
            self._inverse.append(reciprocal(d[j]))
            for i in range(j + 1, n):
                a = self._order[i]
                known = sum_of([self._L[i][k] * (self._L[j][k] * d[k]) for k in range(j)])
                self._L[i][j] = (D[max(a, b), min(a, b)] - known) * self._inverse[j]

    def shares(self, J: Mapping[str, Matrix]) -> list[list[str]]:
        """Return, for each row in the order of elimination, the bodies that it is the first to move.

        The corners of a node are then summed one by one, each by the same operations.
        """
        rows = range(len(self._order))
        first = {name: next((row for row in rows if J[name][:, self._order[row]].nnz()), 0) for name in J}
        return [[name for name in J if first[name] == row] for row in rows]

    def forward(self, right: Matrix) -> Matrix:
        """Return ``L^-1 right``, rows in the order of elimination."""
        rows = [right[i, :] for i in self._order]
        for i in range(len(rows)):
            rows[i] = rows[i] - sum_of([self._L[i][k] * rows[k] for k in range(i)])
        return ca.vertcat(ca.SX(0, right.shape[1]), *rows)

    def scaled(self, rows: Matrix) -> Matrix:
        """Return ``D^-1 rows``."""
        return ca.vertcat(ca.SX(0, rows.shape[1]), *(rows[i, :] * v for i, v in enumerate(self._inverse)))

    def solve(self, right: Matrix) -> Matrix:
        """Return ``L'^-1 D^-1 L^-1 right``, rows in their original order."""
        scaled = self.scaled(self.forward(right))
        rows = [scaled[i, :] for i in range(scaled.shape[0])]
        for i in reversed(range(len(rows))):
            rows[i] = rows[i] - sum_of([self._L[k][i] * rows[k] for k in range(i + 1, len(rows))])
        return ca.vertcat(ca.SX(0, right.shape[1]), *(rows[self._order.index(i)] for i in range(len(rows))))
