"""A hard stop at the end of a travel: an elastic force that sets in smoothly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax


@dataclass(frozen=True)
class EndStop:
    """A stop that is pressed in by `depth` d, and takes up its stiffness k within the onset w.

    ::

        F = k d^2/(2 w)    0 < d < w        F = k (d - w/2)    d > w

    Stiffness is continuous, so a step of integration that goes through the contact meets no corner of the force.
    Elastic: it gives back what it took. Depth and onset in m and stiffness in N/m, or in rad and N m/rad.
    """

    depth: Any
    stiffness: Any
    onset: float

    @property
    def _ends(self) -> tuple[Any, Any]:
        """How deep it is pressed in, and how deep beyond the onset."""
        return fmax(0.0, self.depth), fmax(0.0, self.depth - self.onset)

    @property
    def force(self) -> Any:
        """Against the depth, N or N m."""
        d, beyond = self._ends
        return self.stiffness * (d**2 - beyond**2) / (2.0 * self.onset)

    @property
    def energy(self) -> Any:
        """What is stored, J."""
        d, beyond = self._ends
        return self.stiffness * (d**3 - beyond**3) / (6.0 * self.onset)

    @property
    def tangent(self) -> Any:
        """The stiffness that acts, N/m or N m/rad."""
        d, beyond = self._ends
        return self.stiffness * (d - beyond) / self.onset
