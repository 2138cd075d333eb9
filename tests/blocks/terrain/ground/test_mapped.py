"""The map of a block is made once, and another map is another block."""

import pytest

from drawbar.blocks.terrain.ground.elevation import Elevation, knolls
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.maps.obstacles import half_round
from drawbar.fmus.backends.native import native_instance

R = 0.47


@pytest.mark.compiler
def test_the_map_of_a_block_is_made_once_and_only_when_it_is_built() -> None:
    made = []

    def counted() -> ElevationMap:
        made.append(1)
        return knolls()

    class Counted(Elevation, terrain=counted):
        pass

    assert made == []
    native_instance(Counted, "a").close()
    assert made == [1]


def test_another_wheel_radius_is_another_envelope() -> None:
    plain, rolling_disk = half_round(0.2), half_round(0.2, wheel_radius=R)
    assert (plain.wheel_radius, rolling_disk.wheel_radius) == (0.0, R)
    assert rolling_disk.heights.max() == plain.heights.max() == 0.2
    assert (rolling_disk.heights >= plain.heights).all() and (rolling_disk.heights > plain.heights + 0.05).any()
