"""A map of the ground queried at any positions, for sensors and planners."""

from drawbar.blocks import Input, Output, Parameter
from drawbar.blocks.terrain.ground.elevation import knolls
from drawbar.blocks.terrain.ground.mapped import Mapped


class ElevationProbe(Mapped, source=["elevation_probe.c", "bilinear.h"], terrain=knolls):
    """Height, normal and soil class of a map at given positions, by the law of `Elevation` and from the same maps.

    The outputs follow the positions without delay. Off the map the ground continues level from its edge, and `outside`
    is true. On a map that is an envelope for a wheel the heights are those of the envelope. Another map, or another
    number of points, needs a subclass::

        class QuarryProbe(ElevationProbe, terrain=make):
            at = Input("m", "x and y of each point in the world", size=(64, 2))
            height = Output("m", "height of the ground at each point", size=64)
            normal = Output("1", "unit normal of the ground at each point, upwards", size=(64, 3))
            soil = Output("1", "soil class at each point", type=int, size=64)
            outside = Output("1", "whether the point is off the map", type=bool, size=64)
    """

    at = Input("m", "x and y of each point in the world", size=(4, 2))
    shift = Parameter([0.0, 0.0], "m", "x and y of the map's origin in the world", size=2)
    scale = Parameter(1.0, "1", "factor on the heights of the map")
    height = Output("m", "height of the ground at each point", size=4)
    normal = Output("1", "unit normal of the ground at each point, upwards", size=(4, 3))
    soil = Output("1", "soil class at each point", type=int, size=4)
    outside = Output("1", "whether the point is off the map", type=bool, size=4)
