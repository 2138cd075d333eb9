"""Distances from a sensor to the ground, along rays."""

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks import Input, Kernel, Output, Parameter, Resource


def hills() -> NDArray[np.float64]:
    """Return heights of 40 x 40 points, in metres: a valley that opens to the east between two hills."""
    north, east = np.meshgrid(np.linspace(-1.0, 1.0, 40), np.linspace(-1.0, 1.0, 40), indexing="ij")
    hill = np.exp(-8.0 * ((north - 0.5) ** 2 + (east - 0.4) ** 2))
    ridge = np.exp(-12.0 * (north + 0.6) ** 2) * (1.0 - 0.4 * east)
    return np.asarray(np.round(3.0 * hill + 2.0 * ridge + 0.3 * east, 6))


class RayMarch(Kernel, source="ray_march.c", period="1/20"):
    """Distances to a height map along rays in a fan of azimuths, as a planar scanning rangefinder measures them.

    With the sensor at s and the direction d of a ray, the range is the smallest r >= 0 for which s + r d is not above
    the ground: z(r) <= h(x(r), y(r)). h is bilinear between the points of the map; there is no ground outside it. Of n
    rays, ray k has the azimuth a_k = first + k span/(n - 1) about the sensor's z axis and the elevation e, so in the
    sensor's axes d = (cos e cos a_k, cos e sin a_k, sin e). Where a ray does not meet the ground, the range is
    `longest`.

    Axes: the map and the position are in the world (x east, y north, z up), its rows run north and its columns east
    from the corner; the sensor's are those of ISO 8855 (x forward, y left, z up), turned by yaw, pitch and roll in this
    order, positive pitch nose down. Yaw is zero to the east. Azimuth is positive to the left, elevation upwards.

    The ray is evaluated every `stride`; where it passes below the ground, the crossing is bisected to `stride`/2^30.
    Obstacles thinner along the ray than `stride` may be missed. Valid for `stride` of at most the spacing of the map;
    without beam width, noise or reflectivity. Another map, or another number of rays, needs a subclass::

        class Quarry(RayMarch):
            terrain = Resource("quarry.npy", "heights of the ground, m")
            ranges = Output("m", "distance to the ground along each ray", size=64)
    """

    position = Input("m", "position of the sensor in the world", size=3, start=[20.0, 20.0, 2.5])
    roll = Input("rad", "roll angle of the sensor")
    pitch = Input("rad", "pitch angle of the sensor, positive nose down")
    yaw = Input("rad", "yaw angle of the sensor, zero to the east")
    terrain = Resource("terrain.npy", "heights of the ground, m; rows to the north, columns to the east", make=hills)
    corner = Parameter([0.0, 0.0], "m", "x and y of the first point of the map", size=2)
    spacing = Parameter(1.0, "m", "distance between neighbouring points of the map", min=1e-3)
    first = Parameter(-1.0471975511965976, "rad", "azimuth of the first ray")
    span = Parameter(2.0943951023931953, "rad", "angle from the azimuth of the first ray to that of the last", min=0.0)
    elevation = Parameter(-0.05, "rad", "elevation of the rays", min=-1.5707963267948966, max=1.5707963267948966)
    stride = Parameter(0.25, "m", "step length along a ray", min=1e-3)
    longest = Parameter(30.0, "m", "largest range, returned where a ray meets nothing", min=0.0, max=1e4)
    ranges = Output("m", "distance to the ground along each ray", size=16)
