"""A plane under four wheels."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.terrain.ground.ground import Ground


def test_by_default_it_is_what_a_wheel_without_a_ground_takes(bench: Any) -> None:
    found = bench(FlatRoad).out()
    for name, member in Ground.members().items():
        if not member.back:
            start = np.ravel(member.options.get("start", 0.0))
            for w in ("fl", "fr", "rl", "rr"):
                assert np.ravel(found[f"ground_{w}.{name}"]) == pytest.approx(
                    np.broadcast_to(start, np.size(found[f"ground_{w}.{name}"]))
                )


def test_a_slope_of_3_in_4(bench: Any) -> None:
    road = bench(FlatRoad, grade=0.75, height=2.0).out()
    assert road["ground_rl.normal"] == pytest.approx([-0.6, 0.0, 0.8])
    assert road["ground_rl.point"] == pytest.approx([0.0, 0.0, 2.0])
    bank = bench(FlatRoad, bank=-0.75).out()
    assert bank["ground_fr.normal"] == pytest.approx([0.0, 0.6, 0.8]), "falls to the left"


def test_a_split_road(bench: Any) -> None:
    road = bench(FlatRoad, friction=[0.1, 0.8, 0.1, 0.8]).out()
    assert [road[f"ground_{w}.friction"] for w in ("fl", "fr", "rl", "rr")] == [0.1, 0.8, 0.1, 0.8]
