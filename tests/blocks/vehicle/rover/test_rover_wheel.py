"""The wheel of the rover: it carries its load, and a wheel that rolls backwards is its mirror image."""

from dataclasses import astuple

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.terrain.soil.soil_stress import SoilStress
from drawbar.blocks.terrain.soil.soils import soil
from drawbar.blocks.terrain.soil.tbf import TBF
from drawbar.blocks.tires.relaxation import Relaxation
from drawbar.blocks.vehicle.rover.rover_wheel import RoverWheel

LAW, RELAXATION = TBF(0.075, 0.08), Relaxation(0.05, 0.05, 0.02, 0.1)
LOAM = SoilStress.of(soil("tbf_sandy_loam"))


def wheel(motion: tuple[float, float, float], slips: tuple[float, float]) -> dict[str, np.ndarray]:
    found = RoverWheel.of(LAW, LOAM, 45.0, RELAXATION, motion, slips)
    values = {"forces": ca.vertcat(*astuple(found.forces)), "rates": ca.vertcat(*found.rates), "sinkage": found.sinkage}
    return {name: np.array(ca.DM(value)).ravel() for name, value in values.items()}


@pytest.mark.parametrize("slip", [0.0, 0.2, 0.6])
def test_it_carries_its_load_at_some_sinkage(slip: float) -> None:
    found = wheel((1.0, 0.0, 1.0 / (1.0 - slip)), (slip, 0.1))
    assert found["forces"][2] == pytest.approx(45.0, rel=0.02)
    assert 0.0 < found["sinkage"][0] < 0.04


def test_backwards_it_is_the_mirror_image_of_forwards() -> None:
    forward, backward = wheel((1.0, -0.1, 1.2), (0.2, 0.1)), wheel((-1.0, -0.1, -1.2), (-0.2, 0.1))
    np.testing.assert_allclose(backward["forces"], forward["forces"] * [-1, 1, 1, 1, -1, -1], rtol=1e-12)
    assert backward["sinkage"] == forward["sinkage"]
    np.testing.assert_allclose(backward["rates"], forward["rates"] * [-1, 1], rtol=1e-12, atol=1e-12)
