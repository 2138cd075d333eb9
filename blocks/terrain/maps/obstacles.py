"""Single obstacles on level ground, for rides along x."""

from __future__ import annotations

import numpy as np

from drawbar.blocks.core.errors import TerrainError
from drawbar.blocks.terrain.maps.elevation_map import MAX_POINTS, ElevationMap, Floats
from drawbar.blocks.terrain.maps.envelope import envelope

RUN_UP = 10.0  # m, length of level ground before x = 0, where a vehicle may start
CELL = 0.01  # m along x, fine enough for the foot of a half-round
TRACKS = ("both", "left", "right")
TRACK_CELL = 0.05  # m, cell along y of an obstacle under one track


def positions(length: float, cell: float = CELL) -> Floats:
    """Return the x of a profile, from `RUN_UP` ahead of zero to `length`."""
    if not 0.0 < length <= 2000.0 or not 1e-3 <= cell <= 1.0:
        raise TerrainError(f"length {length:g} m, cell {cell:g} m: give a length up to 2000 m, a cell of 0.001 to 1 m")
    before, after = round(RUN_UP / cell), round(length / cell)
    return np.asarray(cell * np.arange(-before, after + 1))


def profile_map(
    x: Floats, z: Floats, *, width: float = 10.0, tracks: str = "both", wheel_radius: float = 0.0
) -> ElevationMap:
    """Return a map of the profile z(x), the same at each y, or only for the wheels on one side.

    With `tracks` both, the obstacle lies across the road; with left it lies at y > 0, with right at y < 0, and the
    other side is level. With a `wheel_radius` it is an `envelope`.
    """
    if tracks not in TRACKS or not 0.2 <= width <= 1000.0:
        raise TerrainError(f"tracks '{tracks}', width {width:g} m: tracks are {', '.join(TRACKS)}, 0.2 to 1000 m wide")
    half = 0.5 * width
    if tracks == "both":
        rows, cell_y = np.ones(2), width
    else:
        count = round(half / TRACK_CELL)
        y = np.arange(-count, count + 1) * TRACK_CELL
        rows, cell_y, half = (
            ((y > 0.5 * TRACK_CELL) if tracks == "left" else (y < -0.5 * TRACK_CELL)).astype(float),
            TRACK_CELL,
            -y[0],
        )
    if len(rows) * len(x) > MAX_POINTS:
        raise TerrainError(f"{len(x)} x {len(rows)} points are more than {MAX_POINTS}; take coarser cells")
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
    """Return half a cylinder of this radius across the road with its axis at x = `at`, as used in shock tests."""
    _check_position(at - radius, at + radius, length, "radius", radius)
    x = positions(length, cell)
    z = np.sqrt(np.maximum(0.0, radius**2 - (x - at) ** 2))
    return profile_map(x, z, tracks=tracks, wheel_radius=wheel_radius)


def step(
    height: float = 0.2,
    at: float = 10.0,
    length: float = 40.0,
    *,
    face: float = 0.02,
    cell: float = CELL,
    tracks: str = "both",
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return a step up at x = `at`, or down if its height is negative; it rises over `face` m."""
    _check_position(at, at + face, length, "face", face)
    _check_size("height", height)
    x = positions(length, cell)
    return profile_map(x, height * np.clip((x - at) / face, 0.0, 1.0), tracks=tracks, wheel_radius=wheel_radius)


def kerb(
    height: float = 0.12,
    top: float = 0.15,
    at: float = 10.0,
    length: float = 40.0,
    *,
    face: float = 0.02,
    cell: float = CELL,
    tracks: str = "both",
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return a kerb stone across the road: up at x = `at` over `face` m, level for `top`, and down again."""
    _check_position(at, at + face, length, "face", face)
    _check_position(at, at + top + 2.0 * face, length, "top", top)
    _check_size("height", height)
    x = positions(length, cell)
    z = height * np.clip(np.minimum(x - at, at + top + 2.0 * face - x) / face, 0.0, 1.0)
    return profile_map(x, z, tracks=tracks, wheel_radius=wheel_radius)


def ditch(
    depth: float = 0.5,
    bottom: float = 1.0,
    slope: float = 0.5,
    at: float = 10.0,
    length: float = 40.0,
    *,
    cell: float = CELL,
    tracks: str = "both",
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return a ditch across the road from x = `at`: sides that fall by `slope` (rise over run), and a level bottom.

    With a negative depth it is a bank.
    """
    if not 0.01 <= slope <= 10.0:
        raise TerrainError(f"slope {slope:g}: give 0.01 to 10, rise over run")
    _check_size("depth", depth)
    end = at + bottom + 2.0 * abs(depth) / slope
    _check_position(at, end, length, "bottom", bottom)
    x = positions(length, cell)
    z = -np.clip(np.minimum(x - at, end - x) * slope, 0.0, abs(depth)) * np.sign(depth)
    return profile_map(x, z, tracks=tracks, wheel_radius=wheel_radius)


def pothole(
    depth: float = 0.1,
    size: float = 0.8,
    at: float = 10.0,
    length: float = 40.0,
    *,
    cell: float = CELL,
    tracks: str = "right",
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return a pothole `size` m long from x = `at`, as wide as its track.

    Its profile is depth (1 - cos)/2, deepest in the middle.
    """
    _check_position(at, at + size, length, "size", size)
    _check_size("depth", depth)
    x = positions(length, cell)
    turn = np.clip((x - at) / size, 0.0, 1.0) * 2.0 * np.pi
    return profile_map(x, -0.5 * depth * (1.0 - np.cos(turn)), tracks=tracks, wheel_radius=wheel_radius)


def slope(
    grade: float = 0.3,
    at: float = 10.0,
    length: float = 100.0,
    *,
    rounding: float = 5.0,
    cell: float = 0.1,
    wheel_radius: float = 0.0,
) -> ElevationMap:
    """Return level ground, then a slope of `grade` (rise over run, negative downhill).

    Its foot is a parabola `rounding` m long.
    """
    _check_position(at, at + rounding, length, "rounding", rounding)
    if not 0.0 < abs(grade) <= 2.0:
        raise TerrainError(f"grade {grade:g}: give up to 2, up or down, but not 0")
    x = positions(length, cell)
    run = np.maximum(0.0, x - at)
    z = grade * np.where(run < rounding, 0.5 * run**2 / rounding, run - 0.5 * rounding)
    return profile_map(x, z, wheel_radius=wheel_radius)


def _check_size(name: str, value: float) -> None:
    if not 1e-3 <= abs(value) <= 100.0:
        raise TerrainError(f"{name} {value:g} m: give 0.001 to 100 m")


def _check_position(begin: float, end: float, length: float, name: str, value: float) -> None:
    if not 0.0 < value <= 100.0:
        raise TerrainError(f"{name} {value:g} m: give more than 0 and at most 100 m")
    if not -RUN_UP < begin <= end < length:
        raise TerrainError(f"the obstacle is at x = {begin:g} to {end:g} m, the ground at {-RUN_UP:g} to {length:g} m")
