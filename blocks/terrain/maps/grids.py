"""Arrays of numbers from third-party files, checked before use: NPY, PNG and GeoTIFF."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.core.errors import TerrainError, did_you_mean
from drawbar.blocks.terrain.maps.elevation_map import MOST_POINTS
from drawbar.blocks.terrain.maps.geotiff import Georeference, georeference

NOWHERE = Georeference()


@dataclass(frozen=True)
class Grid:
    """The numbers of a file, with its data on their position."""

    values: NDArray[Any]
    north_first: bool  # images begin with their upper edge
    place: Georeference = NOWHERE


def read_grid(path: Path) -> Grid:
    """Return the numbers of a file; raise `TerrainError` if its format is wrong or it is larger than a map may be."""
    kind = path.suffix.lower()
    if kind not in READERS:
        raise TerrainError(f"{path}: a map is read from {', '.join(READERS)}" + did_you_mean(kind, READERS))
    if not path.is_file():
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*") if p.suffix.lower() in READERS])
        raise TerrainError(f"{path}: there is no such file{near}")
    try:
        return READERS[kind](path)
    except TerrainError as error:
        raise TerrainError(f"{path}: {error}") from None
    except Exception as error:  # readers of damaged files raise anything
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise TerrainError(f"{path} cannot be read: {said}") from None


def _sized(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or min(shape) < 1:
        raise TerrainError(f"it has shape {shape}; a map is one table of rows and columns")
    if shape[0] * shape[1] > MOST_POINTS:
        raise TerrainError(f"it has {shape[0]} x {shape[1]} points, more than {MOST_POINTS}; take coarser cells")


def _npy(path: Path) -> Grid:
    # mapped: a header may promise more than there is, and no pickle: a file of others must not run code
    found = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(found, np.ndarray):
        raise TerrainError("it holds several arrays; a map is one")
    if found.dtype.kind not in "fiu":
        raise TerrainError(f"it holds values of type {found.dtype}; a map holds numbers")
    _sized(found.shape)
    return Grid(np.array(found), north_first=False)


def _image(path: Path) -> Grid:
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of damaged tags, which are judged by what they give
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            image = Image.open(path, formats=["PNG" if path.suffix.lower() == ".png" else "TIFF"])
        except (Image.DecompressionBombError, Image.DecompressionBombWarning):
            raise TerrainError(f"it has more than {MOST_POINTS} points; take a part or coarser cells") from None
        except UnidentifiedImageError:
            raise TerrainError("it is no image of the kind that its name says, or one of a rare type") from None
        with image:
            _sized((image.height, image.width))
            if getattr(image, "n_frames", 1) != 1:
                raise TerrainError(f"it holds {image.n_frames} images; a map is one")  # type: ignore[attr-defined]
            if image.mode not in ("L", "I", "F") and not image.mode.startswith("I;16"):
                raise TerrainError(f"its points are {image.mode}; a map has one number each, of 8, 16 or 32 bits")
            place = georeference(getattr(image, "tag_v2", {}))
            return Grid(np.array(image), north_first=True, place=place)


READERS: dict[str, Callable[[Path], Grid]] = {".npy": _npy, ".png": _image, ".tif": _image, ".tiff": _image}
