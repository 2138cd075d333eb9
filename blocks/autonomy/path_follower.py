"""Steering along a path."""

import math
from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, fmin
from drawbar.blocks.autonomy.preview import POINTS, Preview
from drawbar.blocks.data import read

DATA = read("vehicles/hmmwv_planar.json")
MIN_SPEED = 1.0  # m/s, lower limit of the speed in the prediction, which divides by it


class PathFollower(Sampled, period=0.01):
    """Optimal preview steering: the constant angle with the least square error along the path ahead.

    A linear single-track model predicts the lateral offset of the centre of gravity at the previewed distances:
    ``free_k`` with straight wheels, and ``reach_k`` more for each radian of steering angle, positive to the left. The
    sum of ``(offset_k - free_k - reach_k steer)^2`` is smallest for::

        steer = sum(reach_k (offset_k - free_k)) / sum(reach_k^2)

    The angle is limited by ``limit``, and its change from the previous sample by ``rate``. Because sideslip and yaw
    rate are part of the prediction, the law compensates the lag of the vehicle. The sender chooses the preview time:
    0.3 s tracks closely with damping ratios of 0.54, 0.38 and 0.19 at 10, 14 and 25 m/s; 0.7 s tracks more smoothly
    with 0.63, 0.53 and 0.35.

    Tires with a relaxation length sigma are part of the prediction too: the relaxed slips are updated from sample to
    sample by ``sigma a' = u (slip of the wheel - a)``. This matters for long relaxation lengths: at 15 m/s and 2 m the
    damping ratio is 0.16 with a preview time of 0.5 s and 0.44 with 0.7 s, but 0.11 and 0.29 if the lag is neglected;
    with 0.3 s there is no damping.

    ISO axes: offsets and steer positive to the left. Valid where the tires respond nearly linearly and the heading
    differs little from that of the path within the preview. Below 1 m/s the prediction uses 1 m/s.

    Source: MacAdam, Application of an optimal preview control for simulation of closed-loop automobile driving, IEEE
    Trans. Systems, Man and Cybernetics 11(6), 1981; without the driver's delay. Prediction by the trapezoidal rule.
    """

    preview = Preview.sink("path ahead of the vehicle")
    u = Input("m/s", "forward speed")
    v = Input("m/s", "lateral velocity of the centre of gravity, positive to the left")
    yaw_rate = Input("rad/s", "yaw rate, positive to the left")

    limit = Parameter(math.radians(30.0), "rad", "largest steering angle to either side", min=0.0)
    rate = Parameter(200.0, "rad/s", "largest rate of change of the steering angle", min=0.0)
    mass = Parameter(DATA["mass"], "kg", "m, mass", min=1.0)
    yaw_inertia = Parameter(DATA["yaw_inertia"], "kg.m2", "I_zz, moment of inertia about the vertical", min=1.0)
    front_arm = Parameter(
        DATA["cg_to_front_axle"], "m", "l_a, distance of the front axle ahead of the centre of gravity", min=0.0
    )
    rear_arm = Parameter(
        DATA["cg_to_rear_axle"], "m", "l_b, distance of the rear axle behind the centre of gravity", min=0.0
    )
    front_stiffness = Parameter(
        DATA["cornering_stiffness"]["front"], "N/rad", "C_f, cornering stiffness of the front axle", min=1.0
    )
    rear_stiffness = Parameter(
        DATA["cornering_stiffness"]["rear"], "N/rad", "C_r, cornering stiffness of the rear axle", min=1.0
    )

    relaxation = Parameter(0.0, "m", "sigma, relaxation length of the tires", min=0.0)

    front_slip = State(0.0, "rad", "relaxed slip angle of the front axle, positive for a force to the left")
    rear_slip = State(0.0, "rad", "relaxed slip angle of the rear axle, positive for a force to the left")
    last = State(0.0, "rad", "steering angle of the previous sample")
    steer = Output("rad", "steering angle of the front road wheels, positive to the left")

    def predicted(self, v: Any, r: Any, slips: tuple[Any, Any], steer: float) -> list[Any]:
        """Return the lateral offsets at the previewed distances, in m to the left, with constant steering angle.

        The prediction starts from the lateral velocity v, the yaw rate r and the relaxed slips. By the trapezoidal rule
        their means over a step consist of a share `step_share` of the slips at the wheels, ``delta - (v + l_a r)/u``
        and ``-(v - l_b r)/u``, and of the previous slips. The implicit rule is used because the equations are stiff at
        low speed.
        """
        u, m, J = fmax(self.u, MIN_SPEED), self.mass, self.yaw_inertia
        la, lb = self.front_arm, self.rear_arm
        y, yaw, previous, offsets = 0.0, 0.0, 0.0, []
        front, rear = slips
        for k in range(POINTS):
            half = (self.preview.distance[k] - previous) / u / 2.0
            previous = self.preview.distance[k]
            step_share = half * u / fmax(self.relaxation + half * u, 1e-9)
            Cf, Cr = step_share * self.front_stiffness, step_share * self.rear_stiffness
            a11, a12 = -(Cf + Cr) / (m * u), (lb * Cr - la * Cf) / (m * u) - u
            a21, a22 = (lb * Cr - la * Cf) / (J * u), -(la**2 * Cf + lb**2 * Cr) / (J * u)
            # forces by the steering angle and by the previous slips
            f1 = Cf * steer + (1.0 - step_share) * self.front_stiffness * front
            f2 = (1.0 - step_share) * self.rear_stiffness * rear
            right1 = v + half * (a11 * v + a12 * r + 2.0 * (f1 + f2) / m)
            right2 = r + half * (a21 * v + a22 * r + 2.0 * (la * f1 - lb * f2) / J)
            determinant = (1.0 - half * a11) * (1.0 - half * a22) - half**2 * a12 * a21
            v_next = ((1.0 - half * a22) * right1 + half * a12 * right2) / determinant
            r_next = ((1.0 - half * a11) * right2 + half * a21 * right1) / determinant
            yaw_next = yaw + half * (r + r_next)
            y = y + half * (u * (yaw + yaw_next) + v + v_next)
            v_mean, r_mean = (v + v_next) / 2.0, (r + r_next) / 2.0
            front += 2.0 * step_share * (steer - (v_mean + la * r_mean) / u - front)
            rear += 2.0 * step_share * ((lb * r_mean - v_mean) / u - rear)
            v, r, yaw = v_next, r_next, yaw_next
            offsets.append(y)
        return offsets

    def commanded_steer(self) -> Any:
        """Return the steering angle of this sample."""
        free = self.predicted(self.v, self.yaw_rate, (self.front_slip, self.rear_slip), 0.0)
        reach = self.predicted(0.0, 0.0, (0.0, 0.0), 1.0)
        optimal = sum(g * (self.preview.offset[k] - free[k]) for k, g in enumerate(reach)) / sum(g**2 for g in reach)
        limited = fmax(fmin(optimal, self.limit), -self.limit)
        max_change = self.rate * self.period
        return fmax(fmin(limited, self.last + max_change), self.last - max_change)

    def outputs(self) -> dict[str, Any]:
        return {"steer": self.commanded_steer()}

    def update(self) -> dict[str, Any]:
        u = fmax(self.u, MIN_SPEED)
        distance = self.period * u
        steer = self.commanded_steer()
        front = steer - (self.v + self.front_arm * self.yaw_rate) / u
        rear = (self.rear_arm * self.yaw_rate - self.v) / u
        sigma = self.relaxation
        return {
            "last": steer,
            "front_slip": (sigma * self.front_slip + distance * front) / (sigma + distance),
            "rear_slip": (sigma * self.rear_slip + distance * rear) / (sigma + distance),
        }
