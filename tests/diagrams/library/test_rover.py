"""The rover as it comes with Drawbar: a circle in soil."""

import json
from typing import Any

import numpy as np
import pytest

from drawbar.diagrams.check import faults
from drawbar.diagrams.library import find
from drawbar.diagrams.ssp import read, to_text
from drawbar.orchestrator.responses import check_report
from drawbar.orchestrator.run import Run
from drawbar.orchestrator.simulate import simulate

SSD = find("rover")
REPORT: dict[str, Any] = json.loads((SSD.parent / "report.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(read(SSD), out=tmp_path_factory.mktemp("runs") / "rover")


def test_no_fault_and_canonical() -> None:
    diagram = read(SSD)
    assert faults(diagram) == []
    assert to_text(diagram, SSD.parent) == SSD.read_text(encoding="utf-8")
    check_report(REPORT)


def test_wheels_that_roll_about_one_point_keep_the_circle(driven: Run) -> None:
    """All slip alike, so it is slower than commanded but on the commanded circle of 2 m."""
    speed = np.hypot(driven["rover.velocity[1]"], driven["rover.velocity[2]"])
    assert speed[-1] / driven["rover.yaw_rate"][-1] == pytest.approx(2.0, rel=5e-3)
    slip = driven["rover.slip"][-1]
    assert slip == pytest.approx(np.full(4, slip[0]), abs=2e-3)
    assert speed[-1] == pytest.approx(0.15 * (1.0 - slip[0]), rel=2e-3)
    x, y = driven["rover.position"][-1]
    assert np.hypot(x, y - 2.0) == pytest.approx(2.0, abs=0.01)


def test_every_signal_of_the_report_exists(driven: Run) -> None:
    asked = [r["signal"] for r in REPORT["responses"].values()]
    asked += [s for plot in REPORT["plots"] for s in plot.get("signals", [plot.get("x"), plot.get("y")])]
    for name in asked:
        assert len(driven[name]) == 2001
