"""The bench for one wheel: its motion, and what it tells of the wheel."""

from typing import Any

import pytest

from drawbar.blocks.tires.single_wheel_tester import SingleWheelTester

R, OMEGA = 0.47, 4.0


def at_slip(bench: Any, slip: float, **values: Any) -> Any:
    return bench(SingleWheelTester, first=slip, last=slip).out(**{"hub.spin": OMEGA, "z": 0.43, **values})


@pytest.mark.parametrize(("slip", "speed"), [(0.0, 1.88), (0.25, 1.41), (1.0, 0.0), (-0.2, 2.35)])
def test_it_goes_at_the_speed_of_the_slip(bench: Any, slip: float, speed: float) -> None:
    found = at_slip(bench, slip)
    assert found["speed"] == pytest.approx(speed)
    assert found["hub.velocity"] == pytest.approx([speed, 0.0, 0.0])
    assert found["slip"] == pytest.approx(slip)


def test_efficiency_is_power_over_power(bench: Any) -> None:
    found = at_slip(bench, 0.25, **{"hub.force": [900.0, 0.0, 6000.0], "lag": 0.2})
    assert found["drive"] == found["torque"] == pytest.approx(500.0 * 0.2 / 0.1)
    assert found["efficiency"] == pytest.approx(900.0 * 1.41 / (1000.0 * OMEGA))
    assert found["sinkage"] == pytest.approx(0.04)
    towed = at_slip(bench, 0.25, **{"hub.force": [-900.0, 0.0, 6000.0], "lag": 0.2})
    assert towed["efficiency"] == 0.0


def test_the_dead_load_is_free_up_and_down(bench: Any) -> None:
    rate = bench(SingleWheelTester).ode(**{"hub.force": [0.0, 0.0, 9000.0], "rising": 0.1, "hub.spin": 3.0})
    assert rate["rising"] == pytest.approx((9000.0 - 6000.0 - 200.0) / (6000.0 / 9.80665))
    assert rate["lag"] == pytest.approx(1.0)
