"""The parts of a run: start values, and what is restored after them."""

import itertools
from pathlib import Path
from typing import Any

from drawbar.blocks import (
    Continuous,
    Input,
    Output,
    Parameter,
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
