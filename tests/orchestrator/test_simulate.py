"""`simulate`: the ways to run, and the folder of a run."""

from pathlib import Path
from typing import Any

import pytest

from drawbar.blocks import (
    Continuous,
    Input,
    Parameter,
    State,
    UsageError,
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


def ring() -> Diagram:
    d = Diagram("ring", step=1e-3, stop=2.0, algorithm="jacobi")
    parts = [d.add(f"lag{i}", Lag, y=8.0 if i == 0 else 0.0) for i in range(8)]
    for a, b in zip(parts, parts[1:] + parts[:1], strict=True):
        d.connect(a.y, b.u)
    return d


@pytest.mark.compiler
def test_interpreted_parts_cannot_be_stepped_in_c(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="interpreted back end has no C functions"):
        simulate(ring(), out=tmp_path / "r", backend="interpreted", engine="c")
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("word", "value"), [("backend", "fmi"), ("engine", "pyton")])
def test_unknown_ways_to_run_name_the_nearest(word: str, value: str) -> None:
    with pytest.raises(UsageError, match="did you mean"):
        simulate(ring(), **{word: value})
