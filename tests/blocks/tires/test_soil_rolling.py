"""Rolling in soil: a rising wheel, and one that turns against its travel."""

from typing import Any

import pytest

from drawbar.blocks.tires.bekker_wheel import BekkerWheel
from drawbar.blocks.tires.soft_tire import SoftTire

LOAM = {"sinkage_exponent": 0.7, "k_c": 5300.0, "k_phi": 1515e3, "cohesion": 1700.0, "friction_angle": 0.506}
ON_LOAM = {f"ground.{name}": value for name, value in LOAM.items()}


def test_a_wheel_that_rises_loses_its_grip_with_its_load(bench: Any) -> None:
    """Else it would pull without load: at 1 m/s upwards the soil carries nothing."""
    at = {"hub.position": [0.0, 0.0, 0.42], "turning": 2.0 / 0.47, "s": 0.3}
    grip = {}
    for up in (-0.5, 0.0, 0.5, 0.9, 1.0):
        seen = bench(BekkerWheel).out(**at, **ON_LOAM, **{"hub.velocity": [1.4, 0.0, up]})
        grip[up] = float(seen["force_x"]), float(seen["load"])
    assert grip[0.5][0] / grip[0.5][1] == pytest.approx(grip[0.0][0] / grip[0.0][1], rel=1e-9)
    assert grip[1.0] == (0.0, 0.0)
    assert grip[-0.5][1] > grip[0.0][1], "sinking, the load is larger"
    assert grip[-0.5][0] == pytest.approx(grip[0.0][0], rel=1e-9)


@pytest.mark.parametrize("wheel", [BekkerWheel, SoftTire])
def test_a_wheel_that_turns_against_its_travel_is_not_pushed_on(bench: Any, wheel: Any) -> None:
    """Deep in loam, where the laws alone would give 20 kW."""
    at = {"hub.position": [0.0, 0.0, 0.29], "hub.velocity": [1.6, 0.0, 0.0], "turning": -1.77 / 0.47, "s": -1.0}
    assert float(bench(wheel).out(**at, **ON_LOAM)["force_x"]) <= 0.0
