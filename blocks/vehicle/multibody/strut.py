"""A strut with bodies in closed form: a cylinder on a universal joint of the chassis, and a rod on an arm's ball joint.

The springs and dampers of the production model have no bodies; this serves the 36-body model on which the formulations
are compared. The cylinder points at its lower end. Its second universal axis stays perpendicular to the first axis a
and to the direction s, so ``a2 = s x a/|s x a|`` up to sign.
"""

from __future__ import annotations

import casadi as ca

from drawbar.blocks.vehicle.multibody.mechanism import Body
from drawbar.blocks.vehicle.multibody.nodes import BodyKinematics
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, reciprocal, velocity


def strut(
    cylinder: Body, lower_end: Matrix, arm: BodyKinematics, rate: Matrix
) -> tuple[BodyKinematics, BodyKinematics]:
    """Return the cylinder and the rod; `arm` carries the point that was at `lower_end` in the design position.

    `arm` and the results have one column, the angle of the arm, which turns at `rate` about a fixed axis.
    """
    a, Q = cylinder.axes[0], cylinder.point
    B = arm.pose.at(lower_end)
    B_t = velocity(arm.J[:, 0], B)
    B_a = ca.cross(arm.J[:3, 0], B_t) * rate**2
    design = lower_end - Q
    length0 = ca.norm_2(design)
    s0 = design / length0
    length = ca.norm_2(B - Q)
    per_length = reciprocal(length)
    s = (B - Q) * per_length
    n0, n = ca.cross(s0, a), ca.cross(s, a)
    b0, size = n0 / ca.norm_2(n0), ca.norm_2(n)
    b = n * reciprocal(size)
    # a.(s x b) = -|s x a|, for b is the direction of s x a
    per_size = -reciprocal(size)
    R = ca.horzcat(s, b, ca.cross(s, b)) @ ca.horzcat(s0, b0, ca.cross(s0, b0)).T

    def turning(s_v: Matrix) -> Matrix:
        """Return the angular velocity for a rate of s; a stays perpendicular to b."""
        across = ca.cross(s, s_v)
        return across - s * ca.dot(a, ca.cross(across, b)) * per_size

    along = ca.dot(s, B_t)
    omega_t = turning((B_t - s * along) * per_length)
    omega = omega_t * rate
    s_v = ca.cross(omega, s)
    slide = along * rate
    # B'' = length'' s + 2 length' s' + length s''
    slide_a = ca.dot(s, B_a) + length * ca.dot(s_v, s_v)
    s_a = (B_a - slide_a * s - 2 * slide * s_v) * per_length
    # from s'' = alpha x s + omega x s', and of a.b = 0 the second derivative
    part = ca.cross(s, s_a - ca.cross(omega, s_v))
    b_v = ca.cross(omega, b)
    spin = -ca.dot(a, ca.cross(part, b) + ca.cross(omega, b_v)) * per_size
    alpha = part + spin * s
    pose = Pose(R, Q - R @ Q)
    zero = ca.SX(3, 1)
    tube = BodyKinematics(pose, _about(omega_t, Q, zero), _about(alpha, Q, zero))
    shift = s * (length - length0)
    moving = ca.vertcat(zero, along * s)
    sliding = ca.vertcat(zero, slide * s)
    push = ca.vertcat(zero, slide_a * s)
    V = ca.vertcat(omega, -ca.cross(omega, Q))
    turn = ca.vertcat(zero, ca.cross(V[:3], sliding[3:]))
    return tube, BodyKinematics(Pose(R, pose.p + shift), tube.J + moving, tube.c + push + turn)


def _about(omega: Matrix, Q: Matrix, v: Matrix) -> Matrix:
    return ca.vertcat(omega, v - ca.cross(omega, Q))
