"""Torques for a wanted acceleration, and what the vehicle makes of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.drivetrain.wheel_torque import WheelTorque

G = 9.80665


def test_driving_and_braking_exclude_each_other(bench: Any) -> None:
    torque = bench(WheelTorque)
    for acceleration in (-5.0, -0.2, -0.1471, 0.0, 2.0):
        found = torque.out(acceleration=acceleration)
        assert min(found["drive"].max(), found["brake"].max()) == 0.0
        assert (found["drive"] >= 0.0).all()
        assert (found["brake"] >= 0.0).all()
        assert found["drive"].min() == found["drive"].max()


def test_the_front_brakes_have_their_share_and_the_sum_is_that_of_equal_brakes(bench: Any) -> None:
    """2000 kg at -3 m/s2 on wheels of 0.5 m without inertia: 3 kN.m less 147.1 N.m of rolling resistance."""
    plain = {"mass": 2000.0, "radius": 0.5, "inertia": 0.0}
    total = (2000.0 * 3.0 - 0.015 * 2000.0 * G) * 0.5
    found = bench(WheelTorque, **plain, front_brake_share=0.65).out(acceleration=-3.0)["brake"]
    assert found == pytest.approx(np.array([0.325, 0.325, 0.175, 0.175]) * total)
    assert bench(WheelTorque, **plain).out(acceleration=-3.0)["brake"] == pytest.approx([total / 4] * 4)
    driven = bench(WheelTorque, **plain, front_brake_share=0.65).out(acceleration=1.0)
    assert driven["brake"].max() == 0.0 and driven["drive"].min() == driven["drive"].max() > 0.0


def test_rolling_steadily_takes_the_rolling_resistance(bench: Any) -> None:
    found = bench(WheelTorque, mass=2000.0, radius=0.5).out(acceleration=0.0)
    assert found["drive"] == pytest.approx([0.015 * 2000.0 * G * 0.5 / 4] * 4)


@pytest.mark.parametrize("wanted", [1.5, -2.0])
def test_the_vehicle_accelerates_as_wanted(bench: Any, drive: Callable[..., Any], wanted: float) -> None:
    torque = bench(WheelTorque).out(acceleration=wanted)
    car = drive(speed=15.0)
    car.set(drive=torque["drive"], brake=torque["brake"])
    car.run(1.5)
    run = car.run(0.5, ["a"])
    assert run["a"][:, 0].mean() == pytest.approx(wanted, rel=0.02)


def test_the_mass_is_that_of_the_vehicle(drive: Callable[..., Any]) -> None:
    mass = next(port.start[0] for port in WheelTorque.model().p if port.name == "mass")
    assert drive().get("wheel_load").sum() == pytest.approx(mass * G, rel=1e-9)
