"""NATO double lane change."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from drawbar.blocks import Continuous, Input, Output, Parameter, cos, fmin, sin
from drawbar.blocks.autonomy.course import Lane, Lanes, course_outputs, distance_from_outline, path
from drawbar.blocks.autonomy.preview import Preview
from drawbar.blocks.data import read

DATA = read("vehicles/hmmwv_planar.json")
SPACINGS = (3, 5, 3)  # number of spacings of 5 m between the cones on one side of each lane


def cones(lanes: Lanes) -> list[tuple[Any, Any]]:
    """Return all cones of the course, as the points nearest to the lanes."""
    return [cone for lane, spacings in zip(lanes, SPACINGS, strict=True) for cone in lane.cones(spacings)]


def course(p: Any) -> Lanes:
    """Return entry, offset and exit lane from the parameters of `DoubleLaneChange`, numbers or symbols."""
    narrow, wide = 1.1 * p.vehicle_width + 0.25, 1.2 * p.vehicle_width + 0.25
    transition = p.vehicle_length + 24.0
    first = Lane(p.entry, p.entry + 15.0, 0.0, narrow)
    second = Lane(first.end + transition, first.end + transition + 25.0, p.side * (3.5 + 0.05 * p.vehicle_width), wide)
    return first, second, Lane(second.end + transition, second.end + transition + 15.0, 0.0, narrow)


class DoubleLaneChange(Continuous):
    """The course of NATO AVTP 03-160W for a given vehicle, and the position of a vehicle on it.

    Along x: an entry lane of 15 m, width 1.1 w + 0.25 m; L + 24 m without cones; a lane of 25 m, width
    1.2 w + 0.25 m; L + 24 m; an exit lane of 15 m, width 1.1 w + 0.25 m; w and L are the vehicle's width and length.
    The right edges of entry and offset lane (left ones if the offset is to the right) are 3.5 m apart, hence the
    centres 3.5 m + 0.05 w. The reference path runs along the lane centres and joins them by quintics of x, so its
    curvature is continuous.

    `preview` holds the path in the vehicle's axes up to `preview_time` ahead, for headings within about 60 degrees of
    x. Errors, positive to the left, are taken at the path point nearest to the centre of gravity (one Gauss-Newton
    step from the point abreast of it, good for slopes below about 0.5). `clearance` is the distance from the
    vehicle's rectangular outline to the nearest cone, negative once one is hit.

    Source: Allied Vehicle Testing Publication 03-160W (1991); the lengths and the offset agree with
    the HMMWV path of Project Chrono, 28.93 m, 25 m and 3.6105 m.
    """

    warn_if_below = {"clearance": (0.0, "a cone was hit, so the vehicle left the lane")}

    x = Input("m", "x of the vehicle's centre of gravity in the world")
    y = Input("m", "y of the vehicle's centre of gravity in the world")
    yaw = Input("rad", "heading of the vehicle")
    u = Input("m/s", "forward speed of the vehicle")

    vehicle_length = Parameter(DATA["outline"]["length"], "m", "L, length of the vehicle", min=0.1)
    vehicle_width = Parameter(DATA["outline"]["width"], "m", "w, width of the vehicle", min=0.1)
    outline_centre = Parameter(
        (DATA["cg_to_front_axle"] - DATA["cg_to_rear_axle"]) / 2.0,
        "m",
        "position of the outline's centre ahead of the centre of gravity; default: midway between the axles",
    )
    entry = Parameter(30.0, "m", "x of the first cones")
    side = Parameter(1.0, "1", "1 for an offset lane on the left, -1 on the right", min=-1.0, max=1.0)
    preview_time = Parameter(0.3, "s", "preview time: distance of the last preview point over speed", min=0.01)

    preview = Preview.source("path ahead of the vehicle")
    lateral_error = Output("m", "deviation of the vehicle from the path, positive to the left")
    heading_error = Output("rad", "heading of the vehicle relative to the path, positive to the left")
    curvature = Output("1/m", "curvature of the path at its nearest point, positive to the left")
    clearance = Output("m", "distance from the vehicle's outline to the nearest cone, negative once a cone is hit")

    def outputs(self) -> dict[str, Any]:
        lanes = course(self)
        centre = (self.x + self.outline_centre * cos(self.yaw), self.y + self.outline_centre * sin(self.yaw), self.yaw)
        clearance = np.inf
        for cone in cones(lanes):
            clearance = fmin(clearance, distance_from_outline(cone, centre, self.vehicle_length, self.vehicle_width))
        return {**course_outputs(self, lanes), "clearance": clearance}

    @classmethod
    def scene(cls, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the cones and the reference path."""
        starts = {name: v.start for name, v in cls.variables.items() if isinstance(v, Parameter)}
        lanes = course(SimpleNamespace(**{**starts, **parameters}))
        points = cones(lanes)
        along = np.linspace(lanes[0].start - 30.0, lanes[2].end + 30.0, 401)
        across = [float(path(x, lanes)[0]) for x in along]
        return [
            {"kind": "line", "name": "reference path", "x": along.tolist(), "y": across},
            {"kind": "points", "name": "cones", "x": [c[0] for c in points], "y": [c[1] for c in points]},
        ]
