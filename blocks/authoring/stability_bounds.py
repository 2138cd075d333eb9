"""Bounds of the eigenvalues of a block, as ``stability_bounds()`` returns them; they limit explicit micro-steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import casadi as ca

from drawbar.blocks.authoring.symbols import named_column

# largest stable product of step and rate: rk4 for every mode that does not grow, the others for modes damped by at
# least half of critical damping
LIMITS = {"euler": 1.0, "heun": 1.9, "rk4": 2.6}


@dataclass(frozen=True)
class StabilityBounds:
    """Named bounds in 1/s; `bounds` takes ``(t, x, z, u, p)`` and returns them as a column."""

    names: tuple[str, ...]
    bounds: ca.Function


def read_stability_bounds(where: str, given: dict[str, Any]) -> tuple[tuple[str, ...], ca.SX]:
    """Return the names of all bounds and their column; each element of a vector is one bound."""
    names, column = named_column(where, "has the text", given)
    return tuple(names), column


@dataclass(frozen=True)
class Oscillator:
    """A spring on an inertia: a tire with relaxation, the bristles of a brake.

    `omega_squared` is the stiffness over the inertia, 1/s2; `damping` is the damping coefficient over the inertia, 1/s;
    `relaxation` is the rate at which the force of the spring relaxes, 1/s.
    """

    omega_squared: Any
    damping: Any = 0.0
    relaxation: Any = 0.0


def spectral_bound(oscillators: Iterable[Oscillator]) -> Any:
    """Return an upper bound of the magnitude of all eigenvalues of one inertia on these springs, 1/s.

    Scaled so that force and velocity have equal weight, the matrix is -D + K: the diagonal D holds damping and
    relaxation rates, and K is skew-symmetric with the natural frequencies. The real parts are bounded by D and the
    imaginary parts by the norm of K::

        |lambda|^2 <= max(sum damping_i, relaxation_i)^2 + sum omega_i^2
    """
    each = list(oscillators)
    damped = reduce(ca.fmax, [p.relaxation for p in each], sum(p.damping for p in each))
    return ca.sqrt(damped**2 + sum(p.omega_squared for p in each))
