"""An elastic stop at the end of a travel, with a smooth onset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import fmax


@dataclass(frozen=True)
class EndStop:
    """A stop that is compressed by `depth` d and reaches its stiffness k within the onset w.

    ::

        F = k d^2/(2 w)    0 < d < w        F = k (d - w/2)    d > w

    The stiffness is continuous, so an integration step across the contact meets no corner of the force. The stop is
    elastic: it returns the energy that it stores. Depth and onset are in m and stiffness in N/m, or in rad and N m/rad.
    """

    depth: Any
    stiffness: Any
    onset: float

    @property
    def _ends(self) -> tuple[Any, Any]:
        """Return the compression, and the compression beyond the onset."""
        return fmax(0.0, self.depth), fmax(0.0, self.depth - self.onset)

    @property
    def force(self) -> Any:
        """Return the force against the depth, in N or N m."""
        d, beyond = self._ends
        return self.stiffness * (d**2 - beyond**2) / (2.0 * self.onset)

    @property
    def energy(self) -> Any:
        """Return the stored energy, in J."""
        d, beyond = self._ends
        return self.stiffness * (d**3 - beyond**3) / (6.0 * self.onset)

    @property
    def tangent(self) -> Any:
        """Return the tangent stiffness, in N/m or N m/rad."""
        d, beyond = self._ends
        return self.stiffness * (d - beyond) / self.onset
