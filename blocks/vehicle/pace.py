"""How fast springs and dampers on one inertia move it: a bound for the steps of explicit integration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from drawbar.blocks import fmax, sqrt


@dataclass(frozen=True)
class Pace:
    """A spring on an inertia: a tire that relaxes, the bristles of a brake.

    `swing` is its stiffness over the inertia, 1/s2; `damps` how fast it damps the inertia, `fades` how fast it lets go
    of its own force, 1/s.
    """

    swing: Any
    damps: Any = 0.0
    fades: Any = 0.0


def fastest(paces: Iterable[Pace]) -> Any:
    """No eigenvalue of the inertia on all these springs is larger, 1/s.

    Scaled so that force and motion weigh alike, the matrix is -D + K, where the diagonal D holds what damps and K is
    skew with the roots of what swings. So real parts are within D, and imaginary ones within the norm of K::

        |lambda|^2 <= max(sum damps, fades_i)^2 + sum swing_i
    """
    each = list(paces)
    damped = reduce(fmax, [p.fades for p in each], sum(p.damps for p in each))
    return sqrt(damped**2 + sum(p.swing for p in each))
