"""The brake system: shares, lag, parking."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.drivetrain.brake_system import BrakeSystem

G = 9.80665
MASS, RADIUS, HEIGHT = 2573.138, 0.45, 0.923


def test_full_pressure_is_4_kilonewton_metres_in_front_and_less_behind(bench: Any) -> None:
    brake = bench(BrakeSystem).out(pressure=1.0)["brake"]
    assert brake == pytest.approx([4000.0, 4000.0, 4000.0 * 0.334, 4000.0 * 0.334])
    assert bench(BrakeSystem).out(pressure=0.1)["brake"] == pytest.approx([400.0] * 4), "up to the knee they are alike"


def test_pressure_reaches_63_percent_of_a_step_within_its_lag(bench: Any) -> None:
    step = bench(BrakeSystem).rk4(0.001)
    p, pedal = np.array([0.0]), np.array([1.0, 0.0])
    for _ in range(100):
        p = step(p, pedal)
    assert p[0] == pytest.approx(1.0 - np.exp(-1.0), rel=1e-6)


@pytest.mark.parametrize("pressure", [0.15, 0.3, 0.5, 0.83])
def test_the_front_uses_more_of_its_load_than_the_rear(bench: Any, pressure: float) -> None:
    """Static loads of 0.5151 in front, and the height of 0.923 m over the wheelbase of 3.302 m while braking."""
    brake = bench(BrakeSystem).out(pressure=pressure)["brake"]
    force = brake.reshape(2, 2).sum(axis=1) / RADIUS
    deceleration = force.sum() / MASS / G
    shift = deceleration * HEIGHT / 3.302
    front, rear = force / (MASS * G * np.array([0.5151 + shift, 0.4849 - shift]))
    assert deceleration < 0.81
    assert front >= rear


def test_the_parking_brake_holds_the_rear_wheels_beside_the_pedal(bench: Any) -> None:
    b = bench(BrakeSystem)
    assert b.out(parking=1.0)["brake"] == pytest.approx([0.0, 0.0, 2500.0, 2500.0])
    assert b.out(parking=1.0, pressure=0.1)["brake"] == pytest.approx([400.0, 400.0, 2500.0, 2500.0])
    assert b.out(parking=0.1, pressure=0.1)["brake"] == pytest.approx([400.0] * 4)


def test_parked_it_holds_on_a_slope_and_let_go_it_rolls(bench: Any, drive: Callable[..., Any]) -> None:
    normal = np.array([-0.3, 0.0, 1.0]) / np.hypot(0.3, 1.0)
    ground = {f"ground_{w}__normal": normal for w in ("fl", "fr", "rl", "rr")}
    system = bench(BrakeSystem)
    car = drive(**ground, brake=system.out(parking=1.0)["brake"])
    car.run(5.0)
    before = car.get("position")
    car.run(20.0, h=0.05)
    assert car.get("position") == pytest.approx(before, abs=1e-3)
    car.set(brake=system.out(parking=0.3)["brake"])
    car.run(2.0)
    assert car.get("position")[0] - before[0] < -0.5, "two wheels with 750 N.m do not"


def test_on_an_emergency_the_front_wheels_lock_first(bench: Any, drive: Callable[..., Any]) -> None:
    car, system = drive(speed=15.0), bench(BrakeSystem)
    locked = np.full(4, np.inf)
    for k in range(150):
        car.set(brake=system.out(pressure=1.0 - np.exp(-k * 0.01 / 0.1))["brake"])
        car.run(0.01)
        now = (np.abs(car.get("wheel_speed")) < 0.5) & (car.get("velocity")[0] > 1.0)
        locked = np.where(now & np.isinf(locked), car.now, locked)
    assert locked[:2].max() < locked[2:].min()
