"""Every wheel under a quarter of a car: dropped, rolling, locked, spinning in place, backwards, parked on a slope."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.terrain.bekker_wheel import BekkerWheel
from drawbar.blocks.terrain.fiala_tire import FialaTire
from drawbar.blocks.terrain.soft_tire import SoftTire
from drawbar.blocks.terrain.surface_tire import SurfaceTire
from drawbar.orchestrator.run import Run

G = 9.80665
MASS, WEIGHT = 640.0, 640.0 * G
LOAM = {"sinkage_exponent": 0.7, "k_c": 5300.0, "k_phi": 1515e3, "cohesion": 1700.0, "friction_angle": 0.506}
ON_LOAM = {f"ground.{name}": value for name, value in LOAM.items()}
FINE = {"ground.surface": 4, "ground.cone_index": 8e5, "radius": 0.47}
WHEELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "Fiala": (FialaTire, {}),
    "dry": (SurfaceTire, {"radius": 0.47}),
    "fine soil": (SurfaceTire, FINE),
    "coarse soil": (SurfaceTire, {**FINE, "ground.surface": 5}),
    "Bekker": (BekkerWheel, ON_LOAM),
    "anisotropic": (BekkerWheel, {**ON_LOAM, "anisotropic": True}),
    "soft": (SoftTire, ON_LOAM),
}
Ride = Callable[..., Run]


@pytest.fixture(params=list(WHEELS))
def ride(request: pytest.FixtureRequest, drive_quarter: Ride) -> Ride:
    wheel, values = WHEELS[request.param]

    def run(**rest: Any) -> Run:
        return drive_quarter(wheel, **values | rest)

    return run


def moving(v: float) -> dict[str, Any]:
    return {"v": [v, 0.0, 0.0], "p": [0.0, 0.0, 0.44]}


def test_dropped_it_comes_to_rest_at_the_load(ride: Ride) -> None:
    load = ride(body={"p": [0.0, 0.0, 0.60]}, stop=4.0)["wheel.load"]
    assert load[0] == 0.0
    assert 1.5 * WEIGHT < load.max() < 14.0 * WEIGHT
    assert load.min() >= 0.0
    assert load[-500:] == pytest.approx(np.full(500, WEIGHT), rel=5e-3)


def test_it_rolls_out(ride: Ride) -> None:
    """On soil it comes to rest, and nothing throws it back; a road without rolling resistance lets it roll."""
    run = ride(body=moving(1.0), stop=15.0)
    v = run["body.v"][:, 0]
    assert v.max() < 1.01
    assert v.min() > -0.05
    assert np.diff(v[300:]).max() < 1e-3
    on_dry = run["wheel.hub.spin"][300] * 0.47 / v[300] == pytest.approx(1.05, abs=0.01) and v[-1] > 0.99
    assert on_dry or v[-1] < 0.1


def test_a_locked_wheel_stops_and_stays(ride: Ride) -> None:
    run = ride(body=moving(3.0), brake=20000.0, stop=6.0)
    assert np.abs(run["wheel.hub.spin"][500:]).max() < 0.3
    assert np.abs(run["body.v"][-500:, 0]).max() < 2e-2
    assert run["body.p"][-1, 0] > 0.3


def test_spinning_in_place_it_pulls_and_its_torque_turns_it(ride: Ride) -> None:
    run = ride(body={"free": [0.0, 0.0, 1.0]}, drive=9000.0, stop=1.0)
    assert run["wheel.slip"][-1] == pytest.approx(1.0, abs=0.02)
    spin = run["wheel.hub.spin"]
    assert (np.diff(spin[10:]) > 0.0).all()
    assert 0.1 * WEIGHT < run["wheel.force_x"][-1] < 1.3 * WEIGHT


def test_driven_backwards_it_is_the_mirror_of_forwards(ride: Ride) -> None:
    ahead, back = (ride(drive=torque, stop=2.0) for torque in (1500.0, -1500.0))
    assert ahead["body.v"][-1, 0] > 0.3
    assert back["body.p"][:, 0] == pytest.approx(-ahead["body.p"][:, 0], abs=2e-2 * ahead["body.p"][-1, 0])


def test_braked_on_a_slope_of_30_percent_it_does_not_creep(ride: Ride) -> None:
    run = ride(slope=0.3, brake=20000.0, stop=60.0)
    v = run["body.v"][:, 0]
    assert abs(v[10000:].mean()) < 1e-4
    assert np.abs(v[-1000:]).max() < 1e-3
    assert run["wheel.force_x"][-1] == pytest.approx(WEIGHT * 0.3 / np.hypot(0.3, 1.0), rel=5e-3)


@pytest.mark.parametrize(
    ("wheel", "values", "mu"),
    [
        (FialaTire, {"ground.friction": 0.08}, 0.08 * 0.5568 / 0.8),
        (SurfaceTire, {"ground.surface": 3, "radius": 0.47}, 0.0963),
    ],
)
def test_braked_on_ice_it_slides_down(drive_quarter: Ride, wheel: Any, values: dict[str, Any], mu: float) -> None:
    """At ``g (sin - mu cos)`` with the friction of full slide: of UMIN for Fiala, of the curve at slip 1 for ice."""
    run = drive_quarter(wheel, slope=0.3, brake=20000.0, stop=4.0, **values)
    v = np.hypot(run["body.v"][:, 0], run["body.v"][:, 2])
    length = np.hypot(0.3, 1.0)
    assert (v[-1] - v[-1001]) / 1.0 == pytest.approx(G * (0.3 - mu) / length, rel=0.01)
