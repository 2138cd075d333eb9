"""What a map must hold, and how compact it is in a block."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks import TerrainError
from drawbar.blocks.terrain.maps.elevation_map import ElevationMap
from drawbar.blocks.terrain.soil.soils import Soil, soil

HOLE = np.zeros((3, 4))
HOLE[1, 2] = np.nan


def test_arrays_are_compact_and_give_the_heights_back() -> None:
    heights = 1203.4 + np.random.default_rng(1).uniform(-3.0, 3.0, (30, 40))
    made = ElevationMap(heights, (0.5, 1.0), (3.0, 4.0), wheel_radius=0.4)
    arrays = made.arrays()
    assert [arrays[n].dtype for n in ("heights", "classes")] == [np.float32, np.uint8]
    assert arrays["classes"].shape == (1, 1)
    np.testing.assert_array_equal(arrays["frame"], [3.0, 4.0, 1203.0, 0.5, 1.0, 0.4])
    assert np.abs(arrays["heights"].astype(float) + 1203.0 - heights).max() < 3e-7


def test_a_map_may_be_of_another_soil() -> None:
    made = ElevationMap(np.zeros((3, 4)), (1.0, 1.0)).with_soil((Soil(), soil("LETE_sand")), np.eye(3, 4, dtype=int))
    assert made.arrays()["soils"].shape == (2, 10)
    assert made.arrays()["classes"].tolist() == np.eye(3, 4).tolist()
    assert made.with_soil(soil("ice")).arrays()["soils"][0, 0] == 0.098


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"heights": np.zeros(5)}, r"the heights have shape \(5,\); a map has at least two rows and two columns"),
        ({"heights": np.zeros((1, 5))}, r"the heights have shape \(1, 5\)"),
        ({"heights": np.zeros((3, 4), complex)}, "the heights are of type complex128"),
        ({"heights": np.broadcast_to(0.0, (5001, 5000))}, "the map has 25005000 points, more than 25000000"),
        ({"heights": HOLE}, "1 heights are invalid, the first at row 1, column 2: nan"),
        ({"heights": np.full((3, 4), -3.4e38)}, r"12 heights are invalid, the first at row 0, column 0: -3\.4e\+38"),
        ({"cell": (1.0, 0.0)}, r"cell \(1\.0, 0\.0\): the distance of points must be 0\.001 to 10000 m"),
        ({"cell": (1.0, np.inf)}, "are two finite numbers in m each"),
        ({"origin": (np.nan, 0.0)}, "are two finite numbers in m each"),
        ({"wheel_radius": -1.0}, "wheel_radius -1 m: give 0 to 10 m"),
        ({"classes": np.zeros((4, 3), int)}, r"the soil classes have shape \(4, 3\) and type int64; .* shape \(3, 4\)"),
        ({"classes": np.zeros((3, 4))}, "type float64; give whole numbers"),
        ({"classes": np.full((3, 4), 2)}, "the soil classes run from 2 to 2, but there are soils for 0 to 0"),
        ({"classes": np.full((3, 4), -1)}, "the soil classes run from -1 to -1"),
        ({"soils": ()}, "the map has 0 soils; give 1 to 256"),
    ],
)
def test_what_is_no_map_is_told(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TerrainError, match=message):
        ElevationMap(**{"heights": np.zeros((3, 4)), "cell": (1.0, 1.0), **given})
