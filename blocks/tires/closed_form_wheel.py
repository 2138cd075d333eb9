"""A rigid wheel in soft soil by the closed formula, as a block; its law serves the HMMWV on soil as well."""

from __future__ import annotations

from typing import Any

from drawbar.blocks import Parameter, fmax, fmin
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear, SoilStress
from drawbar.blocks.terrain.soil.tbf import MAX_ENTRY, MIN_ENTRY, TBF, entry_angle
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.soil_rolling import MAX_SINKAGE, ONSET_SINKAGE, Law, contact_onset
from drawbar.blocks.tires.soil_wheel import SoilWheel
from drawbar.blocks.tires.traction_slope import TractionSlope, rigid_contact


def tbf_law(law: TBF, soil: SoilStress) -> Law:
    """Return the forces at the entry angle of the sinkage on a wheel that rolls forward, with side-wall resistance."""

    def forces(c: Contact, shear: Shear) -> ForcesAndMoments:
        R = law.radius
        depth = fmax(ONSET_SINKAGE * R, fmin(c.deflection, MAX_SINKAGE * R))
        entry = fmax(MIN_ENTRY, fmin(MAX_ENTRY, law.entry(depth)))
        return law.forces(soil, entry, shear).scaled(contact_onset(c.deflection, R))

    return forces


def tbf_spring(law: TBF, soil: SoilStress, load: Any) -> tuple[Any, Any]:
    """Return the free radius, in m, and the stiffness, in N/m, at a load.

    The load grows about as the power n + 1/2 of the sinkage.
    """
    h = law.sinkage(entry_angle(law, soil, Shear(0.0, 0.0), load))
    stiffness = (soil.n + 0.5) * load / h
    return law.radius - h + load / stiffness, stiffness


class ClosedFormWheel(SoilWheel, step=1e-3):
    """A rigid wheel, smooth or with lugs, that sinks into soil: forces and moments by the terramechanics-based formula.

    The sinkage is the depth of the wheel below the plane of its ground; it gives the entry angle, and the load follows.
    This spring is about as stiff as a tire, so it closes no stiffer loop through the hub than a tire does. The sinkage
    at the rated load, from which the body starts, follows from the entry angle at that load. The resistance of the soil
    at the side of the wheel is included. The law and its range are described in `TBF`, slips and both directions of
    travel in `SoilWheel`.

    ::

        hub (motion) ---> |                 | --> hub (force, moment, spin)
        ground ---------> | ClosedFormWheel | --> ground.at
        drive, brake ---> |                 | --> load, force_x, force_y, slip, sinkage, drawbar_pull, torque

    Source: Peng and Ulsoy, Improved Safety and Mobility of Ground Robots (NDIA GVSETS 2011).
    """

    lug_height = Parameter(0.0, "m", "h_b, height of the lugs", min=0.0)
    lug_ratio = Parameter(0.0, "1", "mu, fraction of the rim covered by lug tips", min=0.0, max=1.0)
    a_0 = Parameter(0.5, "1", "a_0, angle of the largest pressure over the entry angle, without slip", min=0.1, max=0.9)
    a_1 = Parameter(0.0, "1", "a_1, change of that ratio with slip", min=-1.0, max=1.0)
    exit_ratio = Parameter(
        0.0, "1", "lambda, height of the exit above the lowest point over the sinkage", min=0.0, max=1.0
    )

    @property
    def law(self) -> TBF:
        """Return the formula for this wheel."""
        return TBF(self.width, self.radius, self.lug_height, self.lug_ratio, self.a_0, self.a_1, self.exit_ratio)

    @property
    def rolling_radius(self) -> Any:
        """Return r_s, the radius to the tips of the lugs, in m."""
        return self.law.shear_radius

    @property
    def traction_slope(self) -> TractionSlope:
        """Return the bounds of a rigid wheel."""
        rolling_wheel, exit_ratio = self.rolling_wheel, self.exit_ratio
        length, depth = rigid_contact(self.radius, rolling_wheel.contact.deflection, exit_ratio)
        return TractionSlope(self.soil, self.width, length, depth, rolling_wheel, exit_ratio)

    def equivalent_spring(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the soil as a spring at the rated load."""
        return tbf_spring(self.law, self.soil, self.rated_load)

    def soil_forces(self, c: Contact, shear: Shear) -> ForcesAndMoments:
        """Return the forces at the entry angle of the sinkage, with side-wall resistance."""
        return tbf_law(self.law, self.soil)(c, shear)
