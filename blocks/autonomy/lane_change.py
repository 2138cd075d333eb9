"""A change of lane and back on a straight road."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from drawbar.blocks import Continuous, Input, Output, Parameter
from drawbar.blocks.autonomy.course import Lane, Lanes, course_outputs, path
from drawbar.blocks.autonomy.preview import Preview


def lanes_of(p: Any) -> Lanes:
    """Return the three stretches from the parameters of `LaneChange`, numbers or symbols."""
    back = p.begin + p.apart
    return (
        Lane(0.0, p.begin, 0.0, p.width),
        Lane(p.begin + p.length, back, p.side * p.width, p.width),
        Lane(back + p.length, back + 2.0 * p.length, 0.0, p.width),
    )


class LaneChange(Continuous):
    """A straight road along x with two lanes: a change to the other lane at `begin`, and back `apart` further on.

    The reference path runs along the lane centres and joins them over `length` m by quintics of x, of which the largest
    curvature is ``5.77 width/length^2``. `preview` holds it in the vehicle's axes up to `preview_time` ahead, for
    headings within about 60 degrees of x. Errors, positive to the left, are those from the path point nearest to the
    vehicle. Valid for `apart` larger than `length`.

    ::

        x, y, yaw, u --> | LaneChange | --> preview, lateral_error, heading_error, curvature
    """

    x = Input("m", "x of the vehicle's centre of gravity in the world")
    y = Input("m", "y of the vehicle's centre of gravity in the world")
    yaw = Input("rad", "heading of the vehicle")
    u = Input("m/s", "forward speed of the vehicle")

    begin = Parameter(100.0, "m", "x of the beginning of the first lane change")
    length = Parameter(60.0, "m", "length of each lane change", min=1.0)
    apart = Parameter(200.0, "m", "distance from the beginning of the first change to that of the change back", min=1.0)
    width = Parameter(3.5, "m", "width of a lane", min=0.1)
    side = Parameter(1.0, "1", "1 for a change to the left first, -1 to the right", min=-1.0, max=1.0)
    preview_time = Parameter(0.7, "s", "preview time: distance of the last preview point over speed", min=0.01)

    preview = Preview.source("path ahead of the vehicle")
    lateral_error = Output("m", "deviation of the vehicle from the path, positive to the left")
    heading_error = Output("rad", "heading of the vehicle relative to the path, positive to the left")
    curvature = Output("1/m", "curvature of the path at its nearest point, positive to the left")

    def outputs(self) -> dict[str, Any]:
        return course_outputs(self, lanes_of(self))

    @classmethod
    def scene(cls, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the reference path."""
        starts = {name: v.start for name, v in cls.variables.items() if isinstance(v, Parameter)}
        lanes = lanes_of(SimpleNamespace(**{**starts, **parameters}))
        along = np.linspace(0.0, lanes[2].end, 401)
        across = [float(path(x, lanes)[0]) for x in along]
        return [{"kind": "line", "name": "reference path", "x": along.tolist(), "y": across}]
