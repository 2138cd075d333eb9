"""What travels on connections and is recorded: units of measure, whole numbers, NaN, locals, periods."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, Input, Local, Output, RunError, Sampled, State
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.export.package import build
from drawbar.orchestrator.simulate import simulate


class Receiver(Sampled, period="1/30"):
    """Samples an angle and a whole number."""

    a = Input("deg", "angle")
    n = Input("1", "whole number", type=int)
    x = Output("deg", "angle")
    m = Output("1", "next whole number", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"x": self.a, "m": self.n + 1}


class Held(Continuous):
    """Two constants."""

    angle = Output("rad", "a right angle")
    n = Output("1", "three", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"angle": math.pi / 2, "n": 3.0}


def test_connections_convert_and_round_at_the_start_as_later(how: dict[str, str], tmp_path: Path) -> None:
    """The exchange during initialization does what every step does: rad to deg, and a whole number as it is."""
    d = Diagram("held", step="1/30", stop=1.0)
    held, one = d.add("held", Held), d.add("one", Receiver)
    d.connect(held.angle, one.a)
    d.connect(held.n, one.n)
    run = simulate(d, out=tmp_path / "r", **how)
    np.testing.assert_allclose(run["one.x"], 90.0, rtol=1e-14)
    assert (run["one.m"] == 4).all()


class Watched(Continuous):
    """A ramp with something inside worth a look."""

    x = State(0.0, "m", "ramp")
    inside = Local("m", "twice the ramp", size=2)
    y = Output("m", "ramp")

    def derivatives(self) -> dict[str, Any]:
        return {"x": 1.0}

    def outputs(self) -> dict[str, Any]:
        return {"inside": [2.0 * self.x, 3.0 * self.x], "y": self.x}


@pytest.mark.compiler
def test_a_sampled_block_steps_at_its_period_as_block_and_as_fmu(tmp_path: Path) -> None:
    """The period travels in the FMU, so that a part is the same whichever way it is named."""
    runs = []
    for what in (Receiver, str(build(Receiver))):
        d = Diagram("same", step="1/100", stop=1.0)
        ramp, one = d.add("ramp", Watched), d.add("one", what)
        d.connect(ramp.y, one.a, suppress_unit_conversion=True)
        runs.append(simulate(d, out=tmp_path / str(len(runs))))
    np.testing.assert_array_equal(runs[0]["one.x"], runs[1]["one.x"])
    assert runs[0].signals["one.x"].period == runs[1].signals["one.x"].period == Fraction(1, 30)


class Rotten(Continuous):
    """An integer that becomes NaN."""

    n = Output("1", "number", type=int)

    def outputs(self) -> dict[str, Any]:
        return {"n": (0.5005 - self.time) ** 0.5}


def test_nan_behind_an_integer_stops_the_run_and_is_named(how: dict[str, str], tmp_path: Path) -> None:
    d = Diagram("rotten", step=1e-3, stop=1.0)
    d.add("rotten", Rotten)
    message = r"part 'rotten': reading outputs at t = 0\.501 s .*'n' is -?nan, not a whole number"
    with pytest.raises(RunError, match=message):
        simulate(d, out=tmp_path / "r", **how)


@pytest.mark.parametrize("stop", ["1/3", 1 / 3, Fraction(1, 3)])
def test_a_third_of_a_second_is_ten_steps_of_a_thirtieth(stop: Any, tmp_path: Path) -> None:
    d = Diagram("third", step="1/30", stop=stop)
    d.add("w", Watched)
    assert len(simulate(d, out=tmp_path / "a")["w.y"]) == 11
    assert len(simulate(d, out=tmp_path / "b", stop=stop)["w.y"]) == 11
