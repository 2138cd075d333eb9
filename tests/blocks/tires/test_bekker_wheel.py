"""A rigid wheel in soil by Bekker's pressure: its load at a sinkage against an integral, and what it passes on."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from drawbar.blocks.tires.bekker_wheel import BekkerWheel

# a frictionless, cohesionless soil takes no shear stress, so the pressure alone carries the wheel
K_PHI, RADIUS, WIDTH = 1.5e6, 0.47, 0.318
SMOOTH = {"ground.sinkage_exponent": 1.0, "ground.k_phi": K_PHI}


def sunk(depth: float, **values: Any) -> dict[str, Any]:
    return {"hub.position": [0.0, 0.0, RADIUS - depth], **values}


@pytest.mark.parametrize("depth", [0.02, 0.05, 0.1])
def test_the_load_is_the_integral_of_the_pressure(bench: Any, depth: float) -> None:
    """Ahead of its largest value the pressure is that of the depth; behind it mirrors this down to the exit."""
    entry = np.arccos(1.0 - depth / RADIUS)
    peak = 0.4 * entry

    def pressure(theta: float) -> float:
        image = theta if theta > peak else entry - theta * (entry - peak) / peak
        return K_PHI * RADIUS * (np.cos(image) - np.cos(entry))

    load = (
        WIDTH * RADIUS * sum(quad(lambda a: pressure(a) * np.cos(a), *ends)[0] for ends in ((0.0, peak), (peak, entry)))
    )
    found = bench(BekkerWheel).out(**sunk(depth, **SMOOTH))
    assert found["load"] == pytest.approx(load, rel=2e-3)
    assert found["sinkage"] == pytest.approx(depth)


def test_in_the_air_it_carries_nothing(bench: Any) -> None:
    found = bench(BekkerWheel).out(**sunk(-0.01, **SMOOTH))
    assert (found["load"], found["sinkage"], found["drawbar_pull"]) == (0.0, 0.0, 0.0)


def test_the_drawbar_pull_is_the_longitudinal_force_and_the_torque_drives_the_soil(bench: Any) -> None:
    soil = {
        "ground.sinkage_exponent": 0.7,
        "ground.k_phi": 1515e3,
        "ground.cohesion": 1700.0,
        "ground.friction_angle": 0.506,
    }
    found = bench(BekkerWheel).out(**sunk(0.05, s=0.4, turning=4.0, **{"hub.velocity": [1.2, 0.0, 0.0]}, **soil))
    assert found["drawbar_pull"] == found["force_x"] == pytest.approx(found["hub.force"][0])
    assert found["torque"] < 0.0


def test_for_the_initial_equilibrium_it_is_a_spring_that_carries_the_rated_load(bench: Any) -> None:
    """At the height where that spring carries the rated load, the soil carries about as much."""
    wheel = bench(BekkerWheel)
    spring = wheel.out(**sunk(0.05, **SMOOTH))
    height = spring["hub.radius"] - 6000.0 / spring["hub.stiffness"]
    load = wheel.out(**{"hub.position": [0.0, 0.0, height]}, **SMOOTH)["load"]
    assert load == pytest.approx(6000.0, rel=0.05)
