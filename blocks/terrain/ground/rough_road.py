"""A random rough road of class C of ISO 8608, or D at twice its scale."""

from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.maps.rough import iso_8608


def road() -> ElevationMap:
    """Return 300 m of class C, 8 m wide, of which the first 5 m are level."""
    return iso_8608("C", 300.0, 8.0, level=5.0)


class RoughRoad(Elevation, terrain=road):
    """A hard random road of class C of ISO 8608 along x, 300 m long and 8 m wide; `scale` 2 makes it of class D.

    Each doubling of `scale` is one class, from 0.25 for A to 32 for H. The first 5 m are level; over the next 5 m the
    road blends in. The spectrum is described in `iso_8608`. Waves shorter than a tire's contact, about 0.2 m, act as on
    a point contact; on the smoother classes they are a millimetre high.
    """
