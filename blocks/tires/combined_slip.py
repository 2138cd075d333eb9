"""The force of a tire that slips along and across at once: it turns against the sliding as the contact slides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drawbar.blocks import fmin, sqrt

EPSILON = 1e-18  # keeps the derivatives of square roots finite at zero

Pair = tuple[Any, Any]


def length(x: Any, y: Any) -> Any:
    """Return the length of a vector in the plane, with finite derivatives at zero."""
    return sqrt(x**2 + y**2 + EPSILON)


def sliding_share(utilization: Any) -> Any:
    """Return the share of the force that sliding rubber transmits, from 0 without slip to 1 where all of it slides.

    It is that of a brush under a parabolic pressure: with the utilization ``p = |C slip|/(3 mu F_z)`` the rubber that
    adheres transmits ``3 p (1 - p)^2`` and the rubber that slides ``p^2 (3 - 2 p)`` of mu F_z.
    """
    p = fmin(1.0, utilization)
    return p * (3.0 - 2.0 * p) / (3.0 - 3.0 * p + p**2)


def combined_forces(
    separate: Pair, slips: Pair, sliding_forces: tuple[Callable[[Any], Any], Callable[[Any], Any]], utilization: Any
) -> Pair:
    """Return the longitudinal and the lateral force at combined slip.

    `separate` are the forces of the two slips, each by its own law, at most friction together. `sliding_forces` give
    the magnitude of either force at a slip of the same size in its own direction only. With the direction e of the
    slips, which is opposite to that of the sliding, and the share q of `sliding_share`::

        F = (1 - q) F_separate + q (e_x^2 F_x(s) + e_y^2 F_y(s)) e        s = |(kappa, t)|

    Slip in one direction only gives the law of that direction. Where the whole contact slides, F opposes the sliding.
    The rubber that adheres is deflected by its stiffnesses; hence `separate` below that. Form: the brush at combined
    slip, Svendenius, Tire Modeling and Friction Estimation (Lund 2007), chapter 3, with any two laws of pure slip.
    """
    size = length(*slips)
    e_x, e_y = slips[0] / size, slips[1] / size
    magnitude = e_x**2 * sliding_forces[0](size) + e_y**2 * sliding_forces[1](size)
    q = sliding_share(utilization)
    return (1.0 - q) * separate[0] + q * magnitude * e_x, (1.0 - q) * separate[1] + q * magnitude * e_y
