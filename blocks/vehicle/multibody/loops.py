"""Loops with a closed-form solution, recognized in the description; all others are closed by Newton's method.

Two are recognized. The double wishbone has two hinged arms, an upright on a ball joint of one and tied to the other by
a ball cut, and a tie rod to the chassis or to the centre link of a steering, with or without strut bodies. The
parallelogram steering has a Pitman arm, a centre link and an idler. A node has a closed form if all its bodies and cuts
belong to such parts and its independent joints are the lower arms and the Pitman arm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from drawbar.blocks.vehicle.multibody.mechanism import Body, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.nodes import BodyKinematics, Compound, Node
from drawbar.blocks.vehicle.multibody.spatial import DESIGN, Matrix, Pose, about, rotation_by, rotor
from drawbar.blocks.vehicle.multibody.strut import strut
from drawbar.blocks.vehicle.multibody.wishbone import MovingPoint, corner, fixed_point, wishbone

PARALLEL = 1e-6  # m, how far a parallelogram may be off


@dataclass(frozen=True)
class DoubleWishbone:
    """The bodies of a double wishbone; `link` carries the inner end of the tie rod, None for the chassis.

    Each strut is its cylinder, its rod and the position of its lower end; `cuts` are all the cuts of the corner.
    """

    lower: Body
    upper: Body
    upright: Body
    upper_ball: Matrix
    tie_outer: Matrix
    tie_inner: Matrix
    link: str | None
    struts: tuple[tuple[Body, Body, Matrix], ...]
    cuts: tuple[Cut, ...]

    @property
    def bodies(self) -> set[str]:
        """Return the names of all bodies."""
        return {self.lower.name, self.upper.name, self.upright.name} | {b.name for s in self.struts for b in s[:2]}


@dataclass(frozen=True)
class SteeringLinkage:
    """Pitman arm, centre link and idler, which move as a parallelogram."""

    pitman: Body
    link: Body
    idler: Body
    cut: Cut


@dataclass(frozen=True)
class ClosedForm:
    """A node whose positions follow from formulas."""

    node: Node
    steering: SteeringLinkage | None
    corners: tuple[DoubleWishbone, ...]

    def compound(self, q: Mapping[str, Matrix], u: Matrix) -> tuple[Compound, dict[str, Matrix]]:
        """Return the node, in the frame of its parent, for its independent joint angles q and rates u, and its margins.

        Margins lie between 0 and 1 and are named by the lower arm of a corner. Where one is negative, the loop cannot
        be assembled and nothing else is defined.
        """
        names = [name for name, _ in self.node.independent]
        n = len(names)
        placed: dict[str, BodyKinematics] = {}
        margins = {}
        rate = {name: u[i] for i, name in enumerate(names)}
        column = {name: i for i, name in enumerate(names)}
        moving, shift = None, None
        if self.steering is not None:
            s = self.steering
            placed, moving, shift = steering_bodies(s, q[s.pitman.name], rate[s.pitman.name], column[s.pitman.name], n)
        for parts in self.corners:
            inner = parts.tie_inner
            end = fixed_point(inner) if parts.link is None or moving is None else replace(moving, at=inner + shift)
            steering_column = None if parts.link is None or self.steering is None else column[self.steering.pitman.name]
            angle, own_column = q[parts.lower.name], column[parts.lower.name]
            turn = (ca.cos(angle), ca.sin(angle))
            bodies, margins[parts.lower.name] = wishbone_bodies(parts, turn, rate[parts.lower.name], end)
            placed |= {name: _wide(p, own_column, steering_column, n) for name, p in bodies.items()}
        ordered = {name: placed[name] for name in self.node.bodies}
        return Compound(self.node, ordered, u), margins


def closed_form(m: Mechanism, node: Node) -> ClosedForm | None:
    """Return the closed form of a node, or None if it has none."""
    steering = _find_steering(m, node)
    corners = [c for cut in node.cuts if (c := _find_corner(m, node, cut, steering)) is not None]
    used = {b for c in corners for b in c.bodies} | (_names(steering) if steering else set())
    cuts = {cut for c in corners for cut in c.cuts} | ({steering.cut} if steering else set())
    required = {c.lower.name for c in corners} | ({steering.pitman.name} if steering else set())
    complete = used == set(node.bodies) and cuts == set(node.cuts)
    if not corners or not complete or required != {b for b, _ in node.independent}:
        return None
    return ClosedForm(node, steering, tuple(corners))


def _names(s: SteeringLinkage) -> set[str]:
    return {s.pitman.name, s.link.name, s.idler.name}


def _find_steering(m: Mechanism, node: Node) -> SteeringLinkage | None:
    for cut in node.cuts:
        if cut.kind != "inplane" or len(cut.directions) != 2:
            continue
        for a, _, b, point in _ends(cut):
            link, idler = m.by_name.get(a), m.by_name.get(b)
            pitman = m.by_name.get(link.parent or "") if link is not None else None
            if link is None or idler is None or pitman is None:
                continue
            hinged = all(b.joint == "rev" for b in (pitman, link, idler))
            if not hinged or pitman.parent != node.parent or idler.parent != node.parent:
                continue
            arms = (link.point - pitman.point) - (point - idler.point)
            axes = [pitman.axes[0] - b.axes[0] for b in (link, idler)]
            if all(_vanishes(v) for v in (arms, *axes)):
                return SteeringLinkage(pitman, link, idler, cut)
    return None


def _vanishes(v: Matrix) -> bool:
    """Return whether a vector is zero; if it has symbols, whether it is zero for three random sets of values."""
    symbols = ca.vertcat(ca.SX(0, 1), *ca.symvar(ca.SX(v)))
    length = ca.Function("length", [symbols], [ca.norm_2(ca.SX(v))])
    draws = np.random.default_rng(0).uniform(0.5, 1.5, (3, symbols.shape[0]))
    return all(float(length(draw)) < PARALLEL for draw in draws)


def _ends(cut: Cut) -> tuple[tuple[str, Matrix, str, Matrix], tuple[str, Matrix, str, Matrix]]:
    """Return the bodies and points of a cut, read from either end."""
    a, b = (cut.body_a, cut.point_a), (cut.body_b, cut.point_b)
    return (*a, *b), (*b, *a)


def _find_corner(m: Mechanism, node: Node, tie: Cut, steering: SteeringLinkage | None) -> DoubleWishbone | None:
    """Return the corner whose tie rod the cut is, if there is one."""
    if tie.kind != "dist":
        return None
    for name, outer, end, inner in _ends(tie):
        upright = m.by_name.get(name)
        lower = _arm(m, node, upright.parent) if upright is not None and upright.joint == "ball" else None
        if upright is None or lower is None:
            continue
        if end != node.parent and (steering is None or end != steering.link.name):
            continue
        balls = _balls(node, upright.name)
        upper = _arm(m, node, balls[0][1]) if len(balls) == 1 else None
        if upper is None:
            continue
        struts, cuts = [], [tie, balls[0][0]]
        for cut, other, point in _balls(node, lower.name):
            rod = m.by_name.get(other)
            cylinder = m.by_name.get(rod.parent or "") if rod is not None and rod.joint == "pris" else None
            if rod is not None and cylinder is not None and cylinder.joint == "univ" and cylinder.parent == node.parent:
                struts.append((cylinder, rod, point))
                cuts.append(cut)
        link = None if end == node.parent else end
        return DoubleWishbone(lower, upper, upright, balls[0][2], outer, inner, link, tuple(struts), tuple(cuts))
    return None


def _arm(m: Mechanism, node: Node, name: str | None) -> Body | None:
    """Return the body of this name if it is hinged to the parent of the node."""
    body = m.by_name.get(name or "")
    return body if body is not None and body.joint == "rev" and body.parent == node.parent else None


def _balls(node: Node, name: str) -> list[tuple[Cut, str, Matrix]]:
    """Return the ball cuts of a body: the cut, the other body, and the point on this body."""
    return [(c, b, at) for c in node.cuts if c.kind == "ball" for a, at, b, _ in _ends(c) if a == name]


def steering_bodies(
    s: SteeringLinkage, angle: Matrix, rate: Matrix, column: int, n: int
) -> tuple[dict[str, BodyKinematics], MovingPoint, Matrix]:
    """Return the parallelogram: both arms turn by the same angle, and the link translates."""
    axis = s.pitman.axes[0]
    R = rotation_by(axis, ca.cos(angle), ca.sin(angle))
    arm = R @ (s.link.point - s.pitman.point)
    by = ca.cross(axis, arm)
    by_by = ca.cross(axis, by)
    shift = arm - (s.link.point - s.pitman.point)
    none = ca.SX(6, 1)
    zero = ca.SX(3, 1)
    pieces = {
        s.pitman.name: BodyKinematics(about(s.pitman.point, R), rotor(axis, s.pitman.point), none),
        s.link.name: BodyKinematics(Pose(DESIGN.R, shift), ca.vertcat(zero, by), ca.vertcat(zero, by_by * rate**2)),
        s.idler.name: BodyKinematics(about(s.idler.point, R), rotor(axis, s.idler.point), none),
    }
    return {k: _wide(p, column, None, n) for k, p in pieces.items()}, MovingPoint(zero, by, by_by, rate), shift


def wishbone_bodies(
    parts: DoubleWishbone, angle: tuple[Matrix, Matrix], rate: Matrix, end: MovingPoint
) -> tuple[dict[str, BodyKinematics], Matrix]:
    """Return the bodies of a corner over the columns (theta, steering), from cos and sin of theta, and the margin."""
    g = wishbone(parts.lower, parts.upper, parts.upright, parts.upper_ball, parts.tie_outer, parts.tie_inner)
    c = corner(g, *angle, rate, end)
    bodies = {parts.lower.name: c.lower, parts.upper.name: c.upper, parts.upright.name: c.upright}
    for cylinder, rod, lower_end in parts.struts:
        bodies[cylinder.name], bodies[rod.name] = strut(cylinder, lower_end, c.lower, rate)
    return bodies, c.margin


def _wide(p: BodyKinematics, own_column: int, steering_column: int | None, n: int) -> BodyKinematics:
    """Return the body with its columns at their places among all rates of the node."""
    J = ca.SX(6, n)
    J[:, own_column] = p.J[:, 0]
    if steering_column is not None and p.J.shape[1] > 1:
        J[:, steering_column] = p.J[:, 1]
    return replace(p, J=J)
