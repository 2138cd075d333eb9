"""The spanning tree: the poses of bodies, the motion subspaces of joints, and the wrenches that they transmit.

Everything is expressed in the base frame about its origin. With the columns S of a joint, its coordinates q and the
parent lambda::

    V_i = V_lambda + S q'        A_i = A_lambda + S q'' + V_lambda x (S q') + c

where c, the apparent rate of S seen from the parent, is zero except for the universal joint, where it is
``(S_1 q_1') x (S_2 q_2')``. A joint transmits the wrenches W with ``W' S = 0``, hence
``W' (A_i - A_lambda) = W' (V_lambda x (V_i - V_lambda) + c)``.
Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from drawbar.blocks.vehicle.multibody.mechanism import DOF, GROUND, Body, Cut, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import (
    DESIGN,
    Matrix,
    Pose,
    about,
    couple,
    cross_motion,
    force_at,
    from_quaternion,
    rotation,
    rotor,
    slider,
    velocity,
)

COORDINATES = {"free": 7, "rev": 1, "pris": 1, "ball": 4, "univ": 2, "fix": 0}
E3 = ca.DM.eye(3)


def joint_pose(body: Body, q: Matrix) -> Pose:
    """Return the pose of a joint's body in the parent frame; a ball joint takes a quaternion, scalar first."""
    if body.joint == "rev":
        return about(body.point, rotation(body.axes[0], q))
    if body.joint == "pris":
        return Pose(E3, body.axes[0] * q)
    if body.joint == "ball":
        return about(body.point, from_quaternion(q))
    if body.joint == "univ":
        return about(body.point, rotation(body.axes[0], q[0]) @ rotation(body.axes[1], q[1]))
    if body.joint == "free":
        return Pose(from_quaternion(q[3:]), q[:3])
    return DESIGN


def design_coordinates(body: Body) -> list[float]:
    """Return the coordinates of a joint in the design position."""
    identity = [1.0, 0.0, 0.0, 0.0]
    return {"ball": identity, "free": [0.0, 0.0, 0.0, *identity]}.get(body.joint, [0.0] * DOF[body.joint])


def tree_poses(m: Mechanism, q: Mapping[str, Matrix]) -> dict[str, Pose]:
    """Return all poses in the base frame from the coordinates of each joint except that of a free base."""
    poses = {GROUND: DESIGN}
    for body in m.bodies:
        poses[body.name] = (
            DESIGN if body.joint == "free" else poses[m.parent(body.name)].after(joint_pose(body, q[body.name]))
        )
    return poses


def motion_subspace(body: Body, parent: Pose, pose: Pose) -> Matrix:
    """Return the motion subspace of a joint, 6 x dof; that of a ball joint is about the axes of the body."""
    point = parent.at(body.point)
    if body.joint == "rev":
        return rotor(parent.along(body.axes[0]), point)
    if body.joint == "pris":
        return slider(parent.along(body.axes[0]))
    if body.joint == "ball":
        return ca.horzcat(*(rotor(pose.R[:, k], point) for k in range(3)))
    if body.joint == "univ":
        return ca.horzcat(rotor(parent.along(body.axes[0]), point), rotor(pose.along(body.axes[1]), point))
    return ca.DM.eye(6) if body.joint == "free" else ca.DM(6, 0)


def joint_bias(body: Body, S: Matrix, relative: Matrix) -> Matrix:
    """Return the bias c of a joint whose body moves by `relative` against its parent."""
    if body.joint != "univ":
        return ca.DM.zeros(6)
    a, b = S[:3, 0], S[:3, 1]
    # the rate about the first axis: the angular velocity without its component along the second axis
    n = ca.cross(b, ca.cross(a, b))
    first = ca.dot(n, relative[:3]) / ca.dot(n, a)
    return cross_motion(S[:, 0] * first, relative)


def constraint_wrenches(body: Body, parent: Pose, pose: Pose) -> Matrix:
    """Return a basis of the constraint wrenches of a joint, 6 x (6 - dof)."""
    point = parent.at(body.point)
    forces = [force_at(point, E3[:, k]) for k in range(3)]
    if body.joint == "rev":
        return ca.horzcat(*forces, *(couple(parent.along(d)) for d in perpendiculars(body.axes[0])))
    if body.joint == "pris":
        sideways = (force_at(point, parent.along(d)) for d in perpendiculars(body.axes[0]))
        return ca.horzcat(*(couple(E3[:, k]) for k in range(3)), *sideways)
    if body.joint == "ball":
        return ca.horzcat(*forces)
    if body.joint == "univ":
        return ca.horzcat(*forces, couple(ca.cross(parent.along(body.axes[0]), pose.along(body.axes[1]))))
    return ca.DM(6, 0) if body.joint == "free" else ca.horzcat(*forces, *(couple(E3[:, k]) for k in range(3)))


def perpendiculars(axis: Matrix) -> tuple[Matrix, Matrix]:
    """Return two unit directions perpendicular to an axis and to each other; a symbolic axis must not be the x axis."""
    known = ca.SX(axis).is_constant()
    helper = E3[:, int(ca.fabs(ca.DM(axis)).full().argmin()) if known else 0]
    first = ca.cross(axis, helper)
    first = first / ca.norm_2(first)
    return first, ca.cross(axis, first)


def cut_wrenches(cut: Cut, poses: Mapping[str, Pose]) -> tuple[Matrix, Matrix]:
    """Return the rows W_a, W_b of a cut as wrenches: ``W_a' V_a - W_b' V_b = 0``."""
    a, b = poses[cut.body_a].at(cut.point_a), poses[cut.body_b].at(cut.point_b)
    rows = _directions(cut, poses, a, b)
    return ca.horzcat(*(force_at(a, d) for d in rows)), ca.horzcat(*(force_at(b, d) for d in rows))


def cut_bias(cut: Cut, poses: Mapping[str, Pose], V: Mapping[str, Matrix]) -> Matrix:
    """Return h of ``W_a' A_a - W_b' A_b = h``, for velocities that satisfy the rows of the cut."""
    a, b = poses[cut.body_a].at(cut.point_a), poses[cut.body_b].at(cut.point_b)
    frame = V[cut.fixed_in] if cut.kind == "inplane" else ca.DM.zeros(6)
    h = []
    relative = {name: V[name] - frame for name in (cut.body_a, cut.body_b)}
    turning = {
        name: cross_motion(frame, rel) if cut.kind == "inplane" else ca.DM.zeros(6) for name, rel in relative.items()
    }
    speed = velocity(relative[cut.body_a], a) - velocity(relative[cut.body_b], b)
    relative_acceleration = _convective(relative[cut.body_a], a) - _convective(relative[cut.body_b], b)
    relative_acceleration -= velocity(turning[cut.body_a], a) - velocity(turning[cut.body_b], b)
    for d in _directions(cut, poses, a, b):
        value = ca.dot(d, relative_acceleration)
        if cut.kind == "dist":
            value += (ca.dot(speed, speed) - ca.dot(d, speed) ** 2) / ca.norm_2(a - b)
        h.append(-value)
    return ca.vertcat(*h)


def cut_error(cut: Cut, poses: Mapping[str, Pose]) -> Matrix:
    """Return the closure error of a cut in each of its rows, in m."""
    a, b = poses[cut.body_a].at(cut.point_a), poses[cut.body_b].at(cut.point_b)
    if cut.kind == "dist":
        return ca.norm_2(a - b) - ca.norm_2(cut.point_a - cut.point_b)
    return ca.vertcat(*(ca.dot(d, a - b) for d in _directions(cut, poses, a, b)))


def _directions(cut: Cut, poses: Mapping[str, Pose], a: Matrix, b: Matrix) -> list[Matrix]:
    if cut.kind == "ball":
        return [E3[:, k] for k in range(3)]
    if cut.kind == "dist":
        return [(a - b) / ca.norm_2(a - b)]
    return [poses[cut.fixed_in].along(d) for d in cut.directions]


def _convective(V: Matrix, point: Matrix) -> Matrix:
    return ca.cross(V[:3], velocity(V, point))
