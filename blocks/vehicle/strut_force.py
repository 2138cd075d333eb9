"""The spring, damper and stops of a wishbone corner as one generalized force on the angle of its lower arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from drawbar.blocks import cross, dot, fmax, if_else, norm_2


@dataclass(frozen=True)
class Element:
    """A force element between a point of the chassis and one of the arm: its length, and that by the arm's angle."""

    length: Any
    by_angle: Any


@dataclass(frozen=True)
class Spring:
    """A spring and its stops: forces in N, positive pushing apart, and what is stored in J."""

    length: Any
    force: Any
    stops: Any
    energy: Any


def element(upper: Any, lower: Any, lower_by_angle: Any) -> Element:
    """From the fixed upper end, the lower end, and the derivative of the lower end by the angle."""
    between = lower - upper
    length = norm_2(between)
    return Element(length, dot(between, lower_by_angle) / length)


def lower_end(arm: Any, axis: Any, pivot: Any, point: Any) -> tuple[Any, Any]:
    """The place of a point of the arm, whose pose is `arm`, and its derivative by the angle."""
    place = arm.at(point)
    return place, cross(axis, place - pivot)


def spring(length: Any, law: tuple[Any, Any, Any], stops: tuple[Any, Any], table: Sequence[Sequence[float]]) -> Spring:
    """A spring with ``F = k x (1 + p x^2)``, ``x = L0 - L``, of the law (L0, k, p), between stops at two lengths."""
    free, rate, progression = law
    x = free - length
    force = rate * x * (1.0 + progression * x**2)
    energy = 0.5 * rate * x**2 * (1.0 + 0.5 * progression * x**2)
    pressed, pulled = (stop(depth, table) for depth in (stops[0] - length, length - stops[1]))
    return Spring(length, force, pressed[0] - pulled[0], energy + pressed[1] + pulled[1])


def stop(depth: Any, table: Sequence[Sequence[float]]) -> tuple[Any, Any]:
    """Force and energy of a rubber stop pressed in by `depth`, m: linear between the points of the table and beyond."""
    force, energy, slope = 0.0, 0.0, 0.0
    for (d0, f0), (d1, f1) in pairwise(table):
        rise = (f1 - f0) / (d1 - d0)
        beyond = fmax(0.0, depth - d0)
        force = force + (rise - slope) * beyond
        energy = energy + 0.5 * (rise - slope) * beyond**2
        slope = rise
    return force, energy


def damper_force(rate: Any, compression: Any, rebound: Any) -> Any:
    """The force against the rate of length, N, positive pushing apart; less damping in compression."""
    return -if_else(rate < 0.0, compression, rebound) * rate
