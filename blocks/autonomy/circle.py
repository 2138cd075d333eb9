"""A circle to drive on."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, cos, fmax, sin, sqrt
from drawbar.blocks.autonomy.preview import POINTS, Preview

MIN_SPEED = 1.0  # m/s, lower limit of the speed that determines the preview


class Circle(Continuous):
    """A circle to the left (to the right with `side` -1) that begins at the world's origin along x.

    With the centre (c_x, c_y) in the vehicle's axes, the path lies at the distance d ahead by::

        offset = c_y - side sqrt(R^2 - (d - c_x)^2)

    to the left. Valid for a vehicle near the circle that heads along it and looks ahead by less than the radius; a
    longer look ends the run. Steady driving on a circle is the test of ISO 4138.

    ::

        x, y, yaw, u --> | Circle | --> preview, lateral_error
    """

    x = Input("m", "x of the vehicle's centre of gravity in the world")
    y = Input("m", "y of the vehicle's centre of gravity in the world")
    yaw = Input("rad", "heading of the vehicle")
    u = Input("m/s", "forward speed of the vehicle")

    radius = Parameter(100.0, "m", "R, radius of the circle", min=1.0)
    side = Parameter(1.0, "1", "1 for a circle to the left, -1 to the right", min=-1.0, max=1.0)
    preview_time = Parameter(0.7, "s", "preview time: distance of the last preview point over speed", min=0.01)

    preview = Preview.source("path ahead of the vehicle")
    lateral_error = Output("m", "deviation of the vehicle from the circle, positive to the left")

    def guards(self) -> dict[str, Any]:
        """Return the guard that the circle reaches as far ahead as the driver looks."""
        farthest = fmax(self.u, MIN_SPEED) * self.preview_time
        advice = "the circle ends before the last preview point: drive slower, or shorten `preview_time`"
        return {"the preview distance, over the radius, is below 1": (farthest / self.radius < 1.0, advice)}

    def outputs(self) -> dict[str, Any]:
        c, s = cos(self.yaw), sin(self.yaw)
        east, north = -self.x, self.side * self.radius - self.y
        ahead, left = c * east + s * north, c * north - s * east
        distance = [fmax(self.u, MIN_SPEED) * self.preview_time * (k + 1) / POINTS for k in range(POINTS)]
        # the limit keeps the root real beyond the circle
        reach = [sqrt(fmax(self.radius**2 - (d - ahead) ** 2, 0.0)) for d in distance]
        return {
            "preview.distance": distance,
            "preview.offset": [left - self.side * r for r in reach],
            "lateral_error": self.side * (self.radius - sqrt(east**2 + north**2)),
        }
