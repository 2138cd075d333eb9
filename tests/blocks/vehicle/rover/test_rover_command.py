"""The command of a rover for a circle without slip."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.rover.rover_command import RoverCommand


def four(value: Any) -> list[float]:
    return [float(v) for v in np.broadcast_to(value, 4)]


def test_the_command_lets_wheels_roll_about_one_point(bench: Any) -> None:
    """Each stands across the line to the centre of the circle, and turns by its distance from it."""
    found = bench(RoverCommand, curvature=0.8, speed=0.2).out(time=5.0)
    centre = np.array([0.0, 1.0 / 0.8])
    for i, (x, y) in enumerate([(0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2)]):
        to_centre = centre - [x, y]
        heading = np.array([np.cos(found["steer"][i]), np.sin(found["steer"][i])])
        assert heading @ to_centre == pytest.approx(0.0, abs=1e-12)
        assert found["wheel_speed"][i] * 0.085 == pytest.approx(0.2 * 0.8 * np.hypot(*to_centre))
    beside = bench(RoverCommand, curvature=2.0, half_track=0.5, speed=0.2).out(time=5.0)
    assert beside["steer"][0] == pytest.approx(np.pi / 2, abs=1e-5)
    assert beside["wheel_speed"][0] * 0.085 == pytest.approx(0.2 * 2.0 * 0.25)
    straight = bench(RoverCommand, curvature=0.0).out(time=0.5)
    assert straight["steer"] == pytest.approx(four(0.0))
    assert straight["wheel_speed"] == pytest.approx(four(0.5 * 0.15 / 0.085))
