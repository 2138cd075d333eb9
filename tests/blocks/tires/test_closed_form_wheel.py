"""A wheel on soil under a quarter of a car: dropped, rolling, locked, spinning in place, backwards, on a slope."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawbar.blocks.core.errors import RunError
from drawbar.blocks.tires.closed_form_wheel import ClosedFormWheel
from drawbar.orchestrator.runs.run import Run

REFERENCE = json.loads((Path(__file__).parents[2] / "fidelity" / "tbf_reference.json").read_text("utf-8"))
R, B = 0.47, 0.318
WEIGHT = 640.0 * 9.80665
BUS = {"n": "sinkage_exponent", "c": "cohesion", "phi": "friction_angle", "K": "shear_modulus"}


@pytest.fixture
def ride(drive_quarter: Callable[..., Run]) -> Callable[..., Run]:
    def run(soil: str = "sandy_loam", **rest: Any) -> Run:
        values = {f"ground.{BUS.get(k, k)}": v for k, v in REFERENCE["soils"][soil].items()}
        return drive_quarter(ClosedFormWheel, **values | rest)

    return run


DEEP = 0.0479  # m, sinkage at rest on sandy loam


def test_it_is_dropped_and_comes_to_rest_at_the_load(ride: Callable[..., Run]) -> None:
    run = ride(body={"p": [0.0, 0.0, 0.60]})
    load = run["wheel.load"]
    assert load[0] == 0.0
    assert 1.5 * WEIGHT < load.max() < 4.0 * WEIGHT
    assert load.min() >= 0.0
    assert load[-500:] == pytest.approx(np.full(500, WEIGHT), rel=1e-3)
    assert run["wheel.sinkage"][-1] == pytest.approx(DEEP, abs=2e-4)


def test_the_stance_is_near_where_it_comes_to_rest(ride: Callable[..., Run]) -> None:
    run = ride(stop=0.01, rated_load=WEIGHT)
    radius, stiffness = run["wheel.hub.radius"][0], run["wheel.hub.stiffness"][0]
    assert R - (radius - WEIGHT / stiffness) == pytest.approx(DEEP, abs=3e-4)
    assert 1e5 < stiffness < 3e5, "no stiffer than a tire"


def test_it_rolls_out_and_stands(ride: Callable[..., Run]) -> None:
    """By the compaction of the soil alone: a fifth of the load, after the share of the entry that stays at rest."""
    run = ride(body={"v": [5.0, 0.0, 0.0], "p": [0.0, 0.0, R - DEEP]}, stop=6.0)
    v = run["body.v"][:, 0]
    assert v[1000] == pytest.approx(5.0 - 2.05, abs=0.3)
    assert np.abs(v[-1000:]).max() < 1e-3
    assert v.min() > -0.02, "nothing throws it back"
    rolling = run["wheel.hub.spin"][1000] * R / v[1000]
    assert 0.9 < rolling < 1.0, "towed, it skids a little"


def test_a_locked_wheel_stops_sooner_and_stays(ride: Callable[..., Run]) -> None:
    run = ride(body={"v": [5.0, 0.0, 0.0], "p": [0.0, 0.0, R - DEEP]}, brake=20000.0)
    assert run["wheel.slip"].min() < -0.9
    p = run["body.p"][:, 0]
    assert 1.2 < p.max() < 2.2
    assert p.max() - p[-1] < 0.05
    assert np.abs(run["body.v"][-500:, 0]).max() < 1e-3


def test_spinning_in_place_it_pulls_with_all_that_the_soil_carries(ride: Callable[..., Run]) -> None:
    run = ride(body={"free": [0.0, 0.0, 1.0]}, drive=2500.0)
    assert run["wheel.slip"][-1] == pytest.approx(1.0, abs=1e-3)
    assert run["wheel.hub.spin"][-1] > 100.0
    soil = REFERENCE["soils"]["sandy_loam"]
    most = soil["c"] * B * R * np.arccos(1.0 - run["wheel.sinkage"][-1] / R) + WEIGHT * np.tan(soil["phi"])
    assert 0.3 * most < run["wheel.drawbar_pull"][-1] < most


def test_held_by_less_torque_than_the_soil_takes_it_stands_without_hopping(ride: Callable[..., Run]) -> None:
    run = ride(body={"free": [0.0, 0.0, 1.0], "p": [0.0, 0.0, R - DEEP]}, drive=1100.0, stop=5.0)
    assert np.abs(run["wheel.hub.spin"][-500:]).max() < 0.05
    assert np.ptp(run["wheel.load"][-500:]) < 20.0
    assert run["wheel.torque"][-1] == pytest.approx(-1100.0, abs=2.0)


def test_driven_backwards_it_is_the_mirror_of_forwards(ride: Callable[..., Run]) -> None:
    ahead, back = (ride(drive=torque, stop=4.0) for torque in (800.0, -800.0))
    assert ahead["body.v"][-1, 0] > 1.0
    assert back["body.p"][:, 0] == pytest.approx(-ahead["body.p"][:, 0], abs=1e-9)
    assert back["wheel.sinkage"] == pytest.approx(ahead["wheel.sinkage"], abs=1e-9)


def test_braked_on_a_slope_of_30_percent_it_does_not_creep(ride: Callable[..., Run]) -> None:
    run = ride(slope=0.3, brake=20000.0, stop=60.0)
    p = run["body.p"][:, 0]
    assert abs(p[-1] - p[3000]) / 57.0 < 1e-6
    assert np.abs(run["body.v"][5000:, 0]).max() < 1e-3
    assert run["wheel.force_x"][-1] == pytest.approx(WEIGHT * 0.3 / np.hypot(0.3, 1.0), rel=2e-3)


def test_on_soil_that_does_not_carry_it_there_it_slides(ride: Callable[..., Run]) -> None:
    """Negative control: clay, whose angle of friction of 13 degrees with its cohesion is less than a slope of 60 %."""
    run = ride(soil="clayey_soil", slope=0.6, brake=20000.0, stop=3.0)
    assert run["body.v"][-1, 0] < -0.3


def test_with_lugs_it_pulls_more(ride: Callable[..., Run]) -> None:
    smooth, lugged = (
        ride(body={"free": [0.0, 0.0, 1.0]}, drive=2500.0, stop=2.0, lug_height=h, lug_ratio=0.1) for h in (0.0, 0.04)
    )
    assert lugged["wheel.drawbar_pull"][-1] > 1.1 * smooth["wheel.drawbar_pull"][-1]


def test_the_side_wall_holds_against_motion_to_the_side(bench: Any) -> None:
    """For soil of 15 kN/m3: D_1 D_2 gamma h^2/2 is 210 N/m at the depth h, and 8/15 of it over a chord of 0.21 m."""
    soil = {f"ground.{BUS.get(k, k)}": v for k, v in REFERENCE["soils"]["sandy_loam"].items()}
    at = {"hub.position": [0.0, 0.0, R - 0.05], "hub.velocity": [3.0, -0.5, 0.0], "turning": 3.0 / R, "t": 0.17}
    with_soil, without = (
        bench(ClosedFormWheel).out(**at, **soil, **{"ground.unit_weight": gamma})["force_y"] for gamma in (15e3, 0.0)
    )
    assert without > 0.0
    assert with_soil - without == pytest.approx(210.0 * 8.0 / 15.0 * 0.21, rel=0.1)


def test_forces_grow_from_nothing_without_a_jump(bench: Any) -> None:
    soil = {f"ground.{BUS.get(k, k)}": v for k, v in REFERENCE["soils"]["sandy_loam"].items()}
    wheel = bench(ClosedFormWheel)

    def at(depth: float) -> float:
        found: float = wheel.out(**{"hub.position": [0.0, 0.0, R - depth]}, **soil)["load"]
        return found

    assert at(-1e-3) == at(0.0) == 0.0
    depths = np.linspace(0.0, 2e-3, 2001)
    loads = np.array([at(d) for d in depths])
    assert (np.diff(loads) > 0.0).all()
    assert np.diff(loads).max() < 1e-6 * 3e5, "never stiffer than 300 kN/m"


def test_a_ground_without_soil_is_told(ride: Callable[..., Run]) -> None:
    with pytest.raises(RunError, match="there is soil under the wheel"):
        ride(**{"ground.k_phi": 0.0, "ground.k_c": 0.0})


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.floats(-0.3, 2.0),
    st.tuples(st.floats(-50.0, 50.0), st.floats(-50.0, 50.0), st.floats(-20.0, 20.0)),
    st.floats(-300.0, 300.0),
    st.floats(-3.0, 3.0),
    st.floats(-10.0, 10.0),
    st.sampled_from(sorted(REFERENCE["soils"])),
)
def test_no_value_and_no_rate_is_ever_nan(
    bench: Any, height: float, v: tuple[float, float, float], turning: float, s: float, t: float, soil: str
) -> None:
    """Buried, in the air, at 50 m/s sideways, spinning backwards: the load is finite and pulls nowhere downwards."""
    at = {f"ground.{BUS.get(k, k)}": value for k, value in REFERENCE["soils"][soil].items()}
    at |= {"hub.position": [0.0, 0.0, height], "hub.velocity": v, "turning": turning, "s": s, "t": t, "brake": 5e3}
    wheel = bench(ClosedFormWheel)
    found, rates = wheel.out(**at), wheel.ode(**at)
    assert all(np.isfinite(np.ravel(value)).all() for value in (*found.values(), *rates.values()))
    assert found["load"] >= 0.0
    assert height < R or found["load"] == found["force_x"] == found["force_y"] == 0.0


def test_forces_pass_through_zero_speed_without_a_jump(bench: Any) -> None:
    """Of a wheel that rolls freely slower and slower, and then backwards; no step of 1 mm/s changes them by 3 %."""
    at = {f"ground.{BUS.get(k, k)}": value for k, value in REFERENCE["soils"]["sandy_loam"].items()}
    wheel = bench(ClosedFormWheel)
    at |= {"hub.position": [0.0, 0.0, 0.42]}
    speeds = np.linspace(-0.2, 0.2, 401)
    found = [wheel.out(**at, **{"hub.velocity": [v, 0.0, 0.0], "turning": v / R}) for v in speeds]
    rows = np.array([[row[name] for name in ("force_x", "load", "torque")] for row in found])
    assert np.abs(np.diff(rows, axis=0)).max() < 0.03 * WEIGHT
    assert rows[200, 0] == pytest.approx(0.0, abs=1e-9), "soil does not push a wheel that stands"
    assert rows[:, 0] == pytest.approx(-rows[::-1, 0], abs=1e-6)
