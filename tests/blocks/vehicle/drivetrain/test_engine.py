"""The engine map by hand values, with its governors."""

from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.drivetrain.powertrain import Powertrain

RPM = np.pi / 30.0


def test_the_engine_gives_330_newton_metres_and_110_kilowatts(bench: Any) -> None:
    b = bench(Powertrain)
    assert b.out(engine_speed=200.0, throttle=1.0)["engine_torque"] == pytest.approx(330.0)
    for rpm in (3300.0, 3450.0, 3600.0):
        assert b.out(engine_speed=rpm * RPM, throttle=1.0)["engine_power"] == pytest.approx(110e3, rel=1e-3)
    power = b.out(engine_speed=3600.0 * RPM, throttle=1.0)["engine_power"]
    assert power / 745.7 == pytest.approx(150.0, rel=0.02), "the published horsepower"
    assert b.out(engine_speed=3960.0 * RPM, throttle=1.0)["engine_torque"] < 0.0, "its governor has cut the fuel"


def test_half_a_throttle_is_half_way_between_driving_and_motored(bench: Any) -> None:
    b = bench(Powertrain)
    closed, half, full = (b.out(engine_speed=209.44, throttle=a)["engine_torque"] for a in (0.0, 0.5, 1.0))
    assert closed == pytest.approx(-70.0)
    assert half == pytest.approx((closed + full) / 2.0)


def test_below_idle_the_governor_gives_fuel(bench: Any) -> None:
    b = bench(Powertrain)
    torques = [b.out(engine_speed=w)["engine_torque"] for w in (40.0, 60.0, 75.0)]
    assert torques[0] == pytest.approx(330.0)
    assert 0.0 < torques[1] < 330.0
    assert torques[2] < 0.0
