"""A mechanism with its loops embedded: its state, and the poses and motions of its bodies in a state.

The state consists of the pose and motion of the base (if it moves), the coordinates q of the independent joints and
their rates u; `embedding` gives the ordinary differential equation. A rotor, such as a wheel, has a rate but no
coordinate, because nothing depends on its angle.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import casadi as ca

from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.vehicle.multibody.augmented import inertias
from drawbar.blocks.vehicle.multibody.body_groups import combined, sum_of
from drawbar.blocks.vehicle.multibody.closure import compound_body, solve_loops
from drawbar.blocks.vehicle.multibody.force_element import ForceElement, JointElement
from drawbar.blocks.vehicle.multibody.loops import ClosedForm, closed_form
from drawbar.blocks.vehicle.multibody.mechanism import GROUND, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import BodyKinematics, Compound, Node, nodes
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Matrix, Pose, constant
from drawbar.blocks.vehicle.multibody.tree import motion_subspace

NEWTON_STEPS = 8
AXISYMMETRY_TOLERANCE = 1e-6  # allowed deviation of a rotor from axial symmetry: m, and relative to its inertia


@dataclass(frozen=True)
class Configuration:
    """Compound bodies in the order of the recursion, the name of the base, and how well the loops are closed.

    `margins`, between 0 and 1 and negative where a loop cannot be assembled, belong to closed forms and are named by
    the lower arms of their corners. `closure_error`, in m, is the opening that Newton's method leaves.
    """

    base: str
    compounds: tuple[Compound, ...]
    margins: Mapping[str, Matrix]
    closure_error: Matrix

    @property
    def margin(self) -> Matrix:
        """Return the smallest margin, 1 if there are none."""
        return ca.fmin(1, reduce(ca.fmin, self.margins.values())) if self.margins else ca.SX(1)

    @property
    def poses(self) -> dict[str, Pose]:
        """Return the poses of the base (a body or the ground) and of all bodies, in the base frame."""
        return {self.base: DESIGN} | {name: p.pose for c in self.compounds for name, p in c.kinematics.items()}

    def motions(self, base: Matrix) -> dict[str, Matrix]:
        """Return the motions of all bodies and of the base, which is given, in the base frame."""
        found = {self.base: base}
        for c in self.compounds:
            found |= {name: found[c.node.parent] + body.J @ c.u for name, body in c.kinematics.items()}
        return found


class Embedded:
    """The tree of compound bodies of a mechanism.

    `rotors` names bodies on hinges that turn freely about an axis of symmetry. `newton` selects Newton's method even
    where a closed form exists, for comparison. Raise `DefinitionError` if a rotor is not one, or if a spring needs its
    angle.
    """

    def __init__(self, m: Mechanism, rotors: Collection[str] = (), *, newton: bool = False) -> None:
        self.mechanism = m
        self.nodes = nodes(m)
        self.rotors = frozenset(rotors)
        self._closed = [None if newton else closed_form(m, n) for n in self.nodes]
        first = {n.bodies[0] for n in self.nodes if not n.cuts and m.by_name[n.bodies[0]].joint == "rev"}
        carried = {n.parent for n in self.nodes}
        for name in sorted(self.rotors):
            if name not in m.by_name:
                raise DefinitionError(f"rotor '{name}': there is no such body" + did_you_mean(name, m.by_name))
            if name not in first or any(name in n.bodies and carried & set(n.bodies) for n in self.nodes):
                raise DefinitionError(
                    f"'{name}' is not a rotor: a rotor is a body at the end of the tree on a hinge of its own"
                )
            node = next(n for n in self.nodes if name in n.bodies)
            _check_round(m, node)
            for force in m.forces:
                _check_driven(m, node, force)

    @property
    def joints(self) -> list[str]:
        """Return the joints whose coordinates make up q, in order."""
        return [b for n in self.nodes for b, k in n.independent if k == 0 and b not in self.rotors]

    @property
    def rates(self) -> list[tuple[str, int]]:
        """Return the joint rates that make up u, in order."""
        return [i for n in self.nodes for i in n.independent]

    def by_joint(self, rates: Sequence[Matrix]) -> dict[str, Matrix]:
        """Return values that are given per node along its independent joints, by the bodies of these joints."""
        return {
            body: along[k]
            for node, along in zip(self.nodes, rates, strict=True)
            for k, (body, _) in enumerate(node.independent)
        }

    def configuration(self, q: Mapping[str, Matrix], u: Matrix) -> Configuration:
        """Place all bodies for q by joint (a quaternion for a ball joint) and u in the order of `rates`.

        Raise `DefinitionError` for a joint that is not in `joints`, a joint left out, or a wrong number of rates.
        """
        for name in q:
            if name not in self.joints:
                raise DefinitionError(f"'{name}' is not an independent joint" + did_you_mean(name, self.joints))
        if missing := [name for name in self.joints if name not in q]:
            raise DefinitionError(f"the coordinates of the independent joints {', '.join(missing)} are missing")
        if u.shape != (len(self.rates), 1):
            raise DefinitionError(f"expected a column of {len(self.rates)} rates, got {u.shape[0]} x {u.shape[1]}")
        above = {GROUND: DESIGN, self.mechanism.base: DESIGN}
        compounds: list[Compound] = []
        margins: dict[str, Matrix] = {}
        closure_error, at = ca.SX(0), 0
        for node, closed in zip(self.nodes, self._closed, strict=True):
            own_rates = u[at : at + len(node.independent), :]  # a slice of one rate alone would be a row
            at += len(node.independent)
            compound, own_margins, opening = self._compound_of(node, closed, q, own_rates, above)
            margins |= own_margins
            closure_error = ca.fmax(closure_error, opening)
            above |= {name: p.pose for name, p in compound.kinematics.items()}
            compounds.append(compound)
        return Configuration(self.mechanism.base, tuple(compounds), margins, closure_error)

    def _compound_of(
        self, node: Node, closed: ClosedForm | None, q: Mapping[str, Matrix], u: Matrix, above: Mapping[str, Pose]
    ) -> tuple[Compound, dict[str, Matrix], Matrix]:
        m = self.mechanism
        if closed is not None:
            compound, margins = closed.compound(q, u)
            return _in_base_frame(compound, above[node.parent]), margins, ca.SX(0)
        if node.bodies[0] in self.rotors:
            pose = above[node.parent]
            placed = BodyKinematics(pose, motion_subspace(m.by_name[node.bodies[0]], pose, pose), ca.SX(6, 1))
            return Compound(node, dict.fromkeys(node.bodies, placed), u, rotor=True), {}, ca.SX(0)
        coordinates = {b: q.get(b, ca.SX(0, 1)) for b in node.bodies}
        closure_error = ca.SX(0)
        if node.dependent:
            coordinates, opening = solve_loops(m, node, coordinates, above, NEWTON_STEPS)
            closure_error = ca.norm_inf(opening)
        return compound_body(m, node, coordinates, u, above), {}, closure_error


def _check_round(m: Mechanism, node: Node) -> None:
    """Raise `DefinitionError` if the inertia of a rotor is not symmetric about its axis."""
    leader = m.by_name[node.bodies[0]]
    total, axis = combined([m.by_name[n] for n in node.bodies]), leader.axes[0]
    if any(isinstance(v, ca.SX) for v in (total.mass, total.com, total.inertia, axis, leader.point)):
        return
    off = ca.norm_2(ca.cross(axis, total.com - leader.point))
    spin = ca.dot(axis, total.inertia @ axis)
    # axially symmetric: J = a 1 + b n n'
    transverse = (ca.trace(total.inertia) - spin) / 2
    residual = ca.norm_fro(total.inertia - transverse * ca.DM.eye(3) - (spin - transverse) * (axis @ axis.T))
    if float(off) > AXISYMMETRY_TOLERANCE or float(residual) > AXISYMMETRY_TOLERANCE * float(spin):
        raise DefinitionError(
            f"'{leader.name}' is not a rotor: its centre of mass is {float(off):.3g} m off its axis, and its inertia "
            f"differs by {float(residual):.3g} kg m2 from one that is alike all around"
        )


def _check_driven(m: Mechanism, node: Node, force: ForceElement) -> None:
    """Raise `DefinitionError` if a force element needs the angle of a rotor."""
    leader = m.by_name[node.bodies[0]]
    if isinstance(force, JointElement):
        if force.joint == leader.name and not force.law.of_rate_alone:
            raise DefinitionError(
                f"{force.where}: a rotor has no angle, so it takes a damper or a motor, but no spring"
            )
        return
    for end, point in ((force.body_a, force.point_a), (force.body_b, force.point_b)):
        off = constant(ca.norm_2(ca.cross(leader.axes[0], point - leader.point)))
        if end in node.bodies and off is not None and off[0, 0] > AXISYMMETRY_TOLERANCE:
            raise DefinitionError(
                f"{force.where}: a rotor has no angle, but the point on '{end}' is {off[0, 0]:.3g} m off its axis"
            )


def kinetic_energy(m: Mechanism, poses: Mapping[str, Pose], V: Mapping[str, Matrix]) -> Matrix:
    """Return the kinetic energy in J."""
    return 0.5 * sum_of([ca.dot(V[n], M @ V[n]) for n, M in inertias(m, poses).items()])


def momentum(m: Mechanism, poses: Mapping[str, Pose], V: Mapping[str, Matrix]) -> Matrix:
    """Return angular momentum about the base origin and linear momentum, in base axes: kg m2/s and kg m/s."""
    return sum_of([M @ V[n] for n, M in inertias(m, poses).items()])


def first_moment(m: Mechanism, poses: Mapping[str, Pose]) -> Matrix:
    """Return the sum of mass times position over all bodies, kg m; with gravity it gives the potential energy."""
    return sum_of([b.mass * poses[b.name].at(b.com) for b in m.bodies])


def independent_forces(e: Embedded, forces: Mapping[tuple[str, int], Matrix]) -> list[Matrix]:
    """Return generalized forces along independent joints, by node; those left out are zero.

    Raise `DefinitionError` for a key that is not in `Embedded.rates`.
    """
    for key in forces:
        if key not in e.rates:
            known = [str(rate) for rate in e.rates]
            raise DefinitionError(f"{key!r} is not a rate of an independent joint" + did_you_mean(str(key), known))
    return [ca.vertcat(ca.SX(0, 1), *(forces.get(i, 0) for i in n.independent)) for n in e.nodes]


def _in_base_frame(compound: Compound, parent: Pose) -> Compound:
    """Return a node, given in the frame of its parent, in the base frame."""
    if parent is DESIGN:
        return compound
    R, p = parent.R, parent.p
    X = ca.vertcat(ca.horzcat(R, ca.SX(3, 3)), ca.horzcat(ca.skew(p) @ R, R))
    in_base_frame: dict[int, BodyKinematics] = {}
    for body in compound.kinematics.values():
        in_base_frame.setdefault(id(body), BodyKinematics(parent.after(body.pose), X @ body.J, X @ body.c))
    return Compound(
        compound.node, {n: in_base_frame[id(b)] for n, b in compound.kinematics.items()}, compound.u, compound.rotor
    )
