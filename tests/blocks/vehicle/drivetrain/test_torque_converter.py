"""The torque converter between its points, without slip, and in overrun."""

from typing import Any

import pytest

from drawbar.blocks.vehicle.drivetrain.powertrain import Powertrain


def test_the_converter_between_its_points(bench: Any) -> None:
    """At 0.9 with K = 18 of 15 at stall, which is 10.376 (rad/s)/sqrt(N m) here: (w/12.452)^2, times 1.06."""
    found = bench(Powertrain).out(engine_speed=300.0, ratio=1.0, shaft_speed=270.0)
    assert found["impeller_torque"] == pytest.approx((300.0 / (188.496 / 330.0**0.5 * 18.0 / 15.0)) ** 2, rel=1e-4)
    assert found["turbine_torque"] == pytest.approx(1.06 * found["impeller_torque"])


def test_without_slip_it_transmits_nothing_and_beyond_the_wheels_drive(bench: Any) -> None:
    b = bench(Powertrain)
    torque = [b.out(engine_speed=200.0, ratio=1.0, shaft_speed=w)["turbine_torque"] for w in (199.9, 200.0, 200.1)]
    assert torque[0] > 0.0
    assert torque[1] == 0.0
    assert torque[2] == pytest.approx(-torque[0], rel=1e-2)


def test_a_converter_that_multiplies_too_much_would_give_work(bench: Any) -> None:
    """Negative control."""
    b = bench(Powertrain, torque_ratio=[2.0, 2.0, 2.5, 2.0, 1.06, 1.0], efficiency=1.0)
    assert b.out(engine_speed=200.0, ratio=1.0, shaft_speed=120.0, propshaft_speed=120.0)["loss"] < -1000.0
