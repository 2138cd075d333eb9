"""The lane change on sandy loam, with body and wheels apart and with the formula compiled into the vehicle."""

from typing import Any

import numpy as np
import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

WHEELS = ("fl", "fr", "rl", "rr")
WEIGHT = 2573.138 * 9.80665


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    folder, names = tmp_path_factory.mktemp("runs"), ("soft_soil_lane_change", "soft_soil_lane_change_compiled")
    parts, whole = (simulate(read(find(name)), out=folder / name) for name in names)
    return parts, whole


def test_both_ways_to_build_it_drive_alike(both: tuple[Run, Run]) -> None:
    parts, whole = both
    for signal, off in (("position[1]", 1e-3), ("position[2]", 1e-3), ("yaw", 1e-4), ("roll", 1e-4)):
        assert parts[f"body.{signal}"] == pytest.approx(whole[f"vehicle.{signal}"], abs=off)
    for i, w in enumerate(WHEELS, 1):
        assert parts[f"wheel_{w}.sinkage"] == pytest.approx(whole[f"vehicle.sinkage[{i}]"], abs=1e-4)
        assert parts[f"wheel_{w}.slip"][200:] == pytest.approx(whole[f"vehicle.wheel_slip[{i}]"][200:], abs=1e-3)


def test_it_changes_the_lane_and_back_on_soil(both: tuple[Run, Run]) -> None:
    whole = both[1]
    assert whole["vehicle.position[2]"].max() > 3.0
    assert np.abs(whole["course.lateral_error"]).max() < 0.1
    assert whole["course.clearance"].min() > 0.0


def test_what_the_wheels_pull_is_what_the_car_needs(both: tuple[Run, Run]) -> None:
    """At constant speed drawbar pull is near nothing: thrust in the soil goes into compacting it."""

    def steady(name: str) -> Any:
        return np.mean(both[1][name][3000:5000], axis=0)

    assert abs(steady("vehicle.drawbar_pull")) < 0.01 * WEIGHT
    slips = [steady(f"vehicle.wheel_slip[{i}]") for i in range(1, 5)]
    assert all(0.05 < s < 0.15 for s in slips)
    loads = sum(steady(f"vehicle.wheel_load[{i}]") for i in range(1, 5))
    assert loads == pytest.approx(WEIGHT, rel=2e-3)
