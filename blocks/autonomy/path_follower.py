"""Steering along a path."""

import math
from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, fmin
from drawbar.blocks.autonomy.preview import POINTS, Preview
from drawbar.blocks.data import read

DATA = read("vehicles/hmmwv_planar.json")
SLOWEST = 1.0  # m/s, the least speed of the prediction, which divides by it


class PathFollower(Sampled, period=0.01):
    """Optimal preview steering: the constant angle that would lead along the path ahead with least square error.

    A linear single-track vehicle predicts where its centre of gravity passes the previewed distances: at ``free_k``
    to its left if the wheels pointed straight ahead from now on, and by ``reach_k`` more for each radian of steer.
    The sum of ``(offset_k - free_k - reach_k steer)^2`` is least for::

        steer = sum(reach_k (offset_k - free_k)) / sum(reach_k^2)

    held within ``limit``, and within ``rate`` of the sample before. Because sideslip and yaw rate are part of the
    prediction, the law makes up for the lag of the vehicle. How far it looks is the sender's choice: 0.3 s tracks
    closely with damping ratios of 0.54, 0.38 and 0.19 at 10, 14 and 25 m/s, 0.7 s more smoothly with 0.63, 0.53 and
    0.35.

    Tires that answer over a relaxation length sigma are part of the prediction too: the slips that act are followed
    from sample to sample, ``sigma a' = u (slip of the wheel - a)``. It matters with long ones: at 15 m/s and 2 m the
    damping ratio is 0.16 with a look of 0.5 s and 0.44 with 0.7 s, but 0.11 and 0.29 where the lag is not known; with
    0.3 s there is none.

    ISO axes: offsets and steer positive to the left. Valid where the tires respond about linearly and headings differ
    little from the path's within the preview. Below 1 m/s the prediction uses 1 m/s.

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
        """Return where the vehicle passes the previewed distances, in m to the left, with constant steer.

        The prediction starts from the lateral velocity v, the yaw rate r and the slips that act. The trapezoidal rule
        gives their means over a step from the slips at the wheels, ``delta - (v + l_a r)/u`` and ``-(v - l_b r)/u``: a
        share `now` of those and the rest of what acted before. The equations are stiff at low speed, hence the implicit
        rule.
        """
        u, m, J = fmax(self.u, SLOWEST), self.mass, self.yaw_inertia
        la, lb = self.front_arm, self.rear_arm
        y, yaw, before, passed = 0.0, 0.0, 0.0, []
        front, rear = slips
        for k in range(POINTS):
            half = (self.preview.distance[k] - before) / u / 2.0
            before = self.preview.distance[k]
            now = half * u / fmax(self.relaxation + half * u, 1e-9)
            Cf, Cr = now * self.front_stiffness, now * self.rear_stiffness
            a11, a12 = -(Cf + Cr) / (m * u), (lb * Cr - la * Cf) / (m * u) - u
            a21, a22 = (lb * Cr - la * Cf) / (J * u), -(la**2 * Cf + lb**2 * Cr) / (J * u)
            # of the steer, and of the slips that act before
            f1 = Cf * steer + (1.0 - now) * self.front_stiffness * front
            f2 = (1.0 - now) * self.rear_stiffness * rear
            right1 = v + half * (a11 * v + a12 * r + 2.0 * (f1 + f2) / m)
            right2 = r + half * (a21 * v + a22 * r + 2.0 * (la * f1 - lb * f2) / J)
            determinant = (1.0 - half * a11) * (1.0 - half * a22) - half**2 * a12 * a21
            v_next = ((1.0 - half * a22) * right1 + half * a12 * right2) / determinant
            r_next = ((1.0 - half * a11) * right2 + half * a21 * right1) / determinant
            yaw_next = yaw + half * (r + r_next)
            y = y + half * (u * (yaw + yaw_next) + v + v_next)
            v_mean, r_mean = (v + v_next) / 2.0, (r + r_next) / 2.0
            front += 2.0 * now * (steer - (v_mean + la * r_mean) / u - front)
            rear += 2.0 * now * ((lb * r_mean - v_mean) / u - rear)
            v, r, yaw = v_next, r_next, yaw_next
            passed.append(y)
        return passed

    def wanted(self) -> Any:
        """Return the steer angle of this sample."""
        free = self.predicted(self.v, self.yaw_rate, (self.front_slip, self.rear_slip), 0.0)
        reach = self.predicted(0.0, 0.0, (0.0, 0.0), 1.0)
        best = sum(g * (self.preview.offset[k] - free[k]) for k, g in enumerate(reach)) / sum(g**2 for g in reach)
        asked = fmax(fmin(best, self.limit), -self.limit)
        change = self.rate * self.period
        return fmax(fmin(asked, self.last + change), self.last - change)

    def outputs(self) -> dict[str, Any]:
        return {"steer": self.wanted()}

    def update(self) -> dict[str, Any]:
        u = fmax(self.u, SLOWEST)
        way = self.period * u
        steer = self.wanted()
        front = steer - (self.v + self.front_arm * self.yaw_rate) / u
        rear = (self.rear_arm * self.yaw_rate - self.v) / u
        sigma = self.relaxation
        return {
            "last": steer,
            "front_slip": (sigma * self.front_slip + way * front) / (sigma + way),
            "rear_slip": (sigma * self.rear_slip + way * rear) / (sigma + way),
        }
