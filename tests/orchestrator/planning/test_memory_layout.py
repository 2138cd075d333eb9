"""The values that are recorded, and the ranges in which they are read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Local, Output, Sampled, State
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate


class Watched(Continuous):
    """A ramp with something inside worth a look."""

    x = State(0.0, "m", "ramp")
    inside = Local("m", "twice the ramp", size=2)
    y = Output("m", "ramp")

    def derivatives(self) -> dict[str, Any]:
        return {"x": 1.0}

    def outputs(self) -> dict[str, Any]:
        return {"inside": [2.0 * self.x, 3.0 * self.x], "y": self.x}


def test_locals_and_states_are_recorded_on_request(how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("watched", step=0.1, stop=1.0)
    d.add("w", Watched)
    assert set(simulate(d, out=tmp_path / "a", **how).signals) == {"w.y"}
    run = simulate(d, out=tmp_path / "b", record=["w.inside", "*.x"], **how)
    assert set(run.signals) == {"w.inside", "w.x"}
    np.testing.assert_allclose(run["w.inside"], np.column_stack([2.0 * run["w.x"], 3.0 * run["w.x"]]), rtol=1e-15)
    assert run["w.x"][-1] == pytest.approx(1.0)


class Counter(Sampled, period=0.5):
    """A Real that changes at samples only."""

    count = State(0.0, "m", "number of samples")
    y = Output("m", "number of samples")

    def update(self) -> dict[str, Any]:
        return {"count": self.count + 1.0}

    def outputs(self) -> dict[str, Any]:
        return {"y": self.count}


def test_a_run_says_which_signals_are_held_between_samples(how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("held", step=0.1, stop=1.0)
    d.add("w", Watched)
    d.add("c", Counter)
    run = simulate(d, out=tmp_path / "run", **how)
    assert {name: signal.held for name, signal in run.signals.items()} == {"w.y": False, "c.y": True}
