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
from drawbar.blocks.vehicle.multibody.body_groups import BodyGroups, MovingBody, composite, sum_of
from drawbar.blocks.vehicle.multibody.forces import with_forces
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import Compound
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
    groups = BodyGroups(m, compounds)
    poses = {m.base: DESIGN} | {name: body.pose for k in compounds for name, body in k.kinematics.items()}
    V, bias = {m.base: base}, {m.base: ca.SX(6, 1)}
    for k in compounds:
        parent = V[k.node.parent]
        for name, body in k.kinematics.items():
            relative = body.J @ k.u
            V[name] = parent + relative
            bias[name] = cross_motion(parent, relative) + body.c
    applied = groups.wrenches(with_forces(m, poses, V, wrenches))
    spin_rate: dict[int, Matrix] = {}
    for k, tau in zip(compounds, forces, strict=True):
        if k.rotor:
            leader = groups.leader[k.node.parent]
            spin_rate[id(k)], reaction = _rotor(k, tau, V[k.node.parent], groups, applied)
            applied[leader] = applied.get(leader, 0) + reaction
    moving = {name: MovingBody(groups.mass_properties(name), poses[name], V[name], bias[name]) for name in groups.names}
    bias_wrench = {name: r.wrench - applied.get(name, 0) for name, r in moving.items()}
    outboard_inertia: dict[str, Matrix] = {}  # inertia of everything outboard of a body, 6 x 6, in addition to its own
    factors: dict[int, tuple[LDLFactors, Matrix, Matrix]] = {}
    for k, tau in zip(reversed(compounds), reversed(forces), strict=True):
        if k.rotor:
            continue
        J = {name: k.kinematics[name].J for name in k.kinematics if name in moving}
        MJ = {name: moving[name].times(J[name]) for name in J}
        for name in outboard_inertia.keys() & J.keys():
            MJ[name] = MJ[name] + outboard_inertia[name] @ J[name]
            bias_wrench[name] = bias_wrench[name] + outboard_inertia[name] @ bias[name]
        g = sum_of([MJ[name] for name in J])
        D = LDLFactors(sum_of([J[name].T @ MJ[name] for name in J]))
        e = tau - sum_of([J[name].T @ bias_wrench[name] for name in J])
        factors[id(k)] = D, g, e
        if k.node.parent != GROUND:
            parent = groups.leader[k.node.parent]
            reduced = D.forward(ca.horzcat(g.T, e))
            scaled = D.scaled(reduced)
            inertia_terms, wrench_terms = [outboard_inertia.get(parent, 0)], [bias_wrench[parent]]
            if not k.node.independent:  # bodies welded to their parent
                inertia_terms += [
                    composite([moving[name] for name in J]),
                    *(outboard_inertia[name] for name in J if name in outboard_inertia),
                ]
                wrench_terms += [bias_wrench[name] for name in J]
            for row, names in enumerate(D.first_moved(J)):
                column = reduced[row, :6].T
                own = [composite([moving[name] for name in names])] if names else []
                whole = sum_of([*own, *(outboard_inertia[name] for name in names if name in outboard_inertia)])
                inertia_terms.append(whole - column @ scaled[row, :6])
                wrench_terms.append(sum_of([bias_wrench[name] for name in names]) + column @ scaled[row, 6])
            outboard_inertia[parent], bias_wrench[parent] = symmetric(sum_of(inertia_terms)), sum_of(wrench_terms)
    if base_acceleration is None:
        whole = composite([moving[m.base]]) + outboard_inertia.get(m.base, 0)
        base_acceleration = -LDLFactors(whole).solve(bias_wrench[m.base])
    A, rates = {m.base: base_acceleration}, []
    for k in compounds:
        parent = A[k.node.parent]
        if k.rotor:
            axis = next(iter(k.kinematics.values())).J[:3, 0]
            rates.append(spin_rate[id(k)] - ca.dot(axis, parent[:3]))
        else:
            D, g, e = factors[id(k)]
            rates.append(D.solve(e - g.T @ parent))
        for name, body in k.kinematics.items():
            A[name] = parent + body.J @ rates[-1] + bias[name]
    return Motion(V, A, tuple(rates))


def _rotor(
    k: Compound, tau: Matrix, parent: Matrix, groups: BodyGroups, applied: dict[str, Matrix]
) -> tuple[Matrix, Matrix]:
    """Return ``h'/I`` of a rotor, and the wrench on its parent beyond that of a rigidly attached part."""
    leader = next(iter(k.kinematics))
    body = k.kinematics[leader]
    axis = body.J[:3, 0]
    spin_inertia = groups.about_axis(k)
    outer = applied.pop(leader, ca.SX(6, 1))
    # the moment about the axis is that about a line through the centre, not about the origin
    torque = tau[0] + ca.dot(body.J[:, 0], outer)
    momentum = spin_inertia * (ca.dot(axis, parent[:3]) + k.u[0])
    moment = -axis * torque - momentum * ca.cross(parent[:3], axis)
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
    jacobian, V, A = {m.base: ca.SX(6, size)}, {m.base: base}, {m.base: ca.SX(6, 1)}
    poses = {m.base: DESIGN}
    if moving:
        jacobian[m.base][:, :6] = ca.DM.eye(6)
    at = 6 * moving
    tau = [ca.SX(6 * moving, 1)]
    for k, force in zip(compounds, forces, strict=True):
        columns = slice(at, at + k.u.shape[0])
        at = columns.stop
        for name, body in k.kinematics.items():
            jacobian[name] = ca.SX(jacobian[k.node.parent])
            jacobian[name][:, columns] += body.J
            relative = body.J @ k.u
            V[name] = V[k.node.parent] + relative
            A[name] = A[k.node.parent] + cross_motion(V[k.node.parent], relative) + body.c
            poses[name] = body.pose
        tau.append(force)
    M, applied = inertias(m, poses), with_forces(m, poses, V, wrenches)
    H, f = ca.SX(size, size), ca.vertcat(*tau)
    for name, mass in M.items():
        H += jacobian[name].T @ mass @ jacobian[name]
        bias = mass @ A[name] + cross_force(V[name], mass @ V[name]) - applied.get(name, 0)
        f -= jacobian[name].T @ bias
    return H, f


class LDLFactors:
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

    def first_moved(self, J: Mapping[str, Matrix]) -> list[list[str]]:
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
