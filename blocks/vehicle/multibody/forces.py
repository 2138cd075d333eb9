"""What the force elements of a mechanism do at one moment: wrenches on its bodies, and the energy that they store.

An element has a coordinate s between two bodies and a wrench W, such that ``s' = W.(V_b - V_a)``; its force F puts F W
on body b and -F W on body a. For two points W is the unit force along their line, for a hinge the unit moment about its
axis, for a slider the unit force along it. All formulations add this to the wrenches that they are given, so an element
acts alike in each, and takes from the bodies the power that it stores or burns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.force_element import ForceElement, JointElement
from drawbar.blocks.vehicle.multibody.force_law import damper_force, spring
from drawbar.blocks.vehicle.multibody.lumps import sum_of
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, couple, force_at, slider

Wrenches = Mapping[str, Matrix]


@dataclass(frozen=True)
class Acting:
    """A force element at one moment: its coordinate and rate (m or rad), force (N or N m), energy (J) and wrenches."""

    coordinate: Matrix
    rate: Matrix
    force: Matrix
    energy: Matrix
    wrenches: Wrenches


def acting(m: Mechanism, poses: Mapping[str, Pose], V: Wrenches) -> list[Acting]:
    """The force elements of a mechanism in their order, from the poses and motions of its bodies.

    All about the base origin in base axes; the ground is among the poses and motions where an element needs it.
    """
    return [_acting(m, element, poses, V) for element in m.forces]


def stored_energy(m: Mechanism, poses: Mapping[str, Pose]) -> Matrix:
    """The potential energy of all force elements, J: springs with their preloads, and stops; 0 where they are free."""
    still = dict.fromkeys(poses, ca.DM.zeros(6))
    return sum_of([element.energy for element in acting(m, poses, still)])


def with_forces(m: Mechanism, poses: Mapping[str, Pose], V: Wrenches, wrenches: Wrenches) -> Wrenches:
    """Wrenches on bodies, with those of the force elements added; `DefinitionError` for one on no body."""
    for name in wrenches:
        if name not in poses:
            raise DefinitionError(f"a wrench on '{name}': there is no such body" + did_you_mean(name, poses))
    total = dict(wrenches)
    for element in acting(m, poses, V):
        for name, wrench in element.wrenches.items():
            total[name] = total.get(name, 0) + wrench
    return total


def _acting(m: Mechanism, element: ForceElement, poses: Mapping[str, Pose], V: Wrenches) -> Acting:
    law = element.law
    if isinstance(element, JointElement):
        a, b, design = m.parent(element.joint), element.joint, ca.DM(0)
        s, W = _along_joint(m, element.joint, poses[a], poses[b])
    else:
        a, b, design = element.body_a, element.body_b, element.length
        start = poses[a].at(element.point_a)
        between = poses[b].at(element.point_b) - start
        s = ca.norm_2(between)
        W = force_at(start, between / s)
    rate = ca.dot(W, V[b] - V[a])
    free = design if law.free is None else law.free
    pushed = spring(s, (free, law.rate, law.progression), law.stops or (s, s), law.stop_table)
    alike = ca.is_equal(ca.SX(law.compression), ca.SX(law.rebound), 1)
    damping = -law.compression * rate if alike else damper_force(rate, law.compression, law.rebound)
    force = law.preload + pushed.force + pushed.stops + damping
    energy = law.preload * (free - s) + pushed.energy
    return Acting(s, rate, force, energy, {a: -force * W, b: force * W})


def _along_joint(m: Mechanism, name: str, parent: Pose, pose: Pose) -> tuple[Matrix, Matrix]:
    """The coordinate of a hinge, between -pi and pi, or of a slider, and its wrench."""
    body = m.by_name[name]
    axis = parent.along(body.axes[0])
    if body.joint == "pris":
        return ca.dot(axis, pose.at(body.point) - parent.at(body.point)), slider(axis)
    # of a turn by s about the axis these are 2 sin s and 2 cos s
    sine = ca.dot(axis, sum_of([ca.cross(parent.R[:, k], pose.R[:, k]) for k in range(3)]))
    cosine = ca.trace(parent.R.T @ pose.R) - 1
    return ca.atan2(sine, cosine), couple(axis)
