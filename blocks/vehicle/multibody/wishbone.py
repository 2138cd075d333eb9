"""A double wishbone with tie rod in closed form, with square roots only and no iteration.

The state of a corner is the angle theta of its lower arm; the inner end p of its tie rod may move with the steering.
Each unknown position is the intersection of a circle about an axis n with a sphere. This is one scalar equation,
``x.w = k``, for the unit vector x perpendicular to n; w leads from the centre of the sphere to that of the circle::

    x = (k p - sigma r q)/N    p = w - n (n.w)    q = n x w    N = p.p    r = sqrt(N - k^2)

The branch sigma is that of the design position. N - k^2 is the margin of closure: where it is negative the loop cannot
be assembled, and x is held at the limit of closure so that nothing becomes NaN. Points and axes are in the chassis
frame. The rates follow from differentiating the same identities, so all divisions are by scalars. Source: the
closed-chain suspension of the 2013 HMMWV paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from drawbar.blocks.vehicle.multibody.mechanism import Body
from drawbar.blocks.vehicle.multibody.nodes import BodyKinematics
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose, about, reciprocal, rotation_by, rotor

OPENING = 1e-6  # lower limit of the margin over N in the square root


def circle_sphere_intersection(p: Matrix, q: Matrix, k: Matrix, sigma: Matrix) -> tuple[Matrix, Matrix]:
    """Return the unit vector on the circle, in the axes p and q, and the margin over N, which lies between 0 and 1."""
    N = ca.dot(p, p)
    radicand = N - k * k
    inverse_N = reciprocal(N)
    return (k * inverse_N) * p - (sigma * ca.sqrt(ca.fmax(radicand, OPENING * N)) * inverse_N) * q, radicand * inverse_N


@dataclass(frozen=True)
class Wishbone:
    """The hardpoints of a corner, in m in the chassis frame at the design position, and derived constants.

    Use `wishbone` to make one.
    """

    lower_pivot: Matrix
    lower_axis: Matrix
    lower_ball: Matrix
    upper_centre: Matrix  # foot of the upper ball on the axis of its arm
    upper_axis: Matrix
    upper_ball: Matrix
    upright_length: Matrix
    upper_radius: Matrix
    tie_length: Matrix
    tie_height: Matrix  # of the outer end along the kingpin
    tie_radius: Matrix
    upper_branch: Matrix
    tie_branch: Matrix
    triad: Matrix  # kingpin, direction to the outer tie-rod end, and their product, as columns at design


def wishbone(
    lower: Body, upper: Body, upright: Body, upper_ball: Matrix, tie_outer: Matrix, tie_inner: Matrix
) -> Wishbone:
    """Return the constants of a corner from its arms, the upright on the lower arm, and the other hardpoints."""
    L, U, T, p = upright.point, upper_ball, tie_outer, tie_inner
    axis = upper.axes[0]
    centre = upper.point + axis * ca.dot(axis, U - upper.point)
    d, rho = ca.norm_2(U - L), ca.norm_2(U - centre)
    e = (U - L) / d
    h = ca.dot(T - L, e)
    K = L + h * e
    radius = ca.norm_2(T - K)
    t = (T - K) / radius
    return Wishbone(
        lower_pivot=lower.point,
        lower_axis=lower.axes[0],
        lower_ball=L,
        upper_centre=centre,
        upper_axis=axis,
        upper_ball=U,
        upright_length=d,
        upper_radius=rho,
        tie_length=ca.norm_2(T - p),
        tie_height=h,
        tie_radius=radius,
        upper_branch=-ca.sign(ca.dot(U - centre, ca.cross(axis, centre - L))),
        tie_branch=-ca.sign(ca.dot(t, ca.cross(e, K - p))),
        triad=ca.horzcat(e, t, ca.cross(e, t)),
    )


@dataclass(frozen=True)
class Corner:
    """The state of a corner: its bodies, over the columns (theta, steering), and the margin of its loops."""

    lower: BodyKinematics
    upper: BodyKinematics
    upright: BodyKinematics
    margin: Matrix


@dataclass(frozen=True)
class MovingPoint:
    """A point that moves with the steering coordinate: position, first and second derivative, and the rate."""

    at: Matrix
    first: Matrix
    second: Matrix
    rate: Matrix


def fixed_point(point: Matrix) -> MovingPoint:
    """Return a point fixed in the chassis."""
    return MovingPoint(point, ca.DM.zeros(3), ca.DM.zeros(3), 0)


def corner(g: Wishbone, c: Matrix, s: Matrix, rate: Matrix, inner: MovingPoint) -> Corner:
    """Return the corner for the lower-arm angle of cosine c and sine s, turning at `rate`."""
    lower = about(g.lower_pivot, rotation_by(g.lower_axis, c, s))
    L = lower.at(g.lower_ball)
    L_t = ca.cross(g.lower_axis, L - g.lower_pivot)
    # upper ball joint: its circle about the arm's axis meets the sphere about the lower ball
    arm = (g.upper_ball - g.upper_centre) / g.upper_radius
    arm_across = ca.cross(g.upper_axis, arm)
    w = g.upper_centre - L
    a, b = ca.dot(w, arm), ca.dot(w, arm_across)
    k = (g.upright_length**2 - g.upper_radius**2 - ca.dot(w, w)) * (0.5 * reciprocal(g.upper_radius))
    # in the plane of the circle, so that the result is cosine and sine of the arm's angle
    arm_direction, upper_margin = circle_sphere_intersection(ca.vertcat(a, b), ca.vertcat(-b, a), k, g.upper_branch)
    out = g.upper_radius * (arm_direction[0] * arm + arm_direction[1] * arm_across)
    U = g.upper_centre + out
    e = (U - L) * reciprocal(g.upright_length)
    # outer tie-rod end: its circle about the kingpin meets the sphere about the inner end
    K = L + g.tie_height * e
    w = K - inner.at
    k = (g.tie_length**2 - g.tie_radius**2 - ca.dot(w, w)) * (0.5 * reciprocal(g.tie_radius))
    t, tie_margin = circle_sphere_intersection(w - ca.dot(w, e) * e, ca.cross(e, w), k, g.tie_branch)
    T = K + g.tie_radius * t
    R = ca.horzcat(e, t, ca.cross(e, t)) @ g.triad.T
    upright = Pose(R, L - R @ g.lower_ball)

    # first derivatives by theta (_t) and by the steering coordinate (_d)
    U_arm = ca.cross(g.upper_axis, out)
    per_arm, per_length = reciprocal(ca.dot(e, U_arm)), reciprocal(g.upright_length)
    u_t = ca.dot(e, L_t) * per_arm
    e_t = (u_t * U_arm - L_t) * per_length
    rod, lever = T - inner.at, T - L
    swing = ca.cross(e, e_t)
    per_turn = reciprocal(ca.dot(rod, ca.cross(e, lever)))
    turn_t = -ca.dot(rod, L_t + ca.cross(swing, lever)) * per_turn
    turn_d = ca.dot(rod, inner.first) * per_turn
    omega_t, omega_d = swing + turn_t * e, turn_d * e
    J = ca.horzcat(
        ca.vertcat(omega_t, L_t - ca.cross(omega_t, L)),
        ca.vertcat(omega_d, -ca.cross(omega_d, L)),
    )

    # the accelerations for zero independent accelerations
    L_v, L_a = L_t * rate, ca.cross(g.lower_axis, L_t) * rate**2
    U_v = u_t * rate * U_arm
    kingpin_speed = U_v - L_v
    U_bend = u_t * rate * ca.cross(g.upper_axis, U_v)
    u_a = -(ca.dot(e, U_bend - L_a) + ca.dot(kingpin_speed, kingpin_speed) * per_length) * per_arm
    e_v = kingpin_speed * per_length
    e_a = (u_a * U_arm + U_bend - L_a) * per_length
    turning = turn_t * rate + turn_d * inner.rate
    omega = ca.cross(e, e_v) + turning * e
    T_v = L_v + ca.cross(omega, lever)
    tie_rod_speed = T_v - inner.first * inner.rate
    known = ca.cross(e, e_a) + turning * e_v
    T_a = L_a + ca.cross(known, lever) + ca.cross(omega, ca.cross(omega, lever))
    turning_a = -(ca.dot(rod, T_a - inner.second * inner.rate**2) + ca.dot(tie_rod_speed, tie_rod_speed)) * per_turn
    omega_a = known + turning_a * e
    c_upright = ca.vertcat(omega_a, L_a - ca.cross(omega_a, L) - ca.cross(omega, L_v))

    none = ca.SX(6, 1)
    lower_column = rotor(g.lower_axis, g.lower_pivot)
    upper_column = rotor(g.upper_axis, g.upper_centre)
    arm_pose = about(g.upper_centre, rotation_by(g.upper_axis, arm_direction[0], arm_direction[1]))
    return Corner(
        BodyKinematics(lower, ca.horzcat(lower_column, none), none),
        BodyKinematics(arm_pose, ca.horzcat(u_t * upper_column, none), u_a * upper_column),
        BodyKinematics(upright, J, c_upright),
        ca.fmin(upper_margin, tie_margin),
    )
