"""The parts of a run: start values, and what is restored after them."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import (
    Continuous,
    Input,
    Output,
    Parameter,
    Sampled,
    State,
)
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate


class Lag(Continuous, method="euler", step=1e-3):
    """A lag, one Euler micro-step a millisecond."""

    u = Input("1", "signal to follow")
    k = Parameter(100.0, "1/s", "rate")
    y = State(0.0, "1", "delayed signal", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"y": self.k * (self.u - self.y)}


def test_initial_values_travel_in_the_order_of_dependencies(how: dict[str, str], tmp_path: Path) -> None:
    """A chain of parts with direct feedthrough, declared backwards, has consistent values at t = 0."""

    class Gain(Continuous):
        u = Input("1", "in")
        k = Parameter(2.0, "1", "gain")
        y = Output("1", "out")

        def outputs(self) -> dict[str, Any]:
            return {"y": self.k * self.u}

    d = Diagram("chain", step=0.1, stop=0.1)
    parts = [d.add(f"gain{i}", Gain) for i in reversed(range(6))][::-1]
    source = d.add("source", Lag, y=3.0)
    d.connect(source.y, parts[0].u)
    for a, b in itertools.pairwise(parts):
        d.connect(a.y, b.u)
    run = simulate(d, out=tmp_path / "r", **how)
    assert [run[f"gain{i}.y"][0] for i in range(6)] == [3.0 * 2.0 ** (i + 1) for i in range(6)]


class Settling(Continuous):
    """Its state begins at the value that its input asks for."""

    u = Input("1", "signal")
    x = State(0.0, "1", "signal", output=True)

    def initial(self) -> dict[str, Any]:
        return {"x": 1.0 + self.u}

    def derivatives(self) -> dict[str, Any]:
        return {"x": 0.0 * self.u}


class SampledGain(Sampled, period=0.1):
    u = Input("1", "in")
    k = Parameter(0.5, "1", "gain")
    y = Output("1", "out")

    def outputs(self) -> dict[str, Any]:
        return {"y": self.k * self.u}


def test_start_values_that_depend_on_each_other_settle(how: dict[str, str], tmp_path: Path) -> None:
    """x = 1 + k x whatever part comes first; with k = 2 the exchange runs away, and a note says so."""
    for i, (order, k) in enumerate(itertools.product((1, -1), (0.5, 2.0))):
        d = Diagram("circle", step=0.1, stop=0.1)
        named = {name: d.add(name, block) for name, block in [("state", Settling), ("gain", SampledGain)][::order]}
        named["gain"].set("k", k)
        d.connect(named["state"].x, named["gain"].u)
        d.connect(named["gain"].y, named["state"].u)
        run = simulate(d, out=tmp_path / str(i), **how)
        if k < 1.0:
            assert (run["state.x"][0], run["gain.y"][0]) == (
                pytest.approx(2.0, rel=1e-11),
                pytest.approx(1.0, rel=1e-11),
            )
            assert run.info["accuracy_notes"] == []
        else:
            (note,) = run.info["accuracy_notes"]
            assert "do not settle: " in note and " in exchange 50; " in note
