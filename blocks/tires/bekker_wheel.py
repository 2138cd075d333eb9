"""A rigid wheel in soft soil by the integrals of Bekker's pressure, as a block of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from drawbar.blocks import Parameter, atan, fabs
from drawbar.blocks.terrain.soil.bekker import Bekker, static_sinkage
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces
from drawbar.blocks.tires.contact import Contact
from drawbar.blocks.tires.soil_grip import SoilGrip, rigid_contact
from drawbar.blocks.tires.soil_rolling import touching
from drawbar.blocks.tires.soil_wheel import SoilWheel


class BekkerWheel(SoilWheel, step=1e-3):
    """A rigid wheel that sinks into soil: the integrals of Bekker's pressure and of the shear stress.

    The sinkage is how far the wheel reaches below the plane of its ground, so the load is a stiff function of the hub's
    height; law and validity in `Bekker`. Isotropic, as the soil is sheared to the strength along the displacement, or
    anisotropic with moduli along and across that grow with the slip angle, ``K_0 + K_1 |alpha|``.

    ::

        hub (motion) ---> |             | --> hub (force, moment, spin)
        ground ---------> | BekkerWheel | --> ground.at
        drive, brake ---> |             | --> load, force_x, force_y, slip, sinkage, drawbar_pull, torque

    Source: the 2015 HMMWV paper, equations 1 to 9.
    """

    a_0 = Parameter(0.4, "1", "place of the largest pressure, of the angle of entry", min=0.0, max=1.0)
    a_1 = Parameter(0.15, "1", "how it moves with slip", min=-1.0, max=1.0)
    exit_ratio = Parameter(0.0, "1", "lambda, height of the exit over the sinkage", min=0.0, max=1.0)
    anisotropic = Parameter(False, "1", "shear along and across apart", type=bool)
    K_x = Parameter([0.036, 0.043], "m", "shear modulus along: at rest, and by the slip angle in rad", size=2, min=0.0)
    K_y = Parameter([0.013, 0.020], "m", "shear modulus across: at rest, and by the slip angle in rad", size=2, min=0.0)

    @property
    def grip(self) -> SoilGrip:
        """Return the bounds of a rigid wheel.

        In anisotropic soil the stress has the direction of the displacement, which turns slowly.
        """
        sunk, isotropic = self.sunk, 1.0 - self.anisotropic
        K = isotropic * self.soil.K + self.anisotropic * (self.K_x[0] + 1e-9)
        length, depth = rigid_contact(self.radius, sunk.contact.deflection, self.exit_ratio)
        return SoilGrip(replace(self.soil, K=K), self.width, length, depth, sunk, self.exit_ratio, isotropic)

    def stance(self) -> tuple[Any, Any]:
        """Return the free radius and the stiffness of the soil as a spring at the rated load."""
        h, stiffness = static_sinkage(self.soil, self.width, self.radius, 0.4, self.rated_load)
        return self.radius - h + self.rated_load / stiffness, stiffness

    def sunk_forces(self, c: Contact, shear: Shear) -> SixForces:
        """Return the forces of the soil, by quadrature."""
        law = Bekker(self.width, self.a_0, self.a_1)
        h, alpha = c.deflection, fabs(atan(shear.t))
        theta_f, theta_r = law.entry(h, self.radius), -law.entry(self.exit_ratio * h, self.radius)
        across = self.K_x[0] + self.K_x[1] * alpha + 1e-9, self.K_y[0] + self.K_y[1] * alpha + 1e-9
        found = law.forces(self.soil, self.radius, theta_f, theta_r, shear)
        apart = law.forces(self.soil, self.radius, theta_f, theta_r, shear, across)
        return apart.mixed(found, self.anisotropic).pressing().faded(touching(h, self.radius))
