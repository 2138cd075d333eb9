"""A deformable tire in soft soil, as a block."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drawbar.blocks import Output, Parameter, State, fmax, sqrt
from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.soil.bekker import Bekker, static_sinkage
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.soil_rolling import contact_onset
from drawbar.blocks.tires.soil_wheel import SoilWheel
from drawbar.blocks.tires.substitute_circle import ONSET_SINKAGE, SubstituteCircle
from drawbar.blocks.tires.traction_slope import TractionSlope


class SoftTire(SoilWheel, step=1e-3):
    """A deformable tire in soft soil: its flattened part is an arc of a larger circle that is pressed into the soil.

    The soil carries the load (`Bekker` with the radius of `SubstituteCircle`), which flattens the tire by d against its
    stiffness and damping::

        c_t d' = F_z(R_s(d, z - d)) - k_t d

    with z the depth that the undeformed tire would reach below the ground. The deflection d is a state, so no equation
    is solved during a run. It starts where tire and soil carry the same load, found by bisection. The range is that of
    `Bekker`.

    ::

        hub (motion) ---> |          | --> hub (force, moment, spin)
        ground ---------> | SoftTire | --> ground.at
        drive, brake ---> |          | --> load, force_x, force_y, slip, sinkage, drawbar_pull, torque, flattening

    Source: the 2015 HMMWV paper, equations 22 and 23, in their exact form.
    """

    stiffness = Parameter(TIRE["vertical_stiffness_N_per_m"], "N/m", "k_t, vertical stiffness of the tire", min=1.0)
    damping = Parameter(TIRE["vertical_damping_Ns_per_m"], "N.s/m", "c_t, vertical damping of the tire", min=1.0)
    a_0 = Parameter(0.4, "1", "a_0, angle of the largest pressure over the entry angle, without slip", min=0.0, max=1.0)
    a_1 = Parameter(0.15, "1", "a_1, change of that ratio with slip", min=-1.0, max=1.0)

    d = State(0.02, "m", "deflection of the tire")

    flattening = Output("1", "radius of the contact arc over the unloaded radius")

    @property
    def tire(self) -> SubstituteCircle:
        """Return the law."""
        return SubstituteCircle(Bekker(self.width, self.a_0, self.a_1), self.radius, self.stiffness)

    @property
    def rolling_radius(self) -> Any:
        """Return the radius of the flattened tire, in m."""
        return self.radius - self.d

    @property
    def depth(self) -> Any:
        """Return the depth of the lowest point below the ground, in m."""
        return self.rolling_wheel.contact.deflection - self.d

    @property
    def traction_slope(self) -> TractionSlope:
        """Return the bounds of an arc of a larger circle."""
        R, d, rolling_wheel = self.radius, fmax(self.d, 0.0), self.rolling_wheel
        h = fmax(rolling_wheel.contact.deflection - d, 0.0)
        length = sum(sqrt(fmax(z * (2.0 * R - z), 0.0) + 1e-12) for z in (d, d + h))
        return TractionSlope(self.soil, self.width, length, 2.0 * (h / length) ** 2, rolling_wheel)

    def equivalent_spring(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of tire and soil as springs in series, at the rated load."""
        d = self.rated_load / self.stiffness
        h, soil = static_sinkage(self.soil, self.width, self.radius, 0.4, self.rated_load, d)
        stiffness = 1.0 / (1.0 / soil + 1.0 / self.stiffness)
        return self.radius - h - d + self.rated_load / stiffness, stiffness

    def initial(self) -> dict[str, Any]:
        """Return the start values: a rolling wheel whose deflection gives tire and soil the same load."""
        free = self.rolling_wheel.contact.deflection
        return super().initial() | {"d": self.tire.deflection(self.soil, free * (free > 0.0), Shear(0.0, 0.0))}

    def soil_forces(self, c: Contact, shear: Shear) -> ForcesAndMoments:
        """Return the forces of the soil, by quadrature over the arc."""
        h = c.deflection - self.d
        return (
            self.tire.forces(self.soil, self.d, h, shear)
            .without_suction()
            .scaled(contact_onset(h, self.radius, ONSET_SINKAGE))
        )

    @cached_property
    def rate(self) -> Any:
        """Return the rate of the deflection, in m/s."""
        return (self.rolling_wheel.load - self.stiffness * self.d) / self.damping

    def stability_bounds(self) -> dict[str, Any]:
        """Return the bounds, with that of the tire between its damper and the soil, which is stiff at small sinkage."""
        R, d = self.radius, fmax(self.d, 0.0)
        h = fmax(self.rolling_wheel.contact.deflection - d, ONSET_SINKAGE * R)
        carried = (
            self.width * self.soil.modulus(self.width) * h**self.soil.n * (sqrt(2.0 * R * d) + sqrt(2.0 * R * (d + h)))
        )
        return super().stability_bounds() | {"tire against soil": (self.stiffness + carried / h) / self.damping}

    def derivatives(self) -> dict[str, Any]:
        """Return the rates of the states, with that of the deflection."""
        return super().derivatives() | {"d": self.rate}

    def outputs(self) -> dict[str, Any]:
        """Return the outputs of the wheel, and the flattening."""
        R_s = self.tire.radius(self.d, self.rolling_wheel.contact.deflection - self.d)
        return super().outputs() | {"flattening": R_s / self.radius}
