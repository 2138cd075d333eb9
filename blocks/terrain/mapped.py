"""What all blocks with a map of the ground share: how the map comes into the block."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from numpy.typing import NDArray

from drawbar.blocks import Kernel, Resource
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap

MEANINGS = {
    "heights": "heights over the datum at the points of the map, m; rows to the north, columns to the east",
    "classes": "class of the soil at each point, or one for all",
    "frame": "x, y and datum of the first point, distances of points along x and y, radius of the wheel, m",
    "soils": "for each class friction, c, phi, K, n, k_c, k_phi, gamma, cone index, code of the surface; SI units",
}


def _array(arrays: Callable[[], dict[str, NDArray[Any]]], name: str) -> NDArray[Any]:
    return arrays()[name]


class Mapped(Kernel, abstract=True):
    """The base of blocks that read a map of the ground: ``class Quarry(Elevation, terrain=make)``.

    `make` is a function without arguments that returns an `ElevationMap`; it is called once, when the block is built
    into an FMU or runs. The FMU carries the map as compact arrays.
    """

    def __init_subclass__(cls, *, terrain: Callable[[], ElevationMap] | None = None, **rest: Any) -> None:
        if terrain is not None:
            arrays = cache(lambda: terrain().arrays())
            for name, meaning in MEANINGS.items():
                resource = Resource(f"{name}.npy", meaning, make=partial(_array, arrays, name))
                setattr(cls, name, resource)
                resource.__set_name__(cls, name)
        super().__init_subclass__(**rest)
