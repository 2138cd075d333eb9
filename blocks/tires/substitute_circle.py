"""The substitute circle of a deformable tire in soft soil."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax, if_else, sqrt
from drawbar.blocks.terrain.soil.bekker import Bekker
from drawbar.blocks.terrain.soil.soil_stress import ForcesAndMoments, Shear, SoilStress
from drawbar.blocks.tires.soil_rolling import contact_onset

MIN_SINKAGE = 1e-7  # m, lower limit of the sinkage, which keeps the radius of the circle finite
COARSE_POINTS = 4  # points of the integrals while the deflection is solved for
ONSET_SINKAGE = (
    1e-3  # over the radius; the load fades below this sinkage, so that the stiffness of firm soil is bounded
)
BISECTIONS = 24  # halvings of the bracket


@dataclass(frozen=True)
class SubstituteCircle:
    """A deformable tire in soft soil: its flattened part is an arc of a circle through both ends of the contact.

    With the deflection d and the sinkage h of its lowest point, the radius of that circle is

    ::

        sqrt(h (2 R_s - h)) = sqrt(d (2 R - d)) + sqrt((d + h)(2 R - d - h)) = X + Y     R_s = (X + Y)^2/(2 h) + h/2

    It replaces R in the stresses of `Bekker`; the slip is formed with the radius R - d, which is also the lever arm of
    the shear stress.

    Source: 2015 HMMWV paper, equations 22 and 23, in their exact form; the printed approximation is 3 to 5 percent high
    at the same sinkage.
    """

    law: Bekker
    R: Any  # unloaded radius, m
    stiffness: Any  # k_t, N/m

    def radius(self, d: Any, h: Any) -> Any:
        """Return R_s, in m."""
        d, h = fmax(d, 0.0), fmax(h, MIN_SINKAGE)
        reach = sqrt(fmax(d * (2.0 * self.R - d), 1e-18)) + sqrt((d + h) * (2.0 * self.R - d - h))
        return reach**2 / (2.0 * h) + 0.5 * h

    def forces(
        self, soil: SoilStress, d: Any, h: Any, shear: Shear, across: tuple[Any, Any] | None = None, **options: Any
    ) -> ForcesAndMoments:
        """Return the forces of the soil on the wheel about its centre."""
        R_s = self.radius(d, h)
        theta_f = self.law.entry(fmax(h, MIN_SINKAGE), R_s)
        return self.law.forces(soil, R_s, theta_f, 0.0, shear, across, centre_height=self.R - d, **options)

    def deflection(self, soil: SoilStress, approach: Any, shear: Shear) -> Any:
        """Return the deflection at which tire and soil carry the same load.

        `approach` is the lowering of the wheel centre from first contact. The load of the soil less that of the tire is
        positive for a rigid wheel, negative for a flat one, and zero once in between; it is not monotone, so the root
        is found by bisection, to 6e-8 of `approach`.
        """
        low, high = 0.0 * approach, approach
        for _ in range(BISECTIONS):
            d = 0.5 * (low + high)
            load = self.forces(soil, d, approach - d, shear, points=COARSE_POINTS).F_z * contact_onset(
                approach - d, self.R, ONSET_SINKAGE
            )
            too_rigid = load > self.stiffness * d
            low, high = if_else(too_rigid, d, low), if_else(too_rigid, high, d)
        return fmax(0.0, 0.5 * (low + high))
