"""The hard stops of suspension and steering: drops, steering beyond the lock, wheels lifted and driven at the lock."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle

Car = Callable[..., Any]
# m, of the springs where the dampers are as short and as long as the data say
SHORTEST = np.array([0.1477, 0.1477, 0.2152, 0.2152])
LONGEST = np.array([0.3128, 0.3128, 0.3796, 0.3796])
LOCK = 30.0 * 26.0  # degrees, of the steering wheel


def dropped(drive: Car, height: float, **starts: float) -> Any:
    car = drive(speed=5.0, **starts)
    car.ground(point=[0.0, 0.0, -height])
    return car.run(2.0, ["spring_length", "wheel_load", "margin"])


@pytest.mark.parametrize(("height", "beyond"), [(1.0, 0.01), (8.0, 0.031)])
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


def lifted(drive: Car, wheel: str, steering: float, **starts: float) -> Any:
    """One front wheel hangs in the air and is driven, and it turns on the three others, loaded in the rear.

    The spin of the wheel rises without bound, and with it the gyroscopic couple that turns upright and arm.
    """
    car = drive(speed=3.0, payload_mass=800.0, payload_position=[-1.5, 0.0, 0.5], **starts)
    torques = [1200.0 * (w == wheel) for w in ("fl", "fr", "rl", "rr")]
    car.set(**{f"ground_{wheel}__point": [0.0, 0.0, -2.0]}, drive=torques, steering_wheel=steering)
    return car.run(4.0, ["spring_length", "wheel_load", "wheel_speed", "margin"])


@pytest.mark.parametrize(("wheel", "steering"), [("fl", 13.6), ("fl", 17.3), ("fr", -17.3)])
def test_a_lifted_wheel_that_is_driven_at_the_lock_leaves_its_arm_within_its_travel(
    drive: Car, wheel: str, steering: float
) -> None:
    run = lifted(drive, wheel, steering)
    i = ("fl", "fr").index(wheel)
    assert (run["wheel_load"][200:, i] == 0.0).all()
    assert run["wheel_speed"][-1, i] > 400.0
    assert (run["spring_length"].max(axis=0) < LONGEST + 0.007).all()
    assert (run["spring_length"].min(axis=0) > SHORTEST - 0.007).all()
    assert run["margin"].min() > 0.12


def test_without_stops_at_the_ends_of_the_dampers_that_wheel_opens_a_loop(drive: Car) -> None:
    """Negative control."""
    with pytest.raises(AssertionError, match="the suspension loops of the wheel fl close"):
        lifted(drive, "fl", 13.6, end_stop_stiffness=0.0)


def test_they_are_slower_than_the_bounds_that_explicit_steps_keep_to(bench: Any) -> None:
    """Arms and Pitman arm anywhere at the ends of their travels, in the air: no eigenvalue is above the bounds.

    And the bounds are below the 1000 1/s that RK4 bears in one step of 2.5 ms.
    """
    b = bench(HmmwvVehicle)
    model, rng = b.model, np.random.default_rng(1)
    ends = np.array([[-0.35, 0.47]] * 2 + [[-0.40, 0.40]] * 2)
    none, u = np.zeros(0), b.pack("u", {})
    found, largest = [], 0.0
    for _ in range(40):
        arm = ends[range(4), rng.integers(0, 2, 4)] + 0.01 * rng.normal(size=4)
        pitman = rng.choice([-1, 0, 1]) * (np.radians(30.0) + 0.01 * rng.random())
        x = b.pack("x", {"z": 10.0, "q_w": 1.0, "v": [10.0, 0.0, 0.0], "arm": arm, "pitman": pitman})
        if float(b.unpack("y", np.asarray(model.out(0.0, x, none, u, b.p)).ravel())["margin"]) < 0.02:
            continue
        by = [np.asarray(model.ode(0.0, x + d, none, u, b.p)).ravel() for e in 1e-7 * np.eye(len(x)) for d in (e, -e)]
        jacobian = np.column_stack([(more - less) / 2e-7 for more, less in zip(by[::2], by[1::2], strict=True)])
        bounds = dict(
            zip(
                model.stability_bounds.names,
                np.asarray(model.stability_bounds.bounds(0.0, x, none, u, b.p)).ravel(),
                strict=True,
            )
        )
        stops = max(v for name, v in bounds.items() if "stops" in name)
        largest = max(largest, stops)
        found.append(np.abs(np.linalg.eigvals(jacobian)).max() / max(bounds.values()))
    assert len(found) > 30
    assert max(found) < 1.0
    assert 400.0 < largest < 1000.0


def test_the_margin_is_far_from_zero_within_the_travel_and_negative_beyond(bench: Any) -> None:
    b = bench(HmmwvVehicle)

    def margin(front: float, pitman: float = 0.0) -> float:
        out = b.out(z=10.0, q_w=1.0, arm=[front, front, -0.2, -0.2], pitman=pitman)
        return float(out["margin"])

    lock = np.radians(30.0)
    assert min(margin(a, p) for a in (-0.33, 0.0, 0.4) for p in (-lock, 0.0, lock)) > 0.1
    falling = [margin(a) for a in (-0.33, -0.5, -0.7, -0.9)]
    assert (np.diff(falling) < 0.0).all()
    assert margin(-1.2) < 0.0 < margin(0.0) <= 1.0
