"""The parts of suspension forces: the geometry of springs and dampers on a lower arm, and the end stops of travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import cross, dot, fmax, norm_2


@dataclass(frozen=True)
class StrutGeometry:
    """A spring or damper between chassis and lower arm: its length in m, and the derivative by the arm's angle."""

    length: Any
    by_angle: Any


def strut_geometry(upper: Any, lower: Any, lower_by_angle: Any) -> StrutGeometry:
    """Return the geometry from the fixed upper end, the lower end, and the derivative of the lower end by the angle."""
    difference = lower - upper
    length = norm_2(difference)
    return StrutGeometry(length, dot(difference, lower_by_angle) / length)


def lower_end(arm: Any, axis: Any, pivot: Any, point: Any) -> tuple[Any, Any]:
    """Return the position of a point of the arm, whose pose is `arm`, and its derivative by the angle."""
    position = arm.at(point)
    return position, cross(axis, position - pivot)


@dataclass(frozen=True)
class EndStop:
    """An elastic stop with compression `depth` d that reaches its stiffness k within the onset w.

    ::

        F = k d^2/(2 w)    0 < d < w        F = k (d - w/2)    d > w

    The stiffness is continuous, so the force has no corner where an integration step crosses the contact. The stop
    returns the energy that it stores. Depth and onset are in m and stiffness in N/m, or in rad and N m/rad.
    """

    depth: Any
    stiffness: Any
    onset: float

    @property
    def _compressions(self) -> tuple[Any, Any]:
        """Return the compression, and the compression beyond the onset."""
        return fmax(0.0, self.depth), fmax(0.0, self.depth - self.onset)

    @property
    def force(self) -> Any:
        """Return the force against the depth, in N or N m."""
        d, excess = self._compressions
        return self.stiffness * (d**2 - excess**2) / (2.0 * self.onset)

    @property
    def energy(self) -> Any:
        """Return the stored energy, in J."""
        d, excess = self._compressions
        return self.stiffness * (d**3 - excess**3) / (6.0 * self.onset)

    @property
    def tangent(self) -> Any:
        """Return the tangent stiffness, in N/m or N m/rad."""
        d, excess = self._compressions
        return self.stiffness * (d - excess) / self.onset
