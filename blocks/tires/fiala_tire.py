"""A wheel with a Fiala tire, as a block."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks import Parameter
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.tires.fiala import Fiala
from drawbar.blocks.tires.road_tire import RoadTire


class FialaTire(RoadTire, step=2.5e-3):
    """A wheel with a Fiala tire, with its spin and slips as states; it connects to a hub.

    The load comes from a vertical spring and damper, the forces along the ground from `Fiala`, with relaxation.
    Valid on hard ground that is nearly plane under the wheel, at standstill as well.
    RK4 divides its micro-steps where short relaxation lengths require it.

    ::

        hub (motion) ---> |           | --> hub (force, moment, spin)
        ground ---------> | FialaTire | --> ground.at
        drive, brake ---> |           | --> load, force_x, force_y, slip, slip_angle

    Source: the 2015 HMMWV paper, equations 10 to 21; data of ``blocks/data/vehicles/hmmwv.json``.
    """

    radius = Parameter(TIRE["unloaded_radius_m"], "m", "R, unloaded radius", min=0.1)
    stiffness = Parameter(TIRE["vertical_stiffness_N_per_m"], "N/m", "vertical stiffness", min=1.0)
    damping = Parameter(TIRE["vertical_damping_Ns_per_m"], "N.s/m", "vertical damping", min=0.0)
    C_S = Parameter(TIRE["c_slip_N"], "N", "C_S, longitudinal slip stiffness", min=1.0)
    C_a = Parameter(TIRE["c_alpha_N_per_rad"], "N/rad", "C_a, cornering stiffness", min=1.0)
    sliding_ratio = Parameter(
        TIRE["mu_min"] / TIRE["mu_max"], "1", "sliding friction over the friction of the ground", min=0.0, max=1.0
    )
    relaxation = Parameter(
        [TIRE["relaxation_x_m"], TIRE["relaxation_y_m"]],
        "m",
        "sigma, longitudinal and lateral relaxation length",
        size=2,
        min=0.01,
    )
    rolling_resistance = Parameter(TIRE["rolling_resistance"], "1", "C_r, rolling resistance coefficient", min=0.0)
    published_law = Parameter(
        False, "1", "whether both forces follow equations 18 and 19 alone, also where the tire slides", type=bool
    )

    @cached_property
    def law(self) -> Fiala:
        """Return the law of the forces along the ground."""
        return Fiala.of(self, TIRE, self.damping_time)

    @property
    def slip_stiffness(self) -> Any:
        """Return C_S."""
        return self.C_S
