"""What travels on connections and is recorded: units of measure, whole numbers, NaN, locals, periods."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import (
    Continuous,
    FmuError,
    Input,
    Local,
    Output,
    Parameter,
    RunError,
    Sampled,
    State,
    UsageError,
)
from drawbar.diagrams.model.diagram import Diagram
from drawbar.fmus.backends.instance import Instance, open_fmu
from drawbar.fmus.backends.interpreted import InterpretedInstance
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build, compile_block
from drawbar.orchestrator.runs.run import Run
from drawbar.orchestrator.scenario.changes import Change
from drawbar.orchestrator.scenario.inputs import InputColumn, InputTable, Target
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


class Counter(Sampled, period=0.1):
    """Adds a parameter at each sample, and passes on its input."""

    step_by = Parameter(1, "1", "increment", type=int, tunable=True)
    u = Input("1", "number", type=int)
    total = State(0, "1", "sum", type=int)
    n = Output("1", "sum", type=int)
    same = Output("1", "number", type=int)

    def update(self) -> dict[str, Any]:
        return {"total": self.total + self.step_by}

    def outputs(self) -> dict[str, Any]:
        return {"n": self.total, "same": self.u}


BACKENDS = [
    pytest.param("fmu", marks=pytest.mark.compiler),
    pytest.param("native", marks=pytest.mark.compiler),
    "interpreted",
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("value", [-(2**31), 2**31 - 1])
def test_the_ends_of_the_range_of_integers_pass_as_they_are(value: int, backend: str, tmp_path: Path) -> None:
    d = Diagram("d", step=0.1, stop=0.2)
    a, b = d.add("a", Counter, u=value), d.add("b", Counter)
    d.connect(a.same, b.u)
    run = simulate(d, backend=backend, out=tmp_path / "run")
    assert run["b.same"][-1] == value
    assert run.info["parameters"]["a"] == {"u": value}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sum_that_leaves_the_range_of_integers_is_a_fault(backend: str, tmp_path: Path) -> None:
    """It does not wrap: the second sample is the end of the range, the third is beyond it."""
    d = Diagram("d", step=0.1, stop=1.0)
    d.add("a", Counter, total=2**31 - 2)
    with pytest.raises(RunError, match=r"at t = 0\.3 s .*'n' is 2\.14748e\+09, not a whole number in range"):
        simulate(d, backend=backend, out=tmp_path / "run")
    assert Run(tmp_path / "run")["a.n"].tolist() == [2**31 - 2, 2**31 - 2, 2**31 - 1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_instance_refuses_an_integer_beyond_32_bits(backend: str) -> None:
    if backend == "interpreted":
        instance: Instance = InterpretedInstance(Counter, "a")
    else:
        compile_block(Counter)
        instance = open_fmu(build(Counter), "a") if backend == "fmu" else native_instance(Counter, "a")
    with pytest.raises(FmuError, match=r"part 'a': 'step_by' = 3000000000 is beyond the 32-bit integers"):
        instance.initialize(0.0, {"step_by": 3000000000})
    instance.close()


def test_values_that_python_gives_are_checked_as_those_of_files(tmp_path: Path) -> None:
    d = Diagram("d", step=0.1, stop=1.0)
    d.add("a", Counter)
    wrong = Change(Fraction(0), "a", "step_by", {"step_by": 3000000000})
    with pytest.raises(UsageError, match=r"change at 0 s: a\.step_by = 3000000000 is beyond the 32-bit integers"):
        simulate(d, backend="interpreted", out=tmp_path / "run", changes=[wrong])
    column = InputColumn("a.u", False, (Target("a", "u"),))
    table = InputTable((column,), np.array([0.0, 0.5]), np.array([[7.0], [3e9]]))
    message = r"inputs: 'a\.u' is 3000000000 at 0\.5 s, which is not a whole number of 32 bits"
    with pytest.raises(UsageError, match=message):
        simulate(d, backend="interpreted", out=tmp_path / "run", inputs=table)
    assert not (tmp_path / "run").exists()
    right = replace(table, values=np.array([[7.0], [8.0]]))
    run = simulate(d, backend="interpreted", out=tmp_path / "run", inputs=right)
    assert sorted(set(run["a.same"])) == [7, 8]
