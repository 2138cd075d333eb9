"""Lateral force of an axle by the Magic Formula in its symmetric form."""

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import atan, atan2, cos, fabs, fmax, sin

MIN_SPEED = 1.0  # m/s, lower limit of the speed with which slip angles are formed


@dataclass(frozen=True)
class AxleTire:
    """The coefficients of the Magic Formula for both tires of one axle together (Pacejka's names).

    ``F_y = D sin(C atan(B a - E (B a - atan(B a))))`` with the slip angle a in rad, and at the axle load F_z in N,
    ``df = (F_z - FZ0)/FZ0``::

        D = (PDY1 + PDY2 df) F_z        K = PKY1 FZ0 sin(2 atan(F_z / (PKY2 FZ0)))
        C = PCY1                        B = K / (C D)              E = PEY1 + PEY2 df

    ISO axes: the slip angle is positive where the tire moves to its left; PKY1 is negative, so the force opposes it.
    There is no horizontal or vertical shift and no asymmetry of E: the force is odd in a. Valid for 0 < F_z < 2 FZ0.

    Source: Pacejka, Tire and Vehicle Dynamics, 3rd ed. (2012), section 4.3, pure side slip.
    """

    FZ0: Any
    PCY1: Any
    PDY1: Any
    PDY2: Any
    PEY1: Any
    PEY2: Any
    PKY1: Any
    PKY2: Any

    def peak(self, load: Any) -> Any:
        """Return the largest lateral force D, in N, at an axle load in N."""
        return (self.PDY1 + self.PDY2 * (load / self.FZ0 - 1.0)) * load

    def slope(self, load: Any) -> Any:
        """Return the cornering stiffness K = dF_y/da at zero slip, in N/rad; it is negative."""
        return self.PKY1 * self.FZ0 * sin(2.0 * atan(load / (self.PKY2 * self.FZ0)))

    def lateral_force(self, slip: Any, load: Any) -> Any:
        """Return the lateral force of the ground on the axle, in N, positive to the left."""
        D, E = self.peak(load), self.PEY1 + self.PEY2 * (load / self.FZ0 - 1.0)
        Ba = self.slope(load) / (self.PCY1 * D) * slip
        return D * sin(self.PCY1 * atan(Ba - E * (Ba - atan(Ba))))


def slip_angle(forward: Any, left: Any, steer: Any) -> Any:
    """Return the slip angle, in rad, of a wheel that moves with these speeds, in m/s, in vehicle axes.

    It equals ``atan(left/forward) - steer`` while the wheel rolls forward faster than ``SLOWEST``. It is formed in the
    axes of the wheel, so that a steered wheel has no slip at standstill.
    """
    rolling = forward * cos(steer) + left * sin(steer)
    sideways = left * cos(steer) - forward * sin(steer)
    return atan2(sideways, fmax(fabs(rolling), MIN_SPEED))
