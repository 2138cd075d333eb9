"""A rigid wheel in soft soil by a closed formula, as a block of its own."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Parameter
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces
from drawbar.blocks.terrain.soil.tbf import TBF
from drawbar.blocks.tires.closed_form import closed_form, spring_at
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.soil_grip import SoilGrip, rigid_contact
from drawbar.blocks.tires.soil_wheel import SoilWheel


class ClosedFormWheel(SoilWheel, step=1e-3):
    """A rigid wheel, smooth or with lugs, that sinks into soil: forces and moments by the terramechanics-based formula.

    The sinkage is how far the wheel reaches below the plane of its ground, and gives the entry angle; the load follows.
    That spring is about as stiff as a tire, so it closes no stiffer loop through the hub than one. What the body starts
    from, the sinkage at the rated load, comes from the estimate of the entry angle from a load. Soil at the side of the
    wheel is pushed aside as well. Law and validity in `TBF`, slips and travel both ways in `SoilWheel`.

    ::

        hub (motion) ---> |                 | --> hub (force, moment, spin)
        ground ---------> | ClosedFormWheel | --> ground.at
        drive, brake ---> |                 | --> load, force_x, force_y, slip, sinkage, drawbar_pull, torque

    Source: Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011).
    """

    lug_height = Parameter(0.0, "m", "h_b, height of the lugs", min=0.0)
    lug_ratio = Parameter(0.0, "1", "mu, share of the rim that is tips of lugs", min=0.0, max=1.0)
    a_0 = Parameter(0.5, "1", "place of the largest pressure, of the angle of entry", min=0.1, max=0.9)
    a_1 = Parameter(0.0, "1", "how it moves with slip", min=-1.0, max=1.0)
    exit_ratio = Parameter(0.0, "1", "lambda, height of the exit over the sinkage", min=0.0, max=1.0)

    @property
    def law(self) -> TBF:
        """Return the formula for this wheel."""
        return TBF(self.width, self.radius, self.lug_height, self.lug_ratio, self.a_0, self.a_1, self.exit_ratio)

    @property
    def rolling_radius(self) -> Any:
        """Return r_s, the radius to the tips of the lugs, in m."""
        return self.law.shear_radius

    @property
    def grip(self) -> SoilGrip:
        """Return the bounds of a rigid wheel."""
        sunk, exit_ratio = self.sunk, self.exit_ratio
        length, depth = rigid_contact(self.radius, sunk.contact.deflection, exit_ratio)
        return SoilGrip(self.soil, self.width, length, depth, sunk, exit_ratio)

    def stance(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the soil as a spring at the rated load."""
        return spring_at(self.law, self.soil, self.rated_load)

    def sunk_forces(self, c: Contact, shear: Shear) -> SixForces:
        """Return the forces at the entry angle of the sinkage, with side-wall resistance."""
        return closed_form(self.law, self.soil)(c, shear)
