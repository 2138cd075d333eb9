"""Inverse dynamics: the forces that a motion takes, by the recursive Newton-Euler equations over compound bodies.

With the equations of `embedding` the accelerations go forwards, the wrenches w of bodies and all that hangs on them
backwards::

    A_i = A_parent + J_i u' + V_parent x (J_i u) + c_i        w_i = M_i A_i + V_i x* M_i V_i - f_i
    tau = sum J_i' w_i                                        w_parent += sum w_i

No matrix is factored, and loops need no cut: J and c of their bodies are all that the recursion sees. Featherstone
(2008), section 5.3; Jain, Robot and Multibody Dynamics (2011), chapters 5 and 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.compound import Compound
from drawbar.blocks.vehicle.multibody.forces import with_forces
from drawbar.blocks.vehicle.multibody.lumps import Lump, Rigid
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Matrix, cross_motion


@dataclass(frozen=True)
class Effort:
    """What a motion takes: the generalized forces of each node, and a wrench on the base, about its origin."""

    forces: tuple[Matrix, ...]
    base: Matrix


def inverse_dynamics(
    m: Mechanism,
    compounds: Sequence[Compound],
    base: Matrix,
    rates: Sequence[Matrix],
    wrenches: Mapping[str, Matrix],
    base_acceleration: Matrix,
) -> Effort:
    """The forces for accelerations `rates` of each node and that of the base, against free fall: `motion` backwards.

    All else is as for `motion`: with these forces, and the wrench beside what acts on the base, it gives the same
    accelerations. On a base that cannot move the wrench is what its bearing takes. Force elements act as they do there,
    so what is found is what the joints need beside them.
    """
    poses = {m.base: DESIGN} | {name: body.pose for k in compounds for name, body in k.placed.items()}
    V, A = {m.base: base}, {m.base: base_acceleration}
    for k, rate in zip(compounds, rates, strict=True):
        up = k.node.parent
        for name, body in k.placed.items():
            relative = body.J @ k.u
            V[name] = V[up] + relative
            A[name] = A[up] + body.J @ rate + cross_motion(V[up], relative) + body.c
    acting = with_forces(m, poses, V, wrenches)
    taken = {
        b.name: Rigid(Lump(b.mass, b.com, b.inertia), poses[b.name], V[b.name], A[b.name]).wrench
        - acting.get(b.name, 0)
        for b in m.bodies
    }
    if m.base == GROUND:
        taken[GROUND] = -acting.get(GROUND, ca.SX(6, 1))
    forces: list[Matrix] = []
    for k in reversed(compounds):
        forces.append(sum((body.J.T @ taken[name] for name, body in k.placed.items()), ca.SX(k.u.shape[0], 1)))
        taken[k.node.parent] = taken[k.node.parent] + sum((taken[name] for name in k.placed), ca.SX(6, 1))
    return Effort(tuple(reversed(forces)), taken[m.base])
