"""Speed control of the wheels of a skid-steered vehicle."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, fabs, fmax, fmin, if_else, vertcat
from drawbar.blocks.vehicle.rover.warthog_body import DATA, UNIT, WHEEL

MOTOR = DATA["motor"]


class SkidSteer(Continuous):
    """Drive torques of four wheels for a desired speed and yaw rate: each wheel is controlled to the speed of its side.

    Without slip the wheels of the left side roll with ``v - r b/2`` and those of the right one with ``v + r b/2``, with
    b the track, over the radius R. A PI controller, whose integral part stops where its torque is at the limit, gives
    each wheel::

        T = k (w_wanted - w) + i        i' = k_i (w_wanted - w)        |T| <= T_max

    The vehicle turns less than desired, because its wheels must slip laterally; how much less depends on the ground.
    Valid for wheels of one size. A Warthog by default.

    Source: limits of ``blocks/data/vehicles/warthog.json``; gains are chosen.

    ::

        speed, yaw_rate, spin[4] --> | SkidSteer | --> drive[4]
    """

    speed = Input("m/s", "desired forward speed")
    yaw_rate = Input("rad/s", "desired yaw rate, positive to the left")
    spin = Input("rad/s", "speed of each wheel relative to its upright, as sent by its hub", size=4)

    track = Parameter(2.0 * (UNIT["pivot_m"][1] + WHEEL["from_pivot_m"][1]), "m", "b, track width", min=0.01)
    radius = Parameter(WHEEL["radius_m"], "m", "R, radius of the wheels", min=0.01)
    gain = Parameter(40.0, "N.m.s/rad", "k, proportional gain", min=0.0)
    integral_gain = Parameter(400.0, "N.m/rad", "k_i, integral gain", min=0.0)
    max_torque = Parameter(MOTOR["wheel_torque_Nm"], "N.m", "T_max, largest torque of a wheel", min=0.0)
    top_speed = Parameter(MOTOR["top_speed_m_per_s"], "m/s", "upper limit of the desired speed", min=0.0)
    top_yaw_rate = Parameter(MOTOR["top_yaw_rate_rad_per_s"], "rad/s", "upper limit of the desired yaw rate", min=0.0)

    integral_torque = State(0.0, "N.m", "i, integral part of each wheel's torque", size=4)

    drive = Output("N.m", "drive torque at each wheel", size=4)

    def errors(self) -> Any:
        """Return the speed errors of the wheels, positive where they are too slow, in rad/s."""
        v = fmax(-self.top_speed, fmin(self.top_speed, self.speed))
        r = fmax(-self.top_yaw_rate, fmin(self.top_yaw_rate, self.yaw_rate))
        left, right = (v + side * r * self.track / 2.0 for side in (-1.0, 1.0))
        return vertcat(left, right, left, right) / self.radius - self.spin

    def unlimited_torque(self) -> Any:
        """Return the torques without their limit."""
        return self.gain * self.errors() + self.integral_torque

    def derivatives(self) -> dict[str, Any]:
        """Return the rate of the integral part, which is zero where it would exceed the limit further."""
        e, torque = self.errors(), self.unlimited_torque()
        rates = [
            if_else(fabs(torque[i]) > self.max_torque, if_else(torque[i] * e[i] > 0.0, 0.0, 1.0), 1.0)
            * self.integral_gain
            * e[i]
            for i in range(4)
        ]
        return {"integral_torque": vertcat(*rates)}

    def outputs(self) -> dict[str, Any]:
        """Return the limited torques."""
        return {"drive": fmax(-self.max_torque, fmin(self.max_torque, self.unlimited_torque()))}
