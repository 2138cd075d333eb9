"""Spatial algebra: motions and wrenches of rigid bodies as six-vectors about one origin.

A motion is ``(omega, v)``: the angular velocity, and the velocity of the body-fixed point at the origin. A wrench is
``(m, f)``: the moment about the origin, and the force. All of them are expressed in the axes of one frame (the base
frame) and about its origin, so no quantity is transformed from body to body. Conventions and cross products follow
Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.

Values are CasADi matrices, symbolic (SX) or numeric (DM); `matrix` makes them from the numbers of a description.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from drawbar.blocks.core.errors import DefinitionError

Matrix = Any  # ca.SX or ca.DM


def matrix(value: Any, shape: tuple[int, int], what: str) -> Any:
    """Return a CasADi matrix of finite numbers or of symbols; raise `DefinitionError` for anything else."""
    if not isinstance(value, ca.SX):
        try:
            value = ca.DM(np.asarray(value, float))
        except (TypeError, ValueError):
            raise DefinitionError(f"{what} is {value!r}, which are not numbers") from None
        if not value.is_regular():
            raise DefinitionError(f"{what} has numbers that are not finite: {value}")
    if value.shape != shape:
        raise DefinitionError(
            f"{what} has {value.shape[0]} x {value.shape[1]} numbers instead of {shape[0]} x {shape[1]}"
        )
    return value


def constant(value: Any) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Return the numbers of a value, or None if it contains symbols."""
    if isinstance(value, ca.SX):
        return np.asarray(ca.DM(value).full()) if value.is_constant() else None
    return np.asarray(ca.DM(value).full())


@dataclass(frozen=True)
class Pose:
    """The pose of a body: its point at x in the design position is now at ``R x + p`` in the base frame."""

    R: Matrix
    p: Matrix

    def at(self, x: Matrix) -> Matrix:
        """Return the present position of the body point that was at x in the design position."""
        return self.R @ x + self.p

    def along(self, a: Matrix) -> Matrix:
        """Return the present direction of a body-fixed line that had the direction a in the design position."""
        return self.R @ a

    def after(self, inner: Pose) -> Pose:
        """Return the pose of a body that has moved by `inner` relative to this frame."""
        return Pose(self.R @ inner.R, self.R @ inner.p + self.p)


DESIGN = Pose(ca.DM.eye(3), ca.DM.zeros(3))


def rotation(axis: Matrix, angle: Matrix) -> Matrix:
    """Return the rotation by an angle about a unit axis (Rodrigues)."""
    return rotation_by(axis, ca.cos(angle), ca.sin(angle))


def rotation_by(axis: Matrix, c: Matrix, s: Matrix) -> Matrix:
    """Return the rotation about a unit axis by the angle with cosine c and sine s."""
    return c * ca.DM.eye(3) + s * ca.skew(axis) + (1 - c) * (axis @ axis.T)


def about(point: Matrix, R: Matrix) -> Pose:
    """Return the pose of a rotation R about a point, which stays where it is."""
    return Pose(R, point - R @ point)


def from_quaternion(q: Matrix) -> Matrix:
    """Return the rotation matrix of a quaternion (scalar first); the quaternion is normalized."""
    w, x, y, z = ca.vertsplit(q)
    s = 2 / ca.sumsqr(q)
    return ca.vertcat(
        ca.horzcat(1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        ca.horzcat(s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        ca.horzcat(s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )


def quaternion_rate(q: Matrix, omega: Matrix) -> Matrix:
    """Return dq/dt of a body with the angular velocity omega, expressed in body axes."""
    w, x, y, z = ca.vertsplit(q)
    E = ca.vertcat(ca.horzcat(-x, -y, -z), ca.horzcat(w, -z, y), ca.horzcat(z, w, -x), ca.horzcat(-y, x, w))
    return 0.5 * (E @ omega)


def rotor(axis: Matrix, point: Matrix) -> Matrix:
    """Return the motion of unit angular velocity about a line."""
    return ca.vertcat(axis, ca.cross(point, axis))


def slider(axis: Matrix) -> Matrix:
    """Return the motion of unit velocity along a direction."""
    return ca.vertcat(ca.DM.zeros(3), axis)


def velocity(motion: Matrix, point: Matrix) -> Matrix:
    """Return the velocity of the body-fixed point at a position."""
    return motion[3:] + ca.cross(motion[:3], point)


def force_at(point: Matrix, force: Matrix) -> Matrix:
    """Return the wrench of a force applied at a point."""
    return ca.vertcat(ca.cross(point, force), force)


def couple(moment: Matrix) -> Matrix:
    """Return the wrench of a pure moment."""
    return ca.vertcat(moment, ca.DM.zeros(3))


def cross_motion(a: Matrix, b: Matrix) -> Matrix:
    """Return the rate of a motion b that is fixed in a body moving with a (Featherstone, equation 2.31)."""
    return ca.vertcat(ca.cross(a[:3], b[:3]), ca.cross(a[:3], b[3:]) + ca.cross(a[3:], b[:3]))


def cross_force(a: Matrix, f: Matrix) -> Matrix:
    """Return the rate of a wrench f that is fixed in a body moving with a (Featherstone, equation 2.32)."""
    return ca.vertcat(ca.cross(a[:3], f[:3]) + ca.cross(a[3:], f[3:]), ca.cross(a[:3], f[3:]))


def reciprocal(x: Matrix) -> Matrix:
    """Return 1/x, written so that one division serves all uses.

    CasADi rewrites ``y (1/x)`` as ``y/x``, which costs a division at each use. The factors of 2 prevent that without
    changing any bit of the result.
    """
    return 1 / x if isinstance(x, ca.DM | float) else 2 / (2 * x)


def symmetric(matrix: Matrix) -> Matrix:
    """Return the symmetric matrix of a lower triangle, so that only the lower triangle is ever computed."""
    return ca.tril2symm(ca.tril(matrix))


def inertia(mass: Matrix, com: Matrix, about_com: Matrix) -> Matrix:
    """Return the 6 x 6 inertia about the origin of a body whose centre of mass is at `com` (Featherstone, 2.63)."""
    h = mass * com
    top = about_com + mass * (ca.dot(com, com) * ca.DM.eye(3) - com @ com.T)
    return symmetric(ca.vertcat(ca.horzcat(top, ca.skew(h)), ca.horzcat(-ca.skew(h), mass * ca.DM.eye(3))))


def rotated(R: Matrix, J: Matrix) -> Matrix:
    """Return ``R J R'`` of a symmetric J. A diagonal J costs a third, because the columns of R are orthonormal."""
    J = ca.sparsify(J) if isinstance(J, ca.DM) else J
    if not J.sparsity().is_diag():
        return symmetric(R @ J @ R.T)
    spread = [J[k, k] - J[0, 0] for k in (1, 2)]
    return symmetric(J[0, 0] * ca.DM.eye(3) + sum(s * (R[:, k] @ R[:, k].T) for k, s in enumerate(spread, 1)))
