"""The spring, damper and stops of a wishbone corner as one generalized force on the angle of its lower arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from drawbar.blocks import cross, dot, fmax, if_else, norm_2


@dataclass(frozen=True)
class Element:
    """A force element between a point of the chassis and one of the arm: length, and its change with the arm's angle."""

    length: Any
    by_angle: Any


def element(upper: Any, lower: Any, lower_by_angle: Any) -> Element:
    """From the fixed upper end, the lower end, and the derivative of the lower end by the angle."""
    between = lower - upper
    length = norm_2(between)
    return Element(length, dot(between, lower_by_angle) / length)


def lower_end(arm: Any, axis: Any, pivot: Any, point: Any) -> tuple[Any, Any]:
    """The place of a point of the arm, whose pose is `arm`, and its derivative by the angle."""
    place = arm.at(point)
    return place, cross(axis, place - pivot)


def spring_force(length: Any, free: Any, rate: Any, progression: Any) -> Any:
    """``F = k x (1 + p x^2)`` with ``x = L0 - L``, N, positive in compression."""
    x = free - length
    return rate * x * (1.0 + progression * x**2)


def stop_force(depth: Any, table: Sequence[Sequence[float]]) -> Any:
    """The force of a rubber stop pressed in by `depth`, m: linear between the points of the table and beyond its end."""
    force, slope = 0.0, 0.0
    for (d0, f0), (d1, f1) in zip(table, table[1:], strict=False):
        rise = (f1 - f0) / (d1 - d0)
        force = force + (rise - slope) * fmax(0.0, depth - d0)
        slope = rise
    return force


def damper_force(rate: Any, compression: Any, rebound: Any) -> Any:
    """The force against the rate of length, N, positive pushing apart; less damping in compression."""
    return -if_else(rate < 0.0, compression, rebound) * rate
