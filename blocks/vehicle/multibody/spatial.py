"""Spatial algebra: motions and wrenches of rigid bodies as six numbers about one origin.

A motion is ``(omega, v)``, the angular velocity and the velocity of the body's point at the origin; a wrench is
``(m, f)``, the moment about the origin and the force. All are given in the axes of one frame about its origin, the
base frame here, so nothing is transformed from body to body. Conventions and cross products of Featherstone, Rigid
Body Dynamics Algorithms (2008), chapter 2.

Values are CasADi matrices, symbolic (SX) or numeric (DM).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

Matrix = Any  # ca.SX or ca.DM


@dataclass(frozen=True)
class Pose:
    """Where a body is: its point that was at x in the design position is at ``R x + p`` now, in the base frame."""

    R: Matrix
    p: Matrix

    def at(self, x: Matrix) -> Matrix:
        """The place of a point of the body that was at x in the design position."""
        return self.R @ x + self.p

    def along(self, a: Matrix) -> Matrix:
        """The direction of a line of the body that had the direction a in the design position."""
        return self.R @ a

    def after(self, inner: Pose) -> Pose:
        """The pose of a body that has moved by `inner` in the frame of this one."""
        return Pose(self.R @ inner.R, self.R @ inner.p + self.p)


DESIGN = Pose(ca.DM.eye(3), ca.DM.zeros(3))


def turn(axis: Matrix, angle: Matrix) -> Matrix:
    """The rotation by an angle about a unit axis (Rodrigues)."""
    return turned(axis, ca.cos(angle), ca.sin(angle))


def turned(axis: Matrix, c: Matrix, s: Matrix) -> Matrix:
    """The rotation about a unit axis by the angle with cosine c and sine s."""
    return c * ca.DM.eye(3) + s * ca.skew(axis) + (1 - c) * (axis @ axis.T)


def about(point: Matrix, R: Matrix) -> Pose:
    """A rotation that leaves a point where it is."""
    return Pose(R, point - R @ point)


def from_quaternion(q: Matrix) -> Matrix:
    """The rotation matrix of a quaternion (scalar first), whose norm is divided out."""
    w, x, y, z = ca.vertsplit(q)
    s = 2 / ca.sumsqr(q)
    return ca.vertcat(
        ca.horzcat(1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        ca.horzcat(s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        ca.horzcat(s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )


def quaternion_rate(q: Matrix, omega: Matrix) -> Matrix:
    """dq/dt of a body that turns with omega in its own axes."""
    w, x, y, z = ca.vertsplit(q)
    E = ca.vertcat(ca.horzcat(-x, -y, -z), ca.horzcat(w, -z, y), ca.horzcat(z, w, -x), ca.horzcat(-y, x, w))
    return 0.5 * (E @ omega)


def rotor(axis: Matrix, point: Matrix) -> Matrix:
    """The motion of unit speed about a line."""
    return ca.vertcat(axis, ca.cross(point, axis))


def slider(axis: Matrix) -> Matrix:
    """The motion of unit speed along a direction."""
    return ca.vertcat(ca.DM.zeros(3), axis)


def velocity(motion: Matrix, point: Matrix) -> Matrix:
    """The velocity of the body's point at a place."""
    return motion[3:] + ca.cross(motion[:3], point)


def force_at(point: Matrix, force: Matrix) -> Matrix:
    """The wrench of a force at a place."""
    return ca.vertcat(ca.cross(point, force), force)


def couple(moment: Matrix) -> Matrix:
    """The wrench of a pure moment."""
    return ca.vertcat(moment, ca.DM.zeros(3))


def cross_motion(a: Matrix, b: Matrix) -> Matrix:
    """The rate of the motion b that is fixed in a body moving with a (Featherstone, equation 2.31)."""
    return ca.vertcat(ca.cross(a[:3], b[:3]), ca.cross(a[:3], b[3:]) + ca.cross(a[3:], b[:3]))


def cross_force(a: Matrix, f: Matrix) -> Matrix:
    """The rate of the wrench f that is fixed in a body moving with a (Featherstone, equation 2.32)."""
    return ca.vertcat(ca.cross(a[:3], f[:3]) + ca.cross(a[3:], f[3:]), ca.cross(a[:3], f[3:]))


def reciprocal(x: Matrix) -> Matrix:
    """1/x as one division for all its uses.

    CasADi writes y (1/x) as y/x, a division at each use; the factors of 2 keep it from that and change no digit.
    """
    return 1 / x if isinstance(x, ca.DM | float) else 2 / (2 * x)


def symmetric(matrix: Matrix) -> Matrix:
    """A symmetric matrix whose upper triangle is its lower one, so that only that is ever computed."""
    return ca.tril2symm(ca.tril(matrix))


def inertia(mass: Matrix, com: Matrix, about_com: Matrix) -> Matrix:
    """The inertia, 6 x 6 about the origin, of a body with its centre of mass at `com` (Featherstone, 2.63)."""
    h = mass * com
    top = about_com + mass * (ca.dot(com, com) * ca.DM.eye(3) - com @ com.T)
    return symmetric(ca.vertcat(ca.horzcat(top, ca.skew(h)), ca.horzcat(-ca.skew(h), mass * ca.DM.eye(3))))


def rotated(R: Matrix, J: Matrix) -> Matrix:
    """``R J R'`` of a symmetric J; a diagonal one costs a third, for the columns of R are orthonormal."""
    J = ca.sparsify(J) if isinstance(J, ca.DM) else J
    if not J.sparsity().is_diag():
        return symmetric(R @ J @ R.T)
    spread = [J[k, k] - J[0, 0] for k in (1, 2)]
    return symmetric(J[0, 0] * ca.DM.eye(3) + sum(s * (R[:, k] @ R[:, k].T) for k, s in enumerate(spread, 1)))
