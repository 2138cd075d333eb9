"""A HMMWV on a random road: it starts in equilibrium there, and rides as rough as the road is."""

from pathlib import Path

import numpy as np
import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.simulate import simulate

pytestmark = pytest.mark.compiler

SSD = find("rough_road")
WEIGHT = 2573.138 * 9.80665


def ride(folder: Path, stop: float, **changes: float) -> Run:
    diagram = read(SSD)
    diagram.stop = stop
    for name, value in changes.items():
        part, _, variable = name.partition("__")
        diagram.parts[part].set(variable, value)
    return simulate(diagram, out=folder)


def loads(run: Run) -> np.ndarray:
    return np.array([run[f"vehicle.wheel_load[{i}]"] for i in range(1, 5)])


@pytest.fixture(scope="module")
def class_c(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return ride(tmp_path_factory.mktemp("runs") / "c", 6.0)


def test_it_stands_in_equilibrium_on_uneven_ground(tmp_path: Path) -> None:
    """Of class D, where the wheels stand 0.05 m apart in height, and not in a plane."""
    there = {"vehicle__speed": 0.0, "speed__target": 0.0, "vehicle__x": 235.0}
    run = ride(tmp_path / "run", 0.5, road__scale=2.0, **there)
    heights = [run[f"road.ground_{w}.point[3]"][0] for w in ("fl", "fr", "rl", "rr")]
    assert np.ptp(heights) > 0.04
    assert abs(heights[0] - heights[1] - heights[2] + heights[3]) > 0.06
    assert loads(run)[:, 0].sum() == pytest.approx(WEIGHT, rel=0.01), "across slopes, so not exactly"
    np.testing.assert_allclose(loads(run), loads(run)[:, :1] * np.ones(loads(run).shape[1]), rtol=0.03)
    assert np.abs(run["vehicle.a[3]"]).max() < 0.1


def test_twice_the_road_is_twice_the_ride(class_c: Run, tmp_path: Path) -> None:
    class_d = ride(tmp_path / "d", 6.0, road__scale=2.0)
    assert 0.4 < class_c["meter.rms"][-1] < 1.2
    assert class_d["meter.rms"][-1] / class_c["meter.rms"][-1] == pytest.approx(2.0, rel=0.15)
    swings = [loads(run)[:, 800:].std(axis=1) for run in (class_c, class_d)]
    np.testing.assert_allclose(swings[1] / swings[0], 2.0, rtol=0.2)


def test_it_stays_on_the_road_at_its_speed(class_c: Run) -> None:
    assert np.abs(class_c["vehicle.position[2]"]).max() < 1.5
    np.testing.assert_allclose(class_c["vehicle.velocity[1]"], 15.0, atol=0.3)
    assert class_c["vehicle.position[1]"][-1] == pytest.approx(90.0, abs=1.0)
    assert np.abs(class_c["vehicle.a[3]"][:40]).max() < 0.1, "level at the beginning"
