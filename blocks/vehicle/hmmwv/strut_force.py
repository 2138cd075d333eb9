"""Where a spring or damper of a wishbone corner sits: its length, and that by the angle of the lower arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.blocks import cross, dot, norm_2


@dataclass(frozen=True)
class Element:
    """A force element between a point of the chassis and one of the arm: its length, and that by the arm's angle."""

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
