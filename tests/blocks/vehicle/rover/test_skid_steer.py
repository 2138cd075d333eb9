"""The speed control of a vehicle that steers by the difference of its wheels."""

from collections.abc import Callable
from typing import Any

import pytest

from drawbar.blocks.vehicle.rover.skid_steer import SkidSteer


def test_left_and_right_wheels_are_asked_for_what_rolling_needs(bench: Callable[..., Any]) -> None:
    b = bench(SkidSteer)
    # 1 m/s and 0.5 rad/s: half the track of 1.12 m to either side
    left, right = (1.0 - 0.28) / 0.3, (1.0 + 0.28) / 0.3
    drive = b.out(speed=1.0, yaw_rate=0.5, spin=[left, right, left, right])["drive"]
    assert drive == pytest.approx([0.0] * 4, abs=1e-12)
    drive = b.out(speed=1.0, yaw_rate=0.5, spin=[left - 1.0, right, left, right + 1.0])["drive"]
    assert drive == pytest.approx([40.0, 0.0, 0.0, -40.0])


def test_torque_speed_and_turn_have_limits(bench: Callable[..., Any]) -> None:
    b = bench(SkidSteer)
    assert b.out(speed=100.0)["drive"] == pytest.approx([200.0] * 4)
    assert b.out(speed=100.0, spin=[5.0 / 0.3] * 4)["drive"] == pytest.approx([0.0] * 4, abs=1e-12)
    turning = [-4.0 * 0.56 / 0.3, 4.0 * 0.56 / 0.3] * 2
    assert b.out(yaw_rate=9.0, spin=turning)["drive"] == pytest.approx([0.0] * 4, abs=1e-12)


def test_the_integral_part_stands_at_the_limit_and_comes_back(bench: Callable[..., Any]) -> None:
    b = bench(SkidSteer)
    assert b.ode(speed=1.0)["integral_torque"] == pytest.approx([400.0 / 0.3] * 4)
    assert b.ode(speed=5.0)["integral_torque"] == pytest.approx([0.0] * 4)
    assert b.ode(speed=-1.0, integral_torque=[300.0] * 4)["integral_torque"] == pytest.approx([-400.0 / 0.3] * 4)
