"""The drag of still air, as a force on the chassis."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, fabs, vertcat


class AirDrag(Continuous):
    """The drag of still air on a vehicle, as a force against its forward speed u.

    ::

        F_x = -rho C_d A u |u|/2

    The force acts at the origin of the chassis, as the input `external_force` of a body does, without lift and moment.
    Valid for small side slip angles.

    ::

        u --> | AirDrag | --> force[3]

    Source: the quadratic drag law; the defaults are estimates for a HMMWV, a box of 2.1 m by 1.8 m.
    """

    u = Input("m/s", "forward speed")

    density = Parameter(1.2, "kg/m3", "rho, density of the air", min=0.0)
    area = Parameter(3.8, "m2", "A, frontal area", min=0.0)
    coefficient = Parameter(0.7, "1", "C_d, drag coefficient", min=0.0)

    force = Output("N", "drag force on the chassis, chassis axes", size=3)

    def outputs(self) -> dict[str, Any]:
        return {"force": vertcat(-0.5 * self.density * self.coefficient * self.area * self.u * fabs(self.u), 0.0, 0.0)}
