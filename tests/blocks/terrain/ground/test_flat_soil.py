"""A plane of one soil, by its number or by values."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.ground.flat_soil import SOILS, FlatSoil
from drawbar.blocks.terrain.soil.soils import soil

MEMBERS = ("cohesion", "friction_angle", "shear_modulus", "sinkage_exponent", "k_c", "k_phi")


@pytest.mark.parametrize("number", range(1, len(SOILS) + 1))
def test_a_number_means_a_soil_of_the_data_file(bench: Any, number: int) -> None:
    found, wanted = bench(FlatSoil, soil=number).out(), soil(SOILS[number - 1])
    for w in ("fl", "rr"):
        for name in (*MEMBERS, "surface"):
            assert found[f"ground_{w}.{name}"] == pytest.approx(getattr(wanted, name), rel=1e-15)
        assert found[f"ground_{w}.unit_weight"] == (wanted.unit_weight or 15e3)


def test_without_a_number_the_values_given_are_the_soil(bench: Any) -> None:
    given = {"cohesion": 123.0, "shear_modulus": 0.01, "sinkage_exponent": 1.3, "k_c": 7.0, "k_phi": 8e5}
    found = bench(FlatSoil, soil=0, friction_angle=30.0, unit_weight=14e3, **given).out()
    assert {name: found[f"ground_fr.{name}"] for name in given} == pytest.approx(given)
    assert found["ground_fr.friction_angle"] == pytest.approx(np.radians(30.0))
    assert found["ground_fr.unit_weight"] == 14e3
    assert bench(FlatSoil).out()["ground_fr.k_phi"] == 1.515e6, "sandy loam otherwise"


def test_its_plane_is_that_of_a_road(bench: Any) -> None:
    found = bench(FlatSoil, grade=0.75, height=2.0, friction=[0.1, 0.2, 0.3, 0.4]).out()
    assert found["ground_rl.normal"] == pytest.approx([-0.6, 0.0, 0.8])
    assert found["ground_rl.point"] == pytest.approx([0.0, 0.0, 2.0])
    assert found["ground_rl.friction"] == 0.3
