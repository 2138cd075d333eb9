"""Inverse dynamics: the forces required for a motion, by the recursive Newton-Euler equations over compound bodies.

With the equations of `embedding`, the forward pass computes accelerations, and the backward pass the wrenches w of each
body with everything outboard of it::

    A_i = A_parent + J_i u' + V_parent x (J_i u) + c_i        w_i = M_i A_i + V_i x* M_i V_i - f_i
    tau = sum J_i' w_i                                        w_parent += sum w_i

No matrix is factored and no loop is cut: the recursion needs only J and c of the bodies. Featherstone (2008), section
5.3; Jain, Robot and Multibody Dynamics (2011), chapters 5 and 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.body_groups import MassProperties, MovingBody
from drawbar.blocks.vehicle.multibody.forces import with_forces
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import Compound
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Matrix, cross_motion


@dataclass(frozen=True)
class RequiredForces:
    """The generalized forces of each node that a motion requires, and the wrench on the base about its origin."""

    forces: tuple[Matrix, ...]
    base: Matrix


def inverse_dynamics(
    m: Mechanism,
    compounds: Sequence[Compound],
    base: Matrix,
    rates: Sequence[Matrix],
    wrenches: Mapping[str, Matrix],
    base_acceleration: Matrix,
) -> RequiredForces:
    """Return the forces for the accelerations `rates` of each node and of the base, relative to free fall.

    This is the inverse of `motion`, with the same arguments otherwise: given these forces, and the wrench in addition
    to what acts on the base, `motion` returns the same accelerations. For a fixed base the wrench is the bearing
    reaction. Force elements act as in `motion`, so the result is what the joints need in addition to them.
    """
    poses = {m.base: DESIGN} | {name: body.pose for k in compounds for name, body in k.kinematics.items()}
    V, A = {m.base: base}, {m.base: base_acceleration}
    for k, rate in zip(compounds, rates, strict=True):
        parent = k.node.parent
        for name, body in k.kinematics.items():
            relative = body.J @ k.u
            V[name] = V[parent] + relative
            A[name] = A[parent] + body.J @ rate + cross_motion(V[parent], relative) + body.c
    applied = with_forces(m, poses, V, wrenches)
    transmitted = {
        b.name: MovingBody(MassProperties(b.mass, b.com, b.inertia), poses[b.name], V[b.name], A[b.name]).wrench
        - applied.get(b.name, 0)
        for b in m.bodies
    }
    if m.base == GROUND:
        transmitted[GROUND] = -applied.get(GROUND, ca.SX(6, 1))
    forces: list[Matrix] = []
    for k in reversed(compounds):
        forces.append(
            sum((body.J.T @ transmitted[name] for name, body in k.kinematics.items()), ca.SX(k.u.shape[0], 1))
        )
        transmitted[k.node.parent] = transmitted[k.node.parent] + sum(
            (transmitted[name] for name in k.kinematics), ca.SX(6, 1)
        )
    return RequiredForces(tuple(reversed(forces)), transmitted[m.base])
