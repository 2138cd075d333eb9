"""Steering angles and wheel speeds of a rover, for a circle without slip."""

from typing import Any

from drawbar.blocks import Continuous, Output, Parameter, atan, fabs, fmax, fmin, if_else, sqrt, vertcat


class RoverCommand(Continuous):
    """Steering angles, fixed, and wheel speeds of a rover for a circle without slip.

    Front and rear wheels steer in opposite directions, so the circle's centre lies beside the middle. With the
    curvature kappa, positive to the left, a wheel at (x, y) steers by ``atan(kappa x/(1 - kappa y))`` and turns by its
    distance from the centre, at ``sqrt((1 - kappa y)^2 + (kappa x)^2) v/r``. The speed rises from 0 within `rise`.
    Valid for wheels that can be steered by any angle; a centre between the wheels turns the inner ones backwards.

    Source: geometry of rolling; the sizes are those of `PlanarRover`.

    ::

        | RoverCommand | --> steer[4], wheel_speed[4]
    """

    speed = Parameter(0.15, "m/s", "v, speed of the middle of the rover without slip")
    curvature = Parameter(0.5, "1", "kappa, curvature of the circle in 1/m, positive to the left", min=-2.0, max=2.0)
    rise = Parameter(1.0, "s", "time in which the speed is reached", min=1e-3)
    radius = Parameter(0.085, "m", "r, radius of the wheels with their lugs", min=0.01)
    half_base = Parameter(0.25, "m", "half of the wheelbase", min=0.01)
    half_track = Parameter(0.20, "m", "half of the track", min=0.01)

    steer = Output("rad", "steering angle of each wheel", size=4)
    wheel_speed = Output("rad/s", "speed of each wheel", size=4)

    def outputs(self) -> dict[str, Any]:
        speed = self.speed / self.radius * fmin(1.0, self.time / self.rise)
        angles, speeds = [], []
        for x in (self.half_base, -self.half_base):
            for y in (self.half_track, -self.half_track):
                inside = 1.0 - self.curvature * y
                side = if_else(inside < 0.0, -1.0, 1.0)  # side of the turning centre; a wheel beside it rolls as well
                angles.append(atan(self.curvature * x / (side * fmax(fabs(inside), 1e-6))))
                speeds.append(side * speed * sqrt(inside**2 + (self.curvature * x) ** 2))
        return {"steer": vertcat(*angles), "wheel_speed": vertcat(*speeds)}
