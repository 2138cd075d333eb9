"""The lines of a double lane change: lanes, cones and the reference path."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from drawbar.blocks import cos, fabs, fmax, fmin, if_else, sin, sqrt


@dataclass(frozen=True)
class Lane:
    """A straight lane along x between two rows of cones."""

    start: Any
    end: Any
    centre: Any
    width: Any

    def cones(self, gaps: int) -> list[tuple[Any, Any]]:
        """The inner edges of its cones, `gaps` equal distances along each side."""
        xs = [self.start + (self.end - self.start) * k / gaps for k in range(gaps + 1)]
        return [(x, self.centre + side * self.width / 2.0) for side in (1.0, -1.0) for x in xs]


Lanes = tuple[Lane, Lane, Lane]


def ramp(s: Any) -> tuple[Any, Any, Any]:
    """The quintic from 0 at s = 0 to 1 at s = 1, flat and straight at both ends: value and two derivatives.

    Of all such curves it has the least mean square third derivative.
    """
    s = fmin(fmax(s, 0.0), 1.0)
    return s**3 * (10.0 - s * (15.0 - 6.0 * s)), 30.0 * (s * (1.0 - s)) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def path(x: Any, lanes: Lanes) -> tuple[Any, Any, Any]:
    """The reference path y(x) along the lane centres, joined by ramps, with dy/dx and d2y/dx2."""
    y, slope, bend = lanes[0].centre, 0.0, 0.0
    for before, after in pairwise(lanes):
        length, offset = after.start - before.end, after.centre - before.centre
        value, first, second = ramp((x - before.end) / length)
        y, slope, bend = y + offset * value, slope + offset / length * first, bend + offset / length**2 * second
    return y, slope, bend


def outside(point: tuple[Any, Any], pose: tuple[Any, Any, Any], length: Any, width: Any) -> Any:
    """The distance of a point from a rectangle centred at the pose (x, y, heading); negative inside."""
    dx, dy = point[0] - pose[0], point[1] - pose[1]
    ahead = fabs(dx * cos(pose[2]) + dy * sin(pose[2])) - length / 2.0
    beside = fabs(dy * cos(pose[2]) - dx * sin(pose[2])) - width / 2.0
    a, b = fmax(ahead, 0.0), fmax(beside, 0.0)
    return if_else(fmax(ahead, beside) > 0.0, sqrt(a**2 + b**2), fmax(ahead, beside))
