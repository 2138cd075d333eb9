"""The length of a spring or damper on a lower arm, and its derivative by the angle of the arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import cross, dot, norm_2


@dataclass(frozen=True)
class Element:
    """A force element between chassis and lower arm: its length in m, and the derivative by the arm's angle."""

    length: Any
    by_angle: Any


def element(upper: Any, lower: Any, lower_by_angle: Any) -> Element:
    """Return the element by its fixed upper end, its lower end, and the derivative of the lower end by the angle."""
    between = lower - upper
    length = norm_2(between)
    return Element(length, dot(between, lower_by_angle) / length)


def lower_end(arm: Any, axis: Any, pivot: Any, point: Any) -> tuple[Any, Any]:
    """Return the position of a point of the arm, whose pose is `arm`, and its derivative by the angle."""
    place = arm.at(point)
    return place, cross(axis, place - pivot)
