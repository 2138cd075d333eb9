"""The force law of a spring with stops and of a damper along one coordinate, a length or an angle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca


@dataclass(frozen=True)
class Spring:
    """A spring and its stops: forces in N, positive in extension of the length, and the stored energy in J."""

    length: Any
    force: Any
    stops: Any
    energy: Any


def spring(length: Any, law: tuple[Any, Any, Any], stops: tuple[Any, Any], table: Sequence[Sequence[Any]]) -> Spring:
    """Return a spring ``F = k x (1 + p x^2)``, ``x = L0 - L``, with the law (L0, k, p), between stops at two lengths.

    Along an angle in rad, forces are moments in N m.
    """
    free, rate, progression = law
    x = free - length
    force = rate * x * (1.0 + progression * x**2)
    energy = 0.5 * rate * x**2 * (1.0 + 0.5 * progression * x**2)
    pressed, pulled = (stop(depth, table) for depth in (stops[0] - length, length - stops[1]))
    return Spring(length, force, pressed[0] - pulled[0], energy + pressed[1] + pulled[1])


def stop(depth: Any, table: Sequence[Sequence[Any]]) -> tuple[Any, Any]:
    """Return force and energy of a rubber stop compressed by `depth` (m), linear between table points and beyond."""
    force, energy, slope = 0.0, 0.0, 0.0
    for (d0, f0), (d1, f1) in pairwise(table):
        rise = (f1 - f0) / (d1 - d0)
        beyond = ca.fmax(0.0, depth - d0)
        force = force + (rise - slope) * beyond
        energy = energy + 0.5 * (rise - slope) * beyond**2
        slope = rise
    return force, energy


def damper_force(rate: Any, compression: Any, rebound: Any) -> Any:
    """Return the damper force in N for a rate of length in m/s; positive where it acts to increase the length."""
    return -ca.if_else(rate < 0.0, compression, rebound) * rate
