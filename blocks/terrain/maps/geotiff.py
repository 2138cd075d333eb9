"""The positions of the points of a GeoTIFF, from its tags (OGC 19-008r4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drawbar.blocks.core.errors import TerrainError

PIXEL_SCALE, TIE_POINT, TRANSFORMATION, KEYS, NO_DATA = 33550, 33922, 34264, 34735, 42113
MODEL_TYPE, RASTER_TYPE, LINEAR_UNITS, VERTICAL_UNITS = 1024, 1025, 3076, 4099
GEOGRAPHIC, POINT, METRE = 2, 2, 9001


@dataclass(frozen=True)
class Georeference:
    """The tags of a file: cells (m), x and y of the upper left point, no-data height, the unit of heights (EPSG)."""

    cell: tuple[float, float] | None = None
    corner: tuple[float, float] | None = None
    no_data: float | None = None
    height_unit: int = METRE


def georeference(tags: Mapping[int, Any]) -> Georeference:
    """Return the georeference from the tags of a TIFF file; without such tags it is empty."""
    no_data, keys = _no_data(tags.get(NO_DATA)), _keys(tags.get(KEYS, ()))
    height_unit = keys.get(VERTICAL_UNITS) or METRE  # 0 means not given
    if TRANSFORMATION in tags:
        raise TerrainError("it is turned by a ModelTransformation; warp it to a north-up grid: gdalwarp IN.tif OUT.tif")
    if PIXEL_SCALE not in tags:
        return Georeference(no_data=no_data, height_unit=height_unit)
    scale = _numbers(tags[PIXEL_SCALE], 2)
    if keys.get(MODEL_TYPE) == GEOGRAPHIC:
        raise TerrainError("its cells are in degrees; project it to metres: gdalwarp -t_srs EPSG:... IN.tif OUT.tif")
    if keys.get(LINEAR_UNITS, METRE) != METRE:
        raise TerrainError("its coordinates are not in metres; project it: gdalwarp -t_srs EPSG:... IN.tif OUT.tif")
    cell = (scale[0], scale[1])
    if TIE_POINT not in tags:
        return Georeference(cell, no_data=no_data, height_unit=height_unit)
    column, row, _, x, y, _ = _numbers(tags[TIE_POINT], 6)
    # a tie point is a corner of its cell, unless the file states that it is the point itself
    half = 0.0 if keys.get(RASTER_TYPE) == POINT else 0.5
    corner = (x + (half - column) * cell[0], y - (half - row) * cell[1])
    return Georeference(cell, corner, no_data, height_unit)


def _numbers(value: Any, count: int) -> list[float]:
    try:
        found = [float(v) for v in value][:count]
    except (TypeError, ValueError):
        found = []
    if len(found) < count or not all(map(math.isfinite, found)):
        raise TerrainError("its tags of scale and tie point are damaged")
    return found


def _keys(directory: Any) -> dict[int, int]:
    """Return the GeoKeys that are short numbers by id: four header numbers, then (id, 0, 1, value) for each."""
    numbers = list(directory) if isinstance(directory, tuple) else []
    entries = [numbers[i : i + 4] for i in range(4, len(numbers) - 3, 4)]
    return {e[0]: e[3] for e in entries if e[1] == 0}


def _no_data(text: Any) -> float | None:
    try:
        return None if text is None else float(str(text).strip(" \0"))
    except ValueError:
        return None
