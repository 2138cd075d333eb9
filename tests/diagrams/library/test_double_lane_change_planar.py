"""The planar double lane change as it comes with Drawbar: holds the stated acceleration, hits nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run

SSD = find("double_lane_change_planar")
REPORT: dict[str, Any] = json.loads((SSD.parent / "report.json").read_text(encoding="utf-8"))
CASE = REPORT["cases"][0]
G = 9.80665


@pytest.fixture(scope="module")
def half_g(drive: Callable[..., Run], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return drive(SSD, tmp_path_factory.mktemp("runs") / "half")


def test_half_a_g_to_both_sides(half_g: Run) -> None:
    a_y = half_g["vehicle.a_y"] / G
    assert np.abs(a_y).max() == pytest.approx(0.50, abs=0.005)
    assert a_y.max() == pytest.approx(-a_y.min(), abs=0.01)


def test_no_cone_is_hit_and_the_course_is_finished(half_g: Run) -> None:
    assert half_g["course.clearance"].min() > 0.1
    assert half_g["vehicle.x"][-1] > 150.0
    assert np.abs(half_g["course.lateral_error"]).max() < 0.06
    assert np.abs(half_g["course.lateral_error"][-1]) < 1e-3


def test_the_speed_is_held(half_g: Run) -> None:
    assert half_g["vehicle.u"] == pytest.approx(half_g["vehicle.u"][0], abs=1e-6)


@pytest.mark.parametrize(("wheel", "published"), [(1, 1.0), (2, 1.0), (3, 1.5), (4, 1.5)])
def test_wheel_load_swings(half_g: Run, wheel: int, published: float) -> None:
    load = half_g[f"vehicle.wheel_load[{wheel}]"]
    assert np.ptp(load) / load[0] == pytest.approx(published, rel=REPORT["judge"]["tolerance"])


def test_the_faster_case(drive: Callable[..., Run], tmp_path: Path) -> None:
    run = drive(SSD, tmp_path / "run", CASE["set"])
    assert np.abs(run["vehicle.a_y"]).max() / G == pytest.approx(0.60, abs=0.005)
    rear = run["vehicle.wheel_load[4]"]
    assert np.ptp(rear) / rear[0] == pytest.approx(1.6 * 1.25, rel=0.02)  # 25 % above ROAMS, as the report says


def test_a_cone_is_hit_when_the_follower_looks_too_far_ahead(drive: Callable[..., Run], tmp_path: Path) -> None:
    run = drive(SSD, tmp_path / "run", {"course.preview_time": 0.8, "vehicle.u": 20.0, "speed.target": 20.0})
    assert run["course.clearance"].min() < 0.0


def test_settings_of_the_case_differ_only_in_speed() -> None:
    assert set(CASE["set"]) == {"vehicle.u", "speed.target"}
    assert read(SSD).parts["vehicle"].starts["u"] == read(SSD).parts["speed"].starts["target"]
