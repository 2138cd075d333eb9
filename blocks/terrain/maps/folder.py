"""Maps in files: read with their side file, and written as a folder with the block that carries them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import TerrainError, UsageError
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap, Floats
from drawbar.blocks.terrain.maps.geotiff import METRE
from drawbar.blocks.terrain.maps.grids import read_grid
from drawbar.blocks.terrain.maps.side_file import Side, read_side
from drawbar.blocks.terrain.soil.soils import record

SIDE = "terrain.json"


def read_map(path: str | Path) -> ElevationMap:
    """Return the map that a side file describes, from it and the files beside it that it names."""
    path = Path(path)
    told = read_side(path)
    if not told.heights:
        raise TerrainError(f'{path}: say which file holds the heights: "heights": "FILE"')
    return imported(path.parent / told.heights, told, str(path))


def imported(heights: Path, told: Side, where: str = "") -> ElevationMap:
    """Return the map of a file of heights, with the contents of its side file."""
    where = where or str(heights)
    grid = read_grid(heights)
    cell, corner = told.cell or grid.place.cell, grid.place.corner
    if cell is None:
        raise TerrainError(f"{where}: {heights.name} does not say how far its points are apart; give the cell in m")
    scale = told.scale
    if scale is None:
        if grid.place.height_unit != METRE:
            raise TerrainError(
                f"{where}: the heights of {heights.name} are not in metres (unit {grid.place.height_unit} of EPSG); "
                'give what one of them is in m: "scale": 0.3048 in the side file, or --scale 0.3048, if they are feet'
            )
        scale = 1.0
    flip = told.first_row == "north" if told.first_row else grid.north_first
    values = grid.values.astype(np.float64)
    no_data = grid.place.no_data if told.no_data is None else told.no_data
    if no_data is not None:
        values[values == (np.float32(no_data) if grid.values.dtype == np.float32 else no_data)] = np.nan
    z = filled(told.datum + scale * values, told.missing, where)
    origin = told.origin
    if origin is None:
        south = 0.0 if corner is None else corner[1] - cell[1] * (z.shape[0] - 1)
        origin = (0.0 if corner is None else corner[0], south)
    classes = None
    if told.classes is not None:
        kinds = read_grid(heights.parent / told.classes)
        flipped = told.first_row == "north" if told.first_row else kinds.north_first
        classes = kinds.values[::-1] if flipped else kinds.values
    try:
        return ElevationMap(z[::-1] if flip else z, cell, origin, classes, told.soils, told.wheel_radius)
    except TerrainError as error:
        raise TerrainError(f"{where}: {error}") from None


def filled(z: Floats, missing: str | float, where: str) -> Floats:
    """Return heights without gaps: a missing height takes that of the nearest point, or the given one."""
    gaps = ~np.isfinite(z)
    if not gaps.any():
        return z
    if gaps.all():
        raise TerrainError(f"{where}: no point has a height")
    if missing == "nearest":
        from scipy.ndimage import distance_transform_edt

        rows, columns = distance_transform_edt(gaps, return_distances=False, return_indices=True)
        return np.asarray(z[rows, columns])
    if missing == "refuse":
        i, j = (int(k) for k in np.argwhere(gaps)[0])
        raise TerrainError(
            f"{where}: {int(gaps.sum())} of {z.size} heights are missing, the first in row {i}, column {j}; "
            'say what to take there: "missing": "nearest", or a height in m'
        )
    return np.where(gaps, float(missing), z)


def write_map(of: ElevationMap, folder: Path, class_name: str, module: str, how: str) -> list[Path]:
    """Write a map into a folder, with its side file and the module of a block that carries it, and return the files.

    Raise `UsageError`, and write no file, if one of them exists or the folder cannot be written.
    """
    arrays = of.arrays()
    told: dict[str, Any] = {
        "source": how,
        "heights": "heights.npy",
        "cell": list(of.cell),
        "origin": list(of.origin),
        "datum": float(arrays["frame"][2]),
        "soils": [record(soil) for soil in of.soils],
    }
    if of.wheel_radius:
        told["wheel_radius"] = of.wheel_radius
    files = {"heights.npy": arrays["heights"]}
    if arrays["classes"].shape != (1, 1):
        files["classes.npy"], told["classes"] = arrays["classes"], "classes.npy"
    text = BLOCK.format(name=class_name, how=" ".join(how.replace("\\", "/").replace('"', "'").split()))
    paths = [folder / name for name in (*files, SIDE, f"{module}.py")]
    if there := [path for path in paths if path.exists()]:
        raise UsageError(f"{there[0]} exists already, so nothing was written; name another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in files.items():
            np.save(folder / name, array)
        (folder / SIDE).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        paths[-1].write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}; name another folder with --out") from None
    return paths


BLOCK = '''"""The ground of the map in this folder."""

from pathlib import Path

from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.maps.folder import read_map


class {name}(Elevation, terrain=lambda: read_map(Path(__file__).with_name("terrain.json"))):
    """The ground of a map: {how}."""
'''
