"""The vehicle moves as MuJoCo's tree of it does, and a mass that is a thousandth larger is seen."""

import runpy
from pathlib import Path
from typing import Any

import pytest

compare = runpy.run_path(str(Path(__file__).with_name("mujoco_motion.py")))["compare"]
LARGEST = 1e-8  # m
pytestmark = pytest.mark.slow  # half a minute each, nearly all of it for MuJoCo's side, which Python assembles


def distance(found: dict[str, Any]) -> float:
    return max(found["chassis_m"], found["wheels_m"])


def test_a_drop_is_that_of_mujoco() -> None:
    """Measured 2e-11 m. The wheels hang, reach the stops of the dampers, hit the ground and spring back."""
    found = compare("drop")
    assert distance(found) < LARGEST
    assert found["moved_up_or_down_m"] > 0.1
    assert found["loops_open_m"] < 1e-12


def test_a_step_of_the_steering_wheel_is_that_of_mujoco() -> None:
    """Measured 5e-10 m after 15 m of travel."""
    found = compare("steer")
    assert distance(found) < LARGEST
    assert found["sideways_m"] > 0.5
    assert found["loops_open_m"] < 1e-12


@pytest.mark.parametrize("body", ["chassis", "upright_fl"])
def test_a_mass_that_is_a_thousandth_larger_is_seen(body: str) -> None:
    """Negative control, of a heavy and of a light body."""
    assert distance(compare("steer", (body, 1.001), 0.1)) > 2 * LARGEST
