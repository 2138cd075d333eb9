"""Steering along a path."""

import math
from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, fmax, fmin
from drawbar.blocks.data import read

DATA = read("vehicles/hmmwv_planar.json")
MASS, FRONT, REAR = DATA["mass"], DATA["cg_to_front_axle"], DATA["cg_to_rear_axle"]
C_FRONT, C_REAR = DATA["cornering_stiffness"]["front"], DATA["cornering_stiffness"]["rear"]


class PathFollower(Sampled, period=0.01):
    """Steering law with feedforward of curvature and feedback of the error at a point ahead.

    With the path's curvature k, the lateral error e and the heading error h::

        steer = L k + K_us u^2 k - gain (e + look_ahead (h + b)),     b = l_b k - c_r u^2 k

    The first two terms steer a linear vehicle around a steady circle. b is its side slip there: the feedback aims the
    velocity, not the vehicle's axis, along the path, so a steady curve leaves no error. The result is held within
    ``limit``.

    ISO axes: errors, curvature and steer positive to the left. Valid where the tires respond about linearly; near the
    friction limit feedback makes up for what the linear terms miss.

    Source: Kapania and Gerdes, Design of a feedback-feedforward steering controller for accurate path tracking and
    stability at the limits of handling, Vehicle System Dynamics 53(12), 2015. The defaults suit a HMMWV: stiffnesses
    from ``blocks/data/vehicles/hmmwv_planar.json``, gain and look-ahead from the tracking error of a lane change.
    """

    lateral_error = Input("m", "vehicle from path, positive to the left")
    heading_error = Input("rad", "heading from that of the path, positive to the left")
    curvature = Input("1/m", "curvature of the path, positive to the left; best a little ahead of the vehicle")
    u = Input("m/s", "forward speed")

    gain = Parameter(0.04, "rad/m", "steer per error at the point ahead", min=0.0, tunable=True)
    look_ahead = Parameter(12.0, "m", "distance of the point ahead from the centre of gravity", min=0.0, tunable=True)
    limit = Parameter(math.radians(30.0), "rad", "largest steer to either side", min=0.0)
    wheelbase = Parameter(FRONT + REAR, "m", "L, distance of the axles", min=0.1)
    rear_arm = Parameter(REAR, "m", "l_b, rear axle behind the centre of gravity", min=0.0)
    understeer = Parameter(
        MASS / (FRONT + REAR) * (REAR / C_FRONT - FRONT / C_REAR),
        "rad.s2/m",
        "K_us, steer beyond L k per lateral acceleration",
    )
    rear_compliance = Parameter(
        MASS * FRONT / (FRONT + REAR) / C_REAR, "rad.s2/m", "c_r, slip of the rear axle per lateral acceleration"
    )

    steer = Output("rad", "angle of the front road wheels, positive to the left")

    def feedforward(self) -> Any:
        """Steer of a linear vehicle in a steady curve."""
        return (self.wheelbase + self.understeer * self.u**2) * self.curvature

    def side_slip(self) -> Any:
        """Angle of the velocity from the vehicle's axis in a steady curve, positive to the left."""
        return (self.rear_arm - self.rear_compliance * self.u**2) * self.curvature

    def outputs(self) -> dict[str, Any]:
        ahead = self.lateral_error + self.look_ahead * (self.heading_error + self.side_slip())
        return {"steer": fmax(fmin(self.feedforward() - self.gain * ahead, self.limit), -self.limit)}
