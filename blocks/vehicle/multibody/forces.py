"""Force elements in a state of the mechanism: their force laws, wrenches on bodies, and stored energy.

An element has a coordinate s between two bodies and a wrench W such that ``s' = W.(V_b - V_a)``; its force F applies F
W to body b and -F W to body a. For two points, W is the unit force along their line; for a hinge, the unit moment about
its axis; for a slider, the unit force along it. All formulations add these to the given wrenches, so an element acts
identically in each of them and takes from the bodies exactly the power that it stores or dissipates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.body_groups import sum_of
from drawbar.blocks.vehicle.multibody.force_element import ForceElement, JointElement
from drawbar.blocks.vehicle.multibody.mechanism import Mechanism
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, couple, force_at, slider

Wrenches = Mapping[str, Matrix]


@dataclass(frozen=True)
class Spring:
    """A spring and its stops: forces in N, positive in extension of the length, and the stored energy in J."""

    length: Any
    force: Any
    stops: Any
    energy: Any


def spring(length: Any, law: tuple[Any, Any, Any], stops: tuple[Any, Any], table: Sequence[Sequence[Any]]) -> Spring:
    """Return a spring ``F = k x (1 + p x^2)``, ``x = L0 - L``, with the law (L0, k, p), between stops at two lengths.

    Along an angle in rad, forces are moments in N m.
    """
    free, rate, progression = law
    x = free - length
    force = rate * x * (1.0 + progression * x**2)
    energy = 0.5 * rate * x**2 * (1.0 + 0.5 * progression * x**2)
    lower_stop, upper_stop = (stop(depth, table) for depth in (stops[0] - length, length - stops[1]))
    return Spring(length, force, lower_stop[0] - upper_stop[0], energy + lower_stop[1] + upper_stop[1])


def stop(depth: Any, table: Sequence[Sequence[Any]]) -> tuple[Any, Any]:
    """Return force and energy of a rubber stop compressed by `depth` (m), linear between table points and beyond."""
    force, energy, slope = 0.0, 0.0, 0.0
    for (d0, f0), (d1, f1) in pairwise(table):
        rise = (f1 - f0) / (d1 - d0)
        excess = ca.fmax(0.0, depth - d0)
        force = force + (rise - slope) * excess
        energy = energy + 0.5 * (rise - slope) * excess**2
        slope = rise
    return force, energy


def damper_force(rate: Any, compression: Any, rebound: Any) -> Any:
    """Return the damper force in N for a rate of length in m/s; positive where it acts to increase the length."""
    return -ca.if_else(rate < 0.0, compression, rebound) * rate


@dataclass(frozen=True)
class ElementState:
    """A force element in a state: coordinate and rate (m or rad), force (N or N m), energy (J) and wrenches."""

    coordinate: Matrix
    rate: Matrix
    force: Matrix
    energy: Matrix
    wrenches: Wrenches


def element_states(m: Mechanism, poses: Mapping[str, Pose], V: Wrenches) -> list[ElementState]:
    """Return the force elements of a mechanism in their order, from the poses and motions of its bodies.

    Everything is about the base origin in base axes. Poses and motions include the ground where an element needs it.
    """
    return [_element_state(m, element, poses, V) for element in m.forces]


def stored_energy(m: Mechanism, poses: Mapping[str, Pose]) -> Matrix:
    """Return the potential energy of all springs (with preloads) and stops in J; 0 where they are unloaded."""
    no_motion = dict.fromkeys(poses, ca.DM.zeros(6))
    return sum_of([element.energy for element in element_states(m, poses, no_motion)])


def with_forces(m: Mechanism, poses: Mapping[str, Pose], V: Wrenches, wrenches: Wrenches) -> Wrenches:
    """Return the wrenches with those of the force elements added; raise `DefinitionError` for an unknown body."""
    for name in wrenches:
        if name not in poses:
            raise DefinitionError(f"a wrench on '{name}': there is no such body" + did_you_mean(name, poses))
    total = dict(wrenches)
    for element in element_states(m, poses, V):
        for name, wrench in element.wrenches.items():
            total[name] = total.get(name, 0) + wrench
    return total


def _element_state(m: Mechanism, element: ForceElement, poses: Mapping[str, Pose], V: Wrenches) -> ElementState:
    law = element.law
    if isinstance(element, JointElement):
        a, b, design = m.parent(element.joint), element.joint, ca.DM(0)
        s, W = _along_joint(m, element.joint, poses[a], poses[b])
    else:
        a, b, design = element.body_a, element.body_b, element.length
        start = poses[a].at(element.point_a)
        difference = poses[b].at(element.point_b) - start
        s = ca.norm_2(difference)
        W = force_at(start, difference / s)
    rate = ca.dot(W, V[b] - V[a])
    free = design if law.free is None else law.free
    elastic = spring(s, (free, law.rate, law.progression), law.stops or (s, s), law.stop_table)
    symmetric_damping = ca.is_equal(ca.SX(law.compression), ca.SX(law.rebound), 1)
    damping = -law.compression * rate if symmetric_damping else damper_force(rate, law.compression, law.rebound)
    force = law.preload + elastic.force + elastic.stops + damping
    energy = law.preload * (free - s) + elastic.energy
    return ElementState(s, rate, force, energy, {a: -force * W, b: force * W})


def _along_joint(m: Mechanism, name: str, parent: Pose, pose: Pose) -> tuple[Matrix, Matrix]:
    """Return the coordinate of a hinge, between -pi and pi, or of a slider, and its wrench."""
    body = m.by_name[name]
    axis = parent.along(body.axes[0])
    if body.joint == "pris":
        return ca.dot(axis, pose.at(body.point) - parent.at(body.point)), slider(axis)
    # for a rotation by s about the axis these are 2 sin s and 2 cos s
    sine = ca.dot(axis, sum_of([ca.cross(parent.R[:, k], pose.R[:, k]) for k in range(3)]))
    cosine = ca.trace(parent.R.T @ pose.R) - 1
    return ca.atan2(sine, cosine), couple(axis)
