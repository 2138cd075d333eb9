"""Bounds of how fast a block can move, as ``stability_bounds()`` returns them; explicit steps are kept within them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.symbols import named_column

# of step times rate, within which a method is stable: rk4 for all that does not grow, the others for what is damped by
# half or more of critical damping
LIMITS = {"euler": 1.0, "heun": 1.9, "rk4": 2.6}


@dataclass(frozen=True)
class StabilityBounds:
    """Named bounds in 1/s; `bounds` takes ``(t, x, z, u, p)`` and gives a column of them."""

    names: tuple[str, ...]
    bounds: ca.Function


def read_stability_bounds(where: str, given: dict[str, Any]) -> tuple[tuple[str, ...], ca.SX]:
    """The names of all bounds and their column; of a vector, each element is one."""
    names, column = named_column(where, "has the text", given)
    return tuple(names), column


@dataclass(frozen=True)
class Oscillator:
    """A spring on an inertia: a tire that relaxes, the bristles of a brake.

    `swing` is its stiffness over the inertia, 1/s2; `damps` how fast it damps the inertia, `fades` how fast it lets go
    of its own force, 1/s.
    """

    omega_squared: Any
    damps: Any = 0.0
    fades: Any = 0.0


def spectral_bound(oscillators: Iterable[Oscillator]) -> Any:
    """No eigenvalue of the inertia on all these springs is larger, 1/s.

    Scaled so that force and motion weigh alike, the matrix is -D + K, where the diagonal D holds what damps and K is
    skew with the roots of what swings. So real parts are within D, and imaginary ones within the norm of K::

        |lambda|^2 <= max(sum damps, fades_i)^2 + sum swing_i
    """
    each = list(oscillators)
    damped = reduce(ca.fmax, [p.fades for p in each], sum(p.damps for p in each))
    return ca.sqrt(damped**2 + sum(p.omega_squared for p in each))
