"""The search for the equilibrium in which the HMMWV starts: any vehicle near this one, on any slope, from any guess."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import FmuError
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends import newton
from drawbar.fmus.backends.interpreted import InterpretedInstance

Car = Callable[..., Any]
G = 9.80665
WHEELS = ("fl", "fr", "rl", "rr")
HELD = 4000.0  # N m, what a brake holds
IN_DROOP = {"arm": [-0.0948, -0.0948, -0.2108, -0.2108], "z": 0.52}  # where softer springs hold the arms


def random_vehicle(seed: int) -> tuple[dict[str, Any], float]:
    """Springs, masses, tires, heading and slope at random, and the weight that the wheels carry."""
    rng = np.random.default_rng(seed)
    rise = rng.normal(0.0, 0.25, 2).clip(-0.6, 0.6)
    normal = np.array([-rise[0], -rise[1], 1.0]) / np.sqrt(1.0 + rise @ rise)
    vehicle: dict[str, Any] = {
        "heading": rng.uniform(-np.pi, np.pi),
        "front_spring_free": rng.uniform(0.30, 0.36),
        "rear_spring_free": rng.uniform(0.32, 0.41),
        "front_spring_rate": 167062.0 * rng.uniform(0.5, 2.0),
        "rear_spring_rate": 302619.0 * rng.uniform(0.5, 2.0),
        "chassis_com": [0.056, 0.0, rng.uniform(0.1, 0.6)],
        "chassis_mass": rng.uniform(1700.0, 3000.0),
        "payload_mass": rng.uniform(0.0, 800.0),
        "tire_stiffness": 326332.0 * rng.uniform(0.6, 2.0),
        "brake": HELD,
    }
    ground = {f"ground_{w}__{name}": v for w in WHEELS for name, v in (("normal", normal), ("point", [0.0, 0.0, 3.0]))}
    return vehicle | ground, (2573.138 - 2086.52 + vehicle["chassis_mass"] + vehicle["payload_mass"]) * G


def stands(drive: Car, seed: int, **guess: Any) -> None:
    vehicle, weight = random_vehicle(seed)
    car = drive(**vehicle, **guess)
    load = car.get("wheel_load")
    assert (load >= 0.0).all()
    normal = vehicle["ground_fl__normal"]
    # what the tires hold along the slope is a part of the weight, and wheels lean
    assert load.sum() == pytest.approx(weight * normal[2], rel=0.05), seed
    assert np.abs(car.get("a")).max() < 0.5, seed


@pytest.mark.parametrize("guess", [{}, IN_DROOP], ids=["as declared", "in droop"])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 10, 66])
def test_random_vehicles_on_random_slopes_find_their_rest(drive: Car, seed: int, guess: dict[str, Any]) -> None:
    stands(drive, seed, **guess)


@pytest.mark.slow
def test_five_hundred_random_vehicles_on_random_slopes_find_their_rest(drive: Car) -> None:
    for seed in range(500):
        stands(drive, seed)


@pytest.mark.parametrize("free", [(0.317, 0.3425), (0.3195, 0.3425), (0.32, 0.345), (0.30, 0.32)])
def test_it_stands_at_any_ride_height(drive: Car, free: tuple[float, float]) -> None:
    car = drive(front_spring_free=free[0], rear_spring_free=free[1], **IN_DROOP)
    assert car.get("wheel_load").sum() == pytest.approx(2573.138 * G, rel=1e-9)


def test_where_each_search_begins_with_a_full_step_it_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: that step leads away from the ground, whatever comes after."""
    values: dict[str, float] = {}
    for name, value in ({**random_vehicle(66)[0], **IN_DROOP}).items():
        size = {"brake": 4}.get(name, np.size(value))
        numbers = np.broadcast_to(np.ravel(value), (size,))
        name = name.replace("__", ".")
        values |= {name: float(value)} if size == 1 else {f"{name}[{i}]": float(v) for i, v in enumerate(numbers, 1)}
    limited = newton._limited

    def full_first(step_limit: float, full: bool, *rest: Any) -> Any:
        return limited(step_limit, True, *rest)

    monkeypatch.setattr(newton, "_limited", full_first)
    car = InterpretedInstance(HmmwvVehicle, "car")
    car.initialize(0.0, values)
    with pytest.raises(FmuError, match="no start value found for 'z'"):
        car.start()
