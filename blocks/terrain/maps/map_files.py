"""Maps in files: the side file with the meaning of its heights, and the folder with the block that carries a map."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks.core.errors import TerrainError, UsageError, did_you_mean
from drawbar.blocks.core.numbers import is_finite
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap, Floats
from drawbar.blocks.terrain.maps.grid_files import METRE, read_grid
from drawbar.blocks.terrain.soil.soils import Soil, record, soil

SIDE_FILE = "terrain.json"
MAX_BYTES = 1_000_000
ROW_ORDERS = ("south", "north")


@dataclass(frozen=True)
class SideFile:
    """The contents of a side file, with lengths in m.

    None stands for the value in the file of heights, or for the default of its format.
    """

    heights: str = ""  # a file beside it
    classes: str | None = None  # a file beside it, with the soil class of each point
    cell: tuple[float, float] | None = None  # distance of points along x and y; one number for both
    origin: tuple[float, float] | None = None  # x and y of the south-west point
    scale: float | None = None  # m of height per unit of the numbers; 1 unless the file has another unit
    datum: float = 0.0  # m, height of the number 0
    no_data: float | None = None  # the number that marks a missing height
    missing: str | float = "refuse"  # treatment of missing heights: "refuse", "nearest", or a height in m
    first_row: str | None = None  # "south" or "north"
    soils: tuple[Soil, ...] = (Soil(),)
    wheel_radius: float = 0.0
    source: str = ""  # where the map comes from


def read_side_file(path: Path) -> SideFile:
    """Return the checked contents of a side file; raise `TerrainError` with the fault."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise TerrainError(f"{path} is larger than {MAX_BYTES} bytes; it is not a side file of a map")
        contents = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TerrainError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise TerrainError(f"{path} is not a JSON file: {error}") from None
    return side_file(contents, str(path))


def side_file(contents: Any, where: str = "side file") -> SideFile:
    """Return a side file from its contents."""
    if not isinstance(contents, dict):
        raise TerrainError(f'{where}: it must hold an object: {{"heights": "FILE", "cell": 0.5, ...}}')
    found: dict[str, Any] = {}
    for key, value in contents.items():
        if key not in SideFile.__dataclass_fields__:
            raise TerrainError(f"{where}: '{key}' is unknown" + did_you_mean(key, SideFile.__dataclass_fields__))
        found[key] = _value(key, value, where)
    return SideFile(**found)


def _value(key: str, value: Any, where: str) -> Any:
    fault = TerrainError(f"{where}: {key} is {json.dumps(value)[:80]}; {_EXPECTED[key]}")
    if key in ("heights", "classes"):
        # only a file beside it, because a third-party file must not refer to files elsewhere
        if not isinstance(value, str) or not value or Path(value).name != value or "\\" in value:
            raise fault
    elif key in ("cell", "origin"):
        pair = [value, value] if key == "cell" and not isinstance(value, list) else value
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(is_finite, pair)):
            raise fault
        return tuple(map(float, pair))
    elif key == "soils":
        if not isinstance(value, list) or not value:
            raise fault
        return tuple(soil(given, f"{where}: class {k}") for k, given in enumerate(value))
    elif key == "missing":
        if value not in ("refuse", "nearest") and not is_finite(value):
            raise fault
    elif key == "first_row":
        if value not in ROW_ORDERS:
            raise fault
    elif key == "source":
        if not isinstance(value, str):
            raise fault
    elif not is_finite(value) or (key == "scale" and value == 0):
        raise fault
    return value


_EXPECTED = {
    "heights": "give the name of a file beside it",
    "classes": "give the name of a file beside it",
    "cell": "give one number, or two for x and y, in m",
    "origin": "give two numbers, x and y of the south-west point in m",
    "scale": "give a number other than 0, the height in m per unit of the numbers",
    "datum": "give a number, the height of 0 in m",
    "no_data": "give the number that marks a missing height",
    "missing": 'give "refuse", "nearest" or a height in m',
    "first_row": 'give "south" or "north"',
    "soils": "give a list of names of blocks/data/soils.json or records, one for each class",
    "wheel_radius": "give a number in m",
    "source": "give a text",
}


def read_map(path: str | Path) -> ElevationMap:
    """Return the map that a side file describes, from the files beside it."""
    path = Path(path)
    side = read_side_file(path)
    if not side.heights:
        raise TerrainError(f'{path}: name the file of heights: "heights": "FILE"')
    return import_heights(path.parent / side.heights, side, str(path))


def import_heights(heights: Path, side: SideFile, where: str = "") -> ElevationMap:
    """Return the map of a file of heights, with the contents of its side file."""
    where = where or str(heights)
    grid = read_grid(heights)
    cell, corner = side.cell or grid.georeference.cell, grid.georeference.corner
    if cell is None:
        raise TerrainError(f"{where}: {heights.name} contains no distance of its points; give the cell in m")
    scale = side.scale
    if scale is None:
        if (unit := grid.georeference.height_unit) != METRE:
            raise TerrainError(
                f"{where}: the heights of {heights.name} are not in metres (unit {unit} of EPSG); "
                'give the unit in m, for feet "scale": 0.3048 in the side file, or --scale 0.3048'
            )
        scale = 1.0
    flip = side.first_row == "north" if side.first_row else grid.north_first
    values = grid.values.astype(np.float64)
    no_data = grid.georeference.no_data if side.no_data is None else side.no_data
    if no_data is not None:
        values[values == (np.float32(no_data) if grid.values.dtype == np.float32 else no_data)] = np.nan
    z = fill_gaps(side.datum + scale * values, side.missing, where)
    origin = side.origin
    if origin is None:
        south = 0.0 if corner is None else corner[1] - cell[1] * (z.shape[0] - 1)
        origin = (0.0 if corner is None else corner[0], south)
    classes = None
    if side.classes is not None:
        class_grid = read_grid(heights.parent / side.classes)
        flipped = side.first_row == "north" if side.first_row else class_grid.north_first
        classes = class_grid.values[::-1] if flipped else class_grid.values
    try:
        return ElevationMap(z[::-1] if flip else z, cell, origin, classes, side.soils, side.wheel_radius)
    except TerrainError as error:
        raise TerrainError(f"{where}: {error}") from None


def fill_gaps(z: Floats, missing: str | float, where: str) -> Floats:
    """Return heights without gaps: a missing height becomes that of the nearest point, or `missing`."""
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
            'give "missing": "nearest", or a height in m'
        )
    return np.where(gaps, float(missing), z)


def write_map(of: ElevationMap, folder: Path, class_name: str, module: str, origin_text: str) -> list[Path]:
    """Write a map into a folder, with its side file and the module of a block that carries it, and return the files.

    Raise `UsageError`, and write no file, if one of them exists or the folder cannot be written.
    """
    arrays = of.arrays()
    contents: dict[str, Any] = {
        "source": origin_text,
        "heights": "heights.npy",
        "cell": list(of.cell),
        "origin": list(of.origin),
        "datum": float(arrays["frame"][2]),
        "soils": [record(soil) for soil in of.soils],
    }
    if of.wheel_radius:
        contents["wheel_radius"] = of.wheel_radius
    files = {"heights.npy": arrays["heights"]}
    if arrays["classes"].shape != (1, 1):
        files["classes.npy"], contents["classes"] = arrays["classes"], "classes.npy"
    text = BLOCK.format(name=class_name, origin_text=" ".join(origin_text.replace("\\", "/").replace('"', "'").split()))
    paths = [folder / name for name in (*files, SIDE_FILE, f"{module}.py")]
    if existing := [path for path in paths if path.exists()]:
        raise UsageError(f"{existing[0]} exists already, so nothing was written; name another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in files.items():
            np.save(folder / name, array)
        (folder / SIDE_FILE).write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
        paths[-1].write_text(text, encoding="utf-8")
    except BaseException as error:
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise UsageError(f"{folder} cannot be written: {error.strerror}; name another folder with --out") from None
    return paths


BLOCK = '''"""The ground of the map in this folder."""

from pathlib import Path

from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.maps.map_files import read_map


class {name}(Elevation, terrain=lambda: read_map(Path(__file__).with_name("terrain.json"))):
    """The ground of a map: {origin_text}."""
'''
