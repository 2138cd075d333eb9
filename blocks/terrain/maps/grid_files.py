"""Heights and classes from third-party files, checked before use: NPY, PNG and GeoTIFF with its position."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import TerrainError, did_you_mean
from drawbar.blocks.terrain.maps.elevation_map import MAX_POINTS

# tags and keys of a GeoTIFF (OGC 19-008r4)
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


NO_GEOREFERENCE = Georeference()


@dataclass(frozen=True)
class Grid:
    """The numbers of a file, with its georeference."""

    values: NDArray[Any]
    north_first: bool  # true for images, whose first row is the upper edge
    georeference: Georeference = NO_GEOREFERENCE


def read_grid(path: Path) -> Grid:
    """Return the numbers of a file; raise `TerrainError` if its format is wrong or it is larger than a map may be."""
    kind = path.suffix.lower()
    if kind not in READERS:
        raise TerrainError(f"{path}: give a file of type {', '.join(READERS)}" + did_you_mean(kind, READERS))
    if not path.is_file():
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*") if p.suffix.lower() in READERS])
        raise TerrainError(f"{path}: there is no such file{near}")
    try:
        return READERS[kind](path)
    except TerrainError as error:
        raise TerrainError(f"{path}: {error}") from None
    except Exception as error:  # a reader may raise any exception for a damaged file
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise TerrainError(f"{path} cannot be read: {reason}") from None


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or min(shape) < 1:
        raise TerrainError(f"it has shape {shape}; a map is one table of rows and columns")
    if shape[0] * shape[1] > MAX_POINTS:
        raise TerrainError(f"it has {shape[0]} x {shape[1]} points, more than {MAX_POINTS}; take coarser cells")


def _read_npy(path: Path) -> Grid:
    # memory-mapped, because a header may claim more data than there are; without pickle, which could run code
    found = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(found, np.ndarray):
        raise TerrainError("it holds several arrays; a map is one")
    if found.dtype.kind not in "fiu":
        raise TerrainError(f"it holds values of type {found.dtype}; a map holds numbers")
    _check_shape(found.shape)
    return Grid(np.array(found), north_first=False)


def _read_image(path: Path) -> Grid:
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of damaged tags, whose values are checked
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            image = Image.open(path, formats=["PNG" if path.suffix.lower() == ".png" else "TIFF"])
        except (Image.DecompressionBombError, Image.DecompressionBombWarning):
            raise TerrainError(f"it has more than {MAX_POINTS} points; take a part or coarser cells") from None
        except UnidentifiedImageError:
            raise TerrainError("it is not an image of the type of its name, or of an unsupported type") from None
        with image:
            _check_shape((image.height, image.width))
            if getattr(image, "n_frames", 1) != 1:
                raise TerrainError(f"it holds {image.n_frames} images; a map is one")  # type: ignore[attr-defined]
            if image.mode not in ("L", "I", "F") and not image.mode.startswith("I;16"):
                raise TerrainError(f"its points are {image.mode}; a map has one number each, of 8, 16 or 32 bits")
            georeference = read_georeference(getattr(image, "tag_v2", {}))
            return Grid(np.array(image), north_first=True, georeference=georeference)


READERS: dict[str, Callable[[Path], Grid]] = {
    ".npy": _read_npy,
    ".png": _read_image,
    ".tif": _read_image,
    ".tiff": _read_image,
}


def read_georeference(tags: Mapping[int, Any]) -> Georeference:
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
