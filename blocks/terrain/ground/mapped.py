"""The base of all blocks with a map of the ground: how the map enters the block."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from numpy.typing import NDArray

from drawbar.blocks import Kernel, Resource
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap

ARRAYS = {
    "heights": ("float32", "heights over the datum, m; rows to the north, columns to the east"),
    "classes": ("uint8", "class of the soil at each point, or one for all"),
    "frame": ("float64", "x, y and datum of the first point, cells along x and y, wheel radius, m"),
    "soils": ("float64", "of each class friction, c, phi, K, n, k_c, k_phi, gamma, cone index, surface; SI units"),
}


def _array(arrays: Callable[[], dict[str, NDArray[Any]]], name: str) -> NDArray[Any]:
    return arrays()[name]


class Mapped(Kernel, abstract=True):
    """The base of blocks that read a map of the ground: ``class Quarry(Elevation, terrain=make)``.

    `make` is a function without arguments that returns an `ElevationMap`. It is called once, when the block is exported
    as an FMU or runs. The FMU carries the map as compact arrays.
    """

    def __init_subclass__(cls, *, terrain: Callable[[], ElevationMap] | None = None, **rest: Any) -> None:
        if terrain is not None:
            arrays = cache(lambda: terrain().arrays())
            for name, (dtype, meaning) in ARRAYS.items():
                resource = Resource(f"{name}.npy", meaning, make=partial(_array, arrays, name), dtype=dtype)
                setattr(cls, name, resource)
                resource.__set_name__(cls, name)
        super().__init_subclass__(**rest)
