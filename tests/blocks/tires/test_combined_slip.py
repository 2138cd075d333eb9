"""The force at combined slip, also of a vehicle on four tires: what slides is braked along its motion."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawbar.blocks.data.default_vehicle import TIRE
from drawbar.blocks.terrain.ground.flat_road import FlatRoad
from drawbar.blocks.tires.combined_slip import combined_forces, sliding_share
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.tires.surface_tire import SurfaceTire
from drawbar.blocks.vehicle.bodies.simple_body import SimpleBody
from drawbar.diagrams import Diagram
from drawbar.fmus.toolchain.compilers import find_compiler
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

SLIDING_RATIO = TIRE["mu_min"] / TIRE["mu_max"]
LOCK = 20000.0  # N m, of each brake: more than any wheel can transmit
Drive = Callable[..., Run]


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 2.0))
def test_two_laws_that_are_alike_give_one_of_the_slip(kappa: float, t: float, utilization: float) -> None:
    """As large as the law at the size of the slip, and opposite to the sliding, at any share of sliding."""
    size = np.hypot(kappa, t)
    laws = (lambda s: 100.0 * s, lambda s: 100.0 * s)
    found = combined_forces((100.0 * kappa, 100.0 * t), (kappa, t), laws, utilization)
    assert [float(f) for f in found] == pytest.approx([100.0 * kappa, 100.0 * t], rel=1e-6, abs=1e-6 + 1e-6 * size)


def test_the_share_of_sliding_is_that_of_the_brush() -> None:
    p = np.linspace(0.01, 1.0, 20)
    adhering, sliding = 3.0 * p * (1.0 - p) ** 2, p**2 * (3.0 - 2.0 * p)
    assert [float(sliding_share(value)) for value in p] == pytest.approx(sliding / (adhering + sliding))
    assert float(sliding_share(7.0)) == 1.0


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    def run(
        tire: Any = FialaTire,
        brakes: tuple[float, float] = (LOCK, LOCK),
        road: dict[str, Any] | None = None,
        values: dict[str, Any] | None = None,
        stop: float = 3.0,
        **starts: Any,
    ) -> Run:
        d = Diagram("sliding", step=2e-3, stop=stop)
        ground, body = d.add("road", FlatRoad, **road or {}), d.add("car", SimpleBody, **starts)
        for w in ("fl", "fr", "rl", "rr"):
            wheel = d.add(f"wheel_{w}", tire, brake=brakes[w[0] == "r"], **values or {})
            d.connect(getattr(ground, f"ground_{w}"), wheel.ground)
            d.connect(getattr(body, f"hub_{w}"), wheel.hub)
        backend = "interpreted" if find_compiler() is None else "native"
        return simulate(d, out=tmp_path / "run", backend=backend)

    return run


@pytest.mark.parametrize("tire", [FialaTire, SurfaceTire])
def test_a_locked_car_with_its_wheels_steered_slides_straight_on(drive: Drive, tire: Any) -> None:
    """From 20 m/s with 2 rad at the steering wheel; only until the wheels lock does it turn."""
    run = drive(tire, speed=20.0, steering_wheel=2.0)
    assert abs(run["car.velocity"][-1, 0]) < 8.0
    assert abs(run["car.position"][-1, 1]) < 1.0
    assert abs(run["car.yaw"][-1]) < 0.1


@pytest.mark.parametrize("tire", [FialaTire, SurfaceTire])
def test_negative_control_by_the_published_law_it_turns(drive: Drive, tire: Any) -> None:
    run = drive(tire, speed=20.0, steering_wheel=2.0, values={"published_law": True})
    assert abs(run["car.position"][-1, 1]) > 2.0


@pytest.mark.parametrize("tire", [FialaTire, SurfaceTire])
def test_a_car_with_a_locked_rear_axle_spins(drive: Drive, tire: Any) -> None:
    """It yaws by more than 45 degrees from a small steering angle; later it may roll over."""
    run = drive(tire, brakes=(0.0, LOCK), speed=15.0, steering_wheel=0.3, stop=2.6)
    yaw = np.abs(run["car.yaw"]).max()
    assert yaw > np.pi / 4.0


@pytest.mark.parametrize("speed", [-2.0, -0.5, 0.5, 2.0])
def test_a_locked_car_slides_down_a_slope_that_is_steeper_than_its_sliding_friction(drive: Drive, speed: float) -> None:
    """A slope of 30 % at a sliding friction of 0.21 and a peak of 0.37, from below 2.5 m/s.

    A car that slides uphill comes to rest and slides back, although one that is parked holds (the next test).
    """
    run = drive(road={"grade": 0.3, "friction": [0.21 / SLIDING_RATIO] * 4}, speed=speed, stop=6.0)
    time, v = run.time("car.velocity"), run["car.velocity"][:, 0] * np.hypot(1.0, 0.3)
    back = time > time[np.argmax(v < -0.1)]
    assert v[back].max() < -0.05, "never stops"
    sliding = time > 2.0
    slope = np.polyfit(time[sliding], v[sliding], 1)[0]
    assert slope == pytest.approx(-9.80665 * (0.3 - 0.21) / np.hypot(1.0, 0.3), rel=0.03)
    assert v[-1] < -2.0


@pytest.mark.parametrize("speed", [-1.0, -0.75, -0.5, -0.3, 1.0])
def test_it_slides_down_a_slope_that_is_hardly_steeper_than_its_sliding_friction(drive: Drive, speed: float) -> None:
    """On 22 % it slides faster all the time; wheels that stick in between, on the elastic brake, would stop it."""
    run = drive(road={"grade": 0.22, "friction": [0.21 / SLIDING_RATIO] * 4}, speed=speed, stop=6.0)
    time, v = run.time("car.velocity"), run["car.velocity"][:, 0]
    ends = [v[np.argmin(np.abs(time - t))] for t in (2.0, 3.0, 4.0, 5.0, 6.0)]
    assert (np.diff(ends) < -0.05).all()


@pytest.mark.parametrize(("peak", "holds"), [(0.37, True), (0.29, False)])
def test_parked_on_30_percent_it_holds_by_its_peak_friction(drive: Drive, peak: float, holds: bool) -> None:
    v = drive(road={"grade": 0.3, "friction": [peak] * 4}, stop=4.0)["car.velocity"][-1]
    assert np.abs(v).max() < 1e-6 if holds else v[0] < -2.0
