"""Single obstacles on level ground, for rides along x."""

from __future__ import annotations

import numpy as np

from drawbar.blocks.authoring.errors import TerrainError
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap, Floats
from drawbar.blocks.terrain.maps.envelope import envelope

BEFORE = 10.0  # m of level ground before x = 0, where a vehicle may start
CELL = 0.01  # m along x, fine enough for the foot of a half-round
TRACKS = ("both", "left", "right")
EDGE = 0.05  # m, half of the strip along y = 0 in which an obstacle of one track ends


def ground(length: float, cell: float = CELL) -> Floats:
    """The x of a profile: from `BEFORE` ahead of zero to `length`."""
    if not 0.0 < length <= 2000.0 or not 1e-3 <= cell <= 1.0:
        raise TerrainError(f"length {length:g} m, cell {cell:g} m: give a length up to 2000 m, a cell of 0.001 to 1 m")
    before, after = round(BEFORE / cell), round(length / cell)
    return np.asarray(cell * np.arange(-before, after + 1))


def along(
    x: Floats, z: Floats, *, width: float = 10.0, tracks: str = "both", wheel_radius: float = 0.0
) -> ElevationMap:
    """A map of the profile z(x), the same at each y, or only for the wheels on one side.

    `tracks` says whether it goes across, or is left (y > 0) or right of y = 0 with level ground on the other side.
    With a `wheel_radius` it is an `envelope`.
    """
    if tracks not in TRACKS or not 0.2 <= width <= 1000.0:
        raise TerrainError(f"tracks '{tracks}', width {width:g} m: tracks are {', '.join(TRACKS)}, 0.2 to 1000 m wide")
    half = 0.5 * width
    if tracks == "both":
        rows, cell_y = np.ones(2), width
    else:
        count = round(half / EDGE)
        y = np.arange(-count, count + 1) * EDGE
        rows, cell_y, half = ((y > 0.5 * EDGE) if tracks == "left" else (y < -0.5 * EDGE)).astype(float), EDGE, -y[0]
    cell_x = float(round((x[-1] - x[0]) / (len(x) - 1), 9))
    heights = rows[:, None] * np.round(z, 6)
    found = ElevationMap(heights, (cell_x, float(cell_y)), (float(round(x[0], 9)), -float(half)))
    return envelope(found, wheel_radius) if wheel_radius else found


def half_round(
    radius: float = 0.2,
    at: float = 10.0,
    length: float = 40.0,
    *,
    cell: float = CELL,
    tracks: str = "both",
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Half a cylinder of this radius lying across the way with its axis at x = `at`, as shock is tested on."""
    _inside(at - radius, at + radius, length, "radius", radius)
    x = ground(length, cell)
    z = np.sqrt(np.maximum(0.0, radius**2 - (x - at) ** 2))
    return along(x, z, tracks=tracks, wheel_radius=wheel_radius)


def _inside(begin: float, end: float, length: float, what: str, value: float) -> None:
    if not 0.0 < value <= 100.0:
        raise TerrainError(f"{what} {value:g} m: it is above 0 and at most 100 m")
    if not -BEFORE < begin <= end < length:
        raise TerrainError(f"the obstacle is at x = {begin:g} to {end:g} m, the ground at {-BEFORE:g} to {length:g} m")
