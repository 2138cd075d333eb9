"""A rigid wheel in soft soil by the integrals of Bekker's pressure, as a block."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from drawbar.blocks import Parameter, atan, fabs
from drawbar.blocks.terrain.soil.bekker import Bekker, static_sinkage
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.soil_rolling import contact_onset
from drawbar.blocks.tires.soil_wheel import SoilWheel
from drawbar.blocks.tires.traction_slope import TractionSlope, rigid_contact


class BekkerWheel(SoilWheel, step=1e-3):
    """A rigid wheel that sinks into soil: the integrals of Bekker's pressure and of the shear stress.

    The sinkage is the depth of the wheel below the plane of its ground, so the load is a stiff function of the height
    of the hub; the law and its range are described in `Bekker`. The soil is isotropic, with the shear stress along the
    displacement, or anisotropic, with longitudinal and lateral moduli that grow with the slip angle,
    ``K_0 + K_1 |alpha|``.

    ::

        hub (motion) ---> |             | --> hub (force, moment, spin)
        ground ---------> | BekkerWheel | --> ground.at
        drive, brake ---> |             | --> load, force_x, force_y, slip, sinkage, drawbar_pull, torque

    Source: the 2015 HMMWV paper, equations 1 to 9.
    """

    a_0 = Parameter(0.4, "1", "a_0, angle of the largest pressure over the entry angle, without slip", min=0.0, max=1.0)
    a_1 = Parameter(0.15, "1", "a_1, change of that ratio with slip", min=-1.0, max=1.0)
    exit_ratio = Parameter(
        0.0, "1", "lambda, height of the exit above the lowest point over the sinkage", min=0.0, max=1.0
    )
    anisotropic = Parameter(False, "1", "separate shear moduli along and across the wheel", type=bool)
    K_x = Parameter(
        [0.036, 0.043],
        "m",
        "longitudinal shear modulus: at rest, and its change with the slip angle in rad",
        size=2,
        min=0.0,
    )
    K_y = Parameter(
        [0.013, 0.020],
        "m",
        "lateral shear modulus: at rest, and its change with the slip angle in rad",
        size=2,
        min=0.0,
    )

    @property
    def traction_slope(self) -> TractionSlope:
        """Return the bounds of a rigid wheel.

        In anisotropic soil the stress follows the direction of the displacement, which changes slowly.
        """
        rolling_wheel, isotropic = self.rolling_wheel, 1.0 - self.anisotropic
        K = isotropic * self.soil.K + self.anisotropic * (self.K_x[0] + 1e-9)
        length, depth = rigid_contact(self.radius, rolling_wheel.contact.deflection, self.exit_ratio)
        return TractionSlope(
            replace(self.soil, K=K), self.width, length, depth, rolling_wheel, self.exit_ratio, isotropic
        )

    def equivalent_spring(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the soil as a spring at the rated load."""
        h, stiffness = static_sinkage(self.soil, self.width, self.radius, 0.4, self.rated_load)
        return self.radius - h + self.rated_load / stiffness, stiffness

    def soil_forces(self, c: Contact, shear: Shear) -> ForcesAndMoments:
        """Return the forces of the soil, by quadrature."""
        law = Bekker(self.width, self.a_0, self.a_1)
        h, alpha = c.deflection, fabs(atan(shear.t))
        theta_f, theta_r = law.entry(h, self.radius), -law.entry(self.exit_ratio * h, self.radius)
        across = self.K_x[0] + self.K_x[1] * alpha + 1e-9, self.K_y[0] + self.K_y[1] * alpha + 1e-9
        isotropic_forces = law.forces(self.soil, self.radius, theta_f, theta_r, shear)
        anisotropic_forces = law.forces(self.soil, self.radius, theta_f, theta_r, shear, across)
        return (
            anisotropic_forces.blended(isotropic_forces, self.anisotropic)
            .without_suction()
            .scaled(contact_onset(h, self.radius))
        )
