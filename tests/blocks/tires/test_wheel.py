"""Every wheel under a quarter of a car: dropped, rolling, locked, spinning in place, backwards, parked on a slope."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from drawbar.blocks.tires.bekker_wheel import BekkerWheel
from drawbar.blocks.tires.closed_form_wheel import ClosedFormWheel
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.tires.pac2002_tire import Pac2002Tire
from drawbar.blocks.tires.soft_tire import SoftTire
from drawbar.blocks.tires.surface_tire import SurfaceTire
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.orchestrator.runs.run import Run

G = 9.80665
MASS, WEIGHT = 640.0, 640.0 * G
LOAM = {"sinkage_exponent": 0.7, "k_c": 5300.0, "k_phi": 1515e3, "cohesion": 1700.0, "friction_angle": 0.506}
ON_LOAM = {f"ground.{name}": value for name, value in LOAM.items()}
FINE = {"ground.surface": 4, "ground.cone_index": 8e5, "radius": 0.47}
WHEELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "Fiala": (FialaTire, {}),
    "Pacejka": (Pac2002Tire, {"damping": 7500.0}),
    "Pacejka by default": (Pac2002Tire, {}),
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


def test_dropped_it_comes_to_rest_at_the_load(ride: Ride, request: pytest.FixtureRequest) -> None:
    """After 4 s; the damping by default of the Pacejka tire, 1.5 % of critical, takes longer."""
    stop = 25.0 if request.node.callspec.params["ride"] == "Pacejka by default" else 4.0
    load = ride(body={"p": [0.0, 0.0, 0.60]}, stop=stop)["wheel.load"]
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
    # from 3 m/s by the sliding friction, 0.56 for Fiala, it stands after 0.55 s
    assert np.abs(run["wheel.hub.spin"][700:]).max() < 1.0
    assert np.abs(run["wheel.hub.spin"][-500:]).max() < 0.02
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
        (FialaTire, {"ground.friction": 0.08}, 0.08 * 0.5568 / 0.9835),
        (Pac2002Tire, {"ground.friction": 0.08, "damping": 7500.0}, 0.0333),
        (Pac2002Tire, {"ground.friction": 0.08}, 0.0333),
        (SurfaceTire, {"ground.surface": 3, "radius": 0.47}, 0.0963),
    ],
)
def test_braked_on_ice_it_slides_down(drive_quarter: Ride, wheel: Any, values: dict[str, Any], mu: float) -> None:
    """At ``g (sin - mu cos)`` with the friction of full slide: Fiala's sliding ratio, for others their curve at slip 1.

    That of Pacejka is by the program of `test_pac2002.py`, with lambda_mux = 0.08.
    """
    run = drive_quarter(wheel, slope=0.3, brake=20000.0, stop=4.0, **values)
    v = np.hypot(run["body.v"][:, 0], run["body.v"][:, 2])
    length = np.hypot(0.3, 1.0)
    assert (v[-1] - v[-1001]) / 1.0 == pytest.approx(G * (0.3 - mu) / length, rel=0.01)


class Stood(NamedTuple):
    """What a wheel tells after it stood for a time, and what it said where it did not get so far."""

    outputs: dict[str, Any]
    said: list[str]


def stood(wheel: Any, time: float, **values: Any) -> Stood:
    """With its hub held."""
    one = InterpretedInstance(wheel, "wheel")
    try:
        one.initialize(0.0, values)
        one.start()
        step = one.stepper()
        if any(step(5e-3 * k, 5e-3) for k in range(round(time / 5e-3))):
            return Stood({}, one.messages())
        names = [p.name for p in wheel.interface().of("output") if not p.shape]
        return Stood(dict(zip(names, one.get(names), strict=True)), [])
    finally:
        one.close()


STANDING: dict[str, tuple[Any, dict[str, Any]]] = {
    "closed form": (ClosedFormWheel, ON_LOAM),
    **{name: WHEELS[name] for name in ("Bekker", "anisotropic", "soft")},
}


@pytest.mark.parametrize("inertia", [7.8, 1.0, 0.3])
@pytest.mark.parametrize("name", STANDING)
def test_a_light_wheel_that_stands_and_is_driven_does_not_chatter(name: str, inertia: float) -> None:
    """Where forwards passes into backwards the soil damps its spin faster than whole steps of 1 ms are stable for."""
    wheel, values = STANDING[name]
    found = stood(wheel, 0.2, **{"hub.position[3]": 0.42, "inertia": inertia, "drive": 50.0, **values})
    assert found.said == []
    assert found.outputs["torque"] == pytest.approx(-50.0, rel=1e-2)


@pytest.mark.parametrize("name", STANDING)
def test_one_that_is_too_light_for_explicit_steps_is_refused_and_rosenbrock_takes_it(name: str) -> None:
    """Under 6 kN with the inertia of a wheel of a small rover: more than 100000 1/s."""
    wheel, values = STANDING[name]
    values = {"hub.position[3]": 0.42, "inertia": 0.005, "drive": 50.0, **values}
    (said,) = stood(wheel, 5e-3, **values).said
    assert "the rate of 'spin against slip and brake' is" in said
    assert "parts of a step of 0.001 s to stay stable" in said
    assert f"method='rosenbrock', as in class Mine({wheel.__name__}, method='rosenbrock')" in said

    class Implicit(wheel, method="rosenbrock", step=1e-3):  # type: ignore[misc]
        """By steps that are stable however fast it moves."""

    found = stood(Implicit, 0.2, **values)
    assert found.said == []
    assert found.outputs["torque"] == pytest.approx(-50.0, rel=1e-2)


ROVER = {"radius": 0.1, "inertia": 0.005, "drive": 0.5}
ELASTIC = {**ROVER, "stiffness": 2e4, "damping": 200.0, "hub.position[3]": 0.1 - 50.0 / 2e4}
SURFACE = {**ELASTIC, "width": 0.05, "section_height": 0.03}
SUNK = {**ROVER, "width": 0.05, "rated_load": 50.0, **ON_LOAM}
SMALL: dict[str, tuple[Any, dict[str, Any]]] = {
    "Fiala": (FialaTire, {**ELASTIC, "C_S": 1600.0, "C_a": 400.0, "rolling_resistance": 0.0}),
    "dry": (SurfaceTire, SURFACE),
    "fine soil": (SurfaceTire, {**SURFACE, "ground.surface": 4, "ground.cone_index": 8e5}),
    "coarse soil": (SurfaceTire, {**SURFACE, "ground.surface": 5, "ground.cone_index": 8e5}),
    "closed form": (ClosedFormWheel, {**SUNK, "hub.position[3]": 0.09265}),
    "Bekker": (BekkerWheel, {**SUNK, "hub.position[3]": 0.09338}),
    "anisotropic": (BekkerWheel, {**SUNK, "hub.position[3]": 0.09338, "anisotropic": True}),
    "soft": (SoftTire, {**SUNK, "stiffness": 2e4, "damping": 200.0, "hub.position[3]": 0.09402}),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_wheel_of_a_small_rover_holds_its_drive_at_rest(name: str) -> None:
    wheel, values = SMALL[name]
    found, said = stood(wheel, 2.0, **values)
    assert said == []
    assert found["load"] == pytest.approx(50.0, rel=0.01)
    assert abs(found["hub.spin"]) < 2e-3
    torque = found["torque"] if name in STANDING else -found["force_x"] * (0.1 - 50.0 / 2e4)
    assert torque == pytest.approx(-0.5, rel=1e-2)
