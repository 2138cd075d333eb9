"""The HMMWV about standstill and off its wheels, by the explicit and by the implicit method."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

MASS, G = 2573.138, 9.80665
Car = Callable[..., Any]
SHORT = {"relaxation": 0.05}  # m: its slips are 40 times as fast as with the length that comes with it


@pytest.fixture(params=["rk4", "rosenbrock"])
def begin(request: pytest.FixtureRequest, drive: Car) -> Car:
    return lambda **starts: drive(method=request.param, **starts)


def sloping(rise: float) -> dict[str, Any]:
    normal = np.array([-rise, 0.0, 1.0]) / np.hypot(1.0, rise)
    return {f"ground_{w}__normal": normal for w in ("fl", "fr", "rl", "rr")}


@pytest.mark.parametrize("tires", [{}, SHORT], ids=["as it comes", "short"])
def test_parked_on_a_slope_it_stays(begin: Car, tires: dict[str, float]) -> None:
    car = begin(**sloping(0.3), **tires, brake=5000.0)
    car.run(4.0)
    place = car.get("position")
    run = car.run(1.0, ["velocity", "wheel_load"])
    assert np.abs(run["velocity"]).max() < 1e-4
    assert car.get("position") == pytest.approx(place, abs=1e-5)
    assert np.ptp(run["wheel_load"], axis=0).max() < 1.0, "N, no chatter"


@pytest.mark.parametrize("tires", [{}, SHORT], ids=["as it comes", "short"])
def test_it_creeps_along_the_circle_of_its_wheels(begin: Car, tires: dict[str, float]) -> None:
    """At 0.3 m/s nothing but geometry steers it, and drive makes up for the rolling resistance."""
    car = begin(speed=0.3, steering_wheel=4.0, **tires)
    car.set(drive=0.015 * MASS * G * 0.45 / 4)
    car.run(1.0)
    run = car.run(1.0, ["velocity", "yaw_rate", "wheel_speed", "wheel_load"])
    curvature = run["yaw_rate"] / run["velocity"][:, 0]
    steer = np.mean(car.get("wheel_steer")[:2]) - np.mean(car.get("wheel_steer")[2:])
    assert curvature.mean() == pytest.approx(np.tan(steer) / 3.302, rel=0.03)
    assert run["velocity"][:, 0] == pytest.approx(0.3, rel=0.05)
    assert np.abs(np.diff(run["wheel_speed"], n=2, axis=0)).max() < 2e-3, "rad/s, no chatter"


def test_it_reverses_through_standstill(begin: Car) -> None:
    car = begin(speed=1.0, steering_wheel=3.0)
    car.set(drive=-300.0)
    run = car.run(3.0, ["velocity", "yaw_rate"])
    speed, yaw_rate = run["velocity"][:, 0], run["yaw_rate"]
    assert speed[0] > 0.9
    assert speed[-1] < -1.0
    assert (np.diff(speed) < 0.01).all(), "all the way"
    assert yaw_rate[20] > 0.005
    assert yaw_rate[-1] < -0.02


def test_wheels_lift_and_come_back(begin: Car) -> None:
    car = begin(speed=10.0)
    car.set(external_moment=[22e3, 0.0, 0.0])
    car.run(0.6)
    assert car.get("wheel_load")[[0, 2]].tolist() == [0.0, 0.0]
    car.set(external_moment=[0.0, 0.0, 0.0])
    car.run(3.0)
    assert (car.get("wheel_load") > 5000.0).all()
    assert abs(car.get("roll")) < 0.02


def test_it_goes_on_where_it_rolls_over(begin: Car) -> None:
    car = begin(speed=10.0)
    car.set(external_moment=[40e3, 0.0, 0.0])
    car.run(0.5)
    car.set(external_moment=[0.0, 0.0, 0.0])
    car.run(1.0)
    assert car.get("tilt_cosine") < 0.3 and car.get("body_load") > 5e3


@pytest.mark.parametrize(
    ("sigma", "back", "still", "h"),
    [(2.0, 0.158, 2.0, 5e-3), (0.25, 0.032, 1.0, 5e-3), (0.05, 0.015, 1.0, 6.25e-4)],
    ids=str,
)
def test_after_a_full_stop_it_rocks_back_by_what_its_tires_are_soft(
    begin: Car, sigma: float, back: float, still: float, h: float
) -> None:
    """At rest a tire is a spring of stiffness C_S/sigma: 97 kN/m each with the length that comes with it.

    It sticks by its peak friction, below 0.25 m/s, so it holds more than it slid by. On the shortest tires a wheel
    swings at 300 rad/s, which implicit steps of 2.5 ms damp: they give 20 mm, and those of 0.6 ms 15 mm as RK4.
    """
    car = begin(speed=3.0, relaxation=sigma)
    car.set(brake=3000.0)
    stop = car.run(3.0, ["position", "velocity"], h)
    assert np.max(stop["position"][:, 0]) - stop["position"][-1, 0] == pytest.approx(back, rel=0.1)
    assert np.abs(stop["velocity"][round((0.4 + still) / h) :, 0]).max() < 0.01


@pytest.mark.parametrize("speed", [0.0, 0.3, 5.0])
def test_both_methods_drive_alike(drive: Car, speed: float) -> None:
    ends = []
    for method in ("rk4", "rosenbrock"):
        car = drive(method=method, speed=speed, **SHORT)
        car.set(drive=250.0, steering_wheel=1.0)
        run = car.run(1.0, ["position", "velocity", "roll"])
        ends.append(np.column_stack([run["position"], run["velocity"], run["roll"]]))
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-4)
    assert np.ptp(ends[0][:, 0]) > 0.1


def test_below_their_shortest_length_the_explicit_method_refuses_and_the_other_drives(drive: Car) -> None:
    for method in ("rk4", "rosenbrock"):
        car = drive(method=method, relaxation=0.01)
        if method == "rk4":
            assert car.instance.stepper()(0.0, 5e-3) == 3
            message = car.instance.messages()[-1]
            assert (
                "the rate of 'spin of the wheel fl against its slip, brake and differentials' is 60270 1/s" in message
            )
            assert "rk4 needs 58 parts of a step of 0.0025 s to stay stable" in message
        else:
            car.set(drive=200.0)
            car.run(0.5)
            assert car.get("velocity")[0] > 0.1
