"""Nodes: the bodies of a loop, and of all loops connected to it, form one compound body of a new tree.

Cuts whose loops share a body belong to the same node. A body that is joined to a node by a hinge alone is a node of
its own; a welded body belongs to the node of the body that it is welded to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.vehicle.multibody.mechanism import DOF, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose
from drawbar.blocks.vehicle.multibody.tree import cut_wrenches, design_coordinates, motion_subspace, tree_poses

Numbers = np.ndarray[Any, np.dtype[np.float64]]
SINGULAR = 1e-9  # relative to the largest; smaller pivots and singular values count as zero


@dataclass(frozen=True)
class Node:
    """Bodies that move relative to the body `parent` with one degree of freedom for each entry of `independent`.

    `independent` and `dependent` are joint coordinates as (body, index).
    """

    parent: str
    bodies: tuple[str, ...]
    cuts: tuple[Cut, ...]
    independent: tuple[tuple[str, int], ...]
    dependent: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class BodyKinematics:
    """A body of a node: its pose in the base frame, and J and c in the equations of `embedding`."""

    pose: Pose
    J: Matrix
    c: Matrix


@dataclass(frozen=True)
class Compound:
    """A node with the poses of its bodies and its rates u.

    `rotor` marks a single body on a hinge through its centre of mass about an axis of symmetry, such as a wheel. Its
    parent then carries it like a part of its own that has no inertia about the axis, and the angular momentum h about
    the axis n is treated separately: ``h' = tau + n.m`` with the external moment m, while ``-n h' - omega x n h`` acts
    on the parent.
    """

    node: Node
    kinematics: Mapping[str, BodyKinematics]
    u: Matrix
    rotor: bool = False


def nodes(m: Mechanism) -> tuple[Node, ...]:
    """Return the nodes, parents before children; the base is not a node."""
    loops = _loops(m)
    of: dict[str, int] = {}
    groups: list[tuple[list[str], list[Cut]]] = []
    for bodies, cuts in loops:
        of.update(dict.fromkeys(bodies, len(groups)))
        groups.append(([], cuts))
    for body in m.bodies:
        if body.joint == "free":
            continue
        if body.name not in of:
            welded = body.joint == "fix" and m.parent(body.name) in of
            of[body.name] = of[m.parent(body.name)] if welded else len(groups)
            if not welded:
                groups.append(([], []))
        groups[of[body.name]][0].append(body.name)
    found = [_node(m, tuple(bodies), tuple(cuts)) for bodies, cuts in groups]
    order = {b.name: i for i, b in enumerate(m.bodies)}
    return tuple(sorted(found, key=lambda n: order[n.bodies[0]]))


def _loops(m: Mechanism) -> list[tuple[set[str], list[Cut]]]:
    """Return the bodies and cuts of each group of connected loops."""
    groups: list[tuple[set[str], list[Cut]]] = []
    for cut in m.cuts:
        a, b = m.path(cut.body_a), m.path(cut.body_b)
        bodies, cuts = set(a) ^ set(b), [cut]
        separate = []
        for other_bodies, other_cuts in groups:
            if other_bodies & bodies:
                bodies, cuts = bodies | other_bodies, other_cuts + cuts
            else:
                separate.append((other_bodies, other_cuts))
        groups = [*separate, (bodies, cuts)]
    return groups


def _node(m: Mechanism, bodies: tuple[str, ...], cuts: tuple[Cut, ...]) -> Node:
    parents = {m.parent(b) for b in bodies} - set(bodies)
    if len(parents) != 1:
        shown = ", ".join(sorted(parents))
        raise DefinitionError(f"the loop of {', '.join(bodies)} is attached to several bodies ({shown}); it needs one")
    for cut in cuts:
        if cut.kind == "inplane" and cut.fixed_in not in parents | set(bodies):
            raise DefinitionError(
                f"the cut between '{cut.body_a}' and '{cut.body_b}': its directions are fixed in '{cut.fixed_in}', "
                f"which neither belongs to its loop nor carries it; there are: {', '.join(sorted({*parents, *bodies}))}"
            )
    free = [(b, k) for b in bodies for k in range(DOF[m.by_name[b].joint])]
    rows = sum(c.rows for c in cuts)
    count = len(free) - rows
    if not cuts:
        return Node(parents.pop(), bodies, cuts, tuple(free), ())
    if count < 0:
        raise DefinitionError(f"the loop of {', '.join(bodies)} has {rows} constraints for {len(free)} joint rates")
    chosen = [(b, k) for b, k in free if b in m.independent]
    if not chosen:
        chosen = _choose(m, bodies, cuts, free)
    if len(chosen) != count:
        names = ", ".join(b for b in bodies if b in m.independent)
        raise DefinitionError(
            f"the loop of {', '.join(bodies)} has {count} degrees of freedom; the independent joints {names} have "
            f"{len(chosen)}"
        )
    dependent = [f for f in free if f not in chosen]
    mixed = {b for b, _ in chosen} & {b for b, _ in dependent}
    if mixed:
        raise DefinitionError(
            f"the loop of {', '.join(bodies)}: only some coordinates of the joint {min(mixed)} would be independent; "
            "name the independent joints of the loop"
        )
    _check_independent(m, bodies, cuts, [free.index(f) for f in dependent])
    return Node(parents.pop(), bodies, cuts, tuple(chosen), tuple(dependent))


def _choose(
    m: Mechanism, bodies: tuple[str, ...], cuts: tuple[Cut, ...], free: list[tuple[str, int]]
) -> list[tuple[str, int]]:
    """Choose the joints that determine the loop best in the design position, by pivoted QR of its constraints."""
    numbers = _design_rows(m, bodies, cuts)
    if numbers is None:
        raise DefinitionError(
            f"the loop of {', '.join(bodies)} has symbols in its geometry; name its independent joints"
        )
    from scipy.linalg import qr  # takes longer to import than the library of blocks

    _, r, order = qr(numbers, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(r)) > SINGULAR * abs(r[0, 0])).sum())
    if rank < numbers.shape[0]:
        raise DefinitionError(
            f"the loop of {', '.join(bodies)} is constrained {numbers.shape[0]} times, but only {rank} of the rows "
            "differ in the design position; leave out the redundant ones, for example by inplane cuts"
        )
    dependent = {free[i] for i in order[:rank]}
    return [f for f in free if f not in dependent]


def _check_independent(m: Mechanism, bodies: tuple[str, ...], cuts: tuple[Cut, ...], dependent: list[int]) -> None:
    numbers = _design_rows(m, bodies, cuts)
    if numbers is None:
        return
    singular_values = np.linalg.svd(numbers[:, dependent], compute_uv=False)
    if singular_values[-1] < SINGULAR * singular_values[0]:
        names = ", ".join(b for b in bodies if b in m.independent)
        raise DefinitionError(
            f"the loop of {', '.join(bodies)}: its independent joints {names} do not determine its motion in the "
            "design position; choose others, or a position that is not a dead centre"
        )


def _design_rows(m: Mechanism, bodies: tuple[str, ...], cuts: tuple[Cut, ...]) -> Numbers | None:
    """Return the constraint rows of the cuts in the design position, or None if they contain symbols."""
    J = loop_jacobian(m, bodies, cuts, tree_poses(m, {b.name: ca.DM(design_coordinates(b)) for b in m.bodies}))
    return np.asarray(ca.DM(ca.evalf(J)).full()) if not ca.symvar(J) else None


def loop_jacobian(m: Mechanism, bodies: tuple[str, ...], cuts: tuple[Cut, ...], poses: Mapping[str, Pose]) -> ca.SX:
    """Return the constraint rows of the cuts over the joint rates of the bodies, in their order."""
    S = {b: motion_subspace(m.by_name[b], poses[m.parent(b)], poses[b]) for b in bodies}
    blocks = []
    for cut in cuts:
        W_a, W_b = cut_wrenches(cut, poses)
        path_a, path_b = set(m.path(cut.body_a)), set(m.path(cut.body_b))
        row = []
        for b in bodies:
            part = ca.SX(cut.rows, S[b].shape[1])
            if b in path_a:
                part += W_a.T @ S[b]
            if b in path_b:
                part -= W_b.T @ S[b]
            row.append(part)
        blocks.append(ca.horzcat(*row))
    return ca.vertcat(*blocks)
