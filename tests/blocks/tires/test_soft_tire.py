"""The deformable tire in soil: carried by firm soil, and towed in weak soil."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.soil.soils import soil
from drawbar.blocks.tires.soft_tire import SoftTire
from drawbar.orchestrator.runs.run import Run

G = 9.80665
MASS, WEIGHT = 640.0, 640.0 * G
LOAM = {"sinkage_exponent": 0.7, "k_c": 5300.0, "k_phi": 1515e3, "cohesion": 1700.0, "friction_angle": 0.506}
ON_LOAM = {f"ground.{name}": value for name, value in LOAM.items()}
Ride = Callable[..., Run]


def moving(v: float) -> dict[str, Any]:
    return {"v": [v, 0.0, 0.0], "p": [0.0, 0.0, 0.44]}


@pytest.mark.parametrize("name", ["heavy_clay_25", "lean_clay_WES_22", "LETE_sand"])
def test_a_soft_tire_is_carried_by_firm_soil(drive_quarter: Ride, name: str) -> None:
    """Where the soil hardly gives way the tire moves faster than its steps, which are parted for it."""
    found = soil(name)
    members = ("sinkage_exponent", "k_c", "k_phi", "cohesion", "friction_angle", "shear_modulus")
    run = drive_quarter(SoftTire, **{f"ground.{m}": getattr(found, m) for m in members})
    assert run["wheel.load"][-500:] == pytest.approx(np.full(500, WEIGHT), rel=5e-3)


def test_a_towed_soft_tire_turns_forwards_in_weak_soil(drive_quarter: Ride) -> None:
    weak = {**ON_LOAM, "ground.cohesion": 500.0, "ground.friction_angle": 0.1}
    run = drive_quarter(SoftTire, body=moving(2.0), stop=0.5, **weak)
    assert run["wheel.hub.spin"].min() > 2.0
