"""The effective road of a wheel: the path of a rigid disk that rolls on a map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from drawbar.blocks.core.errors import TerrainError
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap, Floats


def rolling_disk(heights: Floats, cell: float, radius: float) -> Floats:
    """Return the lowest points of a disk that rolls over the rows of `heights`, whose points are `cell` apart.

    Grey dilation by a disk of radius R: ``e(x) = max over |s| <= R of z(x + s) + sqrt(R^2 - s^2) - R``. Before the
    first and after the last point the ground is level.
    """
    half_width = int(radius / cell + 1e-9)
    width = heights.shape[-1]
    padded = np.pad(heights, [(0, 0)] * (heights.ndim - 1) + [(half_width, half_width)], mode="edge")
    found = heights.copy()
    for k in range(-half_width, half_width + 1):
        drop = np.sqrt(max(0.0, radius**2 - (k * cell) ** 2)) - radius
        np.maximum(found, padded[..., half_width + k : half_width + k + width] + drop, out=found)
    return found


def envelope(ground: ElevationMap, wheel_radius: float) -> ElevationMap:
    """Return the map for wheels of this radius that roll along x: the lowest point of a rigid disk on the ground.

    A tire that takes only the plane below its centre meets an obstacle shorter than its contact too late and too
    steeply: at the foot of a step it would touch a wall. The envelope is the geometric part of the remedy: the disk
    touches the step ahead of its centre and climbs along an arc. It is exact for a rigid wheel that is narrow and does
    not steer; the deflection of the tire, which smooths further, is left to the tire. Cells along x must be small
    against the radius: with the cell d the envelope is low by about d^2/(8 R).
    """
    if ground.wheel_radius:
        raise TerrainError(
            f"the map is an envelope for a wheel of {ground.wheel_radius:g} m already; start from the ground"
        )
    if not 2.0 * ground.cell[0] <= wheel_radius <= 10.0:
        raise TerrainError(
            f"a wheel of radius {wheel_radius:g} m on cells of {ground.cell[0]:g} m along x; "
            "the radius is at least two cells and at most 10 m"
        )
    return replace(
        ground, heights=rolling_disk(ground.heights, ground.cell[0], wheel_radius), wheel_radius=wheel_radius
    )
