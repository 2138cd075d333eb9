"""Diagrams of the library with a HMMWV: what holds of each, and the numbers of step steer and steady circle."""

import json
from pathlib import Path

import numpy as np
import pytest

from drawbar.diagrams.check import faults
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp import read, to_text
from drawbar.orchestrator.run import Run
from drawbar.orchestrator.simulate import simulate

G = 9.80665
NAMES = ("step_steer", "constant_radius", "double_lane_change_modular", "warthog_skid_steer")


@pytest.fixture(scope="module", params=NAMES)
def driven(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Run]:
    name = request.param
    return name, simulate(read(find(name)), out=tmp_path_factory.mktemp("runs") / name)


@pytest.mark.parametrize("name", NAMES)
def test_no_fault_and_canonical(name: str) -> None:
    ssd = find(name)
    diagram = read(ssd)
    assert faults(diagram) == []
    assert to_text(diagram, ssd.parent) == ssd.read_text(encoding="utf-8")


def test_every_signal_of_the_report_exists(driven: tuple[str, Run]) -> None:
    name, run = driven
    report = json.loads((find(name).parent / "report.json").read_text(encoding="utf-8"))
    asked = [r["signal"] for r in report["responses"].values()]
    asked += [s for plot in report["plots"] for s in plot.get("signals", [plot.get("x"), plot.get("y")])]
    for signal in asked:
        assert len(run[signal]) > 100


def test_the_step_settles_at_4_metres_per_second_squared(tmp_path: Path) -> None:
    run = simulate(read(find("step_steer")), out=tmp_path / "run")
    t, a, rate = run.time("vehicle.a"), run["vehicle.a[2]"], run["vehicle.yaw_rate"]
    assert np.abs(a[t < 2.0]).max() < 0.01
    assert a[-1] == pytest.approx(4.0, abs=0.05)
    assert rate[-1] == pytest.approx(a[-1] / run["vehicle.velocity[1]"][-1], rel=0.01)
    assert np.degrees(run["vehicle.roll"][-1]) == pytest.approx(4.3 * a[-1] / G, rel=0.05)
    reached = t[np.argmax(rate > 0.9 * rate[-1])] - 2.075  # from half of the steering
    assert 0.1 < reached < 0.6, "rise time of the yaw rate, s"
    assert rate.max() < 1.3 * rate[-1]


def test_the_circle_gives_the_gradients_of_the_report(tmp_path: Path) -> None:
    run = simulate(read(find("constant_radius")), out=tmp_path / "run")
    assert np.abs(run["course.lateral_error"]).max() < 0.15
    a, t = run["vehicle.a[2]"] / G, run.time("vehicle.a")
    steer = np.degrees(run["vehicle.wheel_steer[1]"] + run["vehicle.wheel_steer[2]"]) / 2
    part = (t > 10.0) & (a > 0.1) & (a < 0.4)
    assert np.polyfit(a[part], np.degrees(run["vehicle.roll"])[part], 1)[0] == pytest.approx(4.4, abs=0.1)
    slope, ackermann = np.polyfit(a[part], steer[part], 1)
    assert slope == pytest.approx(1.5, abs=0.15)
    assert ackermann == pytest.approx(np.degrees(3.302 / 100.0), abs=0.1)
