"""The geometry of a lane change: lanes, cones, the reference path, and the path ahead of a vehicle."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from drawbar.blocks import atan, cos, fabs, fmax, fmin, if_else, sin, sqrt
from drawbar.blocks.autonomy.preview import POINTS

MIN_SPEED = 1.0  # m/s, lower limit of the speed that determines the preview


@dataclass(frozen=True)
class Lane:
    """A straight lane along x between two rows of cones."""

    start: Any
    end: Any
    centre: Any
    width: Any

    def cones(self, spacings: int) -> list[tuple[Any, Any]]:
        """Return the inner edges of its cones, with `spacings` equal spacings along each side."""
        xs = [self.start + (self.end - self.start) * k / spacings for k in range(spacings + 1)]
        return [(x, self.centre + side * self.width / 2.0) for side in (1.0, -1.0) for x in xs]


Lanes = tuple[Lane, Lane, Lane]


def quintic(s: Any) -> tuple[Any, Any, Any]:
    """Return the quintic from 0 at s = 0 to 1 at s = 1, with its first two derivatives.

    Both derivatives are zero at both ends. Of all such curves it has the least mean square third derivative.
    """
    s = fmin(fmax(s, 0.0), 1.0)
    return s**3 * (10.0 - s * (15.0 - 6.0 * s)), 30.0 * (s * (1.0 - s)) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def path(x: Any, lanes: Lanes) -> tuple[Any, Any, Any]:
    """Return the reference path y(x) along the lane centres, joined by ramps, with dy/dx and d2y/dx2."""
    y, slope, second_derivative = lanes[0].centre, 0.0, 0.0
    for before, after in pairwise(lanes):
        length, offset = after.start - before.end, after.centre - before.centre
        value, first, second = quintic((x - before.end) / length)
        y, slope, second_derivative = (
            y + offset * value,
            slope + offset / length * first,
            second_derivative + offset / length**2 * second,
        )
    return y, slope, second_derivative


def course_outputs(vehicle: Any, lanes: Lanes) -> dict[str, Any]:
    """Return the outputs of a course: the path ahead for the bus `Preview`, and the position of the vehicle on it.

    `vehicle` has the pose x, y, yaw, the speed u and the `preview_time`. Valid for headings within about 60 degrees of
    x. Errors, positive to the left, are taken at the path point nearest to the vehicle (one Gauss-Newton step from the
    point abreast of it, good for slopes below about 0.5).
    """
    x, y_here, yaw = vehicle.x, vehicle.y, vehicle.yaw
    y, slope, _ = path(x, lanes)
    nearest = x + (y_here - y) * slope / (1.0 + slope**2)
    y, slope, second_derivative = path(nearest, lanes)
    heading = atan(slope)
    ahead = [fmax(vehicle.u, MIN_SPEED) * vehicle.preview_time * (k + 1) / POINTS for k in range(POINTS)]
    return {
        "preview.distance": ahead,
        "preview.offset": [_offset(vehicle, distance, lanes) for distance in ahead],
        "lateral_error": (y_here - y) * cos(heading) - (x - nearest) * sin(heading),
        "heading_error": yaw - heading,
        "curvature": second_derivative / (1.0 + slope**2) ** 1.5,
    }


def _offset(vehicle: Any, distance: Any, lanes: Lanes) -> Any:
    """Return the offset of the path to the left at a distance ahead, in the vehicle's axes.

    It is found by two Newton steps.
    """
    offset, c, s = 0.0, cos(vehicle.yaw), sin(vehicle.yaw)
    for _ in range(2):
        y, slope, _ = path(vehicle.x + distance * c - offset * s, lanes)
        error = y - (vehicle.y + distance * s + offset * c)
        # a path perpendicular to the vehicle has no offset at a distance; the limit keeps the division finite
        offset = offset + error / fmax(c + slope * s, 0.2)
    return offset


def distance_from_outline(point: tuple[Any, Any], pose: tuple[Any, Any, Any], length: Any, width: Any) -> Any:
    """Return the distance of a point from a rectangle centred at the pose (x, y, heading); it is negative inside."""
    dx, dy = point[0] - pose[0], point[1] - pose[1]
    ahead = fabs(dx * cos(pose[2]) + dy * sin(pose[2])) - length / 2.0
    beside = fabs(dy * cos(pose[2]) - dx * sin(pose[2])) - width / 2.0
    a, b = fmax(ahead, 0.0), fmax(beside, 0.0)
    return if_else(fmax(ahead, beside) > 0.0, sqrt(a**2 + b**2), fmax(ahead, beside))
