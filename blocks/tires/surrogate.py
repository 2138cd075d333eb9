"""The flattened tire in soft soil as an arc of a larger circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax, if_else, sqrt
from drawbar.blocks.terrain.soil.bekker import Bekker
from drawbar.blocks.terrain.soil.soil_stress import Shear, SixForces, SoilStress
from drawbar.blocks.tires.soil_rolling import touching

LEAST = 1e-7  # m, of sinkage: a circle of infinite radius has no numbers
FEW = 4  # points of the integrals while the deflection is looked for
SOFT = 1e-3  # of the radius: a sinkage below which the load fades, so that firm soil is stiff and no wall
TURNS = 24  # halvings of the bracket


@dataclass(frozen=True)
class Surrogate:
    """A soft tire on soft soil: its flattened part is an arc of a circle through both ends of the contact.

    With the deflection d and the sinkage h of its lowest point, the radius of that circle is

    ::

        sqrt(h (2 R_s - h)) = sqrt(d (2 R - d)) + sqrt((d + h)(2 R - d - h)) = X + Y     R_s = (X + Y)^2/(2 h) + h/2

    It replaces R in the stresses of `Bekker`; the slip is that of the radius R - d, which is the arm of shear as well.

    Source: 2015 HMMWV paper, equations 22 and 23, in their exact form: at the same sinkage the printed one is
    3 to 5 percent high.
    """

    law: Bekker
    R: Any  # of the tire without load, m
    stiffness: Any  # k_t, N/m

    def radius(self, d: Any, h: Any) -> Any:
        """Return R_s, in m."""
        d, h = fmax(d, 0.0), fmax(h, LEAST)
        reach = sqrt(fmax(d * (2.0 * self.R - d), 1e-18)) + sqrt((d + h) * (2.0 * self.R - d - h))
        return reach**2 / (2.0 * h) + 0.5 * h

    def forces(
        self, soil: SoilStress, d: Any, h: Any, shear: Shear, across: tuple[Any, Any] | None = None, **options: Any
    ) -> SixForces:
        """Return the forces of the soil on the wheel about its centre."""
        R_s = self.radius(d, h)
        theta_f = self.law.entry(fmax(h, LEAST), R_s)
        return self.law.forces(soil, R_s, theta_f, 0.0, shear, across, below=self.R - d, **options)

    def deflection(self, soil: SoilStress, sunk: Any, shear: Shear) -> Any:
        """Return the deflection at which tire and soil carry the same load.

        The centre of the tire is lower by `sunk` than free. The load of the soil less that of the tire is positive for
        a rigid wheel, negative for a flat one, and zero once in between; but it is not monotone, so the bracket is
        halved, to 6e-8 of `sunk`.
        """
        low, high = 0.0 * sunk, sunk
        for _ in range(TURNS):
            d = 0.5 * (low + high)
            load = self.forces(soil, d, sunk - d, shear, points=FEW).F_z * touching(sunk - d, self.R, SOFT)
            too_rigid = load > self.stiffness * d
            low, high = if_else(too_rigid, d, low), if_else(too_rigid, high, d)
        return fmax(0.0, 0.5 * (low + high))
