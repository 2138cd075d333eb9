"""A map of the ground: heights on a grid and the soil of each point, with their checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import TerrainError
from drawbar.blocks.terrain.soil.soils import Soil, row

MAX_POINTS = 25_000_000
MAX_HEIGHT = 1e5  # m, larger values mark missing heights
CELLS = (1e-3, 1e4)  # m, smallest and largest distance of points

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ElevationMap:
    """Heights on a grid, and the soil at each of its points; world axes, x east, y north, z up.

    ``heights[i, j]`` is the height in m at x = origin[0] + j cell[0], y = origin[1] + i cell[1]: rows run north and
    columns east, and cells need not be square. Between the points heights are bilinear. ``classes[i, j]`` is the index
    in `soils` of the soil there; an array of one element holds for the whole map. Where `wheel_radius` is not 0, the
    heights are not of the ground but of the lowest point of a rigid disk of this radius that rolls along x on it (see
    `envelope`).
    """

    heights: Floats
    cell: tuple[float, float]
    origin: tuple[float, float] = (0.0, 0.0)
    classes: NDArray[np.uint8] | None = None
    soils: tuple[Soil, ...] = (Soil(),)
    wheel_radius: float = 0.0

    def __post_init__(self) -> None:
        heights = np.asarray(self.heights)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise TerrainError(f"the heights have shape {heights.shape}; a map has at least two rows and two columns")
        if heights.size > MAX_POINTS:
            raise TerrainError(f"the map has {heights.size} points, more than {MAX_POINTS}; take coarser cells")
        if heights.dtype.kind not in "fiu":
            raise TerrainError(f"the heights are of type {heights.dtype}; give numbers in m")
        heights = heights.astype(np.float64)
        invalid = ~(np.abs(heights) <= MAX_HEIGHT)
        if invalid.any():
            i, j = (int(k) for k in np.argwhere(invalid)[0])
            raise TerrainError(
                f"{int(invalid.sum())} heights are invalid, the first at row {i}, column {j}: {heights[i, j]:g}; "
                f"give finite heights within {MAX_HEIGHT:g} m"
            )
        numbers = [*self.cell, *self.origin, self.wheel_radius]
        if len(self.cell) != 2 or len(self.origin) != 2 or not np.isfinite(numbers).all():
            raise TerrainError(f"cell {self.cell} and origin {self.origin} are two finite numbers in m each")
        if not all(CELLS[0] <= size <= CELLS[1] for size in self.cell):
            raise TerrainError(f"cell {self.cell}: the distance of points must be {CELLS[0]:g} to {CELLS[1]:g} m")
        if not 0.0 <= self.wheel_radius <= 10.0:
            raise TerrainError(f"wheel_radius {self.wheel_radius:g} m: give 0 to 10 m")
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "classes", self._checked_classes(heights.shape))

    def _checked_classes(self, shape: tuple[int, ...]) -> NDArray[np.uint8]:
        classes = np.zeros((1, 1), np.uint8) if self.classes is None else np.asarray(self.classes)
        if classes.shape not in (shape, (1, 1)) or classes.dtype.kind not in "ui":
            raise TerrainError(
                f"the soil classes have shape {classes.shape} and type {classes.dtype}; "
                f"give whole numbers of shape {shape} or (1, 1)"
            )
        if not 1 <= len(self.soils) <= 256:
            raise TerrainError(f"the map has {len(self.soils)} soils; give 1 to 256")
        low, high = int(classes.min()), int(classes.max())
        if low < 0 or high >= len(self.soils):
            raise TerrainError(
                f"the soil classes run from {low} to {high}, but there are soils for 0 to {len(self.soils) - 1}"
            )
        return classes.astype(np.uint8)

    @property
    def x(self) -> Floats:
        """Return the x of the columns, in m."""
        return np.asarray(self.origin[0] + self.cell[0] * np.arange(self.heights.shape[1]), np.float64)

    @property
    def y(self) -> Floats:
        """Return the y of the rows, in m."""
        return np.asarray(self.origin[1] + self.cell[1] * np.arange(self.heights.shape[0]), np.float64)

    def with_soil(self, soils: Soil | tuple[Soil, ...], classes: Any = None) -> ElevationMap:
        """Return the same shape with another soil, or with several soils by classes."""
        several = (soils,) if isinstance(soils, Soil) else soils
        return replace(self, soils=several, classes=classes)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a block: relative heights, classes, the frame, and a row for each soil.

        The heights are relative to a whole number of metres in the middle of their range, so that 32 bits suffice: they
        are exact to some micrometres on flat land, and to 0.1 mm in a map that spans 1 km of height.
        """
        datum = float(np.round(0.5 * (self.heights.min() + self.heights.max())))
        frame = [*self.origin, datum, *self.cell, self.wheel_radius]
        assert self.classes is not None
        return {
            "heights": (self.heights - datum).astype(np.float32),
            "classes": self.classes,
            "frame": np.array(frame),
            "soils": np.array([row(soil) for soil in self.soils]),
        }
