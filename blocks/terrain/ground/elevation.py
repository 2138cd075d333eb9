"""The ground under four wheels from a map of heights and soils."""

import numpy as np

from drawbar.blocks import Output, Parameter
from drawbar.blocks.terrain.ground.ground import WHEELS, Ground
from drawbar.blocks.terrain.ground.mapped import Mapped
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.soil.soils import soil

SENT = [name for name, member in Ground.members().items() if not member.back]


def knolls() -> ElevationMap:
    """Return a map of 60 m by 40 m of sandy loam with low knolls, and a paved track along the middle."""
    x, y = np.arange(-10.0, 50.5, 0.5), np.arange(-20.0, 20.5, 0.5)
    east, north = np.meshgrid(x, y)
    heights = 0.3 * np.sin(0.25 * east) * np.cos(0.2 * north) + 0.01 * east
    paved = (np.abs(north) > 3.0).astype(np.uint8)
    soils = (soil("dry_pavement"), soil("tbf_sandy_loam"))
    return ElevationMap(np.round(heights, 6), (0.5, 0.5), (-10.0, -20.0), paved, soils)


class Elevation(
    Mapped,
    source=["elevation.c", "bilinear.h"],
    terrain=knolls,
    feedthrough={f"ground_{w}.{name}": [f"ground_{w}.at"] for w in WHEELS for name in SENT},
):
    """The ground under the four wheels of a vehicle, from a map: heights on a grid, and the soil of each point.

    Between four points of the map, at the parts a and b of a cell to the east and to the north::

        z = scale ((1-b)((1-a) z_sw + a z_se) + b((1-a) z_nw + a z_ne))
        normal = (-dz/dx, -dz/dy, 1)/|...|         point = (x, y, z)

    z is continuous, and smooth inside a cell; the normal steps from cell to cell by what the grid resolves. Friction
    and soil are those of the class of the nearest point. Off the map the ground continues level from its edge, and
    `outside` is true for the wheel.

    ::

        ground_fl.at, ... --> | Elevation | --> ground_fl.point, .normal, .friction, .cohesion, ...
                              |           | --> outside[4]

    It has the ports of a `FlatRoad` and can replace it. A wheel takes the plane that it receives to extend around it;
    this is valid where the slope changes little within the wheel's contact. Shorter obstacles and steps need a map that
    is an `envelope` for the radius R of the wheel: its heights are those of the lowest point of a rigid disk that rolls
    over the ground along x, and the disk touches the ground at ``point = (x, y, z + R) - R normal``.

    `scale` multiplies all heights; for an ISO 8608 road, 2 is one class rougher. It is not valid for an envelope.
    Another map is another block: ``class Quarry(Elevation, terrain=make)``, or what ``drawbar terrain`` writes.
    """

    warn_if_true = {"outside": "the wheel is off the map, where the ground continues level from its edge"}

    shift = Parameter([0.0, 0.0], "m", "x and y of the map's origin in the world", size=2)
    scale = Parameter(1.0, "1", "factor on the heights of the map")

    ground_fl = Ground.source("ground under the front left wheel")
    ground_fr = Ground.source("ground under the front right wheel")
    ground_rl = Ground.source("ground under the rear left wheel")
    ground_rr = Ground.source("ground under the rear right wheel")
    outside = Output("1", "whether the wheel is off the map", type=bool, size=4)
