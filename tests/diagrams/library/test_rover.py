"""The rover as it comes with Drawbar: a circle in soil."""

from pathlib import Path

import numpy as np
import pytest

from drawbar.diagrams.library import find
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.simulate import simulate


def test_wheels_that_roll_about_one_point_keep_the_circle(tmp_path: Path) -> None:
    """All slip alike, so it is slower than commanded but on the commanded circle of 2 m."""
    driven = simulate(read(find("rover")), out=tmp_path / "run")
    speed = np.hypot(driven["rover.velocity[1]"], driven["rover.velocity[2]"])
    assert speed[-1] / driven["rover.yaw_rate"][-1] == pytest.approx(2.0, rel=5e-3)
    slip = driven["rover.slip"][-1]
    assert slip == pytest.approx(np.full(4, slip[0]), abs=2e-3)
    assert speed[-1] == pytest.approx(0.15 * (1.0 - slip[0]), rel=2e-3)
    x, y = driven["rover.position"][-1]
    assert np.hypot(x, y - 2.0) == pytest.approx(2.0, abs=0.01)
