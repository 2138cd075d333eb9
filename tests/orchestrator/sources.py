"""Sources whose values are known, and an integrator that shows what it was sent; loaded with `runpy`."""

from pathlib import Path
from typing import Any

import numpy as np

from drawbar.blocks import Continuous, Input, Output, State, if_else
from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.simulate import simulate

H = 0.125  # s; sums of it are exact


class Clock(Continuous):
    """A parabola, and a saw that falls far at t = 1 s; a flag marks it, or none."""

    parabola = Output("1", "t^2")
    saw = Output("1", "t, from t = 1 s on t - 5")

    def outputs(self) -> dict[str, Any]:
        return {
            "parabola": self.time * self.time,
            "saw": if_else(self.time < 1.0, self.time, self.time - 5.0),
        }


class Flagged(Clock):
    late = Output("1", "whether t >= 1 s", type=bool)

    def outputs(self) -> dict[str, Any]:
        return {**super().outputs(), "late": if_else(self.time < 1.0, 0.0, 1.0)}


class Sum(Continuous, method="euler", step=H):
    """An integrator of one Euler step: what it was sent is what it grows by, over h."""

    u = Input("1", "signal", min=-10.0, max=1.6875)
    x = State(0.0, "1", "integral", output=True)

    def derivatives(self) -> dict[str, Any]:
        return {"x": self.u}


def sent(d: Diagram, folder: Path, part: str = "sum", **how: Any) -> np.ndarray:
    """What a `Sum` was sent for each of its steps."""
    return np.diff(simulate(d, out=folder, **how)[f"{part}.x"]) / H
