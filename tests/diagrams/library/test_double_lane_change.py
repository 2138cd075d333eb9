"""The double lane change of the HMMWV with suspensions, as it comes with Drawbar."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import TIRE
from drawbar.diagrams.library import find
from drawbar.diagrams.parameters.parameter_set import read_set
from drawbar.diagrams.parameters.presets import find_set
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.reports.run_report import warnings_of
from drawbar.orchestrator.runs.run import Run

SSD = find("double_lane_change")
REPORT: dict[str, Any] = json.loads((SSD.parent / "report.json").read_text(encoding="utf-8"))
CASE, CHRONO = REPORT["cases"]
G = 9.80665
WEIGHT = 2573.138 * G


@pytest.fixture(scope="module")
def half_g(drive: Callable[..., Run], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return drive(SSD, tmp_path_factory.mktemp("runs") / "half")


def test_half_a_g_to_both_sides(half_g: Run) -> None:
    a_y = half_g["vehicle.a[2]"] / G
    assert a_y.max() == pytest.approx(0.50, abs=0.005)
    assert a_y.max() == pytest.approx(-a_y.min(), abs=0.01)


def test_no_cone_is_hit_and_the_course_is_finished(half_g: Run) -> None:
    assert half_g["course.clearance"].min() > 0.04
    assert half_g["vehicle.position[1]"][-1] > 150.0
    assert np.abs(half_g["course.lateral_error"]).max() < 0.15
    assert np.abs(half_g["course.lateral_error"][-1]) < 5e-3
    assert half_g["vehicle.velocity[1]"].min() > 14.7, "its target is 15.02 m/s"


def test_it_starts_in_equilibrium(half_g: Run) -> None:
    loads = np.array([half_g[f"vehicle.wheel_load[{i}]"] for i in range(1, 5)])
    assert loads[:, 0].sum() == pytest.approx(WEIGHT, rel=1e-9)
    # what drives against the rolling resistance lifts the front a little
    assert loads[:, :200] == pytest.approx(loads[:, :1] * np.ones(200), rel=0.02)
    assert loads.sum(axis=0) == pytest.approx(WEIGHT, rel=0.04)


def test_it_leans_out_of_the_turns(half_g: Run) -> None:
    """Roll follows the lateral acceleration at 7.9 deg/g; 7.4 to 8.2 are published."""
    roll, a_y = np.degrees(half_g["vehicle.roll"]), half_g["vehicle.a[2]"] / G
    assert np.corrcoef(roll, a_y)[0, 1] > 0.96
    assert np.ptp(roll) / np.ptp(a_y) == pytest.approx(7.95, abs=0.15)


def swings(run: Run) -> list[float]:
    loads = [run[f"vehicle.wheel_load[{i}]"] for i in range(1, 5)]
    return [float(np.ptp(load) / load[0]) for load in loads]


def published(name: str, column: str) -> list[float]:
    found: list[float] = REPORT["responses"][name]["published"][column]
    return found


def test_nothing_fitted_it_is_within_20_percent_of_adams(half_g: Run) -> None:
    """Wheel loads within 7 %, roll 7 %, roll gradient 8 %, roll rate 16 %."""
    adams = [np.ptp(published(f"wheel_load_{w}", "adams")) for w in ("fl", "fr", "rl", "rr")]
    assert swings(half_g) == pytest.approx(adams, rel=0.07)
    roll, rate = np.degrees(half_g["vehicle.roll"]), np.degrees(half_g["vehicle.roll_rate"])
    assert [roll.max(), roll.min()] == pytest.approx(published("roll", "adams"), rel=0.07)
    assert [rate.max(), rate.min()] == pytest.approx(published("roll_rate", "adams"), rel=0.18)
    a_y = half_g["vehicle.a[2]"] / G
    gradient = [roll.max() / a_y.max(), roll.min() / a_y.min()]
    assert gradient == pytest.approx(published("roll_gradient", "adams"), rel=0.09)


def test_the_faster_case_beside_roams(drive: Callable[..., Run], tmp_path: Path) -> None:
    """The most that this driver reaches without a cone is 0.56 g, not 0.60; roll rates are above those of ROAMS."""
    run = drive(SSD, tmp_path / "run", CASE["set"])
    assert np.abs(run["vehicle.a[2]"]).max() / G == pytest.approx(0.56, abs=0.01)
    assert swings(run) == pytest.approx([1.1, 1.1, 1.6, 1.6], rel=0.1)
    rate = np.degrees(run["vehicle.roll_rate"])
    assert rate.max() > 1.2 * published("roll_rate", "roams")[0], "the gap that the report states"
    assert run["course.clearance"].min() > 0.0, "no cone is hit, as the report says"


def test_a_driver_who_does_not_know_that_the_tires_lag_hits_cones(drive: Callable[..., Run], tmp_path: Path) -> None:
    run = drive(SSD, tmp_path / "run", {"follower.relaxation": 0.0})
    assert run["course.clearance"].min() < -0.2


def test_the_vehicle_starts_at_the_target_and_its_driver_knows_its_tires() -> None:
    parts = read(SSD).parts
    assert parts["vehicle"].starts["speed"] == parts["speed"].starts["target"]
    assert CASE["set"]["vehicle.speed"] == CASE["set"]["speed.target"]
    assert parts["follower"].starts["relaxation"] == TIRE["relaxation_y_m"]


def test_with_the_multibody_source_alone_it_rolls_by_half(drive: Callable[..., Run], tmp_path: Path) -> None:
    """Negative control: the preset with the old height and springs at the same peak."""
    preset = {f"vehicle.{p.name}": float(p.value) for p in read_set(find_set("hmmwv_chrono")).parameters.values()}
    run = drive(SSD, tmp_path / "run", CHRONO["set"] | preset)
    assert np.abs(run["vehicle.a[2]"]).max() / G == pytest.approx(0.50, abs=0.005)
    assert np.abs(np.degrees(run["vehicle.roll"])).max() == pytest.approx(2.2, abs=0.05)
    assert max(swings(run)[:2]) < 0.7, "a third less than ADAMS"


LESS_GRIP = {"road.friction": [0.8] * 4}


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "road"), [(20.0, {}), (21.0, LESS_GRIP), (25.0, LESS_GRIP)])
def test_too_fast_it_leaves_the_course_and_drives_on(
    drive: Callable[..., Run], tmp_path: Path, speed: float, road: dict[str, Any]
) -> None:
    """The driver steers to the lock and beyond, wheels lift and the vehicle slides; no arm leaves its travel."""
    run = drive(SSD, tmp_path / "fast", {"vehicle.speed": speed, "speed.target": speed, **road})
    assert run["course.clearance"].min() < -1.0
    assert np.abs(run["course.lateral_error"]).max() > 5.0
    assert np.abs(run["follower.steer"]).max() == pytest.approx(np.radians(30.0))
    assert (run["vehicle.wheel_load[3]"] == 0.0).any()
    assert run["vehicle.margin"].min() > 0.05
    assert run["vehicle.roll"].size == 2401, "to its end"


@pytest.mark.slow
@pytest.mark.parametrize("speed", [21.0, 25.0])
def test_still_faster_it_rolls_over_on_the_grip_of_its_tires_and_says_when(
    drive: Callable[..., Run], tmp_path: Path, speed: float
) -> None:
    """With half its track of 0.90 m and its centre of mass 0.92 m high, it tips at 0.98 g less what the roll takes.

    The tires have a friction of 0.98; on the road with 0.8 above it slides at the same speeds.
    """
    run = drive(SSD, tmp_path / "over", {"vehicle.speed": speed, "speed.target": speed})
    assert run["vehicle.roll"].size == 2401, "to its end"
    (note,) = [note for note in warnings_of(run) if "rolled over" in note]
    assert re.fullmatch(
        r"vehicle\.tilt_cosine was down to .* below 0\.3 between t = [\d.]+ and [\d.]+ s: .* rolled over", note
    )
