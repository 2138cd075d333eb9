"""The hard stops of suspension and steering: drops, a steering wheel turned beyond the lock, lifted wheels at the lock."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Car = Callable[..., Any]
# m, of the springs where the dampers are as short and as long as the data say
SHORTEST = np.array([0.1477, 0.1477, 0.2152, 0.2152])
LONGEST = np.array([0.3128, 0.3128, 0.3796, 0.3796])
LOCK = 30.0 * 26.0  # degrees, of the steering wheel


def dropped(drive: Car, height: float, **starts: float) -> Any:
    car = drive(speed=5.0, **starts)
    car.ground(point=[0.0, 0.0, -height])
    return car.run(2.0, ["spring_length", "wheel_load", "margin"])


@pytest.mark.parametrize(("height", "beyond"), [(1.0, 0.01), (8.0, 0.03)])
def test_a_drop_stays_within_the_travel_but_for_what_the_stops_give(drive: Car, height: float, beyond: float) -> None:
    run = dropped(drive, height)
    assert (run["spring_length"].min(axis=0) > SHORTEST - beyond).all()
    assert (run["spring_length"].max(axis=0) < LONGEST + 0.01).all()
    assert run["wheel_load"].max() > 25e3
    assert run["margin"].min() > 0.1


def test_without_stops_at_the_ends_of_the_dampers_it_goes_farther(drive: Car) -> None:
    """Negative control: against the rubber stops alone."""
    assert (dropped(drive, 1.0, end_stop_stiffness=0.0)["spring_length"].min(axis=0)[:2] < SHORTEST[:2] - 0.02).all()


def turned(drive: Car, asked: float, **starts: float) -> float:
    """How far the Pitman arm turns, standing, degrees."""
    car = drive(brake=4000.0, **starts)
    for k in range(1, 201):
        car.set(steering_wheel=np.radians(asked) * k / 200)
        car.run(0.005)
    car.run(1.0)
    return float(np.degrees(-car.get("pitman")))


@pytest.mark.parametrize("asked", [LOCK + 200.0, 2.0 * LOCK, 3.0 * LOCK, -3.0 * LOCK])
def test_what_is_asked_beyond_the_lock_stays_there(drive: Car, asked: float) -> None:
    within = abs(turned(drive, asked))
    assert 29.0 < within < 30.0 + 1.0 + 0.025 * (abs(asked) - LOCK) / 26.0


def test_against_a_soft_stop_the_wheels_turn_on(drive: Car) -> None:
    """Negative control."""
    assert turned(drive, 3.0 * LOCK, pitman_stop_stiffness=1e5) > 45.0


@pytest.mark.parametrize("steering", [12.0, 13.6, 17.3, -17.3])
def test_a_lifted_wheel_that_is_driven_at_the_lock_leaves_its_arm_within_its_travel(
    drive: Car, steering: float
) -> None:
    """Its spin rises without bound, and with it the gyroscopic couple that turns upright and arm."""
    car = drive(speed=5.0)
    car.set(steering_wheel=steering, drive=963.0, twist=[np.sign(steering) * 25e3, 0.0, 0.0])
    run = car.run(1.0, ["spring_length", "wheel_load", "wheel_speed", "margin"])
    assert (run["wheel_load"][-20:] == 0.0).any()
    assert run["wheel_speed"].max() > 60.0
    assert (run["spring_length"].max(axis=0) < LONGEST + 0.012).all()
    assert run["margin"].min() > 0.03
