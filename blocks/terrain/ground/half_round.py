"""A level road with a half-round obstacle across it."""

from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.ground.elevation import Elevation
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.maps.obstacles import half_round


def obstacle() -> ElevationMap:
    """Return a half-round of radius 0.2 m at x = 10 m, for the wheels of the HMMWV."""
    return half_round(0.2, wheel_radius=TIRE["unloaded_radius_m"])


class HalfRound(Elevation, terrain=obstacle):
    """A hard level road with a half-round of radius 0.2 m across it at x = 10 m: half a cylinder on its flat side.

    An `Elevation` with the envelope for the wheels of the HMMWV. Half-rounds are crossed as fast as the shock on the
    driver allows. Another radius needs a subclass::

        class Higher(Elevation, terrain=lambda: half_round(0.3, wheel_radius=0.47)):
            pass
    """
